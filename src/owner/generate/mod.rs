//! Generation jobs: who makes which picture when.
//!
//! [`JobQueue`] holds the jobs and answers for them; for each device that jobs ask for there is one thread ([`runner`])
//! that takes the first job in its turn, batch by batch, so that another order, a pause or a picture that somebody waits
//! for takes effect at the next batch. What is left to do is worked out from the plan and the picture journal; a job that
//! was cut off goes on where the journal ends.

mod act;
mod begin;
mod runner;
mod runtime;
mod session;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet, HashSet, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

pub use act::{act, failures, made, want};
pub use begin::begin;
pub use runtime::JobRuntime;

use super::context::OwnerContext;
use super::priority::lower_thread_priority;
use super::trust::{self, Known};
use benchtop_files::disk;
use benchtop_inference::ImageGenerator;
use benchtop_model::config::Config;
use benchtop_model::generated_image::PictureState;
use benchtop_model::job::{GenerationOverrides, JobState, JobStatus};
use benchtop_model::{Error, ErrorKind, Result};
use benchtop_pipeline::generate::image_index::RequestedImages;
use benchtop_protocol::wire::Event;
use benchtop_store::damaged::Damaged;
use benchtop_store::jobs::Job;
use benchtop_store::present::Present;
use benchtop_store::trust::JobKind;

/// Builds a generator.
pub type Maker =
    Box<dyn Fn(&Config, &GenerationOverrides) -> Result<Box<dyn ImageGenerator>> + Send + Sync>;

/// The jobs of an owner.
pub struct JobQueue {
    maker: Maker,
    inner: Mutex<Inner>,
    wake: Condvar,
    named: Mutex<Option<Arc<RequestedImages>>>,
    states: Mutex<Option<States>>,
    present: Mutex<Present>,
    /// Which files hold other bytes than were recorded, as far as somebody asked.
    damaged: Mutex<Damaged>,
    /// Counts what was found of pictures, so that lists made from it are told apart.
    found: AtomicU64,
}

/// What items' pictures are, with what it was found from.
type States = (
    Arc<RequestedImages>,
    usize,
    u64,
    HashSet<u64>,
    PictureStates,
);

/// What each item's picture is, with a number that is another one once files came or went.
pub type PictureStates = (u64, Arc<Vec<PictureState>>);

/// What the desk's lock guards. Whoever holds it may ask sled, and asks for no other lock of the owner.
#[derive(Default)]
struct Inner {
    jobs: BTreeMap<u32, JobRuntime>,
    /// Rows of items whose pictures somebody waits for, the last to ask first.
    wants: VecDeque<u32>,
    /// Devices that have a thread.
    running: BTreeSet<String>,
    threads: Vec<JoinHandle<()>>,
    /// The stored jobs are here.
    loaded: bool,
    ended: bool,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl JobQueue {
    /// A desk without jobs, whose generators `maker` builds.
    pub fn new(maker: Maker) -> JobQueue {
        JobQueue {
            maker,
            inner: Mutex::default(),
            wake: Condvar::new(),
            named: Mutex::default(),
            states: Mutex::default(),
            present: Mutex::default(),
            damaged: Mutex::default(),
            found: AtomicU64::new(0),
        }
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        lock(&self.inner)
    }

    /// The jobs, once those that are stored are here.
    fn loaded(&self) -> Result<MutexGuard<'_, Inner>> {
        let mut inner = self.inner();
        while !inner.loaded && !inner.ended {
            inner = self
                .wake
                .wait(inner)
                .unwrap_or_else(PoisonError::into_inner);
        }
        if inner.loaded {
            Ok(inner)
        } else {
            Err(Error::new(ErrorKind::Unreachable, "the owner is ending"))
        }
    }

    /// The pictures that items name now; `wanted` says whether to go on reading.
    ///
    /// # Errors
    /// [`ErrorKind::Corrupt`] when the texts are damaged, and [`ErrorKind::Cancelled`].
    pub fn named(
        &self,
        shared: &OwnerContext,
        wanted: &dyn Fn() -> bool,
    ) -> Result<Arc<RequestedImages>> {
        let mut held = lock(&self.named);
        let catalog = shared.items.catalog();
        if let Some(named) = held.as_ref().filter(|n| n.edition == catalog.edition()) {
            return Ok(named.clone());
        }
        let named = Arc::new(RequestedImages::read(&catalog, wanted)?);
        *held = Some(named.clone());
        Ok(named)
    }

