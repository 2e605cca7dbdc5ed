//! Picture sizes within a given space, and resizing.

use fast_image_resize::images::{TypedImage, TypedImageRef};
use fast_image_resize::pixels::U8x4;
use fast_image_resize::{FilterType, ResizeAlg, ResizeOptions, Resizer};
use image::{DynamicImage, RgbaImage};

use crate::decode::DecodedImage;

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

/// Source pixels of a band: their bytes stay in the processor's cache.
const BAND_PIXELS: f64 = 128.0 * 1024.0;

/// Resizes the picture to exactly `width` by `height` pixels: averaged when smaller, in plain
/// blocks when larger.
///
/// # Errors
///
/// If resizing fails.
pub fn resize(image: &DecodedImage, size: (u32, u32)) -> Result<RgbaImage, String> {
    resize_in_bands(image, size, BAND_PIXELS)
}

fn resize_in_bands(
    image: &DecodedImage,
    (width, height): (u32, u32),
    band_pixels: f64,
) -> Result<RgbaImage, String> {
    let pixels = image.pixels();
    let size = image.size();
    if size == (width, height) {
        return Ok(pixels.to_rgba8());
    }
    let mut small = RgbaImage::new(width, height);
    if width == 0 || height == 0 || size.0 == 0 || size.1 == 0 {
        return Ok(small);
    }
    let enlarge = width > size.0 || height > size.1;
    let factor = f64::from(size.1) / f64::from(height);
    let mut options = ResizeOptions::new()
        .resize_alg(if enlarge {
            ResizeAlg::Nearest
        } else {
            ResizeAlg::Convolution(FilterType::Bilinear)
        })
        .use_alpha(pixels.color().has_alpha());
    // A band of rows at a time: converting the whole picture takes longer than resizing it.
    let rows = if enlarge {
        height
    } else {
        ((band_pixels / f64::from(size.0) / factor) as u32).clamp(1, height)
    };
    let mut resizer = Resizer::new();
    let mut converted = Vec::new();
    for top in (0..height).step_by(rows as usize) {
        let end = (top + rows).min(height);
        // The filter reaches one target row beyond the band.
        let first = ((f64::from(top) - 1.0) * factor).floor().max(0.0) as u32;
        let last = (((f64::from(end) + 1.0) * factor).ceil() as u32).min(size.1);
        let (start, reach) = (f64::from(top) * factor, f64::from(end - top) * factor);
        let crop_top = start - f64::from(first);
        let crop_rows = reach.min(f64::from(last - first) - crop_top);
        options = options.crop(0.0, crop_top, f64::from(size.0), crop_rows);
        let bytes = |channels: u32| {
            let row = size.0 as usize * channels as usize;
            first as usize * row..last as usize * row
        };
        // Only RGBA: each pixel type adds half a megabyte to the program.
        let source = match pixels {
            DynamicImage::ImageRgba8(rgba) => &rgba.as_raw()[bytes(4)],
            DynamicImage::ImageRgb8(rgb) => {
                with_alpha(&rgb.as_raw()[bytes(3)], &mut converted);
                &converted
            }
            other => return Err(format!("unexpected pixels: {:?}", other.color())),
        };
        let source = TypedImageRef::<U8x4>::from_buffer(size.0, last - first, source)
            .map_err(|e| e.to_string())?;
        let row = width as usize * 4;
        let target =
            &mut small.as_flat_samples_mut().samples[top as usize * row..end as usize * row];
        let mut target =
            TypedImage::<U8x4>::from_buffer(width, end - top, target).map_err(|e| e.to_string())?;
        resizer
            .resize_typed(&source, &mut target, &options)
            .map_err(|e| e.to_string())?;
    }
    Ok(small)
}

/// Writes RGB bytes as opaque RGBA bytes. Whole words: byte by byte it takes as long as resizing.
fn with_alpha(rgb: &[u8], rgba: &mut Vec<u8>) {
    rgba.clear();
    rgba.resize(rgb.len() / 3 * 4, u8::MAX);
    let (wide, rest) = rgba.split_at_mut((rgb.len() / 3).saturating_sub(1) * 4);
    let (targets, _) = wide.as_chunks_mut::<4>();
    for (target, source) in targets.iter_mut().zip(rgb.windows(4).step_by(3)) {
        let source = [source[0], source[1], source[2], source[3]];
        *target = (u32::from_le_bytes(source) | 0xFF00_0000).to_le_bytes();
    }
    // The last pixel has no fourth byte behind it.
    let last = rgb.len().saturating_sub(3);
    (rest.iter_mut().zip(&rgb[last..])).for_each(|(to, from)| *to = *from);
}

#[cfg(test)]
mod tests {
    use image::{Rgb, RgbImage};

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

    #[test]
    fn bands_change_nothing() {
        let mut noise = 7u32;
        let picture = image::RgbaImage::from_fn(301, 203, |x, y| {
            noise = noise.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            image::Rgba([(x % 256) as u8, (y % 256) as u8, (noise >> 24) as u8, 255])
        });
        let transparent = image::RgbaImage::from_fn(64, 301, |x, y| {
            image::Rgba([x as u8, y as u8, 9, (x * y % 256) as u8])
        });
        let opaque = DynamicImage::ImageRgba8(picture).to_rgb8();
        for image in [
            DecodedImage::new(opaque.into()),
            DecodedImage::new(transparent.into()),
        ] {
            for size in [(300, 202), (190, 127), (80, 41), (7, 200), (64, 1), (1, 1)] {
                let size = (size.0.min(image.size().0), size.1);
                let whole = resize_in_bands(&image, size, f64::INFINITY).unwrap();
                for band in [1.0, 1000.0, 20_000.0] {
                    let bands = resize_in_bands(&image, size, band).unwrap();
                    let off = whole.as_raw().iter().zip(bands.as_raw());
                    let most = off.map(|(a, b)| a.abs_diff(*b)).max();
                    assert!(most <= Some(1), "{size:?} in bands of {band}: {most:?}");
                }
            }
        }
    }
}
