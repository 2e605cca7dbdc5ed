//! Checks a release folder against its manifest. The folder can come from anybody: links are not
//! followed, and no file is read beyond the length that the manifest states.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Serialize;

use super::manifest::{self, Manifest};
use super::tree::{self, Entry};
use benchtop_model::cancel::ProgressSink;
use benchtop_model::{Error, Result};

/// What a check found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Verified {
    /// Name of the release.
    pub name: String,
    /// Hash of everything, as the manifest states it.
    pub hash: String,
    /// Whether nothing is wrong.
    pub sound: bool,
    /// Whether the stated hash is that of the listed files, and the expected one if there is one.
    pub hash_matches: bool,
    /// Listed files and their bytes.
    pub files: u64,
    pub bytes: u64,
    /// Listed files that are not there.
    pub missing: Vec<String>,
    /// Files that are not listed.
    pub extra: Vec<String>,
    /// Listed files with other bytes.
    pub changed: Vec<String>,
    /// Links, devices, and names that are not UTF-8. They are not read.
    pub not_files: Vec<String>,
}

/// Checks the release in `dir`. `expected` is the hash that it must have.
///
/// # Errors
/// A folder without a valid manifest, a folder that cannot be read, and cancellation.
pub fn verify(dir: &Path, expected: Option<&str>, watch: ProgressSink<'_>) -> Result<Verified> {
    let failed = |e: std::io::Error| Error::io(&e, "cannot open the folder", dir);
    let dir = &std::fs::canonicalize(dir).map_err(failed)?;
    if !dir.is_dir() {
        return Err(Error::input("not a folder").file(dir));
    }
    let manifest = Manifest::read(dir)?;
    let mut there: BTreeMap<String, Entry> = tree::of(dir)?.into_iter().collect();
    there.remove(manifest::FILE);
    let mut found = Verified {
        hash_matches: manifest.is_consistent() && expected.is_none_or(|hash| hash == manifest.hash),
        files: manifest.files.len() as u64,
        bytes: manifest.bytes(),
        ..Verified::default()
    };
    for (at, file) in manifest.files.iter().enumerate() {
        watch.report("checking", at as u64, Some(found.files))?;
        match there.remove(&file.path) {
            None => found.missing.push(file.path.clone()),
            Some(Entry::Other) => found.not_files.push(file.path.clone()),
            Some(Entry::File(bytes)) if bytes != file.bytes => {
                found.changed.push(file.path.clone())
            }
            Some(Entry::File(_)) => {
                let path = dir.join(&file.path);
                match manifest::digest(&path, file.bytes, watch) {
                    Ok((bytes, hash)) if (bytes, &hash) == (file.bytes, &file.blake3) => {}
                    Err(problem) if watch.cancel.is_canceled() => return Err(problem),
                    // Other bytes, or a file that cannot be read.
                    _ => found.changed.push(file.path.clone()),
                }
            }
        }
    }
    for (path, entry) in there {
        match entry {
            Entry::File(_) => found.extra.push(path),
            Entry::Other => found.not_files.push(path),
        }
    }
    let lists = [
        &found.missing,
        &found.extra,
        &found.changed,
        &found.not_files,
    ];
    found.sound = found.hash_matches && lists.iter().all(|list| list.is_empty());
    (found.name, found.hash) = (manifest.name, manifest.hash);
    Ok(found)
}
