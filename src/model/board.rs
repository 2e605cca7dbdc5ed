//! A leaderboard as data: models by columns, every cell a count out of a count.

pub mod analysis;
pub mod model_names;

use serde::{Deserialize, Serialize};

use super::filter::Filter;
use super::prediction::ToolVerdict;

/// One number of a board.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Cell {
    /// `k` of `n` units were right. The unit (answer, question pair, image, pair of images) is the column's.
    Share {
        /// Units right.
        k: u64,
        /// Units scored.
        n: u64,
    },
    /// The mean of `n` similarities from 0 to 1, or of shares of several kinds of questions.
    Mean {
        /// From 0 to 1.
        value: f64,
        /// Answers it is of.
        n: u64,
    },
    /// A number in the column's own scale: a difference in points, a variance in squared points.
    Number {
        /// The number.
        value: f64,
        /// Answers it follows from.
        n: u64,
    },
}

impl Cell {
    /// The number, a share in 0..=1; `None` where nothing was scored.
    pub fn value(self) -> Option<f64> {
        match self {
            Cell::Share { n: 0, .. } => None,
            Cell::Share { k, n } => Some(k as f64 / n as f64),
            Cell::Mean { value, .. } | Cell::Number { value, .. } => {
                Some(value).filter(|v| v.is_finite())
            }
        }
    }

    /// Units right, where units are right or wrong.
    pub fn k(self) -> Option<u64> {
        if let Cell::Share { k, .. } = self {
            Some(k)
        } else {
            None
        }
    }

    /// Units or answers it is of.
    pub fn n(self) -> u64 {
        match self {
            Cell::Share { n, .. } | Cell::Mean { n, .. } | Cell::Number { n, .. } => n,
        }
    }
}

/// What the numbers of a column are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scale {
    /// Shares in 0..=1, shown in percent: more is better.
    #[default]
    Share,
    /// Differences of percentages, in points.
    Points,
    /// Variances of percentages, in squared points: less is better.
    Squared,
    /// Standard deviations of percentages, in points: less is better.
    Spread,
    /// Chances from 0 to 1 that a difference is none: neither more nor less is better.
    P,
}

/// Which of two numbers is the better one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Better {
    /// The larger one.
    More,
    /// The smaller one.
    Less,
    /// Neither.
    #[default]
    Neither,
}

impl Better {
    /// Puts the better one of two numbers first.
    pub fn order(self, a: f64, b: f64) -> std::cmp::Ordering {
        if self == Better::Less {
            a.total_cmp(&b)
        } else {
            b.total_cmp(&a)
        }
    }

    /// The best of some numbers; none where neither is better.
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
    /// Which numbers are better, as far as the scale says.
    pub fn better(self) -> Better {
        match self {
            Scale::Share | Scale::Points => Better::More,
            Scale::Squared | Scale::Spread => Better::Less,
            Scale::P => Better::Neither,
        }
    }
}

/// Groups of columns that describe answers or the benchmark, and say of no model that it is better.
const DESCRIBE: [&str; 4] = [
    "quadrant",
    "modified",
    "position bias",
    "relative position bias",
];

/// One column of a board.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Column {
    /// Name in the field's terms, e.g. `qAcc.L_l`, `Circular.CI.L_h`.
    pub name: String,
    /// Heading it is grouped under, e.g. `qAcc`.
    pub group: String,
    /// One line: what a unit is and when it counts as right.
    pub help: String,
    /// What its numbers are.
    #[serde(default)]
    pub scale: Scale,
}

impl Column {
    /// A column of shares.
    pub fn share(name: impl Into<String>, group: &str, help: &str) -> Column {
        Column {
            name: name.into(),
            group: group.into(),
            help: help.into(),
            scale: Scale::Share,
        }
    }

    /// Which of its numbers are better: known knowns are not, nor is a bias to a position, or noise.
    pub fn better(&self) -> Better {
        let describes = DESCRIBE.contains(&self.group.as_str())
            || self.name == "SC.noise"
            || self.name.split('.').next() == Some("AnswerRate");
        if describes {
            Better::Neither
        } else {
            self.scale.better()
        }
    }

    /// Whether its numbers follow from free-form answers, alone or beside others.
    pub fn is_of_free_form(&self) -> bool {
        self.name == "Acc.type.free-form" || self.name.starts_with("Final.")
    }
}

/// One model's line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// Model name: the stem of its prediction files.
    pub model: String,
    /// Cells, one a column; `None` where the model has no answers for it.
    pub cells: Vec<Option<Cell>>,
    /// What was odd about its files, in numbers.
    pub counts: Counts,
    /// Where its numbers were printed, for one that was not scored here: it is shown beside the others and never ranked.
    #[serde(default)]
    pub reference: Option<String>,
}

