//! What clients are told: events as they happen, and notices that stay.

use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard};
use tokio::sync::broadcast;

use crate::clock::now;
use benchtop_model::history;
use benchtop_protocol::wire::Event;
use benchtop_store::lazy_index::LazyIndex;

/// Events for every client, and notices.
pub struct Broadcast {
    /// Events for every client.
    pub events: broadcast::Sender<Event>,
    notices: Mutex<Vec<String>>,
    /// It may have notices of its own once it is open.
    index: Arc<LazyIndex>,
}

impl Broadcast {
    /// Begins with these notices.
    pub fn new(notices: Vec<String>, index: Arc<LazyIndex>) -> Broadcast {
        Broadcast {
            events: broadcast::channel(1024).0,
            notices: Mutex::new(notices),
            index,
        }
    }

    /// Tells every client.
    pub fn tell(&self, event: Event) {
        // No receivers is not an error: nobody is watching.
        let _ = self.events.send(event);
    }

    /// What a person should know.
    pub fn notices(&self) -> MutexGuard<'_, Vec<String>> {
        let mut notices = self.notices.lock();
        for late in self.index.notices() {
            crate::log::write(format_args!("{} {late}", history::stamp(now())));
            notices.push(late);
        }
        notices
    }
}
