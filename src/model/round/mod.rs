//! Review rounds: which annotators judge which items, in what order, and what their verdicts
//! decide.
//!
//! A round is a file that is written once by [`draw`]. Its items, people, and seed are fixed, so
//! the order of each person and the hidden gold items can always be recomputed. The defaults
//! (blind, individual order, practice first, repeats and probes in between) follow studies of
//! annotator errors: Wolfe, Van Wert et al. 2007 for rare defects, Beck et al. 2025 for anchoring
//! by suggestions.

pub mod effective_verdicts;
pub mod feedback;
pub mod gold_items;
pub mod lease;
pub mod order;
pub mod people;
pub mod protocol;
pub mod rate;
pub mod report;
pub mod sample;
pub mod state;

use std::collections::{BTreeMap, HashSet};
use std::path::{Component, Path};

use serde::{Deserialize, Serialize};

pub use self::effective_verdicts::{EffectiveVerdict, ItemDecision, status_of};
pub use self::gold_items::{DEFAULT_PRACTICE, GoldCandidate};
pub use self::lease::{Lease, Leases, NextTicket};
pub use self::order::Ticket;
pub use self::people::{PeopleAct, PeopleChange};
pub use self::protocol::Protocol;
pub use self::rate::Rate;
pub use self::sample::{NewRound, NewRoundResult, SEED, Sample, draw};
use super::error::{Error, Result};
use super::name;

/// Version of the file format.
pub const VERSION: u32 = 1;

/// Maximum number of people in a round.
pub const MAX_PEOPLE: usize = 1000;

/// Maximum number of items in a round. Positions are 32-bit and shared with repeats and probes.
pub const MAX_ITEMS: usize = 1 << 30;

/// A review round.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Round {
    pub version: u32,
    /// Name of the round and of its file; see [`name::check`].
    pub name: String,
    /// The protocol: its question, and how verdicts decide.
    pub protocol: Protocol,
    /// The annotators, each once, in the order they joined. People who left stay in the list.
    pub people: Vec<String>,
    /// Whether the round is blind: nobody sees verdicts of others, judge answers, or filter scores
    /// before their own verdict, nor an order that reveals them.
    pub blind: bool,
    /// Number of people who judge each item; at least what the protocol needs.
    pub overlap: u8,
    pub order: Order,
    /// Seed of orders, repeats, and probes.
    pub seed: u64,
    /// Share of items shown to the same person a second time, unmarked, to check consistency.
    pub repeats: Rate,
    /// Share of probes, relative to the items that a person judges.
    pub probes: Rate,
    /// The guidelines shown with each item.
    pub guidelines: Option<Guidelines>,
    pub adjudication: Adjudication,
    /// Item ids, each once.
    pub items: Vec<String>,
    /// Practice items, shown first and with feedback. Half of them are bad.
    pub calibration: Vec<Gold>,
    /// Probe items. None is an item of the round or a practice item.
    pub probe_items: Vec<Gold>,
    /// How the items were selected.
    pub origin: Origin,
    /// Creation time in milliseconds since 1970 UTC.
    pub created: i64,
    /// The annotator who created it.
    pub by: String,
    /// Time when it was closed. A closed round serves no items; its verdicts still count.
    pub closed: Option<i64>,
    /// The other rotations of a question, by the id of the one that is judged. A verdict on it
    /// applies to all of them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub rotations: BTreeMap<String, Vec<String>>,
    /// People who joined or left after creation, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<PeopleChange>,
}

/// The order in which a person sees the items.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// A random order per person, from the round's seed and the person's name.
    #[default]
    Seeded,
    /// The order of the list. Not allowed in a blind round, since an order by score reveals the
    /// score.
    AsListed,
}

/// The guidelines of a round.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Guidelines {
    /// Path of the file in the project.
    pub path: String,
    /// Version at creation: the first 8 hex digits of the file's BLAKE3 hash, which is also
    /// recorded with verdicts.
    pub version: String,
}

