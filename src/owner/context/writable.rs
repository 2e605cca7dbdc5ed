//! Tracks whether the project can be written.

use std::path::{Path, PathBuf};

use parking_lot::{Mutex, MutexGuard};

use benchtop_model::{Error, Result};
use benchtop_protocol::home::{Home, moved};

/// Whether the project can be written, and why not.
pub struct Writable {
    /// Reason why the project was opened read-only.
    pub opened_read_only: Option<Error>,
    read_only: Mutex<Option<String>>,
    root: PathBuf,
    home: Home,
}

impl Writable {
    /// Checks the project folder at `root` from now on.
    pub fn new(root: &Path) -> Writable {
        Writable {
            opened_read_only: None,
            read_only: Mutex::new(None),
            root: root.to_path_buf(),
            home: Home::of(root),
        }
    }

    /// Reason why decisions cannot be saved now; `None` if they can.
    pub fn read_only(&self) -> MutexGuard<'_, Option<String>> {
        self.read_only.lock()
    }

    /// Checks that the project can be written now.
    ///
    /// # Errors
    /// The project was opened read-only, or its folder was moved or replaced.
    pub fn may_write(&self) -> Result<()> {
        self.opened_read_only.clone().map_or(Ok(()), Err)?;
        self.check_root()
    }

    /// Checks that the project path still names the folder that was opened.
    ///
    /// # Errors
    /// [`benchtop_model::ErrorKind::Conflict`] once it does not, from then on.
    pub fn check_root(&self) -> Result<()> {
        if self.home.is_there(&self.root) {
            Ok(())
        } else {
            Err(moved(&self.root))
        }
    }
}
