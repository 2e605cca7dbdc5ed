//! `sessions/<annotator>.jsonl`: the append-only journal of one annotator's decisions.

mod line;

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::append_log::{AppendLog, Times, ValidPrefix};
use super::checksummed_line;
use super::prefix_digest::PrefixDigest;
use benchtop_model::name::check_annotator;
use benchtop_model::{Decision, Error, Result};
use line::{Row, decision};
pub use line::{decode, encode, text};

/// The content of a journal.
#[derive(Debug, Default)]
pub struct Reading {
    /// Decisions in file order.
    pub decisions: Vec<Decision>,
    /// Errors with file and line. Bad lines stay in the file and do not count.
    pub problems: Vec<Error>,
    /// Length of the file up to its last complete line.
    pub length: u64,
    /// Whether a torn last line follows.
    pub torn: bool,
    /// Digest of the bytes up to the last complete line.
    pub prefix: PrefixDigest,
}

/// Reads the journal at `path`. A missing file is an empty journal. Bad lines are reported in
/// [`Reading::problems`].
pub fn read(path: &Path) -> Result<Reading> {
    read_first(path, None)
}

/// Reads the first `length` bytes of the journal at `path`, or all of it for `None`.
pub fn read_first(path: &Path, length: Option<u64>) -> Result<Reading> {
    let mut bytes = match std::fs::read(path) {
        Ok(bytes) => bytes,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(Reading::default()),
        Err(e) => return Err(Error::io(&e, "cannot be read", path)),
    };
    if let Some(length) = length.and_then(|length| usize::try_from(length).ok()) {
        bytes.truncate(length);
    }
    let lines = checksummed_line::read_all::<Row>(&bytes);
    let mut reading = Reading {
        length: lines.torn_at.unwrap_or(bytes.len() as u64),
        torn: lines.torn_at.is_some(),
        ..Reading::default()
    };
    reading.prefix = PrefixDigest::of(
        &bytes[..usize::try_from(reading.length)
            .unwrap_or(bytes.len())
            .min(bytes.len())],
    );
    for (number, problem) in lines.bad {
        reading.problems.push(problem.file(path).line(number));
    }
    for (number, row) in lines.good {
        match decision(row) {
            Ok(decision) => reading.decisions.push(decision),
            Err(problem) => reading.problems.push(problem.file(path).line(number)),
        }
    }
    Ok(reading)
}

/// Paths of all journals in `sessions/` with their annotators, sorted by name. A missing folder is
/// empty.
pub fn list(sessions: &Path) -> Result<Vec<(String, PathBuf)>> {
    let entries = match std::fs::read_dir(sessions) {
        Ok(entries) => entries,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(e) => return Err(Error::io(&e, "cannot be listed", sessions)),
    };
    let mut found = Vec::new();
    for entry in entries {
        let path = entry
            .map_err(|e| Error::io(&e, "cannot be listed", sessions))?
            .path();
        let name = path
            .file_name()
            .and_then(|n| n.to_str())
            .and_then(|n| n.strip_suffix(".jsonl"));
        if let Some(name) = name.filter(|n| check_annotator(n).is_ok()) {
            found.push((name.to_string(), path.clone()));
        }
    }
    found.sort();
    Ok(found)
}

/// The annotators and the lengths of their journals in bytes.
pub fn lengths(sessions: &Path) -> Result<Vec<(String, u64)>> {
    let length = |(who, path): (String, PathBuf)| match std::fs::metadata(&path) {
        Ok(meta) => Ok((who, meta.len())),
        Err(e) => Err(Error::io(&e, "cannot be read", &path)),
    };
    list(sessions)?.into_iter().map(length).collect()
}

/// The bytes of a file from `at` on, or `None` if the file is shorter.
fn read_tail(file: &File, at: u64) -> std::io::Result<Option<Vec<u8>>> {
    let Some(rest) = file.metadata()?.len().checked_sub(at) else {
        return Ok(None);
    };
    let mut tail = vec![0; usize::try_from(rest).unwrap_or_default()];
    file.read_exact_at(&mut tail, at)?;
    Ok(Some(tail))
}

/// Start of the message of a failed append.
const SAVE_FAILED: &str = "cannot save the decision";

