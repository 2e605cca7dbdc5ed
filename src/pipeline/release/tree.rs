//! Everything in a folder, without following links.

use std::fs::Metadata;
use std::path::{Path, PathBuf};

use benchtop_model::sorting::sort_by;
use benchtop_model::{Error, Result};

/// Most entries of a folder, with those of its subfolders.
const ENTRIES_LIMIT: usize = 20_000_000;
/// Greatest nesting of folders.
const DEPTH_LIMIT: usize = 64;

/// An entry that is no folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Entry {
    /// A regular file and its length in bytes.
    File(u64),
    /// A link, a device, a pipe, a socket, or a name that is not UTF-8.
    Other,
}

/// The entries below `dir` that are no folders, by their paths with `/`, sorted.
///
/// # Errors
/// A folder that cannot be listed, and too many entries.
pub(super) fn of(dir: &Path) -> Result<Vec<(String, Entry)>> {
    let mut found = Vec::new();
    walk(dir, &mut |path, meta| {
        let is_named = path.to_str().is_some();
        let entry = match meta.is_file() && is_named {
            true => Entry::File(meta.len()),
            false => Entry::Other,
        };
        if !meta.is_dir() || !is_named {
            found.push((path.to_string_lossy().into_owned(), entry));
        }
    })?;
    sort_by(&mut found, |(a, _), (b, _)| a.cmp(b));
    Ok(found)
}

/// `dir` and all folders below it, the deepest first.
pub(super) fn folders(dir: &Path) -> Result<Vec<PathBuf>> {
    let mut found = vec![dir.to_path_buf()];
    walk(dir, &mut |path, meta| {
        if meta.is_dir() {
            found.push(dir.join(path));
        }
    })?;
    found.reverse();
    Ok(found)
}

/// Calls `take` with every entry below `dir`, a folder before what is in it.
fn walk(dir: &Path, take: &mut dyn FnMut(&Path, &Metadata)) -> Result<()> {
    let mut open = vec![PathBuf::new()];
    let mut seen = 0;
    while let Some(below) = open.pop() {
        let folder = dir.join(&below);
        let failed = |e: std::io::Error| Error::io(&e, "cannot be listed", &folder);
        for entry in std::fs::read_dir(&folder).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let path = below.join(entry.file_name());
            // `DirEntry::metadata` does not follow links.
            let meta = entry.metadata().map_err(failed)?;
            seen += 1;
            if seen > ENTRIES_LIMIT || path.components().count() > DEPTH_LIMIT {
                let what = "the folder has too many entries, or is nested too deeply";
                return Err(Error::input(what).file(dir));
            }
            take(&path, &meta);
            if meta.is_dir() && path.to_str().is_some() {
                open.push(path);
            }
        }
    }
    Ok(())
}
