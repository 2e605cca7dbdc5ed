//! Pictures and masks in sizes that painters accept, and the way back.

use benchtop_model::generation::Capabilities;
use benchtop_model::region::Region;
use benchtop_model::{Error, Result};
use image::RgbImage;

use super::mask::{Mask, area};
use super::pad::pad;
use super::soften::Weights;
use crate::scale;

/// The sizes that a painter accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PainterSizes {
    /// Width and height are multiples of this.
    pub multiple_of: u32,
    /// Smallest and largest side in pixels.
    pub sides: (u32, u32),
}

impl Default for PainterSizes {
    /// What all painters of benchtop accept.
    fn default() -> PainterSizes {
        PainterSizes {
            multiple_of: 8,
            sides: (64, 2048),
        }
    }
}

impl From<&Capabilities> for PainterSizes {
    fn from(painter: &Capabilities) -> PainterSizes {
        PainterSizes {
            multiple_of: painter.multiple_of,
            sides: painter.sides,
        }
    }
}

/// A picture and its mask for a painter: scaled down if the picture is too large, and padded at its
/// edges where it is too small or not divisible. Picture and mask are padded alike, so that a mask that
/// reaches the edge leaves no strip of old pixels behind it.
#[derive(Clone, Debug, PartialEq)]
pub struct Canvas {
    pub image: RgbImage,
    pub mask: Mask,
    /// The size of the source.
    source: (u32, u32),
    /// The part of the canvas that shows the source.
    place: (u32, u32),
    shown: (u32, u32),
}

fn sizes_differ(what: &str, (w, h): (u32, u32), (want_w, want_h): (u32, u32)) -> Result<()> {
    if (w, h) == (want_w, want_h) {
        return Ok(());
    }
    Err(Error::input(format!(
        "the {what} is {w}x{h}, not {want_w}x{want_h}"
    )))
}

impl Canvas {
    /// # Errors
    /// [`Error::input`] if the mask is empty or has another size than the picture, and for sizes
    /// that a decoded picture or a painter cannot have.
    pub fn new(source: &RgbImage, mask: &Mask, sizes: PainterSizes) -> Result<Canvas> {
        let size = source.dimensions();
        area(size)?;
        sizes_differ("mask", mask.size(), size)?;
        if mask.is_empty() {
            return Err(Error::input(
                "the mask is empty, so there is nothing to paint",
            ));
        }
        let of = sizes.multiple_of.max(1);
        let (least, most) = (sizes.sides.0.max(1), sizes.sides.1 / of * of);
        if least
            .checked_next_multiple_of(of)
            .is_none_or(|side| side > most)
        {
            let (from, to) = sizes.sides;
            return Err(Error::input(format!(
                "no side from {from} to {to} pixels is a multiple of {of}"
            )));
        }
        let shown = reduced(size, most);
        let side = |side: u32| side.max(least).next_multiple_of(of);
        let canvas = (side(shown.0), side(shown.1));
        let place = ((canvas.0 - shown.0) / 2, (canvas.1 - shown.1) / 2);
        let (image, small);
        let (pixels, bytes) = match shown == size {
            true => (source.as_raw(), mask.bytes()),
            false => {
                image = scale::resample(source, shown).map_err(Error::failed)?;
                small = mask.reduced(shown);
                (image.as_raw(), small.bytes())
            }
        };
        let image = RgbImage::from_raw(canvas.0, canvas.1, pad::<3>(pixels, shown, place, canvas))
            .ok_or_else(|| Error::failed("the canvas has the wrong size"))?;
        Ok(Canvas {
            image,
            mask: Mask::of_bytes(canvas, pad::<1>(bytes, shown, place, canvas))?,
            source: size,
            place,
            shown,
        })
    }

    /// Whether the painter sees the source smaller than it is.
    pub fn is_scaled(&self) -> bool {
        self.shown != self.source
    }

    /// A box of the source as a box of the canvas.
    pub fn to_canvas(&self, region: Region) -> Region {
        let (width, height) = self.image.dimensions();
        let across = |share: f64| share_of(share, self.place.0, self.shown.0, width);
        let down = |share: f64| share_of(share, self.place.1, self.shown.1, height);
        let [x, y, w, h] = region.shares();
        Region::between((across(x), down(y)), (across(x + w), down(y + h)))
    }

    /// A box of the canvas as a box of the source. What lies in the padding is cut off.
    ///
    /// # Errors
    /// [`Error::input`] if the box lies in the padding alone.
    pub fn to_source(&self, region: Region) -> Result<Region> {
        let (width, height) = self.image.dimensions();
        let back = |share: f64, place: u32, shown: u32, whole: u32| {
            (share * f64::from(whole) - f64::from(place)) / f64::from(shown)
        };
        let across = |share: f64| back(share, self.place.0, self.shown.0, width);
        let down = |share: f64| back(share, self.place.1, self.shown.1, height);
        let [x, y, w, h] = region.shares();
        Region::of_box([across(x), down(y), across(x + w), down(y + h)])
    }

    /// Puts the painted canvas back: `source` where the weight is 0, the painted picture where it is
    /// 255, and a mixture in between. If the canvas is scaled, the painted picture is enlarged first.
    ///
    /// # Errors
    /// [`Error::input`] if the painted picture has another size than the canvas, or if source or
    /// weights have another size than the picture of this canvas.
    pub fn paste(
        &self,
        source: &RgbImage,
        painted: &RgbImage,
        weights: &Weights,
    ) -> Result<RgbImage> {
        let canvas = self.image.dimensions();
        sizes_differ("painted picture", painted.dimensions(), canvas)?;
        sizes_differ("source", source.dimensions(), self.source)?;
        sizes_differ("soft mask", weights.size(), self.source)?;
        let (x, y) = self.place;
        let shown = image::imageops::crop_imm(painted, x, y, self.shown.0, self.shown.1);
        let mut shown = shown.to_image();
        if self.is_scaled() {
            shown = scale::resample(&shown, self.source).map_err(Error::failed)?;
        }
        let mut mixed = source.clone();
        let pixels = mixed.as_chunks_mut::<3>().0;
        let painted = shown.as_chunks::<3>().0;
        for ((to, from), weight) in pixels.iter_mut().zip(painted).zip(weights.bytes()) {
            let share = u32::from(*weight);
            for (to, from) in to.iter_mut().zip(from) {
                let sum = u32::from(*to) * (255 - share) + u32::from(*from) * share;
                *to = ((sum + 127) / 255) as u8;
            }
        }
        Ok(mixed)
    }
}

/// A size with sides of at most `most`, with its aspect ratio, and at least a pixel a side.
fn reduced((width, height): (u32, u32), most: u32) -> (u32, u32) {
    let longest = u64::from(width.max(height));
    if longest <= most.into() {
        return (width, height);
    }
    let side = |side: u32| {
        let scaled = (u64::from(side) * u64::from(most) * 2 + longest) / (longest * 2);
        u32::try_from(scaled.max(1)).unwrap_or(most)
    };
    (side(width), side(height))
}

/// A share of the part `place..place + shown` as a share of the whole.
fn share_of(share: f64, place: u32, shown: u32, whole: u32) -> f64 {
    (f64::from(place) + share * f64::from(shown)) / f64::from(whole)
}
