//! The trait of vision-language models.

use std::sync::Arc;

use super::request_meter::RequestMeter;
use super::{BatchEvent, gather};
use benchtop_model::generation::{Failure, Fingerprint};
use benchtop_model::vlm::{Reply, VlmCapabilities, VlmRequest};

/// Answers questions about pictures: judges, question writers, and models under test.
///
/// Each question is answered exactly once, even if the work is canceled. The failure of one
/// question does not affect the others. Questions that the abilities exclude fail with
/// [`Input`](benchtop_model::generation::FailureKind::Input). If the model declines, the [`Reply`]
/// has [`Finish::Refused`](benchtop_model::vlm::Finish::Refused), since its tokens cost like any
/// others. If the server rejects the request, the question fails with
/// [`Refused`](benchtop_model::generation::FailureKind::Refused).
pub trait VisionLanguageModel: Send {
    fn abilities(&self) -> &VlmCapabilities;

    /// Everything that decides the answers, as far as the client knows.
    fn fingerprint(&self) -> Fingerprint;

    /// Has further requests to servers counted. Models without servers ignore it.
    fn count_requests(&mut self, _: Arc<dyn RequestMeter>) {}

    /// Asks all questions. `watch` gets every result. Once it returns `false`, the work stops, and
    /// unfinished questions fail with
    /// [`Cancelled`](benchtop_model::generation::FailureKind::Cancelled).
    fn ask(&mut self, asks: &[VlmRequest], watch: &mut dyn FnMut(BatchEvent<Reply>) -> bool);
}

/// Asks all questions and returns the answers in their order.
pub fn ask_all(
    model: &mut dyn VisionLanguageModel,
    asks: &[VlmRequest],
) -> Vec<Result<Reply, Failure>> {
    gather(asks.len(), |watch| model.ask(asks, watch))
}
