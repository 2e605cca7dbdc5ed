//! What the filter bench asks and shows.

use serde::{Deserialize, Serialize};

use super::job::ScoringState;
use super::rules::{RuleSet, Then};
use super::{FlagPriority, Measure, Outcome, ScoreState, Scorer};
use crate::{Field, Filter};

/// A scorer and what there is of its scores.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScorerState {
    /// Which.
    pub scorer: Scorer,
    /// What it measures.
    pub what: String,
    /// Its doubtful end.
    pub doubt: FlagPriority,
    /// Why it cannot run now, and what to do; none where it can.
    pub not_ready: Option<String>,
    /// The short fingerprint of what scored; empty before anything did.
    pub version: String,
    /// Items by state, in the order of [`ScoreState::ALL`].
    pub items: [u64; ScoreState::ALL.len()],
    /// Its job, where there is one that is not over, else the last one.
    pub job: Option<ScoringState>,
}

/// A look at one score over items.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BenchAsk {
    /// Which score, on which scale.
    pub measure: Measure,
    /// Which items.
    pub filter: Filter,
    /// Items on its doubtful side are flagged.
    pub flag: Option<f32>,
    /// Items on its doubtful side are parked.
    pub park: Option<f32>,
    /// What the counts are broken down by: [`Field::Subtask`], [`Field::Style`], [`Field::Type`], [`Field::Dataset`],
    /// [`Field::Variant`] or [`Field::Level`].
    pub by: Field,
    /// Only items with this value of `by` in the histogram and all counts but the groups'.
    pub value: Option<String>,
    /// Bars of the histogram, 1 to 400.
    pub bars: u16,
    /// The bars' ends; none for the smallest and the largest score.
    pub range: Option<(f32, f32)>,
    /// Another score with its threshold, for the table of the two.
    pub other: Option<(Measure, f32)>,
    /// Sample items wanted on each side of the line, at most 16.
    pub samples: u8,
    /// A second property, as `by`: the items are also counted for every value of the one together with every value of the other.
    pub across: Option<Field>,
}

/// Items by what becomes of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// By [`Outcome`].
    pub items: [u64; 3],
    /// Of these items without a number, which no threshold reaches: they are kept.
    pub without: u64,
    /// Accepted by a person, by outcome.
    pub accepted: [u64; 3],
    /// Rejected by a person, by outcome.
    pub rejected: [u64; 3],
}

impl Tally {
    /// All items.
    pub fn all(&self) -> u64 {
        self.items.iter().sum()
    }

    /// Doubted (flagged or parked) items that a person rejected, of all doubted ones that a person judged: the k and n of the filter's precision.
    pub fn precision(&self) -> (u64, u64) {
        let right = self.rejected[1] + self.rejected[2];
        (right, right + self.accepted[1] + self.accepted[2])
    }

    /// Rejected items that were doubted, of all rejected ones: the k and n of the filter's recall.
    pub fn recall(&self) -> (u64, u64) {
        (
            self.rejected[1] + self.rejected[2],
            self.rejected.iter().sum(),
        )
    }
}

/// A share with its Wilson interval at 95 %; all in 0..=1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Share {
    /// How many.
    pub k: u64,
    /// Of how many.
    pub n: u64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

impl Share {
    /// The share itself.
    pub fn share(&self) -> f64 {
        if self.n == 0 {
            0.0
        } else {
            self.k as f64 / self.n as f64
        }
    }
}

/// An item near the line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// Item number, from 1.
    pub number: u32,
    /// Its score, on the scale asked for.
    pub value: f32,
    /// Hash and extension of its first picture, where it has one.
    pub picture: Option<(String, String)>,
    /// The prompt or, where there is none, the question; cut.
    pub text: String,
}

/// A look at one score.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bench {
    /// What was asked.
    pub measure: Measure,
    /// The model's logit scale (1 where there is none).
    pub logit: f32,
    /// Smallest and largest score among the items; none where nothing is scored.
    pub range: Option<(f32, f32)>,
    /// Ends of the bars.
    pub ends: (f32, f32),
    /// Items in each bar; those beyond the ends are in the outermost.
    pub bars: Vec<u64>,
    /// Of these, rejected by a person.
    pub rejected: Vec<u64>,
    /// All items asked for.
    pub tally: Tally,
    /// By the property asked for: its value and its items, most items first.
    pub groups: Vec<(String, Tally)>,
    /// Of doubted items that a person judged, how many were rejected.
    pub precision: Option<Share>,
    /// Of rejected items, how many were doubted.
    pub recall: Option<Share>,
    /// Share of scored items on the doubtful side of the flag line.
    pub percentile: Option<f32>,
    /// This score (kept, doubted) against the other (kept, doubted), for items that have both.
    pub pair: Option<[[u64; 2]; 2]>,
    /// Items next to the line on its good side, nearest first.
    pub good: Vec<Sample>,
    /// Items next to the line on its doubtful side, nearest first.
    pub bad: Vec<Sample>,
    /// The groups by a second property, where one was asked for.
    pub cross: Option<Cross>,
}

