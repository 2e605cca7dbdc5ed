//! Closer looks at a board: how sure a cell is, how two models differ, where two rules read another answer.

use serde::{Deserialize, Serialize};

use super::Behind;
use crate::model::agreement::{Bootstrap, Interval};

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
    /// Exact two-sided p of McNemar's test.
    pub p: f64,
    /// Numbers of the items in units that the first alone got right: as many as may be seen and fit.
    pub first_items: Vec<u32>,
    /// The same of the second.
    pub second_items: Vec<u32>,
}

/// Where two rules read another answer out of what a model said.
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
    /// The first of them, as the first rule reads them, with what the second one reads (none: it cannot read it).
    pub examples: Vec<(Behind, Option<String>)>,
}
