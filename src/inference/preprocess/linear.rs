//! Preprocessing as two matrices, for gradients with respect to pixels.

use super::{Layout, Preprocessor};
use benchtop_model::error::Result;
use benchtop_model::generation::Pixels;
use benchtop_raster::pillow;

/// The resize and the crop of pictures of one size, without rounding: a plane of the result is
/// `down * plane * across`, in gray levels. [`Preprocessor::cut`] also rounds and clips to bytes
/// after each direction, so its result differs by about a gray level, and by more where a bicubic
/// filter overshoots black or white.
#[derive(Clone, Debug, PartialEq)]
pub struct Linear {
    /// A row of shares of the source columns for each column of the result.
    pub across: Vec<Vec<f32>>,
    /// A row of shares of the source rows for each row of the result.
    pub down: Vec<Vec<f32>>,
    /// Factor of gray levels.
    pub rescale: f32,
    /// Mean and standard deviation of red, green, and blue.
    pub normalize: ([f32; 3], [f32; 3]),
}

impl Preprocessor {
    /// The preprocessing of pictures with the size of `picture`, which is refused as in
    /// [`cut`](Preprocessor::cut).
    pub fn linear(&self, picture: &Pixels) -> Result<Linear> {
        let Layout {
            to,
            size,
            columns,
            rows,
        } = self.layout(picture)?;
        let axis = |of: u32, to: usize, size: usize, (range, before): (_, usize)| {
            let of = of as usize;
            let inner = pillow::matrix(self.steps.resample, of, to, range);
            // Pixels beyond the picture are black.
            let mut all = vec![vec![0.; of]; before];
            all.extend(inner);
            all.resize(size, vec![0.; of]);
            all
        };
        let (mean, deviation) = self.steps.normalize.unwrap_or(([0.; 3], [1.; 3]));
        Ok(Linear {
            across: axis(picture.width, to.0, size.0, columns),
            down: axis(picture.height, to.1, size.1, rows),
            rescale: self.steps.rescale as f32,
            normalize: (mean.map(|m| m as f32), deviation.map(|d| d as f32)),
        })
    }
}