/// Items by two properties.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cross {
    /// Values of the second property, most items first.
    pub values: Vec<String>,
    /// For each of the groups, in their order, and each of these values: items by [`Outcome`].
    pub items: Vec<Vec<[u64; 3]>>,
}

/// The rules and what they make of the items.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RulesState {
    /// The rules in `benchtop.toml`.
    pub rules: RuleSet,
    /// Hash of the file they were read from: a change names the one it was made on.
    pub revision: String,
    /// What they make of the items.
    pub tally: Tally,
    /// Items that each rule holds for.
    pub hits: Vec<u64>,
    /// Sets of rules that revert can go back to.
    pub history: u32,
    /// Why the file cannot be read, with its line and field; the rules are the last that could be.
    pub problem: Option<String>,
}

/// What other rules would change.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RulesDiff {
    /// What they would make of the items.
    pub tally: Tally,
    /// Items that each rule would hold for.
    pub hits: Vec<u64>,
    /// Items by what they are (row) and would be (column).
    pub moves: [[u64; 3]; 3],
    /// Rules added, changed or gone, each in words with `+`, `~` or `-`.
    pub lines: Vec<String>,
}

impl RulesDiff {
    /// Items that would be `to` and are not.
    pub fn newly(&self, to: Outcome) -> u64 {
        let to = usize::from(to.code());
        (0..3)
            .filter(|from| *from != to)
            .map(|from| self.moves[from][to])
            .sum()
    }

    /// Items that are `from` and would not be.
    pub fn no_longer(&self, from: Outcome) -> u64 {
        let from = usize::from(from.code());
        (0..3)
            .filter(|to| *to != from)
            .map(|to| self.moves[from][to])
            .sum()
    }
}

/// In which order doubtful items come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FlagOrder {
    /// Nearest to the threshold first: where the machine is least sure.
    #[default]
    Nearest,
    /// Furthest on the doubtful side first.
    Worst,
    /// Items that some rules or judges doubt and others do not, the most even first.
    Disagreement,
    /// Items that a person decided against the rules: flagged and accepted, or kept and rejected.
    AgainstPeople,
    /// In an order that depends on the seed alone.
    Random,
}

impl FlagOrder {
    /// All of them, in the order of the menu.
    pub const ALL: [FlagOrder; 5] = [
        Self::Nearest,
        Self::Worst,
        Self::Disagreement,
        Self::AgainstPeople,
        Self::Random,
    ];

    /// The name used in commands.
    pub fn name(self) -> &'static str {
        match self {
            Self::Nearest => "nearest",
            Self::Worst => "worst",
            Self::Disagreement => "disagreement",
            Self::AgainstPeople => "against-people",
            Self::Random => "random",
        }
    }

    /// What it means, for a menu.
    pub fn help(self) -> &'static str {
        match self {
            Self::Nearest => "nearest to a threshold first",
            Self::Worst => "furthest beyond a threshold first",
            Self::Disagreement => "rules that disagree first",
            Self::AgainstPeople => "people against the rules",
            Self::Random => "in a random order",
        }
    }

    /// The order of that [`name`](Self::name).
    pub fn from_name(name: &str) -> Option<FlagOrder> {
        Self::ALL.into_iter().find(|o| o.name() == name)
    }
}

/// A chip on an item: a rule that holds for it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Chip {
    /// The rule.
    pub rule: String,
    /// What it does.
    pub then: Then,
    /// `clip 21.3 < 25`, of the conditions that hold.
    pub words: String,
}

/// Everything that machines said of an item.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Explanation {
    /// Item number, from 1.
    pub number: u32,
    /// What the rules make of it.
    pub outcome: Outcome,
    /// The rules that hold for it.
    pub chips: Vec<Chip>,
    /// Every score that was tried.
    pub scores: Vec<Explained>,
    /// The accepted item whose picture is most like it, with the cosine, where pictures were embedded.
    pub nearest_accepted: Option<(u32, f32)>,
    /// Whether a person decided against the rules: accepting what is flagged is the filter's false alarm.
    pub overridden: bool,
}

/// One score of an item, explained.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Explained {
    /// By whom.
    pub scorer: Scorer,
    /// What became of it.
    pub state: ScoreState,
    /// The number on each of its scales, by name.
    pub values: Vec<(String, f32)>,
    /// Share of scored items with a more doubtful score, 0 to 1.
    pub percentile: Option<f32>,
    /// The conditions of the rules on it, in words, each with whether it holds.
    pub conditions: Vec<(String, bool)>,
    /// What the scorer kept of it: one JSON object or nothing.
    pub detail: String,
    /// The short fingerprint of what scored.
    pub version: String,
    /// Whether the score is of an earlier picture or text and waits to be made again.
    pub out_of_date: bool,
    /// What a share is of, where the score is one.
    pub counted: Option<Counted>,
}

/// A share as it was counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counted {
    /// So many.
    pub k: u64,
    /// Of so many.
    pub n: u64,
    /// Answers that count neither way: declined, not to be read, not there.
    pub left_out: u64,
}

impl std::fmt::Display for Counted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Counted { k, n, left_out } = self;
        match left_out {
            0 => write!(f, "{k} of {n}"),
            out => write!(f, "{k} of {n}, {out} left out"),
        }
    }
}
