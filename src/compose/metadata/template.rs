//! Templates: text with named slots, such as `a {color} {animal}`.
//!
//! `{name}` becomes a term, `{a name}` a term with its indefinite article; `{{` and `}}` are
//! braces.

use std::ops::Range;

/// A slot of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slot {
    pub name: String,
    /// Whether "a" or "an" precedes the term.
    pub article: bool,
    /// Byte range in the source, including braces.
    pub at: Range<usize>,
}

/// A part of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// Literal text.
    Text(String),
    /// A slot.
    Slot(Slot),
}

/// A syntax error in a template, with its byte range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TemplateError {
    pub at: Range<usize>,
    /// The error, in one sentence without a full stop.
    pub what: String,
}

/// A parsed template.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Template {
    source: String,
    pieces: Vec<Piece>,
}

impl Template {
    /// Parses `source`.
    ///
    /// # Errors
    /// An unmatched brace or an invalid slot name.
    pub fn parse(source: &str) -> Result<Template, TemplateError> {
        let mut pieces = Vec::new();
        let mut text = String::new();
        let mut at = 0;
        while let Some(c) = source[at..].chars().next() {
            let next = source[at + c.len_utf8()..].chars().next();
            match (c, next) {
                ('{', Some('{')) | ('}', Some('}')) => {
                    text.push(c);
                    at += 2;
                }
                ('}', _) => {
                    return Err(TemplateError {
                        at: at..at + 1,
                        what: "unmatched `}`; write `}}` for a brace".into(),
                    });
                }
                ('{', _) => {
                    let slot = slot(source, at)?;
                    at = slot.at.end;
                    if !text.is_empty() {
                        pieces.push(Piece::Text(std::mem::take(&mut text)));
                    }
                    pieces.push(Piece::Slot(slot));
                }
                _ => {
                    text.push(c);
                    at += c.len_utf8();
                }
            }
        }
        if !text.is_empty() {
            pieces.push(Piece::Text(text));
        }
        Ok(Template {
            source: source.to_string(),
            pieces,
        })
    }

    /// The source text.
    pub fn source(&self) -> &str {
        &self.source
    }

    pub fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// Its slots in order.
    pub fn slots(&self) -> impl Iterator<Item = &Slot> {
        self.pieces.iter().filter_map(|p| match p {
            Piece::Slot(slot) => Some(slot),
            Piece::Text(_) => None,
        })
    }

    /// Its slots with other names than these.
    pub fn slots_beyond<'s>(&'s self, known: &'s [&str]) -> impl Iterator<Item = &'s Slot> {
        self.slots().filter(|s| !known.contains(&s.name.as_str()))
    }

    /// Whether it has a slot with this name.
    pub fn has(&self, name: &str) -> bool {
        self.slots().any(|s| s.name == name)
    }

    /// Renders the template with the terms from `term`. Slots without a term are left out.
    pub fn render<'t>(&self, out: &mut String, term: impl Fn(&str) -> Option<&'t str>) {
        for piece in &self.pieces {
            match piece {
                Piece::Text(text) => out.push_str(text),
                Piece::Slot(slot) => {
                    let term = term(&slot.name).unwrap_or_default();
                    if slot.article {
                        out.push_str(article(term));
                        out.push(' ');
                    }
                    out.push_str(term);
                }
            }
        }
    }
}

fn slot(source: &str, open: usize) -> Result<Slot, TemplateError> {
    let rest = &source[open + 1..];
    let end = rest
        .find(['{', '}', '\n'])
        .filter(|&i| rest[i..].starts_with('}'));
    let Some(end) = end else {
        let line = rest.find(['{', '\n']).unwrap_or(rest.len());
        return Err(TemplateError {
            at: open..open + 1 + line,
            what: "unclosed `{`; write `{{` for a brace".into(),
        });
    };
    let at = open..open + end + 2;
    let inside = &rest[..end];
    let (article, name) = match inside.strip_prefix("a ") {
        Some(name) => (true, name),
        None => (false, inside),
    };
    let ok = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if name.is_empty() || !name.chars().all(ok) {
        let what =
            format!("invalid slot `{{{inside}}}`: names are lowercase letters, digits, and `-`");
        return Err(TemplateError { at, what });
    }
    Ok(Slot {
        name: name.to_string(),
        article,
        at,
    })
}

/// Prefixes of words that start with a vowel letter and a consonant sound.
const SPOKEN_CONSONANT: [&str; 8] = ["uni", "use", "usu", "eu", "one", "once", "ukulele", "ute"];
/// Prefixes of words that start with a consonant letter and a vowel sound.
const SPOKEN_VOWEL: [&str; 4] = ["hour", "honest", "honor", "heir"];
/// Exceptions from the first list that start with a vowel sound.
const SPOKEN_AS_SPELT: [&str; 2] = ["unim", "unin"];

/// "a" or "an", depending on the start of the term.
pub fn article(term: &str) -> &'static str {
    let word = term.to_lowercase();
    let begins = |list: &[&str]| list.iter().any(|p| word.starts_with(p));
    let vowel = word.starts_with(['a', 'e', 'i', 'o', 'u']);
    let an = begins(&SPOKEN_VOWEL)
        || (vowel && (!begins(&SPOKEN_CONSONANT) || begins(&SPOKEN_AS_SPELT)));
    if an { "an" } else { "a" }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fill(source: &str) -> String {
        let mut out = String::new();
        Template::parse(source)
            .unwrap()
            .render(&mut out, |name| match name {
                "animal" => Some("owl"),
                "color" => Some("white"),
                _ => None,
            });
        out
    }

    #[test]
    fn render_fills_slots_and_keeps_braces() {
        assert_eq!(fill("1 {color} {animal}, seen"), "1 white owl, seen");
        assert_eq!(
            fill("{a animal} and {a color} one"),
            "an owl and a white one"
        );
        assert_eq!(fill("{{{animal}}} ü"), "{owl} ü");
        let template = Template::parse("x {color} {a animal}").unwrap();
        let slots: Vec<_> = template
            .slots()
            .map(|s| (s.name.as_str(), s.at.clone()))
            .collect();
        assert_eq!(slots, [("color", 2..9), ("animal", 10..20)]);
        assert_eq!(template.source(), "x {color} {a animal}");
    }

    #[test]
    fn syntax_errors_are_located() {
        let flaw = |s: &str| Template::parse(s).unwrap_err();
        assert_eq!(flaw("a {color").at, 2..8);
        assert_eq!(flaw("a } b").at, 2..3);
        assert_eq!(flaw("a {} b").at, 2..4);
        assert_eq!(flaw("ü {Color}").at, 3..10);
        assert_eq!(flaw("{a\n}").at, 0..2);
        assert_eq!(flaw("{a {b}").at, 0..3);
    }

    #[test]
    fn articles_follow_the_sound() {
        for (term, wanted) in [
            ("owl", "an"),
            ("dog", "a"),
            ("unicorn", "a"),
            ("umbrella", "an"),
            ("hourglass", "an"),
            ("horse", "a"),
            ("European badger", "a"),
            ("Uninteresting thing", "an"),
            ("", "a"),
        ] {
            assert_eq!(article(term), wanted, "{term}");
        }
    }
}
