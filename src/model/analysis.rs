//! Analyses of a whole board: requests and results.

use serde::{Deserialize, Serialize};

use super::agreement::{Bootstrap, Interval};
use super::board::analysis::ScEstimate;
use super::board::{Board, BoardAsk, Scale};
use super::error::{Error, ErrorKind, Result};

/// An analysis of a board.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AnalyseAsk {
    /// Which board.
    pub board: BoardAsk,
    /// What is wanted of it.
    pub what: What,
}

/// What is wanted of a board.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum What {
    /// Whether two columns, or two boards, put models in the same order.
    Correlate(Correlate),
    /// Which models, or columns, are alike.
    Cluster(Cluster),
    /// How scores settle as more questions come in.
    Stability(Stability),
    /// What taking items out did.
    Cleaning(Cleaning),
    /// How sure the numbers of columns are.
    Intervals(Intervals),
    /// The board with what papers printed beside it; only of this paper, if one is named.
    Published(Option<String>),
    /// How many pictures show what they should.
    Alignment(Alignment),
}

/// What came of it; each belongs to the [`What`] of its name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Analysis {
    /// See [`What::Correlate`].
    Correlated(Box<Correlated>),
    /// See [`What::Cluster`].
    Clustered(Clustered),
    /// See [`What::Stability`].
    Stable(Stable),
    /// See [`What::Cleaning`].
    Cleaned(Cleaned),
    /// See [`What::Intervals`]: a line a column and model.
    Sure(Vec<Sure>),
    /// See [`What::Published`].
    Published(Board),
    /// See [`What::Alignment`].
    Aligned(Aligned),
}

impl Analysis {
    /// What came of [`What::Stability`].
    ///
    /// # Errors
    /// [`ErrorKind::Unreachable`] for another analysis.
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
    /// [`ErrorKind::Unreachable`] for another analysis.
    pub fn intervals(self) -> Result<Vec<Sure>> {
        if let Analysis::Sure(list) = self {
            Ok(list)
        } else {
            Err(another())
        }
    }
}

fn another() -> Error {
    Error::new(
        ErrorKind::Unreachable,
        "protocol error: the reply is of another analysis",
    )
}

/// Two columns, or two boards.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Correlate {
    /// The column; without one, the board's leading one.
    pub column: Option<String>,
    /// Another column of the same board.
    pub with: Option<String>,
    /// Or numbers from elsewhere.
    pub other: Option<Other>,
    /// For drawn orders.
    pub seed: u64,
}

/// Numbers of models from elsewhere.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Other {
    /// Where from.
    pub name: String,
    /// What they are.
    pub column: String,
    /// Model and number.
    pub scores: Vec<(String, f64)>,
    /// How models of the board are called there, where it is otherwise.
    pub names: Vec<(String, String)>,
}

/// One of the two.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Axis {
    /// `board`, or where the numbers are from.
    pub from: String,
    /// Column.
    pub column: String,
}

/// A model that both have.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Joined {
    /// Its name on the board.
    pub model: String,
    /// Its name there.
    pub other: String,
    /// Its number on the board, shares in percent.
    pub x: f64,
    /// Its number there.
    pub y: f64,
}

/// A coefficient of rank correlation and how easily chance gives one as strong.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Coefficient {
    /// From -1, the opposite order, to 1, the same one.
    pub value: Option<f64>,
    /// Two-sided p.
    pub p: Option<f64>,
    /// How p was found: `exact`, all orders; `permutation`, drawn ones; `none`.
    pub by: String,
    /// Orders that were looked at.
    pub orders: u64,
    /// Why there is no value.
    pub undefined: Option<String>,
}

/// Two columns, or two boards, held against each other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Correlated {
    /// The board's column.
    pub x: Axis,
    /// What it is held against.
    pub y: Axis,
    /// Models that both have.
    pub n: u64,
    /// Spearman's rho, of average ranks.
    pub spearman: Coefficient,
    /// Kendall's tau-b.
    pub kendall: Coefficient,
    /// For drawn orders.
    pub seed: u64,
    /// The models.
    pub models: Vec<Joined>,
    /// Models of the board that the other one does not have, or has no number of.
    pub only_x: Vec<String>,
    /// And the other way round.
    pub only_y: Vec<String>,
}

/// What is put together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Of {
    /// Models, by their numbers in the columns.
    #[default]
    Models,
    /// Columns, by the numbers that the models have in them.
    Subtasks,
}

/// How far two clusters are apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Linkage {
    /// The mean distance of their points.
    Average,
    /// What merging them adds to the squared deviations (Ward, JASA 58, 1963), as a distance.
    Ward,
}

/// Two clusters become one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Merge {
    /// The one of the lower number: a point (from 0), or `n` plus the number of an earlier merge.
    pub a: usize,
    /// The other one.
    pub b: usize,
    /// How far they are apart.
    pub height: f64,
    /// Points in both together.
    pub size: usize,
}

/// Which tree.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cluster {
    /// Of what.
    pub of: Of,
    /// How far two clusters are apart.
    pub method: Linkage,
    /// The columns; without any, accuracy by subtask, or all shares where there are no subtasks.
    pub columns: Vec<String>,
}

