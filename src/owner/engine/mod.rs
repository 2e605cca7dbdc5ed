//! The engine: jobs of all kinds in one queue.
//!
//! A job is a value ([`Job`]) that works in steps, and its kind a row of [`kinds::KINDS`]. The engine
//! does everything else, once: numbers, files, the order, pause and resume, waiting for servers,
//! trust, progress, and rates. Each resource in use, such as a device, has one thread ([`runner`]),
//! which works on the first job in the order that needs the resource, step by step. A new order, a
//! pause, or an urgent job takes effect at the next step. What is left to do follows from the job
//! and from the journals of results, so an interrupted job continues where they end.
//!
//! | module | contents |
//! |---|---|
//! | `command` | imports and other commands in the list of jobs |
//! | `control` | starts jobs and acts on them |
//! | `job` | what a kind of job implements |
//! | `kinds` | the table of kinds |
//! | `live` | the state of a job that all kinds share |
//! | `load` | loads the stored jobs |
//! | `runner` | the threads |

mod command;
mod control;
mod job;
mod kinds;
mod live;
mod load;
mod runner;

use std::any::Any;
use std::collections::{BTreeMap, BTreeSet};
use std::thread::JoinHandle;

use parking_lot::{Condvar, Mutex, MutexGuard};

pub use command::Command;
pub use job::{Counts, Job, Kind, Slot, Step};
pub use live::Live;
pub use load::start;

use super::context::OwnerContext;
use benchtop_model::cancel::ProgressSink;
use benchtop_model::job::{JobAct, JobState, JobStatus};
use benchtop_model::{Error, ErrorKind, Result};
use benchtop_protocol::wire::Event;
use benchtop_store::jobs;
use std::sync::Arc;
use std::time::Duration;

/// A job of the engine: what all kinds share, and what is its own.
struct Entry {
    live: Live,
    job: Box<dyn Job>,
}

/// The jobs of an owner.
#[derive(Default)]
pub struct Engine {
    inner: Mutex<Inner>,
    wake: Condvar,
}

/// The state behind the lock. Its holder may write files of jobs and use sled. Of the other locks of
/// the owner, it takes only those of pictures and settings.
#[derive(Default)]
struct Inner {
    jobs: BTreeMap<u32, Entry>,
    /// Resources that have a thread.
    running: BTreeSet<String>,
    threads: Vec<JoinHandle<()>>,
    /// Whether the stored jobs are loaded.
    loaded: bool,
    ended: bool,
    /// Number of commands so far.
    commands: u32,
}

impl Engine {
    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock()
    }

    /// Waits until the stored jobs are loaded.
    fn loaded(&self) -> Result<MutexGuard<'_, Inner>> {
        let mut inner = self.inner();
        while !inner.loaded && !inner.ended {
            self.wake.wait(&mut inner);
        }
        let ending = || Error::new(ErrorKind::Unreachable, "the owner is shutting down");
        inner.loaded.then_some(inner).ok_or_else(ending)
    }

    /// Whether the owner is shutting down.
    pub fn is_ending(&self) -> bool {
        self.inner().ended
    }

    /// Stops all work and waits for it. What was in flight is done again by the next owner.
    pub fn end(&self) {
        let threads = {
            let mut inner = self.inner();
            inner.ended = true;
            std::mem::take(&mut inner.threads)
        };
        self.wake.notify_all();
        threads.into_iter().for_each(|thread| drop(thread.join()));
    }

    /// All jobs: commands, then the unfinished ones in the order of the queue, then the ended ones,
    /// latest first.
    ///
    /// # Errors
    /// [`ErrorKind::Unreachable`] if the owner is shutting down.
    pub fn list(&self) -> Result<Vec<JobState>> {
        let inner = self.loaded()?;
        let order = inner.order();
        let commands = inner.jobs.values().filter(|e| e.job.command().is_some());
        let mut ended: Vec<&Entry> = inner
            .jobs
            .values()
            .filter(|e| e.live.header.standing.is_finished())
            .collect();
        ended.sort_by_key(|e| std::cmp::Reverse((e.live.header.created, e.live.header.id)));
        Ok(commands
            .chain(order.iter().filter_map(|id| inner.jobs.get(id)))
            .chain(ended)
            .map(|entry| inner.state(entry))
            .collect())
    }

    /// Whether a job waits for an agreement.
    pub fn waits_for_consent(&self, id: u32) -> bool {
        let inner = self.inner();
        inner.jobs.get(&id).is_some_and(|e| e.live.waits.is_some())
    }

    /// Calls `f` with job `id`, if it is of this kind.
    pub fn with<T: Job, R>(&self, id: u32, f: impl FnOnce(&mut Live, &mut T) -> R) -> Option<R> {
        self.inner().with(id, f)
    }

    /// Calls `f` with job `id`, if it is of this kind, and announces its progress.
    pub fn update<T: Job, R>(
        &self,
        shared: &OwnerContext,
        id: u32,
        f: impl FnOnce(&mut Live, &mut T) -> R,
    ) -> Option<R> {
        let mut inner = self.inner();
        let done = inner.with(id, f);
        inner.tell(shared, id, false);
        done
    }

    /// Calls `f` with all jobs of this kind, in the order of the queue, then the ended ones, until it
    /// returns something.
    pub fn find<T: Job, R>(&self, mut f: impl FnMut(&mut Live, &mut T) -> Option<R>) -> Option<R> {
        let mut inner = self.inner();
        let mut ids = inner.order();
        let ended = inner.jobs.keys().rev().filter(|id| !ids.contains(id));
        let ended: Vec<u32> = ended.copied().collect();
        ids.extend(ended);
        ids.into_iter()
            .find_map(|id| inner.with(id, &mut f).flatten())
    }

    /// Whether a job is active.
    pub fn is_active(&self, id: u32) -> bool {
        let inner = self.inner();
        let entry = inner.jobs.get(&id);
        !inner.ended && entry.is_some_and(|e| e.live.header.standing.is_active())
    }

    /// Whether the step of a job goes on: the job is active, and first in the order of those that
    /// need its resource.
    pub fn goes_on(&self, id: u32) -> bool {
        let inner = self.inner();
        let Some(entry) = inner.jobs.get(&id).filter(|_| !inner.ended) else {
            return false;
        };
        entry.live.header.standing.is_active()
            && inner.first_ready(&entry.live.resource) == Some(id)
    }

    /// Saves and announces the state of a job.
    ///
    /// # Errors
    /// Errors of writing its file.
    pub fn save(&self, shared: &OwnerContext, id: u32) -> Result<()> {
        let mut inner = self.inner();
        inner
            .jobs
            .get_mut(&id)
            .map_or(Ok(()), |entry| entry.save(shared))?;
        inner.tell(shared, id, true);
        Ok(())
    }

    /// Waits until job `id` has ended or is paused, and passes on its progress. If the watcher
    /// cancels, so is the job.
    ///
    /// # Errors
    /// The reason that it stopped; [`ErrorKind::Cancelled`].
    pub fn follow(
        &self,
        shared: &Arc<OwnerContext>,
        id: u32,
        watch: ProgressSink<'_>,
    ) -> Result<()> {
        let mut canceled = None;
        loop {
            let (state, problem, at_work) = {
                let mut inner = self.inner();
                let gone = || Error::new(ErrorKind::NotFound, format!("job {id} was removed"));
                let entry = inner.jobs.get(&id).ok_or_else(gone)?;
                let settled = !entry.live.header.standing.is_active() && !entry.live.at_work;
                if !settled && !inner.ended {
                    self.wake.wait_for(&mut inner, Duration::from_millis(50));
                }
                if inner.ended {
                    return Err(Error::new(
                        ErrorKind::Unreachable,
                        "the owner is shutting down",
                    ));
                }
                let entry = inner.jobs.get(&id).ok_or_else(gone)?;
                let (live, state) = (&entry.live, inner.state(entry));
                (state, live.problem.clone(), live.at_work)
            };
            if canceled.is_none()
                && let Err(stop) = watch.report(&state.plan, state.done, state.of)
            {
                canceled = Some(stop);
                let _ = self.act(shared, id, JobAct::Cancel);
                continue;
            }
            if state.standing.is_active() || at_work {
                continue;
            }
            return match (canceled, state.standing) {
                (_, JobStatus::Done) => Ok(()),
                (Some(stop), _) => Err(stop),
                (None, standing) => Err(problem.unwrap_or_else(|| {
                    let what = format!("job {id} is {}", standing.name());
                    Error::new(ErrorKind::Cancelled, what)
                        .help(format!("run `benchtop jobs resume {id}` to continue it"))
                })),
            };
        }
    }
}