/// A journal open for appending.
pub struct Journal {
    file: AppendLog,
    prefix: PrefixDigest,
    buffer: Vec<u8>,
}

impl Journal {
    /// Opens or creates `<sessions>/<who>.jsonl`. See [`AppendLog::open`] for a torn last line.
    pub fn open(sessions: &Path, who: &str) -> Result<Journal> {
        check_annotator(who)?;
        let path = sessions.join(format!("{who}.jsonl"));
        let reading = read(&path)?;
        let file = AppendLog::open(
            &path,
            ValidPrefix {
                length: reading.length,
                torn: reading.torn,
            },
        )?;
        Ok(Journal {
            file,
            prefix: reading.prefix,
            buffer: Vec::new(),
        })
    }

    /// Opens a journal whose first bytes were already read as `prefix`, without parsing them again.
    ///
    /// # Errors
    /// [`Error::failed`] if the journal has other lines by now and must be read again.
    pub fn after(sessions: &Path, who: &str, prefix: PrefixDigest) -> Result<Journal> {
        check_annotator(who)?;
        let path = sessions.join(format!("{who}.jsonl"));
        let tail = match File::open(&path) {
            Ok(file) => read_tail(&file, prefix.length())
                .map_err(|e| Error::io(&e, "cannot be read", &path))?,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
                (prefix.length() == 0).then(Vec::new)
            }
            Err(e) => return Err(Error::io(&e, "cannot be opened", &path)),
        };
        let changed = || {
            Error::failed(format!(
                "{SAVE_FAILED}: another program changed the journal since it was read"
            ))
        };
        // A tail that was torn at the time of reading has no newline.
        let tail = tail
            .filter(|tail| !tail.contains(&b'\n'))
            .ok_or_else(|| changed().file(&path))?;
        let file = AppendLog::open(
            &path,
            ValidPrefix {
                length: prefix.length(),
                torn: !tail.is_empty(),
            },
        )?;
        Ok(Journal {
            file,
            prefix,
            buffer: Vec::new(),
        })
    }

    /// Appends `decisions` with one write and one `fdatasync`. When this returns, they are on disk.
    ///
    /// # Errors
    /// [`Error::failed`]; see [`AppendLog::append`].
    pub fn append(&mut self, decisions: &[Decision]) -> Result<()> {
        self.begin_append(decisions)?;
        let began = Instant::now();
        let synced = self.file.handle().sync_data();
        self.finish_append(synced, began.elapsed())
    }

    /// First step of [`append`](Self::append); see [`AppendLog::write`].
    pub fn begin_append(&mut self, decisions: &[Decision]) -> Result<()> {
        self.buffer.clear();
        for decision in decisions {
            encode(decision, &mut self.buffer)?;
        }
        self.file.begin_append(&self.buffer, SAVE_FAILED)
    }

    /// The open file, for another thread to sync.
    pub fn handle(&self) -> Arc<File> {
        self.file.handle()
    }

    /// Last step of [`append`](Self::append); see [`AppendLog::synced`].
    pub fn finish_append(&mut self, synced: std::io::Result<()>, took: Duration) -> Result<()> {
        self.file.finish_append(synced, took, SAVE_FAILED)?;
        self.prefix.add(&self.buffer);
        Ok(())
    }

    /// Checks that the path still names the open file and that no other program wrote to it.
    pub fn confirm(&mut self) -> Result<()> {
        self.file.confirm(SAVE_FAILED)
    }

    /// Whether the file must be reopened; see [`AppendLog::lost`].
    pub fn must_reopen(&self) -> bool {
        self.file.must_reopen()
    }

    /// Number of hard links to the file; see [`AppendLog::links`].
    pub fn links(&self) -> u64 {
        self.file.hard_links()
    }

    /// Durations of the steps of the last append.
    pub fn times(&self) -> Times {
        self.file.times()
    }

    /// Digest of the journal's content.
    pub fn prefix(&self) -> &PrefixDigest {
        &self.prefix
    }

    /// Length in bytes. All of it is on disk.
    pub fn length(&self) -> u64 {
        self.file.length()
    }
}

#[cfg(test)]
mod tests;
