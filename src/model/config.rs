//! `benchtop.toml`: what a project is called and how it is reviewed.

pub mod endpoint;
pub mod filter;
pub mod generate;
pub mod judge;

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

pub use self::filter::FilterModels;
pub use self::generate::Generate;
pub use self::judge::Judge;
use super::error::{Error, Result};
use super::round::Protocol;
use super::scoring::rules::RuleSet;

/// The whole of `benchtop.toml`. Everything but the name has a default.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// What the project is called: one line, not empty.
    #[serde(deserialize_with = "one_line")]
    pub name: String,
    /// How items are reviewed.
    #[serde(default)]
    pub review: Review,
    /// What pictures are made with.
    #[serde(default)]
    pub generate: Generate,
    /// What is asked about pictures.
    #[serde(default)]
    pub judge: Judge,
    /// The owner process.
    #[serde(default)]
    pub owner: Owner,
    /// Who else works on the project.
    #[serde(default)]
    pub shared: Shared,
    /// What it looks like.
    #[serde(default)]
    pub look: Look,
    /// What scores items.
    #[serde(default)]
    pub filter: FilterModels,
    /// When items are flagged or parked.
    #[serde(default)]
    pub rules: RuleSet,
}

/// `[review]`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Review {
    /// How verdicts outside rounds become a status.
    pub protocol: Protocol,
    /// What the reject menu offers, in this order; keys are unique.
    #[serde(deserialize_with = "reasons")]
    pub reasons: Vec<Reason>,
    /// Minutes that an item of a round is somebody's after they last asked; at least 1.
    #[serde(deserialize_with = "minutes")]
    pub lease_minutes: u32,
}

/// A reason to reject an item.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reason {
    /// What journals record: lower-case letters, digits and `-`.
    #[serde(deserialize_with = "reason_key")]
    pub key: String,
    /// What the menu shows: one line, not empty.
    #[serde(deserialize_with = "one_line")]
    pub label: String,
}

/// `[owner]`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Owner {
    /// Minutes without clients and without work after which the owner process ends; 0 means never.
    pub idle_minutes: u32,
}

/// `[shared]`: a project that several Unix users work on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Shared {
    /// The group, by name or number, whose members may reach the owner.
    pub group: Option<String>,
    /// The annotator that each Unix user, by name or number, is. Nobody else comes in, and nobody in another name.
    #[serde(deserialize_with = "people")]
    pub people: BTreeMap<String, String>,
}

/// `[look]`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Look {
    /// Not used any more: the theme is each person's own. Files of before name one.
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
            lease_minutes: super::round::lease::LEASE_MINUTES,
        }
    }
}

impl Default for Owner {
    fn default() -> Self {
        Owner { idle_minutes: 10 }
    }
}

impl Owner {
    /// How long the owner waits without clients and work before it ends; `None` means for ever.
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
    /// Reads the text of `benchtop.toml`; `file` is only what an error calls it.
    ///
    /// # Errors
    /// [`super::error::ErrorKind::Input`] with file, line and field (dotted, as `review.reasons.key`): not TOML, an unknown
    /// field, a wrong type, an unknown protocol or one of more votes than people, an empty name, a reason key that is malformed or given twice.
    pub fn parse(text: &str, file: &Path) -> Result<Config> {
        toml::from_str(text).map_err(|err| {
            // serde says "<what>, expected <known names>": the second half is what to do about it.
            let message = err.message().trim();
            let (what, known) = match message.split_once(", expected ") {
                Some((what, known)) => (what, Some(known)),
                None => (message, None),
            };
            let mut problem = Error::input(what.replace('\n', " ")).file(file);
            // A missing field's span is its whole table; the message names the field itself.
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

/// The dotted name of the field that `at` (a byte offset) lies in: its table, the key before its inline table or
/// array if it is inside one, and the key itself.
fn field_at(text: &str, at: usize) -> Option<String> {
    let is_key = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_' || c == '.';
    let (before, after) = (text.get(..at)?, text.get(at..)?);
    // A table as a whole.
    let line = after.lines().next().unwrap_or_default().trim_end();
    if let Some(heading) = line
        .strip_prefix('[')
        .and_then(|l| l.strip_suffix(']'))
        .filter(|_| !line.contains('='))
    {
        return Some(heading.trim_matches(['[', ']']).trim().to_string())
            .filter(|h| h.chars().all(is_key));
    }
    let mut names = Vec::new();
    // The key that begins here, or the one whose value begins here.
    let rest = after.trim_start_matches(is_key);
    let own = &after[..after.len() - rest.len()];
    if !own.is_empty() && rest.trim_start().starts_with('=') {
        names.push(own);
    } else if let Some(left) = before.trim_end().strip_suffix('=') {
        names.push(left.trim_end().rsplit(|c: char| !is_key(c)).next()?);
    }
    // Outwards through open brackets to the key each hangs on, then to the table's heading.
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
        0 => Err(serde::de::Error::custom("a lease lasts a minute at least")),
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

/// A text of one line that says something.
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

fn reason_key<'de, D: Deserializer<'de>>(source: D) -> std::result::Result<String, D::Error> {
    let key = one_line(source)?;
    if !key
        .bytes()
        .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
    {
        return Err(D::Error::custom(format!(
            "`{key}` is not a reason key, expected lower-case letters, digits and `-`, such as `wrong-answer`"
        )));
    }
    Ok(key)
}

fn reasons<'de, D: Deserializer<'de>>(source: D) -> std::result::Result<Vec<Reason>, D::Error> {
    let reasons = Vec::<Reason>::deserialize(source)?;
    for (i, reason) in reasons.iter().enumerate() {
        if reasons[..i].iter().any(|r| r.key == reason.key) {
            return Err(D::Error::custom(format!(
                "the key `{}` is given twice, expected each key once",
                reason.key
            )));
        }
    }
    Ok(reasons)
}

#[cfg(test)]
mod tests;
