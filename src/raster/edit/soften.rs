//! The soft edge of a mask: how much of each pixel is painted.

use super::mask::Mask;

/// How much of each pixel comes from the painted picture: 255 is all, 0 is nothing. One byte per
/// pixel, rows from the top.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Weights {
    size: (u32, u32),
    bytes: Vec<u8>,
}

impl Weights {
    /// Width and height in pixels.
    pub fn size(&self) -> (u32, u32) {
        self.size
    }

    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

impl Mask {
    /// The weights of the mask's soft edge, by the chessboard distance of a pixel to the mask: 255 up
    /// to `grow` pixels, and from there falling linearly to 0 at `grow + feather`. All weights of an
    /// empty mask are 0.
    pub fn soften(&self, grow: u32, feather: u32) -> Weights {
        let far = u64::from(grow) + u64::from(feather);
        let weight = |distance: u16| -> u8 {
            let d = u64::from(distance);
            match d {
                _ if d <= grow.into() => u8::MAX,
                _ if d >= far => 0,
                // At most 255, because the distance is above `grow`.
                _ => ((2 * 255 * (far - d) + u64::from(feather)) / (2 * u64::from(feather))) as u8,
            }
        };
        // Distances are below 2^14, so there are few different weights.
        let distances = distances(self);
        let most = distances.iter().copied().filter(|d| *d != FAR).max();
        let table: Vec<u8> = (0..=most.unwrap_or(0)).map(weight).collect();
        let at = |d: u16| table.get(usize::from(d)).copied();
        let bytes = distances.into_iter().map(|d| match d {
            FAR => 0,
            d => at(d).unwrap_or(0),
        });
        Weights {
            size: self.size(),
            bytes: bytes.collect(),
        }
    }

    /// The mask and all pixels up to this chessboard distance around it.
    #[must_use]
    pub fn grown(&self, by: u32) -> Mask {
        let bytes = distances(self).into_iter().map(|d| match d {
            FAR => 0,
            d if u32::from(d) <= by => u8::MAX,
            _ => 0,
        });
        self.with_bytes(bytes.collect())
    }
}

/// The distance of every pixel of an empty mask. Others are below 2^14, the limit of a side.
const FAR: u16 = u16::MAX;

/// The chessboard distance of every pixel to the mask, in two sweeps over the rows (Rosenfeld and
/// Pfaltz 1968).
fn distances(mask: &Mask) -> Vec<u16> {
    let columns = mask.size().0 as usize;
    let start = |b: &u8| if *b == 0 { FAR } else { 0 };
    let mut all: Vec<u16> = mask.bytes().iter().map(start).collect();
    let rows = all.len() / columns;
    // The nearest of the three pixels of the row before, and of the pixel before.
    let step = |row: &mut [u16], x: usize, before: &[u16], last: u16| {
        let three = &before[x.saturating_sub(1).min(before.len())..(x + 2).min(before.len())];
        let near = three.iter().fold(last, |near, d| near.min(*d));
        row[x] = row[x].min(near.saturating_add(1));
        row[x]
    };
    for y in 0..rows {
        let (above, rest) = all.split_at_mut(y * columns);
        let before = &above[above.len().saturating_sub(columns)..];
        let row = &mut rest[..columns];
        (0..columns).fold(FAR, |last, x| step(row, x, before, last));
    }
    for y in (0..rows).rev() {
        let (upper, below) = all.split_at_mut((y + 1) * columns);
        let before = &below[..columns.min(below.len())];
        let row = &mut upper[y * columns..];
        (0..columns)
            .rev()
            .fold(FAR, |last, x| step(row, x, before, last));
    }
    all
}
