//! Decodes pictures within limits that are checked before memory is allocated, with errors that a
//! person can act on. The display and the import use the same checks.

use std::io::Cursor;

use image::metadata::Orientation;
use image::{DynamicImage, ImageDecoder, ImageError, ImageFormat, ImageReader, Limits};

use benchtop_model::image::{DECODED_LIMIT, SIDE_LIMIT};
use benchtop_model::{Error, Result};

const READ: [ImageFormat; 5] = [
    ImageFormat::Png,
    ImageFormat::Jpeg,
    ImageFormat::WebP,
    ImageFormat::Gif,
    ImageFormat::Bmp,
];

/// A decoded picture: 8 bits per channel, RGB or RGBA, upright.
#[derive(Clone, Debug)]
pub struct DecodedImage(DynamicImage);

impl DecodedImage {
    /// Takes existing pixels. Anything but 8-bit RGB becomes 8-bit RGBA.
    pub fn new(image: DynamicImage) -> Self {
        DecodedImage(match image {
            kept @ (DynamicImage::ImageRgb8(_) | DynamicImage::ImageRgba8(_)) => kept,
            opaque if !opaque.color().has_alpha() => opaque.to_rgb8().into(),
            other => other.to_rgba8().into(),
        })
    }

    /// The pixels: `ImageRgb8` or `ImageRgba8`.
    pub fn pixels(&self) -> &DynamicImage {
        &self.0
    }

    /// Width and height in pixels.
    pub fn size(&self) -> (u32, u32) {
        (self.0.width(), self.0.height())
    }
}

/// Decodes a picture (PNG, JPEG, WebP, first frame of a GIF, BMP; detected from content) and
/// applies its EXIF orientation.
///
/// # Errors
/// [`benchtop_model::ErrorKind::Input`]: not an image, too large, truncated, or damaged.
pub fn decode(bytes: &[u8]) -> Result<DecodedImage> {
    let mut decoder = opened(bytes)?.1;
    let orientation = decoder.orientation().map_err(|e| refused(&e))?;
    let mut image = DynamicImage::from_decoder(decoder).map_err(|e| refused(&e))?;
    image.apply_orientation(orientation);
    Ok(DecodedImage::new(image))
}

/// Width and height of the picture that [`decode`] makes of these bytes, without decompression.
///
/// # Errors
/// See [`decode`]; damage after the header is not found.
pub fn size(bytes: &[u8]) -> Result<(u32, u32)> {
    let mut decoder = opened(bytes)?.1;
    let (width, height) = decoder.dimensions();
    let orientation = decoder.orientation().map_err(|e| refused(&e))?;
    let is_turned = matches!(
        orientation,
        Orientation::Rotate90
            | Orientation::Rotate270
            | Orientation::Rotate90FlipH
            | Orientation::Rotate270FlipH
    );
    Ok(match is_turned {
        true => (height, width),
        false => (width, height),
    })
}

/// Checks whether [`decode`] will accept these bytes, as far as possible without decompression: the
/// format, the limits, the end of the file, and the checksums of a PNG. GIF and BMP are decoded.
///
/// # Errors
/// See [`decode`].
pub fn check(bytes: &[u8]) -> Result<()> {
    let (format, _) = opened(bytes)?;
    match format {
        ImageFormat::Png => png_is_whole(bytes),
        ImageFormat::WebP => riff_is_whole(bytes),
        ImageFormat::Jpeg => Ok(()),
        // Rare, and fast to decode.
        _ => decode(bytes).map(drop),
    }
}

/// Checks that a RIFF file is as long as its header states.
fn riff_is_whole(bytes: &[u8]) -> Result<()> {
    let length = bytes
        .get(4..8)
        .and_then(|b| b.try_into().ok())
        .map(u32::from_le_bytes);
    let whole = length.is_some_and(|length| bytes.len() as u64 >= u64::from(length) + 8);
    if whole {
        Ok(())
    } else {
        Err(Error::input("truncated"))
    }
}

/// Checks the lengths and checksums of a PNG's chunks up to its end.
fn png_is_whole(bytes: &[u8]) -> Result<()> {
    let number = |at: usize| Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
    let mut at = 8;
    while let Some(length) = number(at) {
        let end = at.saturating_add(8).saturating_add(length as usize);
        let (Some(body), Some(sum)) = (bytes.get(at + 4..end), number(end)) else {
            break;
        };
        if crc32fast::hash(body) != sum {
            return Err(Error::input("damaged: checksum mismatch"));
        }
        if body.starts_with(b"IEND") {
            return Ok(());
        }
        at = end + 4;
    }
    Err(Error::input("truncated"))
}

