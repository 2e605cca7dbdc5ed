//! Composing again what the metadata has changed under.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, PoisonError};

use super::{Tell, revise, start};
use crate::model::Result;
use crate::owner::context::OwnerContext;
use crate::owner::session::Outbox;
use crate::owner::visibility::AnnotatorView;
use crate::owner::wire::Response;
use crate::pipeline::compose;
use crate::pipeline::recompose::{Manner, Recomposed, prepare};

/// What is composed again.
pub struct Recompose {
    /// The annotator: what is kept from them is not counted by status.
    pub who: String,
    /// How.
    pub manner: Manner,
}

/// Starts composing again; its answer goes to `outbox` under `number`.
pub fn recompose(shared: &Arc<OwnerContext>, outbox: Outbox, number: u64, wanted: Recompose, cancel: Arc<AtomicBool>) {
    let work = move |shared: &Arc<OwnerContext>, watch: Tell<'_>| run(shared, &wanted, watch).map(Response::Recomposed);
    start(shared, outbox, number, cancel, work);
}

fn run(shared: &Arc<OwnerContext>, wanted: &Recompose, watch: Tell<'_>) -> Result<Recomposed> {
    let _one_at_a_time = shared.importing.lock().unwrap_or_else(PoisonError::into_inner);
    let (metadata, unreadable) = compose::metadata(Some(&shared.project))?;
    let grammar = compose::ready(&metadata, &unreadable)?;
    let (catalog, overlay) = AnnotatorView::of(shared, &wanted.who).items(false);
    let of = (&*catalog, &overlay);
    let (mut report, revised) = prepare(&shared.project, of, &grammar, &wanted.manner, watch)?;
    if !revised.fresh.is_empty() {
        report.notes.extend(revise::enter(shared, catalog, revised)?);
    }
    Ok(report)
}
