//! Sanitizes text from outside for display. The terminal program, the commands, errors, and logs
//! all use it.
//!
//! Terminals obey control characters: an escape sequence in a picture's name can write to the
//! clipboard (OSC 52), move the cursor, or change the title. Other characters reverse the text
//! direction, or are invisible and make two texts look alike. Display text shows [`MARK`] in place
//! of such a character. JSON escapes it as `\uXXXX`, which keeps the value.

use std::borrow::Cow;
use std::io::{self, Write};

/// Replaces a character that a terminal would obey or would not show.
pub const MARK: char = '·';

/// Whether a character is never shown as it is: control characters (C0, DEL, C1), line and
/// paragraph separators, direction marks and overrides, zero-width characters, tags, annotations,
/// fillers, and noncharacters.
pub fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180e}' | '\u{200b}'
            | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fdd0}'..='\u{fdef}'
            | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e00ff}' | '\u{e01f0}'..='\u{e0fff}')
        || u32::from(c) & 0xfffe == 0xfffe
}

/// Zero-width non-joiner and joiner.
fn is_joiner(c: char) -> bool {
    matches!(c, '\u{200c}' | '\u{200d}')
}

/// Variation selectors.
fn is_selector(c: char) -> bool {
    matches!(c, '\u{180b}'..='\u{180d}' | '\u{180f}' | '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}')
}

/// Whether a joiner has an effect after this character: letters of joining scripts, and emoji.
fn takes_joiner(c: char) -> bool {
    matches!(c, '\u{590}'..='\u{109f}' | '\u{1780}'..='\u{18af}' | '\u{1900}'..='\u{1cff}' | '\u{a800}'..='\u{abff}'
        | '\u{fb1d}'..='\u{fdcf}' | '\u{fe70}'..='\u{fefc}' | '\u{10a00}'..='\u{11fff}' | '\u{1e900}'..='\u{1e95f}'
        | '\u{2190}'..='\u{2bff}' | '\u{fe0f}' | '\u{1f000}'..='\u{1faff}')
        && !is_hidden(c)
}

/// The previous character. Joiners and selectors are shown only where they have an effect.
#[derive(Clone, Copy, Debug, Default)]
struct Before(Option<char>);

impl Before {
    /// Whether the next character `c` must not be shown as it is.
    fn hides(&mut self, c: char) -> bool {
        let before = self.0.replace(c);
        if is_joiner(c) {
            !before.is_some_and(takes_joiner)
        } else if is_selector(c) {
            let unstyled =
                |b: char| is_selector(b) || is_joiner(b) || is_hidden(b) || b.is_whitespace();
            before.is_none_or(unstyled)
        } else {
            is_hidden(c)
        }
    }
}

/// The kind of output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// A single line.
    Line,
    /// Text with line breaks and tabs.
    Text,
    /// Serialized JSON.
    Json,
}

impl Form {
    /// Whether these bytes need no cleaning in any context.
    fn is_plain(self, bytes: &[u8]) -> bool {
        bytes
            .iter()
            .all(|b| matches!(b, b' '..=b'~') || (self != Form::Line && matches!(b, b'\n' | b'\t')))
    }

    /// Appends the replacement of a hidden character.
    fn put(self, c: char, out: &mut String) {
        match (self, c) {
            (Form::Line, '\n' | '\r' | '\t') | (Form::Json, '\r') => out.push(' '),
            (Form::Text | Form::Json, '\n' | '\t') => out.push(c),
            (Form::Json, c) => {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    out.push_str(&format!("\\u{unit:04x}"));
                }
            }
            _ => out.push(MARK),
        }
    }
}

/// Cleans a text that arrives in pieces.
#[derive(Clone, Copy, Debug)]
struct Cleaning {
    form: Form,
    before: Before,
    /// The last character was a carriage return. It belongs to a line break if a line feed follows.
    returned: bool,
}

impl Cleaning {
    fn new(form: Form) -> Cleaning {
        Cleaning {
            form,
            before: Before::default(),
            returned: false,
        }
    }

    fn push(&mut self, text: &str, out: &mut String) {
        for c in text.chars() {
            if std::mem::take(&mut self.returned) {
                out.push(if c == '\n' { '\r' } else { MARK });
            }
            if !self.before.hides(c) {
                out.push(c);
            } else if c == '\r' && self.form == Form::Text {
                self.returned = true;
            } else {
                self.form.put(c, out);
            }
        }
    }

