//! A parallel pass over all chunks of an arena.

use benchtop_model::cancel::Cancel;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use super::top::Found;
use crate::arena::{Arena, Chunk};

/// A pass over all chunks. Uses two threads if there are enough chunks.
pub(super) struct Sweep<'a> {
    pub(super) arena: &'a Arena,
    pub(super) only: Option<&'a [u32]>,
    pub(super) cancel: Cancel<'a>,
}

/// Work on a chunk: receives the rows to check (`None` for all), and the place for results.
pub(super) type Work<'a> = &'a (dyn Fn(&Chunk, Option<&[u32]>, &mut Found) + Sync);

impl Sweep<'_> {
    /// Runs `work` on every chunk and collects the results in `found`. On this thread, calls `tick`
    /// after each chunk with the progress out of 1000. Returns `false` if canceled.
    pub(super) fn run(
        &self,
        found: &Mutex<Found>,
        work: Work,
        tick: &mut dyn FnMut(&Found, u32),
    ) -> bool {
        let chunks = self.arena.chunks();
        let next = AtomicUsize::new(0);
        let step = || -> Option<usize> {
            if self.cancel.is_canceled() {
                return None;
            }
            let at = next.fetch_add(1, Ordering::Relaxed);
            let chunk = chunks.get(at)?;
            let only = self.only.map(|only| {
                let end = chunk.first + chunk.len() as u32;
                &only
                    [only.partition_point(|&r| r < chunk.first)..only.partition_point(|&r| r < end)]
            });
            if only.is_none_or(|only| !only.is_empty()) {
                let mut local = found
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .new_part();
                work(chunk, only, &mut local);
                found
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .absorb(local);
            }
            Some(at)
        };
        std::thread::scope(|scope| {
            if chunks.len() >= 8 {
                // If the second thread cannot start, this one does all the work.
                let _ =
                    std::thread::Builder::new().spawn_scoped(scope, || while step().is_some() {});
            }
            while let Some(at) = step() {
                let share = (at + 1) * 1000 / chunks.len().max(1);
                tick(
                    &found.lock().unwrap_or_else(PoisonError::into_inner),
                    share.min(1000) as u32,
                );
            }
        });
        !self.cancel.is_canceled()
    }
}
