//! Whether the project may be written, and why not.

use std::path::{Path, PathBuf};

use parking_lot::{Mutex, MutexGuard};

use benchtop_model::{Error, Result};
use benchtop_protocol::home::{Home, moved};

/// Whether the project may be written.
pub struct Writable {
    /// Why nothing may be written from the start on, when that is so.
    pub closed: Option<Error>,
    read_only: Mutex<Option<String>>,
    root: PathBuf,
    home: Home,
}

impl Writable {
    /// Of the project folder at `root`, as it is there now.
    pub fn new(root: &Path) -> Writable {
        Writable {
            closed: None,
            read_only: Mutex::new(None),
            root: root.to_path_buf(),
            home: Home::of(root),
        }
    }

    /// Why decisions cannot be saved, when they cannot.
    pub fn read_only(&self) -> MutexGuard<'_, Option<String>> {
        self.read_only.lock()
    }

    /// Why nothing may be written now: the project was opened for reading only, or its folder is another one.
    ///
    /// # Errors
    /// That, as a problem.
    pub fn may_write(&self) -> Result<()> {
        self.closed.clone().map_or(Ok(()), Err)?;
        self.at_home()
    }

    /// Whether the project's path still names the folder that was opened.
    ///
    /// # Errors
    /// [`benchtop_model::ErrorKind::Conflict`] once it does not, from then on.
    pub fn at_home(&self) -> Result<()> {
        if self.home.is_there(&self.root) {
            Ok(())
        } else {
            Err(moved(&self.root))
        }
    }
}
