//! A job as the owner holds it: what is stored of it, and how far it is.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::context::OwnerContext;
use crate::trust;
use benchtop_model::job::{JobFailure, JobState, JobStatus, Newest, Step};
use benchtop_model::trust::Waits;
use benchtop_pipeline::generate::work::Scope;
use benchtop_store::jobs::{self, Failed, Job};

/// The rate is over this long.
const WINDOW: Duration = Duration::from_secs(60);
/// Time between two words of progress: at most four a second.
const TELL_EVERY: Duration = Duration::from_millis(250);

/// See the module.
pub struct JobRuntime {
    /// What is stored.
    pub job: Job,
    /// Rows of the items chosen, sorted; none where it makes what is missing.
    pub rows: Option<Arc<Vec<u32>>>,
    /// What was set aside, by picture and sample.
    pub failed: HashMap<(u64, u32), Failed>,
    /// How often an owner was gone while a picture was made.
    pub ended: HashMap<(u64, u32), u32>,
    /// Pictures it made.
    pub done: u64,
    /// The generator's words for itself.
    pub device: String,
    /// How far the running batch is.
    pub step: Option<Step>,
    /// The last picture.
    pub newest: Option<Newest>,
    /// Rises whenever what is left must be worked out again.
    pub version: u64,
    /// Nothing is begun before this moment.
    pub not_before: Option<Instant>,
    /// Times in a row that no server answered.
    pub outages: u32,
    /// It was under way when the project was opened, and this person did not begin it here.
    pub elsewhere: bool,
    /// What it would send, where it waits for an agreement.
    pub waits: Option<Box<Waits>>,
    /// When how many pictures came.
    came: VecDeque<(Instant, u64)>,
    told: Option<Instant>,
}

impl JobRuntime {
    /// A job that has made nothing since the owner started; `numbers` are those of its items.
    pub fn new(job: Job, numbers: Vec<u32>) -> JobRuntime {
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
            failed: HashMap::new(),
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
            came: VecDeque::new(),
            told: None,
        }
    }

    /// Finds whether it waits for an agreement: where it is paused or failed, and was begun elsewhere or sends what nobody has
    /// agreed to.
    pub fn look(&mut self, shared: &OwnerContext) {
        self.waits = None;
        if matches!(self.job.standing, JobStatus::Paused | JobStatus::Failed) {
            let items =
                self.rows
                    .as_ref()
                    .map_or(shared.items.catalog().len(), |rows| rows.len()) as u64;
            let left = self
                .job
                .of
                .map_or(items * u64::from(self.job.samples), |of| {
                    of.saturating_sub(self.done)
                });
            let to = trust::of_generation(&shared.config(), &self.job.wishes).unwrap_or_default();
            self.waits = trust::waits(shared, self.elsewhere, &to, (left, "prompts for pictures"));
        }
    }

    /// It was under way, and waits until a person agrees.
    pub fn wait(&mut self, shared: &OwnerContext) {
        self.elsewhere = true;
        self.job.standing = JobStatus::Paused;
        self.look(shared);
        self.job.reason = self.waits.as_ref().map(|waits| waits.reason());
    }

    /// The numbers of its items; none where it makes what is missing.
    pub fn numbers(&self) -> Vec<u32> {
        self.rows
            .iter()
            .flat_map(|rows| rows.iter().map(|row| row + 1))
            .collect()
    }

    /// What it is to make, with a generator that makes `drafts` or pictures.
    pub fn scope(&self, drafts: bool) -> Scope<'_> {
        let rows = self.rows.as_deref().map(Vec::as_slice);
        Scope {
            job: self.job.id,
            rows,
            samples: self.job.samples,
            drafts,
        }
    }

    /// Takes note of pictures that were recorded.
    pub fn came(&mut self, pictures: u64) {
        self.done += pictures;
        self.came.push_back((Instant::now(), pictures));
    }

    /// Pictures a minute over the last minute, or since the first where that was later.
    fn rate(&self) -> f64 {
        let now = Instant::now();
        let recent = || {
            self.came
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
        // The first ones came before the span begins.
        (pictures - of_first) as f64 * 60.0 / span.as_secs_f64()
    }

    /// Whether it is to be told now.
    pub fn is_due(&mut self, always: bool) -> bool {
        let now = Instant::now();
        while self
            .came
            .front()
            .is_some_and(|(at, _)| now.duration_since(*at) >= WINDOW)
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
        let failed = self.failed.len() as u64;
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

    /// What was set aside, in the order of its items.
    pub fn failures(&self) -> Vec<JobFailure> {
        let mut list: Vec<JobFailure> = self.failed.values().map(|f| f.failure.clone()).collect();
        list.sort_by(|a, b| {
            (a.number, &a.picture, a.sample).cmp(&(b.number, &b.picture, b.sample))
        });
        list
    }
}
