//! Error messages of servers, as one line.

use serde_json::Value;

use benchtop_model::clean;

/// Maximum length of an excerpt in characters.
const EXCERPT: usize = 160;

/// The text as one line of at most [`EXCERPT`] characters.
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

/// The message of an error response: the message of a JSON error, else the start of the text
/// without markup.
pub(super) fn message(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(16 << 10)]);
    if let Ok(value) = serde_json::from_slice::<Value>(bytes) {
        let places = [
            "/error/message",
            "/error",
            "/message",
            "/detail",
            "/detail/0/msg",
        ];
        let found = places
            .iter()
            .filter_map(|p| value.pointer(p))
            .find_map(Value::as_str);
        return short(found.unwrap_or(&text));
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

/// Parses a response as JSON.
///
/// # Errors
/// A description of the response, as one line.
pub(super) fn json(bytes: &[u8]) -> Result<Value, String> {
    serde_json::from_slice(bytes).map_err(|err| {
        let html = bytes.trim_ascii_start().first() == Some(&b'<');
        let what = if html {
            "a web page, not JSON: ".to_string()
        } else {
            format!("not valid JSON ({err}): ")
        };
        format!("the response is {what}\"{}\"", message(bytes))
    })
}
