//! Scoring jobs: one thread takes the first that is not over, batch by batch. What is left of a job is worked out from
//! the scores that there are, so that one that was cut off goes on where they end.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::{Scoring, lock, work};
use crate::context::OwnerContext;
use crate::outage::{outage_said, outage_wait};
use crate::priority::lower_thread_priority;
use crate::trust::{self, Known};
use benchtop_files::{disk, regular};
use benchtop_model::generated_image::check_drafts;
use benchtop_model::generation::NO_ENDPOINT;
use benchtop_model::scoring::Scorer;
use benchtop_model::scoring::job::{NewScoring, Phase, ScoringAct, ScoringState};
use benchtop_model::trust::Waits;
use benchtop_model::{Error, ErrorKind, Result};
use benchtop_protocol::wire::Event;
use benchtop_store::trust::JobKind;

/// What a judge is sent, in words.
const PICTURES: &str = "pictures or texts of items";
/// Jobs that are over and still shown.
const OVER: usize = 50;
/// The rate is over this long.
const WINDOW: Duration = Duration::from_secs(60);
/// Time between two words of progress.
const TELL_EVERY: Duration = Duration::from_millis(250);

/// What is stored of a job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Stored {
    pub(super) id: u32,
    pub(super) scorer: Scorer,
    pub(super) filter: String,
    pub(super) phase: Phase,
    /// What failed or could not be read is scored again.
    pub(super) retry: bool,
    /// Random text by which the person who began it here knows it again ([`benchtop_store::trust`]).
    #[serde(default)]
    pub(super) token: Option<String>,
    /// Inputs with a draft as their picture when it was begun.
    #[serde(default)]
    pub(super) drafts: u64,
}

/// A job.
pub(super) struct JobRuntime {
    pub(super) stored: Stored,
    pub(super) done: u64,
    pub(super) of: Option<u64>,
    pub(super) without: u64,
    pub(super) why: Option<String>,
    pub(super) device: String,
    pub(super) spent: Option<benchtop_pipeline::scoring::runner::Spent>,
    /// Nothing is begun before this moment.
    not_before: Option<Instant>,
    /// Times in a row that no server answered.
    outages: u32,
    /// It was under way when the project was opened, and this person did not begin it here.
    elsewhere: bool,
    /// What it would send, where it waits for an agreement.
    waits: Option<Box<Waits>>,
    came: VecDeque<(Instant, u64)>,
    told: Option<Instant>,
}

impl JobRuntime {
    fn new(stored: Stored) -> JobRuntime {
        JobRuntime {
            stored,
            done: 0,
            of: None,
            without: 0,
            why: None,
            device: String::new(),
            spent: None,
            not_before: None,
            outages: 0,
            elsewhere: false,
            waits: None,
            came: VecDeque::new(),
            told: None,
        }
    }

    /// Finds whether it waits for an agreement: where it is paused or blocked, and was begun elsewhere or sends what nobody
    /// has agreed to.
    fn look(&mut self, shared: &Arc<OwnerContext>) {
        self.waits = None;
        if matches!(self.stored.phase, Phase::Paused | Phase::Blocked) {
            let config = trust::as_it_is(shared).map(|project| project.config().clone());
            let to = config
                .and_then(|config| trust::of_scorer(&config, &self.stored.scorer))
                .unwrap_or_default();
            let left = self
                .of
                .unwrap_or(shared.items.catalog().len() as u64)
                .saturating_sub(self.done);
            self.waits = trust::waits(shared, self.elsewhere, &to, (left, PICTURES));
        }
    }

