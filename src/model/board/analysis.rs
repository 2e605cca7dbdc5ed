//! Closer looks at a board: how sure a cell is, how two models differ, where two rules read another answer.

use serde::{Deserialize, Serialize};

use super::{AnswerDetail, Cell, Column};
use crate::agreement::{Bootstrap, Interval};

/// A 95 % interval from drawing clusters again, in the unit of its column's cells.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Redrawn {
    /// The interval; none where it is not defined.
    pub interval: Option<Interval>,
    /// Why it is not.
    pub why_not: Option<String>,
    /// What is drawn again: `image pair`, `image` or `question`.
    pub cluster: String,
    /// How many there are.
    pub clusters: u64,
    /// Draws and seed.
    pub plan: Bootstrap,
}

/// How sure a cell is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sure {
    /// Wilson's interval, which takes units for independent; only of shares of units.
    pub wilson: Option<(f64, f64)>,
    /// The interval that knows that questions about one picture are not independent.
    pub redrawn: Redrawn,
    /// What of SC is not sampling noise, for the columns of SC.
    pub sc: Option<ScEstimate>,
}

/// Dysca's SC, and what of it is not sampling noise. All in squared points but `p`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScEstimate {
    /// SC as equation 2 has it: the variance of the styles' measured accuracies.
    pub printed: f64,
    /// SC without the sampling noise, unbiased: below 0 where styles differ less than noise alone would make them.
    pub corrected: f64,
    /// What SC would be on average if all styles were equal and labels of style were dealt to the pictures by chance.
    pub noise: f64,
    /// How often styles that are equal would seem as unequal as these, or more.
    pub p: f64,
    /// Styles with questions.
    pub styles: u64,
    /// Clusters of questions: pictures, or questions without one.
    pub clusters: u64,
}

/// Two models on the same questions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Compared {
    /// The models.
    pub models: [String; 2],
    /// Column.
    pub column: String,
    /// Their cells.
    pub cells: [Option<super::Cell>; 2],
    /// The first less the second on the questions that both are scored on, shares from 0 to 1.
    pub delta: Option<f64>,
    /// The interval of that; `why_not` says too why there is no `delta`.
    pub redrawn: Redrawn,
    /// Units by which of the two got them right; none for a column that is no share of units.
    pub table: Option<Table>,
    /// Their cells on the questions that both are scored on, which `delta` and `table` are of.
    pub shared: [Option<super::Cell>; 2],
}

impl Compared {
    /// The cells that the difference is of, where these are others than those of the board.
    pub fn narrowed(&self) -> Option<&[Option<super::Cell>; 2]> {
        Some(&self.shared).filter(|shared| self.delta.is_some() && **shared != self.cells)
    }
}

/// Units by which of two models got them right.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Table {
    /// Both.
    pub both: u64,
    /// The first alone.
    pub first: u64,
    /// The second alone.
    pub second: u64,
    /// Neither.
    pub neither: u64,
    /// Two-sided p: of McNemar's exact test where every cluster is one unit, else of the test that whole clusters change sides.
    pub p: f64,
    /// Whether it is McNemar's.
    pub is_exact: bool,
    /// The 95 % interval of the difference by the same test, shares from -1 to 1: without 0 where `p` is below 0.05. None with too few
    /// clusters.
    pub interval: Option<(f64, f64)>,
    /// Numbers of the items in units that the first alone got right: as many as may be seen and fit.
    pub first_items: Vec<u32>,
    /// The same of the second.
    pub second_items: Vec<u32>,
}

/// What stands in the place of a rule for the verdicts that came with answers.
pub const TOOL: &str = "tool";

/// Where two rules read another answer out of what a model said, or a tool judged it otherwise than the board does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Disagreement {
    /// Model.
    pub model: String,
    /// Answers that both rules were given.
    pub answers: u64,
    /// Of these, read as something else.
    pub differ: u64,
    /// Of those, right as the first rule reads them only.
    pub first_right: u64,
    /// Right as the second rule reads them only.
    pub second_right: u64,
    /// The first of them, as the first rule reads them, with what the second one reads (none: it cannot read it, or the tool does not say).
    pub examples: Vec<(AnswerDetail, Option<String>)>,
}

impl Disagreement {
    /// None yet, of a model.
    pub fn of(model: &str) -> Disagreement {
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

/// A model's rank: one of those from `rank` to `high`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rank {
    /// The best rank that it may have: 1 and the number of models that are significantly better.
    pub rank: usize,
    /// The worst rank that it may have: all models less those that are significantly worse.
    pub high: usize,
    /// Whether these are two different ones.
    pub tied: bool,
    /// Units that it alone got right and that the next model alone got right; `None` for the last model and where the two have no
    /// units in common.
    pub discordant: Option<(u64, u64)>,
    /// p against the next model.
    pub p: Option<f64>,
    /// The same, Holm-corrected for all pairs of models.
    pub corrected: Option<f64>,
    /// Other models that it was tested against.
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
        (0 | 1, _) => "the bare order: there are no two models to tell apart",
        (_, true) => "the bare order: no two models were scored on the same questions",
        (_, false) => "the bare order: this column has no units that two models get right or wrong",
    }
}
