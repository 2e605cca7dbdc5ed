//! The project folder that was opened: whether its path still leads to it.

use std::fs::{File, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::client::{Client, Incoming};
use benchtop_files::project::Project;
use benchtop_model::{Error, ErrorKind, Result};

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
