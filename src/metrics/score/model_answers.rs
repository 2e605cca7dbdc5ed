//! A model's parsed answers, and what an evaluation asked it.

use super::parsed_answer::ParsedAnswer;
use benchtop_model::board::Counts;
use benchtop_model::evaluation;

/// The questions and option orders of an evaluation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    /// The name that all answers of the run share.
    pub base: String,
    /// The orders in which options were shown.
    pub orders: evaluation::OptionOrders,
    /// The number of this order, from 1; 0 if options were not reordered.
    pub order: u16,
    /// Rows that were asked and have no answer, ascending.
    pub lacking: Vec<u32>,
}

impl Asked {
    /// Whether the question in a row was asked but not answered.
    pub fn lacks(&self, row: usize) -> bool {
        u32::try_from(row).is_ok_and(|row| self.lacking.binary_search(&row).is_ok())
    }
}

/// A model's parsed answers, one per question.
#[derive(Clone, Debug, Default)]
pub struct ModelAnswers {
    pub model: String,
    /// By row.
    pub marks: Vec<ParsedAnswer>,
    /// Counts over all questions. `missing` and `uncompared` depend on the selection and are 0
    /// here.
    pub counts: Counts,
    /// Similarity of each free-form answer to its reference by row, from 0 to 1. NaN for other
    /// rows. Empty if it was not computed.
    pub similarity: Vec<f32>,
    /// What an evaluation asked, which may be a few questions only. `None` if all questions were
    /// asked.
    pub asked: Option<Asked>,
}

impl ModelAnswers {
    /// The parsed answer in a row.
    pub fn mark(&self, row: usize) -> ParsedAnswer {
        self.marks.get(row).copied().unwrap_or(ParsedAnswer::ABSENT)
    }

    /// Similarity of the free-form answer in a row to its reference, 0 without an answer. `None` if
    /// they were not compared.
    pub(super) fn likeness(&self, row: usize) -> Option<f64> {
        let compared = self
            .similarity
            .get(row)
            .copied()
            .filter(|similarity| similarity.is_finite());
        compared
            .map(f64::from)
            .or((self.mark(row) == ParsedAnswer::ABSENT).then_some(0.0))
    }

    /// Whether the question in a row was asked. A missing answer counts as wrong only then.
    pub fn was_asked(&self, row: usize) -> bool {
        self.mark(row) != ParsedAnswer::ABSENT
            || self.asked.as_ref().is_none_or(|asked| asked.lacks(row))
    }
}
