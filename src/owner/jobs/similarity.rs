//! Comparing free-form answers: a text encoder reads them, which takes a while.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::{Tell, start};
use crate::owner::context::OwnerContext;
use crate::owner::evaluate::compare_all;
use crate::owner::session::Outbox;
use crate::owner::wire::{Response, SimilarityAsk};

/// Compares in the name of `who`; the answer goes to `outbox` under `number`.
pub fn similarity(
    shared: &Arc<OwnerContext>,
    outbox: Outbox,
    number: u64,
    (who, ask): (String, SimilarityAsk),
    cancel: Arc<AtomicBool>,
) {
    let work = move |shared: &Arc<OwnerContext>, watch: Tell<'_>| {
        compare_all(shared, &who, &ask, watch).map(|report| Response::Similarity(Box::new(report)))
    };
    start(shared, outbox, number, cancel, work);
}
