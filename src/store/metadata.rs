//! The metadata files of a project on disk: limited reads, and atomic saves with conflict
//! detection.
//!
//! A save compares the revision of every file that it changes, writes and syncs all new files
//! beside the old ones, records its steps in [`INTENT`], and only then renames. A reader after a
//! crash finishes the renames, so a save of several files is visible as a whole or not at all. A
//! lock on the folder excludes other saves. Editors do not use the lock, so revisions are compared
//! again just before the renames.

mod save;

use std::fs::{self, File, OpenOptions};
use std::hash::{Hash, Hasher};
use std::io::Read;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use benchtop_files::metadata_folder::names;
use benchtop_files::{disk, inspect};
use benchtop_model::metafile::{FOLDERS, shipped};
use benchtop_model::sorting::sort_by;
use benchtop_model::usage::{FileState, MetadataState};
use benchtop_model::{Error, Finding, Result, Rule};
use save::finish;
pub use save::save;

/// Maximum size of a metadata file in bytes.
pub const FILE_LIMIT: u64 = 8 << 20;
/// Maximum total size of all metadata files in bytes. They are sent to clients in one frame.
pub const TOTAL_LIMIT: u64 = 12 << 20;
/// Maximum number of metadata files of a project.
pub const FILES: usize = 500;
/// Name of the file with the steps of a running save.
const INTENT: &str = ".benchtop-save";

/// The revision of a file: 16 hexadecimal digits of the blake3 hash of its bytes.
pub fn revision(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex()[..16].to_string()
}

/// Reads the metadata folder `dir`, or the shipped files if it is empty. Finishes an unfinished
/// save first. A file that cannot be read becomes a finding.
///
/// # Errors
/// [`Error::denied`] if the folder is a link out of the project.
pub fn read(dir: &Path) -> Result<MetadataState> {
    if !dir.exists() {
        return Ok(shipped_state());
    }
    let inside = boundary(dir)?;
    let _lock = Lock::take(dir)?;
    if dir.join(INTENT).exists() {
        // Without write access, the files are read as they are.
        let _ = finish(dir);
    }
    let mut state = MetadataState::default();
    let mut total = 0;
    let names = names(dir)?;
    for (at, name) in names.iter().enumerate() {
        let at_line = |line: u32, what: String| {
            Finding::new(Rule::Unreadable, name.clone(), what)
                .line(line)
                .term(&**name)
        };
        let refuse = |what| at_line(0, what);
        if at >= FILES {
            let what = format!(
                "skipped, together with {} more files: a project has at most {FILES} metadata files",
                names.len() - at - 1
            );
            state.unreadable.push(refuse(what));
            break;
        }
        match text_of(dir, name, &inside) {
            Ok(Some(text)) if total + text.len() as u64 > TOTAL_LIMIT => {
                state.unreadable.push(refuse(format!(
                    "skipped: the metadata files together exceed {} MiB",
                    TOTAL_LIMIT >> 20
                )))
            }
            Ok(Some(text)) => {
                total += text.len() as u64;
                state.files.push(FileState {
                    name: name.clone(),
                    revision: revision(text.as_bytes()),
                    text,
                });
            }
            Ok(None) => {}
            Err((line, what)) => state.unreadable.push(at_line(line, what)),
        }
    }
    if state.files.is_empty() && state.unreadable.is_empty() {
        return Ok(shipped_state());
    }
    Ok(state)
}

fn shipped_state() -> MetadataState {
    let file = |f: benchtop_model::MetaFile| FileState {
        revision: revision(f.text.as_bytes()),
        name: f.name,
        text: f.text,
    };
    let mut files: Vec<FileState> = shipped().map(file).collect();
    sort_by(&mut files, |a, b| a.name.cmp(&b.name));
    MetadataState {
        files,
        unreadable: Vec::new(),
        shipped: true,
    }
}

/// The project folder, which metadata files must not lead out of.
fn boundary(dir: &Path) -> Result<PathBuf> {
    let canonical = |path: &Path| {
        fs::canonicalize(path).map_err(|e| Error::io(&e, "cannot open the folder", path))
    };
    // A path such as `.` has no parent folder before it is resolved.
    let dir = if dir.file_name().is_some() {
        dir.to_path_buf()
    } else {
        canonical(dir)?
    };
    let inside = canonical(disk::folder(&dir))?;
    let leads_out = |folder: &Path| {
        let is_reserved = |real: &Path| folder.is_symlink() && !is_allowed(real, &inside);
        canonical(folder).map(|real| !real.starts_with(&inside) || is_reserved(&real))
    };
    let folders = FOLDERS
        .into_iter()
        .map(|(name, _)| dir.join(name))
        .filter(|folder| folder.exists());
    for folder in std::iter::once(dir.clone()).chain(folders) {
        if leads_out(&folder)? {
            return Err(Error::denied("the link leads out of the project")
                .file(folder)
                .help("move the files into the project"));
        }
    }
    Ok(inside)
}