/// What adjudicators see of the verdicts that they settle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Adjudication {
    /// Names of the annotators.
    pub names: bool,
    /// Filter scores and judge answers.
    pub scores: bool,
}

/// A gold item: its verdict is known in advance.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Gold {
    pub id: String,
    /// Whether it was accepted; otherwise it was rejected.
    pub good: bool,
    /// Reason keys of a rejected item.
    pub reasons: Vec<String>,
    /// Whether it comes from a stratum of the round's items, so that only its defect distinguishes
    /// it.
    pub lookalike: bool,
}

/// How the items of a round were selected.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Origin {
    /// The filter for the candidates, as written.
    pub filter: String,
    /// The sample of the candidates.
    pub sample: Sample,
    /// The field whose values are the strata.
    pub strata: Option<String>,
    /// Seed of the sample.
    pub seed: u64,
    /// Number of candidates.
    pub candidates: u64,
}

impl Guidelines {
    /// The version of guidelines with this text: the first 8 hex digits of its BLAKE3 hash.
    pub fn version_of(text: &[u8]) -> String {
        blake3::hash(text).to_hex()[..8].to_string()
    }
}

impl Round {
    /// Parses a round file. `file` only names the file in errors.
    ///
    /// # Errors
    /// [`super::error::ErrorKind::Input`] with file and, if known, line or field: invalid JSON, an
    /// unsupported version, an unknown field, or a failed [`check`](Self::check).
    pub fn parse(text: &str, file: &Path) -> Result<Round> {
        #[derive(Deserialize)]
        struct Versioned {
            version: u32,
        }
        let wrong =
            |e: serde_json::Error| Error::input(e.to_string()).file(file).line(e.line() as u64);
        let Versioned { version } = serde_json::from_str(text).map_err(wrong)?;
        if version != VERSION {
            return Err(Error::input(format!("unsupported round version {version}"))
                .file(file)
                .field("version")
                .help(format!(
                    "this program reads version {VERSION}; use a newer benchtop"
                )));
        }
        let round: Round = serde_json::from_str(text).map_err(wrong)?;
        round.check().map_err(|p| p.file(file))?;
        Ok(round)
    }

    /// The contents of the round file: JSON with one item per line.
    pub fn to_json(&self) -> Result<String> {
        let mut text =
            serde_json::to_string_pretty(self).map_err(|e| Error::input(e.to_string()))?;
        text.push('\n');
        Ok(text)
    }

