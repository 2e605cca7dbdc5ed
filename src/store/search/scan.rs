//! Going through all chunks of an arena.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use super::top::Found;
use crate::arena::{Arena, Chunk};

/// A pass over all chunks, by two threads where there are chunks for two.
pub(super) struct Sweep<'a> {
    pub(super) arena: &'a Arena,
    pub(super) only: Option<&'a [u32]>,
    pub(super) cancel: &'a (dyn Fn() -> bool + Sync),
}

/// What is done with a chunk: the rows to look at (`None` for all), and where results go.
pub(super) type Work<'a> = &'a (dyn Fn(&Chunk, Option<&[u32]>, &mut Found) + Sync);

impl Sweep<'_> {
    /// Does `work` for every chunk and gathers the results in `found`; `tick` sees them on this thread after each of
    /// its chunks, with the share done of 1000. Returns `false` when cancelled.
    pub(super) fn run(
        &self,
        found: &Mutex<Found>,
        work: Work,
        tick: &mut dyn FnMut(&Found, u32),
    ) -> bool {
        let chunks = self.arena.chunks();
        let next = AtomicUsize::new(0);
        let step = || -> Option<usize> {
            if (self.cancel)() {
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
                    .beside();
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
                // Without a second thread the first does it all.
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
        !(self.cancel)()
    }
}
