//! What a server says, in one line.

use serde_json::Value;

use benchtop_model::clean;

/// Longest excerpt of what a server says, in characters.
const EXCERPT: usize = 160;

/// One line of at most [`EXCERPT`] characters.
pub(super) fn short(text: &str) -> String {
    let line = text
        .split(|c: char| c.is_whitespace() || c.is_control())
        .filter(|w| !w.is_empty())
        .collect::<Vec<_>>()
        .join(" ");
    let line = clean::line(&line);
    match line.char_indices().nth(EXCERPT) {
        Some((at, _)) => format!("{}...", line[..at].trim_end()),
        None => line.into_owned(),
    }
}

/// What an answer that is no picture says: the message of a JSON error, else its first words without markup.
pub(super) fn said(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(16 << 10)]);
    if let Ok(value) = serde_json::from_slice::<Value>(bytes) {
        let places = [
            "/error/message",
            "/error",
            "/message",
            "/detail",
            "/detail/0/msg",
        ];
        let message = places
            .iter()
            .filter_map(|p| value.pointer(p))
            .find_map(Value::as_str);
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

/// An answer as JSON.
///
/// # Errors
/// What it is instead, in one line.
pub(super) fn json(bytes: &[u8]) -> Result<Value, String> {
    serde_json::from_slice(bytes).map_err(|err| {
        let html = bytes.trim_ascii_start().first() == Some(&b'<');
        let what = if html {
            "a web page and no JSON: ".to_string()
        } else {
            format!("no JSON ({err}): ")
        };
        format!("the answer is {what}\"{}\"", said(bytes))
    })
}
