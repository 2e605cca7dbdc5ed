//! Leaderboard data: one row per model, one column per measure, with counts behind every cell.

pub mod analysis;
pub mod model_names;

use serde::{Deserialize, Serialize};

use super::filter::Filter;
use super::prediction::ToolVerdict;

/// One cell of a board.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Cell {
    /// `k` of `n` units were right. The column defines the unit: an answer, a question pair, an
    /// image, or a pair of images.
    Share { k: u64, n: u64 },
    /// The mean of `n` similarities from 0 to 1, or of the shares of several question types.
    Mean {
        value: f64,
        /// Number of answers.
        n: u64,
    },
    /// A number on the column's own scale: a difference in points, or a variance in squared points.
    Number {
        value: f64,
        /// Number of answers behind it.
        n: u64,
    },
}

impl Cell {
    /// The number, for shares in 0..=1; `None` if nothing was scored.
    pub fn value(self) -> Option<f64> {
        match self {
            Cell::Share { n: 0, .. } => None,
            Cell::Share { k, n } => Some(k as f64 / n as f64),
            Cell::Mean { value, .. } | Cell::Number { value, .. } => {
                Some(value).filter(|v| v.is_finite())
            }
        }
    }

    /// Units that were right; `None` for cells that are not shares.
    pub fn k(self) -> Option<u64> {
        if let Cell::Share { k, .. } = self {
            Some(k)
        } else {
            None
        }
    }

    /// Number of units or answers.
    pub fn n(self) -> u64 {
        match self {
            Cell::Share { n, .. } | Cell::Mean { n, .. } | Cell::Number { n, .. } => n,
        }
    }
}

/// The scale of a column's numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scale {
    /// Shares in 0..=1, shown in percent. Higher is better.
    #[default]
    Share,
    /// Differences of percentages, in points.
    Points,
    /// Variances of percentages, in squared points. Lower is better.
    Squared,
    /// Standard deviations of percentages, in points. Lower is better.
    Spread,
    /// p-values from 0 to 1. Neither direction is better.
    P,
}

/// Which direction of a column is better.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Better {
    More,
    Less,
    #[default]
    Neither,
}

impl Better {
    /// Sorts the better number first.
    pub fn order(self, a: f64, b: f64) -> std::cmp::Ordering {
        if self == Better::Less {
            a.total_cmp(&b)
        } else {
            b.total_cmp(&a)
        }
    }

    /// The best number; `None` if neither direction is better.
    pub fn best(self, numbers: impl Iterator<Item = f64>) -> Option<f64> {
        let numbers = numbers.filter(|n| n.is_finite());
        match self {
            Better::More => numbers.reduce(f64::max),
            Better::Less => numbers.reduce(f64::min),
            Better::Neither => None,
        }
    }
}

impl Scale {
    /// The factor from a number to what is displayed: shares in percent.
    pub fn unit(self) -> f64 {
        if self == Scale::Share { 100.0 } else { 1.0 }
    }

    /// The better direction on this scale.
    pub fn better(self) -> Better {
        match self {
            Scale::Share | Scale::Points => Better::More,
            Scale::Squared | Scale::Spread => Better::Less,
            Scale::P => Better::Neither,
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Column {
    /// Name in the field's terms, such as `qAcc.L_l` or `Circular.CI.L_h`.
    pub name: String,
    /// Heading of its group, such as `qAcc`.
    pub group: String,
    /// One line: what a unit is and when it is right.
    pub help: String,
    #[serde(default)]
    pub scale: Scale,
    /// Whether its numbers describe answers or the benchmark, so that none of them is better.
    #[serde(default)]
    pub describes: bool,
    /// Whether its numbers depend on free-form answers.
    #[serde(default)]
    pub free_form: bool,
    /// The variant whose items it counts, if it counts one.
    #[serde(default)]
    pub variant: Option<String>,
    /// Whether tables show it only if it is named.
    #[serde(default)]
    pub on_demand: bool,
}

impl Column {
    pub fn new(name: impl Into<String>, group: &str, help: &str, scale: Scale) -> Column {
        Column {
            name: name.into(),
            group: group.into(),
            help: help.into(),
            scale,
            describes: false,
            free_form: false,
            variant: None,
            on_demand: false,
        }
    }

    /// A column of shares.
    pub fn share(name: impl Into<String>, group: &str, help: &str) -> Column {
        Column::new(name, group, help, Scale::Share)
    }

    /// The same column as one whose numbers only describe.
    pub fn describing(self) -> Column {
        Column {
            describes: true,
            ..self
        }
    }

    /// The same column as one of a variant.
    pub fn of_variant(self, name: &str) -> Column {
        Column {
            variant: Some(name.into()),
            ..self
        }
    }

    /// The better direction.
    pub fn better(&self) -> Better {
        match self.describes {
            true => Better::Neither,
            false => self.scale.better(),
        }
    }
}

/// The source of the row of chance levels.
pub const CHANCE: &str = "chance level";

/// The name of the row of chance levels.
pub const CHANCE_ROW: &str = "chance";

/// One model of a board.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// Model name: the stem of its prediction files.
    pub model: String,
    /// One cell per column; `None` if the model has no answers for it.
    pub cells: Vec<Option<Cell>>,
    /// Irregularities of its prediction files.
    pub counts: Counts,
    /// Source of published figures, or [`CHANCE`]. A row with a source was not scored here: it is
    /// shown and never ranked.
    #[serde(default)]
    pub reference: Option<String>,
    /// Variants whose pictures were computed against a proxy that shares the model's vision encoder.
    #[serde(default)]
    pub white_box: Vec<String>,
}

impl Row {
    /// Whether the cell in `column` is about pictures that were computed against the model's own
    /// vision encoder (the `*` of Dysca's Table 3).
    pub fn is_white_box(&self, column: &Column) -> bool {
        let variant = column.variant.as_ref();
        variant.is_some_and(|variant| self.white_box.contains(variant))
    }
}

/// The items that a board is scored on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Curated {
    #[default]
    All,
    /// Items that people accepted.
    Accepted,
    /// Items that the protocol of this round accepts.
    Round(String),
}

/// Which published figures to show on a board.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum PublishedFigures {
    #[default]
    Off,
    /// Figures of every paper that prints a column of the board.
    All,
    /// Figures of this paper.
    Paper(String),
}

