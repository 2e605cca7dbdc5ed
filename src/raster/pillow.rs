//! Resizes and converts pictures to the same bytes as Pillow.
//!
//! Resizing is that of `Image.resize` (`Resample.c`): coefficients in f64, rounded to 22-bit fixed point; a horizontal pass, then a vertical pass,
//! with rounding to 8 bits between them. A pass that changes nothing is skipped. Only the requested
//! part of the result is computed.
//!
//! Pillow 13 may run the vertical pass first, which gives other bytes. Published numbers were
//! computed with earlier versions.

use std::ops::Range;

use benchtop_model::generation::Pixels;
use image::DynamicImage;

/// Fractional bits of a coefficient: 32 minus 8 for a pixel and 2 for sums above 1.
const PRECISION: u32 = 32 - 8 - 2;

/// Half of the last bit, so that shifting rounds.
const HALF: i32 = 1 << (PRECISION - 1);

/// Bytes per step of the horizontal pass: a multiple of three channels and of eight lanes.
const LANES: usize = 24;

/// The filter of the resampling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resample {
    /// A triangle (`PIL.Image.BILINEAR`, 2).
    Bilinear,
    /// Cubic convolution with a = -0.5 (Keys 1981; `PIL.Image.BICUBIC`, 3).
    Bicubic,
    /// A sinc with a window three times as wide (`PIL.Image.LANCZOS`, 1).
    Lanczos,
}

impl Resample {
    /// Radius of the filter in pixels, without downscaling.
    fn support(self) -> f64 {
        match self {
            Resample::Bilinear => 1.,
            Resample::Bicubic => 2.,
            Resample::Lanczos => 3.,
        }
    }

    fn weight(self, x: f64) -> f64 {
        let a = -0.5;
        let sinc = |x: f64| {
            if x == 0. {
                1.
            } else {
                (x * std::f64::consts::PI).sin() / (x * std::f64::consts::PI)
            }
        };
        match (self, x.abs()) {
            (Resample::Bilinear, x) if x < 1. => 1. - x,
            (Resample::Bicubic, x) if x < 1. => ((a + 2.) * x - (a + 3.)) * x * x + 1.,
            (Resample::Bicubic, x) if x < 2. => (((x - 5.) * x + 8.) * x - 4.) * a,
            (Resample::Lanczos, far) if far < 3. || x == -3. => sinc(x) * sinc(x / 3.),
            _ => 0.,
        }
    }
}

/// The radius of the filter in source pixels, if an axis is resized from `of` to `to` pixels.
fn radius(resample: Resample, of: usize, to: usize) -> f64 {
    resample.support() * (of as f64 / to as f64).max(1.)
}

/// The first source pixel of the pixel `x` of an axis that is resized from `of` to `to` pixels, and
/// the share of each source pixel from there.
fn coefficients(resample: Resample, of: usize, to: usize, x: usize) -> (usize, Vec<f64>) {
    let scale = of as f64 / to as f64;
    let support = radius(resample, of, to);
    let center = (x as f64 + 0.5) * scale;
    // The cast truncates, and negative numbers become zero.
    let first = (center - support + 0.5) as usize;
    let last = ((center + support + 0.5) as usize).min(of);
    let filter = scale.max(1.);
    let weight = |at: usize| resample.weight((at as f64 - center + 0.5) * (1. / filter));
    let mut weights: Vec<f64> = (first..last).map(weight).collect();
    let sum: f64 = weights.iter().sum();
    if sum != 0. {
        weights.iter_mut().for_each(|weight| *weight /= sum);
    }
    (first, weights)
}

/// An axis that is resized from `of` to `to` pixels as a matrix: a row of `of` shares for each of the
/// pixels `wanted`. Unlike [`resized`], it does not round.
pub fn matrix(resample: Resample, of: usize, to: usize, wanted: Range<usize>) -> Vec<Vec<f32>> {
    let row = |x: usize| {
        let mut row = vec![0.; of];
        if of == to {
            row[x] = 1.;
            return row;
        }
        let (first, weights) = coefficients(resample, of, to, x);
        for (place, weight) in row[first..].iter_mut().zip(weights) {
            *place = weight as f32;
        }
        row
    };
    wanted.map(row).collect()
}

