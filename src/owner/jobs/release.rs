//! Releases items.

use crate::context::OwnerContext;
use crate::dispatch::{Task, TaskContext};
use crate::visibility::AnnotatorView;
use crate::{priority, queries};
use benchtop_model::home::ItemList;
use benchtop_model::release::ReleaseReport;
use benchtop_model::{Filter, Result, Status};
use benchtop_pipeline::release::statistics::Funnel;
use benchtop_pipeline::release::{Source, release};
use benchtop_protocol::wire::request;

impl Task for request::ReleaseItems {
    fn run(self, task: TaskContext<'_>) -> Result<ReleaseReport> {
        // Decisions have priority.
        priority::lower_thread_priority();
        let shared = task.shared;
        // No items change meanwhile, and there is one release at a time.
        let _one_at_a_time = (!self.0.dry).then(|| shared.importing.lock());
        let view = task.view();
        let numbers = queries::numbers(&view, &self.0.chosen()?)?;
        let funnel = funnel(shared, &view)?;
        let (catalog, statuses) = view.items(true);
        let pictures = shared.items.pictures().clone();
        let source = Source {
            project: &shared.project,
            catalog: &catalog,
            statuses: &statuses,
            pictures: &pictures,
            rows: numbers.into_iter().map(|number| number - 1).collect(),
            newest: statuses.judged.iter().copied().max().unwrap_or(0),
            funnel,
        };
        release(&source, &self.0, task.progress)
    }
}

/// The steps of the whole project.
fn funnel(shared: &OwnerContext, view: &AnnotatorView) -> Result<Funnel> {
    let count = |list: ItemList| -> Result<u64> {
        let filter = Filter::parse(&list.filter(""))?;
        Ok(queries::numbers(view, &filter)?.len() as u64)
    };
    let by_status = shared.items.data().overlay.counts();
    let of = |status: Status| by_status[usize::from(status.code())];
    let items: u64 = by_status.iter().sum();
    Ok(Funnel {
        items,
        pictures: count(ItemList::Pictures)?,
        passed: Some(count(ItemList::Passed)?),
        flagged: Some(count(ItemList::Flagged)?),
        judged: items - of(Status::Pending),
        accepted: of(Status::Accepted),
        rejected: of(Status::Rejected),
        ..Funnel::default()
    })
}
