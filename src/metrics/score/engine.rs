//! Questions, models, and columns: everything that boards are computed from.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use super::bitmap_index::{Bitmap, BitmapIndex};
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
        match is {
            None => ItemSelection {
                plane: self.all.clone(),
                rows: None,
                asked: Vec::new(),
            },
            Some(is) => {
                let rows: Vec<bool> = (0..self.sheet.len()).map(is).collect();
                ItemSelection {
                    plane: self.index.plane(|row| rows[row]),
                    rows: Some(Arc::new(rows)),
                    asked: Vec::new(),
                }
            }
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
            own.plane
                .iter_mut()
                .zip(asked)
                .for_each(|(word, asked)| *word &= asked);
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
        self.models()
            .iter()
            .position(|m| m.model == name)
            .ok_or_else(|| {
                let names: Vec<&str> = self.models().iter().map(|m| m.model.as_str()).collect();
                Error::new(ErrorKind::NotFound, format!("no model `{name}`"))
                    .help(format!("models: {}", names.join(", ")))
            })
    }

    /// The column of that name.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`], with help that lists the columns.
    pub fn column(&self, name: &str) -> Result<&BoardColumn> {
        let found = self.columns.0.iter().find(|c| c.head.name == name);
        found.ok_or_else(|| {
            let names: Vec<&str> = self.columns().map(|c| c.name.as_str()).collect();
            Error::new(ErrorKind::NotFound, format!("no column `{name}`"))
                .help(format!("columns: {}", names.join(", ")))
        })
    }
}
