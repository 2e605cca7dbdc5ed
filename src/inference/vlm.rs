//! Models that are asked about pictures in words.

use super::{Heard, gather};
use benchtop_model::generation::{Failure, Fingerprint};
use benchtop_model::vlm::{Abilities, Ask, Reply};

/// Answers questions about pictures: judges, question writers, and models under test.
///
/// Each question is answered exactly once, also when the work is cancelled; one question's failure leaves the others
/// alone; what the abilities exclude is a failure of kind
/// [`Input`](benchtop_model::generation::FailureKind::Input). A model that will not answer gives a [`Reply`] that
/// says so ([`Finish::Refused`](benchtop_model::vlm::Finish::Refused)): its tokens cost as any others. A server that refuses the
/// request itself gives a failure of kind [`Refused`](benchtop_model::generation::FailureKind::Refused).
pub trait VisionLanguageModel: Send {
    /// What it can do.
    fn abilities(&self) -> &Abilities;

    /// Everything that decides what is answered, as far as this side of the line knows.
    fn fingerprint(&self) -> Fingerprint;

    /// Asks all of `asks`. `watch` is told every result; once it says `false` the work ends, and what is not done is
    /// told as
    /// [`Cancelled`](benchtop_model::generation::FailureKind::Cancelled).
    fn ask(&mut self, asks: &[Ask], watch: &mut dyn FnMut(Heard<Reply>) -> bool);
}

/// The answers to `asks` in their order, for callers that want to wait for all of them.
pub fn ask_all(model: &mut dyn VisionLanguageModel, asks: &[Ask]) -> Vec<Result<Reply, Failure>> {
    gather(asks.len(), |watch| model.ask(asks, watch))
}
