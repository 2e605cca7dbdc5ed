//! The answer whose error is labeled.

use benchtop_model::board::ModelAnswer;
use benchtop_model::config::Reason;
use benchtop_model::error_label::digest;

/// The answer that is labeled.
#[derive(Clone, Debug)]
pub(super) struct LabelTarget {
    pub(super) number: u32,
    pub(super) model: String,
    /// Digest of the answer.
    pub(super) answer: String,
    /// The taxonomy; empty if it did not come yet.
    pub(super) choices: Vec<Reason>,
}

impl LabelTarget {
    pub(super) fn of(number: u32, answer: &ModelAnswer, choices: Vec<Reason>) -> LabelTarget {
        LabelTarget {
            number,
            model: answer.model.clone(),
            answer: digest(answer.answer.output.as_deref()),
            choices,
        }
    }
}
