//! `benchtop.toml`: the project's name and settings.

pub mod endpoint;
pub mod filter;
pub mod generate;
pub mod judge;

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

pub use self::filter::{Consensus, FilterModels};
pub use self::generate::Generate;
pub use self::judge::Judge;
use super::error::{Error, Result};
use super::round::Protocol;
use super::scoring::rules::RuleSet;
use super::taxonomy;

/// The contents of `benchtop.toml`. Every field but the name has a default.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Project name: one line, not empty.
    #[serde(deserialize_with = "one_line")]
    pub name: String,
    /// Review settings.
    #[serde(default)]
    pub review: Review,
    /// Image generation settings.
    #[serde(default, deserialize_with = "generate::checked")]
    pub generate: Generate,
    /// Judge settings.
    #[serde(default, deserialize_with = "judge::checked")]
    pub judge: Judge,
    /// The model that writes questions and contexts, as in [`judge`](Self::judge).
    #[serde(default, deserialize_with = "judge::checked")]
    pub writer: Judge,
    /// The model that finds objects in pictures.
    #[serde(default, deserialize_with = "judge::checked")]
    pub grounder: Judge,
    /// The model under test.
    #[serde(default, deserialize_with = "judge::checked")]
    pub examinee: Judge,
    /// Owner process settings.
    #[serde(default)]
    pub owner: Owner,
    /// Settings for projects with several Unix users.
    #[serde(default)]
    pub shared: Shared,
    /// Obsolete display settings.
    #[serde(default)]
    pub look: Look,
    /// Scorer models.
    #[serde(default)]
    pub filter: FilterModels,
    /// Rules that flag or park items.
    #[serde(default)]
    pub rules: RuleSet,
    /// Examined models that share the vision encoder of a model that adversarial pictures were
    /// computed against, by the name of the latter.
    #[serde(default, deserialize_with = "white_box")]
    pub white_box: BTreeMap<String, Vec<String>>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Review {
    /// Turns verdicts outside of rounds into a status.
    pub protocol: Protocol,
    /// Entries of the reject menu, in order. Keys are unique.
    #[serde(deserialize_with = "reasons")]
    pub reasons: Vec<Reason>,
    /// Tags that any verdict can have, in the order of the menu. Keys are unique.
    #[serde(deserialize_with = "reasons")]
    pub tags: Vec<Reason>,
    /// Labels of errors in the answers of models, in the order of the menu. Keys are unique.
    #[serde(deserialize_with = "reasons")]
    pub errors: Vec<Reason>,
    /// Minutes for which an item of a round stays leased after the annotator's last request; at
    /// least 1.
    #[serde(deserialize_with = "minutes")]
    pub lease_minutes: u32,
}

/// A reason to reject an item, or a tag of a verdict.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reason {
    /// The key in journals: words of lowercase letters, digits, and `-`. A `/` separates levels.
    #[serde(deserialize_with = "reason_key")]
    pub key: String,
    /// The menu text: one line, not empty.
    #[serde(deserialize_with = "one_line")]
    pub label: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Owner {
    /// Minutes without clients and work after which the owner exits; 0 means never.
    pub idle_minutes: u32,
}

/// `[shared]`: a project that several Unix users work on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Shared {
    /// The group, by name or number, whose members may connect to the owner.
    pub group: Option<String>,
    /// Unix users (name or number) and the annotator that each one is. Nobody else may connect, and
    /// nobody may use another name.
    #[serde(deserialize_with = "people")]
    pub people: BTreeMap<String, String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Look {
    /// Ignored: the theme is a personal setting now. Older files still name one.
    #[serde(deserialize_with = "one_line")]
    pub theme: String,
}

impl Default for Review {
    fn default() -> Self {
        let reason = |key: &str| Reason {
            key: key.into(),
            label: key.replace('-', " "),
        };
        let keys = [
            "wrong-content",
            "low-quality",
            "ambiguous-question",
            "wrong-answer",
            "bad-distractor",
            "unsafe",
            "other",
        ];
        Review {
            protocol: Protocol::default(),
            reasons: keys.map(reason).into(),
            tags: Vec::new(),
            errors: default_errors(),
            lease_minutes: super::round::lease::LEASE_MINUTES,
        }
    }
}

