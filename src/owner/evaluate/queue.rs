//! The evaluations that the owner holds.

use std::collections::BTreeMap;
use std::thread::JoinHandle;

use parking_lot::{Condvar, Mutex, MutexGuard};

use super::runtime::JobRuntime;
use benchtop_inference::http::chat::ChatModel;
use benchtop_inference::vlm::VisionLanguageModel;
use benchtop_model::config::Judge;
use benchtop_model::config::judge::{Endpoint, Price};
use benchtop_model::evaluation::NewRun;
use benchtop_model::job::{JobState, JobStatus};
use benchtop_model::{Error, ErrorKind, Result};

/// Builds the client of a model.
pub type Maker = Box<dyn Fn(&NewRun) -> Result<Box<dyn VisionLanguageModel>> + Send + Sync>;

/// The evaluations of an owner.
pub struct Evaluations {
    pub(super) maker: Maker,
    pub(super) inner: Mutex<Inner>,
    pub(super) wake: Condvar,
    pub(super) numbers: Mutex<()>,
    pub(super) comparing: Mutex<()>,
    pub(super) judging: Mutex<()>,
}

/// The state behind the lock. Its holder takes no other lock of the owner.
#[derive(Default)]
pub(super) struct Inner {
    pub(super) runs: BTreeMap<u32, JobRuntime>,
    pub(super) thread: Option<JoinHandle<()>>,
    /// The run that the thread works on, even if it was just paused or canceled.
    pub(super) at_work: Option<u32>,
    pub(super) ended: bool,
}

impl Default for Evaluations {
    fn default() -> Self {
        Evaluations::new(Box::new(|new| Ok(Box::new(ChatModel::new(&table(new)?)?))))
    }
}

/// The servers of a run as a table for the chat client.
///
/// # Errors
/// [`ErrorKind::Usage`] for an invalid URL or variable.
fn table(new: &NewRun) -> Result<Judge> {
    let one = |server: &benchtop_model::evaluation::Server| {
        let mut value = serde_json::json!({
            "url": server.url, "concurrency": server.concurrency, "timeout_s": server.timeout_s,
        });
        if let Some(name) = &server.key_env {
            value["key_env"] = name.as_str().into();
        }
        serde_json::from_value::<Endpoint>(value)
            .map_err(|e| Error::new(ErrorKind::Usage, e.to_string()).field("endpoint"))
    };
    Ok(Judge {
        model: Some(new.model.clone()),
        tries: new.tries,
        max_tokens: new.max_tokens,
        seed: 0,
        price_in: Price(new.prices.0),
        price_out: Price(new.prices.1),
        endpoints: new.servers.iter().map(one).collect::<Result<_>>()?,
    })
}

impl Evaluations {
    /// Creates it without runs. `maker` builds the client of a model.
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

    pub(super) fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock()
    }

    /// Held while any job gets its number.
    pub fn numbering(&self) -> MutexGuard<'_, ()> {
        self.numbers.lock()
    }

    /// Held while free-form answers are compared.
    pub(super) fn comparing(&self) -> MutexGuard<'_, ()> {
        self.comparing.lock()
    }

    /// Held while a judge is asked.
    pub(super) fn judging(&self) -> MutexGuard<'_, ()> {
        self.judging.lock()
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

    /// Stops all work and waits for it. The next owner repeats requests in flight.
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
    /// The runs that have not ended, in queue order.
    pub(super) fn order(&self) -> Vec<u32> {
        let mut live: Vec<&JobRuntime> = self
            .runs
            .values()
            .filter(|r| !r.run.standing.is_finished())
            .collect();
        live.sort_by_key(|r| (r.run.turn, r.run.id));
        live.iter().map(|r| r.run.id).collect()
    }

    pub(super) fn state(&self, live: &JobRuntime) -> JobState {
        let place = self
            .order()
            .iter()
            .position(|id| *id == live.run.id)
            .map_or(0, |at| at as u32 + 1);
        live.state(place)
    }

    pub(super) fn state_of(&self, id: u32) -> Option<JobState> {
        self.runs.get(&id).map(|live| self.state(live))
    }

    /// The next run to work on: a queued one, or one whose answers must be published.
    pub(super) fn next(&self) -> Option<u32> {
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
