//! Tracks the connections that work on each round, to tell people that work in two terminals.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::{Mutex, MutexGuard};

type Places = HashMap<(String, String), HashSet<u64>>;

#[derive(Debug, Default)]
pub struct AtWork {
    next: AtomicU64,
    /// Connections by annotator and round.
    places: Mutex<Places>,
}

impl AtWork {
    pub fn connection(&self) -> u64 {
        self.next.fetch_add(1, Ordering::Relaxed)
    }

    fn places(&self) -> MutexGuard<'_, Places> {
        self.places.lock()
    }

    /// Records a request of `who` for an item of a round over this connection.
    pub fn came(&self, who: &str, round: &str, connection: u64) {
        self.places()
            .entry((who.into(), round.into()))
            .or_default()
            .insert(connection);
    }

    /// Records that they released their item.
    pub fn left(&self, who: &str, round: &str, connection: u64) {
        if let Some(there) = self.places().get_mut(&(who.into(), round.into())) {
            there.remove(&connection);
        }
    }

    /// Removes a closed connection.
    pub fn gone(&self, connection: u64) {
        self.places().retain(|_, there| {
            there.remove(&connection);
            !there.is_empty()
        });
    }

    /// Whether `who` works on a round over more than one connection.
    pub fn twice(&self, who: &str, round: &str) -> bool {
        self.places()
            .get(&(who.into(), round.into()))
            .is_some_and(|there| there.len() > 1)
    }
}
