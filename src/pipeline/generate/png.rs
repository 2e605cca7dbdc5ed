//! Encodes pictures as PNG files, with their origin in text chunks.

use std::io::Cursor;
use std::path::PathBuf;
use std::sync::OnceLock;

use super::generation_task::GenerationTask;
use crate::pictures;
use benchtop_files::picture_file::PictureFile;
use benchtop_files::project::Project;
use benchtop_model::generation::{Fingerprint, Pixels, Settings};
use benchtop_model::{Error, ErrorKind, ImageRef, Result};
use benchtop_raster::decode::{DecodedImage, decode};

/// The origin of a picture, written to its file.
pub struct Origin<'o> {
    /// The task that made the picture.
    pub task: &'o GenerationTask,
    pub settings: &'o Settings,
    /// The generator's fingerprint.
    pub fingerprint: &'o Fingerprint,
    /// Whether it is a draft.
    pub draft: bool,
}

/// Encodes a picture. The same pixels and origin give the same bytes, if the fingerprint comes from
/// [`with_encoder`].
///
/// # Errors
///
/// [`ErrorKind::Io`] if the number of pixels is wrong.
pub fn png(pixels: &Pixels, origin: &Origin<'_>) -> Result<Vec<u8>> {
    encoded(pixels, texts(origin), png::Compression::Fast).map_err(|e| wrong(&e))
}

/// Encodes a picture that was made from another one, with its alpha. The same pixels give the same
/// bytes.
///
/// # Errors
///
/// [`ErrorKind::Io`] if it cannot be encoded.
pub fn derived(picture: &DecodedImage) -> Result<Vec<u8>> {
    let pixels = picture.pixels();
    let color = match pixels.color().has_alpha() {
        true => png::ColorType::Rgba,
        false => png::ColorType::Rgb,
    };
    let texts = vec![("Software", "benchtop".into())];
    let of = (picture.size(), color, pixels.as_bytes());
    encode(of, texts, png::Compression::Fast).map_err(|e| wrong(&e))
}

fn wrong(problem: &png::EncodingError) -> Error {
    Error::new(
        ErrorKind::Io,
        format!("cannot encode the picture: {problem}"),
    )
}

fn encoded(
    pixels: &Pixels,
    texts: Vec<(&str, String)>,
    compression: png::Compression,
) -> std::result::Result<Vec<u8>, png::EncodingError> {
    let size = (pixels.width, pixels.height);
    encode((size, png::ColorType::Rgb, &pixels.rgb), texts, compression)
}

fn encode(
    ((width, height), color, pixels): ((u32, u32), png::ColorType, &[u8]),
    texts: Vec<(&str, String)>,
    compression: png::Compression,
) -> std::result::Result<Vec<u8>, png::EncodingError> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(Cursor::new(&mut bytes), width, height);
    encoder.set_color(color);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(compression);
    for (name, text) in texts {
        // iTXt is UTF-8; NUL would end the text early.
        encoder.add_itxt_chunk(name.into(), text.replace('\0', "\u{fffd}"))?;
    }
    let mut writer = encoder.write_header()?;
    writer.write_image_data(pixels)?;
    writer.finish()?;
    Ok(bytes)
}

/// Adds the PNG encoder to a generator's fingerprint. The same pixels give other bytes under
/// another filter or deflate library, and so another name in `images/`. A library update, or
/// another dependency's features, may change this unnoticed. So the part is a hash of the encoding
/// of a known picture.
#[must_use]
pub fn with_encoder(print: Fingerprint) -> Fingerprint {
    static ENCODER: OnceLock<String> = OnceLock::new();
    print.with(
        "file",
        ENCODER.get_or_init(|| encoder(png::Compression::Fast)),
    )
}

fn encoder(compression: png::Compression) -> String {
    let known = encoded(
        &known_picture(),
        vec![("known", "picture".into())],
        compression,
    );
    // A picture that cannot be encoded has no bytes.
    let hash = known.map_or_else(
        |e| e.to_string(),
        |bytes| blake3::hash(&bytes).to_hex()[..16].to_string(),
    );
    format!("png, a known picture is {hash}")
}

