//! `compatibility.toml`: terms that cannot appear in one picture, that hide or show others, and
//! that can be right at the same time.
//!
//! The file is optional. Without it, no such rules apply.

use std::ops::Range;

use toml_edit::{Array, Document, Item, Table, TableLike, Value};

use super::positions;
use benchtop_model::sorting::sort_by;
use benchtop_model::{Finding, Rule};

/// Name of the file in the metadata folder.
pub const FILE: &str = "compatibility.toml";
/// Maximum number of rules in the file.
const RULES: usize = 10_000;
/// Maximum number of terms in all rules.
const TERMS: usize = 200_000;
/// Maximum number of edits in [`Letters`].
const LETTERS: u8 = 16;

/// A name with its byte range in the file, including quotes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Name {
    /// The vocabulary, term, or group.
    pub text: String,
    pub span: Range<usize>,
}

impl Name {
    fn new(text: &str, span: Option<Range<usize>>) -> Name {
        Name {
            text: text.to_string(),
            span: span.unwrap_or(0..0),
        }
    }
}

/// Terms of one vocabulary.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Terms {
    /// The vocabulary, or `style`.
    pub vocabulary: Name,
    pub terms: Vec<Name>,
}

/// `[[not-with]]`: no picture has terms of both sides.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NotWith {
    /// The two sides, of different vocabularies.
    pub sides: [Terms; 2],
    /// The reason; may be empty.
    pub why: String,
    /// Line of the rule, from 1.
    pub line: u32,
}

/// `[[hides]]`: a picture with one of the terms does not show these vocabularies, so no question is
/// about them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hides {
    /// The hiding terms, by vocabulary.
    pub terms: Vec<Terms>,
    /// The hidden vocabularies.
    pub hides: Vec<Name>,
    /// The reason; may be empty.
    pub why: String,
    /// Line of the rule, from 1.
    pub line: u32,
}

/// `[[shows]]`: a picture with one of the terms also shows the others, so they are not wrong
/// answers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shows {
    /// The showing terms, by vocabulary.
    pub terms: Vec<Terms>,
    /// The shown terms, by vocabulary.
    pub shows: Vec<Terms>,
    /// The reason; may be empty.
    pub why: String,
    /// Line of the rule, from 1.
    pub line: u32,
}

/// A group of `[groups.VOCABULARY]`: terms that exclude each other. Terms of different groups can
/// be right together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Group {
    pub name: Name,
    /// Its vocabulary and terms.
    pub terms: Terms,
}

/// `[letters-apart]`: edit distances of wrong answers from the right one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Letters {
    pub vocabulary: Name,
    /// Minimum and maximum number of edits.
    pub edits: (u8, u8),
}

/// The parsed file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rules {
    /// Incompatible terms.
    pub not_with: Vec<NotWith>,
    /// Hidden vocabularies.
    pub hides: Vec<Hides>,
    /// Terms that are also shown.
    pub shows: Vec<Shows>,
    /// Groups within vocabularies.
    pub groups: Vec<Group>,
    /// `[[look-alike]]`: terms of one vocabulary that look alike.
    pub look_alike: Vec<Terms>,
    /// Edit distances of wrong answers.
    pub letters: Vec<Letters>,
}

impl Rules {
    /// All lists of terms in rules.
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

    /// All vocabularies in rules beyond those of [`lists`](Self::lists).
    pub fn vocabularies(&self) -> impl Iterator<Item = &Name> {
        self.hides
            .iter()
            .flat_map(|r| &r.hides)
            .chain(self.letters.iter().map(|l| &l.vocabulary))
    }
}

/// Parses `compatibility.toml`. Invalid rules are left out and reported.
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
                vec![positions::at(finding, text, error.span().unwrap_or(0..0))],
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

