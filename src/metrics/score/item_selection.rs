//! The questions that a board is scored on.

use std::sync::Arc;

use super::bitmap_index::Bitmap;
use super::model_answers::ModelAnswers;

/// The questions that a board is scored on.
#[derive(Clone)]
pub struct ItemSelection {
    pub(super) plane: Bitmap,
    pub(super) rows: Option<Arc<Vec<bool>>>,
    /// Only questions that all of these models were asked.
    pub(super) asked: Vec<Arc<ModelAnswers>>,
}

impl ItemSelection {
    /// Whether all questions are selected.
    pub(super) fn is_all(&self) -> bool {
        self.rows.is_none() && self.asked.is_empty()
    }

    /// Whether both select the same questions.
    pub(super) fn is_same(&self, other: &ItemSelection) -> bool {
        let asked = self.asked.iter().zip(&other.asked);
        self.rows == other.rows
            && self.asked.len() == other.asked.len()
            && asked.into_iter().all(|(a, b)| Arc::ptr_eq(a, b))
    }

    /// Whether a row is selected.
    pub fn holds(&self, row: usize) -> bool {
        self.rows
            .as_ref()
            .is_none_or(|rows| rows.get(row).copied().unwrap_or(false))
            && self.asked.iter().all(|model| model.was_asked(row))
    }
}
