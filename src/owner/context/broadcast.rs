//! Messages to clients: events as they happen, and notices that stay.

use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard};
use tokio::sync::broadcast;

use benchtop_protocol::wire::Event;
use benchtop_store::lazy_index::LazyIndex;

/// Events and notices for all clients.
pub struct Broadcast {
    pub events: broadcast::Sender<Event>,
    notices: Mutex<Vec<String>>,
    /// It may add notices when it has opened.
    index: Arc<LazyIndex>,
}

impl Broadcast {
    /// Starts with these notices.
    pub fn new(notices: Vec<String>, index: Arc<LazyIndex>) -> Broadcast {
        Broadcast {
            events: broadcast::channel(1024).0,
            notices: Mutex::new(notices),
            index,
        }
    }

    /// Sends an event to all clients.
    pub fn send(&self, event: Event) {
        // There may be no receivers.
        let _ = self.events.send(event);
    }

    /// Messages for the person.
    pub fn notices(&self) -> MutexGuard<'_, Vec<String>> {
        let mut notices = self.notices.lock();
        for late in self.index.notices() {
            crate::log::stamped(&late);
            notices.push(late);
        }
        notices
    }
}