/// A tree of what is alike.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Clustered {
    /// Of what.
    pub of: Of,
    /// How far two clusters are apart.
    pub method: Linkage,
    /// What is put together, numbered from 0.
    pub points: Vec<String>,
    /// What their coordinates are, in percent.
    pub by: Vec<String>,
    /// Nearest first; numbers from `points` on are earlier merges.
    pub merges: Vec<Merge>,
    /// Models without a number in one of the columns.
    pub left_out: Vec<String>,
}

/// Which curves.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Stability {
    /// The column; without one, the board's leading one.
    pub column: Option<String>,
    /// Percent of the data, each above 0 and at most 100; without any, those of the paper.
    pub fractions: Vec<f64>,
    /// What the order of questions is drawn with.
    pub seed: u64,
}

/// The curve of one model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Curve {
    /// Model.
    pub model: String,
    /// Its number on each fraction, shares in percent; none where nothing is scored.
    pub values: Vec<Option<f64>>,
    /// The largest distance from the last point, over those of half of the data and more.
    pub drift: Option<f64>,
}

/// The curves of all models over the same questions, each over those that it is scored on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stable {
    /// Column.
    pub column: String,
    /// What its numbers are.
    pub scale: Scale,
    /// Percent of the data.
    pub fractions: Vec<f64>,
    /// Questions that are, of all models together.
    pub n: Vec<u64>,
    /// What their order was drawn with.
    pub seed: u64,
    /// A line a model.
    pub models: Vec<Curve>,
}

/// What is left when items are taken out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Kept {
    /// What people accepted.
    #[default]
    Accepted,
    /// What is accepted by the protocol of this round.
    Round(String),
    /// Everything that was not rejected.
    NotRejected,
}

/// Which column, and what is left.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Cleaning {
    /// The column; without one, the board's leading one.
    pub column: Option<String>,
    /// What is left.
    pub kept: Kept,
    /// For the intervals.
    pub plan: Bootstrap,
}

/// One model before and after.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModelCleaned {
    /// Model.
    pub model: String,
    /// Its number on everything, shares in percent.
    pub before: Option<f64>,
    /// Its number on what is left.
    pub after: Option<f64>,
    /// Units or answers that `before` is of.
    pub n_before: u64,
    /// The same of `after`.
    pub n_after: u64,
    /// Its share of what was taken out, in percent; only of columns of shares.
    pub removed: Option<f64>,
    /// After less before, in points (squared points for SQ and SC).
    pub delta: Option<f64>,
    /// The 95 % interval of that.
    pub interval: Option<Interval>,
    /// Why there is none.
    pub no_interval: Option<String>,
    /// Its place before, from 1; equal numbers share one.
    pub rank_before: Option<u64>,
    /// Its place after.
    pub rank_after: Option<u64>,
}

/// Every model before and after.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cleaned {
    /// Column.
    pub column: String,
    /// What its numbers are.
    pub scale: Scale,
    /// Questions before.
    pub questions_before: u64,
    /// Questions that are left.
    pub questions_after: u64,
    /// Draws and seed of the intervals.
    pub plan: Bootstrap,
    /// A line a model, in the order of the places before.
    pub models: Vec<ModelCleaned>,
}

/// Which columns.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Intervals {
    /// Their names; without any, the board's leading one.
    pub columns: Vec<String>,
    /// Draws and seed.
    pub plan: Bootstrap,
}

/// A number and how sure it is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sure {
    /// Column.
    pub column: String,
    /// What its numbers are.
    pub scale: Scale,
    /// Model.
    pub model: String,
    /// The number, shares in percent.
    pub value: f64,
    /// Units right, where units are right or wrong.
    pub k: Option<u64>,
    /// Units or answers it is of.
    pub n: u64,
    /// Wilson's interval, which takes units for independent.
    pub wilson: Option<(f64, f64)>,
    /// The interval by drawing image pairs, images or questions again.
    pub interval: Option<Interval>,
    /// Why there is none.
    pub no_interval: Option<String>,
    /// How many are drawn.
    pub clusters: u64,
    /// What of SC is not sampling noise, for the columns of SC.
    pub sc: Option<ScEstimate>,
}

/// Who says whether a picture is aligned.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum By {
    /// The score S_a of the filter `alignment`: aligned from this share of right answers on.
    Filter(f64),
    /// Most of the verdicts that count; only those of this round, if one is named.
    People(Option<String>),
}

/// Whose word is wanted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Alignment {
    /// Who says it.
    pub by: By,
}

/// One rate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rate {
    /// The aspect (an item's subtask); none for all of them together.
    pub aspect: Option<String>,
    /// The difficulty (an item's level); none for all of them together.
    pub difficulty: Option<String>,
    /// Aligned pictures.
    pub aligned: u64,
    /// Pictures of which somebody said so or not.
    pub n: u64,
    /// Aligned ones in percent.
    pub rate: f64,
    /// Wilson's interval of that, in percent.
    pub wilson: Option<(f64, f64)>,
}

/// The rates of a benchmark.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Aligned {
    /// `filter` or `people`.
    pub by: String,
    /// Share of right answers from which on a picture is aligned; none for people.
    pub threshold: Option<f64>,
    /// The round whose verdicts count; none for all.
    pub round: Option<String>,
    /// Pictures of which nothing was said; they are in no rate.
    pub without: u64,
    /// Aspect by aspect, each by difficulty and as a whole, then all aspects.
    pub rates: Vec<Rate>,
}
