//! Journals from other machines.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, PoisonError, mpsc};

use super::{Tell, start};
use crate::model::history::Merged;
use crate::model::{Decision, Error, ErrorKind, Result};
use crate::owner::context::OwnerContext;
use crate::owner::session::Outbox;
use crate::owner::visibility::AnnotatorView;
use crate::owner::wire::Response;
use crate::owner::writer::{Join, WriterCommand};
use crate::store::history::History;
use crate::store::merge;

/// What is folded in.
pub struct Merge {
    /// The annotator: what is kept from them is not reported.
    pub who: String,
    /// The journals.
    pub files: Vec<PathBuf>,
    /// Only say what it would come to.
    pub dry: bool,
}

/// Starts a merge; its answer goes to `outbox` under `number`.
pub fn merge(shared: &Arc<OwnerContext>, outbox: Outbox, number: u64, wanted: Merge, cancel: Arc<AtomicBool>) {
    let work = move |shared: &Arc<OwnerContext>, _: Tell<'_>| Ok(Response::Merged(Box::new(run(shared, &wanted)?)));
    start(shared, outbox, number, cancel, work);
}

fn run(shared: &Arc<OwnerContext>, wanted: &Merge) -> Result<Merged> {
    let _one_at_a_time = shared.importing.lock().unwrap_or_else(PoisonError::into_inner);
    let history = History::read(&shared.project)?;
    let planned = merge::plan(&history, &wanted.files, &shared.catalog(), &shared.pictures())?;
    let report = |mut report: Merged| {
        let sight = AnnotatorView::of(shared, &wanted.who);
        report.conflicts.retain(|conflict| !sight.veils(conflict.number.saturating_sub(1)));
        report
    };
    if !wanted.dry {
        join(shared, planned.fresh)?;
    }
    Ok(report(planned.report))
}

/// Has the thread that decides append these decisions; they are on disk and count when this returns.
pub(super) fn join(shared: &OwnerContext, fresh: BTreeMap<String, Vec<Decision>>) -> Result<()> {
    if fresh.is_empty() {
        return Ok(());
    }
    let (reply, joined) = mpsc::channel();
    let ending = || Error::new(ErrorKind::Unreachable, "the owner is ending");
    shared.writer.send(WriterCommand::Join(Join { fresh, reply })).map_err(|_| ending())?;
    joined.recv().map_err(|_| ending())?
}
