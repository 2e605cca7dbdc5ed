//! The answer whose error is labeled.

use benchtop_model::board::ModelAnswer;
use benchtop_model::error_label::digest;

/// The answer that is labeled.
#[derive(Clone, Debug)]
pub(super) struct LabelTarget {
    pub(super) number: u32,
    pub(super) model: String,
    /// Digest of the answer.
    pub(super) answer: String,
}

impl LabelTarget {
    pub(super) fn of(number: u32, answer: &ModelAnswer) -> LabelTarget {
        LabelTarget {
            number,
            model: answer.model.clone(),
            answer: digest(answer.answer.output.as_deref()),
        }
    }
}
