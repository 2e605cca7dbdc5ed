//! The inventory: path, length, and hash of every file at the last check, in
//! `store/inventory.jsonl` with a copy in `.owner/inventory.jsonl`.
//!
//! Checksums inside a file cannot show that the file or its end is missing. The inventory can. The
//! owner writes it while it runs and when it exits. A damaged file keeps its old record, so it is
//! reported until somebody repairs or accepts it.

pub mod kind;
mod record;

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};

use super::json_checksum::{self, Checksum};
use super::{checksummed_line, layout};
use benchtop_files::project::Project;
use benchtop_files::{disk, regular};
use benchtop_model::{Error, Result};
pub use kind::Kind;
pub use record::{record, record_whole};

/// File name below `store/` and `.owner/`.
pub const FILE: &str = "inventory.jsonl";
/// A file below `.owner/` that exists while an owner has the project open. Caches then differ from
/// their records.
const OPEN: &str = "open";
/// Maximum size of an inventory in bytes.
const MAX_FILE: u64 = 256 << 20;
/// Version of the lines.
const VERSION: u8 = 1;

/// Record of one file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// Path relative to the project folder, with `/`.
    pub path: String,
    /// How the file may change.
    pub kind: Kind,
    /// Length in bytes. For a growing file, the length of its complete lines or rows.
    pub length: u64,
    /// blake3 hash of these bytes, in hex.
    pub blake3: String,
    /// Number of lines, for a file of lines.
    pub lines: u64,
    /// mtime in nanoseconds and inode. A file with the same stamp and length is not read again.
    stamp: (i128, u64),
}

#[derive(Serialize, Deserialize)]
struct Header {
    v: u8,
    at: String,
    files: u64,
    /// blake3 hash of all following lines.
    blake3: String,
}

/// Records of all files of a project.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inventory {
    /// Time of writing, RFC 3339 in UTC.
    pub at: String,
    /// Records by path.
    pub files: BTreeMap<String, Record>,
}

/// One copy of the inventory.
#[derive(Debug)]
pub enum InventoryCopy {
    Missing,
    /// The copy cannot be used.
    Damaged(Error),
    Good(Inventory),
}

/// How a file differs from its record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Difference {
    /// The file is missing.
    Gone,
    /// A growing file is shorter than recorded. Has the remaining length in bytes.
    Short(u64),
    /// The recorded part of a growing file changed.
    Rewritten,
    /// A growing file grew by this many bytes.
    Grown(u64),
    /// A file that is replaced as a whole changed.
    Changed,
}

/// Paths of the copies: in the store, and beside the owner's lock.
pub fn copies(project: &Project) -> [PathBuf; 2] {
    [project.store().join(FILE), project.runtime().join(FILE)]
}

/// Whether the last owner exited cleanly, so that caches must match their records.
pub fn is_closed(project: &Project) -> bool {
    project.runtime().join(OPEN).symlink_metadata().is_err()
}

/// Marks the project as open. Call this before the owner changes the store.
pub fn mark_open(project: &Project) -> Result<()> {
    let path = project.runtime().join(OPEN);
    regular::open(
        &path,
        OpenOptions::new().write(true).create(true).truncate(true),
    )
    .map(drop)
}

/// Marks the project as closed, after the inventory is up to date.
pub fn mark_closed(project: &Project) {
    // A leftover marker only makes the next check longer.
    let _ = std::fs::remove_file(project.runtime().join(OPEN));
}

/// Reads the copy at `path`.
pub fn read(path: &Path) -> InventoryCopy {
    let bytes = match regular::read(path, MAX_FILE) {
        Ok(bytes) => bytes,
        Err(_) if path.symlink_metadata().is_err() => return InventoryCopy::Missing,
        Err(problem) => return InventoryCopy::Damaged(problem),
    };
    let corrupt = |what: &str| InventoryCopy::Damaged(Error::corrupt(what.to_string()).file(path));
    let Some(end) = memchr::memchr(b'\n', &bytes) else {
        return corrupt("the inventory is truncated");
    };
    let (first, rest) = bytes.split_at(end + 1);
    let header = match checksummed_line::decode::<Header>(first) {
        Ok(header) if header.v == VERSION => header,
        Ok(_) => return corrupt("the inventory has an unsupported version"),
        Err(problem) => return InventoryCopy::Damaged(problem.file(path).line(1)),
    };
    if blake3::hash(rest).to_hex().as_str() != header.blake3 {
        return corrupt("the inventory does not match its checksum");
    }
    let lines = checksummed_line::read_all::<Record>(rest);
    let files = lines
        .good
        .into_iter()
        .map(|(_, record)| (record.path.clone(), record))
        .collect();
    InventoryCopy::Good(Inventory {
        at: header.at,
        files,
    })
}

