//! Servers that speak OpenAI's image API (`POST /v1/images/generations`), used as one pool.
//!
//! What the API has no field for (seed, steps, guidance, negative prompt) is sent in extra body fields whose names the
//! configuration sets. A server that does not know them ignores them without a word, so nothing is taken for honoured
//! unless the answer repeats it: [`Capabilities::honours`] is empty, [`Picture::honoured`] holds what was repeated with
//! the value that was sent, and a note names what was sent and not repeated.
//!
//! [`Picture::honoured`]: crate::model::generation::Picture::honoured

mod answer;
mod ask;
pub(in crate::inference) mod client;
mod pool;
mod queue;
mod retry;

#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

pub use self::pool::Patience;
use self::pool::Pool;
use super::{ImageGenerator, Told};
use crate::model::config::Generate;
use crate::model::generation::{Capabilities, Failure, FailureKind, Fingerprint, Honours, Scheduler, Settings, Task};
use crate::model::{Kind, Problem, Result};

/// Goes up with every change of what servers are sent for the same task: it is part of the fingerprint.
const VERSION: u32 = 1;

/// How often a sign of life is told while servers work, so that a cancel is heard.
const SIGN_OF_LIFE: Duration = Duration::from_millis(200);

/// Asks a pool of servers for pictures.
pub struct HttpGenerator {
    capabilities: Capabilities,
    pool: Arc<Pool>,
    /// Dropped before a caller goes on; `None` only then.
    runtime: Option<tokio::runtime::Runtime>,
}

impl HttpGenerator {
    /// A generator for the endpoints of `config`. Keys are read from the environment now; nothing is sent yet.
    ///
    /// # Errors
    /// [`Kind::Input`]: no endpoints, an address that cannot be read, a variable for a key that is not set.
    pub fn new(config: &Generate) -> Result<HttpGenerator> {
        Self::with_patience(config, Patience::default())
    }

    /// The same with other waiting times.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn with_patience(config: &Generate, patience: Patience) -> Result<HttpGenerator> {
        let pool = Arc::new(Pool::new(config, patience, |name| std::env::var(name).ok())?);
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("http")
            .enable_io()
            .enable_time()
            .build()
            .map_err(|e| Problem::new(Kind::Io, format!("cannot start the threads that talk to servers: {e}")))?;
        let capabilities = Capabilities {
            name: format!("{} over HTTP", pool.models()),
            max_batch: pool.concurrency() * 4,
            multiple_of: 8,
            sides: (64, 4096),
            schedulers: Vec::new(),
            honours: Honours::default(),
            steps_told: false,
            draft: false,
            best: Settings { width: 1024, height: 1024, steps: 30, guidance: 5.0, scheduler: Scheduler::Euler },
        };
        Ok(HttpGenerator { capabilities, pool, runtime: Some(runtime) })
    }

    /// Tasks of the runtime that are alive: 0 when nothing is under way and no connection is kept.
    pub fn alive_tasks(&self) -> usize {
        self.runtime.as_ref().map_or(0, |r| r.metrics().num_alive_tasks())
    }
}

impl Drop for HttpGenerator {
    fn drop(&mut self) {
        // A runtime must not be waited for inside another one's task; what it does is cancelled already.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

impl std::fmt::Debug for HttpGenerator {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HttpGenerator").field("capabilities", &self.capabilities).finish_non_exhaustive()
    }
}

impl ImageGenerator for HttpGenerator {
    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    fn fingerprint(&self, settings: &Settings) -> Fingerprint {
        Fingerprint::default()
            .with("backend", "http")
            .with("version", VERSION)
            .with("endpoints", self.pool.described())
            .with("width", settings.width)
            .with("height", settings.height)
            .with("steps", settings.steps)
            .with("guidance", settings.guidance)
    }

    fn generate(&mut self, settings: &Settings, tasks: &[Task], watch: &mut dyn FnMut(Told) -> bool) {
        if tasks.is_empty() {
            return;
        }
        let sign = || Told::Step { done: 0, of: settings.steps, batch: tasks.len() };
        let mut open: Vec<bool> = vec![true; tasks.len()];
        let mut go = watch(sign());
        let mut sent = Vec::new();
        for (index, task) in tasks.iter().enumerate() {
            match self.capabilities.excluded(settings, task) {
                Some(failure) if go => {
                    open[index] = false;
                    go = watch(Told::Done { index, result: Err(failure) });
                }
                Some(_) => {}
                None => sent.push((index, task.clone())),
            }
        }
        if let Some(runtime) = self.runtime.as_ref().filter(|_| go && !sent.is_empty()) {
            let (tell, told) = channel();
            let work = runtime.spawn(queue::work(Arc::clone(&self.pool), settings.clone(), sent, tell));
            while go {
                match told.recv_timeout(SIGN_OF_LIFE) {
                    Ok((index, result)) => {
                        open[index] = false;
                        go = watch(Told::Done { index, result });
                    }
                    Err(RecvTimeoutError::Timeout) => go = watch(sign()),
                    Err(RecvTimeoutError::Disconnected) => break,
                }
            }
            // Dropping the work drops its requests, and with them their connections.
            work.abort();
        }
        let why = match go {
            true => Failure::new(FailureKind::BadOutput, "the request was lost in this program: please report this"),
            false => Failure::new(FailureKind::Cancelled, "cancelled"),
        };
        for index in (0..tasks.len()).filter(|i| open[*i]) {
            watch(Told::Done { index, result: Err(why.clone()) });
        }
    }
}
