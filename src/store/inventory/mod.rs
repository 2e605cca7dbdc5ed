//! What files a project had when somebody last looked: path, length and hash of each, in `store/inventory.jsonl` and a
//! second time in `.owner/inventory.jsonl`.
//!
//! Checksums inside a file do not tell that the file, or its end, is gone. This does. It is written while an owner runs
//! and when it ends; what is damaged by then keeps its old record, so that it is told again until somebody sees to it.

pub mod kind;

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};

pub use kind::Kind;

use super::json_checksum::{self, Checksum};
use super::{checksummed_line, layout};
use benchtop_files::project::Project;
use benchtop_files::{disk, regular};
use benchtop_model::{Error, Result};

/// Its file, below `store/` and `.owner/`.
pub const FILE: &str = "inventory.jsonl";
/// A file below `.owner/` that is there while an owner has the project open: caches are then not as recorded.
const OPEN: &str = "open";
/// Largest inventory that is read.
const LIMIT: u64 = 256 << 20;
/// Version of the lines.
const VERSION: u8 = 1;

/// One file as it was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// Below the project's folder, with `/`.
    pub path: String,
    /// How it may change.
    pub kind: Kind,
    /// Bytes; of a file that grows those of whole lines or rows.
    pub length: u64,
    /// blake3 of them, in hex.
    pub blake3: String,
    /// Lines, of a file of lines.
    pub lines: u64,
    /// Time of modification in nanoseconds and inode, by which a file that nobody touched is known.
    stamp: (i128, u64),
}

#[derive(Serialize, Deserialize)]
struct Header {
    v: u8,
    at: String,
    files: u64,
    /// blake3 of all lines that follow.
    blake3: String,
}

/// The files of a project as they were.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inventory {
    /// When it was written, RFC 3339 in UTC.
    pub at: String,
    /// By path.
    pub files: BTreeMap<String, Record>,
}

/// One copy of the inventory, or what is wrong with it.
#[derive(Debug)]
pub enum Copy {
    /// There is none.
    Missing,
    /// It cannot be used.
    Damaged(Error),
    /// As it was written.
    Good(Inventory),
}

/// How a file differs from its record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Differs {
    /// It is gone.
    Gone,
    /// Only this many bytes of those recorded are left, of a file that grows.
    Short(u64),
    /// The recorded part of a file that grows is not what it was.
    Rewritten,
    /// It grew by so many bytes.
    Grown(u64),
    /// A file that is written anew is another one.
    Changed,
}

/// Where the copies are: in the store, and beside the owner's lock.
pub fn copies(project: &Project) -> [PathBuf; 2] {
    [project.store().join(FILE), project.runtime().join(FILE)]
}

/// Whether the last owner ended in order, so that caches must be as recorded.
pub fn is_closed(project: &Project) -> bool {
    project.runtime().join(OPEN).symlink_metadata().is_err()
}

/// Says that an owner opens the project. To be called before it touches the store.
///
/// # Errors
/// The operating system's.
pub fn mark_open(project: &Project) -> Result<()> {
    let path = project.runtime().join(OPEN);
    regular::open(
        &path,
        OpenOptions::new().write(true).create(true).truncate(true),
    )
    .map(drop)
}

/// Says that the owner ended and the inventory has every file as it is now.
pub fn mark_closed(project: &Project) {
    // What stays only makes the next look at the store a longer one.
    let _ = std::fs::remove_file(project.runtime().join(OPEN));
}