/// A board query.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BoardQuery {
    pub curated: Curated,
    pub filter: Filter,
    /// Name of the extraction rule. `None` uses the rule of each question's paper.
    pub rule: Option<String>,
    /// Published figures to add as rows after the scored ones. Scores do not depend on it.
    pub printed: PublishedFigures,
    /// Whether to add the row of chance levels.
    #[serde(default)]
    pub chance: bool,
}

/// Irregularities of a model's predictions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Predictions used, of the questions scored.
    pub used: u64,
    /// Questions without an answer. They count as wrong.
    pub missing: u64,
    /// Answers to unknown questions, in all files.
    pub extra: u64,
    /// Duplicate rows, in all files. The first one is used.
    pub duplicate: u64,
    /// Answers that no rule could read, of the questions scored. They count as wrong.
    pub unparsed: u64,
    /// Refusals in free text, of the questions scored. They count as wrong unless refusing is
    /// right. Answers that pick the refusal option are not included.
    pub refused: u64,
    /// Free-form answers not yet compared with their references. Numbers that depend on them are
    /// missing.
    pub uncompared: u64,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Board {
    /// Number of questions it is scored on.
    pub questions: u64,
    pub columns: Vec<Column>,
    /// One row per model, sorted by name.
    pub rows: Vec<Row>,
    /// Notes for the reader: duplicate rows, changed texts, data sets without answers.
    pub notes: Vec<String>,
    /// Number of questions that show a draft.
    #[serde(default)]
    pub drafts: u64,
}

impl Row {
    /// Whether it is the row of chance levels.
    pub fn is_chance(&self) -> bool {
        self.reference.as_deref() == Some(CHANCE)
    }
}

impl Board {
    /// Puts the columns without a value in any row behind the others.
    pub fn put_empty_last(&mut self) {
        let is_empty = |at: &usize| {
            let mut cells = self
                .rows
                .iter()
                .filter_map(|row| row.cells.get(*at)?.as_ref());
            cells.all(|cell| cell.value().is_none())
        };
        let mut order: Vec<usize> = (0..self.columns.len()).collect();
        order.sort_by_cached_key(is_empty);
        let columns = order.iter().filter_map(|at| self.columns.get(*at).cloned());
        self.columns = columns.collect();
        for row in &mut self.rows {
            row.cells = order
                .iter()
                .map(|at| row.cells.get(*at).copied().flatten())
                .collect();
        }
    }

    /// Keeps the columns for which `is` holds, with their cells.
    pub fn retain(&mut self, is: impl Fn(&Column) -> bool) {
        let kept: Vec<bool> = self.columns.iter().map(is).collect();
        let keep = |at: usize| kept.get(at).copied().unwrap_or(false);
        let mut at = 0..;
        self.columns.retain(|_| at.next().is_some_and(keep));
        for row in &mut self.rows {
            let mut at = 0..;
            row.cells.retain(|_| at.next().is_some_and(keep));
        }
    }

    /// The column with this name.
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|c| c.name == name)
    }

    /// The cell of a row in the column with this name.
    pub fn cell(&self, row: &Row, column: &str) -> Option<Cell> {
        let at = self.columns.iter().position(|c| c.name == column)?;
        row.cells.get(at).copied().flatten()
    }

    /// The column that ranks the board: the first that has a number, in this order: Dysca's final
    /// score in the clean scenario, MM-SAP's score_AR, MVP-Bench's qAcc over both levels, accuracy,
    /// all others. `None` without columns.
    pub fn leading(&self) -> Option<usize> {
        let named = |name: &str| self.columns.iter().position(|c| c.name == name);
        let scored = || self.rows.iter().filter(|row| row.reference.is_none());
        let has = |at: &usize| {
            scored().any(|row| {
                row.cells
                    .get(*at)
                    .copied()
                    .flatten()
                    .and_then(Cell::value)
                    .is_some()
            })
        };
        let first = ["Final.clean", "MC+TF.clean", "AR", "qAcc.L_m", "Acc"]
            .into_iter()
            .filter_map(named);
        first
            .chain(0..self.columns.len())
            .find(has)
            .or((!self.columns.is_empty()).then_some(0))
    }
}

