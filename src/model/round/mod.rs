//! Verification rounds: who judges which items, in what order, and what their verdicts decide.
//!
//! A round is a file that is written once: its items, its people and its seed are frozen when it is drawn ([`draw`]), so
//! that the order every person sees and what was silently mixed in can be told from it at any time. The
//! defaults are those that studies of annotators' errors suggest (blind, an order of one's own, practice on known items before,
//! repeats and probes during): Wolfe, Van Wert et al. 2007 for rare defects, Beck et al. 2025 for suggestions that anchor.

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

pub use self::effective_verdicts::{Decided, Given, status_of};
pub use self::gold_items::{CALIBRATION, Known};
pub use self::lease::{Lease, Leases, Next};
pub use self::order::Ticket;
pub use self::people::{PeopleAct, PeopleChange};
pub use self::protocol::Protocol;
pub use self::rate::Rate;
pub use self::sample::{Drawn, NewRound, SEED, Sample, draw};
use super::error::{Error, Result};
use super::name;

/// Version of the file's form.
pub const VERSION: u32 = 1;

/// Most people in a round.
pub const MOST_PEOPLE: usize = 1000;

/// Most items in a round: positions are 32-bit, and repeats and probes are counted in the same numbers.
pub const MOST_ITEMS: usize = 1 << 30;

/// A round of verification.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Round {
    /// [`VERSION`].
    pub version: u32,
    /// What it is called, and its file; the rule of [`name::check`].
    pub name: String,
    /// What is asked, and how verdicts decide.
    pub protocol: Protocol,
    /// The annotators, each once: those it was drawn for, then those who joined. Who left is still among them.
    pub people: Vec<String>,
    /// Nobody sees another's verdict, the judge's or a filter's score before their own is in, and no order that leaks them.
    pub blind: bool,
    /// How many people judge each item; at least as many as the protocol needs.
    pub overlap: u8,
    /// The order in which items are shown.
    pub order: Order,
    /// What orders, repeats and probes are drawn from.
    pub seed: u64,
    /// Share of items that are shown to the same person a second time, silently, to see whether the verdict holds.
    pub repeats: Rate,
    /// Share of known items mixed in silently, measured on the items of the round that a person judges.
    pub probes: Rate,
    /// Where the guidelines are that lie beside the item.
    pub guidelines: Option<Guidelines>,
    /// What adjudicators see.
    pub adjudication: Adjudication,
    /// Ids of the items, each once.
    pub items: Vec<String>,
    /// Known items shown first, with an answer at once: half of them bad.
    pub calibration: Vec<Gold>,
    /// Known items mixed in silently; none is an item of the round or of its calibration.
    pub probe_items: Vec<Gold>,
    /// What it was drawn from.
    pub origin: Origin,
    /// When it was made: milliseconds since 1970 UTC.
    pub created: i64,
    /// Who made it.
    pub by: String,
    /// When it was closed: nothing is given out any more, and its verdicts go on counting.
    pub closed: Option<i64>,
    /// The other rotations of a question by the id of the one that is judged: a verdict on it is one on all of them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub rotations: BTreeMap<String, Vec<String>>,
    /// Who joined and who left since it was drawn, the oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<PeopleChange>,
}

/// The order in which a person is shown items.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// A permutation of each person's own, drawn from the round's seed and the person's name.
    #[default]
    Seeded,
    /// As the items of the round are listed. Not in a blind round: worst first, or any order by score, tells the score.
    AsListed,
}

/// The guidelines of a round.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Guidelines {
    /// Path of the file within the project.
    pub path: String,
    /// Its version when the round was made: the first eight hex digits of its BLAKE3, as verdicts are stamped with.
    pub version: String,
}

/// What adjudicators see of the verdicts that they settle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Adjudication {
    /// Whose they are.
    pub names: bool,
    /// Scores of filters, and what a judge said.
    pub scores: bool,
}

/// An item whose verdict is known before it is shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Gold {
    /// Its id.
    pub id: String,
    /// Whether it was accepted; otherwise it was rejected.
    pub good: bool,
    /// Why it was rejected: keys of reasons.
    pub reasons: Vec<String>,
    /// It comes from a stratum that the round has items of, so nothing but its defect tells it from them.
    pub lookalike: bool,
}

/// What the items of a round were drawn from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Origin {
    /// The filter that found the candidates, as it was written.
    pub filter: String,
    /// What was taken of them.
    pub sample: Sample,
    /// The field whose values were the strata.
    pub strata: Option<String>,
    /// The seed of the sample.
    pub seed: u64,
    /// How many candidates there were.
    pub candidates: u64,
}

impl Guidelines {
    /// The version of guidelines that read `text`: the first eight hex digits of its BLAKE3.
    pub fn version_of(text: &[u8]) -> String {
        blake3::hash(text).to_hex()[..8].to_string()
    }
}

