//! A leaderboard as data: models by columns, every cell a count out of a count.

use serde::{Deserialize, Serialize};

/// A share: `k` of `n` units were right. The unit (answer, question pair, image, pair of images) is the column's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cell {
    /// Units right.
    pub k: u64,
    /// Units scored.
    pub n: u64,
}

impl Cell {
    /// `k / n` in 0..=1; `None` where nothing was scored.
    pub fn value(self) -> Option<f64> {
        (self.n > 0).then(|| self.k as f64 / self.n as f64)
    }
}

/// One column of a board.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Column {
    /// Name in the field's terms, e.g. `qAcc.L_l`, `Circular.CI.L_h`.
    pub name: String,
    /// Heading it is grouped under, e.g. `qAcc`.
    pub group: String,
    /// One line: what a unit is and when it counts as right.
    pub help: String,
}

/// One model's line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Row {
    /// Model name: the stem of its prediction files.
    pub model: String,
    /// Cells, one a column; `None` where the model has no answers for it.
    pub cells: Vec<Option<Cell>>,
    /// What was odd about its files, in numbers.
    pub counts: Counts,
}

/// What was odd about a model's predictions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Predictions used.
    pub used: u64,
    /// Questions without an answer; they count as wrong.
    pub missing: u64,
    /// Answers to questions that are not in the set.
    pub extra: u64,
    /// Rows given more than once; the first is used.
    pub duplicate: u64,
    /// Answers no rule could read; they count as wrong.
    pub unparsed: u64,
}

/// A whole leaderboard.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Board {
    /// Columns in reading order.
    pub columns: Vec<Column>,
    /// One row a model, by name.
    pub rows: Vec<Row>,
    /// What a reader should know: doubled rows, text drift, sets with no answers.
    pub notes: Vec<String>,
}

/// One answer behind a cell.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Behind {
    /// The unit it belongs to (a pair id and question, an image, a rotation set).
    pub unit: String,
    /// Whether that unit counted as right.
    pub unit_right: bool,
    /// The question's id in its source.
    pub key: String,
    /// Id of the item in the project; the key alone on a board without a project.
    pub item: String,
    /// The question's text.
    pub question: String,
    /// The gold answer.
    pub gold: String,
    /// The raw model output; `None` when the model gave none.
    pub output: Option<String>,
    /// The answer read from it; `None` when no rule could.
    pub extracted: Option<String>,
    /// How it was read, step by step.
    pub trace: String,
    /// Whether this answer was right.
    pub right: bool,
}
