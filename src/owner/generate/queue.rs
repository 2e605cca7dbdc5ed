//! The generation jobs that the owner holds, and the states of the items' pictures.

use std::collections::{BTreeMap, BTreeSet, HashSet, VecDeque};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::thread::JoinHandle;

use parking_lot::{Condvar, Mutex, MutexGuard};

use super::runtime::JobRuntime;
use benchtop_inference::ImageGenerator;
use benchtop_model::config::Config;
use benchtop_model::generated_image::PictureState;
use benchtop_model::job::{GenerationOverrides, JobState};
use benchtop_model::{Error, ErrorKind, Result};
use benchtop_pipeline::generate::image_index::RequestedImages;
use benchtop_store::damaged_pictures::Damaged;
use benchtop_store::present_pictures::Present;

/// Builds a generator.
pub type GeneratorFactory =
    Box<dyn Fn(&Config, &GenerationOverrides) -> Result<Box<dyn ImageGenerator>> + Send + Sync>;

/// The jobs of an owner.
pub struct JobQueue {
    pub(super) maker: GeneratorFactory,
    pub(super) inner: Mutex<Inner>,
    pub(super) wake: Condvar,
    pub(super) named: Mutex<Option<Arc<RequestedImages>>>,
    pub(super) states: Mutex<Option<States>>,
    pub(super) present: Mutex<Present>,
    /// The files whose bytes differ from the recorded hash, as far as they were checked.
    pub(super) damaged: Mutex<Damaged>,
    /// Version counter of `states`, to detect outdated lists.
    pub(super) found: AtomicU64,
}

/// The picture states of all items, with what they were computed from.
pub(super) type States = (
    Arc<RequestedImages>,
    usize,
    u64,
    HashSet<u64>,
    PictureStates,
);

/// The state of each item's picture, with a number that changes when files are added or removed.
pub type PictureStates = (u64, Arc<Vec<PictureState>>);

/// The state behind the lock. Its holder may write files of jobs and use sled, but takes no other
/// lock of the owner.
#[derive(Default)]
pub(super) struct Inner {
    pub(super) jobs: BTreeMap<u32, JobRuntime>,
    /// Rows of items whose pictures were requested, latest request first.
    pub(super) wants: VecDeque<u32>,
    /// Devices that have a thread.
    pub(super) running: BTreeSet<String>,
    pub(super) threads: Vec<JoinHandle<()>>,
    /// Whether the stored jobs are loaded.
    pub(super) loaded: bool,
    pub(super) ended: bool,
}

impl JobQueue {
    /// A queue without jobs. `maker` builds its generators.
    pub fn new(maker: GeneratorFactory) -> JobQueue {
        JobQueue {
            maker,
            inner: Mutex::default(),
            wake: Condvar::new(),
            named: Mutex::default(),
            states: Mutex::default(),
            present: Mutex::default(),
            damaged: Mutex::default(),
            found: AtomicU64::new(0),
        }
    }

    pub(super) fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock()
    }

    /// Waits until the stored jobs are loaded.
    pub(super) fn loaded(&self) -> Result<MutexGuard<'_, Inner>> {
        let mut inner = self.inner();
        while !inner.loaded && !inner.ended {
            self.wake.wait(&mut inner);
        }
        if inner.loaded {
            Ok(inner)
        } else {
            Err(Error::new(
                ErrorKind::Unreachable,
                "the owner is shutting down",
            ))
        }
    }

    /// Whether the owner is shutting down.
    pub fn is_ending(&self) -> bool {
        self.inner().ended
    }

    /// All jobs: first the active ones in queue order, then the ended ones, latest first.
    ///
    /// # Errors
    /// [`ErrorKind::Unreachable`] if the owner is shutting down.
    pub fn list(&self) -> Result<Vec<JobState>> {
        let inner = self.loaded()?;
        let over = inner
            .jobs
            .values()
            .rev()
            .filter(|j| j.job.standing.is_finished());
        Ok(inner
            .order()
            .iter()
            .filter_map(|id| inner.jobs.get(id))
            .chain(over)
            .map(|j| inner.state(j))
            .collect())
    }

    /// Whether a job waits for an agreement.
    pub fn waits_for_consent(&self, id: u32) -> bool {
        self.inner()
            .jobs
            .get(&id)
            .is_some_and(|live| live.waits.is_some())
    }

    /// Stops all work and waits for it. Pictures that were made but not recorded are made again.
    pub fn end(&self) {
        let threads = {
            let mut inner = self.inner();
            inner.ended = true;
            std::mem::take(&mut inner.threads)
        };
        self.wake.notify_all();
        threads.into_iter().for_each(|thread| drop(thread.join()));
    }
}

impl Inner {
    /// The IDs of jobs that have not ended, in queue order.
    pub(super) fn order(&self) -> Vec<u32> {
        let mut live: Vec<&JobRuntime> = self
            .jobs
            .values()
            .filter(|j| !j.job.standing.is_finished())
            .collect();
        live.sort_by_key(|j| (j.job.turn, j.job.id));
        live.iter().map(|j| j.job.id).collect()
    }

    pub(super) fn state(&self, live: &JobRuntime) -> JobState {
        let place = self
            .order()
            .iter()
            .position(|id| *id == live.job.id)
            .map_or(0, |at| at as u32 + 1);
        live.state(place)
    }
}
