//! Evaluations: runs of models on the questions of a project.
//!
//! [`Evaluations`] holds the runs and handles requests about them. One thread ([`work`]) works on
//! one run after the other. A run's progress follows from its journal of answers, so an interrupted
//! run continues from there. When a run has ended, its answers become predictions of the project.

mod control;
mod judge;
mod runtime;
mod similarity;
mod start;
mod work;

use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

pub use control::{act, failures};
pub use judge::judge_all;
use runtime::JobRuntime;
pub use similarity::{Scores, compare_all, edition};
pub use start::begin;

use super::context::OwnerContext;
use super::priority::lower_thread_priority;
use super::trust::{self, Known};
use benchtop_files::disk;
use benchtop_inference::http::chat::ChatModel;
use benchtop_inference::vlm::VisionLanguageModel;
use benchtop_model::evaluation::NewRun;
use benchtop_model::job::{JobState, JobStatus};
use benchtop_model::{Error, ErrorKind, Result};
use benchtop_protocol::wire::Event;
use benchtop_store::runs::{self, Run};
use benchtop_store::trust::JobKind;

/// Builds the client of a model.
pub type Maker = Box<dyn Fn(&NewRun) -> Result<Box<dyn VisionLanguageModel>> + Send + Sync>;

/// The evaluations of an owner.
pub struct Evaluations {
    maker: Maker,
    inner: Mutex<Inner>,
    wake: Condvar,
    numbers: Mutex<()>,
    comparing: Mutex<()>,
    judging: Mutex<()>,
}

/// The state behind the lock. Its holder takes no other lock of the owner.
#[derive(Default)]
struct Inner {
    runs: BTreeMap<u32, JobRuntime>,
    thread: Option<JoinHandle<()>>,
    /// The run that the thread works on, even if it was just paused or canceled.
    at_work: Option<u32>,
    ended: bool,
}

impl Default for Evaluations {
    fn default() -> Self {
        Evaluations::new(Box::new(|new| {
            Ok(Box::new(ChatModel::new(&start::table(new)?)?))
        }))
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn none(id: u32) -> Error {
    Error::new(ErrorKind::NotFound, format!("unknown job {id}"))
        .help("run `benchtop jobs` to list the jobs")
}

impl Evaluations {
    /// Creates it without runs. `maker` builds the client of a model.
    pub fn new(maker: Maker) -> Evaluations {
        Evaluations {
            maker,
            inner: Mutex::default(),
            wake: Condvar::new(),
            numbers: Mutex::default(),
            comparing: Mutex::default(),
            judging: Mutex::default(),
        }
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        lock(&self.inner)
    }

    /// Held while any job gets its number.
    pub fn numbering(&self) -> MutexGuard<'_, ()> {
        lock(&self.numbers)
    }

    /// Held while free-form answers are compared.
    fn comparing(&self) -> MutexGuard<'_, ()> {
        lock(&self.comparing)
    }

    /// Held while a judge is asked.
    fn judging(&self) -> MutexGuard<'_, ()> {
        lock(&self.judging)
    }

    /// The highest number of a run, including runs whose file cannot be read.
    pub fn last(&self, shared: &OwnerContext) -> u32 {
        let loaded = self.inner().runs.keys().max().copied();
        let files = disk::last_number(&runs::folder(shared.project.root()));
        loaded.unwrap_or_default().max(files)
    }

    /// Whether this is the number of a run.
    pub fn has(&self, id: u32) -> bool {
        self.inner().runs.contains_key(&id)
    }

    /// Whether a run waits for an agreement.
    pub fn does_wait(&self, id: u32) -> bool {
        self.inner()
            .runs
            .get(&id)
            .is_some_and(|live| live.waits.is_some())
    }

    /// Stops all work and waits for it. The next owner repeats requests in flight.
    pub fn end(&self) {
        let thread = {
            let mut inner = self.inner();
            inner.ended = true;
            inner.thread.take()
        };
        self.wake.notify_all();
        thread.into_iter().for_each(|thread| drop(thread.join()));
    }
}

impl Inner {
    /// The runs that have not ended, in queue order.
    fn order(&self) -> Vec<u32> {
        let mut live: Vec<&JobRuntime> = self
            .runs
            .values()
            .filter(|r| !r.run.standing.is_finished())
            .collect();
        live.sort_by_key(|r| (r.run.turn, r.run.id));
        live.iter().map(|r| r.run.id).collect()
    }

    fn state(&self, live: &JobRuntime) -> JobState {
        let place = self
            .order()
            .iter()
            .position(|id| *id == live.run.id)
            .map_or(0, |at| at as u32 + 1);
        live.state(place)
    }

    fn state_of(&self, id: u32) -> Option<JobState> {
        self.runs.get(&id).map(|live| self.state(live))
    }

    /// Sends the state of a run to all clients. Progress alone is sent at limited intervals.
    fn tell(&mut self, shared: &OwnerContext, id: u32, always: bool) {
        if self
            .runs
            .get_mut(&id)
            .is_some_and(|live| live.is_due(always))
        {
            self.state_of(id)
                .into_iter()
                .for_each(|state| shared.broadcast.tell(Event::Job(Box::new(state))));
        }
    }

    /// Saves the state of a run. A failure is logged; it affects only what is shown after a
    /// restart.
    fn keep(&self, shared: &OwnerContext, id: u32) {
        let kept = self
            .runs
            .get(&id)
            .map_or(Ok(()), |live| runs::keep(shared.project.root(), &live.run));
        if let Err(problem) = kept {
            crate::log::write(format_args!("cannot save an evaluation: {problem}"));
        }
    }

