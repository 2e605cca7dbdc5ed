//! What a kind of job implements.

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use serde_json::Value;

use benchtop_model::config::Config;
use benchtop_model::import::Progress;
use benchtop_model::job::{JobFailure, JobState, JobStatus, Prices};
use benchtop_model::trust::Destination;
use benchtop_model::{Error, Result};
use benchtop_protocol::wire::Access;
use benchtop_store::jobs::{JobHeader, StoredJob};

/// What a thread keeps between the steps of its resource, such as a loaded model.
pub type Slot = Option<Box<dyn Any>>;

/// Makes a job from its files.
pub type Load<C> = fn(&Arc<C>, &StoredJob) -> Result<Box<dyn Job<C>>>;

/// A kind of job: a row of [`super::kinds::KINDS`].
pub struct Kind<C: 'static> {
    /// Its name in files, in the trust file, and in JSON.
    pub name: &'static str,
    /// One result of it: `picture`.
    pub unit: &'static str,
    /// Who may have such a job work.
    pub access: Access,
    pub load: Load<C>,
    /// Works on a job, without the lock of the engine.
    pub step: fn(&Arc<C>, u32, &mut Slot) -> Result<Step>,
}

/// The result of a step. An error stops the job; one of kind `Cancelled` counts as `More`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// There is more to do, unless the job was paused or another job is first now.
    More,
    /// Everything is done.
    Done,
    /// The servers do not answer, for this reason. The job waits and tries again.
    Outage(String),
}

/// How far a job is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub done: u64,
    pub of: Option<u64>,
    pub failed: u64,
}

impl Counts {
    pub fn new(progress: &Progress, failed: u64) -> Counts {
        Counts {
            done: progress.done,
            of: progress.of,
            failed,
        }
    }
}

/// A job of one kind, as the engine holds it. Its methods run under the lock of the engine. `C` is the
/// context of the owner, which holds the engine.
pub trait Job<C>: Any + Send {
    /// What its file stores beside the header.
    fn spec(&self) -> Value;

    fn counts(&self) -> Counts;

    /// Completes the state for clients: name, plan, and details.
    fn describe(&self, state: &mut JobState);

    /// What it works on; `None` is what all jobs of its kind share. Jobs of one resource work one at
    /// a time.
    fn resource(&self, _: &Config) -> Option<String> {
        None
    }

    /// Where it sends data.
    ///
    /// # Errors
    /// Invalid addresses.
    fn destinations(&self, _: &Arc<C>) -> Result<Vec<Destination>> {
        Ok(Vec::new())
    }

    /// How much it still sends at most, as a number and in words. What a file says does not count,
    /// since the file may come from somebody else.
    fn sends(&self, _: &C) -> (u64, String) {
        (0, String::new())
    }

    /// The prices of the tokens that it sends and receives, (0, 0) if none are known. `None` if it
    /// sends no requests to servers, and so has no budget.
    fn prices(&self, _: &Config) -> Option<Prices> {
        None
    }

    /// Whether its plan and its counts follow from verdicts or scores.
    fn tells(&self) -> bool {
        false
    }

    /// Digest of everything that decides what it sends where.
    ///
    /// # Errors
    /// Files that cannot be read.
    fn digest(&self, shared: &Arc<C>, header: &JobHeader) -> Result<String>;

    /// Whether a job with this status has work.
    fn has_work(&self, standing: JobStatus) -> bool {
        standing.is_active()
    }

    /// Since when somebody waits for it. The latest such job works before the first in the order.
    fn urgent_since(&self) -> Option<Instant> {
        None
    }

    /// Whether it has ended after a step that did all there was to do.
    fn ends(&self) -> bool {
        true
    }

    /// Whether it fails by this error instead of being paused.
    fn fails(&self, _: &Error) -> bool {
        false
    }

    /// Called when it stops working, with its new status.
    fn stopped(&mut self, _: JobStatus) {}

    /// Has its failures tried again. `at_work` is whether a step runs now.
    ///
    /// # Errors
    /// Errors of writing its journal.
    fn retry(&mut self, _: &C, _at_work: bool) -> Result<()> {
        Ok(())
    }

    /// Whether a canceled job can be retried.
    fn retries_canceled(&self) -> bool {
        false
    }

    /// Changes the size of its batches and its rate limit.
    ///
    /// # Errors
    /// [`Error::usage`] if it has no such limit.
    fn limit(
        &mut self,
        _batch: Option<Option<u32>>,
        _per_minute: Option<Option<u32>>,
    ) -> Result<()> {
        Err(Error::usage("this job has no such limit"))
    }

    /// Its failures, in order.
    ///
    /// # Errors
    /// Errors of reading its journal.
    fn failures(&self, _: &C) -> Result<Vec<JobFailure>> {
        Ok(Vec::new())
    }

    /// Called when it is removed, after its files.
    fn removed(&self, _: &C) {}

    /// For a command: the flag that cancels it.
    fn command(&self) -> Option<&AtomicBool> {
        None
    }
}