/// The taxonomy of errors of projects without one of their own.
fn default_errors() -> Vec<Reason> {
    let label = |(key, label): (&str, &str)| Reason {
        key: key.into(),
        label: label.into(),
    };
    [
        ("perception", "saw something else in the picture"),
        ("comprehension", "misunderstood the question or the picture"),
        ("reasoning", "understood, and concluded wrongly"),
        ("knowledge", "lacks a fact that the picture does not show"),
    ]
    .map(label)
    .into()
}

impl Default for Owner {
    fn default() -> Self {
        Owner { idle_minutes: 10 }
    }
}

impl Owner {
    /// How long the owner waits without clients and work before it exits; `None` means forever.
    pub fn idle(&self) -> Option<Duration> {
        (self.idle_minutes > 0).then(|| Duration::from_secs(u64::from(self.idle_minutes) * 60))
    }
}

impl Default for Look {
    fn default() -> Self {
        Look {
            theme: "dark".into(),
        }
    }
}

impl Config {
    /// Parses the text of `benchtop.toml`. `file` only names the file in errors.
    ///
    /// # Errors
    /// [`super::error::ErrorKind::Input`] with file, line, and dotted field (such as
    /// `review.reasons.key`) for invalid TOML, unknown fields, wrong types, unknown protocols,
    /// protocols with more votes than people, empty names, and reason keys that are malformed or
    /// duplicate.
    pub fn parse(text: &str, file: &Path) -> Result<Config> {
        toml::from_str(text).map_err(|err| {
            // serde writes "<what>, expected <known names>". The second half becomes the help.
            let message = err.message().trim();
            let (what, known) = match message.split_once(", expected ") {
                Some((what, known)) => (what, Some(known)),
                None => (message, None),
            };
            let mut problem = Error::input(what.replace('\n', " ")).file(file);
            // The span of a missing field is its whole table, but the message names the field.
            let missing = what
                .strip_prefix("missing field `")
                .and_then(|w| w.strip_suffix('`'));
            if let Some(span) = err.span() {
                let at = span.start.min(text.len());
                let line = text.get(..at).unwrap_or_default().matches('\n').count() as u64 + 1;
                problem = problem.line(line);
                problem = match (missing, field_at(text, at)) {
                    (Some(name), _) if at == 0 => problem.field(name),
                    (Some(name), Some(table)) => problem.field(format!("{table}.{name}")),
                    (Some(name), None) => problem.field(name),
                    (None, Some(name)) => problem.field(name),
                    (None, None) => problem,
                };
            } else if let Some(name) = missing {
                problem = problem.field(name);
            }
            match (known, missing) {
                (Some(known), _) => problem.help(format!("expected {known}")),
                (None, Some(name)) => {
                    problem.help(format!("add a line such as `{name} = \"...\"`"))
                }
                (None, None) => problem,
            }
        })
    }
}

/// The dotted name of the field at byte offset `at`: its table, the key of the inline table or
/// array around it, and its own key.
fn field_at(text: &str, at: usize) -> Option<String> {
    let is_key = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_' || c == '.';
    let (before, after) = (text.get(..at)?, text.get(at..)?);
    // The span is a whole table.
    let line = after.lines().next().unwrap_or_default().trim_end();
    if let Some(heading) = line
        .strip_prefix('[')
        .and_then(|l| l.strip_suffix(']'))
        .filter(|_| !line.contains('='))
    {
        return Some(heading.trim_matches(['[', ']']).trim().to_string())
            .filter(|h| h.chars().all(is_key));
    }
    // The span is the name in a table's heading, which stands twice.
    let name = &line[..line.len() - line.trim_start_matches(is_key).len()];
    if before.ends_with('[') && line[name.len()..].starts_with(']') && !name.is_empty() {
        return Some(name.to_string());
    }
    let mut names = Vec::new();
    // The key that begins here, or the key whose value begins here.
    let rest = after.trim_start_matches(is_key);
    let own = &after[..after.len() - rest.len()];
    if !own.is_empty() && rest.trim_start().starts_with('=') {
        names.push(own);
    } else if let Some(left) = before.trim_end().strip_suffix('=') {
        names.push(left.trim_end().rsplit(|c: char| !is_key(c)).next()?);
    }
    // Walk outward through open brackets to their keys, then to the table's heading.
    let mut depth = 0i32;
    let mut heading = None;
    for (start, line) in before.lines().rev().map(|l| (l.trim_start(), l)) {
        if depth == 0
            && names.len() < 8
            && start.starts_with('[')
            && start.trim_end().ends_with(']')
            && !line.contains('=')
        {
            heading = Some(start.trim().trim_matches(['[', ']']));
            break;
        }
        for (i, c) in line.char_indices().rev() {
            match c {
                ']' | '}' => depth += 1,
                '[' | '{' if depth > 0 => depth -= 1,
                '[' | '{' => {
                    if let Some(left) = line[..i].trim_end().strip_suffix('=') {
                        names.push(left.trim_end().rsplit(|c: char| !is_key(c)).next()?);
                    }
                }
                _ => {}
            }
        }
    }
    names.extend(heading);
    names.retain(|n| !n.is_empty());
    names.dedup();
    names.reverse();
    (!names.is_empty()).then(|| names.join("."))
}