/// Keys in the table of a rule.
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
        self.found.push(positions::at(
            finding.term(printable(field)),
            self.text,
            span.unwrap_or(0..0),
        ));
    }

    /// Reports a fault, so that the part that has it is left out.
    fn refuse<T>(&mut self, span: Option<Range<usize>>, field: &str, what: &str) -> Option<T> {
        self.say(span, field, what);
        None
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
                            "expected one table per rule, `[[...]]`",
                        );
                        continue;
                    };
                    for table in tables.iter() {
                        self.rules += 1;
                        if self.rules > RULES {
                            self.say(table.span(), key, "too many rules; the limit is 10,000");
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
                    "unknown key, expected not-with, hides, shows, groups, look-alike, or letters-apart",
                ),
            }
        }
    }

    /// The lists of terms in a rule's table. `own` are keys other than vocabularies.
    fn sides(&mut self, rule: &str, table: &dyn TableLike, own: &[&str]) -> Option<Vec<Terms>> {
        let mut sides = Vec::new();
        let mut good = true;
        for (key, item) in table.iter().filter(|(k, _)| !own.contains(k)) {
            let span = table.key(key).and_then(|k| k.span());
            let field = format!("{rule}.{key}");
            match self.names(&field, item) {
                Some(terms) => sides.push(Terms {
                    vocabulary: Name::new(key, span),
                    terms,
                }),
                None => good = false,
            }
        }
        good.then_some(sides)
    }

    fn names(&mut self, field: &str, item: &Item) -> Option<Vec<Name>> {
        let Some(array) = item.as_array() else {
            let what = "expected a list of terms, such as [\"in a desert\", \"in a cave\"]";
            return self.refuse(item.span(), field, what);
        };
        self.array(field, array)
    }

    fn array(&mut self, field: &str, array: &Array) -> Option<Vec<Name>> {
        self.terms += array.len();
        if self.terms > TERMS {
            let what = "too many terms in the rules; the limit is 200,000";
            return self.refuse(array.span(), field, what);
        }
        let mut names: Vec<Name> = Vec::with_capacity(array.len());
        for value in array.iter() {
            let Some(text) = value.as_str() else {
                return self.refuse(value.span(), field, "expected a term in quotes");
            };
            if text.trim().is_empty() || text.chars().any(char::is_control) {
                let what = "a term must not be empty or contain control characters";
                return self.refuse(value.span(), field, what);
            }
            names.push(Name::new(text, value.span()));
        }
        if names.is_empty() {
            return self.refuse(array.span(), field, "the list is empty");
        }
        let mut sorted: Vec<&Name> = names.iter().collect();
        sort_by(&mut sorted, |a, b| {
            (&a.text, a.span.start).cmp(&(&b.text, b.span.start))
        });
        if let Some(twice) = sorted.windows(2).find(|w| w[0].text == w[1].text) {
            let what = format!("duplicate term {}", twice[1].text);
            return self.refuse(Some(twice[1].span.clone()), field, &what);
        }
        Some(names)
    }

    fn why(&mut self, rule: &str, table: &Table) -> Option<String> {
        let Some(item) = table.get(WHY) else {
            return Some(String::new());
        };
        match item.as_str().filter(|w| !w.chars().any(char::is_control)) {
            Some(why) => Some(why.trim().to_string()),
            None => {
                let what = "expected one line of text with the reason";
                self.refuse(item.span(), &format!("{rule}.{WHY}"), what)
            }
        }
    }

    fn line(&self, table: &Table) -> u32 {
        let start = table.span().map_or(0, |s| s.start);
        self.text.get(..start).map_or(0, positions::line)
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
                let what = format!("expected 2 vocabularies, found {}", sides.len());
                self.refuse(table.span(), rule, &what)
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
            let what = "expected hiding terms, and `hides = [...]` with the hidden vocabularies";
            return self.refuse(table.span(), HIDES, what);
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
                let what = "expected lists of terms by vocabulary, such as { plant = [\"fern\"] }";
                return self.refuse(item.span(), "shows.shows", what);
            }
            None => Vec::new(),
        };
        if terms.is_empty() || shown.is_empty() {
            let what = "expected terms, and `shows = { VOCABULARY = [...] }` with the shown terms";
            return self.refuse(table.span(), SHOWS, what);
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
        let terms = sides.pop();
        let terms = terms.filter(|s| sides.is_empty() && s.terms.len() > 1);
        terms.or_else(|| {
            let what = "expected at least 2 terms of one vocabulary";
            self.refuse(table.span(), "look-alike", what)
        })
    }

    fn groups(&mut self, item: &Item, span: Option<Range<usize>>, rules: &mut Rules) {
        let Some(vocabularies) = item.as_table_like() else {
            return self.say(
                span,
                "groups",
                "expected one table per vocabulary, such as `[groups.background]`",
            );
        };
        for (vocabulary, item) in vocabularies.iter() {
            let at = vocabularies.key(vocabulary).and_then(|k| k.span());
            let field = format!("groups.{vocabulary}");
            let Some(groups) = item.as_table_like() else {
                self.say(
                    at,
                    &field,
                    "expected lists of terms by group, such as place = [\"in a cave\"]",
                );
                continue;
            };
            let Some(sides) = self.sides(&field, groups, &[]) else {
                continue;
            };
            self.rules += sides.len();
            if self.rules > RULES {
                return self.say(at, &field, "too many rules; the limit is 10,000");
            }
            let mut seen = std::collections::HashSet::new();
            let twice = sides
                .iter()
                .flat_map(|s| &s.terms)
                .find(|t| !seen.insert(t.text.clone()));
            if let Some(term) = twice {
                let what = format!("term {} is in two groups", term.text);
                self.say(Some(term.span.clone()), &field, &what);
                continue;
            }
            for Terms {
                vocabulary: name,
                terms,
            } in sides
            {
                let vocabulary = Name::new(vocabulary, at.clone());
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
                "expected the minimum and maximum edits by vocabulary, such as text = [2, 3]",
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
                    rules.letters.push(Letters {
                        vocabulary: Name::new(key, table.key(key).and_then(|k| k.span())),
                        edits: (small(least).unwrap_or(1), small(most).unwrap_or(1)),
                    });
                }
                _ => self.say(
                    item.span(),
                    &format!("letters-apart.{key}"),
                    "expected two numbers from 1 to 16, the minimum and maximum edits, such as [2, 3]",
                ),
            }
        }
    }
}

/// The text with escaped control characters, truncated to one line.
pub(super) fn printable(text: &str) -> String {
    text.chars()
        .take(60)
        .flat_map(|c| c.escape_debug())
        .collect()
}

#[cfg(test)]
#[path = "rules_tests.rs"]
mod tests;
