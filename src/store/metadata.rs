//! The metadata files of a project on disk: read within bounds, saved whole and only over what the writer has seen.
//!
//! A save compares the revision of every file it touches, writes and syncs all of them beside their places, notes what
//! it is about to do in [`INTENT`], and only then renames. Whoever reads after a crash in between finishes the renames,
//! so that a save of several files is seen whole or not at all. A lock on the folder keeps two savers apart; editors do
//! not know of it, so revisions are compared once more just before the renames.

use std::fs::{self, File, OpenOptions};
use std::hash::{Hash, Hasher};
use std::io::Read;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use benchtop_files::metadata_folder::{ensure_folders, names};
use benchtop_files::{disk, inspect, regular};
use benchtop_model::metafile::{FOLDERS, check_name, shipped};
use benchtop_model::usage::{FileState, MetadataState, Save};
use benchtop_model::{Error, ErrorKind, Finding, Result, Rule};

/// Bytes of a metadata file, at most.
pub const FILE_LIMIT: u64 = 8 << 20;
/// Bytes of all metadata files together, at most: they travel to clients in one frame.
pub const TOTAL_LIMIT: u64 = 12 << 20;
/// Metadata files of a project, at most.
pub const FILES: usize = 500;
/// What a save is about to do, while it does it.
const INTENT: &str = ".benchtop-save";

/// 16 hex digits of blake3 over a file's bytes.
pub fn revision(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex()[..16].to_string()
}

