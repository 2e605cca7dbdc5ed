//! Beginning a generation job: all items are read for it, which takes a while in a large project.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::{Tell, start};
use crate::model::job::NewJob;
use crate::owner::context::OwnerContext;
use crate::owner::generate::begin;
use crate::owner::session::Outbox;
use crate::owner::wire::Response;

/// Begins a job in the name of `who`; its answer goes to `outbox` under `number`.
pub fn generate(
    shared: &Arc<OwnerContext>,
    outbox: Outbox,
    number: u64,
    (who, new): (String, NewJob),
    cancel: Arc<AtomicBool>,
) {
    let flag = cancel.clone();
    let work = move |shared: &Arc<OwnerContext>, _: Tell<'_>| {
        let wanted = || !flag.load(Ordering::Relaxed);
        begin(shared, &who, &new, &wanted).map(|begun| Response::Begun(Box::new(begun)))
    };
    start(shared, outbox, number, cancel, work);
}