/// Reads the copy at `path`.
pub fn read(path: &Path) -> Copy {
    let bytes = match regular::read(path, LIMIT) {
        Ok(bytes) => bytes,
        Err(_) if path.symlink_metadata().is_err() => return Copy::Missing,
        Err(problem) => return Copy::Damaged(problem),
    };
    let corrupt = |what: &str| {
        Copy::Damaged(Error::new(benchtop_model::ErrorKind::Corrupt, what.to_string()).file(path))
    };
    let Some(end) = memchr::memchr(b'\n', &bytes) else {
        return corrupt("it is cut short");
    };
    let (first, rest) = bytes.split_at(end + 1);
    let header = match checksummed_line::decode::<Header>(first) {
        Ok(header) if header.v == VERSION => header,
        Ok(_) => return corrupt("it is of a version that this program does not read"),
        Err(problem) => return Copy::Damaged(problem.file(path).line(1)),
    };
    if blake3::hash(rest).to_hex().as_str() != header.blake3 {
        return corrupt("it does not match its checksum");
    }
    let lines = checksummed_line::read_all::<Record>(rest);
    let files = lines
        .good
        .into_iter()
        .map(|(_, record)| (record.path.clone(), record))
        .collect();
    Copy::Good(Inventory {
        at: header.at,
        files,
    })
}

impl Inventory {
    /// The newest copy that can be used.
    pub fn load(project: &Project) -> Option<Inventory> {
        let good = copies(project)
            .into_iter()
            .filter_map(|path| match read(&path) {
                Copy::Good(inventory) => Some(inventory),
                _ => None,
            });
        let mut newest = good.max_by(|a, b| a.at.cmp(&b.at))?;
        newest.follow(project.root());
        Some(newest)
    }

    /// Has records of files that were moved to their place of today name that place: see [`homes`].
    fn follow(&mut self, root: &Path) {
        let moved = |(path, record): (String, Record)| {
            let now = layout::now(&path).filter(|now| {
                let is_there = |path: &str| root.join(path).symlink_metadata().is_ok();
                !is_there(&path) && is_there(now)
            });
            match now.and_then(|now| Some((Kind::of(&now)?, now))) {
                Some((kind, now)) => {
                    let path = now.clone();
                    (
                        now,
                        Record {
                            path,
                            kind,
                            ..record
                        },
                    )
                }
                None => (path, record),
            }
        };
        self.files = std::mem::take(&mut self.files)
            .into_iter()
            .map(moved)
            .collect();
    }

    /// Writes both copies.
    ///
    /// # Errors
    /// The operating system's; copies that could be written are.
    pub fn write(&self, project: &Project) -> Result<()> {
        let mut rest = Vec::new();
        self.files
            .values()
            .try_for_each(|record| checksummed_line::encode(record, &mut rest))?;
        let blake3 = blake3::hash(&rest).to_hex().to_string();
        let header = Header {
            v: VERSION,
            at: self.at.clone(),
            files: self.files.len() as u64,
            blake3,
        };
        let mut bytes = Vec::new();
        checksummed_line::encode(&header, &mut bytes)?;
        bytes.extend_from_slice(&rest);
        let folders = copies(project)
            .into_iter()
            .filter(|path| disk::folder(path).is_dir());
        let written: Vec<Result<()>> = folders
            .map(|path| disk::write_atomic(&path, &bytes))
            .collect();
        written.into_iter().collect()
    }

    /// Looks at all files and gives the inventory of now, with what is wrong. A file that is not as it may be keeps its
    /// record. `caches` says that no owner will write to the store any more.
    ///
    /// # Errors
    /// The operating system's, where a folder cannot be listed.
    pub fn update(
        &self,
        project: &Project,
        at: &str,
        caches: bool,
    ) -> Result<(Inventory, Vec<(String, Differs)>)> {
        let mut now = Inventory {
            at: at.to_string(),
            files: BTreeMap::new(),
        };
        let mut wrong = Vec::new();
        for path in list(project.root())? {
            let Some(kind) = Kind::of(&path).filter(|kind| caches || *kind != Kind::Cache) else {
                continue;
            };
            let before = self.files.get(&path);
            match record(project.root(), &path, kind, before) {
                Ok((record, None | Some(Differs::Grown(_)))) => {
                    drop(now.files.insert(path, record))
                }
                Ok((record, Some(differs))) => {
                    let accepted = match kind {
                        Kind::Checksummed => has_checksum(&project.root().join(&path)),
                        Kind::Edited | Kind::Rewritten | Kind::Cache => true,
                        _ => false,
                    };
                    if accepted {
                        now.files.insert(path, record);
                    } else {
                        now.files
                            .extend(before.map(|before| (path.clone(), before.clone())));
                        wrong.push((path, differs));
                    }
                }
                // A link, or a file that just went away.
                Err(_) => now
                    .files
                    .extend(before.map(|before| (path, before.clone()))),
            }
        }
        for (path, record) in &self.files {
            let is_kept = !matches!(record.kind, Kind::Edited | Kind::Cache);
            if is_kept && !now.files.contains_key(path) {
                now.files.insert(path.clone(), record.clone());
                wrong.push((path.clone(), Differs::Gone));
            }
        }
        Ok((now, wrong))
    }