    /// How many of these rows show a draft.
    ///
    /// # Errors
    /// As [`states`](Self::states).
    pub fn drafts(
        &self,
        shared: &OwnerContext,
        rows: impl Iterator<Item = u32>,
        wanted: &dyn Fn() -> bool,
    ) -> Result<u64> {
        let (_, states) = self.states(shared, false, wanted)?;
        Ok(rows
            .filter(|row| states.get(*row as usize) == Some(&PictureState::Draft))
            .count() as u64)
    }

    /// What each item's picture is; found anew once pictures were made, or files of pictures came or went. With `broken` their
    /// files are held against their hashes.
    ///
    /// # Errors
    /// As [`named`](Self::named), and the operating system's.
    pub fn states(
        &self,
        shared: &OwnerContext,
        broken: bool,
        wanted: &dyn Fn() -> bool,
    ) -> Result<PictureStates> {
        let named = self.named(shared, wanted)?;
        let damaged = match broken {
            true => lock(&self.damaged).find(&shared.project.images(), named.links(), wanted)?,
            false => HashSet::new(),
        };
        let mut present = lock(&self.present);
        let edition = present.refresh(&shared.project.images(), named.links())?;
        let mut held = lock(&self.states);
        let made = shared.items.pictures();
        let same = |(of, n, e, bad, _): &&States| {
            Arc::ptr_eq(of, &named) && *n == made.len() && *e == edition && *bad == damaged
        };
        if let Some((.., states)) = held.as_ref().filter(same) {
            return Ok(states.clone());
        }
        let number = self.found.fetch_add(1, Ordering::Relaxed) + 1;
        let states = (
            number,
            Arc::new(named.states(&made, Some(&present), &damaged)),
        );
        *held = Some((named, made.len(), edition, damaged, states.clone()));
        Ok(states)
    }

    /// Rows of items that have a picture whose file is gone.
    ///
    /// # Errors
    /// As [`states`](Self::states).
    pub fn gone(&self, shared: &OwnerContext, wanted: &dyn Fn() -> bool) -> Result<Vec<u32>> {
        let named = self.named(shared, wanted)?;
        let mut present = lock(&self.present);
        present.refresh(&shared.project.images(), named.links())?;
        Ok(named.gone(&shared.items.pictures(), &present))
    }

    /// Whether the owner is ending.
    pub fn is_ending(&self) -> bool {
        self.inner().ended
    }

    /// All jobs: those that are not over in their order, then the others, the last begun first.
    ///
    /// # Errors
    /// When the owner is ending.
    pub fn list(&self) -> Result<Vec<JobState>> {
        let inner = self.loaded()?;
        let over = inner.jobs.values().rev().filter(|j| j.job.standing.over());
        Ok(inner
            .order()
            .iter()
            .filter_map(|id| inner.jobs.get(id))
            .chain(over)
            .map(|j| inner.state(j))
            .collect())
    }

    /// The last number that a job has or had.
    ///
    /// # Errors
    /// When the owner is ending.
    pub fn last(&self, shared: &OwnerContext) -> Result<u32> {
        let last = self
            .loaded()?
            .jobs
            .keys()
            .max()
            .copied()
            .unwrap_or_default();
        Ok(last.max(shared.items.pictures().last_job()))
    }

    /// Whether a job waits for an agreement.
    pub fn does_wait(&self, id: u32) -> bool {
        self.inner()
            .jobs
            .get(&id)
            .is_some_and(|live| live.waits.is_some())
    }

    /// Ends all work and waits for it. What is made and not recorded is made again.
    pub fn end(&self) {
        let threads = {
            let mut inner = self.inner();
            inner.ended = true;
            std::mem::take(&mut inner.threads)
        };
        self.wake.notify_all();
        threads.into_iter().for_each(|thread| drop(thread.join()));
    }
}

impl Inner {
    /// Jobs that are not over, by turn.
    fn order(&self) -> Vec<u32> {
        let mut live: Vec<&JobRuntime> = self
            .jobs
            .values()
            .filter(|j| !j.job.standing.over())
            .collect();
        live.sort_by_key(|j| (j.job.turn, j.job.id));
        live.iter().map(|j| j.job.id).collect()
    }

    fn state(&self, live: &JobRuntime) -> JobState {
        let place = self
            .order()
            .iter()
            .position(|id| *id == live.job.id)
            .map_or(0, |at| at as u32 + 1);
        live.state(place)
    }