/// Creates a decoder for `bytes` and applies the limits.
fn opened(bytes: &[u8]) -> Result<(ImageFormat, impl ImageDecoder + '_)> {
    let mut reader = ImageReader::new(Cursor::new(bytes))
        .with_guessed_format()
        .map_err(|_| no_image())?;
    let format = reader
        .format()
        .filter(|f| READ.contains(f))
        .ok_or_else(no_image)?;
    let mut limits = Limits::default();
    limits.max_alloc = Some(DECODED_LIMIT);
    reader.limits(limits.clone());
    if format == ImageFormat::Jpeg && !jpeg_has_end(bytes) {
        // The decoder would fill the missing part with gray.
        return Err(Error::input("truncated"));
    }
    let mut decoder = reader.into_decoder().map_err(|e| refused(&e))?;
    let (width, height) = decoder.dimensions();
    let pixels = u64::from(width) * u64::from(height) * 4;
    if width > SIDE_LIMIT
        || height > SIDE_LIMIT
        || pixels.max(decoder.total_bytes()) > DECODED_LIMIT
    {
        return Err(too_large(width, height));
    }
    decoder.set_limits(limits).map_err(|e| refused(&e))?;
    Ok((format, decoder))
}

fn no_image() -> Error {
    Error::input("not an image").help("use PNG, JPEG, WebP, GIF, or BMP")
}

fn too_large(width: u32, height: u32) -> Error {
    Error::input(format!("too large: {width}x{height}")).help(format!(
        "the limits are {SIDE_LIMIT} pixels per side and {} million pixels in total",
        DECODED_LIMIT / 4_000_000
    ))
}

fn refused(error: &ImageError) -> Error {
    // Decoders wrap the end of the file in their own errors, which only share some words.
    let text = error.to_string();
    let short = [
        "unexpected end",
        "UnexpectedEof",
        "failed to fill whole buffer",
        "unexpected EOF",
        "truncated",
    ];
    let cut =
        matches!(error, ImageError::IoError(e) if e.kind() == std::io::ErrorKind::UnexpectedEof);
    if cut
        || short
            .iter()
            .any(|s| text.to_lowercase().contains(&s.to_lowercase()))
    {
        return Error::input("truncated");
    }
    match error {
        ImageError::Limits(_) => {
            Error::input("too large: decoding needs more memory than allowed for one picture")
        }
        ImageError::Unsupported(_) => Error::input(format!("unsupported kind of image: {text}")),
        _ => Error::input(format!("damaged: {text}")),
    }
}

/// Whether a JPEG has an end-of-image marker after the start of its first scan. An earlier one may
/// belong to a thumbnail in the EXIF data.
fn jpeg_has_end(bytes: &[u8]) -> bool {
    let mut at = 2;
    while let Some([0xff, marker]) = bytes.get(at..at + 2) {
        match marker {
            0xff => at += 1,
            0xda => return memchr::memmem::rfind(&bytes[at..], &[0xff, 0xd9]).is_some(),
            0xd9 => return true,
            0x01 | 0xd0..=0xd8 => at += 2,
            _ => match bytes.get(at + 2..at + 4) {
                Some(length) => at += 2 + usize::from(u16::from_be_bytes([length[0], length[1]])),
                None => return false,
            },
        }
    }
    // Not a sequence of segments. Unless the file just ends, it is damaged, and the decoder can
    // report more.
    at < bytes.len()
}

#[cfg(test)]
mod tests {
    use image::{Rgb, RgbImage, Rgba, RgbaImage};

    use super::*;

    fn sample() -> RgbImage {
        RgbImage::from_fn(60, 40, |x, y| Rgb([(x * 4) as u8, (y * 6) as u8, 128]))
    }

    fn encoded(format: ImageFormat) -> Vec<u8> {
        let mut bytes = Cursor::new(Vec::new());
        DynamicImage::from(sample())
            .write_to(&mut bytes, format)
            .unwrap();
        bytes.into_inner()
    }

    #[test]
    fn the_size_is_that_of_the_upright_picture() {
        let upright = encoded(ImageFormat::Jpeg);
        // EXIF with one entry: orientation 6, which is a quarter turn.
        let exif = b"\xff\xe1\0\x22Exif\0\0II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0\0";
        let mut turned = upright.clone();
        turned.splice(2..2, exif.iter().copied());
        for (bytes, expected) in [(&upright, (60, 40)), (&turned, (40, 60))] {
            assert_eq!(size(bytes).unwrap(), expected);
            assert_eq!(decode(bytes).unwrap().size(), expected);
        }
        assert!(size(b"no picture").is_err());
    }

    #[test]
    fn formats_are_detected_from_content() {
        for format in READ {
            let image = decode(&encoded(format)).unwrap();
            assert_eq!(image.size(), (60, 40), "{format:?}");
            let near = image.pixels().to_rgb8()[(30, 20)];
            let off = near
                .0
                .iter()
                .zip(sample()[(30, 20)].0)
                .map(|(a, b)| a.abs_diff(b))
                .max()
                .unwrap();
            assert!(off < 24, "{format:?}: {near:?}");
        }
    }

