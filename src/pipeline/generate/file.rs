//! A picture as a file: PNG with what it was made from in its text chunks.

use std::io::Cursor;
use std::path::PathBuf;

use super::errand::Errand;
use crate::model::generation::{Fingerprint, Pixels, Settings};
use crate::model::{ImageRef, Kind, Problem, Result};
use crate::pipeline::pictures;
use crate::store::project::Project;

/// What a picture's file says of how it was made.
pub struct Origin<'o> {
    /// The picture.
    pub errand: &'o Errand,
    /// The settings.
    pub settings: &'o Settings,
    /// What made it.
    pub print: &'o Fingerprint,
    /// Whether it is a draft.
    pub draft: bool,
}

/// The bytes of the file. The same picture from the same origin gives the same bytes.
///
/// # Errors
/// [`Kind::Io`] for pixels that are not as many as they should be.
pub fn png(pixels: &Pixels, origin: &Origin<'_>) -> Result<Vec<u8>> {
    let fail = |e: png::EncodingError| Problem::new(Kind::Io, format!("the picture cannot be encoded: {e}"));
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(Cursor::new(&mut bytes), pixels.width, pixels.height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::Fast);
    for (name, text) in texts(origin) {
        // iTXt is UTF-8; NUL would end the text early.
        encoder.add_itxt_chunk(name.into(), text.replace('\0', "\u{fffd}")).map_err(fail)?;
    }
    let mut writer = encoder.write_header().map_err(fail)?;
    writer.write_image_data(&pixels.rgb).map_err(fail)?;
    writer.finish().map_err(fail)?;
    Ok(bytes)
}

fn texts(origin: &Origin<'_>) -> Vec<(&'static str, String)> {
    let Origin { errand, settings, print, draft } = origin;
    let mut texts = vec![
        ("Software", "benchtop".into()),
        ("prompt", errand.task.prompt.clone()),
        ("negative prompt", errand.task.negative_prompt.clone().unwrap_or_default()),
        ("seed", errand.task.seed.to_string()),
        ("sample", errand.target.sample.to_string()),
        ("settings", serde_json::to_string(settings).unwrap_or_default()),
        ("fingerprint", print.short()),
        ("fingerprint parts", serde_json::to_string(&print.parts).unwrap_or_default()),
    ];
    if *draft {
        texts.push(("draft", "true".into()));
    }
    texts
}

/// Keeps the file in `images/` under the hash of its bytes, durably. Gives how items refer to it and where it lies below
/// the project's folder.
///
/// # Errors
/// The operating system's.
pub fn keep(project: &Project, name: &str, draft: bool, bytes: &[u8]) -> Result<(ImageRef, PathBuf)> {
    let hash = Some(blake3::hash(bytes).to_hex().to_string());
    let image = ImageRef { name: name.into(), hash, ext: Some("png".into()), link: None, draft };
    let stored = image.stored().ok_or_else(|| Problem::new(Kind::Io, "the picture has no place"))?;
    pictures::put_durably(project.root(), &stored, bytes)?;
    Ok((image, stored))
}

/// The pixels of a picture that is in the project.
///
/// # Errors
/// [`Kind::Corrupt`] for a file that is no picture, and the operating system's.
pub fn pixels(project: &Project, image: &ImageRef) -> Result<Pixels> {
    let stored = image.stored().ok_or_else(|| Problem::new(Kind::NotFound, format!("{} has no file", image.name)))?;
    let path = project.root().join(stored);
    let bytes = std::fs::read(&path).map_err(|e| Problem::io(&e, "the picture cannot be read", &path))?;
    let read = image::load_from_memory(&bytes)
        .map_err(|e| Problem::new(Kind::Corrupt, format!("the picture cannot be read: {e}")).file(&path))?;
    let rgb = read.into_rgb8();
    Ok(Pixels { width: rgb.width(), height: rgb.height(), rgb: rgb.into_raw() })
}
