//! A log file that is opened for writing on the first append, so that reading alone changes
//! nothing.

use std::path::PathBuf;

use super::append_log::{AppendLog, ValidPrefix};
use benchtop_model::Result;

#[derive(Debug, Default)]
pub struct LazyAppend {
    path: PathBuf,
    whole: ValidPrefix,
    file: Option<AppendLog>,
}

impl LazyAppend {
    /// Handle for the file at `path`. `whole` is the part that was read.
    pub fn new(path: PathBuf, whole: ValidPrefix) -> LazyAppend {
        LazyAppend {
            path,
            whole,
            file: None,
        }
    }

    /// Appends records. When this returns, they are on disk. `failing` is the start of the error
    /// message.
    pub fn append(&mut self, bytes: &[u8], failing: &str) -> Result<()> {
        let file = match &mut self.file {
            Some(file) => file,
            None => self.file.insert(AppendLog::open(&self.path, self.whole)?),
        };
        file.append(bytes, failing)
    }

    /// Whether the file must be reopened; see [`AppendLog::lost`].
    pub fn must_reopen(&self) -> bool {
        self.file.as_ref().is_some_and(AppendLog::must_reopen)
    }

    /// Length in bytes, including appended records.
    pub fn length(&self) -> u64 {
        self.file
            .as_ref()
            .map_or(self.whole.length, AppendLog::length)
    }
}
