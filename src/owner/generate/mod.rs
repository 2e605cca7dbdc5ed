//! Generation jobs.
//!
//! [`JobQueue`] holds the jobs and handles requests about them. Each device in use has one thread
//! ([`runner`]), which works on the first job in the queue, batch by batch. A new order, a pause,
//! or a requested picture takes effect at the next batch. The remaining work follows from the plan
//! and the picture journal, so an interrupted job continues where the journal ends.

mod control;
mod runner;
mod runtime;
mod session;
mod start;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

pub use control::{act, failures, pictures_of_item, request_picture};
pub use runtime::JobRuntime;
pub use start::begin;

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
use benchtop_store::damaged_pictures::Damaged;
use benchtop_store::jobs;
use benchtop_store::jobs::Job;
use benchtop_store::present_pictures::Present;
use benchtop_store::trust::JobKind;

/// Builds a generator.
pub type GeneratorFactory =
    Box<dyn Fn(&Config, &GenerationOverrides) -> Result<Box<dyn ImageGenerator>> + Send + Sync>;

/// The jobs of an owner.
pub struct JobQueue {
    maker: GeneratorFactory,
    inner: Mutex<Inner>,
    wake: Condvar,
    named: Mutex<Option<Arc<RequestedImages>>>,
    states: Mutex<Option<States>>,
    present: Mutex<Present>,
    /// The files whose bytes differ from the recorded hash, as far as they were checked.
    damaged: Mutex<Damaged>,
    /// Version counter of `states`, to detect outdated lists.
    found: AtomicU64,
}

/// The picture states of all items, with what they were computed from.
type States = (
    Arc<RequestedImages>,
    usize,
    u64,
    HashSet<u64>,
    PictureStates,
);

/// The state of each item's picture, with a number that changes when files are added or removed.
pub type PictureStates = (u64, Arc<Vec<PictureState>>);

/// The state behind the lock. Its holder may write files of jobs and use sled, but takes no other
/// lock of the owner.
#[derive(Default)]
struct Inner {
    jobs: BTreeMap<u32, JobRuntime>,
    /// Rows of items whose pictures were requested, latest request first.
    wants: VecDeque<u32>,
    /// Devices that have a thread.
    running: BTreeSet<String>,
    threads: Vec<JoinHandle<()>>,
    /// Whether the stored jobs are loaded.
    loaded: bool,
    ended: bool,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl JobQueue {
    /// A queue without jobs. `maker` builds its generators.
    pub fn new(maker: GeneratorFactory) -> JobQueue {
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

    /// Waits until the stored jobs are loaded.
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
            Err(Error::new(
                ErrorKind::Unreachable,
                "the owner is shutting down",
            ))
        }
    }

