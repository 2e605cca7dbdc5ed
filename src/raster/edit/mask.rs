//! Masks: the pixels of a picture that are repainted.

use benchtop_model::image::{DECODED_LIMIT, SIDE_LIMIT};
use benchtop_model::region::Region;
use benchtop_model::{Error, PixelBox, Result};

/// One byte per pixel, rows from the top: 255 is repainted, 0 is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mask {
    size: (u32, u32),
    bytes: Vec<u8>,
}

/// The number of pixels of a picture.
///
/// # Errors
/// [`Error::input`] if there are none, or more than a decoded picture may have.
pub(super) fn area((width, height): (u32, u32)) -> Result<usize> {
    let pixels = u64::from(width) * u64::from(height);
    if pixels == 0 {
        let what = format!("a picture of {width}x{height} has no pixels");
        return Err(Error::input(what));
    }
    if width.max(height) > SIDE_LIMIT || pixels > DECODED_LIMIT / 4 {
        return Err(Error::input(format!(
            "a picture of {width}x{height} is too large; the limits are {SIDE_LIMIT} pixels a side and {} in all",
            DECODED_LIMIT / 4
        )));
    }
    Ok(pixels as usize)
}

impl Mask {
    /// A mask of `size` with one value everywhere.
    ///
    /// # Errors
    /// [`Error::input`] for a size that a decoded picture cannot have.
    pub fn filled(size: (u32, u32), repainted: bool) -> Result<Mask> {
        let value = if repainted { u8::MAX } else { 0 };
        let bytes = vec![value; area(size)?];
        Ok(Mask { size, bytes })
    }

    /// The union of boxes. Every box covers at least a pixel, because a region is never empty and
    /// never outside; [`Region::of_box`] refuses boxes that are.
    ///
    /// # Errors
    /// [`Error::input`] without boxes, and for a size that a decoded picture cannot have.
    pub fn of_boxes(size: (u32, u32), boxes: &[Region]) -> Result<Mask> {
        if boxes.is_empty() {
            return Err(Error::input("a mask needs at least one box"));
        }
        let mut mask = Mask::filled(size, false)?;
        for region in boxes {
            let (x, y, width, height) = region.pixels(size);
            mask.fill((x, y), (width, height), u8::MAX);
        }
        Ok(mask)
    }

    /// The union of boxes in pixels, exactly.
    ///
    /// # Errors
    /// [`Error::input`] without boxes, for a box that is outside of the picture, and for a size that a
    /// decoded picture cannot have.
    pub fn of_pixels(size: (u32, u32), boxes: &[PixelBox]) -> Result<Mask> {
        if boxes.is_empty() {
            return Err(Error::input("a mask needs at least one box").field("boxes"));
        }
        let mut mask = Mask::filled(size, false)?;
        for area in boxes {
            let [x0, y0, x1, y1] = area.sides();
            if !area.is_inside(size) {
                let (width, height) = size;
                return Err(Error::input(format!(
                    "the box {x0}, {y0}, {x1}, {y1} is outside of the picture of {width}x{height}"
                ))
                .field("boxes"));
            }
            mask.fill((x0, y0), area.size(), u8::MAX);
        }
        Ok(mask)
    }

    /// A mask from bytes, as a segmenter returns them: 128 and more is repainted.
    ///
    /// # Errors
    /// [`Error::input`] if there is not one byte per pixel.
    pub fn of_bytes(size: (u32, u32), mut bytes: Vec<u8>) -> Result<Mask> {
        let pixels = area(size)?;
        if bytes.len() != pixels {
            let (width, height) = size;
            return Err(Error::input(format!(
                "the mask has {} bytes, not the {pixels} of {width}x{height}",
                bytes.len()
            )));
        }
        bytes
            .iter_mut()
            .for_each(|b| *b = if *b < 128 { 0 } else { u8::MAX });
        Ok(Mask { size, bytes })
    }

    /// Sets a rectangle, which must be inside.
    pub(super) fn fill(&mut self, (x, y): (u32, u32), (width, height): (u32, u32), value: u8) {
        let (columns, from) = (self.size.0 as usize, x as usize);
        for row in self
            .bytes
            .chunks_exact_mut(columns)
            .skip(y as usize)
            .take(height as usize)
        {
            row[from..from + width as usize].fill(value);
        }
    }

    /// Width and height in pixels.
    pub fn size(&self) -> (u32, u32) {
        self.size
    }

    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// Whether nothing is repainted.
    pub fn is_empty(&self) -> bool {
        self.bytes.iter().all(|b| *b == 0)
    }

    /// The share of pixels that are repainted.
    pub fn coverage(&self) -> f64 {
        let repainted = self.bytes.iter().filter(|b| **b != 0).count();
        repainted as f64 / self.bytes.len() as f64
    }

    /// What either mask repaints.
    ///
    /// # Errors
    /// [`Error::input`] if the masks differ in size.
    pub fn union(mut self, other: &Mask) -> Result<Mask> {
        if self.size != other.size {
            let ((w, h), (other_w, other_h)) = (self.size, other.size);
            return Err(Error::input(format!(
                "a mask of {w}x{h} and one of {other_w}x{other_h} have no union"
            )));
        }
        for (mine, theirs) in self.bytes.iter_mut().zip(&other.bytes) {
            *mine |= *theirs;
        }
        Ok(self)
    }

    /// A mask of the same size with these bytes, one per pixel, each 0 or 255.
    pub(super) fn with_bytes(&self, bytes: Vec<u8>) -> Mask {
        Mask {
            size: self.size,
            bytes,
        }
    }

    /// The mask at a smaller size. A pixel is repainted if any pixel that it stands for is.
    pub(super) fn reduced(&self, (width, height): (u32, u32)) -> Mask {
        let (columns, rows) = (self.size.0 as usize, self.size.1 as usize);
        let (wide, high) = (width as usize, height as usize);
        // The pixels that pixel `i` of `small` stands for, of `large`.
        let span = |i: usize, small: usize, large: usize| {
            i * large / small..((i + 1) * large).div_ceil(small)
        };
        let mut bytes = vec![0; wide * high];
        let mut merged = vec![0; columns];
        for (y, row) in bytes.chunks_exact_mut(wide).enumerate() {
            let lines = span(y, high, rows);
            merged.fill(0);
            for line in self.bytes[lines.start * columns..lines.end * columns].chunks(columns) {
                merged.iter_mut().zip(line).for_each(|(m, b)| *m |= *b);
            }
            for (x, to) in row.iter_mut().enumerate() {
                *to = merged[span(x, wide, columns)]
                    .iter()
                    .fold(0, |any, b| any | *b);
            }
        }
        Mask {
            size: (width, height),
            bytes,
        }
    }
}
