//! The state of a generation job in the owner.

use std::collections::{HashMap, VecDeque};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use benchtop_model::Result;
use benchtop_model::job::{JobFailure, JobState, JobStatus, Newest, Step};
use benchtop_model::trust::PendingConsent;
use benchtop_pipeline::generate::remaining::Scope;
use benchtop_store::jobs::{self, FailureLog, Job, Stored};

/// The period over which the rate is computed.
const WINDOW: Duration = Duration::from_secs(60);
/// Minimum time between two progress events.
const TELL_EVERY: Duration = Duration::from_millis(250);

pub struct JobRuntime {
    /// The stored part.
    pub job: Job,
    /// Sorted rows of the selected items; `None` if the job makes missing pictures.
    pub rows: Option<Arc<Vec<u32>>>,
    /// A random token that proves that this user started the job here ([`benchtop_store::trust`]).
    pub token: Option<String>,
    /// The failed pictures.
    pub failures: FailureLog,
    /// How often an owner died while making each picture.
    pub ended: HashMap<(u64, u32), u32>,
    /// Number of pictures made.
    pub done: u64,
    /// The generator's name and device.
    pub device: String,
    /// Progress of the current batch.
    pub step: Option<Step>,
    /// The latest picture.
    pub newest: Option<Newest>,
    /// Incremented when the remaining work must be recomputed.
    pub version: u64,
    /// Not continued before this time.
    pub not_before: Option<Instant>,
    /// Number of consecutive outages.
    pub outages: u32,
    /// Whether the job was active when the project was opened, and this user did not start it here.
    pub elsewhere: bool,
    /// The agreement that it waits for.
    pub waits: Option<Box<PendingConsent>>,
    /// Recent batches: time and number of pictures.
    recent: VecDeque<(Instant, u64)>,
    last_event: Option<Instant>,
}

impl JobRuntime {
    /// A job without pictures since the owner started.
    pub fn new(stored: Stored) -> JobRuntime {
        let Stored {
            job,
            token,
            numbers,
            failures,
        } = stored;
        let rows = (job.scope == jobs::Scope::Items).then(|| {
            let mut rows: Vec<u32> = numbers
                .into_iter()
                .filter_map(|n| n.checked_sub(1))
                .collect();
            rows.sort_unstable();
            rows.dedup();
            Arc::new(rows)
        });
        JobRuntime {
            job,
            rows,
            token,
            failures,
            ended: HashMap::new(),
            done: 0,
            device: String::new(),
            step: None,
            newest: None,
            version: 0,
            not_before: None,
            outages: 0,
            elsewhere: false,
            waits: None,
            recent: VecDeque::new(),
            last_event: None,
        }
    }

    /// Saves the job's state.
    pub fn keep(&self, root: &Path) -> Result<()> {
        jobs::write_state(root, &self.job, self.token.as_deref())
    }

    /// Number of failed pictures.
    pub fn failed(&self) -> u64 {
        self.failures.failed().len() as u64
    }

    /// The numbers of its items; empty if the job makes missing pictures.
    pub fn numbers(&self) -> Vec<u32> {
        self.rows
            .iter()
            .flat_map(|rows| rows.iter().map(|row| row + 1))
            .collect()
    }

    /// What the job must make, with a generator of drafts (`drafts`) or of pictures.
    pub fn scope(&self, drafts: bool) -> Scope<'_> {
        let rows = self.rows.as_deref().map(Vec::as_slice);
        Scope {
            job: self.job.id,
            rows,
            samples: self.job.samples,
            drafts,
        }
    }

    /// Counts recorded pictures.
    pub fn add_progress(&mut self, pictures: u64) {
        self.done += pictures;
        self.recent.push_back((Instant::now(), pictures));
    }

    /// Pictures per minute over the last minute, or since the first picture if that is later.
    fn rate(&self) -> f64 {
        let now = Instant::now();
        let recent = || {
            self.recent
                .iter()
                .filter(|(at, _)| now.duration_since(*at) < WINDOW)
        };
        let Some((first, of_first)) = recent().next() else {
            return 0.0;
        };
        let pictures: u64 = recent().map(|(_, n)| n).sum();
        let span = now.duration_since(*first);
        if span < Duration::from_secs(1) {
            return 0.0;
        }
        // The first batch marks the start of the period.
        (pictures - of_first) as f64 * 60.0 / span.as_secs_f64()
    }

    /// Whether an event is due.
    pub fn is_due(&mut self, always: bool) -> bool {
        let now = Instant::now();
        while self
            .recent
            .front()
            .is_some_and(|(at, _)| now.duration_since(*at) >= WINDOW)
        {
            self.recent.pop_front();
        }
        let due = always
            || self
                .last_event
                .is_none_or(|at| now.duration_since(at) >= TELL_EVERY);
        if due {
            self.last_event = Some(now);
        }
        due
    }

    /// The state of the job for clients.
    pub fn state(&self, place: u32) -> JobState {
        let Job {
            id,
            name,
            by,
            created,
            plan,
            samples,
            seed,
            wishes,
            settings,
            batch,
            per_minute,
            ..
        } = self.job.clone();
        let running = self.job.standing == JobStatus::Running;
        let failed = self.failed();
        let rate = if running { self.rate() } else { 0.0 };
        let left = self.job.of.map(|of| of.saturating_sub(self.done + failed));
        let left_s = left
            .filter(|_| rate > 0.0)
            .map(|left| (left as f64 * 60.0 / rate).ceil() as u64);
        let generator = [wishes.backend, wishes.model]
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
            .join(" ");
        JobState {
            id,
            name,
            by,
            created,
            plan,
            samples,
            seed,
            generator,
            device: self.device.clone(),
            settings,
            batch,
            per_minute,
            place,
            standing: self.job.standing,
            reason: self.job.reason.clone(),
            done: self.done,
            of: self.job.of,
            failed,
            step: self.step.filter(|_| running),
            rate,
            left_s,
            newest: self.newest.clone(),
            run: None,
            waits: self.waits.clone(),
        }
    }

    /// The failures in item order.
    pub fn failures(&self) -> Vec<JobFailure> {
        let failed = self.failures.failed().values();
        let mut list: Vec<JobFailure> = failed.map(|f| f.failure.clone()).collect();
        list.sort_by(|a, b| {
            (a.number, &a.picture, a.sample).cmp(&(b.number, &b.picture, b.sample))
        });
        list
    }
}
