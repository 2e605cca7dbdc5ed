//! Parses the cells of tables: texts, lists, and pictures.

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD};
use serde_json::Value;

use super::records::text_in;
use benchtop_model::{Error, Key, Result};

/// A picture embedded in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inline {
    /// The picture's name in the item.
    pub name: String,
    /// The content in base64.
    base64: String,
}

impl Inline {
    /// The decoded content.
    ///
    /// # Errors
    /// [`benchtop_model::ErrorKind::Input`] if the content is not valid base64.
    pub fn bytes(&self) -> Result<Vec<u8>> {
        let text: Vec<u8> = self
            .base64
            .bytes()
            .filter(|b| !b.is_ascii_whitespace())
            .collect();
        let read = STANDARD
            .decode(&text)
            .or_else(|_| STANDARD_NO_PAD.decode(&text));
        read.map_err(|e| {
            Error::input(format!(
                "the picture `{}` is not valid base64: {e}",
                self.name
            ))
            .field("images")
        })
    }
}

/// A scalar as text; `None` for null, lists, and objects.
pub(super) fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => match number.as_f64() {
            Some(n) if number.is_f64() && n.fract() == 0.0 && n.abs() < 9e15 => {
                Some((n as i64).to_string())
            }
            _ => Some(number.to_string()),
        },
        Value::Bool(true) => Some("True".into()),
        Value::Bool(false) => Some("False".into()),
        _ => None,
    }
}

/// An id: an integer in any notation, else text.
pub(super) fn key(value: &Value) -> Option<Key> {
    let text = text(value).filter(|text| !text.is_empty())?;
    match text.parse::<i64>() {
        Ok(number) if number.to_string() == text => Some(Key::Int(number)),
        _ => Some(Key::Text(text)),
    }
}

/// The texts of a list: a JSON or Python list, `{"text": [...]}`, `{"A": ...}`, objects with a
/// `value`, or text separated by line breaks or commas. Null is an empty text.
pub(super) fn list(value: &Value) -> Vec<String> {
    let one = |value: &Value| match value {
        Value::Object(fields) => {
            let named = ["value", "text", "label", "content"]
                .iter()
                .find_map(|name| fields.get(*name));
            named.and_then(text).unwrap_or_default()
        }
        other => text(other).unwrap_or_default(),
    };
    match value {
        Value::Array(items) => items.iter().map(one).collect(),
        Value::Object(fields) => match fields.get("text").or_else(|| fields.get("choices")) {
            Some(Value::Array(items)) => items.iter().map(one).collect(),
            _ => fields.values().map(one).collect(),
        },
        Value::String(written) => written_list(written),
        _ => Vec::new(),
    }
}

fn written_list(written: &str) -> Vec<String> {
    let trimmed = written.trim();
    if trimmed.is_empty() {
        return Vec::new();
    }
    if trimmed.starts_with(['[', '{']) {
        if let Ok(value @ (Value::Array(_) | Value::Object(_))) = serde_json::from_str(trimmed) {
            return list(&value);
        }
        if let Some(found) = python_list(trimmed) {
            return found;
        }
    }
    let parts: Vec<&str> = match trimmed.contains('\n') {
        true => trimmed
            .lines()
            .filter(|line| !line.trim().is_empty())
            .collect(),
        false => trimmed.split(',').collect(),
    };
    let marked = |at: usize, part: &str| marked(part, at).map(|text| text.trim().to_string());
    let all: Option<Vec<String>> = parts
        .iter()
        .enumerate()
        .map(|(at, part)| marked(at, part))
        .collect();
    all.unwrap_or_else(|| {
        parts
            .into_iter()
            .map(|part| part.trim().to_string())
            .collect()
    })
}

/// The text after the label of option `at`: `A. `, `A) `, `A: `, or `(A) `.
pub(super) fn marked(line: &str, at: usize) -> Option<&str> {
    let line = line.trim_start();
    let letter = benchtop_model::Item::letter(at);
    let rest = match line.strip_prefix('(') {
        Some(inner) => inner.strip_prefix(&letter)?.strip_prefix(')')?,
        None => line.strip_prefix(&letter)?.strip_prefix(['.', ')', ':'])?,
    };
    rest.strip_prefix(' ').or(rest.is_empty().then_some(rest))
}

/// Parses a Python list of texts: `['a', "b's", None]`.
pub(super) fn python_list(text: &str) -> Option<Vec<String>> {
    let inner = text.trim().strip_prefix('[')?.strip_suffix(']')?;
    let (mut out, mut chars) = (Vec::new(), inner.chars().peekable());
    loop {
        while chars.next_if(|c| c.is_whitespace() || *c == ',').is_some() {}
        let Some(&first) = chars.peek() else {
            return Some(out);
        };
        let mut one = String::new();
        if first == '\'' || first == '"' {
            chars.next();
            loop {
                match chars.next()? {
                    '\\' => match chars.next()? {
                        'n' => one.push('\n'),
                        't' => one.push('\t'),
                        other => one.push(other),
                    },
                    c if c == first => break,
                    c => one.push(c),
                }
            }
        } else {
            while let Some(c) = chars.next_if(|c| *c != ',') {
                one.push(c);
            }
            one.truncate(one.trim_end().len());
        }
        out.push(one);
    }
}

/// A picture that a cell names or embeds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Picture {
    pub name: String,
    /// Its content, if it is embedded.
    pub inline: Option<Inline>,
}