/// One answer behind a cell.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AnswerDetail {
    /// The unit that it belongs to: a pair id and question, an image, or a rotation set.
    pub unit: String,
    /// Whether the unit counted as right; `None` if the cell is not a share.
    pub unit_right: Option<bool>,
    /// The question's id in its source file.
    pub key: String,
    /// Item id; only the key on a board without a project.
    pub item: String,
    /// The question's text.
    pub question: String,
    pub gold: String,
    /// The raw model output; `None` if there is none.
    pub output: Option<String>,
    /// The reasoning, if the server sent it apart from the output. Rules do not read it.
    pub reasoning: Option<String>,
    /// The parsed answer; `None` for unparsed outputs, refusals, and free-form answers.
    pub extracted: Option<String>,
    /// Whether the output refuses in free text.
    pub declined: bool,
    /// The steps of the extraction.
    pub trace: String,
    /// Whether the answer was right; `None` for a free-form answer, which has a score.
    pub right: Option<bool>,
    /// Cosine similarity of a free-form answer to the reference, once compared, or the grade of a judge.
    pub similarity: Option<f32>,
    /// The verdict of the tool that wrote the file, if it gave one.
    pub tool: Option<ToolVerdict>,
}

impl AnswerDetail {
    /// The score of the answer from 0 to 1; `None` for a free-form answer that was not compared
    /// yet.
    pub fn score(&self) -> Option<f32> {
        self.right
            .map(|right| f32::from(u8::from(right)))
            .or(self.similarity)
    }
}

/// A page of answers behind a cell, unit by unit in the order of the data set.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DrilldownPage {
    /// The answers of this page. Units are never split.
    pub answers: Vec<AnswerDetail>,
    /// Number of answers on all pages.
    pub all: u64,
    /// Start of the next page; `None` on the last page.
    pub next: Option<u64>,
}

/// The answers of all models to one question.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ItemAnswers {
    /// Item number, from 1. It is also its position in files.
    pub number: u32,
    pub item: String,
    /// The question's id in its source file.
    pub key: String,
    /// The question's text without the instruction that models got.
    pub question: String,
    /// Options in order.
    pub options: Vec<String>,
    pub gold: String,
    /// Answers by model. Answers to rotations follow the model's first one.
    pub answers: Vec<ModelAnswer>,
    /// Number of answers left out because the message would be too long.
    pub left_out: u64,
}

/// A model's answer to one question.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ModelAnswer {
    pub model: String,
    /// The rotation, if the question was asked in several orders: `rotation 2`.
    pub order: Option<String>,
    pub answer: AnswerDetail,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_without_a_value_come_last_with_their_cells() {
        let names = ["none", "Acc", "nothing", "SQ"];
        let share = |k| Some(Cell::Share { k, n: 2 });
        let empty = Some(Cell::Share { k: 0, n: 0 });
        let row = |cells: [Option<Cell>; 4]| Row {
            model: "m".into(),
            cells: cells.to_vec(),
            counts: Counts::default(),
            reference: None,
            white_box: Vec::new(),
        };
        let mut board = Board {
            columns: names.map(|name| Column::share(name, "", "")).to_vec(),
            rows: vec![
                row([empty, share(1), None, None]),
                row([None, None, None, share(2)]),
            ],
            ..Board::default()
        };
        board.put_empty_last();
        let order: Vec<&str> = board.columns.iter().map(|c| c.name.as_str()).collect();
        assert_eq!(order, ["Acc", "SQ", "none", "nothing"]);
        assert_eq!(board.rows[0].cells, [share(1), None, empty, None]);
        assert_eq!(board.rows[1].cells, [None, share(2), None, None]);
    }

    #[test]
    fn the_column_that_leads_is_the_first_with_a_number() {
        let columns = ["other", "Acc", "Final.clean"]
            .map(|name| Column::share(name, "", ""))
            .to_vec();
        let row = |cells: [Option<Cell>; 3], reference: Option<&str>| Row {
            model: "m".into(),
            cells: cells.to_vec(),
            counts: Counts::default(),
            reference: reference.map(str::to_string),
            white_box: Vec::new(),
        };
        let share = Some(Cell::Share { k: 1, n: 2 });
        let board = |rows: Vec<Row>| Board {
            columns: columns.clone(),
            rows,
            ..Board::default()
        };
        assert_eq!(
            board(vec![row([share, share, share], None)]).leading(),
            Some(2)
        );
        assert_eq!(
            board(vec![
                row([share, share, None], None),
                row([None, None, share], Some("Table 3"))
            ])
            .leading(),
            Some(1)
        );
        assert_eq!(
            board(vec![row(
                [share, None, Some(Cell::Share { k: 0, n: 0 })],
                None
            )])
            .leading(),
            Some(0)
        );
        assert_eq!(
            (board(Vec::new()).leading(), Board::default().leading()),
            (Some(0), None)
        );
    }
}