    fn end(&mut self, out: &mut String) {
        if std::mem::take(&mut self.returned) {
            out.push(MARK);
        }
    }
}

fn cleaned(text: &str, form: Form) -> Cow<'_, str> {
    if form.is_plain(text.as_bytes()) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut cleaning = Cleaning::new(form);
    cleaning.push(text, &mut out);
    cleaning.end(&mut out);
    Cow::Owned(out)
}

/// Cleans `text` for a single line: line breaks and tabs become spaces. The number of characters
/// stays the same.
pub fn line(text: &str) -> Cow<'_, str> {
    cleaned(text, Form::Line)
}

/// Cleans `text` and keeps its line breaks and tabs.
pub fn text(text: &str) -> Cow<'_, str> {
    cleaned(text, Form::Text)
}

/// Escapes hidden characters in serialized JSON as `\uXXXX`. They occur only inside strings, so
/// every value stays the same.
pub fn json(text: &str) -> Cow<'_, str> {
    cleaned(text, Form::Json)
}

/// Guards a table cell against formula injection in spreadsheets: text that would be taken for a
/// formula gets a leading apostrophe. Numbers, counts, and intervals as they are printed stay
/// unchanged.
pub fn cell(text: &str) -> Cow<'_, str> {
    let number = |c: char| c.is_ascii_digit() || "+-.,%[]/ n=".contains(c);
    let formula = match text.chars().next() {
        Some('=' | '@' | '\t' | '\r') => true,
        Some('+' | '-') => !text.chars().all(number),
        _ => false,
    };
    if formula {
        Cow::Owned(format!("'{text}"))
    } else {
        Cow::Borrowed(text)
    }
}

/// A writer that cleans what passes through it, however it is split into pieces. Invalid UTF-8
/// becomes U+FFFD.
#[derive(Debug)]
pub struct Cleaned<W: Write> {
    out: W,
    cleaning: Cleaning,
    /// The first bytes of an incomplete character.
    held: Vec<u8>,
}

impl<W: Write> Cleaned<W> {
    /// Cleans like [`text`].
    pub fn text(out: W) -> Cleaned<W> {
        Cleaned {
            out,
            cleaning: Cleaning::new(Form::Text),
            held: Vec::new(),
        }
    }

    /// Escapes like [`json`].
    pub fn json(out: W) -> Cleaned<W> {
        Cleaned {
            out,
            cleaning: Cleaning::new(Form::Json),
            held: Vec::new(),
        }
    }
}

