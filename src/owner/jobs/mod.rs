//! Long commands: they run on a thread of their own, report how far they are, and can be cancelled.

mod bulk;
mod discard;
mod edit;
mod evaluate;
mod generate;
mod judge;
mod merge;
mod recompose;
mod retire;
mod revise;
mod similarity;
mod task_items;
mod verdicts;

pub use bulk::{bulk, undo};
pub use discard::{Discard, PRUNED, discard};
pub use edit::{StepEdit, edit, step_edit};
pub use evaluate::evaluate;
pub use generate::generate;
pub use judge::judge;
pub use merge::{Merge, merge};
pub use recompose::{Recompose, recompose};
pub use retire::{Retire, Unretire, retire, unretire};
pub use similarity::similarity;
pub use verdicts::{Verdicts, verdicts};

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use super::context::OwnerContext;
use super::session::Outbox;
use super::wire::{Event, FromOwner, Response};
use super::writer::{WriterCommand, now};
use super::{answers, priority, trust};
use crate::model::{Error, ErrorKind, Result};
use crate::pipeline::compose::{self, Composition, Order};
use crate::pipeline::import::{self, ImportRequest, Progress, Report};
use crate::pipeline::sample;
use crate::store::{Catalog, journal};

/// Time between two progress messages: at most four a second are drawn.
const TELL_EVERY: Duration = Duration::from_millis(200);

/// What is brought in.
pub enum Source {
    /// Files.
    Files(ImportRequest),
    /// What the program draws itself.
    Sample,
    /// Questions from the metadata.
    Compose(Order),
}

/// Told how far a job is; says whether to go on.
type Tell<'a> = &'a mut dyn FnMut(Progress) -> bool;

/// Starts an import; its answer goes to `outbox` under `number`.
pub fn import(shared: &Arc<OwnerContext>, outbox: Outbox, number: u64, source: Source, cancel: Arc<AtomicBool>) {
    let work = move |shared: &Arc<OwnerContext>, watch: Tell<'_>| {
        // Decisions come first.
        priority::lower_thread_priority();
        run(shared, &source, watch).map(Response::Imported)
    };
    start(shared, outbox, number, cancel, work);
}

fn start(
    shared: &Arc<OwnerContext>,
    outbox: Outbox,
    number: u64,
    cancel: Arc<AtomicBool>,
    job: impl FnOnce(&Arc<OwnerContext>, Tell<'_>) -> Result<Response> + Send + 'static,
) {
    let counted = shared.count_job();
    let owner = shared.clone();
    let work = move || {
        let _counted = counted;
        let mut told = Instant::now();
        let mut watch = |progress: Progress| {
            if told.elapsed() >= TELL_EVERY {
                told = Instant::now();
                // A client that is behind misses this message and gets the next.
                let _ = outbox.try_send(FromOwner::Progress(number, progress));
            }
            !cancel.load(Ordering::Relaxed)
        };
        let answer = job(&owner, &mut watch);
        let _ = outbox.blocking_send(FromOwner::Answer(number, Box::new(answer)));
    };
    if let Err(error) = std::thread::Builder::new().name("job".into()).spawn(work) {
        shared.notices().push(format!("a job could not be started: {error}"));
    }
}

/// Reads new answers before anybody asks for the leaderboard, behind everything that somebody waits for.
fn read_answers(shared: &Arc<OwnerContext>) {
    let shared = shared.clone();
    let work = move || {
        priority::lower_thread_priority();
        // What is wrong is told to whoever asks for it.
        let _ = answers::scored(&shared, None);
    };
    // Without a thread it is read when it is asked for.
    let _ = std::thread::Builder::new().name("answers".into()).spawn(work);
}

fn run(shared: &Arc<OwnerContext>, source: &Source, watch: Tell<'_>) -> Result<Report> {
    let _one_at_a_time = shared.importing.lock().unwrap_or_else(PoisonError::into_inner);
    let catalog = shared.catalog();
    let at = journal::stamp(now());
    let index = shared.index.get()?;
    let outcome = match source {
        Source::Files(ask) => import::import(&shared.project, index, &catalog, ask, &at, watch)?,
        Source::Compose(order) => {
            let (metadata, unreadable) = compose::metadata(Some(&shared.project))?;
            Composition::new(&metadata, &unreadable, order)?.fill(&shared.project, index, &catalog, &at, watch)?
        }
        Source::Sample => sample::fill(&shared.project, index, &catalog, &at)?,
    };
    if let Some(catalog) = outcome.catalog {
        taken_in(shared, catalog)?;
    }
    if let Source::Files(ImportRequest { link: true, paths, .. }) = source {
        trust::link(shared, paths);
    }
    if outcome.report.predictions > 0 {
        read_answers(shared);
    }
    Ok(outcome.report)
}

/// From now on this is the catalogue: what was brought in is in it.
///
/// # Errors
/// When the owner is ending.
pub fn taken_in(shared: &OwnerContext, catalog: Arc<Catalog>) -> Result<()> {
    let items = catalog.len();
    {
        let mut data = shared.data_mut();
        data.overlay.grow(items);
        data.catalog = catalog;
    }
    let sent = shared.writer.send(WriterCommand::Imported);
    sent.map_err(|_| Error::new(ErrorKind::Unreachable, "the owner is ending"))?;
    shared.tell(Event::Imported { items: items as u64 });
    Ok(())
}
