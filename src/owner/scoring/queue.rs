//! The scoring jobs that the owner holds.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex, MutexGuard};

use super::file::{self, Stored};
use benchtop_model::scoring::Scorer;
use benchtop_model::scoring::job::{Phase, ScoringState};
use benchtop_model::trust::PendingConsent;
use benchtop_model::{Error, ErrorKind, Result};

/// The period over which the rate is computed.
const WINDOW: Duration = Duration::from_secs(60);

pub(super) struct JobRuntime {
    pub(super) stored: Stored,
    pub(super) done: u64,
    pub(super) of: Option<u64>,
    pub(super) without: u64,
    pub(super) why: Option<String>,
    pub(super) device: String,
    pub(super) spent: Option<benchtop_pipeline::scoring::runner::Spent>,
    /// Not continued before this time.
    pub(super) not_before: Option<Instant>,
    /// Number of consecutive outages.
    pub(super) outages: u32,
    /// Whether the job was active when the project was opened, and this user did not
    /// start it here.
    pub(super) elsewhere: bool,
    /// The agreement that it waits for.
    pub(super) waits: Option<Box<PendingConsent>>,
    pub(super) recent: VecDeque<(Instant, u64)>,
    pub(super) last_event: Option<Instant>,
}

impl JobRuntime {
    pub(super) fn new(stored: Stored) -> JobRuntime {
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
            recent: VecDeque::new(),
            last_event: None,
        }
    }

    pub(super) fn state(&self) -> ScoringState {
        let now = Instant::now();
        let recent = || {
            self.recent
                .iter()
                .filter(|(at, _)| now.duration_since(*at) < WINDOW)
        };
        let per_minute = recent().next().and_then(|(first, of_first)| {
            let span = now.duration_since(*first).as_secs_f32();
            let scores: u64 = recent().map(|(_, n)| n).sum();
            // The first batch marks the start of the period.
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
    pub(super) fn waits_for_servers(&self) -> bool {
        self.stored.phase == Phase::Queued && self.not_before.is_some_and(|at| at > Instant::now())
    }

    /// Counts recorded scores.
    pub(super) fn add_progress(&mut self, scores: u64, without: u64) {
        if std::mem::take(&mut self.outages) > 0 {
            self.why = None;
        }
        self.done += scores;
        self.without += without;
        let now = Instant::now();
        self.recent.push_back((now, scores));
        while self
            .recent
            .front()
            .is_some_and(|(at, _)| now.duration_since(*at) >= WINDOW)
        {
            self.recent.pop_front();
        }
    }
}

#[derive(Default)]
pub(super) struct Inner {
    pub(super) jobs: Vec<JobRuntime>,
    pub(super) thread: Option<JoinHandle<()>>,
    pub(super) ended: bool,
    /// The scorer whose scores the thread may be writing, even if its job was just canceled.
    pub(super) at_work: Option<Scorer>,
    pub(super) file: PathBuf,
}

#[derive(Default)]
pub(super) struct JobQueue {
    pub(super) inner: Mutex<Inner>,
    pub(super) wake: Condvar,
    /// Held while a job is started or resumed, and locked before `inner`: building a scorer opens
    /// its files, and they must not be opened for writing twice.
    pub(super) beginning: Mutex<()>,
}

impl Inner {
    pub(super) fn live(&mut self, id: u32) -> Option<&mut JobRuntime> {
        self.jobs.iter_mut().find(|j| j.stored.id == id)
    }

    /// Whether a job is still active.
    pub(super) fn is_active(&self, id: u32) -> bool {
        !self.ended
            && self
                .jobs
                .iter()
                .any(|j| j.stored.id == id && j.stored.phase == Phase::Running)
    }

    /// Writes the jobs. On an error the file is unchanged.
    pub(super) fn write(&self) -> Result<()> {
        let stored: Vec<&Stored> = self.jobs.iter().map(|j| &j.stored).collect();
        file::write(&self.file, &stored)
    }

    /// Saves the progress of jobs. A failure is logged and affects only the list after the next
    /// start.
    pub(super) fn keep(&self) {
        if let Err(problem) = self.write() {
            crate::log::write(format_args!("cannot save scoring jobs: {problem}"));
        }
    }
}

impl JobQueue {
    pub(super) fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock()
    }

    /// Whether a job of this scorer is running.
    pub(super) fn is_running(&self, scorer: &Scorer) -> bool {
        self.inner()
            .jobs
            .iter()
            .any(|j| j.stored.phase == Phase::Running && j.stored.scorer == *scorer)
    }

    /// Whether any job is running.
    pub(super) fn is_busy(&self) -> bool {
        self.inner()
            .jobs
            .iter()
            .any(|j| j.stored.phase == Phase::Running)
    }

    /// The active job of a scorer, or else its last one.
    pub(super) fn of(&self, scorer: &Scorer) -> Option<ScoringState> {
        let inner = self.inner();
        let mine = || inner.jobs.iter().filter(|j| j.stored.scorer == *scorer);
        mine()
            .find(|j| !j.stored.phase.is_finished())
            .or_else(|| mine().next_back())
            .map(JobRuntime::state)
    }

    /// Checks that the scorer has no active job and that its last job has stopped.
    pub(super) fn free(&self, scorer: &Scorer) -> Result<()> {
        let inner = self.inner();
        let other = inner
            .jobs
            .iter()
            .find(|j| j.stored.scorer == *scorer && !j.stored.phase.is_finished());
        let conflict =
            |what: String, help: &str| Err(Error::new(ErrorKind::Conflict, what).help(help));
        match other {
            Some(job) => conflict(
                format!(
                    "job {} of `{scorer}` is {}",
                    job.stored.id,
                    job.stored.phase.name()
                ),
                "wait until it ends, or cancel it first",
            ),
            None if inner.at_work.as_ref() == Some(scorer) => conflict(
                format!("the previous job of `{scorer}` is still stopping"),
                "try again in a moment",
            ),
            None => Ok(()),
        }
    }

    /// Stops all work and waits for it.
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
