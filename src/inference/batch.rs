//! A batch of tasks on other threads: which tasks are open, and the watcher of their results.

use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

use super::BatchEvent;
use benchtop_model::generation::{Failure, FailureKind};

/// Time between two [`BatchEvent::Alive`] while a batch is running.
const SIGN_OF_LIFE: Duration = Duration::from_millis(200);

/// Results that come within this time are received together, so that not each of them wakes a thread.
const TOGETHER: Duration = Duration::from_millis(1);

/// Answers each task exactly once.
pub(crate) struct Batch<'w, T> {
    open: Vec<bool>,
    /// Number of open tasks.
    left: usize,
    watch: &'w mut dyn FnMut(BatchEvent<T>) -> bool,
    /// Whether the watcher wants the batch to go on.
    pub(crate) goes_on: bool,
}

impl<'w, T> Batch<'w, T> {
    pub(crate) fn new(tasks: usize, watch: &'w mut dyn FnMut(BatchEvent<T>) -> bool) -> Self {
        let goes_on = watch(BatchEvent::Alive);
        Batch {
            open: vec![true; tasks],
            left: tasks,
            watch,
            goes_on,
        }
    }

    /// Answers one task.
    pub(crate) fn done(&mut self, index: usize, result: Result<T, Failure>) {
        self.left -= usize::from(std::mem::take(&mut self.open[index]));
        self.goes_on = (self.watch)(BatchEvent::Done { index, result });
    }

    /// Answers tasks with these results until the watcher stops the batch or the threads end.
    pub(crate) fn receive(&mut self, results: &Receiver<(usize, Result<T, Failure>)>) {
        while self.goes_on {
            match results.recv_timeout(SIGN_OF_LIFE) {
                Ok((index, result)) => {
                    self.done(index, result);
                    while self.goes_on
                        && let Ok((index, result)) = results.try_recv()
                    {
                        self.done(index, result);
                    }
                    if self.goes_on && self.left > 0 {
                        std::thread::sleep(TOGETHER);
                    }
                }
                Err(RecvTimeoutError::Timeout) => {
                    self.goes_on = (self.watch)(BatchEvent::Alive);
                }
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    }

    /// Answers the open tasks: they were canceled, or else `lost` says what happened.
    pub(crate) fn end(self, lost: &str) {
        let why = match self.goes_on {
            true => Failure::new(FailureKind::BadOutput, lost),
            false => Failure::cancelled(),
        };
        for index in (0..self.open.len()).filter(|index| self.open[*index]) {
            let result = Err(why.clone());
            (self.watch)(BatchEvent::Done { index, result });
        }
    }
}
