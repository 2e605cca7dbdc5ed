//! Queries about scores and rules, and their results.

use serde::{Deserialize, Serialize};

use super::job::ScoringState;
use super::rules::{RuleAction, RuleSet};
use super::{Measure, Outcome, ScoreState, Scorer, SuspiciousEnd};
use crate::{Field, Filter};

/// A scorer and the state of its scores.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScorerState {
    pub scorer: Scorer,
    /// Description of what it measures.
    pub what: String,
    /// Which end of its scores is suspicious.
    pub doubt: SuspiciousEnd,
    /// Why it cannot run now and what to do; `None` if it can.
    pub not_ready: Option<String>,
    /// Short fingerprint of the scorer; empty before the first score.
    pub version: String,
    /// Items by state, in the order of [`ScoreState::ALL`].
    pub items: [u64; ScoreState::ALL.len()],
    /// Its unfinished job, otherwise the last one.
    pub job: Option<ScoringState>,
}

/// Asks what the thresholds of one score do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TuningQuery {
    /// The score and its scale.
    pub measure: Measure,
    /// The items.
    pub filter: Filter,
    /// Items on the suspicious side of this threshold are flagged.
    pub flag: Option<f32>,
    /// Items on the suspicious side of this threshold are parked.
    pub park: Option<f32>,
    /// The grouping of the counts: [`Field::Subtask`], [`Field::Style`], [`Field::Type`],
    /// [`Field::Dataset`], [`Field::Variant`], or [`Field::Level`].
    pub by: Field,
    /// Restricts the histogram and all counts but the groups to items with this value of `by`.
    pub value: Option<String>,
    /// Number of histogram bars, 1 to 400.
    pub bars: u16,
    /// Range of the histogram; `None` for the smallest to the largest score.
    pub range: Option<(f32, f32)>,
    /// A second score with its threshold, for the two-by-two table.
    pub other: Option<(Measure, f32)>,
    /// Number of sample items per side of the threshold, at most 16.
    pub samples: u8,
    /// A second grouping. The items are also counted for every pair of values.
    pub across: Option<Field>,
}

/// Items by outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    pub items: [u64; 3],
    /// Items without a number among them. No threshold applies, so they are kept.
    pub without: u64,
    /// Items accepted by a person, by outcome.
    pub accepted: [u64; 3],
    /// Items rejected by a person, by outcome.
    pub rejected: [u64; 3],
}

impl Tally {
    pub fn all(&self) -> u64 {
        self.items.iter().sum()
    }

    /// Precision of the filter as k of n: of the flagged or parked items that a person judged,
    /// those that were rejected.
    pub fn precision(&self) -> (u64, u64) {
        let right = self.rejected[1] + self.rejected[2];
        (right, right + self.accepted[1] + self.accepted[2])
    }

    /// Recall of the filter as k of n: of the rejected items, those that were flagged or parked.
    pub fn recall(&self) -> (u64, u64) {
        (
            self.rejected[1] + self.rejected[2],
            self.rejected.iter().sum(),
        )
    }
}

/// A share with its 95 % Wilson interval, all in 0..=1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Share {
    pub k: u64,
    pub n: u64,
    pub low: f64,
    pub high: f64,
}

impl Share {
    pub fn share(&self) -> f64 {
        if self.n == 0 {
            0.0
        } else {
            self.k as f64 / self.n as f64
        }
    }
}

/// An item near the threshold.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// Item number, from 1.
    pub number: u32,
    /// Its score, on the requested scale.
    pub value: f32,
    /// Hash and extension of its first picture.
    pub picture: Option<(String, String)>,
    /// The prompt or, if there is none, the question; truncated.
    pub text: String,
}

/// The reply: the histogram of a score, and what its thresholds do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ThresholdTuning {
    pub measure: Measure,
    /// The model's logit scale; 1 if it has none.
    pub logit: f32,
    /// Smallest and largest score; `None` if nothing is scored.
    pub range: Option<(f32, f32)>,
    /// Range of the histogram.
    pub ends: (f32, f32),
    /// Items per bar. The outermost bars include everything beyond the range.
    pub bars: Vec<u64>,
    /// Rejected items per bar.
    pub rejected: Vec<u64>,
    pub tally: Tally,
    /// Counts by value of the grouping, most items first.
    pub groups: Vec<(String, Tally)>,
    /// See [`Tally::precision`].
    pub precision: Option<Share>,
    /// See [`Tally::recall`].
    pub recall: Option<Share>,
    /// Share of scored items on the suspicious side of the flag threshold.
    pub percentile: Option<f32>,
    /// This score (kept, suspicious) against the other one (kept, suspicious), for items with both.
    pub pair: Option<[[u64; 2]; 2]>,
    /// Items just on the good side of the threshold, nearest first.
    pub good: Vec<Sample>,
    /// Items just on the suspicious side of the threshold, nearest first.
    pub bad: Vec<Sample>,
    /// The counts by both groupings, if requested.
    pub cross: Option<CrossTable>,
}

