//! Analyses of a whole board: requests and results.

pub mod contamination;
pub mod variants;

use serde::{Deserialize, Serialize};

use super::agreement::{Bootstrap, Interval};
use super::board::analysis::ScEstimate;
use super::board::{Board, BoardQuery, Scale};
use super::error::{Error, Result};
use contamination::Contaminations;
use variants::{ModelVariants, Variants};

/// A request for an analysis of a board.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AnalysisQuery {
    pub board: BoardQuery,
    pub what: What,
}

/// The kind of analysis.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum What {
    /// Rank correlation of two columns or boards.
    Correlate(Correlate),
    /// Hierarchical clustering of models or columns.
    Cluster(Cluster),
    /// Scores by number of questions.
    Stability(Stability),
    /// The effect of removing items.
    Cleaning(Cleaning),
    /// Confidence intervals of columns.
    Intervals(Intervals),
    /// The board with published figures; only of this paper, if given.
    Published(Option<String>),
    /// The share of pictures that show what they should.
    Alignment(Alignment),
    /// Results on VLB's variants.
    Variants(Variants),
    /// Image and image-text contamination, of originals and variants.
    Contamination,
}

/// The result of an analysis, for the [`What`] of the same name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Analysis {
    Correlated(Box<Correlated>),
    Clustered(Clustered),
    Stable(Stable),
    Cleaned(Cleaned),
    /// See [`What::Intervals`]: one entry per column and model.
    Intervals(Vec<ScoreInterval>),
    Published(Board),
    Aligned(Aligned),
    /// One entry per model that answered a variant.
    Variants(Vec<ModelVariants>),
    Contamination(Contaminations),
}

impl Analysis {
    /// What came of [`What::Stability`].
    ///
    /// # Errors
    /// [`Error::unreachable`] for another analysis.
    pub fn stable(self) -> Result<Stable> {
        if let Analysis::Stable(found) = self {
            Ok(found)
        } else {
            Err(another())
        }
    }

    /// What came of [`What::Intervals`].
    ///
    /// # Errors
    /// [`Error::unreachable`] for another analysis.
    pub fn intervals(self) -> Result<Vec<ScoreInterval>> {
        if let Analysis::Intervals(list) = self {
            Ok(list)
        } else {
            Err(another())
        }
    }
}

fn another() -> Error {
    Error::unreachable("protocol error: the reply is of another analysis")
}

/// A request for the correlation of two columns or boards.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Correlate {
    /// The column; by default the board's leading one.
    pub column: Option<String>,
    /// Another column of the same board.
    pub with: Option<String>,
    /// Or scores from elsewhere.
    pub other: Option<Other>,
    /// Seed of the permutations.
    pub seed: u64,
}

/// Scores of models from elsewhere.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Other {
    /// Name of the source.
    pub name: String,
    /// Name of the column.
    pub column: String,
    /// Models and scores.
    pub scores: Vec<(String, f64)>,
    /// Pairs of a model's name on the board and its name there, if they differ.
    pub names: Vec<(String, String)>,
}

/// One side of a correlation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Axis {
    /// `board`, or the name of the source.
    pub from: String,
    pub column: String,
}

/// A model on both sides.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Joined {
    pub model: String,
    pub other: String,
    /// Score on the board, shares in percent.
    pub x: f64,
    /// Score on the other side.
    pub y: f64,
}

/// A rank correlation coefficient with its p-value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Coefficient {
    /// From -1, the opposite order, to 1, the same order.
    pub value: Option<f64>,
    /// Two-sided p-value.
    pub p: Option<f64>,
    /// How p was computed: `exact` from all orders, `permutation` from random ones, or `none`.
    pub by: String,
    /// Number of orders.
    pub orders: u64,
    /// Why there is no value.
    pub undefined: Option<String>,
}

/// The correlation of two columns or boards.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Correlated {
    /// The board's column.
    pub x: Axis,
    /// The other side.
    pub y: Axis,
    /// Models on both sides.
    pub n: u64,
    /// Spearman's rho, with average ranks.
    pub spearman: Coefficient,
    pub kendall: Coefficient,
    /// Seed of the permutations.
    pub seed: u64,
    pub models: Vec<Joined>,
    /// Models of the board without a score on the other side.
    pub only_x: Vec<String>,
    /// Models of the other side without a score on the board.
    pub only_y: Vec<String>,
}

/// What to cluster.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Of {
    /// Models, by their scores in the columns.
    #[default]
    Models,
    /// Columns, by the scores of the models.
    Subtasks,
}

/// The distance between two clusters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Linkage {
    /// The mean distance of their points.
    Average,
    /// The increase in squared deviations when they merge (Ward, JASA 58, 1963), as a distance.
    Ward,
}

/// A merge of two clusters.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Merge {
    /// The cluster with the lower number: a point (from 0), or `n` plus the index of an earlier
    /// merge.
    pub a: usize,
    /// The other cluster.
    pub b: usize,
    /// The distance between the two clusters.
    pub height: f64,
    /// Number of points in both clusters.
    pub size: usize,
}

/// A request for a cluster tree.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cluster {
    pub of: Of,
    /// Distance between clusters.
    pub method: Linkage,
    /// The columns; by default accuracy by subtask, or all shares if there are no subtasks.
    pub columns: Vec<String>,
}

