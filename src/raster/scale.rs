//! Picture sizes within a given space, and resizing.

use std::borrow::Cow;

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
    let enlarge = width > pixels.width() || height > pixels.height();
    let algorithm = if enlarge {
        ResizeAlg::Nearest
    } else {
        ResizeAlg::Convolution(FilterType::Bilinear)
    };
    // Only RGBA: each pixel type adds half a megabyte to the program.
    let rgba = match pixels {
        DynamicImage::ImageRgba8(rgba) => Cow::Borrowed(rgba.as_raw()),
        DynamicImage::ImageRgb8(rgb) => Cow::Owned(with_alpha(rgb.as_raw())),
        other => Cow::Owned(other.to_rgba8().into_raw()),
    };
    let options = ResizeOptions::new()
        .resize_alg(algorithm)
        .use_alpha(pixels.color().has_alpha());
    let source = TypedImageRef::<U8x4>::from_buffer(pixels.width(), pixels.height(), &rgba)
        .map_err(|e| e.to_string())?;
    let mut small = RgbaImage::new(width, height);
    let mut target =
        TypedImage::<U8x4>::from_buffer(width, height, &mut small).map_err(|e| e.to_string())?;
    Resizer::new()
        .resize_typed(&source, &mut target, &options)
        .map_err(|e| e.to_string())?;
    Ok(small)
}

/// RGB bytes as opaque RGBA bytes. Whole words: byte by byte it takes as long as resizing.
fn with_alpha(rgb: &[u8]) -> Vec<u8> {
    let mut rgba = vec![u8::MAX; rgb.len() / 3 * 4];
    let (wide, rest) = rgba.split_at_mut((rgb.len() / 3).saturating_sub(1) * 4);
    let (targets, _) = wide.as_chunks_mut::<4>();
    for (target, source) in targets.iter_mut().zip(rgb.windows(4).step_by(3)) {
        let source = [source[0], source[1], source[2], source[3]];
        *target = (u32::from_le_bytes(source) | 0xFF00_0000).to_le_bytes();
    }
    // The last pixel has no fourth byte behind it.
    let last = rgb.len().saturating_sub(3);
    (rest.iter_mut().zip(&rgb[last..])).for_each(|(to, from)| *to = *from);
    rgba
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
}