    #[test]
    fn check_agrees_with_decode() {
        for format in READ {
            let whole = encoded(format);
            check(&whole).unwrap();
            for cut in [0, 1, 3, 10, 30] {
                assert_eq!(
                    check(&whole[..cut]).is_ok(),
                    decode(&whole[..cut]).is_ok(),
                    "{format:?} at {cut}"
                );
            }
        }
        let png = encoded(ImageFormat::Png);
        assert_eq!(check(&png[..png.len() - 6]).unwrap_err().what, "truncated");
        let mut flipped = png.clone();
        flipped[png.len() / 2] ^= 8;
        assert!(check(&flipped).unwrap_err().what.starts_with("damaged"));
        assert_eq!(
            check(&bomb(8_200, 8_200)).unwrap_err().what,
            "too large: 8200x8200",
            "67 megapixels"
        );
        assert_eq!(
            check(&bomb(10_000, 10_000)).unwrap_err().what,
            "too large: 10000x10000"
        );
        assert_eq!(
            check(b"<svg xmlns='http://www.w3.org/2000/svg'/>")
                .unwrap_err()
                .what,
            "not an image"
        );
    }

    #[test]
    fn truncated_pictures_are_errors() {
        for format in READ {
            let whole = encoded(format);
            for cut in [0, 1, 3, 10, 30, whole.len() / 4, whole.len() / 2] {
                let problem = decode(&whole[..cut]).map(|i| i.size()).unwrap_err();
                assert!(
                    ["not an image", "truncated", "damaged"]
                        .iter()
                        .any(|w| problem.what.starts_with(w)),
                    "{format:?} at {cut}: {problem}"
                );
            }
            if matches!(format, ImageFormat::Png | ImageFormat::Jpeg) {
                assert_eq!(
                    decode(&whole[..whole.len() / 2]).unwrap_err().what,
                    "truncated",
                    "{format:?}"
                );
            }
            // Even without the last bytes, every pixel may be there.
            let _ = decode(&whole[..whole.len() - 3]).map(|i| assert_eq!(i.size(), (60, 40)));
        }
    }

    /// A PNG whose header states this size, without the data.
    fn bomb(width: u32, height: u32) -> Vec<u8> {
        let mut png = encoded(ImageFormat::Png);
        png[16..20].copy_from_slice(&width.to_be_bytes());
        png[20..24].copy_from_slice(&height.to_be_bytes());
        let checksum = crc32fast::hash(&png[12..29]);
        png[29..33].copy_from_slice(&checksum.to_be_bytes());
        png
    }

    #[test]
    fn decompression_bomb_is_an_error() {
        assert_eq!(
            decode(&bomb(30_000, 30_000)).unwrap_err().what,
            "too large: 30000x30000"
        );
        assert_eq!(
            decode(&bomb(16_000, 16_000)).unwrap_err().what,
            "too large: 16000x16000"
        );
        assert_eq!(
            decode(&bomb(1, 4_000_000_000))
                .unwrap_err()
                .what
                .split(':')
                .next(),
            Some("too large")
        );
    }

    #[test]
    fn text_and_unsupported_formats_are_not_images() {
        assert_eq!(
            decode(b"hello, this is text").unwrap_err().what,
            "not an image"
        );
        assert_eq!(decode(b"II*\0\x08\0\0\0").unwrap_err().what, "not an image");
    }

    #[test]
    fn alpha_is_kept_and_sixteen_bits_become_eight() {
        let mut bytes = Cursor::new(Vec::new());
        let clear = RgbaImage::from_pixel(4, 4, Rgba([10, 20, 30, 40]));
        DynamicImage::from(clear)
            .write_to(&mut bytes, ImageFormat::Png)
            .unwrap();
        assert_eq!(
            decode(bytes.get_ref()).unwrap().pixels().to_rgba8()[(1, 1)],
            Rgba([10, 20, 30, 40])
        );
        let deep = image::ImageBuffer::from_pixel(4, 4, Rgb([65535u16, 0, 257]));
        let mut bytes = Cursor::new(Vec::new());
        DynamicImage::from(deep)
            .write_to(&mut bytes, ImageFormat::Png)
            .unwrap();
        assert_eq!(
            decode(bytes.get_ref()).unwrap().pixels().to_rgb8()[(0, 0)],
            Rgb([255, 0, 1])
        );
    }

    #[test]
    fn exif_orientation_is_applied() {
        let jpeg = encoded(ImageFormat::Jpeg);
        // An EXIF segment with one entry: orientation 6, a quarter turn clockwise.
        let tiff = b"Exif\0\0MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0";
        let mut turned = jpeg[..2].to_vec();
        turned.extend([0xff, 0xe1]);
        turned.extend(u16::try_from(tiff.len() + 2).unwrap().to_be_bytes());
        turned.extend(tiff);
        turned.extend(&jpeg[2..]);
        let image = decode(&turned).unwrap();
        assert_eq!(image.size(), (40, 60));
        let (red, upright) = (
            image.pixels().to_rgb8()[(20, 55)].0[0],
            sample()[(55, 20)].0[0],
        );
        assert!(red.abs_diff(upright) < 24, "{red} {upright}");
    }
}
