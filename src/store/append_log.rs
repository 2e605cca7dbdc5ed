//! A file of lines that only grows: what is acknowledged is synced, what is refused is taken back.
//!
//! Other programs may replace, move, remove or cut the file while it is open: `git checkout`, `rsync` and editors write a
//! new file and rename it over the old one. What is written after that goes to a file that nobody finds. So each append
//! compares the open file with the one that its path names, before the write and again after the sync, as SQLite does.

use std::fs::{File, Metadata, OpenOptions};
use std::io::Write;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use benchtop_files::{disk, regular};
use benchtop_model::{Error, ErrorKind, Result};

/// How much of a file of lines is whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ValidPrefix {
    /// Bytes up to the last whole line.
    pub length: u64,
    /// Whether a torn last line follows.
    pub torn: bool,
}

/// How long the steps of the last append took.
#[derive(Clone, Copy, Debug, Default)]
pub struct Times {
    /// The write.
    pub write: Duration,
    /// `fdatasync`.
    pub sync: Duration,
    /// Comparing the open file with its path, before and after.
    pub check: Duration,
}

/// A file open for appending lines. One owner process holds it, so nobody else should write.
#[derive(Debug)]
pub struct AppendLog {
    path: PathBuf,
    file: Arc<File>,
    length: u64,
    /// Bytes written and not yet confirmed.
    pending: u64,
    lost: bool,
    links: u64,
    times: Times,
}

impl AppendLog {
    /// Opens or creates the file at `path`, of which `whole` was read. A torn last line, which nobody was told of, is
    /// moved to `<name>.torn-<n>`, so that what follows begins on a line of its own.
    ///
    /// # Errors
    /// [`ErrorKind::Io`] when the file changed since it was read, [`ErrorKind::Denied`] for a link, and the operating
    /// system's.
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
            set_aside(path, &file, whole.length, length)?;
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

    /// Appends `lines` with one write and one `fdatasync`: when this returns they are on disk, in the file that the path
    /// names. `failing` begins the message of a failure.
    ///
    /// # Errors
    /// The operating system's (a full disk among them), and [`ErrorKind::Io`] when the path names another file or
    /// somebody else wrote to this one (see [`lost`](Self::lost)). Then none of them counts as saved; they are taken
    /// back unless somebody wrote after them.
    pub fn append(&mut self, lines: &[u8], failing: &str) -> Result<()> {
        self.write(lines, failing)?;
        let began = Instant::now();
        let synced = self.file.sync_data();
        self.synced(synced, began.elapsed(), failing)
    }

    /// The first third of [`append`](Self::append): `lines` are written. What [`handle`](Self::handle) gives is to be
    /// synced next.
    ///
    /// # Errors
    /// As [`append`](Self::append).
    pub fn write(&mut self, lines: &[u8], failing: &str) -> Result<()> {
        self.times = Times::default();
        self.timed_confirm(failing)?;
        self.pending = lines.len() as u64;
        let began = Instant::now();
        let written = (&*self.file).write_all(lines);
        self.times.write = began.elapsed();
        written.map_err(|e| self.refused(Error::io(&e, failing, &self.path)))
    }

    /// The open file, to be synced by another thread.
    pub fn handle(&self) -> Arc<File> {
        self.file.clone()
    }

    /// The last third of [`append`](Self::append): what was written was `synced` in `took`.
    ///
    /// # Errors
    /// As [`append`](Self::append).
    pub fn synced(
        &mut self,
        synced: std::io::Result<()>,
        took: Duration,
        failing: &str,
    ) -> Result<()> {
        self.times.sync = took;
        if let Err(error) = synced {
            return Err(self.refused(Error::io(&error, failing, &self.path)));
        }
        self.timed_confirm(failing)
            .map_err(|problem| self.refused(problem))?;
        self.length += std::mem::take(&mut self.pending);
        Ok(())
    }

    /// Takes back what reached the file: what was refused must not come back later. What somebody else wrote stays.
    fn refused(&mut self, problem: Error) -> Error {
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
                "and the file could not be put back to {} bytes: {e}",
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

    /// Checks that the path names the open file and that nobody else wrote to it.
    ///
    /// # Errors
    /// [`ErrorKind::Io`]; the file is [`lost`](Self::lost) from then on.
    pub fn confirm(&mut self, failing: &str) -> Result<()> {
        if let Some(why) = self.differs() {
            self.lost = true;
            let what = format!("{failing}: {why}");
            return Err(Error::new(ErrorKind::Io, what)
                .file(&self.path)
                .help("nothing was saved; what is there now is read again. Other programs must not write into a project that is open"));
        }
        Ok(())
    }

    /// In what the open file differs from the one that the path names.
    fn differs(&mut self) -> Option<String> {
        let folder = disk::folder(&self.path);
        match folder.symlink_metadata() {
            Ok(meta) if meta.is_dir() => {}
            Ok(_) => return Some("its folder was replaced while it was open".into()),
            Err(e) => {
                return Some(format!(
                    "its folder was moved or removed while it was open ({e})"
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
            Err(e) => return Some(format!("the open file cannot be looked at ({e})")),
        };
        let name = |meta: &Metadata| (meta.dev(), meta.ino());
        if name(&there) != name(&held) || held.nlink() == 0 {
            return Some("another file was put in its place while it was open".into());
        }
        let expected = self.length + self.pending;
        if held.len() != expected {
            let bytes = held.len();
            return Some(format!(
                "it has {bytes} bytes where {expected} were written: somebody else changed it"
            ));
        }
        self.links = held.nlink();
        None
    }

    /// Whether the path names another file by now, or somebody else wrote to this one: it must be opened anew.
    pub fn lost(&self) -> bool {
        self.lost
    }

    /// Names that the file has. More than one is no reason to refuse (`cp -l` makes such backups), but whoever edits the
    /// other name in place changes this file.
    pub fn links(&self) -> u64 {
        self.links
    }

    /// How long the steps of the last append took.
    pub fn times(&self) -> Times {
        self.times
    }

    /// Length in bytes; all of it is durable.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// What the names of torn ends of `path` begin with.
fn torn_prefix(path: &Path) -> String {
    format!(
        "{}.torn",
        path.file_name().unwrap_or_default().to_string_lossy()
    )
}

/// Copies the bytes `from..to` of a file to the first `<name>.torn-<n>` that is free.
fn set_aside(path: &Path, file: &File, from: u64, to: u64) -> Result<()> {
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

/// Removes the torn ends that were set aside of the file at `path`.
///
/// # Errors
/// The operating system's.
pub fn remove_torn(path: &Path) -> Result<()> {
    for aside in torn(path) {
        std::fs::remove_file(&aside).map_err(|e| Error::io(&e, "cannot be removed", &aside))?;
    }
    Ok(())
}

/// The torn ends that were set aside of the file at `path`, sorted by name. Earlier versions called them `<name>.torn`.
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
