//! Later texts of items become part of the project.

use std::sync::{Arc, mpsc};

use crate::clock::now;
use crate::context::OwnerContext;
use crate::writer::{Revise, WriterCommand};
use benchtop_model::{Error, ErrorKind, Result, history};
use benchtop_pipeline::revise::Revised;
use benchtop_store::{Catalog, manifest, open};

/// Has the thread that decides take them, and enters them in the index. `catalog` is what they were made from; nothing
/// else may be brought in meanwhile. Gives what a person should know.
///
/// # Errors
/// The operating system's; then nothing was changed.
pub(super) fn enter(
    shared: &Arc<OwnerContext>,
    catalog: Arc<Catalog>,
    revised: Revised,
) -> Result<Option<String>> {
    let index = shared.index.get()?;
    let (changed, kept) = (revised.changed.clone(), revised.kept.clone());
    let edit = revised.edit.clone();
    let (project, at) = (shared.project.clone(), history::stamp(now()));
    let files: Vec<_> = revised.fresh.iter().map(|f| f.part.file.clone()).collect();
    let record = move |rev: u64| {
        let (columns, fresh) = revised.under(rev);
        open::record(&project, &catalog, columns, fresh, &at)
    };
    let (reply, recorded) = mpsc::channel();
    let ending = || Error::new(ErrorKind::Unreachable, "the owner is ending");
    let work = WriterCommand::Revise(Revise {
        record: Box::new(record),
        changed,
        kept,
        edit,
        reply,
    });
    shared.writer.send(work).map_err(|_| ending())?;
    match recorded.recv().map_err(|_| ending())? {
        Ok(recorded) => Ok(open::enter(&shared.project, index, &recorded)),
        Err(problem) => {
            // No manifest line names them.
            manifest::take_back(&shared.project.imports(), files.iter().map(String::as_str));
            Err(problem)
        }
    }
}
