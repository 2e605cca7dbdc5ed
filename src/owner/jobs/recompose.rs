//! Recomposes stale items.

use super::revise;
use crate::dispatch::{Task, TaskContext};
use benchtop_model::Result;
use benchtop_model::recompose::Recomposed;
use benchtop_pipeline::compose;
use benchtop_pipeline::recompose::{RecomposeOptions, prepare};
use benchtop_protocol::wire::request;

impl Task for request::Recompose {
    fn run(self, task: TaskContext<'_>) -> Result<Recomposed> {
        let shared = task.shared;
        let _one_at_a_time = shared.importing.lock();
        let (metadata, unreadable) = compose::metadata(Some(&shared.project))?;
        let grammar = compose::ready(&metadata, &unreadable)?;
        let (catalog, overlay) = task.view().items(false);
        let of = (&*catalog, &overlay);
        let manner = RecomposeOptions {
            renames: self.renames,
            draw_missing: self.draw_missing,
            dry: self.dry,
        };
        let (mut report, revised) = prepare(&shared.project, of, &grammar, &manner, task.progress)?;
        if !revised.fresh.is_empty() {
            report
                .notes
                .extend(revise::enter(shared, catalog, revised)?);
        }
        Ok(report)
    }
}
