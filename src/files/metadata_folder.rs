//! Lists the metadata files of a project, and writes the shipped ones into a new project.

use std::fs;
use std::path::{Path, PathBuf};

use crate::disk;
use benchtop_model::metafile::{FOLDERS, SINGLE, inner, shipped};
use benchtop_model::{Error, Result};

/// Names of the metadata files in `dir`, sorted.
pub fn names(dir: &Path) -> Result<Vec<String>> {
    let mut names: Vec<String> = SINGLE
        .iter()
        .filter(|n| dir.join(n).symlink_metadata().is_ok())
        .map(|n| (*n).to_string())
        .collect();
    for (name, _) in FOLDERS {
        let folder = dir.join(name);
        let entries = match fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => continue,
            Err(e) => return Err(Error::io(&e, "cannot read the folder", &folder)),
        };
        for entry in entries {
            let entry = entry.map_err(|e| Error::io(&e, "cannot read the folder", &folder))?;
            let name = format!("{name}/{}", entry.file_name().to_string_lossy());
            if inner(&name).is_some() {
                names.push(name);
            }
        }
    }
    names.sort_unstable();
    Ok(names)
}

/// Creates the folders for files of these names. Appends each created folder to `made`.
pub fn ensure_folders(
    dir: &Path,
    files: impl Iterator<Item = String>,
    made: &mut Vec<PathBuf>,
) -> Result<()> {
    for file in files {
        if let Some((folder, _)) = file.split_once('/')
            && disk::ensure_dir(&dir.join(folder))?
        {
            made.push(dir.join(folder));
        }
    }
    Ok(())
}

/// Writes the shipped files into an empty metadata folder. Appends what it creates to `made`, also
/// on failure.
pub fn write_shipped(dir: &Path, made: &mut Vec<PathBuf>) -> Result<()> {
    if !names(dir)?.is_empty() {
        return Ok(());
    }
    ensure_folders(dir, shipped().map(|f| f.name), made)?;
    for file in shipped() {
        let path = dir.join(&file.name);
        if disk::write_new(&path, file.text.as_bytes())? {
            made.push(path);
        }
    }
    Ok(())
}
