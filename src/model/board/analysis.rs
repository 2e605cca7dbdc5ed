//! Board analyses: confidence of a cell, comparison of two models, and comparison of two extraction
//! rules.

use serde::{Deserialize, Serialize};

use super::{AnswerDetail, Cell, Column};
use crate::agreement::{Bootstrap, Interval};

/// A 95 % cluster bootstrap interval, in the unit of the column's cells.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BootstrapResult {
    /// The interval; `None` if it is undefined.
    pub interval: Option<Interval>,
    /// The reason for a missing interval.
    pub why_not: Option<String>,
    /// The resampled cluster: `image pair`, `image`, or `question`.
    pub cluster: String,
    /// Number of clusters.
    pub clusters: u64,
    /// Number of draws and seed.
    pub plan: Bootstrap,
}

/// Confidence of a cell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CellInterval {
    /// Wilson's interval, which treats units as independent; only for shares.
    pub wilson: Option<(f64, f64)>,
    /// The interval that accounts for several questions about one picture.
    pub redrawn: BootstrapResult,
    /// The SC estimate, for columns of SC.
    pub sc: Option<ScEstimate>,
}

/// Dysca's SC with and without sampling noise. All fields but `p` are in squared points.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScEstimate {
    /// SC by equation 2: the variance of the styles' measured accuracies.
    pub printed: f64,
    /// Unbiased estimate of SC without sampling noise. Below 0 if styles differ less than noise
    /// alone would explain.
    pub corrected: f64,
    /// Expected SC if all styles were equal: the mean over random assignments of style labels to
    /// pictures.
    pub noise: f64,
    /// p-value: the probability of at least this variance if all styles were equal.
    pub p: f64,
    /// Number of styles with questions.
    pub styles: u64,
    /// Number of clusters: pictures, and questions without a picture.
    pub clusters: u64,
}

/// A comparison of two models on the same questions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModelComparison {
    pub models: [String; 2],
    pub column: String,
    /// Their cells.
    pub cells: [Option<super::Cell>; 2],
    /// First minus second, on the questions that both were scored on; shares from -1 to 1.
    pub delta: Option<f64>,
    /// The interval of `delta`. Its `why_not` also explains a missing `delta`.
    pub redrawn: BootstrapResult,
    /// Units by which model got them right; `None` if the column is not a share of units.
    pub table: Option<Table>,
    /// Their cells on the shared questions, which `delta` and `table` use.
    pub shared: [Option<super::Cell>; 2],
}

impl ModelComparison {
    /// The cells on the shared questions, if they differ from the cells of the board.
    pub fn narrowed(&self) -> Option<&[Option<super::Cell>; 2]> {
        Some(&self.shared).filter(|shared| self.delta.is_some() && **shared != self.cells)
    }
}

/// Units by which of two models got them right.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Table {
    pub both: u64,
    /// Only the first.
    pub first: u64,
    /// Only the second.
    pub second: u64,
    pub neither: u64,
    /// Two-sided p-value: McNemar's exact test if every cluster is one unit, a permutation test
    /// over whole clusters otherwise.
    pub p: f64,
    /// Whether `p` comes from McNemar's exact test.
    pub is_exact: bool,
    /// 95 % interval of the difference by the same test, from -1 to 1. It excludes 0 exactly if `p`
    /// is below 0.05. `None` with too few clusters.
    pub interval: Option<(f64, f64)>,
    /// Numbers of items in units that only the first got right; limited to what may be seen and
    /// fits.
    pub first_items: Vec<u32>,
    /// The same for the second.
    pub second_items: Vec<u32>,
}

/// Stands for a rule in queries that compare with the verdicts stored in prediction files.
pub const TOOL: &str = "tool";

/// Differences between two extraction rules, or between a rule and a tool's verdicts, for one
/// model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Disagreement {
    pub model: String,
    /// Answers that both sides cover.
    pub answers: u64,
    /// Answers that they read differently.
    pub differ: u64,
    /// Of the differing answers, those that are right only by the first rule.
    pub first_right: u64,
    /// Of the differing answers, those that are right only by the second rule.
    pub second_right: u64,
    /// The first differing answers as the first rule reads them, each with the second reading
    /// (`None` if unparsed, or if the tool does not say).
    pub examples: Vec<(AnswerDetail, Option<String>)>,
}

impl Disagreement {
    pub fn new(model: &str) -> Disagreement {
        let (model, examples) = (model.to_string(), Vec::new());
        Disagreement {
            model,
            answers: 0,
            differ: 0,
            first_right: 0,
            second_right: 0,
            examples,
        }
    }
}

/// A model's rank range, from `rank` to `high`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rank {
    /// The best possible rank: 1 plus the number of significantly better models.
    pub rank: usize,
    /// The worst possible rank: the number of models minus the number of significantly worse ones.
    pub high: usize,
    /// Whether the two ranks differ.
    pub tied: bool,
    /// Number of units that only this model, and only the next model, got right. `None` for the
    /// last model, and if the two share no units.
    pub discordant: Option<(u64, u64)>,
    /// p of the test against the next model.
    pub p: Option<f64>,
    /// `p`, Holm-corrected for all pairs of models.
    pub corrected: Option<f64>,
    /// Number of other models that it was tested against.
    pub tested: usize,
}

impl Rank {
    /// The rank in words: `2`, or `2-4` where it may be any of these.
    pub fn said(&self) -> String {
        if self.tied {
            format!("{}-{}", self.rank, self.high)
        } else {
            self.rank.to_string()
        }
    }
}

/// Why no two of these models, which have these cells in a column and stand in its order, were told apart by a test.
pub fn untested(
    models: usize,
    column: &Column,
    cells: impl IntoIterator<Item = Cell>,
) -> &'static str {
    // The share of questions that were really modified says nothing of answers.
    let is_of_units =
        column.group != "modified" && cells.into_iter().any(|cell| cell.k().is_some());
    match (models, is_of_units) {
        (0 | 1, _) => "no ranks: fewer than two models can be compared",
        (_, true) => "no ranks: no two models were scored on the same questions",
        (_, false) => "no ranks: this column has no units that two models get right or wrong",
    }
}
