//! Picture sizes within a given space, and resizing.

use fast_image_resize::images::{TypedImage, TypedImageRef};
use fast_image_resize::pixels::U8x4;
use fast_image_resize::{FilterType, ResizeAlg, ResizeOptions, Resizer};
use image::{DynamicImage, RgbImage, RgbaImage};

use crate::decode::DecodedImage;

/// Bytes of the pixels that are resized at a time, so that no large picture is copied as a whole.
/// Most pictures are one band.
const BAND: usize = 1 << 20;

/// The size of a `width` by `height` picture in a room, with its aspect ratio: reduced to fit, or
/// enlarged by a whole factor.
///
/// `stretch` is the width of a pixel divided by its height: 1 for real pixels, 2 x cell width /
/// cell height for half blocks. Sizes are at least 1.
pub fn fit(
    (width, height): (u32, u32),
    (room_width, room_height): (u32, u32),
    stretch: f64,
) -> (u32, u32) {
    if width == 0 || height == 0 || room_width == 0 || room_height == 0 {
        return (0, 0);
    }
    let (width, height) = (f64::from(width), f64::from(height) * stretch);
    let (room_width, room_height) = (f64::from(room_width), f64::from(room_height));
    let mut factor = (room_width / width).min(room_height / height);
    if factor > 1.0 {
        factor = factor.floor();
    }
    // Values lie between 1 and the room, which are u32.
    let side = |pixels: f64, room: f64| (pixels * factor).round().clamp(1.0, room) as u32;
    (side(width, room_width), side(height, room_height))
}

/// Resizes the picture to exactly `width` by `height` pixels: averaged when smaller, in plain
/// blocks when larger.
///
/// # Errors
///
/// If resizing fails.
pub fn resize(image: &DecodedImage, (width, height): (u32, u32)) -> Result<RgbaImage, String> {
    let pixels = image.pixels();
    if image.size() == (width, height) {
        return Ok(pixels.to_rgba8());
    }
    if width == 0 || height == 0 || pixels.width() == 0 || pixels.height() == 0 {
        return Ok(RgbaImage::new(width, height));
    }
    let enlarge = width > pixels.width() || height > pixels.height();
    let algorithm = if enlarge {
        ResizeAlg::Nearest
    } else {
        ResizeAlg::Convolution(FilterType::Bilinear)
    };
    let (bytes, columns, rows) = (pixels.as_bytes(), pixels.width() as usize, image.size().1);
    let is_opaque = !pixels.color().has_alpha();
    let line = columns * if is_opaque { 3 } else { 4 };
    let wide = line.next_multiple_of(4);
    let options = ResizeOptions::new()
        .resize_alg(algorithm)
        .use_alpha(!is_opaque);
    let scale = f64::from(rows) / f64::from(height);
    // Rows above and below a band that the filter needs.
    let margin = scale.max(1.0) + 1.0;
    let band_rows = (BAND as f64 / wide as f64 / scale).max(8.0) as usize;
    let (mut padded, mut low, mut rgba) = (Vec::new(), Vec::new(), Vec::new());
    let (mut resizer, mut small) = (Resizer::new(), RgbaImage::new(width, height));
    let small_line = width as usize * 4;
    for (n, band) in small.chunks_mut(small_line * band_rows).enumerate() {
        let (first, count) = (n * band_rows, band.len() / small_line);
        let (from, to) = (first as f64 * scale, (first + count) as f64 * scale);
        let top = ((from - margin).max(0.0) as usize).min(rows as usize - 1);
        let bottom = ((to + margin) as usize + 1).min(rows as usize);
        let from = from - top as f64;
        let height = (count as f64 * scale).min((bottom - top) as f64 - from);
        let mut source = &bytes[top * line..bottom * line];
        if wide > line {
            padded.resize((bottom - top) * wide, 0);
            let lines = padded.chunks_exact_mut(wide).zip(source.chunks_exact(line));
            lines.for_each(|(to, from)| to[..line].copy_from_slice(from));
            source = &padded;
        }
        let mut pass = |source: &[u8], rows: usize, crop: (f64, f64), target: &mut [u8]| {
            let columns = (source.len() / rows / 4) as u32;
            let source = TypedImageRef::<U8x4>::from_buffer(columns, rows as u32, source)
                .map_err(|e| e.to_string())?;
            let width = (target.len() / count / 4) as u32;
            let mut target = TypedImage::<U8x4>::from_buffer(width, count as u32, target)
                .map_err(|e| e.to_string())?;
            let options = options.crop(0.0, crop.0, f64::from(columns), crop.1);
            let done = resizer.resize_typed(&source, &mut target, &options);
            done.map_err(|e| e.to_string())
        };
        if is_opaque {
            // Rows are averaged byte by byte, so alpha can be added to the few rows that remain.
            low.resize(count * wide, 0);
            pass(source, bottom - top, (from, height), &mut low)?;
            rgba.resize(count * columns * 4, u8::MAX);
            let lines = low
                .chunks_exact(wide)
                .zip(rgba.chunks_exact_mut(columns * 4));
            lines.for_each(|(rgb, rgba)| add_alpha(&rgb[..line], rgba));
            pass(&rgba, count, (0.0, count as f64), band)?;
        } else {
            pass(source, bottom - top, (from, height), band)?;
        }
    }
    Ok(small)
}