/// A cluster tree.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Clustered {
    pub of: Of,
    /// Distance between clusters.
    pub method: Linkage,
    /// Names of the points, numbered from 0.
    pub points: Vec<String>,
    /// Names of the coordinates, which are in percent.
    pub by: Vec<String>,
    /// Merges in order of distance. Numbers from `points.len()` on are earlier merges.
    pub merges: Vec<Merge>,
    /// Models without a score in one of the columns.
    pub left_out: Vec<String>,
}

/// A request for stability curves.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Stability {
    /// The column; by default the board's leading one.
    pub column: Option<String>,
    /// Percentages of the data, each above 0 and at most 100; by default those of the paper.
    pub fractions: Vec<f64>,
    /// Seed of the order of questions.
    pub seed: u64,
}

/// The curve of one model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Curve {
    pub model: String,
    /// Score at each fraction, shares in percent. `None` if nothing is scored.
    pub values: Vec<Option<f64>>,
    /// Largest distance from the last point, over the points from half of the data on.
    pub drift: Option<f64>,
}

/// The curves of all models over the same questions, each over those it is scored on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stable {
    pub column: String,
    /// The kind of its numbers.
    pub scale: Scale,
    /// Percentages of the data.
    pub fractions: Vec<f64>,
    /// Number of questions at each fraction, over all models.
    pub n: Vec<u64>,
    /// Seed of the order of questions.
    pub seed: u64,
    /// One entry per model.
    pub models: Vec<Curve>,
}

/// The items that remain.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Kept {
    /// Items accepted by people.
    #[default]
    Accepted,
    /// Items accepted by the protocol of this round.
    Round(String),
    /// All items that were not rejected.
    NotRejected,
}

/// A request for the effect of removing items.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Cleaning {
    /// The column; by default the board's leading one.
    pub column: Option<String>,
    pub kept: Kept,
    /// Settings of the bootstrap intervals.
    pub plan: Bootstrap,
}

/// One model before and after.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModelCleaned {
    pub model: String,
    /// Score on all items, shares in percent.
    pub before: Option<f64>,
    /// Score on the remaining items.
    pub after: Option<f64>,
    /// Units or answers behind `before`.
    pub n_before: u64,
    /// Units or answers behind `after`.
    pub n_after: u64,
    /// Share of removed units in percent, for columns of shares only.
    pub removed: Option<f64>,
    /// `after` minus `before`, in points (squared points for SQ and SC).
    pub delta: Option<f64>,
    /// The 95 % interval of `delta`.
    pub interval: Option<Interval>,
    /// Why there is no interval.
    pub no_interval: Option<String>,
    /// Rank before, from 1. Equal numbers share a rank.
    pub rank_before: Option<u64>,
    /// Rank after.
    pub rank_after: Option<u64>,
}

/// All models before and after.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cleaned {
    pub column: String,
    /// The kind of its numbers.
    pub scale: Scale,
    /// Questions before.
    pub questions_before: u64,
    /// Remaining questions.
    pub questions_after: u64,
    /// Number of resamples and seed of the intervals.
    pub plan: Bootstrap,
    /// One entry per model, in the order of the ranks before.
    pub models: Vec<ModelCleaned>,
}

/// A request for confidence intervals.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Intervals {
    /// Names of columns; by default the board's leading one.
    pub columns: Vec<String>,
    /// Number of resamples and seed.
    pub plan: Bootstrap,
}

/// A score with its confidence intervals.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScoreInterval {
    pub column: String,
    /// The kind of its numbers.
    pub scale: Scale,
    pub model: String,
    /// The score, shares in percent.
    pub value: f64,
    /// Right units, if units are right or wrong.
    pub k: Option<u64>,
    /// Units or answers behind the score.
    pub n: u64,
    /// Wilson interval, which assumes independent units.
    pub wilson: Option<(f64, f64)>,
    /// Cluster bootstrap interval over image pairs, images, or questions.
    pub interval: Option<Interval>,
    /// Why there is no bootstrap interval.
    pub no_interval: Option<String>,
    /// Number of clusters.
    pub clusters: u64,
    /// The part of SC that is not sampling noise, for SC columns.
    pub sc: Option<ScEstimate>,
}

/// The source of the alignment votes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum By {
    /// The score S_a of the filter `alignment`. A picture is aligned from this share of right
    /// answers on.
    Filter(f64),
    /// The majority of effective verdicts; only those of this round, if given.
    People(Option<String>),
}

/// A request for alignment rates.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Alignment {
    pub by: By,
}

/// An alignment rate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rate {
    /// The aspect (an item's subtask). `None` for all aspects together.
    pub aspect: Option<String>,
    /// The difficulty (an item's level). `None` for all difficulties together.
    pub difficulty: Option<String>,
    pub aligned: u64,
    /// Pictures with a vote.
    pub n: u64,
    /// Share of aligned pictures, in percent.
    pub rate: f64,
    /// Wilson interval of the rate, in percent.
    pub wilson: Option<(f64, f64)>,
}

/// The alignment rates of a benchmark.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Aligned {
    /// `filter` or `people`.
    pub by: String,
    /// Minimum share of right answers of an aligned picture. `None` for people.
    pub threshold: Option<f64>,
    /// The round whose verdicts count. `None` for all verdicts.
    pub round: Option<String>,
    /// Pictures without a vote, which are in no rate.
    pub without: u64,
    /// By aspect, each by difficulty and overall, then all aspects.
    pub rates: Vec<Rate>,
}
