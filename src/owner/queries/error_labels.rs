//! The query about error labels, as far as the annotator may see them.

use std::sync::Arc;

use super::board_data::scored;
use super::comments::commented_rows;
use crate::dispatch::{Query, Watch};
use crate::visibility::AnnotatorView;
use benchtop_model::Result;
use benchtop_model::error_label::{ErrorLabel, digest};
use benchtop_pipeline::board::BoardData;
use benchtop_protocol::wire::{ErrorLabelPage, LabeledItem, ShownLabel, request};

/// Most items of one reply.
const ITEMS: usize = 2_000;

/// The labels on the answers to a row, and whether each answer is still the one that was labeled.
fn labeled(
    view: &AnnotatorView,
    row: u32,
    labels: Vec<ErrorLabel>,
    answers: Option<&Arc<BoardData>>,
) -> Result<LabeledItem> {
    let item = {
        let (catalog, pictures) = (view.items.catalog(), view.items.pictures());
        pictures.shown_item(&catalog, row as usize)?
    };
    let answers = answers.map(|board| board.answers_to(row as usize, None));
    let answers = answers.transpose()?.map(|found| found.answers);
    let is_there = |label: &ErrorLabel| {
        let mut all = answers.iter().flatten();
        all.any(|of| of.model == label.model && digest(of.answer.output.as_deref()) == label.answer)
    };
    let shown = |label: ErrorLabel| ShownLabel {
        is_current: is_there(&label),
        label,
    };
    Ok(LabeledItem {
        number: row + 1,
        subtask: item.subtask,
        id: item.id,
        labels: labels.into_iter().map(shown).collect(),
    })
}

impl Query for request::ErrorLabels {
    fn answer(self, view: &AnnotatorView, watch: &mut Watch<'_>) -> Result<ErrorLabelPage> {
        let mut page = ErrorLabelPage::default();
        let mut answers = None;
        for row in commented_rows(view, &self.filter, self.from)? {
            watch.cancel.check()?;
            let labels = view.error_labels_in(&view.items.ledger(), row);
            if labels.is_empty() {
                continue;
            }
            if page.list.len() == ITEMS {
                page.next = Some(row + 1);
                break;
            }
            // Without any answer, no label is about a present one.
            let board = answers.get_or_insert_with(|| scored(view.shared(), None).ok());
            page.list.push(labeled(view, row, labels, board.as_ref())?);
        }
        Ok(page)
    }
}