/// One axis: the source pixels of each requested pixel.
struct Axis {
    /// First source pixel and number of source pixels.
    from: Vec<(usize, usize)>,
    /// Fixed-point coefficients, `each` per pixel of the result, with zeros at the end.
    weights: Vec<i32>,
    each: usize,
}

impl Axis {
    /// The pixels `wanted` of an axis that is resized from `of` to `to` pixels. Each coefficient is
    /// repeated `channels` times, and their number is a multiple of `pad`.
    fn new(
        resample: Resample,
        of: usize,
        to: usize,
        wanted: Range<usize>,
        channels: usize,
        pad: usize,
    ) -> Axis {
        let most = radius(resample, of, to).ceil() as usize * 2 + 1;
        let each = (most * channels).next_multiple_of(pad);
        let mut axis = Axis {
            from: Vec::new(),
            weights: vec![0; each * wanted.len()],
            each,
        };
        for (x, places) in wanted.zip(axis.weights.chunks_exact_mut(each)) {
            let (first, weights) = coefficients(resample, of, to, x);
            for (weight, places) in weights.iter().zip(places.chunks_exact_mut(channels)) {
                let fixed = weight * f64::from(1u32 << PRECISION);
                places.fill(if *weight < 0. {
                    fixed - 0.5
                } else {
                    fixed + 0.5
                } as i32);
            }
            axis.from.push((first, weights.len()));
        }
        axis
    }

    fn iter(&self) -> impl Iterator<Item = ((usize, usize), &[i32])> {
        self.from
            .iter()
            .copied()
            .zip(self.weights.chunks_exact(self.each))
    }

    /// The range of all source pixels.
    fn all(&self) -> Range<usize> {
        let first = self.from.first().map_or(0, |f| f.0);
        first..self.from.last().map_or(first, |(from, n)| from + n)
    }
}

fn rounded(sum: i32) -> u8 {
    ((sum + HALF) >> PRECISION).clamp(0, 255) as u8
}

/// The horizontal pass, from rows of `width` bytes to rows of `line` bytes.
fn across(source: &[u8], width: usize, axis: &Axis, out: &mut [u8], line: usize) {
    // Bytes after the last pixel of a row are multiplied by 0.
    let mut row = vec![0; width + axis.each + LANES];
    for (source, out) in source.chunks_exact(width).zip(out.chunks_exact_mut(line)) {
        row[..width].copy_from_slice(source);
        for (((first, n), weights), out) in axis.iter().zip(out.as_chunks_mut::<3>().0) {
            let mut sums = [0i32; LANES];
            let bytes = row
                .get(3 * first..)
                .unwrap_or_default()
                .as_chunks::<LANES>()
                .0;
            let weights = weights.as_chunks::<LANES>().0;
            for (bytes, weights) in bytes.iter().zip(weights).take((3 * n).div_ceil(LANES)) {
                for ((sum, byte), weight) in sums.iter_mut().zip(bytes).zip(weights) {
                    *sum += i32::from(*byte) * weight;
                }
            }
            let twelve: [i32; 12] = std::array::from_fn(|i| sums[i] + sums[i + 12]);
            let six: [i32; 6] = std::array::from_fn(|i| twelve[i] + twelve[i + 6]);
            *out = std::array::from_fn(|i| rounded(six[i] + six[i + 3]));
        }
    }
}

/// The vertical pass, over rows of `line` bytes, the first of which is row `start` of the source.
fn down(lines: &[u8], start: usize, axis: &Axis, out: &mut [u8], line: usize) {
    let mut sums = vec![0i32; line];
    for (((first, n), weights), out) in axis.iter().zip(out.chunks_exact_mut(line)) {
        sums.fill(0);
        let from = (first - start) * line;
        for (row, weight) in lines[from..from + n * line].chunks_exact(line).zip(weights) {
            for (sum, byte) in sums.iter_mut().zip(row) {
                *sum += i32::from(*byte) * weight;
            }
        }
        for (out, sum) in out.iter_mut().zip(&sums) {
            *out = rounded(*sum);
        }
    }
}