    /// Tells everybody how a job is; a mere step forward not too often.
    fn tell(&mut self, shared: &OwnerContext, id: u32, always: bool) {
        let Some(live) = self.jobs.get_mut(&id) else {
            return;
        };
        if live.is_due(always) {
            let state = self.jobs.get(&id).map(|live| self.state(live));
            state
                .into_iter()
                .for_each(|state| shared.broadcast.tell(Event::Job(Box::new(state))));
        }
    }
}

/// Loads the stored jobs, and goes on with those that were under way and that this person began here. The others wait: a
/// project from somebody else must send nothing when it is opened.
pub fn start(shared: &Arc<OwnerContext>) {
    let owner = shared.clone();
    let work = move || {
        if owner.writable.closed.is_some() {
            // They are kept in the store, which is not opened; nothing goes on anyway.
            owner.desk.inner().loaded = true;
            owner.desk.wake.notify_all();
            return;
        }
        let stored = owner.index.get().and_then(|index| {
            let with = |job: Job| {
                let id = job.id;
                let token = index.job_token(id).unwrap_or_default();
                Ok((
                    index.job_items(id)?,
                    index.failed(id)?,
                    index.flight(id)?,
                    token,
                    job,
                ))
            };
            index
                .jobs()?
                .into_iter()
                .map(with)
                .collect::<Result<Vec<_>>>()
        });
        let known = Known::read(&owner);
        let mut inner = owner.desk.inner();
        match stored {
            Ok(stored) => {
                for (numbers, failed, flight, token, mut job) in stored {
                    let is_live = job.standing.live();
                    if job.standing == JobStatus::Running {
                        job.standing = JobStatus::Queued;
                    }
                    let mut live = JobRuntime::new(job, numbers);
                    live.failed = failed
                        .into_iter()
                        .map(|f| ((f.key, f.failure.sample), f))
                        .collect();
                    live.ended = flight
                        .into_iter()
                        .map(|f| ((f.key, f.sample), f.ends + 1))
                        .collect();
                    live.done = owner.items.pictures().of_job(live.job.id);
                    let digest =
                        trust::digest_of_generation(&owner.config(), &live.job, &live.numbers());
                    let is_ours =
                        known.has(JobKind::Generation, live.job.id, token.as_deref(), &digest);
                    if is_live && !is_ours {
                        live.wait(&owner);
                    } else {
                        live.look(&owner);
                    }
                    inner.jobs.insert(live.job.id, live);
                }
            }
            Err(problem) => owner
                .broadcast
                .notices()
                .push(format!("jobs cannot be read: {problem}")),
        }
        inner.loaded = true;
        if inner.jobs.values().any(|j| j.job.standing.live()) {
            sweep(&owner);
        }
        wake(&owner, &mut inner);
        owner.desk.wake.notify_all();
    };
    let started = std::thread::Builder::new().name("jobs".into()).spawn(work);
    match started {
        Ok(thread) => shared.desk.inner().threads.push(thread),
        Err(error) => shared
            .broadcast
            .notices()
            .push(format!("jobs cannot go on: {error}")),
    }
}

/// Removes what a killed owner left of pictures that it was writing.
fn sweep(shared: &OwnerContext) {
    for entry in std::fs::read_dir(shared.project.images())
        .into_iter()
        .flatten()
        .flatten()
    {
        if entry.file_type().is_ok_and(|t| t.is_dir()) {
            disk::sweep(&entry.path());
        }
    }
}

/// Sees to it that each device that a job waits for has a thread.
fn wake(shared: &Arc<OwnerContext>, inner: &mut Inner) {
    if inner.ended {
        return;
    }
    let config = &*shared.config();
    let live: BTreeSet<String> = inner
        .jobs
        .values()
        .filter(|j| j.job.standing.live())
        .map(|j| runner::device(config, &j.job.wishes))
        .collect();
    for device in live {
        if !inner.running.insert(device.clone()) {
            continue;
        }
        let (owner, theirs) = (shared.clone(), device.clone());
        let work = move || {
            lower_thread_priority();
            runner::run(&owner, &theirs);
        };
        let started = std::thread::Builder::new()
            .name("generate".into())
            .spawn(work);
        match started {
            Ok(thread) => {
                inner.threads.retain(|thread| !thread.is_finished());
                inner.threads.push(thread);
            }
            Err(error) => {
                inner.running.remove(&device);
                shared
                    .broadcast
                    .notices()
                    .push(format!("a job could not be started: {error}"));
            }
        }
    }
    shared.desk.wake.notify_all();
}
