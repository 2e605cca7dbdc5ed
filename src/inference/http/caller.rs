//! Many tasks asked of a pool of servers by code that is not async.

use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use super::exchange::Api;
use super::pool::{Pool, Table, Timeouts};
use super::queue;
use benchtop_model::generation::{Failure, FailureKind};
use benchtop_model::{Error, ErrorKind, Result};

/// How often a sign of life is told while servers work, so that a cancel is heard.
const SIGN_OF_LIFE: Duration = Duration::from_millis(200);

/// What is told of the work.
pub(super) enum News<A> {
    /// It goes on.
    Alive,
    /// Task so and so is over.
    Done(usize, std::result::Result<A, Failure>),
}

/// A pool of servers and the thread that talks to them.
pub(super) struct Caller {
    /// The servers.
    pub(super) pool: Arc<Pool>,
    /// Dropped before a caller goes on; `None` only then.
    runtime: Option<tokio::runtime::Runtime>,
}

impl Caller {
    /// Keys are read from the environment now; nothing is sent yet.
    ///
    /// # Errors
    /// [`ErrorKind::Input`]: no endpoints, an address that cannot be read, a variable for a key that is not set.
    pub(super) fn new<F>(table: &Table<'_, F>, patience: Timeouts) -> Result<Caller> {
        let pool = Arc::new(Pool::new(table, patience, |name| std::env::var(name).ok())?);
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("http")
            .enable_io()
            .enable_time()
            .build()
            .map_err(|e| {
                Error::new(
                    ErrorKind::Io,
                    format!("cannot start the threads that talk to servers: {e}"),
                )
            })?;
        Ok(Caller {
            pool,
            runtime: Some(runtime),
        })
    }

    /// Tasks of the runtime that are alive: 0 when nothing is under way and no connection is kept.
    pub(super) fn alive_tasks(&self) -> usize {
        self.runtime
            .as_ref()
            .map_or(0, |r| r.metrics().num_alive_tasks())
    }

    /// Asks for all `tasks`; those that cannot be asked carry their failure. Each is told exactly once. Once `watch`
    /// says `false` the work ends, and what is not done is told as [`FailureKind::Cancelled`].
    pub(super) fn work<A: Api>(
        &self,
        api: A,
        tasks: Vec<std::result::Result<A::Task, Failure>>,
        watch: &mut dyn FnMut(News<A::Answer>) -> bool,
    ) {
        if tasks.is_empty() {
            return;
        }
        let mut open: Vec<bool> = vec![true; tasks.len()];
        let mut go = watch(News::Alive);
        let mut sent = Vec::new();
        for (index, task) in tasks.into_iter().enumerate() {
            match task {
                Err(failure) if go => {
                    open[index] = false;
                    go = watch(News::Done(index, Err(failure)));
                }
                Err(_) => {}
                Ok(task) => sent.push((index, task)),
            }
        }
        if let Some(runtime) = self.runtime.as_ref().filter(|_| go && !sent.is_empty()) {
            let (tell, told) = channel();
            let work = runtime.spawn(queue::work(
                Arc::new(api),
                Arc::clone(&self.pool),
                sent,
                tell,
            ));
            while go {
                match told.recv_timeout(SIGN_OF_LIFE) {
                    Ok((index, result)) => {
                        open[index] = false;
                        go = watch(News::Done(index, result));
                    }
                    Err(RecvTimeoutError::Timeout) => go = watch(News::Alive),
                    Err(RecvTimeoutError::Disconnected) => break,
                }
            }
            // Dropping the work drops its requests, and with them their connections.
            work.abort();
        }
        let why = match go {
            true => Failure::new(
                FailureKind::BadOutput,
                "the request was lost in this program: please report this",
            ),
            false => Failure::new(FailureKind::Cancelled, "cancelled"),
        };
        for index in (0..open.len()).filter(|i| open[*i]) {
            watch(News::Done(index, Err(why.clone())));
        }
    }
}

impl Drop for Caller {
    fn drop(&mut self) {
        // A runtime must not be waited for inside another one's task; what it does is cancelled already.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}
