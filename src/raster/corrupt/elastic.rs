//! Elastic: a picture is tilted a little, and its pixels are moved along a smooth random field.
//!
//! Simard, Steinkraus and Platt, "Best practices for convolutional neural networks applied to visual
//! document analysis", 2003.

use benchtop_model::rng::{Stream, within};
use image::RgbImage;

use super::blur::{Grid, half_gaussian, separable};
use super::rows::{Edge, fill_rows, to_byte};

/// Lengths in pixels: the strength of the field, its smoothness, and the most that the three points
/// move that define the tilt.
#[derive(Clone, Copy)]
pub(super) struct Strength {
    pub(super) alpha: f32,
    pub(super) sigma: f64,
    pub(super) tilt: f64,
}

/// Where a pixel comes from: x = m\[0\] x + m\[1\] y + m\[2\], y = m\[3\] x + m\[4\] y + m\[5\].
pub(super) type Affine = [f64; 6];

pub(super) fn elastic(picture: &RgbImage, strength: Strength, key: u64) -> RgbImage {
    let size = (picture.width() as usize, picture.height() as usize);
    let affine = tilt(size, strength.tilt, &mut Stream::new(within(key, 0)));
    let right = field(size, strength, within(key, 1));
    let down = field(size, strength, within(key, 2));
    displaced(picture, affine, &right, &down)
}

/// A number of -1..1.
fn signed(bits: u32) -> f32 {
    // Bits as a signed number, over 2^31.
    bits.cast_signed() as f32 * (1.0 / 2_147_483_648.0)
}

/// The map that moves three points around the middle by up to `most` pixels each way.
fn tilt((width, height): (usize, usize), most: f64, stream: &mut Stream) -> Affine {
    const SAME: Affine = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0];
    let [x, y] = [width, height].map(|side| (side / 2) as f64);
    let reach = (width.min(height) / 3) as f64;
    // ImageNet-C has pictures of 224 pixels, whose points are 74 pixels from the middle and move by up
    // to 48.8. On smaller pictures they move by the same share at most, so that none is folded.
    let most = most.min(0.66 * reach);
    let points = [
        (x + reach, y + reach),
        (x + reach, y - reach),
        (x - reach, y - reach),
    ];
    let moved = points.map(|(x, y)| {
        let both = stream.next();
        let by = |bits: u64| f64::from(signed(bits as u32)) * most;
        (x + by(both), y + by(both >> 32))
    });
    // Solves moved -> points, by Cramer's rule.
    let [a, b, c] = moved;
    let (ab, ac) = ((b.0 - a.0, b.1 - a.1), (c.0 - a.0, c.1 - a.1));
    let area = ab.0 * ac.1 - ab.1 * ac.0;
    if area.abs() < 1.0 {
        return SAME;
    }
    let solve = |[p, q, r]: [f64; 3]| {
        let (pq, pr) = (q - p, r - p);
        let across = (pq * ac.1 - pr * ab.1) / area;
        let along = (pr * ab.0 - pq * ac.0) / area;
        [across, along, p - across * a.0 - along * a.1]
    };
    let [m0, m1, m2] = solve(points.map(|p| p.0));
    let [m3, m4, m5] = solve(points.map(|p| p.1));
    [m0, m1, m2, m3, m4, m5]
}

/// Uniform noise of -1..1, blurred, times `alpha`.
fn field(size: (usize, usize), strength: Strength, key: u64) -> Vec<f32> {
    let (width, height) = size;
    let mut noise = vec![0.0f32; width * height];
    fill_rows(&mut noise, width, |(): &mut (), y, row| {
        let mut stream = Stream::new(within(key, y as u64));
        for pair in row.chunks_mut(2) {
            let both = stream.next();
            for (value, bits) in pair.iter_mut().zip([both, both >> 32]) {
                *value = signed(bits as u32);
            }
        }
    });
    smoothed(&noise, width, strength)
}

pub(super) fn smoothed(noise: &[f32], width: usize, strength: Strength) -> Vec<f32> {
    let mut field = vec![0.0f32; noise.len()];
    let grid = Grid {
        samples: noise,
        width,
        channels: 1,
    };
    let half = half_gaussian(strength.sigma, 3.0);
    separable(grid, &half, Edge::Reflect, &mut field, |sum| {
        sum * strength.alpha
    });
    field
}

