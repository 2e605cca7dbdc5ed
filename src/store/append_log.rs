//! Append-only log files. An acknowledged line is synced to disk; a failed append is rolled back.
//!
//! Other programs can replace, move, remove, or truncate the file while it is open: `git checkout`,
//! `rsync`, and editors write a new file and rename it over the old one. Later writes would then go
//! to a file without a name. So each append compares the open file with the file at its path,
//! before the write and after the sync, as SQLite does.

use std::fs::{File, Metadata, OpenOptions};
use std::io::Write;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use benchtop_files::{disk, regular};
use benchtop_model::{Error, Result};

/// The length of the complete lines of a log file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ValidPrefix {
    /// Bytes up to the end of the last complete line.
    pub length: u64,
    /// Whether an incomplete last line follows.
    pub torn: bool,
}

impl ValidPrefix {
    /// The prefix of a file of `length` bytes whose incomplete last line begins at `torn_at`.
    pub fn new(length: u64, torn_at: Option<u64>) -> ValidPrefix {
        ValidPrefix {
            length: torn_at.unwrap_or(length),
            torn: torn_at.is_some(),
        }
    }

    /// The prefix of a file of `length` bytes with rows of `row` bytes.
    pub fn of_rows(length: u64, row: u64) -> ValidPrefix {
        let whole = length / row * row;
        ValidPrefix::new(length, (whole < length).then_some(whole))
    }
}

/// Durations of the steps of the last append.
#[derive(Clone, Copy, Debug, Default)]
pub struct Times {
    pub write: Duration,
    /// Duration of `fdatasync`.
    pub sync: Duration,
    /// Time to compare the open file with its path, before and after.
    pub check: Duration,
}

/// A log file that is open for appending. Only the owner process of the project writes to it.
#[derive(Debug)]
pub struct AppendLog {
    path: PathBuf,
    file: Arc<File>,
    length: u64,
    /// Bytes that are written but not yet confirmed.
    pending: u64,
    lost: bool,
    links: u64,
    times: Times,
}

impl AppendLog {
    /// Opens or creates the file at `path`. `whole` is the part that was read. An incomplete last
    /// line, which was never acknowledged, is moved to `<name>.torn-<n>`, so that the next line
    /// starts on its own.
    ///
    /// # Errors
    /// [`Error::failed`] if the file changed since it was read. [`Error::denied`] for a
    /// symbolic link.
    pub fn open(path: &Path, whole: ValidPrefix) -> Result<AppendLog> {
        let fail = |e: std::io::Error| Error::io(&e, "cannot be opened", path);
        let fresh = path.symlink_metadata().is_err();
        let file = regular::open(
            path,
            OpenOptions::new().read(true).append(true).create(true),
        )?;
        if fresh {
            disk::sync_dir(disk::folder(path))?;
        }
        let length = file.metadata().map_err(fail)?.len();
        if whole.torn && length > whole.length {
            save_torn_tail(path, &file, whole.length, length)?;
            file.set_len(whole.length)
                .and_then(|()| file.sync_all())
                .map_err(fail)?;
        }
        let mut appended = AppendLog {
            path: path.to_path_buf(),
            file: Arc::new(file),
            length: whole.length,
            pending: 0,
            lost: false,
            links: 1,
            times: Times::default(),
        };
        appended.confirm("cannot be opened")?;
        Ok(appended)
    }

    /// Appends `lines` with one write and one `fdatasync`. When this returns, they are on disk in
    /// the file at the path. `failing` is the start of the error message.
    ///
    /// # Errors
    /// [`Error::failed`] if the write fails, if the path names another file, or if another program
    /// wrote to the file (see [`lost`](Self::lost)). None of the lines counts as saved then. They
    /// are removed from the file unless another program wrote after them.
    pub fn append(&mut self, lines: &[u8], failing: &str) -> Result<()> {
        self.begin_append(lines, failing)?;
        let began = Instant::now();
        let synced = self.file.sync_data();
        self.finish_append(synced, began.elapsed(), failing)
    }

    /// First step of [`append`](Self::append): writes `lines`. Next, the caller syncs the
    /// [`handle`](Self::handle).
    pub fn begin_append(&mut self, lines: &[u8], failing: &str) -> Result<()> {
        self.times = Times::default();
        self.timed_confirm(failing)?;
        self.pending = lines.len() as u64;
        let began = Instant::now();
        let written = (&*self.file).write_all(lines);
        self.times.write = began.elapsed();
        written.map_err(|e| self.roll_back(Error::io(&e, failing, &self.path)))
    }

    /// The open file, for another thread to sync.
    pub fn handle(&self) -> Arc<File> {
        self.file.clone()
    }

    /// Last step of [`append`](Self::append): confirms the lines, given the result and duration of
    /// the sync.
    pub fn finish_append(
        &mut self,
        synced: std::io::Result<()>,
        took: Duration,
        failing: &str,
    ) -> Result<()> {
        self.times.sync = took;
        if let Err(error) = synced {
            return Err(self.roll_back(Error::io(&error, failing, &self.path)));
        }
        self.timed_confirm(failing)
            .map_err(|problem| self.roll_back(problem))?;
        self.length += std::mem::take(&mut self.pending);
        Ok(())
    }

