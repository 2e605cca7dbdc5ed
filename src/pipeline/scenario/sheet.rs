//! Contact sheets: what a scenario does to one picture, with one parameter in the rows and another in
//! the columns.

use rayon::prelude::*;

use super::kind::{Painter, Parameters};
use super::layout::Layout;
use benchtop_model::cancel::Cancel;
use benchtop_model::derivation::SEED;
use benchtop_model::{Error, Result};
use benchtop_raster::decode::DecodedImage;
use benchtop_raster::scale::{fit, resize};
use benchtop_raster::sheet::Sheet;

/// The most pictures of a sheet.
const MOST: usize = 1000;

/// Draws the sheet of one picture, in squares of `side` pixels.
///
/// # Errors
/// A picture that the method refuses, and a sheet that is too large.
pub fn png(
    picture: &DecodedImage,
    painter: &dyn Painter,
    layout: &Layout,
    (seed, side): (u64, u32),
) -> Result<Vec<u8>> {
    let cells: usize = layout.rows.iter().map(|row| row.1.len()).sum();
    if cells > MOST {
        let what = format!("{cells} pictures are too many for a sheet; the limit is {MOST}");
        return Err(Error::usage(what).help("choose fewer rows"));
    }
    let small = |parameters: &Parameters| {
        let mut parameters = parameters.clone();
        parameters.insert(SEED.into(), seed.into());
        let (made, _) = painter.paint(picture, &parameters, Cancel::NEVER)?;
        let size = fit(made.size(), (side, side), 1.0);
        let small = resize(&made, size).map_err(Error::input)?;
        Ok(DecodedImage::new(small.into()))
    };
    let rows: Vec<Vec<Option<DecodedImage>>> = layout
        .rows
        .par_iter()
        .map(|(_, row)| {
            let cells = row.par_iter();
            cells
                .map(|cell| cell.as_ref().map(small).transpose())
                .collect::<Result<_>>()
        })
        .collect::<Result<_>>()?;
    let labels = layout.rows.iter().map(|(label, _)| label.clone());
    let sheet = Sheet {
        columns: layout.columns.clone(),
        rows: labels
            .zip(&rows)
            .map(|(label, row)| (label, row.iter().map(Option::as_ref).collect()))
            .collect(),
        side,
    };
    sheet.png()
}