/// What the metadata folder `dir` holds; the shipped files when it holds none. An unfinished save is finished first.
///
/// # Errors
/// [`ErrorKind::Denied`] when the folder leads out of its project, and the operating system's. A single file that cannot be
/// read is a finding.
pub fn read(dir: &Path) -> Result<MetadataState> {
    if !dir.exists() {
        return Ok(shipped_state());
    }
    let inside = boundary(dir)?;
    let _lock = Lock::take(dir)?;
    if dir.join(INTENT).exists() {
        // Where this may not write, what is there is read as it is.
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
                "not read, and {} more: a project has at most {FILES} files",
                names.len() - at - 1
            );
            state.unreadable.push(refuse(what));
            break;
        }
        match text_of(dir, name, &inside) {
            Ok(Some(text)) if total + text.len() as u64 > TOTAL_LIMIT => {
                state.unreadable.push(refuse(format!(
                    "not read: with it the metadata would be over {} MiB in all",
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
    files.sort_by(|a, b| a.name.cmp(&b.name));
    MetadataState {
        files,
        unreadable: Vec::new(),
        shipped: true,
    }
}

/// The project folder that nothing of the metadata may lead out of.
fn boundary(dir: &Path) -> Result<PathBuf> {
    let whole = |path: &Path| {
        fs::canonicalize(path).map_err(|e| Error::io(&e, "cannot open the folder", path))
    };
    // `.` and the like have no name of their own to look above.
    let dir = if dir.file_name().is_some() {
        dir.to_path_buf()
    } else {
        whole(dir)?
    };
    let inside = whole(disk::folder(&dir))?;
    let out = |folder: &Path| {
        let kept = |real: &Path| folder.is_symlink() && !is_free(real, &inside);
        whole(folder).map(|real| !real.starts_with(&inside) || kept(&real))
    };
    let folders = FOLDERS
        .into_iter()
        .map(|(name, _)| dir.join(name))
        .filter(|folder| folder.exists());
    for folder in std::iter::once(dir.clone()).chain(folders) {
        if out(&folder)? {
            return Err(
                Error::new(ErrorKind::Denied, "this link leads out of the project")
                    .file(folder)
                    .help("keep the files in the project"),
            );
        }
    }
    Ok(inside)
}

/// Whether a file of the project may be one of the metadata: not what the program keeps itself.
fn is_free(target: &Path, inside: &Path) -> bool {
    let first = target
        .strip_prefix(inside)
        .ok()
        .and_then(|path| path.components().next());
    first.is_none_or(|first| {
        !inspect::PLAIN
            .iter()
            .any(|kept| Path::new(kept).as_os_str() == first.as_os_str())
    })
}

/// Names of the metadata files in `dir`, sorted.
/// The text of a file; `None` when it is not there, and in words why it cannot be read.
fn text_of(dir: &Path, name: &str, inside: &Path) -> std::result::Result<Option<String>, Refused> {
    let path = dir.join(name);
    if path.symlink_metadata().is_err() {
        return Ok(None);
    }
    match fs::canonicalize(&path) {
        Ok(target) if !target.starts_with(inside) => {
            Err((0, "this link leads out of the project".into()))
        }
        Ok(target) if !is_free(&target, inside) => Err((
            0,
            "this link leads to a file that the program keeps itself".into(),
        )),
        Ok(_) => text(&path).map(Some),
        Err(e) => Err((0, format!("cannot be opened: {e}"))),
    }
}

/// The line, from 1, or 0 for the whole file, and what is wrong there.
pub type Refused = (u32, String);

/// The text of a metadata file, wherever it is.
///
/// # Errors
/// Why it is none: not there, not a file, too large, not UTF-8.
pub fn text(path: &Path) -> std::result::Result<String, Refused> {
    // Without waiting: a pipe of that name would keep the reader for ever.
    let flags = rustix::fs::OFlags::NONBLOCK.bits().cast_signed();
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path);
    let file = file.map_err(|e| (0, format!("cannot be opened: {e}")))?;
    let meta = file
        .metadata()
        .map_err(|e| (0, format!("cannot be read: {e}")))?;
    if !meta.is_file() {
        return Err((0, "this is not a file".into()));
    }
    let mut bytes = Vec::with_capacity(meta.len().min(FILE_LIMIT) as usize);
    file.take(FILE_LIMIT + 1)
        .read_to_end(&mut bytes)
        .map_err(|e| (0, format!("cannot be read: {e}")))?;
    if bytes.len() as u64 > FILE_LIMIT {
        return Err((
            0,
            format!(
                "a file of {} bytes; at most {} MiB are read",
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

/// A cheap fingerprint of the metadata files in `dir`: it differs once one of them was written, added or removed.
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

/// One saver at a time in a metadata folder; released when dropped, and when its process ends.
struct Lock(#[allow(dead_code, reason = "held, not used")] File);

impl Lock {
    fn take(dir: &Path) -> Result<Lock> {
        let file = File::open(dir).map_err(|e| Error::io(&e, "cannot open the folder", dir))?;
        rustix::fs::flock(&file, rustix::fs::FlockOperation::LockExclusive)
            .map_err(|e| Error::io(&e.into(), "cannot lock the folder", dir))?;
        Ok(Lock(file))
    }
}

/// One rename or removal of a save.
#[derive(Debug, Serialize, Deserialize)]
struct Step {
    /// The file, within the metadata folder.
    name: String,
    /// The synced file that takes its place, by its name beside it; none removes it.
    temp: Option<String>,
    /// The revision it replaces: whoever finishes the save leaves a file alone that somebody has edited since.
    base: Option<String>,
}

/// Saves these files, all or none, and gives what the folder holds then. With nothing in the folder yet, the shipped
/// files are written with them.
///
/// # Errors
/// [`ErrorKind::Conflict`] names the file that is not what the edit began from; [`ErrorKind::Input`] the name or text that cannot
/// be; [`ErrorKind::DiskFull`], [`ErrorKind::Denied`] and other failures of the operating system. Every file is then as it was.
pub fn save(dir: &Path, saves: &[Save]) -> Result<MetadataState> {
    for (at, save) in saves.iter().enumerate() {
        check(save, dir)?;
        if saves[..at].iter().any(|s| s.name == save.name) {
            return Err(
                Error::input("the same file is saved twice at once").file(dir.join(&save.name))
            );
        }
    }
    let mut made = Vec::new();
    // Not the folders above it: a project that was moved away must not come back empty.
    let saved = ensure_one(dir, &mut made)
        .and_then(|()| {
            let shipped = names(dir)?
                .is_empty()
                .then(|| shipped().map(|f| f.name))
                .into_iter()
                .flatten();
            ensure_folders(
                dir,
                saves.iter().map(|s| s.name.clone()).chain(shipped),
                &mut made,
            )?;
            write(dir, saves)
        })
        .inspect_err(|_| disk::remove_made(&made));
    saved?;
    read(dir)
}

fn ensure_one(dir: &Path, made: &mut Vec<PathBuf>) -> Result<()> {
    if !dir.is_dir() && disk::ensure_dir(dir)? {
        made.push(dir.to_path_buf());
    }
    Ok(())
}

fn check(save: &Save, dir: &Path) -> Result<()> {
    check_name(&save.name, save.base.is_none())?;
    match (&save.text, &save.base) {
        (None, None) => {
            Err(Error::input("nothing to remove: no revision is named").file(dir.join(&save.name)))
        }
        (Some(text), _) if text.len() as u64 > FILE_LIMIT => {
            let what = format!(
                "a text of {} bytes; a metadata file has at most {} MiB",
                text.len(),
                FILE_LIMIT >> 20
            );
            Err(Error::input(what).file(dir.join(&save.name)))
        }
        (Some(text), _) if text.contains('\0') => {
            let line = text
                .split('\0')
                .next()
                .unwrap_or_default()
                .matches('\n')
                .count() as u64
                + 1;
            Err(Error::input("a metadata file cannot hold NUL")
                .file(dir.join(&save.name))
                .line(line))
        }
        _ => Ok(()),
    }
}

fn write(dir: &Path, saves: &[Save]) -> Result<()> {
    let inside = boundary(dir)?;
    let _lock = Lock::take(dir)?;
    if dir.join(INTENT).exists() {
        finish(dir)?;
    }
    sweep(dir);
    let mut all = saves.to_vec();
    if names(dir)?.is_empty() {
        let own = |name: &str| saves.iter().position(|s| s.name == name);
        for file in shipped() {
            match own(&file.name) {
                Some(at) => {
                    // What the client has seen is the shipped text, and nothing is on disk.
                    unchanged(dir, &saves[at], Some(&revision(file.text.as_bytes())))?;
                    all[at].base = None;
                }
                None => all.push(Save {
                    name: file.name,
                    base: None,
                    text: Some(file.text),
                }),
            }
        }
        all.retain(|s| s.text.is_some());
    }
    // A save that was sent again after a lost connection finds its own text.
    let same = |s: &Save| {
        let now = text_of(dir, &s.name, &inside).ok().flatten();
        now.is_some() && now == s.text
    };
    all.retain(|s| !same(s));
    if all.is_empty() {
        return Ok(());
    }
    let mut total: u64 = all
        .iter()
        .filter_map(|s| s.text.as_ref())
        .map(|t| t.len() as u64)
        .sum();
    let others = names(dir)?
        .into_iter()
        .filter(|n| !all.iter().any(|s| s.name == *n));
    total += others
        .filter_map(|n| Some(fs::metadata(dir.join(n)).ok()?.len()))
        .filter(|n| *n <= FILE_LIMIT)
        .sum::<u64>();
    if total > TOTAL_LIMIT && all.iter().any(|s| s.text.is_some()) {
        let what = format!(
            "the metadata would be {total} bytes; at most {} MiB are read",
            TOTAL_LIMIT >> 20
        );
        return Err(Error::input(what).file(dir));
    }
    let mut staged = Vec::new();
    let mut steps = Vec::new();
    for save in &all {
        current(dir, save, &inside)?;
        // A link inside the project stays one: what it leads to is replaced.
        let path = dir.join(&save.name);
        let path = fs::canonicalize(&path).unwrap_or(path);
        let temp = match &save.text {
            None => None,
            Some(text) => {
                let temp = disk::staged(&path, &[text.as_bytes()])?;
                if let Ok(meta) = fs::metadata(&path) {
                    let set = temp.as_file().set_permissions(meta.permissions());
                    set.map_err(|e| Error::io(&e, "cannot write", &path))?;
                }
                Some(temp.into_temp_path())
            }
        };
        let name = temp
            .as_ref()
            .and_then(|t| Some(t.file_name()?.to_string_lossy().into_owned()));
        steps.push(Step {
            name: save.name.clone(),
            temp: name,
            base: save.base.clone(),
        });
        staged.push((path, temp));
    }
    let intent = serde_json::to_vec(&steps)
        .map_err(|e| Error::new(ErrorKind::Io, format!("cannot be written: {e}")))?;
    for save in &all {
        current(dir, save, &inside)?;
    }
    disk::write_atomic(&dir.join(INTENT), &intent)?;
    let renamed = rename(staged);
    let cleared = fs::remove_file(dir.join(INTENT))
        .map_err(|e| Error::io(&e, "cannot remove", &dir.join(INTENT)));
    renamed.and(cleared)?;
    disk::sync_dir(dir)?;
    folders(dir).try_for_each(|folder| disk::sync_dir(&folder))
}

/// The folders there are in a metadata folder.
fn folders(dir: &Path) -> impl Iterator<Item = PathBuf> {
    FOLDERS
        .into_iter()
        .map(|(name, _)| dir.join(name))
        .filter(|folder| folder.is_dir())
}

/// Removes what saves that were cut off have left.
fn sweep(dir: &Path) {
    disk::sweep(dir);
    folders(dir).for_each(|folder| disk::sweep(&folder));
}

/// Puts staged files in their places. When one cannot be, those before it get their old bytes back.
fn rename(staged: Vec<(PathBuf, Option<tempfile::TempPath>)>) -> Result<()> {
    let mut done: Vec<(PathBuf, Option<Vec<u8>>)> = Vec::new();
    for (path, temp) in staged {
        let old = fs::read(&path).ok();
        let moved = match temp {
            Some(temp) => temp.persist(&path).map_err(|e| e.error),
            None => fs::remove_file(&path),
        };
        if let Err(error) = moved {
            for (path, old) in done.iter().rev() {
                let _ = match old {
                    Some(bytes) => disk::write_atomic(path, bytes),
                    None => fs::remove_file(path).map_err(|e| Error::io(&e, "cannot remove", path)),
                };
            }
            return Err(Error::io(&error, "cannot write", &path));
        }
        done.push((path, old));
    }
    Ok(())
}

/// Checks that a file on disk is what the edit began from.
fn current(dir: &Path, save: &Save, inside: &Path) -> Result<()> {
    match text_of(dir, &save.name, inside) {
        Ok(text) => unchanged(dir, save, text.map(|t| revision(t.as_bytes())).as_deref()),
        Err((_, what)) => Err(Error::new(
            ErrorKind::Conflict,
            format!("it is not the file that was edited: {what}"),
        )
        .file(dir.join(&save.name))),
    }
}

fn unchanged(dir: &Path, save: &Save, now: Option<&str>) -> Result<()> {
    let what = match (now, save.base.as_deref()) {
        (now, base) if now == base => return Ok(()),
        (Some(_), None) => "there is a file of this name already",
        (None, Some(_)) => "the file was removed while it was being edited",
        _ => "the file was changed by somebody else while it was being edited",
    };
    Err(Error::new(ErrorKind::Conflict, what)
        .file(dir.join(&save.name))
        .help("read it again, then make the edit in what it holds now"))
}

/// Finishes a save that was cut off after everything was staged. To be called under the lock.
fn finish(dir: &Path) -> Result<()> {
    let inside = boundary(dir)?;
    let intent = dir.join(INTENT);
    let bytes = regular::read(&intent, regular::LIST_LIMIT)?;
    // One that cannot be read did not come from here: writing it is atomic.
    let steps: Vec<Step> = serde_json::from_slice(&bytes).unwrap_or_default();
    for step in steps.iter().filter(|s| check_name(&s.name, false).is_ok()) {
        let path = dir.join(&step.name);
        let path = fs::canonicalize(&path).unwrap_or(path);
        let failed = |e| Error::io(&e, "cannot write", &path);
        let now = text_of(dir, &step.name, &inside).map(|t| t.map(|t| revision(t.as_bytes())));
        let as_it_was = now.as_ref() == Ok(&step.base);
        match &step.temp {
            None if as_it_was && step.base.is_some() => fs::remove_file(&path).map_err(failed)?,
            Some(temp) if temp.starts_with(disk::TEMPORARY) && !temp.contains('/') => {
                let temp = disk::folder(&path).join(temp);
                // Gone when it is in its place already.
                if temp.symlink_metadata().is_ok_and(|m| m.is_file()) && as_it_was {
                    fs::rename(&temp, &path).map_err(failed)?;
                }
            }
            _ => {}
        }
    }
    sweep(dir);
    fs::remove_file(&intent).map_err(|e| Error::io(&e, "cannot remove", &intent))?;
    disk::sync_dir(dir)
}

#[cfg(test)]
mod tests;
