//! Key notation: `a`, `U`, `ctrl-r`, `shift-left`, `gg`.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use benchtop_model::{Error, Result};

/// One key press, normalized: a character never has SHIFT.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Press {
    pub code: KeyCode,
    /// CONTROL and ALT, and SHIFT if the key is not a character.
    pub modifiers: KeyModifiers,
}

impl From<KeyEvent> for Press {
    fn from(key: KeyEvent) -> Self {
        let mut kept = KeyModifiers::CONTROL | KeyModifiers::ALT;
        if !matches!(key.code, KeyCode::Char(_)) {
            kept |= KeyModifiers::SHIFT;
        }
        Press {
            code: key.code,
            modifiers: key.modifiers & kept,
        }
    }
}

impl Press {
    fn plain(code: KeyCode) -> Press {
        Press {
            code,
            modifiers: KeyModifiers::NONE,
        }
    }

    /// The character that this key types, if any.
    pub fn types(self) -> Option<char> {
        match self.code {
            KeyCode::Char(c) if self.modifiers.is_empty() => Some(c),
            _ => None,
        }
    }

    /// The letter pressed together with ctrl.
    pub fn control(self) -> Option<char> {
        match self.code {
            KeyCode::Char(c) if self.modifiers == KeyModifiers::CONTROL => Some(c),
            _ => None,
        }
    }
}

/// One or more presses in a row: `a`, `ctrl-r`, `gg`, `z[`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Chord(pub Vec<Press>);

/// Named keys.
const NAMED: [(&str, KeyCode); 16] = [
    ("esc", KeyCode::Esc),
    ("enter", KeyCode::Enter),
    ("tab", KeyCode::Tab),
    ("space", KeyCode::Char(' ')),
    ("backspace", KeyCode::Backspace),
    ("insert", KeyCode::Insert),
    ("delete", KeyCode::Delete),
    ("up", KeyCode::Up),
    ("down", KeyCode::Down),
    ("left", KeyCode::Left),
    ("right", KeyCode::Right),
    ("home", KeyCode::Home),
    ("end", KeyCode::End),
    ("pgup", KeyCode::PageUp),
    ("pgdn", KeyCode::PageDown),
    ("f1", KeyCode::F(1)),
];

/// The key with this name, including `f1` to `f12`.
fn named(name: &str) -> Option<KeyCode> {
    let found = NAMED
        .iter()
        .find(|(n, _)| *n == name)
        .map(|(_, code)| *code);
    let number = |digits: &str| {
        digits
            .parse()
            .ok()
            .filter(|n| digits.bytes().all(|b| b.is_ascii_digit()) && (1..=12).contains(n))
    };
    let function = || {
        name.strip_prefix('f')
            .filter(|digits| !digits.starts_with('0'))
            .and_then(number)
    };
    found.or_else(|| function().map(KeyCode::F))
}

/// Whether terminals distinguish this key with SHIFT or CONTROL from the plain key.
fn takes_modifiers(code: KeyCode) -> bool {
    use KeyCode as K;
    matches!(
        code,
        K::Up | K::Down | K::Left | K::Right | K::Home | K::End | K::PageUp | K::PageDown | K::F(_)
    )
}

fn bad(text: &str) -> Error {
    Error::usage(format!("`{text}` is not a key")).help(
        "a key is a character, two characters pressed one after the other, `ctrl-r`, `shift-left`, or one of: esc enter \
         tab space backspace insert delete up down left right home end pgup pgdn f1 to f12",
    )
}

fn untypable(text: &str, why: &str, help: impl Into<String>) -> Error {
    Error::usage(format!("`{text}` does not work in every terminal: {why}")).help(help)
}

impl Chord {
    /// Parses `a`, `U`, `esc`, `enter`, `tab`, `space`, `pgdn`, `f1`, `shift-left`, `ctrl-r`, `gg`,
    /// `z[`.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Usage`](benchtop_model::ErrorKind::Usage) if the text is not a key, or if
    /// terminals without kitty's keyboard protocol cannot distinguish it from another key.
    pub fn parse(text: &str) -> Result<Chord> {
        if let Some(code) = named(text) {
            return Ok(Chord(vec![Press::plain(code)]));
        }
        let one = |code, modifiers| Ok(Chord(vec![Press { code, modifiers }]));
        if let Some(rest) = text.strip_prefix("shift-").filter(|r| !r.is_empty()) {
            return match named(rest) {
                Some(KeyCode::Tab) => one(KeyCode::BackTab, KeyModifiers::SHIFT),
                Some(code) if takes_modifiers(code) => one(code, KeyModifiers::SHIFT),
                Some(_) => Err(untypable(
                    text,
                    "it sends the same as without shift",
                    format!("write `{rest}`"),
                )),
                None if rest.chars().count() == 1 => {
                    let upper = rest.to_uppercase();
                    Err(untypable(
                        text,
                        "characters are written without shift",
                        format!("write `{upper}`"),
                    ))
                }
                None => Err(bad(text)),
            };
        }
        if let Some(rest) = text.strip_prefix("ctrl-").filter(|r| !r.is_empty()) {
            return control(text, rest);
        }
        if text.len() > 4 && text.starts_with("alt-") {
            let why = "on a slow line, alt and a key arrive as esc and that key";
            return Err(untypable(
                text,
                why,
                "use a character, or ctrl with a letter",
            ));
        }
        let characters = text.chars().count();
        let columns = |c: char| crate::widgets::text::width(c.encode_utf8(&mut [0; 4]));
        let printed = text
            .chars()
            .all(|c| !benchtop_model::clean::is_hidden(c) && !c.is_whitespace() && columns(c) > 0);
        if !(1..=2).contains(&characters) || !printed {
            return Err(bad(text));
        }
        Ok(Chord(
            text.chars()
                .map(|c| Press::plain(KeyCode::Char(c)))
                .collect(),
        ))
    }

