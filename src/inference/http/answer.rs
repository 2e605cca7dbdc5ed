//! What a server answered: a picture, and which wishes it repeated.

use std::io::Cursor;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use image::{ImageFormat, ImageReader, Limits};
use serde_json::Value;

use crate::model::generation::{Honours, Pixels};

/// What was asked, to hold the answer against.
pub(super) struct Sent {
    /// Field and value of seed, steps, guidance and negative prompt, where they were sent.
    pub(super) fields: [Option<(String, Value)>; 4],
    /// The prompt.
    pub(super) prompt: String,
    /// Width and height.
    pub(super) size: (u32, u32),
}

/// Where the picture is.
pub(super) enum Image {
    /// Here.
    Bytes(Vec<u8>),
    /// At this address.
    At(String),
}

/// An answer that holds a picture or its address.
pub(super) struct Given {
    /// The picture.
    pub(super) image: Image,
    /// What the answer repeats with the value that was sent.
    pub(super) honoured: Honours,
    /// What a person should know.
    pub(super) notes: Vec<String>,
}

/// Longest excerpt of what a server says, in characters.
const EXCERPT: usize = 160;

/// One line of at most [`EXCERPT`] characters.
pub(super) fn short(text: &str) -> String {
    let line = text
        .split(|c: char| c.is_whitespace() || c.is_control())
        .filter(|w| !w.is_empty())
        .collect::<Vec<_>>()
        .join(" ");
    match line.char_indices().nth(EXCERPT) {
        Some((at, _)) => format!("{}...", line[..at].trim_end()),
        None => line,
    }
}

/// What an answer that is no picture says: the message of a JSON error, else its first words without markup.
pub(super) fn said(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(16 << 10)]);
    if let Ok(value) = serde_json::from_slice::<Value>(bytes) {
        let places = ["/error/message", "/error", "/message", "/detail", "/detail/0/msg"];
        let message = places.iter().filter_map(|p| value.pointer(p)).find_map(Value::as_str);
        return short(message.unwrap_or(&text));
    }
    let mut plain = String::new();
    let mut depth = 0;
    for c in text.chars() {
        match c {
            '<' => depth += 1,
            '>' if depth > 0 => {
                depth -= 1;
                plain.push(' ');
            }
            c if depth == 0 => plain.push(c),
            _ => {}
        }
    }
    short(&plain)
}

/// Reads an answer.
///
/// # Errors
/// What is wrong with it, in one line.
pub(super) fn parse(bytes: &[u8], sent: &Sent) -> Result<Given, String> {
    let value: Value = serde_json::from_slice(bytes).map_err(|err| {
        let html = bytes.trim_ascii_start().first() == Some(&b'<');
        let what = if html { "a web page and no JSON: ".to_string() } else { format!("no JSON ({err}): ") };
        format!("the answer is {what}\"{}\"", said(bytes))
    })?;
    let Some(first) = value.pointer("/data/0").filter(|first| first.is_object()) else {
        return Err(format!("the answer holds no picture: \"{}\"", said(bytes)));
    };
    let text = |name: &str| first.get(name).and_then(Value::as_str).filter(|t| !t.is_empty());
    let packed = |text: &str| {
        let text: Vec<u8> = text.bytes().filter(|b| !b.is_ascii_whitespace()).collect();
        STANDARD.decode(text).map_err(|err| format!("the picture is not base64: {err}"))
    };
    let image = match (text("b64_json"), text("url")) {
        (Some(data), _) => Image::Bytes(packed(data.split_once("base64,").map_or(data, |(_, data)| data))?),
        (None, Some(url)) => match url.strip_prefix("data:") {
            Some(data) => Image::Bytes(packed(data.split_once("base64,").ok_or("a data address without base64")?.1)?),
            None => Image::At(url.to_string()),
        },
        (None, None) => return Err(format!("the answer holds neither b64_json nor url: \"{}\"", said(bytes))),
    };
    let (honoured, mut notes) = repeated(&value, first, sent);
    if let Some(revised) = text("revised_prompt").filter(|r| *r != sent.prompt) {
        notes.push(format!("the server rewrote the prompt: \"{}\"", short(revised)));
    }
    Ok(Given { image, honoured, notes })
}

/// Which of the extra fields the answer repeats, at its top, in the picture's part, or in the objects that servers put
/// what they used into.
fn repeated(value: &Value, first: &Value, sent: &Sent) -> (Honours, Vec<String>) {
    let nested = ["parameters", "metadata", "info", "usage_params"];
    let objects =
        [value, first].into_iter().flat_map(|v| std::iter::once(v).chain(nested.iter().filter_map(|n| v.get(n))));
    let places: Vec<_> = objects.collect();
    let same = |a: &Value, b: &Value| match (a.as_f64(), b.as_f64()) {
        (Some(a), Some(b)) => (a - b).abs() <= 1e-6 * b.abs(),
        _ => a == b,
    };
    let (mut kept, mut notes, mut silent) = ([false; 4], Vec::new(), Vec::new());
    for (i, field) in sent.fields.iter().enumerate() {
        let Some((name, wish)) = field else { continue };
        match places.iter().find_map(|place| place.get(name)).filter(|v| !v.is_null()) {
            Some(used) if same(used, wish) => kept[i] = true,
            Some(used) => notes.push(format!("asked for {name} {wish}, the server used {}", short(&used.to_string()))),
            None => silent.push(name.as_str()),
        }
    }
    if !silent.is_empty() {
        notes.push(format!("sent, but the server does not say whether it was honoured: {}", silent.join(", ")));
    }
    let [seed, steps, guidance, negative_prompt] = kept;
    (Honours { seed, steps, guidance, negative_prompt, ..Honours::default() }, notes)
}

/// Decodes a PNG, JPEG or WebP, told by its first bytes. A size other than `wish` is no error, but a note.
///
/// # Errors
/// What is wrong with it, in one line.
pub(super) fn decode(bytes: &[u8], wish: (u32, u32)) -> Result<(Pixels, Option<String>), String> {
    let format = match image::guess_format(bytes) {
        Ok(format @ (ImageFormat::Png | ImageFormat::Jpeg | ImageFormat::WebP)) => format,
        Ok(other) => return Err(format!("the picture is {}, not PNG, JPEG or WebP", other.to_mime_type())),
        Err(_) if bytes.is_empty() => return Err("the picture is empty".into()),
        Err(_) => return Err(format!("the picture's bytes are no image: \"{}\"", said(bytes))),
    };
    let mut limits = Limits::default();
    (limits.max_image_width, limits.max_image_height) = (Some(8192), Some(8192));
    let mut reader = ImageReader::with_format(Cursor::new(bytes), format);
    reader.limits(limits);
    let image =
        reader.decode().map_err(|err| format!("the picture is damaged or cut off: {}", short(&err.to_string())))?;
    let rgb = image.into_rgb8();
    let (width, height) = rgb.dimensions();
    let note = ((width, height) != wish).then(|| format!("asked for {}x{}, got {width}x{height}", wish.0, wish.1));
    Ok((Pixels { width, height, rgb: rgb.into_raw() }, note))
}
