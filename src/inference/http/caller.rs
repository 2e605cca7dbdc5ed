//! Sends many tasks to a pool of servers from code that is not async.

use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use super::exchange::Api;
use super::pool::{Pool, Table, Timeouts};
use super::queue;
use benchtop_model::generation::{Failure, FailureKind};
use benchtop_model::{Error, ErrorKind, Result};

/// Time between two [`News::Alive`] while servers work.
const SIGN_OF_LIFE: Duration = Duration::from_millis(200);

/// An event of running work.
pub(super) enum News<A> {
    /// Sent now and then, so that the receiver can cancel.
    Alive,
    /// The task with this index is finished.
    Done(usize, std::result::Result<A, Failure>),
}

/// A pool of servers and the thread that talks to them.
pub(super) struct Caller {
    pub(super) pool: Arc<Pool>,
    /// `None` only while dropping.
    runtime: Option<tokio::runtime::Runtime>,
}

impl Caller {
    /// Reads the keys from the environment. Sends nothing.
    ///
    /// # Errors
    /// [`ErrorKind::Input`] without endpoints or for an invalid URL; [`ErrorKind::Unreachable`] if
    /// a key variable is not set.
    pub(super) fn new<F>(table: &Table<'_, F>, patience: Timeouts) -> Result<Caller> {
        let pool = Arc::new(Pool::new(table, patience, |name| std::env::var(name).ok())?);
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("http")
            .enable_io()
            .enable_time()
            .build()
            .map_err(|e| {
                Error::new(ErrorKind::Io, format!("cannot start the HTTP threads: {e}"))
            })?;
        Ok(Caller {
            pool,
            runtime: Some(runtime),
        })
    }

    /// Number of live tasks of the runtime: 0 if no request is in flight and no connection is open.
    pub(super) fn alive_tasks(&self) -> usize {
        self.runtime
            .as_ref()
            .map_or(0, |r| r.metrics().num_alive_tasks())
    }

    /// Sends all `tasks`; tasks that cannot be sent are failures already. Each task is reported
    /// exactly once. Once `watch` returns `false`, the work stops, and unfinished tasks fail with
    /// [`FailureKind::Cancelled`].
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
            let (tell, results) = channel();
            let work = runtime.spawn(queue::work(
                Arc::new(api),
                Arc::clone(&self.pool),
                sent,
                tell,
            ));
            while go {
                match results.recv_timeout(SIGN_OF_LIFE) {
                    Ok((index, result)) => {
                        open[index] = false;
                        go = watch(News::Done(index, result));
                    }
                    Err(RecvTimeoutError::Timeout) => go = watch(News::Alive),
                    Err(RecvTimeoutError::Disconnected) => break,
                }
            }
            // Aborting also drops the requests and their connections.
            work.abort();
        }
        let why = match go {
            true => Failure::new(
                FailureKind::BadOutput,
                "internal error: the request was lost; please report this",
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
        // Waiting for a runtime would panic inside a task of another runtime. Its work is already
        // canceled.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}
