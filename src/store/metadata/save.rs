//! Saves metadata files.

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{FILE_LIMIT, INTENT, Lock, TOTAL_LIMIT, boundary, read, revision, text_of};
use benchtop_files::metadata_folder::{ensure_folders, names};
use benchtop_files::{disk, regular};
use benchtop_model::metafile::{FOLDERS, check_name, shipped};
use benchtop_model::usage::{MetadataState, Save};
use benchtop_model::{Error, Result};

/// One rename or removal of a save.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Step {
    /// File name within the metadata folder.
    pub(super) name: String,
    /// Name of the synced new file beside it, or `None` to remove the file.
    pub(super) temp: Option<String>,
    /// The replaced revision. A file that somebody edited meanwhile is left alone when the save is
    /// finished later.
    pub(super) base: Option<String>,
}

/// Saves these files, all or none, and returns the new content of the folder. If the folder is
/// empty, the shipped files are written too. On an error, no file is changed.
///
/// # Errors
/// [`Error::conflict`] names a file that changed since it was read. [`Error::input`] for an
/// invalid name or text. [`ErrorKind::DiskFull`] and [`Error::denied`].
pub fn save(dir: &Path, saves: &[Save]) -> Result<MetadataState> {
    for (at, save) in saves.iter().enumerate() {
        check(save, dir)?;
        if saves[..at].iter().any(|s| s.name == save.name) {
            return Err(
                Error::input("the same file occurs twice in one save").file(dir.join(&save.name))
            );
        }
    }
    let mut made = Vec::new();
    // Parent folders are not created, since a moved project must not reappear empty.
    let saved = ensure_folder(dir, &mut made)
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

fn ensure_folder(dir: &Path, made: &mut Vec<PathBuf>) -> Result<()> {
    if !dir.is_dir() && disk::ensure_dir(dir)? {
        made.push(dir.to_path_buf());
    }
    Ok(())
}

fn check(save: &Save, dir: &Path) -> Result<()> {
    check_name(&save.name, save.base.is_none())?;
    match (&save.text, &save.base) {
        (None, None) => Err(
            Error::input("cannot remove the file: the base revision is missing")
                .file(dir.join(&save.name)),
        ),
        (Some(text), _) if text.len() as u64 > FILE_LIMIT => {
            let what = format!(
                "the text has {} bytes; the maximum of a metadata file is {} MiB",
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
            Err(
                Error::input("a metadata file cannot contain a NUL character")
                    .file(dir.join(&save.name))
                    .line(line),
            )
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
                    // The client has read the shipped text, which is not on disk.
                    check_base(dir, &saves[at], Some(&revision(file.text.as_bytes())))?;
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
    // A save that is sent again after a lost connection finds its own text.
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
            "the metadata would have {total} bytes; the maximum is {} MiB",
            TOTAL_LIMIT >> 20
        );
        return Err(Error::input(what).file(dir));
    }
    let mut staged = Vec::new();
    let mut steps = Vec::new();
    for save in &all {
        check_on_disk(dir, save, &inside)?;
        // A link inside the project stays a link. Its target is replaced.
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
        .map_err(|e| Error::failed(format!("cannot serialize the steps of the save: {e}")))?;
    for save in &all {
        check_on_disk(dir, save, &inside)?;
    }
    disk::write_atomic(&dir.join(INTENT), &intent)?;
    let renamed = rename(staged);
    let cleared = fs::remove_file(dir.join(INTENT))
        .map_err(|e| Error::io(&e, "cannot remove", &dir.join(INTENT)));
    renamed.and(cleared)?;
    disk::sync_dir(dir)?;
    folders(dir).try_for_each(|folder| disk::sync_dir(&folder))
}

/// Existing subfolders of a metadata folder.
fn folders(dir: &Path) -> impl Iterator<Item = PathBuf> {
    FOLDERS
        .into_iter()
        .map(|(name, _)| dir.join(name))
        .filter(|folder| folder.is_dir())
}

/// Removes temporary files of interrupted saves.
fn sweep(dir: &Path) {
    disk::sweep(dir);
    folders(dir).for_each(|folder| disk::sweep(&folder));
}

/// Moves staged files into place. If one fails, the earlier ones get their old bytes back.
pub(super) fn rename(staged: Vec<(PathBuf, Option<tempfile::TempPath>)>) -> Result<()> {
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

/// Checks that the file on disk has the revision that the edit started from.
fn check_on_disk(dir: &Path, save: &Save, inside: &Path) -> Result<()> {
    match text_of(dir, &save.name, inside) {
        Ok(text) => check_base(dir, save, text.map(|t| revision(t.as_bytes())).as_deref()),
        Err((_, what)) => Err(Error::conflict(format!(
            "the file is no longer the one that was edited: {what}"
        ))
        .file(dir.join(&save.name))),
    }
}

fn check_base(dir: &Path, save: &Save, now: Option<&str>) -> Result<()> {
    let what = match (now, save.base.as_deref()) {
        (now, base) if now == base => return Ok(()),
        (Some(_), None) => "a file with this name already exists",
        (None, Some(_)) => "the file was removed while it was being edited",
        _ => "another program changed the file while it was being edited",
    };
    Err(Error::conflict(what)
        .file(dir.join(&save.name))
        .help("reload the file, then repeat the edit"))
}

/// Finishes an interrupted save whose files were all staged. The caller holds the lock.
pub(super) fn finish(dir: &Path) -> Result<()> {
    let inside = boundary(dir)?;
    let intent = dir.join(INTENT);
    let bytes = regular::read(&intent, regular::LIST_LIMIT)?;
    // An unreadable intent is not ours, because writing it is atomic.
    let steps: Vec<Step> = serde_json::from_slice(&bytes).unwrap_or_default();
    for step in steps.iter().filter(|s| check_name(&s.name, false).is_ok()) {
        let path = dir.join(&step.name);
        let path = fs::canonicalize(&path).unwrap_or(path);
        let failed = |e| Error::io(&e, "cannot write", &path);
        let now = text_of(dir, &step.name, &inside).map(|t| t.map(|t| revision(t.as_bytes())));
        let is_unchanged = now.as_ref() == Ok(&step.base);
        match &step.temp {
            None if is_unchanged && step.base.is_some() => {
                fs::remove_file(&path).map_err(failed)?
            }
            Some(temp) if temp.starts_with(disk::TEMPORARY) && !temp.contains('/') => {
                let temp = disk::folder(&path).join(temp);
                // Missing if the rename was already done.
                if temp.symlink_metadata().is_ok_and(|m| m.is_file()) && is_unchanged {
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
