//! JPEG: what compression loses, without the file. Quantization and chroma at half the size lose
//! something; entropy coding does not, so it is left out.
//!
//! Equal to libjpeg's bytes with its accurate integer transforms and 4:2:0 chroma, which Pillow uses.
//! ITU-T T.81; "libjpeg: jfdctint.c, jidctint.c, jcsample.c, jdsample.c" describe the arithmetic.

mod chroma;
mod transform;

use image::RgbImage;
use rayon::prelude::*;

use chroma::{Plane, planes_of, write_rgb};
use transform::{forward, inverse};

/// T.81, table K.1.
const LUMINANCE: [u16; 64] = [
    16, 11, 10, 16, 24, 40, 51, 61, 12, 12, 14, 19, 26, 58, 60, 55, 14, 13, 16, 24, 40, 57, 69, 56,
    14, 17, 22, 29, 51, 87, 80, 62, 18, 22, 37, 56, 68, 109, 103, 77, 24, 35, 55, 64, 81, 104, 113,
    92, 49, 64, 78, 87, 103, 121, 120, 101, 72, 92, 95, 98, 112, 100, 103, 99,
];

/// T.81, table K.2.
const CHROMINANCE: [u16; 64] = [
    17, 18, 24, 47, 99, 99, 99, 99, 18, 21, 26, 66, 99, 99, 99, 99, 24, 26, 56, 99, 99, 99, 99, 99,
    47, 66, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99,
    99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99,
];

/// Compresses a picture at `quality` (1 to 100) and decompresses it.
pub(super) fn jpeg(picture: &mut RgbImage, quality: u32) {
    let [mut luma, mut blue, mut red] = planes_of(picture);
    quantize(&mut luma, &scaled(&LUMINANCE, quality));
    let table = scaled(&CHROMINANCE, quality);
    quantize(&mut blue, &table);
    quantize(&mut red, &table);
    write_rgb(picture, &luma, &blue, &red);
}

/// The table of a quality, as libjpeg scales it.
fn scaled(table: &[u16; 64], quality: u32) -> [i32; 64] {
    let quality = quality.clamp(1, 100);
    let percent = if quality < 50 {
        5000 / quality
    } else {
        200 - quality * 2
    };
    table.map(|value| ((u32::from(value) * percent + 50) / 100).clamp(1, 255) as i32)
}

/// Rounds the frequencies of each block to multiples of the table.
fn quantize(plane: &mut Plane, table: &[i32; 64]) {
    let width = plane.stride;
    plane.samples.par_chunks_mut(width * 8).for_each(|rows| {
        for x in (0..width).step_by(8) {
            let mut block = [0; 64];
            for (y, line) in block.as_chunks_mut::<8>().0.iter_mut().enumerate() {
                for (value, sample) in line.iter_mut().zip(&rows[y * width + x..]) {
                    *value = i32::from(*sample) - 128;
                }
            }
            forward(&mut block);
            for (value, step) in block.iter_mut().zip(table) {
                // The transform's result is 8 times too large.
                let divisor = step << 3;
                let count = (value.abs() + (divisor >> 1)) / divisor;
                *value = count * step * value.signum();
            }
            inverse(&mut block);
            for (y, line) in block.as_chunks::<8>().0.iter().enumerate() {
                for (sample, value) in rows[y * width + x..].iter_mut().zip(line) {
                    *sample = (value + 128).clamp(0, 255) as u8;
                }
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_scaled_as_libjpeg_scales_them() {
        // Pillow's `quantization` of a file of quality 10: the first row of each table.
        assert_eq!(
            scaled(&LUMINANCE, 10)[..8],
            [80, 55, 50, 80, 120, 200, 255, 255]
        );
        assert_eq!(scaled(&CHROMINANCE, 10)[..4], [85, 90, 120, 235]);
        assert_eq!(scaled(&LUMINANCE, 100), [1; 64]);
    }
}
