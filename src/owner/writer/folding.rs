//! A fold of all journals on another thread.

use std::sync::mpsc;
use std::thread::JoinHandle;

use benchtop_model::{Decision, Result};
use benchtop_store::{Ledger, StatusColumns};

/// A fold on another thread.
pub(super) struct Folding {
    pub(super) thread: JoinHandle<Result<(Ledger, StatusColumns)>>,
    /// Decisions acknowledged since it started.
    pub(super) since: Vec<(Decision, u32)>,
    /// Who waits for its end.
    pub(super) then: Then,
}

/// Who waits for a fold. A dropped sender also wakes them.
pub(super) enum Then {
    Nothing,
    Rounds(mpsc::Sender<()>),
    Joined(mpsc::Sender<Result<()>>, Result<()>),
}

impl Then {
    pub(super) fn tell(self) {
        match self {
            Then::Nothing => {}
            Then::Rounds(sender) => drop(sender.send(())),
            Then::Joined(sender, outcome) => drop(sender.send(outcome)),
        }
    }
}

impl Folding {
    /// Waits for the thread and discards its result, because everything was reread.
    pub(super) fn abandon(self) {
        let _ = self.thread.join();
        self.then.tell();
    }
}
