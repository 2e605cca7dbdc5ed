//! The requests and answers behind an item, which a blind round hides.

use crate::dispatch::{Query, Watch};
use crate::queries;
use crate::visibility::AnnotatorView;
use benchtop_model::bootstrap::TranscriptStep;
use benchtop_model::{Error, Item, Result};
use benchtop_pipeline::bootstrap::transcript;
use benchtop_protocol::wire::request;

impl Query for request::Transcript {
    fn answer(self, view: &AnnotatorView, _: &mut Watch<'_>) -> Result<Vec<TranscriptStep>> {
        let shared = view.shared();
        let number = self.0;
        let unknown = || Error::not_found(format!("unknown item #{number}"));
        let row = number.checked_sub(1).ok_or_else(unknown)?;
        // In a blind round, the visible item has no transcript.
        let json = view.visible(row, queries::line(shared, row)?)?;
        let item: Item = serde_json::from_str(&json)
            .map_err(|e| Error::corrupt(format!("item #{number} is damaged: {e}")))?;
        let derivation = item.derivation.as_deref();
        let derivation =
            derivation.ok_or_else(|| Error::not_found("the item has no transcript"))?;
        let root = shared.project.root();
        transcript::read(derivation, |job, n| shared.step_indexes.steps(root, job, n))
    }
}