    /// Truncates the file to its confirmed length, so that a failed append cannot reappear later.
    /// If another program wrote to the file, its bytes stay.
    fn roll_back(&mut self, problem: Error) -> Error {
        let end = self.length + std::mem::take(&mut self.pending);
        let taken_back = match self.file.metadata() {
            Ok(held) if held.len() > self.length && held.len() <= end => {
                self.file.set_len(self.length)
            }
            Ok(_) => Ok(()),
            Err(e) => Err(e),
        };
        match taken_back {
            Ok(()) => problem,
            Err(e) => problem.help(format!(
                "the file could not be truncated to its previous {} bytes either: {e}",
                self.length
            )),
        }
    }

    fn timed_confirm(&mut self, failing: &str) -> Result<()> {
        let began = Instant::now();
        let confirmed = self.confirm(failing);
        self.times.check += began.elapsed();
        confirmed
    }

    /// Checks that the path still names the open file and that no other program wrote to it.
    ///
    /// # Errors
    /// [`Error::failed`]. The file is [`lost`](Self::lost) from then on.
    pub fn confirm(&mut self, failing: &str) -> Result<()> {
        if let Some(why) = self.find_difference() {
            self.lost = true;
            let what = format!("{failing}: {why}");
            return Err(Error::failed(what)
                .file(&self.path)
                .help("nothing was saved; benchtop reads the project again. Do not change the files of an open project with other programs"));
        }
        Ok(())
    }

    /// Describes how the open file differs from the file at the path.
    fn find_difference(&mut self) -> Option<String> {
        let folder = disk::folder(&self.path);
        match folder.symlink_metadata() {
            Ok(meta) if meta.is_dir() => {}
            Ok(_) => return Some("the folder was replaced while it was open".into()),
            Err(e) => {
                return Some(format!(
                    "the folder was moved or removed while it was open ({e})"
                ));
            }
        }
        let there = match self.path.symlink_metadata() {
            Ok(there) => there,
            Err(e) => {
                return Some(format!(
                    "the file was moved or removed while it was open ({e})"
                ));
            }
        };
        let held = match self.file.metadata() {
            Ok(held) => held,
            Err(e) => return Some(format!("cannot read the open file's metadata ({e})")),
        };
        let name = |meta: &Metadata| (meta.dev(), meta.ino());
        if name(&there) != name(&held) || held.nlink() == 0 {
            return Some("the file was replaced while it was open".into());
        }
        let expected = self.length + self.pending;
        if held.len() != expected {
            let bytes = held.len();
            return Some(format!(
                "the file has {bytes} bytes, expected {expected}: another program changed it"
            ));
        }
        self.links = held.nlink();
        None
    }

    /// Whether the path names another file, or another program wrote to the file. The file must be
    /// reopened then.
    pub fn must_reopen(&self) -> bool {
        self.lost
    }

    /// Number of hard links to the file. More than one is allowed, since `cp -l` makes such
    /// backups, but an edit through another name changes this file.
    pub fn hard_links(&self) -> u64 {
        self.links
    }

    pub fn times(&self) -> Times {
        self.times
    }

    /// Length in bytes. All of it is on disk.
    pub fn length(&self) -> u64 {
        self.length
    }

    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// Common prefix of the names of torn tails.
fn torn_prefix(path: &Path) -> String {
    format!(
        "{}.torn",
        path.file_name().unwrap_or_default().to_string_lossy()
    )
}

/// Copies the bytes `from..to` of a file to the first free `<name>.torn-<n>`.
fn save_torn_tail(path: &Path, file: &File, from: u64, to: u64) -> Result<()> {
    let mut tail = vec![0; usize::try_from(to - from).unwrap_or_default()];
    file.read_exact_at(&mut tail, from)
        .map_err(|e| Error::io(&e, "cannot be read", path))?;
    for n in 1u64.. {
        if disk::write_new(
            &path.with_file_name(format!("{}-{n}", torn_prefix(path))),
            &tail,
        )? {
            break;
        }
    }
    Ok(())
}

/// Removes the saved torn tails of the file at `path`.
pub fn remove_torn(path: &Path) -> Result<()> {
    for aside in torn(path) {
        std::fs::remove_file(&aside).map_err(|e| Error::io(&e, "cannot be removed", &aside))?;
    }
    Ok(())
}

/// The saved torn tails of the file at `path`, sorted by name. Earlier versions used the name
/// `<name>.torn`.
pub fn torn(path: &Path) -> Vec<PathBuf> {
    let prefix = torn_prefix(path);
    let is_torn = |name: &str| match name.strip_prefix(&prefix) {
        Some(rest) => {
            rest.is_empty()
                || rest
                    .strip_prefix('-')
                    .is_some_and(|n| n.parse::<u64>().is_ok())
        }
        None => false,
    };
    let entries = std::fs::read_dir(disk::folder(path))
        .into_iter()
        .flatten()
        .flatten();
    let mut found: Vec<PathBuf> = entries
        .filter(|e| e.file_name().to_str().is_some_and(is_torn))
        .map(|e| e.path())
        .collect();
    found.sort();
    found
}

#[cfg(test)]
mod tests;
