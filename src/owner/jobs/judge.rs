//! Asking a judge what answers mean: it is over a server, and takes a while.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::{Tell, start};
use crate::owner::context::OwnerContext;
use crate::owner::evaluate::judge_all;
use crate::owner::session::Outbox;
use crate::owner::wire::{JudgeAsk, Response};

/// Asks in the name of `who`; the answer goes to `outbox` under `number`.
pub fn judge(
    shared: &Arc<OwnerContext>,
    outbox: Outbox,
    number: u64,
    (who, ask): (String, JudgeAsk),
    cancel: Arc<AtomicBool>,
) {
    let work = move |shared: &Arc<OwnerContext>, watch: Tell<'_>| {
        judge_all(shared, &who, &ask, watch).map(|report| Response::Judged(Box::new(report)))
    };
    start(shared, outbox, number, cancel, work);
}
