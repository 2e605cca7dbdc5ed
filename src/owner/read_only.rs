//! An owner that may not write: a project on read-only media, on a full disk, of somebody else, or moved away from under it.

use super::context::OwnerContext;
use benchtop_files::{regular, writable};
use benchtop_protocol::wire::Event;
use benchtop_store::open;

/// Looks of the server (every half second) between two tries whether the project can be written by now.
const TRY_EVERY: u32 = 4;

/// What the server saw of the project when it looked last.
#[derive(Debug)]
pub struct Seen {
    looks: u32,
    /// Journals and manifest of a project that is only read: somebody else may write them.
    state: Option<([u8; 32], u64)>,
    told: bool,
}

fn state(shared: &OwnerContext) -> Option<([u8; 32], u64)> {
    let manifest = regular::length(&shared.project.imports().join("manifest.jsonl")).ok()?;
    Some((open::lengths(&shared.project).ok()?.0, manifest))
}

impl Seen {
    /// As the project is now.
    pub fn of(shared: &OwnerContext) -> Seen {
        let state = shared.writable.closed.as_ref().and_then(|_| state(shared));
        Seen {
            looks: 0,
            state,
            told: false,
        }
    }

    /// Looks again. True when this owner is to end so that another one opens the project anew: its folder was moved, it
    /// can be written by now, or somebody else has written into it.
    pub fn is_to_end(&mut self, shared: &OwnerContext) -> bool {
        if let Err(problem) = shared.writable.at_home() {
            if self.told {
                return true;
            }
            // Once with time to hear of it: clients ask for everything again, and see why nothing is saved.
            self.told = true;
            super::log::write(format_args!("{problem}"));
            *shared.writable.read_only() = Some(problem.to_string());
            shared.broadcast.tell(Event::Resync);
            return false;
        }
        self.looks += 1;
        if shared.writable.closed.is_none() || !self.looks.is_multiple_of(TRY_EVERY) {
            return false;
        }
        writable::obstacle(&shared.project).is_none() || state(shared) != self.state
    }
}
