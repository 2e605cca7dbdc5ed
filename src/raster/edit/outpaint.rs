//! Outpainting: the source in the middle of a larger picture, whose frame is repainted (VLB's V3).

use benchtop_model::{Error, Result};
use image::RgbImage;

use super::mask::{Mask, area};
use super::pad::pad;

/// The sides of the larger picture, in sides of the source: 1.25, 1.5, 1.75, or 2.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Ratio {
    quarters: u8,
}

impl Default for Ratio {
    /// VLB's default.
    fn default() -> Ratio {
        Ratio { quarters: 6 }
    }
}

impl Ratio {
    /// The four of VLB.
    pub const ALL: [Ratio; 4] = [
        Ratio { quarters: 5 },
        Ratio { quarters: 6 },
        Ratio { quarters: 7 },
        Ratio { quarters: 8 },
    ];

    /// # Errors
    /// [`Error::input`] for any other number.
    pub fn of(value: f64) -> Result<Ratio> {
        let found = Ratio::ALL.into_iter().find(|ratio| ratio.value() == value);
        found.ok_or_else(|| {
            Error::input(format!("{value} is not a ratio of outpainting"))
                .help("use 1.25, 1.5, 1.75, or 2")
        })
    }

    pub fn value(self) -> f64 {
        f64::from(self.quarters) / 4.0
    }

    /// The longer side, rounded, with at least a pixel on both ends of the source's side.
    fn of_side(self, side: u32) -> u64 {
        let side = u64::from(side);
        ((side * u64::from(self.quarters) + 2) / 4).max(side + 2)
    }
}

/// A picture to outpaint.
#[derive(Clone, Debug, PartialEq)]
pub struct Outpainted {
    /// The source, with its edge repeated in the frame.
    pub image: RgbImage,
    /// The frame.
    pub mask: Mask,
    /// The place of the source's upper left corner.
    pub at: (u32, u32),
}

/// Puts `source` in the middle of a picture that is larger by `ratio`. If the frame has an odd number
/// of pixels, the right and lower sides have one more.
///
/// # Errors
/// [`Error::input`] if the larger picture would be over the limits of decoded pictures.
pub fn outpaint(source: &RgbImage, ratio: Ratio) -> Result<Outpainted> {
    let (width, height) = source.dimensions();
    area((width, height))?;
    let side = |side: u32| u32::try_from(ratio.of_side(side)).unwrap_or(u32::MAX);
    let size = (side(width), side(height));
    let mut mask = Mask::filled(size, true)?;
    let at = ((size.0 - width) / 2, (size.1 - height) / 2);
    mask.fill(at, (width, height), 0);
    let pixels = pad::<3>(source, (width, height), at, size);
    let image = RgbImage::from_raw(size.0, size.1, pixels)
        .ok_or_else(|| Error::failed("the padded picture has the wrong size"))?;
    Ok(Outpainted { image, mask, at })
}
