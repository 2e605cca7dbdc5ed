//! Colors as luma and chroma, and chroma at half the size.

use image::RgbImage;
use rayon::prelude::*;

/// Samples of one component, in whole blocks.
pub(super) struct Plane {
    pub(super) samples: Vec<u8>,
    /// Samples in a row, a multiple of 8.
    pub(super) stride: usize,
    /// The part that is picture.
    width: usize,
    height: usize,
}

impl Plane {
    fn new(width: usize, height: usize) -> Plane {
        let (stride, rows) = (width.next_multiple_of(8), height.next_multiple_of(8));
        Plane {
            samples: vec![0; stride * rows],
            stride,
            width,
            height,
        }
    }

    fn row(&self, y: usize) -> &[u8] {
        &self.samples[y * self.stride..][..self.width]
    }

    /// Repeats the last row below it.
    fn continue_below(&mut self) {
        let last = (self.height - 1) * self.stride;
        for y in self.height..self.samples.len() / self.stride {
            self.samples
                .copy_within(last..last + self.stride, y * self.stride);
        }
    }
}

/// ITU-R BT.601 at full range, in 1/65536.
#[inline]
fn luma(rgb: &[u8; 3]) -> u8 {
    let [r, g, b] = rgb.map(i32::from);
    ((19_595 * r + 38_470 * g + 7_471 * b + 32_768) >> 16) as u8
}

/// 128 and a half less 1/65536, in 1/65536.
const MIDDLE: i32 = (128 << 16) + 32_767;

#[inline]
fn chroma(rgb: &[u8; 3]) -> (i32, i32) {
    let [r, g, b] = rgb.map(i32::from);
    let blue = (-11_059 * r - 21_709 * g + 32_768 * b + MIDDLE) >> 16;
    let red = (32_768 * r - 27_439 * g - 5_329 * b + MIDDLE) >> 16;
    (blue, red)
}

/// Luma, and blue and red chroma at half the size. Beyond the edge, the last sample is repeated.
pub(super) fn planes_of(picture: &RgbImage) -> [Plane; 3] {
    let (width, height) = (picture.width() as usize, picture.height() as usize);
    let (pixels, _) = picture.as_raw().as_chunks::<3>();
    let mut y_plane = Plane::new(width, height);
    let stride = y_plane.stride;
    let lines = y_plane.samples.par_chunks_mut(stride).take(height);
    lines.enumerate().for_each(|(y, line)| {
        let row = &pixels[y * width..][..width];
        for (to, pixel) in line.iter_mut().zip(row) {
            *to = luma(pixel);
        }
        let last = line[width - 1];
        line[width..].fill(last);
    });
    y_plane.continue_below();
    let [mut blue, mut red] = [0; 2].map(|_| Plane::new(width.div_ceil(2), height.div_ceil(2)));
    let (stride, rows) = (blue.stride, blue.height);
    let lines = (blue.samples.par_chunks_mut(stride)).zip(red.samples.par_chunks_mut(stride));
    lines.take(rows).enumerate().for_each(|(y, (blue, red))| {
        let above = &pixels[2 * y * width..][..width];
        let below = &pixels[(2 * y + 1).min(height - 1) * width..][..width];
        for (x, (blue, red)) in blue.iter_mut().zip(red).enumerate() {
            let (left, right) = ((2 * x).min(width - 1), (2 * x + 1).min(width - 1));
            let four = [above[left], above[right], below[left], below[right]];
            // libjpeg rounds down and up in turn.
            let mut sum = (1 + (x as i32 & 1), 1 + (x as i32 & 1));
            for pixel in &four {
                let (blue, red) = chroma(pixel);
                sum = (sum.0 + blue, sum.1 + red);
            }
            (*blue, *red) = ((sum.0 >> 2) as u8, (sum.1 >> 2) as u8);
        }
    });
    blue.continue_below();
    red.continue_below();
    [y_plane, blue, red]
}

/// Writes the picture, with chroma between its samples by 3/4 and 1/4 each way.
pub(super) fn write_rgb(picture: &mut RgbImage, luma: &Plane, blue: &Plane, red: &Plane) {
    let width = picture.width() as usize;
    let rows = picture.par_chunks_mut(width * 3).enumerate();
    rows.for_each_init(
        || (vec![0; width + 2], vec![0; width + 2]),
        |(blues, reds), (y, row)| {
            enlarged(blue, y, blues);
            enlarged(red, y, reds);
            let samples = luma.row(y).iter().zip(blues.iter().zip(reds.iter()));
            for (pixel, (luma, (blue, red))) in row.as_chunks_mut::<3>().0.iter_mut().zip(samples) {
                let (y, blue, red) = (i32::from(*luma), blue - 128, red - 128);
                *pixel = [
                    y + ((91_881 * red + 32_768) >> 16),
                    y + ((-22_554 * blue - 46_802 * red + 32_768) >> 16),
                    y + ((116_130 * blue + 32_768) >> 16),
                ]
                .map(|value| value.clamp(0, 255) as u8);
            }
        },
    );
}

/// One row of chroma at the full size.
fn enlarged(plane: &Plane, y: usize, out: &mut [i32]) {
    let near = plane.row(y / 2);
    if plane.width <= 2 {
        // libjpeg does not interpolate so few.
        for (x, sample) in near.iter().enumerate() {
            out[2 * x] = i32::from(*sample);
            out[2 * x + 1] = i32::from(*sample);
        }
        return;
    }
    let far = match y % 2 {
        0 => (y / 2).saturating_sub(1),
        _ => (y / 2 + 1).min(plane.height - 1),
    };
    let far = plane.row(far);
    let sum = |x: usize| i32::from(near[x]) * 3 + i32::from(far[x]);
    let (mut before, mut here) = (sum(0), sum(0));
    let last = plane.width - 1;
    for x in 0..=last {
        let after = sum((x + 1).min(last));
        out[2 * x] = (here * 3 + before + 8) >> 4;
        out[2 * x + 1] = (here * 3 + after + 7) >> 4;
        (before, here) = (here, after);
    }
}
