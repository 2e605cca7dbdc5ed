//! Detects that an open project folder was moved or replaced.

use std::fs::{File, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::client::{Client, Incoming};
use benchtop_files::project::Project;
use benchtop_model::{Error, Result};

/// The folder that was opened, whatever its path is now.
#[derive(Debug)]
pub struct Home {
    /// Held open, because some file systems reuse inode numbers.
    folder: Option<File>,
    left: AtomicBool,
}

fn identity(meta: &Metadata) -> (u64, u64) {
    (meta.dev(), meta.ino())
}

impl Home {
    /// Opens the folder at `root`.
    pub fn of(root: &Path) -> Home {
        Home {
            folder: File::open(root).ok(),
            left: AtomicBool::new(false),
        }
    }

    /// Whether `root` still is that folder. Once `false`, always `false`.
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
            .is_ok_and(|now| identity(&now) == identity(&opened));
        if !there {
            self.left.store(true, Ordering::SeqCst);
        }
        there
    }
}

/// Connects to the owner of the folder `home`, starting one if needed. Never connects to the owner
/// of a folder that replaced it.
///
/// # Errors
/// [`moved`], and the errors of [`Client::connect`].
pub fn connect(
    project: &Project,
    home: &Home,
    who: &str,
    on: impl FnMut(Incoming) + Send + 'static,
) -> Result<Client> {
    let check_unmoved = || {
        if home.is_there(project.root()) {
            Ok(())
        } else {
            Err(moved(project.root()))
        }
    };

    check_unmoved()?;
    let client = Client::connect(project, who, on)?;
    // The folder may have moved meanwhile.
    check_unmoved()?;
    Ok(client)
}

/// Error for a project path that names another folder or none.
pub fn moved(root: &Path) -> Error {
    Error::conflict(
        "the project folder was moved or replaced while it was open; nothing more is saved",
    )
    .file(root)
    .help("open the folder at its new path; acknowledged decisions are saved there")
}