    pub(super) fn state(&self) -> ScoringState {
        let now = Instant::now();
        let recent = || {
            self.came
                .iter()
                .filter(|(at, _)| now.duration_since(*at) < WINDOW)
        };
        let per_minute = recent().next().and_then(|(first, of_first)| {
            let span = now.duration_since(*first).as_secs_f32();
            let scores: u64 = recent().map(|(_, n)| n).sum();
            // The first ones came before the span begins.
            (span >= 1.0).then(|| (scores - of_first) as f32 * 60.0 / span)
        });
        ScoringState {
            id: self.stored.id,
            scorer: self.stored.scorer.clone(),
            filter: self.stored.filter.clone(),
            phase: self.stored.phase,
            done: self.done,
            of: self.of,
            without: self.without,
            per_minute: per_minute.filter(|_| self.stored.phase == Phase::Running),
            why: self.why.clone(),
            device: self.device.clone(),
            tokens: self.spent.map(|s| (s.asked, s.answered)),
            cost_micros: self.spent.and_then(|s| s.micros),
            waits: self.waits.clone(),
            drafts: self.stored.drafts,
        }
    }

    /// Whether it waits for its judge.
    fn waits_for_servers(&self) -> bool {
        self.stored.phase == Phase::Queued && self.not_before.is_some_and(|at| at > Instant::now())
    }

    /// Takes note of scores that were recorded.
    pub(super) fn came(&mut self, scores: u64, without: u64) {
        if std::mem::take(&mut self.outages) > 0 {
            self.why = None;
        }
        self.done += scores;
        self.without += without;
        let now = Instant::now();
        self.came.push_back((now, scores));
        while self
            .came
            .front()
            .is_some_and(|(at, _)| now.duration_since(*at) >= WINDOW)
        {
            self.came.pop_front();
        }
    }
}

#[derive(Default)]
pub(super) struct Inner {
    pub(super) jobs: Vec<JobRuntime>,
    thread: Option<JoinHandle<()>>,
    pub(super) ended: bool,
    /// Whose scores the thread may be writing, also of a job that was given up a moment ago.
    at_work: Option<Scorer>,
    file: PathBuf,
}

/// The jobs of an owner.
#[derive(Default)]
pub(super) struct JobQueue {
    inner: Mutex<Inner>,
    wake: Condvar,
    /// Held while a job is begun or goes on, and taken before the other lock: what scores opens its files, and two must not
    /// have those of one scorer open to write.
    beginning: Mutex<()>,
}

fn file(store: &Path) -> PathBuf {
    store.join("scoring.json")
}

impl Inner {
    pub(super) fn live(&mut self, id: u32) -> Option<&mut JobRuntime> {
        self.jobs.iter_mut().find(|j| j.stored.id == id)
    }

    /// Whether a job is still to be worked on.
    pub(super) fn goes_on(&self, id: u32) -> bool {
        !self.ended
            && self
                .jobs
                .iter()
                .any(|j| j.stored.id == id && j.stored.phase == Phase::Running)
    }

    /// Writes the jobs down; a failure is told and harms only what is shown after the next start.
    pub(super) fn keep(&self) {
        let stored: Vec<&Stored> = self.jobs.iter().map(|j| &j.stored).collect();
        let kept = serde_json::to_vec(&stored)
            .map_err(|e| Error::new(ErrorKind::Io, e.to_string()))
            .and_then(|bytes| disk::write_atomic(&self.file, &bytes));
        if let Err(problem) = kept {
            crate::log::write(format_args!("scoring jobs could not be kept: {problem}"));
        }
    }

    /// Tells everybody how a job is; a mere step forward not too often.
    pub(super) fn tell(&mut self, shared: &OwnerContext, id: u32, always: bool) {
        let Some(live) = self.live(id) else { return };
        if always || live.told.is_none_or(|told| told.elapsed() >= TELL_EVERY) {
            live.told = Some(Instant::now());
            shared
                .broadcast
                .tell(Event::Scoring(Box::new(live.state())));
        }
    }
}