impl Inner {
    fn with<T: Job, R>(&mut self, id: u32, f: impl FnOnce(&mut Live, &mut T) -> R) -> Option<R> {
        let Entry { live, job } = self.jobs.get_mut(&id)?;
        let job: &mut dyn Any = &mut **job;
        job.downcast_mut().map(|job| f(live, job))
    }

    /// The jobs that have not ended, in the order of the queue.
    fn order(&self) -> Vec<u32> {
        let mut waiting: Vec<(i64, u32)> = self
            .jobs
            .values()
            .filter(|e| !e.live.header.standing.is_finished() && e.job.command().is_none())
            .map(|e| (e.live.header.turn, e.live.header.id))
            .collect();
        waiting.sort_unstable();
        waiting.into_iter().map(|(_, id)| id).collect()
    }

    /// The highest number of a job so far, even if its files were lost or cannot be read: a number
    /// is not given twice.
    fn last(&self, shared: &OwnerContext) -> u32 {
        let loaded = self.jobs.keys().rfind(|id| **id < command::FIRST);
        let files = jobs::last_number(shared.project.root());
        let last = loaded.copied().unwrap_or_default().max(files);
        last.max(shared.items.pictures().last_job())
    }

    fn state(&self, entry: &Entry) -> JobState {
        let id = entry.live.header.id;
        let place = self.order().iter().position(|other| *other == id);
        entry
            .live
            .state(&*entry.job, place.map_or(0, |at| at as u32 + 1))
    }

    /// Announces the state of a job. Progress is throttled unless `always` is set.
    fn tell(&mut self, shared: &OwnerContext, id: u32, always: bool) {
        if self
            .jobs
            .get_mut(&id)
            .is_some_and(|e| e.live.is_due(always))
        {
            let state = self.jobs.get(&id).map(|entry| self.state(entry));
            state
                .into_iter()
                .for_each(|state| shared.broadcast.send(Event::Job(Box::new(state))));
        }
    }

    /// Saves a job if it differs from its file. A failure is logged; it affects only what is shown
    /// after a restart.
    fn keep(&mut self, shared: &OwnerContext, id: u32) {
        let Some(entry) = self.jobs.get_mut(&id) else {
            return;
        };
        if let Err(problem) = entry.save(shared) {
            super::log::write(format_args!("cannot save job {id}: {problem}"));
        }
    }
}

impl Entry {
    /// Writes the job file, unless it has this state already.
    fn save(&mut self, shared: &OwnerContext) -> Result<()> {
        let now = (self.live.header.clone(), self.job.spec());
        if self.job.command().is_some() || self.live.written.as_ref() == Some(&now) {
            return Ok(());
        }
        jobs::write_state(shared.project.root(), &now.0, &now.1)?;
        self.live.written = Some(now);
        Ok(())
    }
}
