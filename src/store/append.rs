//! A file of lines that only grows: what is acknowledged is synced, what is refused is taken back.

use std::fs::{File, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::disk;
use crate::model::{Problem, Result};

/// How much of a file of lines is whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Whole {
    /// Bytes up to the last whole line.
    pub length: u64,
    /// Whether a torn last line follows.
    pub torn: bool,
}

/// A file open for appending lines. One owner process holds it, so nobody else writes.
#[derive(Debug)]
pub struct Appended {
    path: PathBuf,
    file: File,
    length: u64,
}

impl Appended {
    /// Opens or creates the file at `path`, of which `whole` was read. A torn last line, which nobody was told of, is
    /// moved to `<name>.torn`, so that what follows begins on a line of its own.
    ///
    /// # Errors
    /// The operating system's.
    pub fn open(path: &Path, whole: Whole) -> Result<Appended> {
        let fail = |e: std::io::Error| Problem::io(&e, "cannot be opened", path);
        let fresh = !path.exists();
        let mut file =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path).map_err(fail)?;
        if fresh {
            disk::sync_dir(disk::folder(path))?;
        }
        if whole.torn {
            let bytes = std::fs::read(path).map_err(fail)?;
            let tail = &bytes[usize::try_from(whole.length).unwrap_or(bytes.len()).min(bytes.len())..];
            let mut aside = path.as_os_str().to_owned();
            aside.push(".torn");
            disk::write_atomic(Path::new(&aside), tail)?;
            file.set_len(whole.length).and_then(|()| file.sync_all()).map_err(fail)?;
        }
        file.seek(SeekFrom::Start(whole.length)).map_err(fail)?;
        Ok(Appended { path: path.to_path_buf(), file, length: whole.length })
    }

    /// Appends `lines` with one write and one `fdatasync`: when this returns they are on disk. `failing` begins the
    /// message of a failure.
    ///
    /// # Errors
    /// The operating system's (a full disk among them); then none of them is in the file.
    pub fn append(&mut self, lines: &[u8], failing: &str) -> Result<()> {
        let written = self.file.write_all(lines).and_then(|()| self.file.sync_data());
        if let Err(error) = written {
            // Take back what may have reached the file: what was refused must not come back later.
            let taken_back = self.file.set_len(self.length).and_then(|()| self.file.seek(SeekFrom::Start(self.length)));
            let problem = Problem::io(&error, failing, &self.path);
            return Err(match taken_back {
                Ok(_) => problem,
                Err(e) => problem.help(format!("and the file could not be put back to {} bytes: {e}", self.length)),
            });
        }
        self.length += lines.len() as u64;
        Ok(())
    }

    /// Length in bytes; all of it is durable.
    pub fn length(&self) -> u64 {
        self.length
    }
}