/// Items by two groupings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CrossTable {
    /// Values of the second grouping, most items first.
    pub values: Vec<String>,
    /// For each group and each of these values, items by [`Outcome`].
    pub items: Vec<Vec<[u64; 3]>>,
}

/// The rules and their outcomes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RulesState {
    /// The rules in `benchtop.toml`.
    pub rules: RuleSet,
    /// Hash of the file that they were read from. A change must name the hash it is based on.
    pub revision: String,
    /// Items by outcome.
    pub tally: Tally,
    /// Number of matching items per rule.
    pub hits: Vec<u64>,
    /// Number of earlier rule sets to revert to.
    pub history: u32,
    /// The error with line and field if the file is invalid. The rules are then the last valid
    /// ones.
    pub problem: Option<String>,
}

/// The effect of different rules.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RulesDiff {
    /// Items by outcome under the other rules.
    pub tally: Tally,
    /// Number of matching items per rule.
    pub hits: Vec<u64>,
    /// Items by present outcome (row) and new outcome (column).
    pub moves: [[u64; 3]; 3],
    /// Rules that were added (`+`), changed (`~`), or removed (`-`).
    pub lines: Vec<String>,
}

impl RulesDiff {
    /// Number of items that would become `to`.
    pub fn newly(&self, to: Outcome) -> u64 {
        let to = usize::from(to.code());
        (0..3)
            .filter(|from| *from != to)
            .map(|from| self.moves[from][to])
            .sum()
    }

    /// Number of items that would no longer be `from`.
    pub fn no_longer(&self, from: Outcome) -> u64 {
        let from = usize::from(from.code());
        (0..3)
            .filter(|to| *to != from)
            .map(|to| self.moves[from][to])
            .sum()
    }
}

named! {
    /// Order of suspicious items.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum FlagOrder {
        /// Nearest to the threshold first, where the scorer is least certain.
        #[default]
        Nearest = "nearest",
        /// Furthest beyond the threshold first.
        Worst = "worst",
        /// Items on which rules or judges disagree, most evenly split first.
        Disagreement = "disagreement",
        /// Items that a person decided against the rules: flagged and accepted, or kept and rejected.
        AgainstPeople = "against-people",
        /// Random order from the seed.
        Random = "random",
    }
}

impl FlagOrder {
    /// The menu text.
    pub fn help(self) -> &'static str {
        match self {
            Self::Nearest => "nearest to a threshold first",
            Self::Worst => "furthest beyond a threshold first",
            Self::Disagreement => "rules that disagree first",
            Self::AgainstPeople => "people who overruled the rules first",
            Self::Random => "random order",
        }
    }
}

/// A rule that matches an item.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MatchingRule {
    pub rule: String,
    pub then: RuleAction,
    /// The conditions that hold: `clip 21.3 < 25`.
    pub words: String,
}

/// All machine results for an item.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Explanation {
    /// Item number, from 1.
    pub number: u32,
    pub outcome: Outcome,
    /// The rules that match.
    pub chips: Vec<MatchingRule>,
    /// Every score that was attempted.
    pub scores: Vec<ExplainedScore>,
    /// The accepted item with the most similar picture, and the cosine, if pictures were embedded.
    pub nearest_accepted: Option<(u32, f32)>,
    /// Whether a person overruled the rules.
    pub overridden: bool,
}

/// One score of an item, explained.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExplainedScore {
    pub scorer: Scorer,
    pub state: ScoreState,
    /// The value on each scale, by name.
    pub values: Vec<(String, f32)>,
    /// Share of scored items with a more suspicious score, 0 to 1.
    pub percentile: Option<f32>,
    /// The conditions on it, each with whether it holds.
    pub conditions: Vec<(String, bool)>,
    /// Details from the scorer: one JSON object, or empty.
    pub detail: String,
    /// Short fingerprint of the scorer.
    pub version: String,
    /// Whether the score is of an earlier picture or text and will be recomputed.
    pub out_of_date: bool,
    /// The counts behind the score, if it is a share.
    pub counted: Option<Counted>,
}

/// A share as counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counted {
    pub k: u64,
    pub n: u64,
    /// Answers that count neither way: refused, unparsed, or missing.
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