/// Moves pixels by `affine`, and then by the field: each pixel comes from `right` and `down` of it.
pub(super) fn displaced(
    picture: &RgbImage,
    affine: Affine,
    right: &[f32],
    down: &[f32],
) -> RgbImage {
    let (width, height) = (picture.width() as usize, picture.height() as usize);
    // In 1/256 of a gray level: two rounds of interpolation should round once.
    let mut tilted = vec![0u16; width * height * 3];
    let bytes = Samples {
        values: picture.as_raw().as_slice(),
        size: (width, height),
        edge: Edge::Mirror,
    };
    fill_rows(&mut tilted, width * 3, |(): &mut (), y, row| {
        let y = y as f64;
        for (x, pixel) in row.chunks_exact_mut(3).enumerate() {
            let x = x as f64;
            let at = affine[0] * x + affine[1] * y + affine[2];
            let down = affine[3] * x + affine[4] * y + affine[5];
            let ((left, x), (top, y)) = (split_wide(at), split_wide(down));
            let value = bytes.between((left, top), (x, y));
            for (to, value) in pixel.iter_mut().zip(value) {
                *to = (value * 256.0 + 0.5) as u16;
            }
        }
    });
    let words = Samples {
        values: tilted.as_slice(),
        size: (width, height),
        edge: Edge::Reflect,
    };
    let mut out = RgbImage::new(picture.width(), picture.height());
    fill_rows(&mut out, width * 3, |(): &mut (), y, row| {
        let (right, down) = (&right[y * width..], &down[y * width..]);
        for (x, pixel) in row.chunks_exact_mut(3).enumerate() {
            let ((left, part), (top, below)) = (split(right[x]), split(down[x]));
            let value = words.between((x as i64 + left, y as i64 + top), (part, below));
            for (to, value) in pixel.iter_mut().zip(value) {
                *to = to_byte(value * (1.0 / 256.0));
            }
        }
    });
    out
}

/// Pixels of three samples, with what lies beyond them.
struct Samples<'a, T> {
    values: &'a [T],
    size: (usize, usize),
    edge: Edge,
}

impl<T: Copy + Into<f32>> Samples<'_, T> {
    /// The pixel at (left, top) and a part of the way to the next, by linear interpolation.
    #[inline]
    fn between(&self, (left, top): (i64, i64), (x, y): (f32, f32)) -> [f32; 3] {
        let (width, height) = self.size;
        let weights = [(1.0 - x) * (1.0 - y), x * (1.0 - y), (1.0 - x) * y, x * y];
        let is_inside = left >= 0 && top >= 0 && left + 1 < width as i64 && top + 1 < height as i64;
        if is_inside {
            let at = (top as usize * width + left as usize) * 3;
            let (above, below) = (&self.values[at..][..6], &self.values[at + width * 3..][..6]);
            return std::array::from_fn(|c| {
                let above = weights[0] * above[c].into() + weights[1] * above[c + 3].into();
                above + weights[2] * below[c].into() + weights[3] * below[c + 3].into()
            });
        }
        let columns = [left, left + 1].map(|i| self.edge.at(i, width) * 3);
        let rows = [top, top + 1].map(|i| self.edge.at(i, height) * width * 3);
        std::array::from_fn(|c| {
            let at =
                |row: usize, column: usize| self.values[rows[row] + columns[column] + c].into();
            let above = weights[0] * at(0, 0) + weights[1] * at(0, 1);
            above + weights[2] * at(1, 0) + weights[3] * at(1, 1)
        })
    }
}

/// The next whole number below, and the rest. Where the processor has no instruction for it, `floor` is
/// a call.
#[inline]
fn split(value: f32) -> (i64, f32) {
    let whole = value as i32;
    let whole = whole - i32::from(whole as f32 > value);
    (i64::from(whole), value - whole as f32)
}

/// The same of a coordinate.
#[inline]
fn split_wide(value: f64) -> (i64, f32) {
    let whole = value as i64;
    let whole = whole - i64::from(whole as f64 > value);
    (whole, (value - whole as f64) as f32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tilt_maps_the_moved_points_back() {
        for seed in 0..50 {
            let most = 48.8;
            let map = tilt((224, 224), most, &mut Stream::new(seed));
            // The moved points are the only ones that are mapped to the points; their distance is
            // that of the inverse. Points move by `most` at the most.
            let area = map[0] * map[4] - map[1] * map[3];
            assert!(area.abs() > 0.05, "{seed}: {map:?}");
            for (x, y) in [(186.0, 186.0), (186.0, 38.0), (38.0, 38.0)] {
                let (x0, y0): (f64, f64) = (x - map[2], y - map[5]);
                let back = (
                    (x0 * map[4] - y0 * map[1]) / area,
                    (y0 * map[0] - x0 * map[3]) / area,
                );
                assert!((back.0 - x).abs() <= most + 1e-6, "{seed}: {back:?}");
                assert!((back.1 - y).abs() <= most + 1e-6, "{seed}: {back:?}");
            }
        }
        assert_eq!(
            tilt((2, 900), 48.8, &mut Stream::new(1)),
            [1.0, 0.0, 0.0, 0.0, 1.0, 0.0]
        );
    }
}