/// The pictures of a cell. Embedded ones are named `stem`, a number if there are several, and a
/// file extension.
pub(super) fn pictures(value: &Value, stem: &str) -> Vec<Picture> {
    let mut found = Vec::new();
    gather(value, &mut found);
    let many = found.len() > 1;
    let named = found.into_iter().enumerate().map(|(at, (name, base64))| {
        let Some(base64) = base64 else {
            return Picture { name, inline: None };
        };
        let stem = if many {
            format!("{stem}-{}", at + 1)
        } else {
            stem.to_string()
        };
        let name = if name.is_empty() {
            format!("{stem}.{}", ending(&base64))
        } else {
            name
        };
        Picture {
            name: name.clone(),
            inline: Some(Inline { name, base64 }),
        }
    });
    named.collect()
}

fn gather(value: &Value, found: &mut Vec<(String, Option<String>)>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| gather(item, found)),
        Value::Object(fields) => {
            let path = text_in(fields, "path").map(relative).unwrap_or_default();
            let bytes = text_in(fields, "bytes").filter(|bytes| !bytes.is_empty());
            if let Some(bytes) = bytes {
                found.push((path, Some(bytes.to_string())));
            } else if !path.is_empty() {
                found.push((path, None));
            }
        }
        Value::String(text) => {
            let text = text.trim();
            if text.is_empty() {
            } else if let Some(list) = text.starts_with('[').then(|| python_list(text)).flatten() {
                list.into_iter()
                    .for_each(|one| gather(&Value::String(one), found));
            } else if let Some((_, base64)) = text
                .strip_prefix("data:image")
                .and_then(|t| t.split_once(";base64,"))
            {
                found.push((String::new(), Some(base64.to_string())));
            } else if is_base64(text) {
                found.push((String::new(), Some(text.to_string())));
            } else {
                found.push((relative(text), None));
            }
        }
        Value::Number(number) => found.push((number.to_string(), None)),
        Value::Null | Value::Bool(_) => {}
    }
}

/// Whether a text is longer than any name and starts like a picture, as VLMEvalKit detects base64.
fn is_base64(text: &str) -> bool {
    text.len() > 64 && ending(text) != "bin"
}

/// A picture's path relative to the folder of its file. Absolute paths and file URLs lose their
/// root.
pub(super) fn relative(path: &str) -> String {
    let path = path.strip_prefix("file://").unwrap_or(path);
    if path.contains("://") {
        return path.to_string();
    }
    path.split('/')
        .filter(|part| !matches!(*part, "" | "." | ".."))
        .collect::<Vec<_>>()
        .join("/")
}

/// The file extension for this content.
fn ending(base64: &str) -> &'static str {
    let head = base64
        .get(..16)
        .and_then(|head| STANDARD.decode(head).ok())
        .unwrap_or_default();
    let known = [
        (&b"\x89PNG"[..], "png"),
        (b"\xFF\xD8\xFF", "jpg"),
        (b"GIF8", "gif"),
        (b"BM", "bmp"),
        (b"RIFF", "webp"),
    ];
    known
        .iter()
        .find(|(magic, _)| head.starts_with(magic))
        .map_or("bin", |(_, ending)| ending)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn lists_are_parsed_in_every_notation() {
        let both = ["a", "b, c"];
        for value in [
            json!(["a", "b, c"]),
            json!([{"value": "a"}, {"value": "b, c"}]),
            json!({"text": ["a", "b, c"], "label": ["A", "B"]}),
            json!({"A": "a", "B": "b, c"}),
            json!("[\"a\", \"b, c\"]"),
            json!("['a', 'b, c']"),
            json!("A. a\nB. b, c"),
            json!("(A) a\n(B) b, c"),
        ] {
            assert_eq!(list(&value), both, "{value}");
        }
        assert_eq!(list(&json!("True,False")), ["True", "False"]);
        assert_eq!(
            python_list("['it\\'s', \"b\", None, 3]").unwrap(),
            ["it's", "b", "None", "3"]
        );
        assert_eq!(python_list("['open"), None);
    }

    #[test]
    fn pictures_by_path_and_embedded() {
        let png = STANDARD.encode([b"\x89PNG\r\n\x1a\n".as_slice(), &[7; 60]].concat());
        let one = pictures(&json!(png), "d/1").remove(0);
        assert_eq!(
            (
                one.name.as_str(),
                one.inline.unwrap().bytes().unwrap().len()
            ),
            ("d/1.png", 68)
        );
        let many = pictures(&json!(format!("['{png}', 'a.jpg']")), "d/1");
        assert_eq!(
            many.iter().map(|p| p.name.as_str()).collect::<Vec<_>>(),
            ["d/1-1.png", "a.jpg"]
        );
        assert_eq!(
            pictures(&json!({"bytes": png, "path": "x.png"}), "d")[0].name,
            "x.png"
        );
        assert_eq!(
            pictures(&json!({"bytes": null, "path": "../x.png"}), "d")[0],
            Picture {
                name: "x.png".into(),
                inline: None
            }
        );
        assert_eq!(
            pictures(&json!(format!("data:image/png;base64,{png}")), "d")[0].name,
            "d.png"
        );
        assert_eq!(
            pictures(&json!("/data/upload/1.jpg"), "d")[0].name,
            "data/upload/1.jpg"
        );
        assert!(pictures(&json!(null), "d").is_empty());
        assert!(
            pictures(&json!({"bytes": "!!!", "path": "x"}), "d")[0]
                .inline
                .as_ref()
                .unwrap()
                .bytes()
                .is_err()
        );
    }

    #[test]
    fn integer_ids_in_any_notation() {
        assert_eq!(key(&json!("12")), Some(Key::Int(12)));
        assert_eq!(key(&json!(12.0)), Some(Key::Int(12)));
        assert_eq!(key(&json!("012")), Some(Key::Text("012".into())));
        assert_eq!(key(&json!("")), None);
    }
}