/// Resizes the picture to exactly `width` by `height` pixels, smoothly in both directions (Catmull-Rom),
/// as a model should see it.
///
/// # Errors
///
/// If resizing fails.
pub fn resample(image: &RgbImage, (width, height): (u32, u32)) -> Result<RgbImage, String> {
    let mut rgba = RgbaImage::from_pixel(image.width(), image.height(), image::Rgba([255; 4]));
    let (pixels, sources) = (rgba.as_chunks_mut::<4>().0, image.as_chunks::<3>().0);
    for (to, from) in pixels.iter_mut().zip(sources) {
        to[..3].copy_from_slice(from);
    }
    let mut resized = RgbaImage::new(width, height);
    let source = TypedImageRef::<U8x4>::from_buffer(rgba.width(), rgba.height(), &rgba)
        .map_err(|e| e.to_string())?;
    let mut target =
        TypedImage::<U8x4>::from_buffer(width, height, &mut resized).map_err(|e| e.to_string())?;
    let options = ResizeOptions::new()
        .resize_alg(ResizeAlg::Convolution(FilterType::CatmullRom))
        .use_alpha(false);
    Resizer::new()
        .resize_typed(&source, &mut target, &options)
        .map_err(|e| e.to_string())?;
    Ok(DynamicImage::from(resized).into_rgb8())
}

/// Writes RGB bytes as opaque RGBA bytes. Whole words: byte by byte it takes as long as resizing.
fn add_alpha(rgb: &[u8], rgba: &mut [u8]) {
    let (wide, last) = rgba.split_at_mut(rgba.len() - 4);
    let (targets, _) = wide.as_chunks_mut::<4>();
    for (target, source) in targets.iter_mut().zip(rgb.windows(4).step_by(3)) {
        let source = [source[0], source[1], source[2], source[3]];
        *target = (u32::from_le_bytes(source) | 0xFF00_0000).to_le_bytes();
    }
    // The last pixel has no fourth byte behind it.
    last[..3].copy_from_slice(&rgb[rgb.len() - 3..]);
}

#[cfg(test)]
mod tests {
    use image::{Rgb, RgbImage, Rgba};

    use super::*;

    #[test]
    fn aspect_is_kept_and_small_pictures_grow_by_whole_factors() {
        assert_eq!(fit((1024, 1024), (640, 480), 1.0), (480, 480));
        assert_eq!(fit((2000, 500), (640, 480), 1.0), (640, 160));
        assert_eq!(fit((100, 50), (640, 480), 1.0), (600, 300));
        assert_eq!(fit((500, 300), (640, 480), 1.0), (500, 300));
        assert_eq!(fit((10_000, 1), (80, 40), 1.0), (80, 1));
        assert_eq!(fit((10, 10), (0, 5), 1.0), (0, 0));
        // Cells of 8 by 20: half a cell is 10 high and 8 wide, so a square takes more columns than
        // half rows.
        assert_eq!(fit((1000, 1000), (100, 100), 0.8), (100, 80));
    }

    /// Resizes in one pass over a copy of the picture.
    fn in_one_pass(image: &DecodedImage, (width, height): (u32, u32)) -> RgbaImage {
        let (pixels, mut small) = (image.pixels().to_rgba8(), RgbaImage::new(width, height));
        let source = TypedImageRef::<U8x4>::from_buffer(pixels.width(), pixels.height(), &pixels);
        let mut target = TypedImage::<U8x4>::from_buffer(width, height, &mut small).unwrap();
        let algorithm = match width > pixels.width() {
            true => ResizeAlg::Nearest,
            false => ResizeAlg::Convolution(FilterType::Bilinear),
        };
        let options = ResizeOptions::new().resize_alg(algorithm);
        let mut resizer = Resizer::new();
        resizer
            .resize_typed(&source.unwrap(), &mut target, &options)
            .unwrap();
        small
    }

    #[test]
    fn bands_join_without_a_seam() {
        let at = |x: u32, y: u32| (x.wrapping_mul(31) ^ y.wrapping_mul(57)) as u8;
        let opaque = RgbImage::from_fn(1997, 1601, |x, y| Rgb([at(x, y), at(y, x), 9]));
        let clear = RgbaImage::from_fn(1997, 1601, |x, y| Rgba([at(x, y), 7, 9, at(y, x)]));
        for image in [opaque.into(), clear.into()].map(DecodedImage::new) {
            for size in [
                (332, 267),
                (80, 64),
                (9, 7),
                (1, 1),
                (1996, 1600),
                (3994, 3202),
            ] {
                let (banded, whole) = (resize(&image, size).unwrap(), in_one_pass(&image, size));
                let off = banded.iter().zip(whole.iter()).map(|(a, b)| a.abs_diff(*b));
                assert!(off.max() <= Some(1), "{size:?}");
            }
        }
    }

    #[test]
    fn reducing_averages_and_enlarging_repeats() {
        let stripes =
            RgbImage::from_fn(64, 64, |x, _| Rgb([if x % 2 == 0 { 0 } else { 200 }, 7, 9]));
        let image = DecodedImage::new(stripes.into());
        let small = resize(&image, (8, 8)).unwrap();
        assert!(
            small
                .pixels()
                .all(|p| p.0[0].abs_diff(100) < 12 && p.0[3] == 255),
            "{:?}",
            small[(3, 3)]
        );
        let large = resize(&image, (192, 192)).unwrap();
        assert_eq!(
            (large[(0, 0)].0[0], large[(2, 9)].0[0], large[(3, 9)].0[0]),
            (0, 0, 200)
        );
        assert_eq!(
            resize(&image, (64, 64)).unwrap()[(1, 0)].0,
            [200, 7, 9, 255]
        );
    }
}
