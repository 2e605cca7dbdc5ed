//! The state of a run in the owner.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use crate::server_outage::{outage_reason, outage_wait};
use benchtop_model::evaluation::RunState;
use benchtop_model::job::{JobState, JobStatus};
use benchtop_model::trust::PendingConsent;
use benchtop_model::{Error, ErrorKind};
use benchtop_store::runs::{Counts, Run};

/// The period over which the rate is computed.
const WINDOW: Duration = Duration::from_secs(60);
/// Minimum time between two progress events.
const TELL_EVERY: Duration = Duration::from_millis(250);
/// The number of tokens that prices refer to.
const PRICED: u128 = 1_000_000;

pub(super) struct JobRuntime {
    pub(super) run: Run,
    /// Description of the servers.
    pub(super) device: String,
    /// Whether the client was built since the owner started.
    pub(super) is_built: bool,
    /// No requests before this time.
    pub(super) not_before: Option<Instant>,
    /// Number of consecutive outages.
    outages: u32,
    /// Whether failed questions must be asked again.
    pub(super) again: bool,
    /// Whether the run was active when the project was opened, and this user did not start it here.
    pub(super) elsewhere: bool,
    /// The agreement that it waits for.
    pub(super) waits: Option<Box<PendingConsent>>,
    /// Whether its answers could not be published. Not retried until the user resumes it.
    stuck: bool,
    recent: VecDeque<Instant>,
    last_event: Option<Instant>,
}

impl JobRuntime {
    /// A run without requests since the owner started.
    pub(super) fn new(run: Run) -> JobRuntime {
        JobRuntime {
            run,
            device: String::new(),
            is_built: false,
            not_before: None,
            outages: 0,
            again: false,
            elsewhere: false,
            waits: None,
            stuck: false,
            recent: VecDeque::new(),
            last_event: None,
        }
    }

    /// Updates the counts.
    pub(super) fn count(&mut self, counts: Counts) {
        self.run.counts = Counts {
            predictions: self.run.counts.predictions,
            ..counts
        };
    }

    /// Updates the counts after an answer.
    pub(super) fn add_progress(&mut self, counts: Counts) {
        self.count(counts);
        self.recent.push_back(Instant::now());
    }

    /// Clears what kept the run from working.
    pub(super) fn resumed(&mut self) {
        self.stuck = false;
        self.not_before = None;
    }

    /// Whether the run has ended and its answers or failures are not published yet.
    pub(super) fn is_to_be_adopted(&self) -> bool {
        let Run {
            standing, counts, ..
        } = &self.run;
        let lacks = counts.done > 0 && counts.lacking < counts.failed;
        !self.stuck
            && matches!(standing, JobStatus::Done | JobStatus::Cancelled)
            && (counts.predictions < counts.done || lacks)
    }

    /// Stops the run after an error: it fails if it has no answers yet, and is paused otherwise.
    pub(super) fn stop(&mut self, problem: &Error) {
        if self.run.standing.is_finished() {
            // Its answers could not be published.
            self.stuck = true;
        } else {
            // A missing key is not the run's fault.
            let fails = self.run.counts.done == 0
                && (self.is_built || problem.kind != ErrorKind::Unreachable);
            self.run.standing = if fails {
                JobStatus::Failed
            } else {
                JobStatus::Paused
            };
        }
        self.run.reason = Some(problem.to_string());
    }

    /// Queues the run until its servers are reachable again, with growing delays.
    pub(super) fn wait_for_servers(&mut self, reason: &str) {
        let wait = outage_wait(self.outages);
        self.outages += 1;
        self.not_before = Some(Instant::now() + wait);
        self.run.standing = JobStatus::Queued;
        self.run.reason = Some(outage_reason(reason, wait));
    }

    /// Clears an outage.
    pub(super) fn servers_answer(&mut self) {
        if std::mem::take(&mut self.outages) > 0 {
            (self.not_before, self.run.reason) = (None, None);
        }
    }

    /// Whether it waits for its servers.
    pub(super) fn waits_for_servers(&self) -> bool {
        self.run.standing == JobStatus::Queued
            && self.not_before.is_some_and(|at| at > Instant::now())
    }

    /// Answers per minute over the last minute, or since the first answer if that is later.
    fn rate(&self) -> f64 {
        let now = Instant::now();
        let recent = self
            .recent
            .iter()
            .filter(|at| now.duration_since(**at) < WINDOW);
        let (Some(first), n) = (recent.clone().next(), recent.count()) else {
            return 0.0;
        };
        let span = now.duration_since(*first);
        // The first one marks the start of the period.
        if span < Duration::from_secs(1) {
            0.0
        } else {
            (n - 1) as f64 * 60.0 / span.as_secs_f64()
        }
    }

    /// Whether an event is due.
    pub(super) fn is_due(&mut self, always: bool) -> bool {
        let now = Instant::now();
        while self
            .recent
            .front()
            .is_some_and(|at| now.duration_since(*at) >= WINDOW)
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
    pub(super) fn state(&self, place: u32) -> JobState {
        let Run {
            id,
            label,
            by,
            created,
            new,
            instruction,
            asks,
            standing,
            reason,
            counts,
            drafts,
            ..
        } = self.run.clone();
        let rate = if standing == JobStatus::Running {
            self.rate()
        } else {
            0.0
        };
        let left = asks.saturating_sub(counts.done + counts.failed);
        let part = |tokens: u64, price: u64| u128::from(tokens) * u128::from(price);
        let cost =
            part(counts.usage.prompt, new.prices.0) + part(counts.usage.completion, new.prices.1);
        let priced = new.prices != (0, 0);
        let words = if new.filter.is_empty() {
            "all items".to_string()
        } else {
            new.filter.clone()
        };
        let sampled = new
            .sample
            .map_or(String::new(), |n| format!(", a sample of {n}"));
        let blind = if new.blind { ", without pictures" } else { "" };
        JobState {
            id,
            name: format!("eval {label}"),
            by,
            created,
            plan: format!("{words}{sampled}{blind}, options {}", new.orders.describe()),
            samples: 1,
            seed: new.seed,
            generator: new.model.clone(),
            device: self.device.clone(),
            batch: new.servers.first().map(|s| s.concurrency),
            place,
            standing,
            reason,
            done: counts.done,
            of: Some(asks),
            failed: counts.failed,
            rate,
            left_s: (rate > 0.0).then(|| (left as f64 * 60.0 / rate).ceil() as u64),
            run: Some(Box::new(RunState {
                model: new.model,
                label,
                endpoints: new.servers.into_iter().map(|s| s.url).collect(),
                blind: new.blind,
                orders: new.orders.describe(),
                instruction,
                truncated: counts.truncated,
                refused: counts.refused,
                empty: counts.empty,
                tokens: (counts.usage.prompt, counts.usage.completion),
                untold: counts.untold,
                cost_micros: priced
                    .then(|| u64::try_from(cost.div_ceil(PRICED)).unwrap_or(u64::MAX)),
                predictions: counts.predictions,
                drafts,
            })),
            waits: self.waits.clone(),
            ..JobState::default()
        }
    }
}
