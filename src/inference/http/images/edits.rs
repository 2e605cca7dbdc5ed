//! The body of `POST /v1/images/edits`: the fields of a generation as a form, with the start image and
//! its mask as PNGs.

use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use image::{ExtendedColorType, ImageEncoder as _};
use serde_json::{Map, Value};

use super::super::multipart::{Form, Part, form};
use benchtop_model::generation::Init;

/// The form of an edit.
///
/// # Errors
/// The reason if a PNG cannot be written.
pub(super) fn edit(fields: &Map<String, Value>, init: &Init) -> Result<Form, String> {
    let size = (init.image.width, init.image.height);
    let image = png(&init.image.rgb, size, ExtendedColorType::Rgb8)?;
    let mask = match &init.mask {
        Some(mask) => Some(png(&transparent(mask), size, ExtendedColorType::Rgba8)?),
        None => None,
    };
    let text = |(name, value): (&String, &Value)| {
        let text = value.as_str().map(str::to_string);
        (name.clone(), text.unwrap_or_else(|| value.to_string()))
    };
    let texts: Vec<_> = fields.iter().map(text).collect();
    let mut parts: Vec<_> = texts
        .iter()
        .map(|(name, text)| Part::Text(name, text.clone()))
        .collect();
    parts.push(Part::Png("image", &image));
    if let Some(mask) = &mask {
        parts.push(Part::Png("mask", mask));
    }
    Ok(form(&parts))
}

/// The RGBA pixels of a mask in which 255 is repainted. The API repaints where alpha is 0. The color is
/// white there, so that servers that ignore alpha, as diffusers does, repaint the same pixels.
fn transparent(mask: &[u8]) -> Vec<u8> {
    mask.iter()
        .flat_map(|m| [*m, *m, *m, u8::MAX - m])
        .collect()
}

fn png(
    bytes: &[u8],
    (width, height): (u32, u32),
    color: ExtendedColorType,
) -> Result<Vec<u8>, String> {
    let mut out = Vec::new();
    // Most of the time goes into the model, and most of the traffic is on the local network.
    PngEncoder::new_with_quality(&mut out, CompressionType::Fast, FilterType::Adaptive)
        .write_image(bytes, width, height, color)
        .map_err(|err| format!("cannot write the start image as PNG: {err}"))?;
    Ok(out)
}
