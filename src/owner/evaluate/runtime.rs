//! A run as the owner holds it: what is stored of it, and how far it is.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use crate::context::OwnerContext;
use crate::outage::{outage_said, outage_wait};
use crate::trust;
use benchtop_model::evaluation::RunState;
use benchtop_model::job::{JobState, JobStatus};
use benchtop_model::trust::Waits;
use benchtop_model::{Error, ErrorKind};
use benchtop_store::runs::{Counts, Run};

/// The rate is over this long.
const WINDOW: Duration = Duration::from_secs(60);
/// Time between two words of progress: at most four a second.
const TELL_EVERY: Duration = Duration::from_millis(250);
/// Tokens whose price is given.
const PRICED: u128 = 1_000_000;

/// See the module.
pub(super) struct JobRuntime {
    /// What is stored.
    pub(super) run: Run,
    /// The servers in words.
    pub(super) device: String,
    /// What answers was built since the owner started.
    pub(super) is_built: bool,
    /// Nothing is asked before this moment.
    pub(super) not_before: Option<Instant>,
    /// Times in a row that no server answered.
    outages: u32,
    /// What was set aside is to be asked again.
    pub(super) again: bool,
    /// It was under way when the project was opened, and this person did not begin it here.
    pub(super) elsewhere: bool,
    /// What it would send, where it waits for an agreement.
    pub(super) waits: Option<Box<Waits>>,
    /// Why its answers could not be brought in: it is not tried again before somebody resumes it.
    stuck: bool,
    came: VecDeque<Instant>,
    told: Option<Instant>,
}

impl JobRuntime {
    /// A run that has asked nothing since the owner started.
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
            came: VecDeque::new(),
            told: None,
        }
    }

    /// Finds whether it waits for an agreement: where it is paused or failed, and was begun elsewhere or sends what nobody has
    /// agreed to. A job that cannot say where it sends anything waits too, and says why when it is resumed.
    pub(super) fn look(&mut self, shared: &OwnerContext) {
        self.waits = None;
        if matches!(self.run.standing, JobStatus::Paused | JobStatus::Failed) {
            let Run {
                new, asks, counts, ..
            } = &self.run;
            let left = asks.saturating_sub(counts.done + counts.failed);
            let what = if new.blind {
                "questions"
            } else {
                "questions with their pictures"
            };
            let to = trust::of_run(new).unwrap_or_default();
            self.waits = trust::waits(shared, self.elsewhere, &to, (left, what));
        }
    }

    /// It was under way, and waits until a person agrees.
    pub(super) fn wait(&mut self, shared: &OwnerContext) {
        self.elsewhere = true;
        self.run.standing = JobStatus::Paused;
        self.look(shared);
        self.run.reason = self.waits.as_ref().map(|waits| waits.reason());
    }

    /// Takes note of how far it is.
    pub(super) fn count(&mut self, counts: Counts) {
        self.run.counts = Counts {
            predictions: self.run.counts.predictions,
            ..counts
        };
    }

    /// The same, of an answer that was recorded.
    pub(super) fn came(&mut self, counts: Counts) {
        self.count(counts);
        self.came.push_back(Instant::now());
    }

    /// Somebody has seen to it.
    pub(super) fn resumed(&mut self) {
        self.stuck = false;
        self.not_before = None;
    }

    /// Whether it is over and has answers that are no predictions of the project yet, or set questions aside that these do not name.
    pub(super) fn is_to_be_adopted(&self) -> bool {
        let Run {
            standing, counts, ..
        } = &self.run;
        let lacks = counts.done > 0 && counts.lacking < counts.failed;
        !self.stuck
            && matches!(standing, JobStatus::Done | JobStatus::Cancelled)
            && (counts.predictions < counts.done || lacks)
    }

    /// It cannot go on: without an answer it has failed, otherwise it is paused until somebody looks.
    pub(super) fn stop(&mut self, problem: &Error) {
        if self.run.standing.over() {
            // Its answers could not be brought in.
            self.stuck = true;
        } else {
            // What a key lacks is not the run's fault.
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

    /// No server answers: it waits for them and tries again, a longer while each time.
    pub(super) fn wait_for_servers(&mut self, reason: &str) {
        let wait = outage_wait(self.outages);
        self.outages += 1;
        self.not_before = Some(Instant::now() + wait);
        self.run.standing = JobStatus::Queued;
        self.run.reason = Some(outage_said(reason, wait));
    }

    /// The servers answer: what was said of them no longer holds.
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

    /// Answers a minute over the last minute, or since the first where that was later.
    fn rate(&self) -> f64 {
        let now = Instant::now();
        let recent = self
            .came
            .iter()
            .filter(|at| now.duration_since(**at) < WINDOW);
        let (Some(first), n) = (recent.clone().next(), recent.count()) else {
            return 0.0;
        };
        let span = now.duration_since(*first);
        // The first one came before the span begins.
        if span < Duration::from_secs(1) {
            0.0
        } else {
            (n - 1) as f64 * 60.0 / span.as_secs_f64()
        }
    }

    /// Whether it is to be told now.
    pub(super) fn is_due(&mut self, always: bool) -> bool {
        let now = Instant::now();
        while self
            .came
            .front()
            .is_some_and(|at| now.duration_since(*at) >= WINDOW)
        {
            self.came.pop_front();
        }
        let due = always
            || self
                .told
                .is_none_or(|told| now.duration_since(told) >= TELL_EVERY);
        if due {
            self.told = Some(now);
        }
        due
    }

    /// The job as everybody sees it.
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
            plan: format!("{words}{sampled}{blind}, options {}", new.orders.words()),
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
                orders: new.orders.words(),
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
