//! Parses the responses of image servers.

use std::io::Cursor;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use image::{ImageFormat, ImageReader, Limits};
use serde_json::Value;

use super::super::error_body::{json, message, short};
use super::super::token_counts::token_counts;
use benchtop_model::generation::{Pixels, RespectedInputs};
use benchtop_model::vlm::Usage;

/// The request, to compare the response with.
pub struct Sent {
    /// Field and value of seed, steps, guidance, and negative prompt, if they were sent.
    pub fields: [Option<(String, Value)>; 4],
    pub prompt: String,
    /// Width and height in pixels.
    pub size: (u32, u32),
}

pub enum Image {
    Bytes(Vec<u8>),
    /// A URL.
    At(String),
}

pub struct Given {
    pub image: Image,
    /// The settings that the response repeats with the value that was sent.
    pub honoured: RespectedInputs,
    /// Notes for the user.
    pub notes: Vec<String>,
    /// Token counts, if the server sent them.
    pub usage: Option<Usage>,
}

/// Parses a response.
///
/// # Errors
/// What is wrong with the response, as one line.
pub fn parse(bytes: &[u8], sent: &Sent) -> Result<Given, String> {
    let value = json(bytes)?;
    let Some(first) = value.pointer("/data/0").filter(|first| first.is_object()) else {
        return Err(format!(
            "the response has no picture: \"{}\"",
            message(bytes)
        ));
    };
    let text = |name: &str| {
        first
            .get(name)
            .and_then(Value::as_str)
            .filter(|t| !t.is_empty())
    };
    let packed = |text: &str| {
        let text: Vec<u8> = text.bytes().filter(|b| !b.is_ascii_whitespace()).collect();
        STANDARD
            .decode(text)
            .map_err(|err| format!("the picture is not valid base64: {err}"))
    };
    let image = match (text("b64_json"), text("url")) {
        (Some(data), _) => Image::Bytes(packed(
            data.split_once("base64,").map_or(data, |(_, data)| data),
        )?),
        (None, Some(url)) => match url.strip_prefix("data:") {
            Some(data) => Image::Bytes(packed(
                data.split_once("base64,")
                    .ok_or("the data URL is not base64")?
                    .1,
            )?),
            None => Image::At(url.to_string()),
        },
        (None, None) => {
            return Err(format!(
                "the response has neither b64_json nor url: \"{}\"",
                message(bytes)
            ));
        }
    };
    let (honoured, mut notes) = repeated(&value, first, sent);
    if let Some(revised) = text("revised_prompt").filter(|r| *r != sent.prompt) {
        notes.push(format!(
            "the server rewrote the prompt: \"{}\"",
            short(revised)
        ));
    }
    Ok(Given {
        image,
        honoured,
        notes,
        usage: token_counts(&value),
    })
}

/// The extra fields that the response repeats: at its top level, in the picture's object, or in the
/// objects where servers report the settings they used.
fn repeated(value: &Value, first: &Value, sent: &Sent) -> (RespectedInputs, Vec<String>) {
    let nested = ["parameters", "metadata", "info", "usage_params"];
    let objects = [value, first]
        .into_iter()
        .flat_map(|v| std::iter::once(v).chain(nested.iter().filter_map(|n| v.get(n))));
    let places: Vec<_> = objects.collect();
    let same = |a: &Value, b: &Value| match (a.as_f64(), b.as_f64()) {
        (Some(a), Some(b)) => (a - b).abs() <= 1e-6 * b.abs(),
        _ => a == b,
    };
    let (mut kept, mut notes, mut silent) = ([false; 4], Vec::new(), Vec::new());
    for (i, field) in sent.fields.iter().enumerate() {
        let Some((name, wish)) = field else { continue };
        match places
            .iter()
            .find_map(|place| place.get(name))
            .filter(|v| !v.is_null())
        {
            Some(used) if same(used, wish) => kept[i] = true,
            Some(used) => notes.push(format!(
                "requested {name} {wish}, the server used {}",
                short(&used.to_string())
            )),
            None => silent.push(name.as_str()),
        }
    }
    if !silent.is_empty() {
        notes.push(format!(
            "sent, but the server does not confirm: {}",
            silent.join(", ")
        ));
    }
    let [seed, steps, guidance, negative_prompt] = kept;
    (
        RespectedInputs {
            seed,
            steps,
            guidance,
            negative_prompt,
            ..RespectedInputs::default()
        },
        notes,
    )
}

/// Decodes a PNG, JPEG, or WebP, detected by its first bytes. If the size is not `wish`, a note is
/// returned.
///
/// # Errors
/// What is wrong with the picture, as one line.
pub fn decode(bytes: &[u8], wish: (u32, u32)) -> Result<(Pixels, Option<String>), String> {
    let format = match image::guess_format(bytes) {
        Ok(format @ (ImageFormat::Png | ImageFormat::Jpeg | ImageFormat::WebP)) => format,
        Ok(other) => {
            return Err(format!(
                "the picture is {}, not PNG, JPEG, or WebP",
                other.to_mime_type()
            ));
        }
        Err(_) if bytes.is_empty() => return Err("the picture is empty".into()),
        Err(_) => {
            return Err(format!(
                "the picture is not an image: \"{}\"",
                message(bytes)
            ));
        }
    };
    let mut limits = Limits::default();
    (limits.max_image_width, limits.max_image_height) = (Some(8192), Some(8192));
    let mut reader = ImageReader::with_format(Cursor::new(bytes), format);
    reader.limits(limits);
    let image = reader.decode().map_err(|err| {
        format!(
            "the picture is damaged or incomplete: {}",
            short(&err.to_string())
        )
    })?;
    let rgb = image.into_rgb8();
    let (width, height) = rgb.dimensions();
    let note = ((width, height) != wish)
        .then(|| format!("requested {}x{}, got {width}x{height}", wish.0, wish.1));
    Ok((
        Pixels {
            width,
            height,
            rgb: rgb.into_raw(),
        },
        note,
    ))
}