/// Columns `x` and rows `y` of the picture `rgb` (`width` x `height`, three bytes per pixel, not
/// empty), resized to `to` (width, height).
pub fn resized(
    rgb: &[u8],
    (width, height): (usize, usize),
    resample: Resample,
    to: (usize, usize),
    x: Range<usize>,
    y: Range<usize>,
) -> Vec<u8> {
    let line = 3 * x.len();
    let vertical = (to.1 != height).then(|| Axis::new(resample, height, to.1, y.clone(), 1, 1));
    let needed = vertical.as_ref().map_or(y.clone(), Axis::all);
    let source = |row: usize| &rgb[3 * width * row..3 * width * (row + 1)];
    let mut lines = vec![0; line * needed.len()];
    if to.0 == width {
        for (row, out) in needed.clone().zip(lines.chunks_exact_mut(line)) {
            out.copy_from_slice(&source(row)[3 * x.start..3 * x.end]);
        }
    } else {
        let axis = Axis::new(resample, width, to.0, x, 3, LANES);
        let source = &rgb[3 * width * needed.start..3 * width * needed.end];
        across(source, 3 * width, &axis, &mut lines, line);
    }
    let Some(axis) = vertical else { return lines };
    let mut out = vec![0; line * y.len()];
    down(&lines, needed.start, &axis, &mut out, line);
    out
}

/// Converts a decoded picture to RGB bytes, as Pillow's `Image.convert("RGB")`: transparent pixels
/// keep their color, gray becomes three equal bytes, and of 16 bits the upper eight count.
///
/// Exact for 8-bit PNGs: gray, palette, or RGB, with and without alpha. JPEG decoders differ:
/// Pillow decodes a few levels differently.
pub fn rgb(picture: &DynamicImage) -> Pixels {
    let upper = |v: &u16| (v >> 8) as u8;
    let rgb = match picture {
        DynamicImage::ImageRgb8(p) => p.as_raw().clone(),
        DynamicImage::ImageRgba8(p) => p.pixels().flat_map(|p| [p.0[0], p.0[1], p.0[2]]).collect(),
        DynamicImage::ImageLuma8(p) => p.as_raw().iter().flat_map(|l| [*l; 3]).collect(),
        DynamicImage::ImageLumaA8(p) => p.pixels().flat_map(|p| [p.0[0]; 3]).collect(),
        DynamicImage::ImageRgb16(p) => p.as_raw().iter().map(upper).collect(),
        DynamicImage::ImageRgba16(p) => p
            .pixels()
            .flat_map(|p| [0, 1, 2].map(|c| upper(&p.0[c])))
            .collect(),
        DynamicImage::ImageLuma16(p) => p.as_raw().iter().flat_map(|l| [upper(l); 3]).collect(),
        DynamicImage::ImageLumaA16(p) => p.pixels().flat_map(|p| [upper(&p.0[0]); 3]).collect(),
        other => other.to_rgb8().into_raw(),
    };
    Pixels {
        width: picture.width(),
        height: picture.height(),
        rgb,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sixteen_bit_pictures_keep_the_upper_eight_bits() {
        let deep = image::ImageBuffer::from_raw(1, 1, vec![0x12ffu16, 0x00ff, 0xff00]).unwrap();
        assert_eq!(rgb(&DynamicImage::ImageRgb16(deep)).rgb, [0x12, 0, 0xff]);
        let gray = image::ImageBuffer::from_raw(1, 1, vec![0x80ffu16]).unwrap();
        assert_eq!(rgb(&DynamicImage::ImageLuma16(gray)).rgb, [0x80; 3]);
    }
}