impl JobQueue {
    pub(super) fn inner(&self) -> MutexGuard<'_, Inner> {
        lock(&self.inner)
    }

    /// Whether a job of this scorer runs.
    pub(super) fn is_running(&self, scorer: &Scorer) -> bool {
        self.inner()
            .jobs
            .iter()
            .any(|j| j.stored.phase == Phase::Running && j.stored.scorer == *scorer)
    }

    /// Whether any job runs.
    pub(super) fn is_busy(&self) -> bool {
        self.inner()
            .jobs
            .iter()
            .any(|j| j.stored.phase == Phase::Running)
    }

    /// The job of a scorer that is not over, else its last one.
    pub(super) fn of(&self, scorer: &Scorer) -> Option<ScoringState> {
        let inner = self.inner();
        let mine = || inner.jobs.iter().filter(|j| j.stored.scorer == *scorer);
        mine()
            .find(|j| !j.stored.phase.over())
            .or_else(|| mine().next_back())
            .map(JobRuntime::state)
    }

    /// Refuses a scorer that has a job which is not over, or that is still at work for one that was given up.
    fn free(&self, scorer: &Scorer) -> Result<()> {
        let inner = self.inner();
        let other = inner
            .jobs
            .iter()
            .find(|j| j.stored.scorer == *scorer && !j.stored.phase.over());
        let conflict =
            |what: String, help: &str| Err(Error::new(ErrorKind::Conflict, what).help(help));
        match other {
            Some(job) => conflict(
                format!(
                    "job {} of `{scorer}` is {}",
                    job.stored.id,
                    job.stored.phase.name()
                ),
                "let it go on, or cancel it first",
            ),
            None if inner.at_work.as_ref() == Some(scorer) => conflict(
                format!("`{scorer}` is still ending the job before"),
                "try again in a moment",
            ),
            None => Ok(()),
        }
    }

    /// Ends all work and waits for it.
    pub(super) fn end(&self) {
        let thread = {
            let mut inner = self.inner();
            inner.ended = true;
            inner.thread.take()
        };
        self.wake.notify_all();
        thread.into_iter().for_each(|thread| drop(thread.join()));
    }
}

/// Loads the stored jobs, and goes on with those that were under way and that this person began here. The others wait: a
/// project from somebody else must send nothing when it is opened.
pub fn start(shared: &Arc<OwnerContext>) {
    let mut inner = shared.scoring.desk.inner();
    inner.file = file(&shared.project.store());
    let stored: Vec<Stored> = match regular::read(&inner.file, regular::LIST_LIMIT) {
        Ok(bytes) => serde_json::from_slice(&bytes).unwrap_or_else(|e| {
            shared.broadcast.notices().push(format!(
                "scoring jobs cannot be read and are forgotten: {e}; scores are all there"
            ));
            Vec::new()
        }),
        Err(_) => Vec::new(),
    };
    inner.jobs = stored.into_iter().map(JobRuntime::new).collect();
    let known = Known::read(shared);
    let config = trust::as_it_is(shared).map(|project| project.config().clone());
    for live in &mut inner.jobs {
        if matches!(live.stored.phase, Phase::Queued | Phase::Running) {
            let Stored {
                id,
                scorer,
                filter,
                token,
                ..
            } = &live.stored;
            let is_ours = config.as_ref().is_ok_and(|config| {
                known.has(
                    JobKind::Scoring,
                    *id,
                    token.as_deref(),
                    &trust::digest_of_scoring(config, *id, scorer, filter),
                )
            });
            live.elsewhere = !is_ours;
            live.stored.phase = if is_ours {
                Phase::Queued
            } else {
                Phase::Paused
            };
        }
        live.look(shared);
        if live.elsewhere {
            live.why = live.waits.as_ref().map(|waits| waits.reason());
        }
    }
    wake(shared, &mut inner);
}

/// Sees to it that a job that waits has a thread.
fn wake(shared: &Arc<OwnerContext>, inner: &mut Inner) {
    if shared.writable.closed.is_some() {
        return;
    }
    let waits = inner.jobs.iter().any(|j| j.stored.phase == Phase::Queued);
    let works = inner.thread.as_ref().is_some_and(|t| !t.is_finished());
    if waits && !works && !inner.ended {
        let owner = shared.clone();
        let work = move || {
            lower_thread_priority();
            run(&owner);
        };
        match std::thread::Builder::new().name("score".into()).spawn(work) {
            Ok(thread) => inner.thread = Some(thread),
            Err(error) => shared
                .broadcast
                .notices()
                .push(format!("scoring could not be started: {error}")),
        }
    }
    shared.scoring.desk.wake.notify_all();
}

