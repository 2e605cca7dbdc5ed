//! Writes JSON with the spacing of Python's `json` module, so that released files are reproduced
//! byte for byte; and escapes XML.

use std::io::{self, Write};
use std::path::Path;

use serde::Serialize;
use serde_json::ser::Formatter;

use benchtop_model::{Error, ErrorKind, Result, clean};

/// Spacing and escaping.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Style {
    /// Spaces per level. `None` puts a record on one line, with a space after commas and colons.
    pub indent: Option<usize>,
    /// Whether everything outside ASCII is written as `\uXXXX`.
    pub ascii: bool,
}

impl Style {
    /// One line, no escaping: MVP-Bench's files.
    pub const LINE: Style = Style {
        indent: None,
        ascii: false,
    };
    /// Two spaces, ASCII only: Dysca's final file.
    pub const FLAT: Style = Style {
        indent: Some(2),
        ascii: true,
    };
    /// Four spaces, no escaping: Dysca's released sources.
    pub const NESTED: Style = Style {
        indent: Some(4),
        ascii: false,
    };
}

struct Python {
    style: Style,
    depth: usize,
    filled: bool,
}

impl Python {
    fn line_break<W: ?Sized + Write>(&self, out: &mut W) -> io::Result<()> {
        let Some(indent) = self.style.indent else {
            return Ok(());
        };
        out.write_all(b"\n")?;
        for _ in 0..self.depth * indent {
            out.write_all(b" ")?;
        }
        Ok(())
    }

    fn open<W: ?Sized + Write>(&mut self, out: &mut W, bracket: u8) -> io::Result<()> {
        self.depth += 1;
        self.filled = false;
        out.write_all(&[bracket])
    }

    fn close<W: ?Sized + Write>(&mut self, out: &mut W, bracket: u8) -> io::Result<()> {
        self.depth -= 1;
        if self.filled {
            self.line_break(out)?;
        }
        out.write_all(&[bracket])
    }

    fn separate<W: ?Sized + Write>(&self, out: &mut W, first: bool) -> io::Result<()> {
        if !first {
            out.write_all(if self.style.indent.is_some() {
                b","
            } else {
                b", "
            })?;
        }
        self.line_break(out)
    }
}

impl Formatter for Python {
    fn begin_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.open(out, b'[')
    }

    fn end_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.close(out, b']')
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        self.separate(out, first)
    }

    fn end_array_value<W: ?Sized + Write>(&mut self, _: &mut W) -> io::Result<()> {
        self.filled = true;
        Ok(())
    }

    fn begin_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.open(out, b'{')
    }

    fn end_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.close(out, b'}')
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        self.separate(out, first)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        out.write_all(b": ")
    }

    fn end_object_value<W: ?Sized + Write>(&mut self, _: &mut W) -> io::Result<()> {
        self.filled = true;
        Ok(())
    }

    fn write_string_fragment<W: ?Sized + Write>(
        &mut self,
        out: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        if !self.style.ascii || fragment.bytes().all(|b| (0x20..0x7F).contains(&b)) {
            return out.write_all(fragment.as_bytes());
        }
        for c in fragment.chars() {
            if matches!(c, ' '..='~') {
                out.write_all(&[c as u8])?;
            } else {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    write!(out, "\\u{unit:04x}")?;
                }
            }
        }
        Ok(())
    }
}

/// Writes `value`, whose first line is already indented by `depth` levels.
pub(super) fn json<W: Write + ?Sized>(
    out: &mut W,
    value: &impl Serialize,
    style: Style,
    depth: usize,
) -> Result<()> {
    let formatter = Python {
        style,
        depth,
        filled: false,
    };
    value
        .serialize(&mut serde_json::Serializer::with_formatter(out, formatter))
        .map_err(|e| {
            if e.is_io() {
                failed(&e.into())
            } else {
                Error::new(ErrorKind::Input, format!("cannot write as JSON: {e}"))
            }
        })
}

pub(super) fn raw<W: Write + ?Sized>(out: &mut W, bytes: &[u8]) -> Result<()> {
    out.write_all(bytes).map_err(|e| failed(&e))
}

/// A write error. The caller adds the file name.
pub(super) fn failed(err: &io::Error) -> Error {
    let mut problem = Error::io(err, "cannot write", Path::new(""));
    problem.place.file = None;
    problem
}

/// Writes a JSON array record by record.
pub(super) struct Array<W> {
    out: W,
    style: Style,
    empty: bool,
}

impl<W: Write> Array<W> {
    pub fn new(out: W, style: Style) -> Self {
        Array {
            out,
            style,
            empty: true,
        }
    }

    pub fn push(&mut self, value: &impl Serialize) -> Result<()> {
        raw(&mut self.out, if self.empty { b"[\n" } else { b",\n" })?;
        self.empty = false;
        raw(
            &mut self.out,
            " ".repeat(self.style.indent.unwrap_or(0)).as_bytes(),
        )?;
        json(&mut self.out, value, self.style, 1)
    }

    pub fn finish(mut self) -> Result<W> {
        raw(&mut self.out, if self.empty { b"[]" } else { b"\n]" })?;
        self.out.flush().map_err(|e| failed(&e))?;
        Ok(self.out)
    }
}

/// Escapes text for XML content or a double-quoted attribute value.
pub(super) fn xml(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            // XML does not allow most control characters.
            '\n' | '\r' | '\t' => out.push(' '),
            c if clean::is_hidden(c) => out.push(clean::MARK),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn spacing_and_escapes_match_python() {
        let value = json!({"a": [], "b": {}, "c": [1, "caf\u{e9}\u{7f}\n\u{1F600}"]});
        let text = |style| {
            let mut out = Vec::new();
            super::json(&mut out, &value, style, 0).unwrap();
            String::from_utf8(out).unwrap()
        };
        assert_eq!(
            text(Style::LINE),
            "{\"a\": [], \"b\": {}, \"c\": [1, \"caf\u{e9}\u{7f}\\n\u{1F600}\"]}"
        );
        assert_eq!(
            text(Style::FLAT),
            "{\n  \"a\": [],\n  \"b\": {},\n  \"c\": [\n    1,\n    \"caf\\u00e9\\u007f\\n\\ud83d\\ude00\"\n  ]\n}"
        );
    }
}
