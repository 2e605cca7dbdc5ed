//! Work on several threads whose results are taken in order.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread::{Builder, Scope};

use benchtop_model::{Error, ErrorKind, Result};

/// How work is spread over threads.
pub(crate) struct Threads {
    /// Name of the threads.
    pub name: &'static str,
    pub threads: u64,
    /// Number of results that wait for each thread besides the last one that it made.
    pub ahead: usize,
}

impl Threads {
    /// Makes the results `0..count` and takes them here, in order. `start` makes the closure of a
    /// thread. The closure may end early once its flag is set, because nobody takes the result.
    ///
    /// # Errors
    ///
    /// The first error of a result or of `take`, in order. No further results are made then.
    pub fn each<T: Send, M: FnMut(u64, &AtomicBool) -> Result<T> + Send>(
        &self,
        count: u64,
        start: impl Fn() -> M,
        mut take: impl FnMut(u64, T) -> Result<()>,
    ) -> Result<()> {
        let (is_over, threads) = (AtomicBool::new(false), self.threads.min(count));
        std::thread::scope(|scope| {
            let mut taken = || {
                let workers = (0..threads)
                    .map(|first| {
                        let numbers = (first..count).step_by(threads as usize);
                        self.worker(scope, numbers, start(), &is_over)
                    })
                    .collect::<Result<Vec<_>>>()?;
                let ended = |_| Error::new(ErrorKind::Io, "a thread ended early");
                (0..count).try_for_each(|n| {
                    let result = workers[(n % threads) as usize].recv().map_err(ended)?;
                    take(n, result?)
                })
            };
            let taken = taken();
            is_over.store(true, Ordering::Relaxed);
            taken
        })
    }

    /// Starts a thread that makes the results with these numbers.
    fn worker<'s, T: Send + 's>(
        &self,
        scope: &'s Scope<'s, '_>,
        mut numbers: impl Iterator<Item = u64> + Send + 's,
        mut make: impl FnMut(u64, &AtomicBool) -> Result<T> + Send + 's,
        is_over: &'s AtomicBool,
    ) -> Result<Receiver<Result<T>>> {
        let (give, get) = sync_channel(self.ahead);
        let work = move || {
            // A result cannot be given once nobody takes it, after an error or cancellation.
            let _ = numbers.try_for_each(|n| {
                let result = make(n, is_over);
                let is_last = result.is_err();
                (give.send(result).is_ok() && !is_last).then_some(())
            });
        };
        let started = Builder::new()
            .name(self.name.into())
            .spawn_scoped(scope, work);
        started.map_err(|e| Error::io(&e, "cannot start a thread", Path::new(self.name)))?;
        Ok(get)
    }
}