fn minutes<'de, D: serde::Deserializer<'de>>(from: D) -> std::result::Result<u32, D::Error> {
    match u32::deserialize(from)? {
        0 => Err(serde::de::Error::custom("must be at least 1 minute")),
        minutes => Ok(minutes),
    }
}

fn people<'de, D: serde::Deserializer<'de>>(
    from: D,
) -> std::result::Result<BTreeMap<String, String>, D::Error> {
    let people = BTreeMap::<String, String>::deserialize(from)?;
    for name in people.values() {
        super::name::check(name, "an annotator").map_err(|p| serde::de::Error::custom(p.what))?;
    }
    Ok(people)
}

/// A line that is not empty.
fn one_line<'de, D: Deserializer<'de>>(source: D) -> std::result::Result<String, D::Error> {
    let text = String::deserialize(source)?;
    if text.trim().is_empty() {
        return Err(D::Error::custom("must not be empty"));
    }
    if text.chars().any(char::is_control) {
        return Err(D::Error::custom(
            "must be one line without control characters",
        ));
    }
    Ok(text)
}

fn white_box<'de, D: Deserializer<'de>>(
    source: D,
) -> std::result::Result<BTreeMap<String, Vec<String>>, D::Error> {
    let all: BTreeMap<String, Vec<String>> = BTreeMap::deserialize(source)?;
    let names = all
        .iter()
        .flat_map(|(proxy, models)| models.iter().chain([proxy]));
    for name in names {
        if name.trim().is_empty() || name.chars().any(char::is_control) {
            return Err(D::Error::custom(
                "a model's name must be one line, and not empty",
            ));
        }
    }
    Ok(all)
}

fn reason_key<'de, D: Deserializer<'de>>(source: D) -> std::result::Result<String, D::Error> {
    let key = one_line(source)?;
    let is_word = |word: &str| {
        let known = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
        !word.is_empty() && word.bytes().all(known)
    };
    if !key.split(taxonomy::SEPARATOR).all(is_word) {
        return Err(D::Error::custom(format!(
            "`{key}` is not a reason key, expected lowercase letters, digits, and `-`, with `/` \
             between levels, such as `wrong-answer` or `anatomy/hands`"
        )));
    }
    if key.split(taxonomy::SEPARATOR).count() > taxonomy::MOST_LEVELS {
        return Err(D::Error::custom(format!(
            "`{key}` has more than {} levels",
            taxonomy::MOST_LEVELS
        )));
    }
    Ok(key)
}

fn reasons<'de, D: Deserializer<'de>>(source: D) -> std::result::Result<Vec<Reason>, D::Error> {
    let reasons = Vec::<Reason>::deserialize(source)?;
    for (i, reason) in reasons.iter().enumerate() {
        if reasons[..i].iter().any(|r| r.key == reason.key) {
            return Err(D::Error::custom(format!(
                "duplicate key `{}`, expected each key once",
                reason.key
            )));
        }
    }
    Ok(reasons)
}

#[cfg(test)]
mod tests;
