//! Questions of a variant with their baselines.

use crate::score::item_selection::ItemSelection;
use crate::score::model_answers::ModelAnswers;
use crate::score::parsed_answer::ParsedAnswer;

/// The questions of one variant and one data set, with their baselines. A model is scored on all of
/// them if it answers at least one variant and one baseline question.
pub(super) struct PairedSubset {
    /// The variant.
    pub(super) name: String,
    pub(super) rows: Vec<u32>,
    pub(super) base: Vec<u32>,
}

impl PairedSubset {
    pub(super) fn is_answered(&self, model: &ModelAnswers) -> bool {
        let answers = |row: &u32| model.mark(*row as usize) != ParsedAnswer::ABSENT;
        self.rows.iter().any(answers) && self.base.iter().any(answers)
    }

    /// The rows that count for a model, each with the baseline at the same place.
    pub(super) fn pairs<'s>(
        &'s self,
        model: &'s ModelAnswers,
        chosen: &'s ItemSelection,
    ) -> impl Iterator<Item = (usize, usize)> + 's {
        let pairs = self.rows.iter().zip(&self.base);
        pairs
            .map(|(row, original)| (*row as usize, *original as usize))
            .filter(|(row, original)| {
                counts(model, chosen, *row) && counts(model, chosen, *original)
            })
    }
}

/// The subsets of this variant that a model answers.
pub(super) fn answered<'s>(
    all: &'s [PairedSubset],
    name: &'s str,
    model: &'s ModelAnswers,
) -> impl Iterator<Item = &'s PairedSubset> {
    all.iter()
        .filter(move |of| of.name == name && of.is_answered(model))
}

/// Whether a question counts for a model. A question that was asked but not answered counts as
/// wrong.
pub(super) fn counts(model: &ModelAnswers, chosen: &ItemSelection, row: usize) -> bool {
    chosen.holds(row) && model.was_asked(row)
}
