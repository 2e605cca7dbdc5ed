//! Models that are asked about pictures in words.

use crate::model::generation::{Failure, FailureKind, Fingerprint};
use crate::model::vlm::{Abilities, Ask, Reply};

/// What a vision-language model tells while it works.
#[derive(Debug)]
pub enum Heard {
    /// A sign of life now and then, so that a cancel is heard while it waits.
    Alive,
    /// Question `index` (from 0) is over. Told exactly once for each question, in any order.
    Done {
        /// Which question.
        index: usize,
        /// The answer, or why there is none.
        result: Result<Reply, Failure>,
    },
}

/// Answers questions about pictures: judges, question writers, and models under test.
///
/// Each question is answered exactly once, also when the work is cancelled; one question's failure leaves the others
/// alone; what the abilities exclude is a [`FailureKind::Input`]. A model that will not answer gives a [`Reply`] that
/// says so ([`Finish::Refused`](crate::model::vlm::Finish::Refused)): its tokens cost as any others. A server that refuses the
/// request itself gives a [`FailureKind::Refused`].
pub trait VisionLanguageModel: Send {
    /// What it can do.
    fn abilities(&self) -> &Abilities;

    /// Everything that decides what is answered, as far as this side of the line knows.
    fn fingerprint(&self) -> Fingerprint;

    /// Asks all of `asks`. `watch` is told every result; once it says `false` the work ends, and what is not done is
    /// told as [`FailureKind::Cancelled`].
    fn ask(&mut self, asks: &[Ask], watch: &mut dyn FnMut(Heard) -> bool);
}

/// The answers to `asks` in their order, for callers that want to wait for all of them.
pub fn ask_all(model: &mut dyn VisionLanguageModel, asks: &[Ask]) -> Vec<Result<Reply, Failure>> {
    let mut results: Vec<Option<Result<Reply, Failure>>> = asks.iter().map(|_| None).collect();
    model.ask(asks, &mut |heard| {
        if let Heard::Done { index, result } = heard
            && let Some(place) = results.get_mut(index)
        {
            *place = Some(result);
        }
        true
    });
    let lost = || Err(Failure::new(FailureKind::BadOutput, "the model did not answer"));
    results.into_iter().map(|r| r.unwrap_or_else(lost)).collect()
}
