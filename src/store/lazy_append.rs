//! A file of records that is opened for writing once something is added: whoever only looks at it changes nothing.

use std::path::PathBuf;

use super::append_log::{AppendLog, ValidPrefix};
use benchtop_model::Result;

/// See the module.
#[derive(Debug, Default)]
pub struct LazyAppend {
    path: PathBuf,
    whole: ValidPrefix,
    file: Option<AppendLog>,
}

impl LazyAppend {
    /// The file at `path`, of which `whole` was read.
    pub fn new(path: PathBuf, whole: ValidPrefix) -> LazyAppend {
        LazyAppend {
            path,
            whole,
            file: None,
        }
    }

    /// Appends records: when this returns they are on disk. `failing` begins the message of a failure.
    ///
    /// # Errors
    /// As [`AppendLog::open`] and [`AppendLog::append`].
    pub fn append(&mut self, bytes: &[u8], failing: &str) -> Result<()> {
        let file = match &mut self.file {
            Some(file) => file,
            None => self.file.insert(AppendLog::open(&self.path, self.whole)?),
        };
        file.append(bytes, failing)
    }

    /// Whether it must be opened anew; see [`AppendLog::lost`].
    pub fn lost(&self) -> bool {
        self.file.as_ref().is_some_and(AppendLog::lost)
    }

    /// Length in bytes of what was read and added.
    pub fn length(&self) -> u64 {
        self.file
            .as_ref()
            .map_or(self.whole.length, AppendLog::length)
    }
}
