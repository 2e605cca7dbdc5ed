//! `compatibility.toml`: what cannot stand together in one picture, what a picture does not show, what it shows anyway,
//! and which terms can be right at the same time.
//!
//! The file is optional. Without it everything is composed as if there were no such rules.

use std::ops::Range;

use toml_edit::{Array, Document, Item, Table, TableLike, Value};

use super::place;
use benchtop_model::{Finding, Rule};

/// The file's name in the metadata folder.
pub const FILE: &str = "compatibility.toml";
/// Rules of the file, at most.
const RULES: usize = 10_000;
/// Terms that all rules name together, at most.
const TERMS: usize = 200_000;
/// Letters that [`Letters`] may ask for, at most.
const LETTERS: u8 = 16;

/// A name with its place in the file, quotes included, in bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Name {
    /// The vocabulary, term or group.
    pub text: String,
    /// Where.
    pub span: Range<usize>,
}

/// Terms of one vocabulary.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Terms {
    /// The vocabulary, or `style`.
    pub vocabulary: Name,
    /// Its terms.
    pub terms: Vec<Name>,
}

/// `[[not-with]]`: no picture has a term of both sides.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NotWith {
    /// The two sides, of different vocabularies.
    pub sides: [Terms; 2],
    /// Why, for people; may be empty.
    pub why: String,
    /// Line of the rule, from 1.
    pub line: u32,
}

/// `[[hides]]`: a picture with one of the terms does not show these vocabularies, so nothing is asked about them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hides {
    /// What hides, by vocabulary.
    pub terms: Vec<Terms>,
    /// The vocabularies that are hidden.
    pub hides: Vec<Name>,
    /// Why, for people; may be empty.
    pub why: String,
    /// Line of the rule, from 1.
    pub line: u32,
}

/// `[[shows]]`: a picture with one of the terms shows the others too, so none of them is a wrong answer there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shows {
    /// What shows them, by vocabulary.
    pub terms: Vec<Terms>,
    /// What is shown, by vocabulary.
    pub shows: Vec<Terms>,
    /// Why, for people; may be empty.
    pub why: String,
    /// Line of the rule, from 1.
    pub line: u32,
}

/// A group of `[groups.VOCABULARY]`: terms that exclude each other. Those of other groups can be right as well.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Group {
    /// Its name.
    pub name: Name,
    /// Its vocabulary and terms.
    pub terms: Terms,
}

/// `[letters-apart]`: how far wrong answers read from the right one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Letters {
    /// The vocabulary.
    pub vocabulary: Name,
    /// Fewest and most edits.
    pub edits: (u8, u8),
}

/// The whole file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rules {
    /// What cannot stand together.
    pub not_with: Vec<NotWith>,
    /// What is hidden.
    pub hides: Vec<Hides>,
    /// What is shown anyway.
    pub shows: Vec<Shows>,
    /// Groups inside vocabularies.
    pub groups: Vec<Group>,
    /// `[[look-alike]]`: terms of one vocabulary that cannot be told apart.
    pub look_alike: Vec<Terms>,
    /// How far wrong answers read from the right one.
    pub letters: Vec<Letters>,
}

impl Rules {
    /// Every list of terms that a rule names.
    pub fn lists(&self) -> impl Iterator<Item = &Terms> {
        let pairs = self.not_with.iter().flat_map(|r| &r.sides);
        let hides = self.hides.iter().flat_map(|r| &r.terms);
        let shows = self
            .shows
            .iter()
            .flat_map(|r| r.terms.iter().chain(&r.shows));
        pairs
            .chain(hides)
            .chain(shows)
            .chain(self.groups.iter().map(|g| &g.terms))
            .chain(&self.look_alike)
    }

    /// Every vocabulary that a rule names beside those of [`lists`](Self::lists).
    pub fn vocabularies(&self) -> impl Iterator<Item = &Name> {
        self.hides
            .iter()
            .flat_map(|r| &r.hides)
            .chain(self.letters.iter().map(|l| &l.vocabulary))
    }
}

