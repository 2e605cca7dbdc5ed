//! An owner that may not write: a project on read-only media, on a full disk, of somebody else, or moved away from under it.

use std::fs::{File, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use super::context::OwnerContext;
use super::wire::Event;
use super::{Client, Incoming};
use benchtop_model::{Error, ErrorKind, Result};
use benchtop_store::project::Project;
use benchtop_store::{open, regular, writable};

/// Looks of the server (every half second) between two tries whether the project can be written by now.
const TRY_EVERY: u32 = 4;

/// The folder that was opened, whatever its name is now.
#[derive(Debug)]
pub struct Home {
    /// Held open: some file systems number a folder anew that nobody holds.
    folder: Option<File>,
    left: AtomicBool,
}

fn which(meta: &Metadata) -> (u64, u64) {
    (meta.dev(), meta.ino())
}

impl Home {
    /// The folder at `root`.
    pub fn of(root: &Path) -> Home {
        Home {
            folder: File::open(root).ok(),
            left: AtomicBool::new(false),
        }
    }

    /// Whether `root` is still that folder; once it was not, it never is again.
    pub fn is_there(&self, root: &Path) -> bool {
        if self.left.load(Ordering::SeqCst) {
            return false;
        }
        let Some(opened) = self
            .folder
            .as_ref()
            .and_then(|folder| folder.metadata().ok())
        else {
            return true;
        };
        let there = root
            .symlink_metadata()
            .is_ok_and(|now| which(&now) == which(&opened));
        if !there {
            self.left.store(true, Ordering::SeqCst);
        }
        there
    }
}

/// Finds the owner of the folder that `home` is, or starts one; never that of a folder which took its place.
///
/// # Errors
/// [`moved`], and those of [`Client::connect`].
pub fn connect(
    project: &Project,
    home: &Home,
    who: &str,
    on: impl FnMut(Incoming) + Send + 'static,
) -> Result<Client> {
    let same = || {
        if home.is_there(project.root()) {
            Ok(())
        } else {
            Err(moved(project.root()))
        }
    };
    same()?;
    let client = Client::connect(project, who, on)?;
    // It may have gone between the two.
    same()?;
    Ok(client)
}

/// What is said once the project's path names another folder, or none.
pub fn moved(root: &Path) -> Error {
    Error::new(
        ErrorKind::Conflict,
        "the project folder was moved or replaced while it was open: nothing more is saved",
    )
    .file(root)
    .help("open it where it is now; what was acknowledged is in the folder that was moved")
}

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
        let state = shared.closed.as_ref().and_then(|_| state(shared));
        Seen {
            looks: 0,
            state,
            told: false,
        }
    }

    /// Looks again. True when this owner is to end so that another one opens the project anew: its folder was moved, it
    /// can be written by now, or somebody else has written into it.
    pub fn is_to_end(&mut self, shared: &OwnerContext) -> bool {
        if let Err(problem) = shared.at_home() {
            if self.told {
                return true;
            }
            // Once with time to hear of it: clients ask for everything again, and see why nothing is saved.
            self.told = true;
            super::log::write(format_args!("{problem}"));
            *shared.read_only() = Some(problem.to_string());
            shared.tell(Event::Resync);
            return false;
        }
        self.looks += 1;
        if shared.closed.is_none() || !self.looks.is_multiple_of(TRY_EVERY) {
            return false;
        }
        writable::obstacle(&shared.project).is_none() || state(shared) != self.state
    }
}
