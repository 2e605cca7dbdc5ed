//! Adds later texts of items to the project.

use std::sync::Arc;

use crate::clock::now;
use crate::context::OwnerContext;
use crate::writer::{Revise, WriterCommand};
use benchtop_model::{Result, history};
use benchtop_pipeline::revise::Revised;
use benchtop_store::{Catalog, manifest, open};

/// Sends the texts to the writer and adds them to the index. `catalog` is the catalog that they are
/// based on; nothing else may be imported meanwhile. Returns a notice.
///
/// # Errors
/// I/O errors; nothing has changed then.
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
    let work = |reply| {
        WriterCommand::Revise(Revise {
            record: Box::new(record),
            changed,
            kept,
            edit,
            reply,
        })
    };
    match shared.ask_writer(work)? {
        Ok(recorded) => Ok(open::index_import(&shared.project, index, &recorded)),
        Err(problem) => {
            // They are not in the manifest.
            manifest::remove_segments(&shared.project.imports(), files.iter().map(String::as_str));
            Err(problem)
        }
    }
}