    /// Checks that the fields are valid and consistent.
    ///
    /// # Errors
    /// [`super::error::ErrorKind::Input`] with the field: an invalid name, no people or duplicate
    /// people, fewer people than the overlap, an overlap below the protocol's minimum, a blind
    /// round in list order, too large a share, guidelines outside the project, no items, duplicate
    /// items, or gold items that are also items of the round.
    pub fn check(&self) -> Result<()> {
        let refuse =
            |field: &str, what: String, help: &str| Err(Error::input(what).field(field).help(help));
        named(&self.name, "a round", "name")?;
        named(&self.by, "an annotator", "by")?;
        let mut seen = HashSet::new();
        for person in &self.people {
            named(person, "an annotator", "people")?;
            if !seen.insert(person) {
                return refuse(
                    "people",
                    format!("duplicate annotator `{person}`"),
                    "list each annotator once",
                );
            }
        }
        let (people, needed) = (self.people.len(), self.protocol.people());
        if people == 0 || people > MAX_PEOPLE {
            return refuse(
                "people",
                format!("a round cannot have {people} annotators"),
                &format!("list 1 to {MAX_PEOPLE} annotators"),
            );
        }
        if self.overlap < needed {
            let what = format!(
                "{} annotators per item are too few; protocol `{}` needs {needed}",
                self.overlap, self.protocol
            );
            return refuse("overlap", what, "use another protocol or a larger overlap");
        }
        if people < usize::from(self.overlap) {
            let what = format!(
                "{people} annotators are too few; each item needs {}",
                self.overlap
            );
            return refuse("people", what, "add annotators or use a smaller overlap");
        }
        if self.blind && self.order == Order::AsListed {
            let what =
                "a blind round cannot use the list order, which can reveal scores".to_string();
            return refuse(
                "order",
                what,
                "use the order `seeded` or make the round open",
            );
        }
        for (field, rate) in [("repeats", self.repeats), ("probes", self.probes)] {
            if rate > Rate::MAX_MIXED {
                let what = format!("{rate} of the items is too many");
                return refuse(
                    field,
                    what,
                    &format!("use 0 to {}; 5 % to 10 % are common", Rate::MAX_MIXED),
                );
            }
        }
        if let Some(Guidelines { path, version }) = &self.guidelines {
            let inside = Path::new(path)
                .components()
                .all(|part| matches!(part, Component::Normal(_)));
            if path.is_empty() || !inside || path.chars().any(char::is_control) {
                return refuse(
                    "guidelines.path",
                    format!("{path:?} is not a path in the project"),
                    "give a path such as docs/rules.md",
                );
            }
            if version.len() != 8
                || !version
                    .bytes()
                    .all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
            {
                let what = format!("`{version}` is not a guidelines version");
                return refuse(
                    "guidelines.version",
                    what,
                    "use the first 8 hex digits of the file's BLAKE3 hash",
                );
            }
        }
        for change in &self.changes {
            named(&change.by, "an annotator", "changes")?;
            if !self.has(&change.who) {
                let what = format!("`{}` is not one of the people", change.who);
                return refuse("changes", what, "keep people who left in `people`");
            }
        }
        self.check_items()
    }

    fn check_items(&self) -> Result<()> {
        let refuse =
            |field: &str, what: String, help: &str| Err(Error::input(what).field(field).help(help));
        if self.items.is_empty() || self.items.len() > MAX_ITEMS {
            let what = format!("a round cannot have {} items", self.items.len());
            return refuse("items", what, "use a filter that matches items");
        }
        let known = [
            ("calibration", &self.calibration),
            ("probe_items", &self.probe_items),
        ];
        let gold = known
            .iter()
            .flat_map(|(field, list)| list.iter().map(|gold| (*field, gold.id.as_str())));
        let mut seen = HashSet::with_capacity(self.items.len());
        let items: HashSet<&str> = self.items.iter().map(String::as_str).collect();
        if let Some(stray) = self
            .rotations
            .keys()
            .find(|id| !items.contains(id.as_str()))
        {
            let what = format!("`{stray}` is not an item of the round");
            return refuse(
                "rotations",
                what,
                "list rotations under the item that is judged",
            );
        }
        let others = self
            .rotations
            .values()
            .flatten()
            .map(|id| ("rotations", id.as_str()));
        for (field, id) in self
            .items
            .iter()
            .map(|id| ("items", id.as_str()))
            .chain(gold)
            .chain(others)
        {
            if id.is_empty() {
                return refuse(field, "empty item id".into(), "give every item an id");
            }
            if !seen.insert(id) {
                return refuse(
                    field,
                    format!("duplicate item `{id}`"),
                    "list each item once",
                );
            }
        }
        Ok(())
    }

    /// Whether this person is or was in the round. Its blindness applies to both.
    pub fn has(&self, person: &str) -> bool {
        self.people.iter().any(|p| p == person)
    }
}

/// [`name::check`] for a field of a round file. An invalid name there is invalid input, not usage.
fn named(text: &str, what: &str, field: &str) -> Result<()> {
    name::check(text, what).map_err(|problem| {
        let help = problem.help.unwrap_or_default();
        Error::input(problem.what).field(field).help(help)
    })
}

#[cfg(test)]
mod tests;