impl Round {
    /// Reads the file of a round; `file` is only what an error calls it.
    ///
    /// # Errors
    /// [`super::error::ErrorKind::Input`] with file and, where there is one, line or field: not JSON, a version that this program
    /// does not know, an unknown field, or what [`check`](Self::check) refuses.
    pub fn parse(text: &str, file: &Path) -> Result<Round> {
        #[derive(Deserialize)]
        struct Versioned {
            version: u32,
        }
        let wrong =
            |e: serde_json::Error| Error::input(e.to_string()).file(file).line(e.line() as u64);
        let Versioned { version } = serde_json::from_str(text).map_err(wrong)?;
        if version != VERSION {
            return Err(Error::input(format!("version {version} of a round is not known"))
                .file(file)
                .field("version")
                .help(format!("this program reads version {VERSION}; a newer one may have written the file")));
        }
        let round: Round = serde_json::from_str(text).map_err(wrong)?;
        round.check().map_err(|p| p.file(file))?;
        Ok(round)
    }

    /// The text of its file: JSON, an item a line, ending with a newline.
    ///
    /// # Errors
    /// None that is known: every part of a round can be written as JSON.
    pub fn to_json(&self) -> Result<String> {
        let mut text =
            serde_json::to_string_pretty(self).map_err(|e| Error::input(e.to_string()))?;
        text.push('\n');
        Ok(text)
    }

    /// Whether its parts fit together.
    ///
    /// # Errors
    /// [`super::error::ErrorKind::Input`] names the field: a name that cannot be one, nobody or somebody twice, fewer people than
    /// the overlap, an overlap under what the protocol needs, a blind round in the order of its list, a share that is
    /// too large, guidelines outside the project, no items, an item twice, or a known item that is also asked for.
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
                    format!("`{person}` is named twice"),
                    "name each person once",
                );
            }
        }
        let (people, needed) = (self.people.len(), self.protocol.people());
        if people == 0 || people > MOST_PEOPLE {
            return refuse(
                "people",
                format!("{people} people"),
                &format!("1 to {MOST_PEOPLE} can share a round"),
            );
        }
        if self.overlap < needed {
            let what = format!(
                "{} people an item, and the protocol `{}` needs {needed}",
                self.overlap, self.protocol
            );
            return refuse("overlap", what, "take another protocol or a larger overlap");
        }
        if people < usize::from(self.overlap) {
            let what = format!(
                "{people} people, and each item is to be judged by {}",
                self.overlap
            );
            return refuse("people", what, "name more people or take a smaller overlap");
        }
        if self.blind && self.order == Order::AsListed {
            let what =
                "a blind round cannot be shown in the order of its list, which can tell scores"
                    .to_string();
            return refuse(
                "order",
                what,
                "take the order `seeded`, or make the round open",
            );
        }
        for (field, rate) in [("repeats", self.repeats), ("probes", self.probes)] {
            if rate > Rate::MOST_MIXED {
                let what = format!("{rate} of the items are too many");
                return refuse(
                    field,
                    what,
                    &format!("0 to {}; 5 % to 10 % are usual", Rate::MOST_MIXED),
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
                    format!("{path:?} is no file of the project"),
                    "a path such as docs/rules.md",
                );
            }
            if version.len() != 8
                || !version
                    .bytes()
                    .all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
            {
                let what = format!("`{version}` is no version of guidelines");
                return refuse(
                    "guidelines.version",
                    what,
                    "the first eight hex digits of the file's BLAKE3",
                );
            }
        }
        for change in &self.changes {
            named(&change.by, "an annotator", "changes")?;
            if !self.has(&change.who) {
                let what = format!("`{}` is not among the people", change.who);
                return refuse("changes", what, "who left stays in the list of people");
            }
        }
        self.check_items()
    }

    fn check_items(&self) -> Result<()> {
        let refuse =
            |field: &str, what: String, help: &str| Err(Error::input(what).field(field).help(help));
        if self.items.is_empty() || self.items.len() > MOST_ITEMS {
            let what = format!("{} items", self.items.len());
            return refuse(
                "items",
                what,
                "a round needs at least one; a filter that finds nothing gives none",
            );
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
            let what = format!("`{stray}` is no item of the round");
            return refuse(
                "rotations",
                what,
                "rotations stand under the one that is judged",
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
                return refuse(field, "an empty id".into(), "every item has one");
            }
            if !seen.insert(id) {
                return refuse(
                    field,
                    format!("`{id}` is there twice"),
                    "each item has one place in a round",
                );
            }
        }
        Ok(())
    }

    /// Whether this person is in it, or was: it keeps from them what it keeps from anybody in it.
    pub fn has(&self, person: &str) -> bool {
        self.people.iter().any(|p| p == person)
    }
}

/// [`name::check`] for a field of a round: what stands in a file is input, not usage.
fn named(text: &str, what: &str, field: &str) -> Result<()> {
    name::check(text, what).map_err(|problem| {
        let help = problem.help.unwrap_or_default();
        Error::input(problem.what).field(field).help(help)
    })
}

#[cfg(test)]
mod tests;
