//! The state of a job that all kinds share.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::job::{Counts, Job, Kind};
use super::job_meter::JobMeter;
use benchtop_model::Error;
use benchtop_model::job::{JobState, JobStatus, Usage};
use benchtop_model::trust::PendingConsent;
use benchtop_store::jobs::{JobHeader, UsageFile};

/// The period over which the rate is computed.
const WINDOW: Duration = Duration::from_secs(60);
/// Minimum time between two progress events.
const TELL_EVERY: Duration = Duration::from_millis(250);
/// First delay after an outage.
const FIRST_WAIT: Duration = Duration::from_secs(1);
/// Longest delay after an outage.
const LONGEST_WAIT: Duration = Duration::from_secs(30);

/// The state of a job that all kinds share.
pub struct Live {
    /// The stored part.
    pub header: JobHeader,
    /// Counts what it sends.
    pub meter: Arc<JobMeter>,
    /// What it works on, as of the last look.
    pub(super) resource: String,
    /// Not continued before this time.
    pub(super) not_before: Option<Instant>,
    /// Number of consecutive outages.
    outages: u32,
    /// Whether it was active when the project was opened, and this user did not start it here.
    pub(super) elsewhere: bool,
    /// Whether this user started or continued it on this machine. Otherwise it does nothing after
    /// its end.
    pub(super) own: bool,
    /// The agreement that it waits for.
    pub(super) waits: Option<Box<PendingConsent>>,
    /// Whether its last work after the end failed. Not tried again until the user resumes it.
    pub(super) stuck: bool,
    /// Whether a step runs, even if the job was just paused or canceled.
    pub at_work: bool,
    /// Number of commands that wait for its end.
    pub(super) followers: u32,
    /// Why it stopped, since the owner started.
    pub(super) problem: Option<Error>,
    /// The state in its file, if known.
    pub(super) written: Option<(JobHeader, Value)>,
    recent: VecDeque<(Instant, u64)>,
    last_event: Option<Instant>,
}

impl Live {
    /// A job that has sent what its file says. Commands have none.
    pub(super) fn new(header: JobHeader, sent: Option<(UsageFile, Usage)>) -> Live {
        let (file, usage) = sent.unzip();
        let usage = usage.unwrap_or_default();
        Live {
            meter: Arc::new(JobMeter::new(header.id, file, usage, header.budget)),
            header,
            resource: String::new(),
            not_before: None,
            outages: 0,
            elsewhere: false,
            own: false,
            waits: None,
            stuck: false,
            at_work: false,
            followers: 0,
            problem: None,
            written: None,
            recent: VecDeque::new(),
            last_event: None,
        }
    }

    /// Counts results that are on disk. Since there are some, an outage is over, also one of an
    /// earlier owner.
    pub fn progressed(&mut self, results: u64) {
        self.recent.push_back((Instant::now(), results));
        if std::mem::take(&mut self.outages) > 0 {
            self.not_before = None;
        }
        if self.header.standing.is_active() {
            self.header.reason = None;
        }
    }

    /// Has the job wait before its next step.
    pub fn wait(&mut self, time: Duration) {
        self.not_before = Some(Instant::now() + time);
    }

    /// Queues the job until its servers are reachable again, with growing delays. What it could not
    /// ask does not count as failed.
    pub(super) fn wait_for_servers(&mut self, reason: &str) {
        let wait = FIRST_WAIT
            .saturating_mul(2u32.saturating_pow(self.outages.min(10)))
            .min(LONGEST_WAIT);
        self.outages += 1;
        self.wait(wait);
        self.header.standing = JobStatus::Queued;
        self.header.reason = Some(format!(
            "{reason}; its tasks stay to do, the next try is in {} s",
            wait.as_secs().max(1)
        ));
    }

    /// Clears what kept it from working.
    pub(super) fn resumed(&mut self) {
        (self.stuck, self.not_before, self.problem) = (false, None, None);
    }

    pub(super) fn is_ready(&self) -> bool {
        self.not_before.is_none_or(|at| at <= Instant::now())
    }

    /// Results per minute over the last minute, or since the first result if that is later.
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
        let span = now.duration_since(*first);
        if span < Duration::from_secs(1) {
            return 0.0;
        }
        // The first results mark the start of the period.
        let results: u64 = recent().map(|(_, n)| n).sum();
        (results - of_first) as f64 * 60.0 / span.as_secs_f64()
    }

    /// Whether an event is due.
    pub(super) fn is_due(&mut self, always: bool) -> bool {
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

    /// Whether clients know of it.
    pub(super) fn was_announced(&self) -> bool {
        self.last_event.is_some()
    }

    /// The state for clients.
    pub(super) fn state<C>(&self, (kind, job): (&Kind<C>, &dyn Job<C>), place: u32) -> JobState {
        let header = self.header.clone();
        let Counts { done, of, failed } = job.counts();
        let rate = match header.standing {
            JobStatus::Running => self.rate(),
            _ => 0.0,
        };
        let left = of.map(|of| of.saturating_sub(done.saturating_add(failed)));
        let left_s = left
            .filter(|_| rate > 0.0)
            .map(|left| (left as f64 * 60.0 / rate).ceil() as u64);
        let mut state = JobState {
            id: header.id,
            kind: kind.name.into(),
            unit: kind.unit.into(),
            by: header.by,
            created: header.created,
            samples: 1,
            place,
            standing: header.standing,
            reason: header.reason,
            done,
            of,
            failed,
            rate,
            left_s,
            waits: self.waits.clone(),
            budget: header.budget,
            usage: self.meter.usage(),
            tells: job.tells(),
            ..JobState::default()
        };
        job.describe(&mut state);
        state
    }
}
