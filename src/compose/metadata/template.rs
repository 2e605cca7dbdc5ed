//! The text of a template: words with named slots, `a {color} {animal}`.
//!
//! `{name}` stands for a term; `{a name}` for the term with its indefinite article; `{{` and `}}` for braces.

use std::ops::Range;

/// A slot in a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slot {
    /// What it stands for.
    pub name: String,
    /// Whether "a" or "an" goes before the term.
    pub article: bool,
    /// Where it stands in the source, braces included, in bytes.
    pub at: Range<usize>,
}

/// A part of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// Words as they are.
    Text(String),
    /// What is filled in.
    Slot(Slot),
}

/// What is wrong with a template's text, and where in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flaw {
    /// Where.
    pub at: Range<usize>,
    /// What, in one sentence without a full stop.
    pub what: String,
}

/// A template, taken apart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Template {
    source: String,
    pieces: Vec<Piece>,
}

impl Template {
    /// Takes `source` apart.
    ///
    /// # Errors
    /// The first brace that is not closed or opened, or a slot without a name.
    pub fn parse(source: &str) -> Result<Template, Flaw> {
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
                    return Err(Flaw {
                        at: at..at + 1,
                        what: "`}` without `{`; write `}}` for a brace".into(),
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

    /// The text it was made from.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Its parts, in order.
    pub fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// Its slots, in order.
    pub fn slots(&self) -> impl Iterator<Item = &Slot> {
        self.pieces.iter().filter_map(|p| match p {
            Piece::Slot(slot) => Some(slot),
            Piece::Text(_) => None,
        })
    }

    /// Whether it has a slot of this name.
    pub fn has(&self, name: &str) -> bool {
        self.slots().any(|s| s.name == name)
    }

    /// Writes the template with its slots filled by `term`; a slot without a term is left out.
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

fn slot(source: &str, open: usize) -> Result<Slot, Flaw> {
    let rest = &source[open + 1..];
    let end = rest
        .find(['{', '}', '\n'])
        .filter(|&i| rest[i..].starts_with('}'));
    let Some(end) = end else {
        let line = rest.find(['{', '\n']).unwrap_or(rest.len());
        return Err(Flaw {
            at: open..open + 1 + line,
            what: "`{` is not closed; write `{{` for a brace".into(),
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
            format!("`{{{inside}}}` is not a slot: names are lower-case letters, digits and `-`");
        return Err(Flaw { at, what });
    }
    Ok(Slot {
        name: name.to_string(),
        article,
        at,
    })
}

/// Words spelt with a vowel and spoken with a consonant, by how they begin.
const SPOKEN_CONSONANT: [&str; 8] = ["uni", "use", "usu", "eu", "one", "once", "ukulele", "ute"];
/// Words spelt with a consonant and spoken with a vowel, by how they begin.
const SPOKEN_VOWEL: [&str; 4] = ["hour", "honest", "honor", "heir"];
/// Words that begin like the first list and are spoken as they are spelt.
const SPOKEN_AS_SPELT: [&str; 2] = ["unim", "unin"];

/// "a" or "an", by how the term begins.
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
    fn slots_are_filled_and_braces_kept() {
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
    fn what_is_not_a_slot_is_named_with_its_place() {
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
