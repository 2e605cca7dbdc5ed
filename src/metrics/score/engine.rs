//! Questions, models, and columns: everything that boards are computed from.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use super::bitmap_index::{Bitmap, BitmapIndex, and};
use super::column::{BoardColumn, Columns, Memo};
use super::item_selection::ItemSelection;
use super::model_answers::ModelAnswers;
use super::model_bitmaps::{Bitmaps, ByCluster};
use super::orders::Orders;
use super::parsed_answer::ParsedAnswer;
use super::question_table::QuestionTable;
use super::recent_boards::RecentBoards;
use super::strata::Strata;
use crate::consensus;
use benchtop_model::board::Column as Head;
use benchtop_model::{Error, ErrorKind, Result};

/// Questions, models, and columns: everything that boards are computed from.
pub struct BoardEngine {
    pub(super) sheet: Arc<QuestionTable>,
    /// Models with a row, followed by the further option orders of these models.
    pub(super) models: Vec<Arc<ModelAnswers>>,
    pub(super) orders: Orders,
    pub(super) index: BitmapIndex,
    pub(super) all: Bitmap,
    pub(super) bitmaps: Vec<Bitmaps>,
    pub(super) strata: Strata,
    pub(super) columns: Columns,
    /// Stacks of free-form questions.
    pub(super) free_form_stacks: Vec<usize>,
    /// The chance level of each stack, if it is the same for all of its questions.
    pub(super) chance: Vec<Option<f64>>,
    /// Graded rows that only groups count.
    pub(super) grouped: Vec<u32>,
    /// Rows in no stack.
    pub(super) unindexed: Vec<u32>,
    /// Computed on first use.
    pub(super) by_cluster: OnceLock<ByCluster>,
    /// What columns compute once for all selections.
    pub(super) memo: Memo,
    pub(super) recent: RecentBoards,
}

/// The number; 0 if it is missing or not finite.
pub(super) fn number(of: Option<f64>) -> f64 {
    of.filter(|of| of.is_finite()).unwrap_or(0.0)
}

impl BoardEngine {
    pub fn sheet(&self) -> &QuestionTable {
        &self.sheet
    }

    /// The models that have a row, sorted by name.
    pub fn models(&self) -> &[Arc<ModelAnswers>] {
        &self.models[..self.orders.rows()]
    }

    /// Selects the questions for which `is` holds; all if it is `None`.
    pub fn choose(&self, is: Option<&dyn Fn(usize) -> bool>) -> ItemSelection {
        let rows: Option<Vec<bool>> = is.map(|is| (0..self.sheet.len()).map(is).collect());
        ItemSelection {
            plane: match &rows {
                None => self.all.clone(),
                Some(rows) => self.index.plane(|row| rows[row]),
            },
            rows: rows.map(Arc::new),
            asked: Vec::new(),
        }
    }

    /// Narrows a selection to the questions that all of these models were asked.
    pub(super) fn narrowed<'c>(
        &self,
        models: &[usize],
        chosen: &'c ItemSelection,
    ) -> Cow<'c, ItemSelection> {
        let mut own = Cow::Borrowed(chosen);
        for model in models {
            let Some(asked) = &self.bitmaps[*model].asked else {
                continue;
            };
            let own = own.to_mut();
            own.plane = and(&own.plane, asked);
            own.asked.push(self.models[*model].clone());
        }
        own
    }

    /// All columns, in the order of the board.
    pub fn columns(&self) -> impl Iterator<Item = &Head> {
        self.columns.0.iter().map(|column| &column.head)
    }

    /// A model's parsed answers, or those of a further option order (see
    /// [`answerers`](super::column::Column::answerers)).
    pub fn answers(&self, at: usize) -> &ModelAnswers {
        &self.models[at]
    }

    /// Whether a model's answer to a question is right.
    pub fn right(&self, model: &ModelAnswers, row: usize) -> bool {
        self.sheet.right(row, model.mark(row))
    }

    /// The outcome of a model on the question in a row; `None` if no rule grades it.
    pub fn outcome(&self, model: &ModelAnswers, row: usize) -> Option<consensus::Outcome> {
        use consensus::Outcome;
        if !self.sheet.graded(row) {
            return None;
        }
        Some(match model.mark(row) {
            ParsedAnswer::ABSENT => Outcome::Missing,
            ParsedAnswer::UNPARSED => Outcome::Unparsed,
            mark if self.sheet.right(row, mark) => Outcome::Right,
            mark if mark.declines() => Outcome::Refused,
            mark if mark.chosen() == Some(self.sheet.refusal[row]) => Outcome::NoneOfThese,
            _ => Outcome::Wrong,
        })
    }

    /// The index of a model that has a row.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`], with help that lists the models.
    pub fn model(&self, name: &str) -> Result<usize> {
        let models = || self.models().iter();
        let found = models().position(|m| m.model == name);
        found.ok_or_else(|| none_of("model", name, models().map(|m| &m.model)))
    }

    /// The column of that name.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`], with help that lists the columns.
    pub fn column(&self, name: &str) -> Result<&BoardColumn> {
        let found = self.columns.0.iter().find(|c| c.head.name == name);
        found.ok_or_else(|| none_of("column", name, self.columns().map(|c| &c.name)))
    }
}

/// The error for a name that is not one of these.
fn none_of<'n>(what: &str, name: &str, names: impl Iterator<Item = &'n String>) -> Error {
    let names: Vec<&str> = names.map(String::as_str).collect();
    Error::new(ErrorKind::NotFound, format!("no {what} `{name}`"))
        .help(format!("{what}s: {}", names.join(", ")))
}