    /// The next run to work on: a queued one, or one whose answers must be published.
    fn next(&self) -> Option<u32> {
        let queued = |id: &u32| {
            self.runs.get(id).is_some_and(|live| {
                live.run.standing == JobStatus::Queued && !live.waits_for_servers()
            })
        };
        let found = self.order().into_iter().find(queued);
        found.or_else(|| {
            self.runs
                .values()
                .find(|live| live.is_to_be_adopted())
                .map(|live| live.run.id)
        })
    }
}

/// Jobs of all kinds: active ones first, then ended ones, latest first.
pub fn with_runs(shared: &OwnerContext, jobs: Vec<JobState>) -> Vec<JobState> {
    let inner = shared.evaluations.inner();
    let order = inner.order();
    let mine = order.iter().filter_map(|id| inner.state_of(*id));
    let mine_over = inner
        .runs
        .values()
        .filter(|live| live.run.standing.is_finished())
        .map(|live| inner.state(live));
    let (mut over, mut all): (Vec<JobState>, Vec<JobState>) =
        jobs.into_iter().partition(|j| j.standing.is_finished());
    over.extend(mine_over);
    over.sort_by_key(|job| std::cmp::Reverse((job.created, job.id)));
    all.extend(mine);
    all.extend(over);
    all
}

/// Loads the stored runs and continues those that this user started here. Others wait, because
/// opening somebody else's project must not send anything.
pub fn start(shared: &Arc<OwnerContext>) {
    let (stored, problems) = match runs::list(shared.project.root()) {
        Ok(found) => found,
        Err(problem) => (Vec::new(), vec![problem]),
    };
    shared.broadcast.notices().extend(
        problems
            .iter()
            .map(|p| format!("cannot read an evaluation: {p}")),
    );
    let known = Known::read(shared);
    let mut inner = shared.evaluations.inner();
    for mut run in stored {
        let is_live = run.standing.is_active();
        let is_ours = is_live && is_ours(shared, &known, &run);
        if run.standing == JobStatus::Running {
            run.standing = JobStatus::Queued;
        }
        let mut live = JobRuntime::new(run);
        if is_live && !is_ours {
            live.pause_for_agreement(shared);
        } else {
            live.update_waits(shared);
        }
        inner.runs.insert(live.run.id, live);
    }
    wake(shared, &mut inner);
}

/// Whether this user started the run here, and it has not changed since.
fn is_ours(shared: &OwnerContext, known: &Known, run: &Run) -> bool {
    let digest = runs::numbers(shared.project.root(), run)
        .map(|numbers| trust::digest_of_run(run, &numbers));
    digest.is_ok_and(|digest| known.has(JobKind::Run, run.id, run.token.as_deref(), &digest))
}

/// Starts the thread if there is work.
fn wake(shared: &Arc<OwnerContext>, inner: &mut Inner) {
    if shared.writable.closed.is_some() {
        return;
    }
    let works = inner.thread.as_ref().is_some_and(|t| !t.is_finished());
    if inner.next().is_some() && !works && !inner.ended {
        let owner = shared.clone();
        let work = move || {
            lower_thread_priority();
            run(&owner);
        };
        match std::thread::Builder::new()
            .name("evaluate".into())
            .spawn(work)
        {
            Ok(thread) => inner.thread = Some(thread),
            Err(error) => {
                crate::log::write(format_args!("cannot start the evaluation thread: {error}"))
            }
        }
    }
    shared.evaluations.wake.notify_all();
}

/// Works until there is nothing to do for a while, or the owner ends.
fn run(shared: &Arc<OwnerContext>) {
    let desk = &shared.evaluations;
    loop {
        let id = {
            let mut inner = desk.inner();
            if inner.ended {
                return;
            }
            match inner.next() {
                Some(id) => {
                    inner.at_work = Some(id);
                    id
                }
                None => {
                    // The owner keeps running while a run waits for its servers.
                    let is_waiting = inner.runs.values().any(JobRuntime::waits_for_servers);
                    let _counted = is_waiting.then(|| shared.activity.count_job());
                    let waited = desk.wake.wait_timeout(inner, Duration::from_millis(200));
                    let (mut inner, _) = waited.unwrap_or_else(PoisonError::into_inner);
                    if inner.next().is_none() && !is_waiting && !inner.ended {
                        // Cleared under the lock that `wake` takes, so it sees that no thread is
                        // running.
                        inner.thread = None;
                        return;
                    }
                    continue;
                }
            }
        };
        // The owner keeps running while a run is being worked on.
        let _counted = shared.activity.count_job();
        let outcome =
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| work::turn(shared, id)));
        let outcome = outcome.unwrap_or_else(|_| {
            Err(Error::new(
                ErrorKind::Io,
                "internal error: the evaluation thread panicked",
            ))
        });
        let mut inner = desk.inner();
        inner.at_work = None;
        if let (Some(live), Err(problem)) = (inner.runs.get_mut(&id), outcome) {
            live.stop(&problem);
            live.update_waits(shared);
        }
        if inner
            .runs
            .get(&id)
            .is_some_and(|live| !live.run.standing.is_active())
        {
            trust::end(shared, JobKind::Run, id);
        }
        inner.keep(shared, id);
        inner.tell(shared, id, true);
    }
}
