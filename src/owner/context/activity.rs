//! Counts clients and running tasks. An owner with neither ends.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// Number of connected clients and running tasks.
#[derive(Default)]
pub struct Activity {
    clients: Arc<AtomicU32>,
    jobs: Arc<AtomicU32>,
}

impl Activity {
    /// Number of connected clients.
    pub fn clients(&self) -> u32 {
        self.clients.load(Ordering::SeqCst)
    }

    /// Number of running tasks.
    pub fn jobs(&self) -> u32 {
        self.jobs.load(Ordering::SeqCst)
    }

    /// Counts a client while the guard lives.
    pub fn count_client(&self) -> Counted {
        Counted::of(&self.clients)
    }

    /// Counts a task while the guard lives.
    pub fn count_job(&self) -> Counted {
        Counted::of(&self.jobs)
    }
}

/// Guard of [`Activity::count_client`] and [`Activity::count_job`].
pub struct Counted(Arc<AtomicU32>);

impl Counted {
    fn of(counter: &Arc<AtomicU32>) -> Counted {
        counter.fetch_add(1, Ordering::SeqCst);
        Counted(counter.clone())
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}
