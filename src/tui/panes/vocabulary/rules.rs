//! The compatibility rules of a term, and adding one.

use crate::widgets::text::plural;
use benchtop_compose::metadata::Metadata;
use benchtop_compose::metadata::rule_edits::{self, NewRule};
use benchtop_compose::metadata::rules::{FILE, Rules, Terms};
use benchtop_model::{Error, Result};

/// A kind of compatibility rule that can be added to terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleKind {
    /// Terms of another vocabulary that cannot appear with them.
    NotWith,
    Hides,
    /// Terms of another vocabulary that appear in spite of a hiding rule.
    Shows,
    /// Terms of their own vocabulary that look too similar.
    LookAlike,
    Group,
}

impl RuleKind {
    /// All kinds in menu order.
    pub const ALL: [RuleKind; 5] = [
        Self::NotWith,
        Self::Hides,
        Self::Shows,
        Self::LookAlike,
        Self::Group,
    ];

    /// Menu line, its detail, and the label of the prompt.
    pub fn about(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::NotWith => (
                "add: not with",
                "no picture has both",
                "not with (vocabulary: terms)",
            ),
            Self::Hides => (
                "add: hides",
                "not asked about there",
                "hides (vocabularies)",
            ),
            Self::Shows => (
                "add: shows anyway",
                "no wrong answers there",
                "shows (vocabulary: terms)",
            ),
            Self::LookAlike => (
                "add: looks like",
                "not in one question",
                "looks like (terms)",
            ),
            Self::Group => (
                "set the group",
                "others can be right too",
                "group (empty for none)",
            ),
        }
    }
}

/// A rule that applies to a term.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TermRule {
    /// The rule as seen from the term.
    pub says: String,
    /// The reason given in the file; may be empty.
    pub why: String,
    /// Line in `compatibility.toml`, from 1.
    pub line: u32,
}

fn term_list(terms: &Terms) -> String {
    let names: Vec<&str> = terms.terms.iter().map(|t| t.text.as_str()).collect();
    format!("{}: {}", terms.vocabulary.text, names.join(", "))
}

fn contains(terms: &Terms, vocabulary: &str, term: &str) -> bool {
    terms.vocabulary.text == vocabulary && terms.terms.iter().any(|t| t.text == term)
}

/// The group of a term, if it has one.
pub fn group<'r>(rules: &'r Rules, vocabulary: &str, term: &str) -> Option<&'r str> {
    rules
        .groups
        .iter()
        .find(|g| contains(&g.terms, vocabulary, term))
        .map(|g| g.name.text.as_str())
}

/// The rules of a term. `text` is the text of the rules file.
pub fn of_term(rules: &Rules, text: &str, vocabulary: &str, term: &str) -> Vec<TermRule> {
    let line = |at: usize| {
        text.get(..at)
            .map_or(1, |t| t.matches('\n').count() as u32 + 1)
    };
    let mut out = Vec::new();
    let mut add = |says: String, why: &str, line: u32| {
        out.push(TermRule {
            says,
            why: why.into(),
            line,
        })
    };
    for rule in &rules.not_with {
        for (side, other) in [(0, 1), (1, 0)] {
            if contains(&rule.sides[side], vocabulary, term) {
                add(
                    format!("not with {}", term_list(&rule.sides[other])),
                    &rule.why,
                    rule.line,
                );
            }
        }
    }
    for rule in rules
        .hides
        .iter()
        .filter(|r| r.terms.iter().any(|t| contains(t, vocabulary, term)))
    {
        let names: Vec<&str> = rule.hides.iter().map(|n| n.text.as_str()).collect();
        add(format!("hides {}", names.join(", ")), &rule.why, rule.line);
    }
    for rule in &rules.shows {
        if rule.terms.iter().any(|t| contains(t, vocabulary, term)) {
            let names: Vec<String> = rule.shows.iter().map(term_list).collect();
            add(format!("shows {}", names.join("; ")), &rule.why, rule.line);
        }
        if rule.shows.iter().any(|t| contains(t, vocabulary, term)) {
            let names: Vec<String> = rule.terms.iter().map(term_list).collect();
            add(
                format!("shown by {}", names.join("; ")),
                &rule.why,
                rule.line,
            );
        }
    }
    for terms in rules
        .look_alike
        .iter()
        .filter(|t| contains(t, vocabulary, term))
    {
        let others = terms
            .terms
            .iter()
            .map(|t| t.text.as_str())
            .filter(|t| *t != term);
        add(
            format!("looks like {}", others.collect::<Vec<_>>().join(", ")),
            "",
            line(terms.vocabulary.span.start),
        );
    }
    out
}

