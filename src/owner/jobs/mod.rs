//! Long-running requests. Each runs on a thread of its own, reports progress, and can be canceled.

mod bulk;
mod discard;
mod edit;
mod merge;
mod recompose;
mod release;
mod retire;
mod revise;
mod task_items;
mod verdicts;

pub use discard::PRUNED;
pub use edit::{StepEdit, step_edit};
pub use merge::join;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use super::context::OwnerContext;
use super::dispatch::{self, Outbox, Task, TaskContext};
use super::writer::WriterCommand;
use super::{priority, queries, trust};
use crate::clock::now;
use benchtop_model::cancel::{Cancel, ProgressSink};
use benchtop_model::import::{ImportRequest, Progress, Report};
use benchtop_model::{Error, Result, history};
use benchtop_pipeline::compose::{self, Composition, Order};
use benchtop_pipeline::import::import as import_files;
use benchtop_protocol::wire::{AnyReply, Event, FromOwner, request};
use benchtop_store::Catalog;

/// Minimum time between two progress messages.
const TELL_EVERY: Duration = Duration::from_millis(200);

/// The source of an import.
enum Source {
    /// Files.
    Files(ImportRequest),
    /// Composed questions.
    Compose(Order),
}

impl Task for request::Import {
    fn run(self, task: TaskContext<'_>) -> Result<Report> {
        import(task, &Source::Files(self.0))
    }
}

impl Task for request::Compose {
    fn run(self, task: TaskContext<'_>) -> Result<Report> {
        let request::Compose {
            plan,
            seed,
            count,
            allow_impossible,
        } = self;
        import(
            task,
            &Source::Compose(Order {
                plan,
                seed,
                count,
                allow_impossible,
            }),
        )
    }
}

/// A task that produces a reply.
pub(super) type Work = Box<dyn FnOnce(TaskContext<'_>) -> Result<AnyReply> + Send>;

/// Starts a task on behalf of `who`. Its result goes to the outbox under this request number.
pub(super) fn start(
    shared: &Arc<OwnerContext>,
    who: &str,
    (outbox, number): (Outbox, u64),
    cancelled: Arc<AtomicBool>,
    (name, work): (Option<&'static str>, Work),
) {
    let counted = shared.activity.count_job();
    let (owner, who, answers) = (shared.clone(), who.to_string(), outbox.clone());
    let run = move || {
        let _counted = counted;
        let command = name.map(|name| owner.jobs.begin_command(name, &who, cancelled.clone()));
        let last_sent = Mutex::new(Instant::now());
        let tell = |progress: Progress| {
            let mut last_sent = last_sent.lock();
            if last_sent.elapsed() >= TELL_EVERY {
                *last_sent = Instant::now();
                if let Some(id) = command {
                    owner.jobs.command_progressed(&owner, id, &progress);
                }
                // A slow client misses this message and gets the next one.
                let _ = answers.try_send(FromOwner::Progress(number, progress));
            }
        };
        let context = TaskContext {
            shared: &owner,
            who: &who,
            progress: ProgressSink::new(&tell, Cancel::flag(&cancelled)),
        };
        let answer = dispatch::caught(|| work(context));
        if let Some(id) = command {
            owner.jobs.end_command(&owner, id);
        }
        let _ = answers.blocking_send(FromOwner::Reply(number, Box::new(answer)));
    };
    if let Err(error) = std::thread::Builder::new().name("job".into()).spawn(run) {
        let problem = Error::failed(format!("cannot start the task: {error}"));
        let _ = outbox.try_send(FromOwner::Reply(number, Box::new(Err(problem))));
    }
}

/// Reads new answers in the background before the board is requested.
fn read_answers(shared: &Arc<OwnerContext>) {
    let shared = shared.clone();
    let work = move || {
        priority::lower_thread_priority();
        // Errors are reported when the board is requested.
        let _ = queries::scored(&shared, None);
    };
    // Without a thread, the answers are read on request.
    let _ = std::thread::Builder::new()
        .name("answers".into())
        .spawn(work);
}

fn import(task: TaskContext<'_>, source: &Source) -> Result<Report> {
    // Decisions have priority.
    priority::lower_thread_priority();
    let (shared, watch) = (task.shared, task.progress);
    let _one_at_a_time = shared.importing.lock();
    let catalog = shared.items.catalog();
    let at = history::stamp(now());
    let index = shared.index.get()?;
    let outcome = match source {
        Source::Files(ask) => import_files(&shared.project, index, &catalog, ask, &at, watch)?,
        Source::Compose(order) => {
            let (metadata, unreadable) = compose::metadata(Some(&shared.project))?;
            Composition::new(&metadata, &unreadable, order)?.fill(
                &shared.project,
                index,
                &catalog,
                &at,
                watch,
            )?
        }
    };
    if let Some(catalog) = outcome.catalog {
        publish_catalog(shared, catalog)?;
    }
    if let Source::Files(ImportRequest {
        link: true, paths, ..
    }) = source
    {
        trust::link(shared, paths);
    }
    if outcome.report.predictions > 0 {
        read_answers(shared);
    }
    Ok(outcome.report)
}

/// Replaces the catalog after an import.
///
/// # Errors
/// [`Error::unreachable`] if the owner is shutting down.
pub fn publish_catalog(shared: &OwnerContext, catalog: Arc<Catalog>) -> Result<()> {
    let items = catalog.len();
    {
        let mut data = shared.items.data_mut();
        data.overlay.grow(items);
        data.catalog = catalog;
    }
    shared.tell_writer(WriterCommand::Imported)?;
    shared.broadcast.send(Event::Imported {
        items: items as u64,
    });
    Ok(())
}
