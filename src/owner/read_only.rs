//! Detects when a read-only owner must be replaced, and when an open project was moved.
//!
//! An owner is read-only on read-only media, on a full disk, or in a project of another user.

use super::context::OwnerContext;
use benchtop_files::{regular, writable};
use benchtop_protocol::wire::Event;
use benchtop_store::open;

/// Number of checks (every half second) between two attempts to write.
const TRY_EVERY: u32 = 4;

/// State of the project at the last check.
#[derive(Debug)]
pub struct Seen {
    checks: u32,
    /// Digest of the journals and length of the manifest of a read-only project, which others may
    /// change.
    state: Option<([u8; 32], u64)>,
    announced: bool,
}

fn state(shared: &OwnerContext) -> Option<([u8; 32], u64)> {
    let manifest = regular::length(&shared.project.imports().join("manifest.jsonl")).ok()?;
    Some((open::lengths(&shared.project).ok()?.0, manifest))
}

impl Seen {
    /// The present state.
    pub fn of(shared: &OwnerContext) -> Seen {
        let state = shared
            .writable
            .opened_read_only
            .as_ref()
            .and_then(|_| state(shared));
        Seen {
            checks: 0,
            state,
            announced: false,
        }
    }

    /// Checks again. Returns `true` if this owner must end so that another can reopen the project:
    /// the folder was moved, became writable, or was changed by somebody else.
    pub fn is_to_end(&mut self, shared: &OwnerContext) -> bool {
        if let Err(problem) = shared.writable.check_root() {
            if self.announced {
                return true;
            }
            // Clients get one interval to request everything again and to see why nothing is saved.
            self.announced = true;
            super::log::write(format_args!("{problem}"));
            *shared.writable.read_only() = Some(problem.to_string());
            shared.broadcast.send(Event::Resync);
            return false;
        }
        self.checks += 1;
        if shared.writable.opened_read_only.is_none() || !self.checks.is_multiple_of(TRY_EVERY) {
            return false;
        }
        writable::obstacle(&shared.project).is_none() || state(shared) != self.state
    }
}