/// Which items a board is scored on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Curated {
    /// All of them.
    #[default]
    All,
    /// Those that people accepted: what the hand work changed.
    Accepted,
    /// Those that are accepted by the protocol of this round.
    Round(String),
}

/// Which printed figures stand beside a board.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Printed {
    /// None.
    #[default]
    Off,
    /// Those of every paper that prints a column of the board.
    All,
    /// Those of this paper.
    Paper(String),
}

/// What board is wanted.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BoardAsk {
    /// On which items.
    pub curated: Curated,
    /// Only these of them.
    pub filter: Filter,
    /// The rule that reads answers, by name; without one, that of each question's paper.
    pub rule: Option<String>,
    /// What papers printed for its columns, as rows after the scored ones. Nothing else that is asked of the board goes by it.
    pub printed: Printed,
}

/// What was odd about a model's predictions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Predictions used, of the questions scored.
    pub used: u64,
    /// Questions without an answer; they count as wrong.
    pub missing: u64,
    /// Answers to questions that are not in the set, in all files.
    pub extra: u64,
    /// Rows given more than once, in all files; the first is used.
    pub duplicate: u64,
    /// Answers no rule could read, of the questions scored; they count as wrong.
    pub unparsed: u64,
    /// Answers that decline in words, of the questions scored; they count as wrong, unless declining is right. Those that choose the option
    /// that declines are not among them.
    pub refused: u64,
    /// Free-form answers that were not compared with their references yet: what follows from them has no number.
    pub uncompared: u64,
}

/// A whole leaderboard.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Board {
    /// Questions it is scored on.
    pub questions: u64,
    /// Columns in reading order.
    pub columns: Vec<Column>,
    /// One row a model, by name.
    pub rows: Vec<Row>,
    /// What a reader should know: doubled rows, text drift, sets with no answers.
    pub notes: Vec<String>,
    /// Questions of a project that show a draft.
    #[serde(default)]
    pub drafts: u64,
}

impl Board {
    /// The column that leads the board: the first with a number of Dysca's final scores of the clean scenario, MM-SAP's score_AR, MVP-Bench's
    /// qAcc over both levels, accuracy, and then all others. `None` without columns.
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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AnswerDetail {
    /// The unit it belongs to (a pair id and question, an image, a rotation set).
    pub unit: String,
    /// Whether that unit counted as right; `None` where units are not right or wrong.
    pub unit_right: Option<bool>,
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
    /// What the model thought before, where the server gave that apart from the output; it is not read.
    pub reasoning: Option<String>,
    /// The answer read from it; `None` when no rule could, for one that declines in words, and for a free-form one.
    pub extracted: Option<String>,
    /// Whether it declines to answer in words.
    pub declined: bool,
    /// How it was read, step by step.
    pub trace: String,
    /// Whether this answer was right; `None` of a free-form one that was given, which is as good as it is similar.
    pub right: Option<bool>,
    /// How alike in meaning a free-form answer is to the reference (cosine), once compared.
    pub similarity: Option<f32>,
    /// What the tool that wrote the file made of this answer, where it said so.
    pub tool: Option<ToolVerdict>,
}

impl AnswerDetail {
    /// How much this answer is worth, from 0 to 1; `None` of a free-form one that was not compared yet.
    pub fn worth(&self) -> Option<f32> {
        self.right
            .map(|right| f32::from(u8::from(right)))
            .or(self.similarity)
    }
}

/// Answers behind a cell, unit by unit in the order of the data set.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BehindPage {
    /// So many at most, of whole units.
    pub answers: Vec<AnswerDetail>,
    /// How many there are in all.
    pub all: u64,
    /// Where the next page begins; `None` behind the last.
    pub next: Option<u64>,
}

/// What every model answered to one question.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Answered {
    /// Number of the item, from 1; its place in files.
    pub number: u32,
    /// Id of the item.
    pub item: String,
    /// The question's id in its source.
    pub key: String,
    /// The question's text, without the instruction that models were given.
    pub question: String,
    /// Its options in their order.
    pub options: Vec<String>,
    /// The gold answer.
    pub gold: String,
    /// The answers by model, each with its further orders of the options behind it.
    pub answers: Vec<ModelAnswer>,
    /// Answers that are left out since all together are too long for a message.
    pub left_out: u64,
}

/// A model's answer to a question.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModelAnswer {
    /// The model.
    pub model: String,
    /// The order of the options, where it was asked in several: `rotation 2`.
    pub order: Option<String>,
    /// What it said.
    pub answer: AnswerDetail,
}

#[cfg(test)]
mod tests {
    use super::*;

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