    /// Files that are gone or shorter than they were, without reading any; those that people edit aside.
    pub fn missing(&self, root: &Path) -> Vec<(String, Differs)> {
        let look = |record: &Record| match root.join(&record.path).symlink_metadata() {
            Err(_) => Some(Differs::Gone),
            Ok(meta) if record.kind.grows() && meta.len() < record.length => {
                Some(Differs::Short(meta.len()))
            }
            Ok(_) => None,
        };
        let kept = self
            .files
            .values()
            .filter(|r| !matches!(r.kind, Kind::Cache | Kind::Edited));
        kept.filter_map(|record| Some((record.path.clone(), look(record)?)))
            .collect()
    }
}

/// Held by whoever removes files on purpose and by whoever looks which are gone.
static LOOKING: Mutex<()> = Mutex::new(());

/// Keeps others of this process from looking at the files until it is dropped.
pub fn guard() -> MutexGuard<'static, ()> {
    LOOKING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Takes files that are removed on purpose out of both copies; to be called under [`guard`], as the removal is.
///
/// # Errors
/// The operating system's.
pub fn forget(project: &Project, gone: &dyn Fn(&str) -> bool) -> Result<()> {
    let Some(mut inventory) = Inventory::load(project) else {
        return Ok(());
    };
    inventory.files.retain(|path, _| !gone(path));
    inventory.write(project)
}

/// Whether a file that is written anew carries a good checksum.
pub fn has_checksum(path: &Path) -> bool {
    regular::read(path, LIMIT).is_ok_and(|bytes| json_checksum::split(&bytes).1 == Checksum::Valid)
}

/// A file as it is now, and how it differs from `before`.
///
/// # Errors
/// [`benchtop_model::ErrorKind::Denied`] for what is no regular file, and the operating system's.
pub fn record(
    root: &Path,
    path: &str,
    kind: Kind,
    before: Option<&Record>,
) -> Result<(Record, Option<Differs>)> {
    let full = root.join(path);
    let fail = |e: std::io::Error| Error::io(&e, "cannot be read", &full);
    let mut file = regular::open(&full, File::options().read(true))?;
    let meta = file.metadata().map_err(fail)?;
    let stamp = (
        i128::from(meta.mtime()) * 1_000_000_000 + i128::from(meta.mtime_nsec()),
        meta.ino(),
    );
    if let Some(before) = before.filter(|b| b.stamp == stamp && b.length == meta.len()) {
        return Ok((before.clone(), None));
    }
    digest(&mut file, (path, kind, stamp), before).map_err(fail)
}

/// The same without trust in its time of modification: every byte is read.
///
/// # Errors
/// As [`record`].
pub fn record_whole(
    root: &Path,
    path: &str,
    kind: Kind,
    before: Option<&Record>,
) -> Result<(Record, Option<Differs>)> {
    let full = root.join(path);
    let fail = |e: std::io::Error| Error::io(&e, "cannot be read", &full);
    let mut file = regular::open(&full, File::options().read(true))?;
    let meta = file.metadata().map_err(fail)?;
    let stamp = (
        i128::from(meta.mtime()) * 1_000_000_000 + i128::from(meta.mtime_nsec()),
        meta.ino(),
    );
    digest(&mut file, (path, kind, stamp), before).map_err(fail)
}

