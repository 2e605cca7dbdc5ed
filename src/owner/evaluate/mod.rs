//! Evaluations: who asks which model what, and how far they are.
//!
//! [`Evaluations`] holds the runs and answers for them; one thread ([`work`]) asks for one run after the other. What is
//! left of a run follows from its journal of answers, so that one that was cut off goes on where that ends; once a run is
//! over its answers are predictions of the project.

mod act;
mod begin;
mod judge;
mod runtime;
mod similarity;
mod work;

use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

pub use act::{act, failures};
pub use begin::begin;
pub use judge::judge_all;
use runtime::JobRuntime;
pub use similarity::{Scores, compare_all, edition};

use super::context::OwnerContext;
use super::priority::lower_thread_priority;
use super::trust::{self, Known};
use benchtop_inference::http::chat::ChatModel;
use benchtop_inference::vlm::VisionLanguageModel;
use benchtop_model::evaluation::NewRun;
use benchtop_model::job::{JobState, JobStatus};
use benchtop_model::{Error, ErrorKind, Result};
use benchtop_protocol::wire::Event;
use benchtop_store::runs::{self, Run};
use benchtop_store::trust::JobKind;

/// Builds what answers.
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

/// What the lock guards. Whoever holds it asks for no other lock of the owner.
#[derive(Default)]
struct Inner {
    runs: BTreeMap<u32, JobRuntime>,
    thread: Option<JoinHandle<()>>,
    /// The run that the thread is at, also one that was paused or given up a moment ago.
    at_work: Option<u32>,
    ended: bool,
}

impl Default for Evaluations {
    fn default() -> Self {
        Evaluations::new(Box::new(|new| {
            Ok(Box::new(ChatModel::new(&begin::table(new)?)?))
        }))
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn none(id: u32) -> Error {
    Error::new(ErrorKind::NotFound, format!("there is no job {id}"))
        .help("`benchtop jobs` lists them")
}

impl Evaluations {
    /// None yet; `maker` builds what answers.
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

    /// Held while a job of any kind gets its number.
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

    /// The last number that a run has.
    pub fn last(&self) -> u32 {
        self.inner().runs.keys().max().copied().unwrap_or_default()
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

    /// Ends all work and waits for it. A question in flight is asked again by the next owner.
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
    /// Runs that are not over, by turn.
    fn order(&self) -> Vec<u32> {
        let mut live: Vec<&JobRuntime> = self
            .runs
            .values()
            .filter(|r| !r.run.standing.over())
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

    /// Tells everybody how a run is; a mere step forward not too often.
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

    /// Writes down how a run stands; a failure is told and harms only what is shown after the next start.
    fn keep(&self, shared: &OwnerContext, id: u32) {
        let kept = self
            .runs
            .get(&id)
            .map_or(Ok(()), |live| runs::keep(shared.project.root(), &live.run));
        if let Err(problem) = kept {
            crate::log::write(format_args!("an evaluation could not be kept: {problem}"));
        }
    }

    /// The run that is to be worked on next: one that waits for its turn, or one whose answers are to be brought in.
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

/// Jobs of all kinds: those that are not over, then the others, the last begun first.
pub fn with_runs(shared: &OwnerContext, jobs: Vec<JobState>) -> Vec<JobState> {
    let inner = shared.evaluations.inner();
    let order = inner.order();
    let mine = order.iter().filter_map(|id| inner.state_of(*id));
    let mine_over = inner
        .runs
        .values()
        .filter(|live| live.run.standing.over())
        .map(|live| inner.state(live));
    let (mut over, mut all): (Vec<JobState>, Vec<JobState>) =
        jobs.into_iter().partition(|j| j.standing.over());
    over.extend(mine_over);
    over.sort_by_key(|job| std::cmp::Reverse((job.created, job.id)));
    all.extend(mine);
    all.extend(over);
    all
}

/// Loads the stored runs, and goes on with those that were under way and that this person began here. The others wait: a
/// project from somebody else must send nothing when it is opened.
pub fn start(shared: &Arc<OwnerContext>) {
    let (stored, problems) = match runs::list(shared.project.root()) {
        Ok(found) => found,
        Err(problem) => (Vec::new(), vec![problem]),
    };
    shared.broadcast.notices().extend(
        problems
            .iter()
            .map(|p| format!("an evaluation cannot be read: {p}")),
    );
    let known = Known::read(shared);
    let mut inner = shared.evaluations.inner();
    for mut run in stored {
        let is_live = run.standing.live();
        let is_ours = is_live && is_ours(shared, &known, &run);
        if run.standing == JobStatus::Running {
            run.standing = JobStatus::Queued;
        }
        let mut live = JobRuntime::new(run);
        if is_live && !is_ours {
            live.wait(shared);
        } else {
            live.look(shared);
        }
        inner.runs.insert(live.run.id, live);
    }
    wake(shared, &mut inner);
}

/// Whether this person began the run here, and it is as it was then.
fn is_ours(shared: &OwnerContext, known: &Known, run: &Run) -> bool {
    let digest = runs::numbers(shared.project.root(), run)
        .map(|numbers| trust::digest_of_run(run, &numbers));
    digest.is_ok_and(|digest| known.has(JobKind::Run, run.id, run.token.as_deref(), &digest))
}

/// Sees to it that a run that waits has a thread.
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
                crate::log::write(format_args!("an evaluation could not be started: {error}"))
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
                    // The owner stays while a run waits for its servers.
                    let is_waiting = inner.runs.values().any(JobRuntime::waits_for_servers);
                    let _counted = is_waiting.then(|| shared.activity.count_job());
                    let waited = desk.wake.wait_timeout(inner, Duration::from_millis(200));
                    let (mut inner, _) = waited.unwrap_or_else(PoisonError::into_inner);
                    if inner.next().is_none() && !is_waiting && !inner.ended {
                        // Under the lock that `wake` holds: it sees that nobody works any more.
                        inner.thread = None;
                        return;
                    }
                    continue;
                }
            }
        };
        // The owner stays while a run is at work.
        let _counted = shared.activity.count_job();
        let did = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| work::turn(shared, id)));
        let did =
            did.unwrap_or_else(|_| Err(Error::new(ErrorKind::Io, "the work on a batch panicked")));
        let mut inner = desk.inner();
        inner.at_work = None;
        if let (Some(live), Err(problem)) = (inner.runs.get_mut(&id), did) {
            live.stop(&problem);
            live.look(shared);
        }
        if inner
            .runs
            .get(&id)
            .is_some_and(|live| !live.run.standing.live())
        {
            trust::end(shared, JobKind::Run, id);
        }
        inner.keep(shared, id);
        inner.tell(shared, id, true);
    }
}
