//! Sends many tasks to a pool of servers from code that is not async.

use std::sync::Arc;
use std::sync::mpsc::channel;

use super::client::Threads;
use super::exchange::{Api, Metered};
use super::pool::{Pool, Table, Timeouts};
use super::queue;
use crate::BatchEvent;
use crate::batch::Batch;
use crate::request_meter::RequestMeter;
use benchtop_model::Result;
use benchtop_model::generation::Failure;

/// A pool of servers and the thread that talks to them.
pub(super) struct Caller {
    pub(super) pool: Arc<Pool>,
    /// Counts the requests, if anybody wants to know.
    pub(super) meter: Option<Arc<dyn RequestMeter>>,
    threads: Threads,
}

impl Caller {
    /// Reads the keys from the environment. Sends nothing.
    ///
    /// # Errors
    /// [`benchtop_model::Error::input`] without endpoints or for an invalid URL;
    /// [`benchtop_model::Error::unreachable`] if a key variable is not set.
    pub(super) fn new<F>(table: &Table<'_, F>, timeouts: Timeouts) -> Result<Caller> {
        let pool = Arc::new(Pool::new(table, timeouts, |name| std::env::var(name).ok())?);
        Ok(Caller {
            pool,
            meter: None,
            threads: Threads::start("http", "HTTP threads")?,
        })
    }

    /// Number of live tasks of the runtime: 0 if no request is in flight and no connection is open.
    pub(super) fn alive_tasks(&self) -> usize {
        self.threads.0.metrics().num_alive_tasks()
    }

    /// Sends all `tasks`; tasks that cannot be sent are failures already. Each task is reported
    /// exactly once. Once `watch` returns `false`, the work stops, and unfinished tasks fail with
    /// [`Failure::cancelled`].
    pub(super) fn work<A: Api>(
        &self,
        api: A,
        tasks: Vec<std::result::Result<A::Task, Failure>>,
        watch: &mut dyn FnMut(BatchEvent<A::Answer>) -> bool,
    ) {
        if tasks.is_empty() {
            return;
        }
        let mut batch = Batch::new(tasks.len(), watch);
        let mut sent = Vec::new();
        for (index, task) in tasks.into_iter().enumerate() {
            match task {
                Err(failure) if batch.goes_on => batch.done(index, Err(failure)),
                Err(_) => {}
                Ok(task) => sent.push((index, task)),
            }
        }
        if batch.goes_on && !sent.is_empty() {
            let (tell, results) = channel();
            let work = self.threads.0.spawn(queue::work(
                Arc::new(Metered {
                    api,
                    meter: self.meter.clone(),
                }),
                Arc::clone(&self.pool),
                sent,
                tell,
            ));
            batch.receive(&results);
            work.abort();
        }
        batch.end("internal error: the request was lost; please report this");
    }
}