fn digest(
    file: &mut File,
    (path, kind, stamp): (&str, Kind, (i128, u64)),
    before: Option<&Record>,
) -> std::io::Result<(Record, Option<Differs>)> {
    let mut buffer = vec![0; 1 << 20];
    // What is hashed, the bytes of it, and what follows it and is no whole line or row yet.
    let (mut hasher, mut length, mut rest) = (blake3::Hasher::new(), 0u64, Vec::new());
    let (mut lines, mut total, mut prefix) = (0u64, 0u64, None);
    let mut upto = blake3::Hasher::new();
    let wanted = before.map_or(0, |b| b.length);
    loop {
        let n = match file.read(&mut buffer) {
            Ok(0) => break,
            Ok(n) => n,
            Err(e) if e.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(e) => return Err(e),
        };
        let bytes = &buffer[..n];
        if total < wanted {
            let part = bytes
                .len()
                .min(usize::try_from(wanted - total).unwrap_or(usize::MAX));
            upto.update(&bytes[..part]);
        }
        total += n as u64;
        if total >= wanted && prefix.is_none() {
            prefix = Some(upto.finalize().to_hex().to_string());
        }
        rest.extend_from_slice(bytes);
        let whole = kind.whole(length, &rest);
        hasher.update(&rest[..whole]);
        lines += memchr::memchr_iter(b'\n', &rest[..whole]).count() as u64;
        length += whole as u64;
        rest.drain(..whole);
    }
    let blake3 = hasher.finalize().to_hex().to_string();
    let lines = if matches!(kind, Kind::Lines | Kind::Text) {
        lines
    } else {
        0
    };
    let differs = before.and_then(|before| match kind.grows() {
        true if total < before.length => Some(Differs::Short(total)),
        true if before.length > 0 && prefix.as_ref() != Some(&before.blake3) => {
            Some(Differs::Rewritten)
        }
        true => (total > before.length).then(|| Differs::Grown(total - before.length)),
        false => (blake3 != before.blake3 || length != before.length).then_some(Differs::Changed),
    });
    Ok((
        Record {
            path: path.to_string(),
            kind,
            length,
            blake3,
            lines,
            stamp,
        },
        differs,
    ))
}

/// The files below the project's folder that may be in an inventory, links and the like among them.
///
/// # Errors
/// The operating system's.
pub fn list(root: &Path) -> Result<Vec<String>> {
    let mut found = Vec::new();
    for name in ["benchtop.toml", ".gitignore"] {
        if root.join(name).symlink_metadata().is_ok() {
            found.push(name.to_string());
        }
    }
    for folder in ["metadata", "sessions", "runs", "jobs", "scores", "store"] {
        walk(root, folder, &mut found)?;
    }
    for file in ["imports/manifest.jsonl", "images/pictures.jsonl"] {
        if root.join(file).symlink_metadata().is_ok() {
            found.push(file.to_string());
        }
    }
    for folder in ["imports", "images"] {
        for entry in std::fs::read_dir(root.join(folder))
            .into_iter()
            .flatten()
            .flatten()
        {
            let name = entry.file_name().to_string_lossy().into_owned();
            if name.contains(".torn") {
                found.push(format!("{folder}/{name}"));
            }
        }
    }
    found.sort();
    Ok(found)
}

/// Whether a file is being written, or was left by a process that was killed while it wrote.
pub fn is_temporary(name: &str) -> bool {
    name.starts_with(".tmp-") || name.starts_with(disk::TEMPORARY)
}

fn walk(root: &Path, below: &str, found: &mut Vec<String>) -> Result<()> {
    let folder = root.join(below);
    let entries = match std::fs::read_dir(&folder) {
        Ok(entries) if !folder.is_symlink() => entries,
        _ => return Ok(()),
    };
    for entry in entries {
        let entry = entry.map_err(|e| Error::io(&e, "cannot be listed", &folder))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if is_temporary(&name) {
            continue;
        }
        let path = format!("{below}/{name}");
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            walk(root, &path, found)?;
        } else {
            found.push(path);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