    /// The pictures that the items currently request. `wanted` returns whether to continue reading.
    ///
    /// # Errors
    /// [`ErrorKind::Corrupt`] if the texts are damaged; [`ErrorKind::Cancelled`].
    pub fn requested_images(
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

    /// The number of these rows whose picture is a draft.
    ///
    /// # Errors
    /// Same as [`states`](Self::states).
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

    /// The state of each item's picture. Recomputed when pictures were made or picture files added
    /// or removed. If `broken` is set, the files are checked against their hashes.
    ///
    /// # Errors
    /// Same as [`named`](Self::named), and I/O errors.
    pub fn states(
        &self,
        shared: &OwnerContext,
        broken: bool,
        wanted: &dyn Fn() -> bool,
    ) -> Result<PictureStates> {
        let named = self.requested_images(shared, wanted)?;
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

    /// Rows of items that have a picture whose file is missing.
    ///
    /// # Errors
    /// Same as [`states`](Self::states).
    pub fn rows_with_missing_files(
        &self,
        shared: &OwnerContext,
        wanted: &dyn Fn() -> bool,
    ) -> Result<Vec<u32>> {
        let named = self.requested_images(shared, wanted)?;
        let mut present = lock(&self.present);
        present.refresh(&shared.project.images(), named.links())?;
        Ok(named.gone(&shared.items.pictures(), &present))
    }

    /// Whether the owner is shutting down.
    pub fn is_ending(&self) -> bool {
        self.inner().ended
    }

    /// All jobs: first the active ones in queue order, then the ended ones, latest first.
    ///
    /// # Errors
    /// [`ErrorKind::Unreachable`] if the owner is shutting down.
    pub fn list(&self) -> Result<Vec<JobState>> {
        let inner = self.loaded()?;
        let over = inner
            .jobs
            .values()
            .rev()
            .filter(|j| j.job.standing.is_finished());
        Ok(inner
            .order()
            .iter()
            .filter_map(|id| inner.jobs.get(id))
            .chain(over)
            .map(|j| inner.state(j))
            .collect())
    }

    /// The highest job ID ever used, including jobs whose files cannot be read.
    ///
    /// # Errors
    /// [`ErrorKind::Unreachable`] if the owner is shutting down.
    pub fn last(&self, shared: &OwnerContext) -> Result<u32> {
        let loaded = self.loaded()?.jobs.keys().max().copied();
        let files = disk::last_number(&jobs::folder(shared.project.root()));
        let last = loaded.unwrap_or_default().max(files);
        Ok(last.max(shared.items.pictures().last_job()))
    }

    /// Whether a job waits for an agreement.
    pub fn waits_for_consent(&self, id: u32) -> bool {
        self.inner()
            .jobs
            .get(&id)
            .is_some_and(|live| live.waits.is_some())
    }

    /// Stops all work and waits for it. Pictures that were made but not recorded are made again.
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
    /// The IDs of jobs that have not ended, in queue order.
    fn order(&self) -> Vec<u32> {
        let mut live: Vec<&JobRuntime> = self
            .jobs
            .values()
            .filter(|j| !j.job.standing.is_finished())
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

    /// Publishes the state of a job. Progress is throttled unless `always` is set.
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

/// Loads the stored jobs and continues those that were active and that this user started here. The
/// others wait for an agreement: a project from someone else must not send anything when it is
/// opened.
pub fn start(shared: &Arc<OwnerContext>) {
    let owner = shared.clone();
    let work = move || {
        let listed = jobs::list(owner.project.root());
        let (stored, problems) = listed.unwrap_or_else(|problem| (Vec::new(), vec![problem]));
        for problem in problems {
            owner
                .broadcast
                .notices()
                .push(format!("a job cannot be read: {problem}"));
        }
        // The index may still be opening: it is not waited for under the lock.
        let ended: Vec<_> = stored
            .iter()
            .map(|stored| ended(&owner, &stored.job))
            .collect();
        let known = Known::read(&owner);
        let mut inner = owner.desk.inner();
        for (mut stored, ended) in stored.into_iter().zip(ended) {
            let is_live = stored.job.standing.is_active();
            if stored.job.standing == JobStatus::Running {
                stored.job.standing = JobStatus::Queued;
            }
            let mut live = JobRuntime::new(stored);
            let id = live.job.id;
            live.ended = ended;
            live.done = owner.items.pictures().of_job(id);
            let digest = trust::digest_of_generation(&owner.config(), &live.job, &live.numbers());
            let is_own = known.has(JobKind::Generation, id, live.token.as_deref(), &digest);
            if is_live && !is_own {
                live.pause_for_agreement(&owner);
            } else {
                live.update_waits(&owner);
            }
            inner.jobs.insert(id, live);
        }
        inner.loaded = true;
        if owner.writable.closed.is_none() {
            if inner.jobs.values().any(|j| j.job.standing.is_active()) {
                sweep(&owner);
            }
            wake(&owner, &mut inner);
        }
        owner.desk.wake.notify_all();
    };
    let started = std::thread::Builder::new().name("jobs".into()).spawn(work);
    match started {
        Ok(thread) => shared.desk.inner().threads.push(thread),
        Err(error) => shared
            .broadcast
            .notices()
            .push(format!("cannot start jobs: {error}")),
    }
}

/// How often an owner died while it made each picture of a job.
fn ended(owner: &OwnerContext, job: &Job) -> HashMap<(u64, u32), u32> {
    if job.standing.is_finished() || owner.writable.closed.is_some() {
        return HashMap::new();
    }
    let noted = owner.index.get().and_then(|index| index.flight(job.id));
    let once_more = |f: jobs::Flight| ((f.key, f.sample), f.ends + 1);
    noted
        .unwrap_or_default()
        .into_iter()
        .map(once_more)
        .collect()
}

/// Removes partially written pictures of a crashed owner.
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

/// Starts a thread for each device that has an active job.
fn wake(shared: &Arc<OwnerContext>, inner: &mut Inner) {
    if inner.ended {
        return;
    }
    let config = &*shared.config();
    let live: BTreeSet<String> = inner
        .jobs
        .values()
        .filter(|j| j.job.standing.is_active())
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
                    .push(format!("cannot start a job: {error}"));
            }
        }
    }
    shared.desk.wake.notify_all();
}
