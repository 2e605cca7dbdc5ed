//! Composing again what the metadata has changed under.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, PoisonError, mpsc};

use super::{Tell, start};
use crate::model::{Kind, Problem, Result};
use crate::owner::session::Outbox;
use crate::owner::sight::Sight;
use crate::owner::state::Shared;
use crate::owner::wire::Answer;
use crate::owner::writer::{Revise, Work, now};
use crate::pipeline::compose;
use crate::pipeline::recompose::{Recomposed, Rename, prepare};
use crate::store::{journal, open};

/// What is composed again.
pub struct Recompose {
    /// The annotator: what is kept from them is not counted by status.
    pub who: String,
    /// Terms that go by another name now.
    pub renames: Vec<Rename>,
    /// Only count.
    pub dry: bool,
}

/// Starts composing again; its answer goes to `outbox` under `number`.
pub fn recompose(shared: &Arc<Shared>, outbox: Outbox, number: u64, wanted: Recompose, cancel: Arc<AtomicBool>) {
    let work = move |shared: &Arc<Shared>, watch: Tell<'_>| run(shared, &wanted, watch).map(Answer::Recomposed);
    start(shared, outbox, number, cancel, work);
}

fn run(shared: &Arc<Shared>, wanted: &Recompose, watch: Tell<'_>) -> Result<Recomposed> {
    let _one_at_a_time = shared.importing.lock().unwrap_or_else(PoisonError::into_inner);
    let (metadata, unreadable) = compose::metadata(Some(&shared.project))?;
    let grammar = compose::ready(&metadata, &unreadable)?;
    let (catalog, overlay) = Sight::of(shared, &wanted.who).items(false);
    let prepared = prepare(&shared.project, (&catalog, &overlay), &grammar, &wanted.renames, wanted.dry, watch)?;
    let mut report = prepared.report.clone();
    if prepared.fresh.is_empty() {
        return Ok(report);
    }
    let index = shared.index.get()?;
    let (changed, kept) = (prepared.changed.clone(), prepared.kept.clone());
    let (project, at) = (shared.project.clone(), journal::stamp(now()));
    let files: Vec<_> = prepared.fresh.iter().map(|f| project.imports().join(&f.part.file)).collect();
    let record = move |rev: u64| {
        let (columns, fresh) = prepared.under(rev);
        open::record(&project, &catalog, columns, fresh, &at)
    };
    let (reply, recorded) = mpsc::channel();
    let ending = || Problem::new(Kind::Unreachable, "the owner is ending");
    let work = Work::Revise(Revise { record: Box::new(record), changed, kept, reply });
    shared.writer.send(work).map_err(|_| ending())?;
    match recorded.recv().map_err(|_| ending())? {
        Ok(recorded) => {
            report.notes.extend(open::enter(&shared.project, index, &recorded));
            Ok(report)
        }
        Err(problem) => {
            // No manifest line names them.
            files.iter().for_each(|file| drop(std::fs::remove_file(file)));
            Err(problem)
        }
    }
}