/// Works until there is nothing to do for a while, or the owner ends.
fn run(shared: &Arc<OwnerContext>) {
    let desk = &shared.scoring.desk;
    loop {
        let id = {
            let mut inner = desk.inner();
            if inner.ended {
                return;
            }
            let found = inner
                .jobs
                .iter_mut()
                .find(|j| j.stored.phase == Phase::Queued && !j.waits_for_servers());
            match found {
                Some(live) => {
                    live.stored.phase = Phase::Running;
                    let id = live.stored.id;
                    inner.at_work = inner.live(id).map(|live| live.stored.scorer.clone());
                    inner.keep();
                    inner.tell(shared, id, true);
                    id
                }
                None => {
                    // The owner stays while a job waits for its judge.
                    let _counted = inner
                        .jobs
                        .iter()
                        .any(JobRuntime::waits_for_servers)
                        .then(|| shared.activity.count_job());
                    let waited = desk.wake.wait_timeout(inner, Duration::from_millis(200));
                    let (mut inner, _) = waited.unwrap_or_else(PoisonError::into_inner);
                    if !inner.jobs.iter().any(|j| j.stored.phase == Phase::Queued) && !inner.ended {
                        // Under the lock that `wake` holds: it sees that nobody works any more.
                        inner.thread = None;
                        return;
                    }
                    continue;
                }
            }
        };
        // The owner stays while a job runs.
        let _counted = shared.activity.count_job();
        let did = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| work::run(shared, id)));
        let did =
            did.unwrap_or_else(|_| Err(Error::new(ErrorKind::Io, "the work on a batch panicked")));
        shared.scoring.changed();
        let mut inner = desk.inner();
        inner.at_work = None;
        if let Some(live) = inner.live(id).filter(|j| j.stored.phase == Phase::Running) {
            match did {
                Ok(true) => (live.stored.phase, live.stored.retry) = (Phase::Done, false),
                // The owner is ending: it goes on when the next one starts.
                Ok(false) => {}
                // The judge's fault and not the inputs': they stay to be scored.
                Err(problem)
                    if problem.kind == ErrorKind::Unreachable
                        && problem.what.contains(NO_ENDPOINT) =>
                {
                    let wait = outage_wait(live.outages);
                    live.outages += 1;
                    live.not_before = Some(Instant::now() + wait);
                    live.stored.phase = Phase::Queued;
                    live.why = Some(outage_said(&problem.what, wait));
                }
                Err(problem) => {
                    live.stored.phase = Phase::Blocked;
                    live.why = Some(problem.to_string());
                    live.look(shared);
                }
            }
        }
        if inner
            .live(id)
            .is_some_and(|j| !matches!(j.stored.phase, Phase::Queued | Phase::Running))
        {
            trust::end(shared, JobKind::Scoring, id);
        }
        inner.keep();
        inner.tell(shared, id, true);
    }
}