/// A picture with an area that suits each PNG filter best and one that suits none, larger than
/// deflate's window.
fn known_picture() -> Pixels {
    let (width, height) = (128u32, 96u32);
    let mut state = 1u32;
    let mut rgb = Vec::with_capacity(3 * (width * height) as usize);
    for y in 0..height {
        for x in 0..width {
            // Marsaglia's xorshift, 32 bits (2003).
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            let pixel = match y / 16 {
                0 => [200, 100, 50],
                1 => [2 * x, x, 255 - x],
                2 => [8 * (y % 16), 16 * (y % 16), 3 * y],
                3 => [x + y, 2 * x + y, x * y / 16],
                4 => [x / 16 * 40, y / 4 * 30, (x ^ y) / 8 * 16],
                _ => [state, state >> 8, state >> 16],
            };
            rgb.extend(pixel.map(|value| value as u8));
        }
    }
    Pixels { width, height, rgb }
}

fn texts(origin: &Origin<'_>) -> Vec<(&'static str, String)> {
    let Origin {
        task,
        settings,
        fingerprint: print,
        draft,
    } = origin;
    let mut texts = vec![
        ("Software", "benchtop".into()),
        ("prompt", task.task.prompt.clone()),
        (
            "negative prompt",
            task.task.negative_prompt.clone().unwrap_or_default(),
        ),
        ("seed", task.task.seed.to_string()),
        ("sample", task.target.sample.to_string()),
        (
            "settings",
            serde_json::to_string(settings).unwrap_or_default(),
        ),
        ("fingerprint", print.short()),
        (
            "fingerprint parts",
            serde_json::to_string(&print.parts).unwrap_or_default(),
        ),
    ];
    if *draft {
        texts.push(("draft", "true".into()));
    }
    texts
}

/// Durably stores the file in `images/` under the hash of its bytes. Returns the reference for
/// items, and the path below the project folder.
///
/// # Errors
///
/// If a write fails.
pub fn keep(
    project: &Project,
    name: &str,
    draft: bool,
    bytes: &[u8],
) -> Result<(ImageRef, PathBuf)> {
    let hash = Some(blake3::hash(bytes).to_hex().to_string());
    let image = ImageRef {
        name: name.into(),
        hash,
        ext: Some("png".into()),
        draft,
        ..ImageRef::default()
    };
    let stored = image
        .stored()
        .ok_or_else(|| Error::new(ErrorKind::Io, "the picture has no path"))?;
    pictures::put_durably(project.root(), &stored, bytes)?;
    Ok((image, stored))
}

/// The pixels of a picture in the project.
///
/// # Errors
///
/// [`ErrorKind::Corrupt`] for a file that is not a picture or does not match its hash, and errors
/// of [`PictureFile::read`].
pub fn pixels(project: &Project, image: &ImageRef) -> Result<Pixels> {
    let none = || Error::new(ErrorKind::NotFound, format!("{} has no file", image.name));
    let file = PictureFile::of(project.root(), image).ok_or_else(none)?;
    let read = decode(&file.read()?).map_err(|p| {
        Error::new(
            ErrorKind::Corrupt,
            format!("cannot read the picture: {}", p.what),
        )
        .file(&file.path)
    })?;
    let rgb = read.pixels().to_rgb8();
    Ok(Pixels {
        width: rgb.width(),
        height: rgb.height(),
        rgb: rgb.into_raw(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fingerprint_includes_the_encoder() {
        let print = with_encoder(Fingerprint::default().with("model", "a"));
        assert_eq!(
            print,
            with_encoder(Fingerprint::default().with("model", "a"))
        );
        assert_eq!((print.parts["model"].as_str(), print.parts.len()), ("a", 2));
        assert_eq!(print.parts["file"], encoder(png::Compression::Fast));
        // An encoder that produces other bytes has another name.
        use png::Compression::{Balanced, Fast, Fastest, High, NoCompression};
        let all = [NoCompression, Fastest, Fast, Balanced, High];
        let bytes = |c| encoded(&known_picture(), Vec::new(), c).unwrap();
        for (n, one) in all.iter().enumerate() {
            for other in &all[n + 1..] {
                assert_eq!(
                    bytes(*one) == bytes(*other),
                    encoder(*one) == encoder(*other),
                    "{one:?} {other:?}"
                );
            }
        }
        assert_ne!(encoder(Fast), encoder(Balanced));
        let read = image::load_from_memory(&bytes(Fast)).unwrap().into_rgb8();
        assert_eq!(read.into_raw(), known_picture().rgb);
    }
}