/// The table cell of a term: its group and its number of rules.
pub fn summary(rules: &Rules, vocabulary: &str, term: &str) -> String {
    let group = group(rules, vocabulary, term).map(String::from);
    let many = of_term(rules, "", vocabulary, term).len() as u64;
    let counted = (many > 0).then(|| plural(many, "rule"));
    let parts: Vec<String> = group.into_iter().chain(counted).collect();
    parts.join(", ")
}

/// Splits a comma-separated list into terms of a vocabulary. Terms may contain commas themselves.
/// Fails if a part is not a term.
fn split(metadata: &Metadata, vocabulary: &str, list: &str) -> Result<Vec<String>> {
    let known = metadata.enabled(vocabulary);
    let parts: Vec<&str> = list.split(',').collect();
    let (mut terms, mut at) = (Vec::new(), 0);
    while at < parts.len() {
        if parts[at].trim().is_empty() {
            at += 1;
            continue;
        }
        let longest = (at + 1..=parts.len()).rev().find_map(|end| {
            let text = parts[at..end].join(",");
            let found = known.iter().find(|t| t.eq_ignore_ascii_case(text.trim()))?;
            Some((end, found.to_string()))
        });
        let Some((end, term)) = longest else {
            let value = parts[at].trim();
            let near = known
                .iter()
                .map(|t| (strsim::damerau_levenshtein(t, value), t))
                .min();
            let help = near.map_or(String::new(), |(_, t)| format!("; did you mean `{t}`?"));
            return Err(Error::input(format!(
                "no term `{value}` in {vocabulary}{help}"
            )));
        };
        terms.push(term);
        at = end;
    }
    if terms.is_empty() {
        return Err(Error::input(format!(
            "type terms of {vocabulary}, separated by commas"
        )));
    }
    Ok(terms)
}

/// Parses `VOCABULARY: TERM, TERM`.
fn side(metadata: &Metadata, text: &str) -> Result<(String, Vec<String>)> {
    let Some((vocabulary, list)) = text.split_once(':') else {
        return Err(Error::input(
            "type VOCABULARY: TERM, TERM, such as `background: in a cave`",
        ));
    };
    let vocabulary = known(metadata, vocabulary.trim())?;
    let terms = split(metadata, &vocabulary, list)?;
    Ok((vocabulary, terms))
}

fn known(metadata: &Metadata, name: &str) -> Result<String> {
    let is = |n: &&str| *n == name;
    let mut names = metadata
        .vocabularies()
        .keys()
        .map(String::as_str)
        .chain([benchtop_compose::metadata::STYLE]);
    names
        .find(is)
        .map(String::from)
        .ok_or_else(|| Error::input(format!("no vocabulary `{name}`")))
}

/// The text of `compatibility.toml` with a rule added or changed for these terms. Fails if `value`
/// names unknown terms or vocabularies, or if the file cannot be edited.
pub fn edited(
    metadata: &Metadata,
    kind: RuleKind,
    (vocabulary, terms): (&str, &[String]),
    value: &str,
) -> Result<String> {
    let text = metadata.text(FILE).unwrap_or_default();
    let own = || (vocabulary.to_string(), terms.to_vec());
    let of_other = |other: (String, Vec<String>)| {
        if other.0 == vocabulary {
            let what = format!("type terms of another vocabulary: a picture has one {vocabulary}");
            return Err(Error::input(what));
        }
        Ok(other)
    };
    match kind {
        RuleKind::NotWith => rule_edits::add(
            text,
            &NewRule::NotWith(own(), of_other(side(metadata, value)?)?),
        ),
        RuleKind::Shows => rule_edits::add(
            text,
            &NewRule::Shows(own(), of_other(side(metadata, value)?)?),
        ),
        RuleKind::Hides => {
            let names = value.split(',').map(str::trim).filter(|n| !n.is_empty());
            let hidden = names
                .map(|n| known(metadata, n))
                .collect::<Result<Vec<_>>>()?;
            if hidden.is_empty() {
                return Err(Error::input("type vocabularies, separated by commas"));
            }
            rule_edits::add(text, &NewRule::Hides(own(), hidden))
        }
        RuleKind::LookAlike => {
            let mut all = terms.to_vec();
            all.extend(split(metadata, vocabulary, value)?);
            all.sort();
            all.dedup();
            if all.len() < 2 {
                return Err(Error::input(
                    "type another term: a term cannot look like itself",
                ));
            }
            rule_edits::add(text, &NewRule::LookAlike(vocabulary.into(), all))
        }
        RuleKind::Group => {
            let group = Some(value.trim()).filter(|g| !g.is_empty());
            if group.is_some_and(|g| g.chars().any(char::is_control)) {
                return Err(Error::input("type a plain group name, such as `place`"));
            }
            rule_edits::set_group(text, vocabulary, terms, group)
        }
    }
}
