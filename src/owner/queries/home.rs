//! The first screen.

use super::list::count;
use crate::dispatch::{Query, Watch};
use crate::rounds::{activity, open_disputes, tasks};
use crate::visibility::AnnotatorView;
use benchtop_compose::sample::DATASET;
use benchtop_model::cancel::Cancel;
use benchtop_model::home::{Home, ItemList};
use benchtop_model::{ErrorKind, Field, Filter, Result, Status};
use benchtop_protocol::wire::request;
use benchtop_store::Catalog;
use benchtop_store::columns::Columns;

impl Query for request::Home {
    fn answer(self, view: &AnnotatorView, watch: &mut Watch<'_>) -> Result<Home> {
        let activity = activity(view, self.before, watch.cancel)?;
        let (counts, pending) = counts(view, activity.own_items, self.wait, watch.cancel)?;
        let mut home = Home {
            sample: has_sample(&view.items.catalog()),
            counts,
            pending,
            prediction_sets: view.items.catalog().answers().len() as u64,
            median_seconds: activity.median_seconds,
            rounds: tasks(view),
            disputes: open_disputes(view),
            people: activity.people,
            since: activity.since,
            next: Vec::new(),
        };
        home.next = home.steps();
        Ok(home)
    }
}

/// Whether items of the sample are in the project.
fn has_sample(catalog: &Catalog) -> bool {
    let names = Columns::named(Field::Dataset).map(|at| &catalog.columns().names[at]);
    names.is_some_and(|names| names.code(DATASET).is_some())
}

/// Lists with their numbers of items.
type Counts = Vec<(ItemList, u64)>;

/// The numbers of items in all lists that the annotator may count. Without `wait`, the lists that
/// cannot be counted at once follow.
fn counts(
    view: &AnnotatorView,
    own_items: u64,
    wait: bool,
    cancel: Cancel<'_>,
) -> Result<(Counts, Vec<ItemList>)> {
    let is_pending = |list: ItemList| {
        !wait
            && match list {
                ItemList::Pictures | ItemList::Missing => !view.requested.is_read(view),
                ItemList::Passed | ItemList::Flagged => !view.scoring.is_current(view),
                _ => false,
            }
    };
    let (catalog, overlay) = view.items(false);
    let by_status = overlay.counts();
    let of = |status: Status| by_status[usize::from(status.code())];
    let (mut counts, mut pending) = (Vec::with_capacity(ItemList::ALL.len()), Vec::new());
    for list in ItemList::ALL {
        if is_pending(list) {
            pending.push(list);
            continue;
        }
        let number = match list {
            ItemList::Items => catalog.len() as u64,
            ItemList::Judged => catalog.len() as u64 - of(Status::Pending),
            ItemList::Accepted => of(Status::Accepted),
            ItemList::Own => own_items,
            ItemList::Released => match view.check_scores() {
                Ok(()) => view.releases.newest(&view.project, &catalog),
                Err(_) => continue,
            },
            ItemList::Pictures | ItemList::Missing | ItemList::Passed | ItemList::Flagged => {
                match count(view, &Filter::parse(&list.filter(view.who()))?, cancel) {
                    Err(problem) if problem.kind == ErrorKind::Denied => continue,
                    counted => counted?,
                }
            }
        };
        counts.push((list, number));
    }
    Ok((counts, pending))
}