impl Scoring {
    /// Begins a job, or says what there is to score.
    ///
    /// # Errors
    /// [`ErrorKind::Usage`] for a filter that means nothing or a scorer that needs no job, what keeps the scorer from
    /// working, [`ErrorKind::Conflict`] when there is a job of it already, and [`ErrorKind::Cancelled`].
    pub fn begin(
        &self,
        shared: &Arc<OwnerContext>,
        new: &NewScoring,
        wanted: &dyn Fn() -> bool,
    ) -> Result<ScoringState> {
        if matches!(new.scorer, Scorer::Consensus | Scorer::Blind) {
            return Err(Error::new(
                ErrorKind::Usage,
                format!("`{}` follows from the predictions at once", new.scorer),
            )
            .help("import prediction files; there is nothing to run"));
        }
        let _one = lock(&self.desk.beginning);
        self.desk.free(&new.scorer)?;
        let project = trust::as_it_is(shared)?;
        let to = trust::of_scorer(project.config(), &new.scorer)?;
        if !new.dry {
            trust::check(shared, &to)?;
        }
        let runner = (self.maker)(&project, &new.scorer)?;
        let mut stored = Stored {
            id: 0,
            scorer: new.scorer.clone(),
            filter: new.filter.clone(),
            phase: Phase::Queued,
            retry: false,
            token: None,
            drafts: 0,
        };
        let left = work::left(shared, &stored, &runner.about().short(), wanted)?;
        if new.scorer.sees() {
            stored.drafts = shared
                .desk
                .drafts(shared, left.iter().map(|(row, _)| *row), wanted)?;
            check_drafts(
                stored.drafts,
                (left.len() as u64, "inputs"),
                new.drafts || new.dry,
            )?;
        }
        let mut live = JobRuntime::new(stored);
        (live.of, live.device) = (Some(left.len() as u64), runner.about().name.clone());
        live.waits = trust::waits(shared, false, &to, (left.len() as u64, PICTURES));
        if new.dry {
            return Ok(live.state());
        }
        let mut inner = self.desk.inner();
        live.stored.id = inner
            .jobs
            .iter()
            .map(|j| j.stored.id)
            .max()
            .unwrap_or_default()
            + 1;
        let id = live.stored.id;
        let digest = trust::digest_of_scoring(project.config(), id, &new.scorer, &new.filter);
        live.stored.token = trust::begin(shared, JobKind::Scoring, id, digest);
        let state = live.state();
        inner.jobs.push(live);
        while inner.jobs.iter().filter(|j| j.stored.phase.over()).count() > OVER {
            let Some(first) = inner.jobs.iter().position(|j| j.stored.phase.over()) else {
                break;
            };
            inner.jobs.remove(first);
        }
        inner.keep();
        inner.tell(shared, id, true);
        wake(shared, &mut inner);
        Ok(state)
    }

    /// Does something to a job.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`], and [`ErrorKind::Conflict`] where it cannot be done now.
    pub fn act(
        &self,
        shared: &Arc<OwnerContext>,
        id: u32,
        act: ScoringAct,
    ) -> Result<ScoringState> {
        let _one = matches!(act, ScoringAct::Resume | ScoringAct::Retry)
            .then(|| lock(&self.desk.beginning));
        let mut inner = self.desk.inner();
        let none = || Error::new(ErrorKind::NotFound, format!("there is no scoring job {id}"));
        let live = inner.live(id).ok_or_else(none)?;
        let phase = live.stored.phase;
        let next = match act {
            ScoringAct::Pause if matches!(phase, Phase::Queued | Phase::Running) => Phase::Paused,
            ScoringAct::Resume if matches!(phase, Phase::Paused | Phase::Blocked) => Phase::Queued,
            ScoringAct::Cancel if !phase.over() => Phase::Cancelled,
            ScoringAct::Retry if !matches!(phase, Phase::Queued | Phase::Running) => Phase::Queued,
            _ => {
                let what = format!(
                    "job {id} is {}: it cannot be told to {}",
                    phase.name(),
                    word(act)
                );
                return Err(Error::new(ErrorKind::Conflict, what));
            }
        };
        if next == Phase::Queued {
            // Before it is live: whatever the store and benchtop.toml say, it sends only what was agreed to.
            let project = trust::as_it_is(shared)?;
            trust::check(
                shared,
                &trust::of_scorer(project.config(), &live.stored.scorer)?,
            )?;
            let Stored { scorer, filter, .. } = &live.stored;
            let digest = trust::digest_of_scoring(project.config(), id, scorer, filter);
            live.stored.token = trust::begin(shared, JobKind::Scoring, id, digest);
            (live.why, live.elsewhere, live.not_before) = (None, false, None);
            live.stored.retry |= act == ScoringAct::Retry;
        } else {
            trust::end(shared, JobKind::Scoring, id);
        }
        live.stored.phase = next;
        live.look(shared);
        let state = live.state();
        inner.keep();
        inner.tell(shared, id, true);
        wake(shared, &mut inner);
        Ok(state)
    }
}

fn word(act: ScoringAct) -> &'static str {
    match act {
        ScoringAct::Pause => "pause",
        ScoringAct::Resume => "go on",
        ScoringAct::Cancel => "end",
        ScoringAct::Retry => "try again",
    }
}