/// Reads the text of `compatibility.toml`. Rules that cannot be used are left out and found.
pub fn parse(text: &str) -> (Rules, Vec<Finding>) {
    let document = match Document::parse(text) {
        Ok(document) => document,
        Err(error) => {
            let finding = Finding::new(
                Rule::Unreadable,
                FILE,
                error.message().trim().replace('\n', " "),
            );
            return (
                Rules::default(),
                vec![place::at(finding, text, error.span().unwrap_or(0..0))],
            );
        }
    };
    let mut reader = Reader {
        text,
        found: Vec::new(),
        rules: 0,
        terms: 0,
    };
    let mut rules = Rules::default();
    reader.file(document.as_table(), &mut rules);
    (rules, reader.found)
}

/// The keys of a rule's own table.
const WHY: &str = "why";
const HIDES: &str = "hides";
const SHOWS: &str = "shows";

struct Reader<'t> {
    text: &'t str,
    found: Vec<Finding>,
    rules: usize,
    terms: usize,
}

impl Reader<'_> {
    fn say(&mut self, span: Option<Range<usize>>, field: &str, what: &str) {
        let finding = Finding::new(
            Rule::BadRule,
            FILE,
            format!("`{}`: {what}", printable(field)),
        );
        self.found.push(place::at(
            finding.term(printable(field)),
            self.text,
            span.unwrap_or(0..0),
        ));
    }

    fn file(&mut self, table: &Table, rules: &mut Rules) {
        for (key, item) in table.iter() {
            let span = table.key(key).and_then(|k| k.span()).or(item.span());
            match key {
                "not-with" | HIDES | SHOWS | "look-alike" => {
                    let Some(tables) = item.as_array_of_tables() else {
                        self.say(
                            span,
                            key,
                            "each rule is a table of its own, under `[[...]]`",
                        );
                        continue;
                    };
                    for table in tables.iter() {
                        self.rules += 1;
                        if self.rules > RULES {
                            self.say(table.span(), key, "a file has at most 10,000 rules");
                            return;
                        }
                        match key {
                            "not-with" => rules.not_with.extend(self.not_with(table)),
                            HIDES => rules.hides.extend(self.hides(table)),
                            SHOWS => rules.shows.extend(self.shows(table)),
                            _ => rules.look_alike.extend(self.look_alike(table)),
                        }
                    }
                }
                "groups" => self.groups(item, span, rules),
                "letters-apart" => self.letters(item, span, rules),
                _ => self.say(
                    span,
                    key,
                    "known are not-with, hides, shows, groups, look-alike and letters-apart",
                ),
            }
        }
    }

    /// The lists of terms of a rule's table; `own` are keys that are no vocabularies.
    fn sides(&mut self, rule: &str, table: &dyn TableLike, own: &[&str]) -> Option<Vec<Terms>> {
        let mut sides = Vec::new();
        let mut good = true;
        for (key, item) in table.iter().filter(|(k, _)| !own.contains(k)) {
            let span = table.key(key).and_then(|k| k.span());
            let field = format!("{rule}.{key}");
            match self.names(&field, item) {
                Some(terms) => {
                    let text = key.to_string();
                    sides.push(Terms {
                        vocabulary: Name {
                            text,
                            span: span.unwrap_or(0..0),
                        },
                        terms,
                    });
                }
                None => good = false,
            }
        }
        good.then_some(sides)
    }

    /// A list of names.
    fn names(&mut self, field: &str, item: &Item) -> Option<Vec<Name>> {
        let Some(array) = item.as_array() else {
            self.say(
                item.span(),
                field,
                "a list of terms, such as [\"in a desert\", \"in a cave\"]",
            );
            return None;
        };
        self.array(field, array)
    }

    fn array(&mut self, field: &str, array: &Array) -> Option<Vec<Name>> {
        self.terms += array.len();
        if self.terms > TERMS {
            self.say(
                array.span(),
                field,
                "the rules of a file name at most 200,000 terms",
            );
            return None;
        }
        let mut names: Vec<Name> = Vec::with_capacity(array.len());
        for value in array.iter() {
            let Some(text) = value.as_str() else {
                self.say(value.span(), field, "a term is a text in quotes");
                return None;
            };
            if text.trim().is_empty() || text.chars().any(char::is_control) {
                self.say(
                    value.span(),
                    field,
                    "a term says something and holds no control characters",
                );
                return None;
            }
            names.push(Name {
                text: text.to_string(),
                span: value.span().unwrap_or(0..0),
            });
        }
        if names.is_empty() {
            self.say(array.span(), field, "the list names nothing");
            return None;
        }
        let mut sorted: Vec<&Name> = names.iter().collect();
        sorted.sort_by(|a, b| (&a.text, a.span.start).cmp(&(&b.text, b.span.start)));
        if let Some(twice) = sorted.windows(2).find(|w| w[0].text == w[1].text) {
            let (span, what) = (
                twice[1].span.clone(),
                format!("{} is named twice", twice[1].text),
            );
            self.say(Some(span), field, &what);
            return None;
        }
        Some(names)
    }

    fn why(&mut self, rule: &str, table: &Table) -> Option<String> {
        match table.get(WHY) {
            None => Some(String::new()),
            Some(item) => match item.as_str().filter(|w| !w.chars().any(char::is_control)) {
                Some(why) => Some(why.trim().to_string()),
                None => {
                    self.say(
                        item.span(),
                        &format!("{rule}.{WHY}"),
                        "one line of text that says why",
                    );
                    None
                }
            },
        }
    }

    fn line(&self, table: &Table) -> u32 {
        let start = table.span().map_or(0, |s| s.start);
        self.text
            .get(..start)
            .map_or(0, |t| t.matches('\n').count() as u32 + 1)
    }

    fn not_with(&mut self, table: &Table) -> Option<NotWith> {
        let rule = "not-with";
        let sides = self.sides(rule, table, &[WHY])?;
        let why = self.why(rule, table)?;
        match <[Terms; 2]>::try_from(sides) {
            Ok(sides) => Some(NotWith {
                sides,
                why,
                line: self.line(table),
            }),
            Err(sides) => {
                let what = format!(
                    "{} vocabularies, and it is two that cannot stand together",
                    sides.len()
                );
                self.say(table.span(), rule, &what);
                None
            }
        }
    }

    fn hides(&mut self, table: &Table) -> Option<Hides> {
        let terms = self.sides(HIDES, table, &[WHY, HIDES])?;
        let why = self.why(HIDES, table)?;
        let hidden = match table.get(HIDES) {
            Some(item) => self.names("hides.hides", item)?,
            None => Vec::new(),
        };
        if terms.is_empty() || hidden.is_empty() {
            self.say(
                table.span(),
                HIDES,
                "needs terms that hide, and `hides = [...]` with the vocabularies they hide",
            );
            return None;
        }
        Some(Hides {
            terms,
            hides: hidden,
            why,
            line: self.line(table),
        })
    }

    fn shows(&mut self, table: &Table) -> Option<Shows> {
        let terms = self.sides(SHOWS, table, &[WHY, SHOWS])?;
        let why = self.why(SHOWS, table)?;
        let shown = match table.get(SHOWS).map(|i| (i, i.as_table_like())) {
            Some((_, Some(shown))) => self.sides("shows.shows", shown, &[])?,
            Some((item, None)) => {
                self.say(
                    item.span(),
                    "shows.shows",
                    "lists of terms by vocabulary, such as { plant = [\"fern\"] }",
                );
                return None;
            }
            None => Vec::new(),
        };
        if terms.is_empty() || shown.is_empty() {
            self.say(
                table.span(),
                SHOWS,
                "needs terms, and `shows = { VOCABULARY = [...] }` with what they show",
            );
            return None;
        }
        Some(Shows {
            terms,
            shows: shown,
            why,
            line: self.line(table),
        })
    }

    fn look_alike(&mut self, table: &Table) -> Option<Terms> {
        let mut sides = self.sides("look-alike", table, &[WHY])?;
        self.why("look-alike", table)?;
        match sides
            .pop()
            .filter(|s| sides.is_empty() && s.terms.len() > 1)
        {
            Some(terms) => Some(terms),
            None => {
                self.say(
                    table.span(),
                    "look-alike",
                    "two terms or more of one vocabulary",
                );
                None
            }
        }
    }

    fn groups(&mut self, item: &Item, span: Option<Range<usize>>, rules: &mut Rules) {
        let Some(vocabularies) = item.as_table_like() else {
            return self.say(
                span,
                "groups",
                "a table for each vocabulary, `[groups.background]`",
            );
        };
        for (vocabulary, item) in vocabularies.iter() {
            let at = vocabularies.key(vocabulary).and_then(|k| k.span());
            let field = format!("groups.{vocabulary}");
            let Some(groups) = item.as_table_like() else {
                self.say(
                    at,
                    &field,
                    "lists of terms by group, such as place = [\"in a cave\"]",
                );
                continue;
            };
            let Some(sides) = self.sides(&field, groups, &[]) else {
                continue;
            };
            self.rules += sides.len();
            if self.rules > RULES {
                return self.say(at, &field, "a file has at most 10,000 rules");
            }
            let mut seen = std::collections::HashSet::new();
            let twice = sides
                .iter()
                .flat_map(|s| &s.terms)
                .find(|t| !seen.insert(t.text.clone()));
            if let Some(term) = twice {
                let what = format!("{} is in two groups", term.text);
                self.say(Some(term.span.clone()), &field, &what);
                continue;
            }
            for Terms {
                vocabulary: name,
                terms,
            } in sides
            {
                let vocabulary = Name {
                    text: vocabulary.to_string(),
                    span: at.clone().unwrap_or(0..0),
                };
                rules.groups.push(Group {
                    name,
                    terms: Terms { vocabulary, terms },
                });
            }
        }
    }

    fn letters(&mut self, item: &Item, span: Option<Range<usize>>, rules: &mut Rules) {
        let Some(table) = item.as_table_like() else {
            return self.say(
                span,
                "letters-apart",
                "the fewest and most edits by vocabulary, such as text = [2, 3]",
            );
        };
        for (key, item) in table.iter() {
            let edits: Vec<Option<i64>> = item
                .as_array()
                .map_or(Vec::new(), |a| a.iter().map(Value::as_integer).collect());
            let small = |n: i64| u8::try_from(n).ok().filter(|n| (1..=LETTERS).contains(n));
            match edits[..] {
                [Some(least), Some(most)]
                    if least <= most && small(least).is_some() && small(most).is_some() =>
                {
                    let at = table.key(key).and_then(|k| k.span()).unwrap_or(0..0);
                    let edits = (small(least).unwrap_or(1), small(most).unwrap_or(1));
                    rules.letters.push(Letters {
                        vocabulary: Name {
                            text: key.to_string(),
                            span: at,
                        },
                        edits,
                    });
                }
                _ => self.say(
                    item.span(),
                    &format!("letters-apart.{key}"),
                    "two numbers from 1 to 16, the fewest and the most edits, such as [2, 3]",
                ),
            }
        }
    }
}

/// The text with what cannot be printed escaped, cut to a line's length.
fn printable(text: &str) -> String {
    text.chars()
        .take(60)
        .flat_map(|c| c.escape_debug())
        .collect()
}

#[cfg(test)]
#[path = "rules_tests.rs"]
mod tests;