/// Whether a metadata file may link to `target`. Files that benchtop manages are reserved.
fn is_allowed(target: &Path, inside: &Path) -> bool {
    let first = target
        .strip_prefix(inside)
        .ok()
        .and_then(|path| path.components().next());
    first.is_none_or(|first| {
        !inspect::UNLINKED_FOLDERS
            .iter()
            .any(|kept| Path::new(kept).as_os_str() == first.as_os_str())
    })
}

/// The text of a file, `None` if it does not exist, or the reason why it cannot be read.
fn text_of(dir: &Path, name: &str, inside: &Path) -> std::result::Result<Option<String>, Refused> {
    let path = dir.join(name);
    if path.symlink_metadata().is_err() {
        return Ok(None);
    }
    match fs::canonicalize(&path) {
        Ok(target) if !target.starts_with(inside) => {
            Err((0, "the link leads out of the project".into()))
        }
        Ok(target) if !is_allowed(&target, inside) => {
            Err((0, "the link leads to a file that benchtop manages".into()))
        }
        Ok(_) => text(&path).map(Some),
        Err(e) => Err((0, format!("cannot open the file: {e}"))),
    }
}

/// Line of the problem, from 1 (0 for the whole file), and its description.
pub type Refused = (u32, String);

/// Reads the text of a metadata file at any path.
///
/// # Errors
/// The file does not exist, is not a regular file, is too large, or is not UTF-8.
pub fn text(path: &Path) -> std::result::Result<String, Refused> {
    // Opening a FIFO would block without NONBLOCK.
    let flags = rustix::fs::OFlags::NONBLOCK.bits().cast_signed();
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path);
    let file = file.map_err(|e| (0, format!("cannot open the file: {e}")))?;
    let meta = file
        .metadata()
        .map_err(|e| (0, format!("cannot read the file: {e}")))?;
    if !meta.is_file() {
        return Err((0, "not a regular file".into()));
    }
    let mut bytes = Vec::with_capacity(meta.len().min(FILE_LIMIT) as usize);
    file.take(FILE_LIMIT + 1)
        .read_to_end(&mut bytes)
        .map_err(|e| (0, format!("cannot read the file: {e}")))?;
    if bytes.len() as u64 > FILE_LIMIT {
        return Err((
            0,
            format!(
                "the file has {} bytes; the maximum is {} MiB",
                meta.len(),
                FILE_LIMIT >> 20
            ),
        ));
    }
    String::from_utf8(bytes).map_err(|e| {
        let good = e.utf8_error().valid_up_to();
        let before = &e.as_bytes()[..good];
        let line = before.iter().filter(|b| **b == b'\n').count() + 1;
        let column = before.iter().rev().take_while(|b| **b != b'\n').count() + 1;
        (
            line as u32,
            format!(
                "not UTF-8: byte {column} of line {line} is 0x{:02X}",
                e.as_bytes()[good]
            ),
        )
    })
}

/// A fast fingerprint of the metadata files in `dir`. It changes if a file is written, added, or
/// removed.
pub fn stamp(dir: &Path) -> u64 {
    let mut hasher = std::hash::DefaultHasher::new();
    for name in names(dir).unwrap_or_default().iter().take(FILES + 1) {
        name.hash(&mut hasher);
        if let Ok(m) = fs::metadata(dir.join(name)) {
            (
                m.len(),
                m.ino(),
                m.mtime(),
                m.mtime_nsec(),
                m.ctime(),
                m.ctime_nsec(),
            )
                .hash(&mut hasher);
        }
    }
    hasher.finish()
}

/// Lock of a metadata folder for saves. Released on drop and when the process ends.
struct Lock(#[allow(dead_code, reason = "held, not used")] File);

impl Lock {
    fn take(dir: &Path) -> Result<Lock> {
        let file = File::open(dir).map_err(|e| Error::io(&e, "cannot open the folder", dir))?;
        rustix::fs::flock(&file, rustix::fs::FlockOperation::LockExclusive)
            .map_err(|e| Error::io(&e.into(), "cannot lock the folder", dir))?;
        Ok(Lock(file))
    }
}

#[cfg(test)]
mod tests;