impl Inventory {
    /// The newest valid copy.
    pub fn load(project: &Project) -> Option<Inventory> {
        let good = copies(project)
            .into_iter()
            .filter_map(|path| match read(&path) {
                InventoryCopy::Good(inventory) => Some(inventory),
                _ => None,
            });
        let mut newest = good.max_by(|a, b| a.at.cmp(&b.at))?;
        newest.follow_moves(project.root());
        Some(newest)
    }

    /// Changes the paths of files that [`layout`] moved.
    fn follow_moves(&mut self, root: &Path) {
        let moved = |(path, record): (String, Record)| {
            let now = layout::present_path(&path).filter(|now| {
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

    /// Writes both copies. On an error, one copy may still be written.
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

    /// Checks all files. Returns the new inventory and the files with invalid changes, which keep
    /// their old records. Set `caches` if no owner will change the store any more.
    ///
    /// # Errors
    /// A folder cannot be listed.
    pub fn update(
        &self,
        project: &Project,
        at: &str,
        caches: bool,
    ) -> Result<(Inventory, Vec<(String, Difference)>)> {
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
                Ok((record, None | Some(Difference::Grown(_)))) => {
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
                // A symbolic link, or a file that was just removed.
                Err(_) => now
                    .files
                    .extend(before.map(|before| (path, before.clone()))),
            }
        }
        for (path, record) in &self.files {
            let is_kept = !matches!(record.kind, Kind::Edited | Kind::Cache);
            if is_kept && !now.files.contains_key(path) {
                now.files.insert(path.clone(), record.clone());
                wrong.push((path.clone(), Difference::Gone));
            }
        }
        Ok((now, wrong))
    }

    /// Files that are missing or shorter than recorded, without reading any. Files that people edit
    /// are ignored.
    pub fn missing(&self, root: &Path) -> Vec<(String, Difference)> {
        let difference = |record: &Record| match root.join(&record.path).symlink_metadata() {
            Err(_) => Some(Difference::Gone),
            Ok(meta) if record.kind.grows() && meta.len() < record.length => {
                Some(Difference::Short(meta.len()))
            }
            Ok(_) => None,
        };
        let kept = self
            .files
            .values()
            .filter(|r| !matches!(r.kind, Kind::Cache | Kind::Edited));
        kept.filter_map(|record| Some((record.path.clone(), difference(record)?)))
            .collect()
    }
}

/// Held while files are removed on purpose, and while missing files are searched.
static CHECKING: Mutex<()> = Mutex::new(());

/// Prevents checks of the files in this process until it is dropped.
pub fn guard() -> MutexGuard<'static, ()> {
    CHECKING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes the records of deliberately removed files from both copies. Call this and remove the
/// files under one [`guard`].
pub fn remove_records(project: &Project, gone: &dyn Fn(&str) -> bool) -> Result<()> {
    let Some(mut inventory) = Inventory::load(project) else {
        return Ok(());
    };
    inventory.files.retain(|path, _| !gone(path));
    inventory.write(project)
}

/// Whether a file has a valid checksum as its last member.
pub fn has_checksum(path: &Path) -> bool {
    regular::read(path, MAX_FILE)
        .is_ok_and(|bytes| json_checksum::split(&bytes).1 == Checksum::Valid)
}

/// Files below the project folder that can be in an inventory, including symbolic links.
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
    let releases = disk::list(&root.join("releases"));
    let records = releases.into_iter().map(|(name, _)| name);
    let records = records.filter(|name| name.ends_with(".json") && !is_temporary(name));
    found.extend(records.map(|name| format!("releases/{name}")));
    found.sort();
    Ok(found)
}

/// Whether a file is being written, or is left over from a killed process.
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