impl<W: Write> Write for Cleaned<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let cleaning = &mut self.cleaning;
        if self.held.is_empty() && !cleaning.returned && cleaning.form.is_plain(bytes) {
            if let Some(last) = bytes.last() {
                cleaning.before = Before(Some(char::from(*last)));
            }
            return self.out.write_all(bytes).map(|()| bytes.len());
        }
        self.held.extend_from_slice(bytes);
        let (mut shown, mut rest) = (String::with_capacity(self.held.len()), 0);
        for chunk in self.held.utf8_chunks() {
            cleaning.push(chunk.valid(), &mut shown);
            let invalid = chunk.invalid();
            if std::str::from_utf8(invalid).is_err_and(|e| e.error_len().is_none()) {
                rest = invalid.len();
            } else if !invalid.is_empty() {
                cleaning.push("\u{fffd}", &mut shown);
            }
        }
        self.held.drain(..self.held.len() - rest);
        self.out.write_all(shown.as_bytes()).map(|()| bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let mut shown = String::new();
        self.cleaning.end(&mut shown);
        if !self.held.is_empty() {
            self.held.clear();
            shown.push('\u{fffd}');
        }
        self.out.write_all(shown.as_bytes())?;
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const ATTACK: &str = "\u{1b}]52;c;ZXZpbA==\u{7}a\u{9b}2Jb\u{9d}0;t\u{9c}\u{202e}c\u{2066}d\u{2028}e\u{7f}f\u{200b}\u{feff}\u{e0041}";

    #[test]
    fn control_and_invisible_characters_become_marks() {
        assert_eq!(line("a\tb\u{1b}[2J\r\nc"), "a b·[2J  c");
        assert_eq!(text("a\tb\u{1b}[2J\r\nc\rd\r"), "a\tb·[2J\r\nc·d·");
        assert_eq!(line(ATTACK), "·]52;c;ZXZpbA==·a·2Jb·0;t··c·d·e·f···");
        assert_eq!(line(ATTACK).chars().count(), ATTACK.chars().count());
        for c in [
            '\u{61c}',
            '\u{200e}',
            '\u{200f}',
            '\u{202a}',
            '\u{2069}',
            '\u{2029}',
            '\u{fff9}',
            '\u{e007f}',
            '\u{2062}',
            '\u{85}',
        ] {
            assert_eq!(line(&format!("a{c}b")), "a·b", "{c:?}");
        }
    }

    #[test]
    fn ordinary_text_is_unchanged() {
        for text in [
            "plain",
            "größer",
            "日本語",
            "عربى",
            "👩🏽‍🚀 🏳️‍🌈 1️⃣",
            "می‌خواهم",
            "क्‍ष",
            "葛\u{e0100}",
            "a\u{301}",
            "nbsp\u{a0}.",
            "…·",
        ] {
            assert_eq!(line(text), text);
            assert_eq!(json(text), text);
        }
    }

    #[test]
    fn joiners_and_selectors_without_effect_are_marked() {
        assert_eq!(line("pass\u{200d}word\u{200c}"), "pass·word·");
        assert_eq!(line("👩\u{200d}\u{200d}x"), "👩\u{200d}·x");
        assert_eq!(line("a\u{fe0f}\u{fe01}\u{e0101}"), "a\u{fe0f}··");
        assert_eq!(line("\u{fe0f} \u{e0100}"), "· ·");
    }

    #[test]
    fn writers_clean_split_characters() {
        let whole = format!("{ATTACK}\r\n\"größer\" 👩🏽‍🚀\r.\r");
        for cut in 1..8 {
            let mut out = Cleaned::text(Vec::new());
            whole
                .as_bytes()
                .chunks(cut)
                .for_each(|piece| out.write_all(piece).unwrap());
            out.flush().unwrap();
            assert_eq!(String::from_utf8(out.out).unwrap(), text(&whole), "{cut}");
        }
        let mut out = Cleaned::text(Vec::new());
        out.write_all(b"a\xff\x9bb\xf0\x9f").unwrap();
        out.flush().unwrap();
        assert_eq!(
            String::from_utf8(out.out).unwrap(),
            "a\u{fffd}\u{fffd}b\u{fffd}"
        );
    }

    #[test]
    fn cells_are_guarded_against_formulas() {
        for text in [
            "=1+1",
            "@SUM(A1)",
            "+cmd|'/C calc'!A0",
            "-2+3+cmd|' /C calc'!A0",
            "\t=1",
            "-HYPERLINK(\"x\")",
        ] {
            assert_eq!(cell(text), format!("'{text}"));
        }
        for text in [
            "",
            "a=b",
            "-",
            "-2.50",
            "+3.50 n=20",
            "66.00 33/50",
            "[1.5, 2]",
            "gpt-4",
        ] {
            assert_eq!(cell(text), text);
        }
    }

    proptest! {
        #[test]
        fn json_keeps_values_and_hides_nothing(text in any::<String>(), attack in "[\u{0}-\u{ff}\u{200b}-\u{206f}\u{e0000}-\u{e01ff}]{0,20}") {
            let value = serde_json::json!({&text: attack, "b": [format!("{text}{attack}")]});
            let written = json(&value.to_string()).into_owned();
            prop_assert_eq!(serde_json::from_str::<serde_json::Value>(&written).unwrap(), value);
            prop_assert!(!written.chars().any(is_hidden), "{}", written);
            // Cleaning escaped JSON for display changes nothing.
            prop_assert_eq!(super::text(&written), written.as_str());
        }

        #[test]
        fn cleaned_text_has_no_hidden_characters(text in any::<String>(), attack in "[\u{0}-\u{ff}\u{200b}-\u{206f}\u{e0000}-\u{e01ff}]{0,20}") {
            for whole in [&text, &attack] {
                prop_assert!(!line(whole).chars().any(is_hidden));
                prop_assert_eq!(line(whole).chars().count(), whole.chars().count());
                let lines = super::text(whole).replace("\r\n", "\n");
                prop_assert!(!lines.chars().any(|c| is_hidden(c) && !matches!(c, '\n' | '\t')), "{:?}", lines);
            }
        }
    }
}