    /// The text that [`parse`](Self::parse) reads back, as shown in the key bar.
    pub fn label(&self) -> String {
        self.0.iter().map(|p| label(*p)).collect()
    }

    /// Whether the chords are equal or one is a prefix of the other.
    pub fn hides(&self, other: &Chord) -> bool {
        self.0.iter().zip(&other.0).all(|(a, b)| a == b)
    }

    /// The press of a chord of one key.
    pub fn single(&self) -> Option<Press> {
        match self.0.as_slice() {
            [press] => Some(*press),
            _ => None,
        }
    }
}

fn control(text: &str, rest: &str) -> Result<Chord> {
    let mut chars = rest.chars();
    let one = |code| {
        Ok(Chord(vec![Press {
            code,
            modifiers: KeyModifiers::CONTROL,
        }]))
    };
    let same = |key: &str| {
        untypable(
            text,
            &format!("it sends the same as `{key}`"),
            format!("write `{key}`"),
        )
    };
    match (chars.next(), chars.next()) {
        (Some('i'), None) => Err(same("tab")),
        (Some('m'), None) => Err(same("enter")),
        (Some('['), None) => Err(same("esc")),
        (Some('h'), None) => Err(same("backspace")),
        (Some(c @ 'a'..='z'), None) => one(KeyCode::Char(c)),
        (Some(c @ 'A'..='Z'), None) => {
            let lower = c.to_ascii_lowercase();
            Err(untypable(
                text,
                "ctrl does not distinguish capital letters",
                format!("write `ctrl-{lower}`"),
            ))
        }
        (Some(_), None) => Err(untypable(
            text,
            "ctrl works with letters only",
            "use a letter",
        )),
        _ => match named(rest) {
            Some(code) if takes_modifiers(code) => one(code),
            Some(_) => Err(untypable(
                text,
                "it sends the same as without ctrl",
                format!("write `{rest}`"),
            )),
            None => Err(bad(text)),
        },
    }
}

fn label(press: Press) -> String {
    let key = match press.code {
        KeyCode::BackTab => return "shift-tab".into(),
        KeyCode::F(n) => format!("f{n}"),
        code => match NAMED.iter().find(|(_, c)| *c == code) {
            Some((name, _)) => (*name).to_string(),
            None => match code {
                KeyCode::Char(c) => c.to_string(),
                other => format!("{other:?}").to_lowercase(),
            },
        },
    };
    match press.modifiers {
        m if m.contains(KeyModifiers::CONTROL) => format!("ctrl-{key}"),
        m if m.contains(KeyModifiers::SHIFT) => format!("shift-{key}"),
        _ => key,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chords_round_trip() {
        for text in [
            "a",
            "U",
            "ä",
            "gg",
            "z[",
            "?",
            "esc",
            "space",
            "f1",
            "f12",
            "ctrl-r",
            "ctrl-left",
            "shift-pgup",
        ] {
            assert_eq!(Chord::parse(text).unwrap().label(), text);
        }
        let tab = Press::from(KeyEvent::new(KeyCode::BackTab, KeyModifiers::SHIFT));
        assert_eq!(Chord::parse("shift-tab").unwrap(), Chord(vec![tab]));
        assert_eq!(Chord(vec![tab]).label(), "shift-tab");
    }

    #[test]
    fn keys_that_plain_terminals_cannot_send_are_refused_with_help() {
        for (text, help) in [
            ("ctrl-i", "write `tab`"),
            ("ctrl-m", "write `enter`"),
            ("ctrl-[", "write `esc`"),
            ("ctrl-h", "write `backspace`"),
            ("ctrl-R", "write `ctrl-r`"),
            ("ctrl-1", "use a letter"),
            ("ctrl-enter", "write `enter`"),
            ("shift-a", "write `A`"),
            ("shift-space", "write `space`"),
            ("shift-enter", "write `enter`"),
            ("alt-x", "use a character, or ctrl with a letter"),
        ] {
            let problem = Chord::parse(text).unwrap_err();
            assert!(
                problem.what.starts_with(&format!("`{text}` does not work")),
                "{problem}"
            );
            assert_eq!(problem.help.as_deref(), Some(help), "{text}");
        }
        for text in [
            "", " ", "a b", "abc", "f13", "f01", "f+1", "ctrl-", "shift-", "\u{301}", "a\u{1b}",
            "enters",
        ] {
            let problem = Chord::parse(text).unwrap_err();
            assert!(
                problem.what.ends_with("is not a key"),
                "{text:?}: {problem}"
            );
        }
    }

    #[test]
    fn a_chord_hides_itself_and_its_extensions() {
        let chord = |text| Chord::parse(text).unwrap();
        assert!(
            chord("g").hides(&chord("gg"))
                && chord("gg").hides(&chord("g"))
                && chord("x").hides(&chord("x"))
        );
        assert!(!chord("gs").hides(&chord("gg")) && !chord("a").hides(&chord("b")));
    }
}
