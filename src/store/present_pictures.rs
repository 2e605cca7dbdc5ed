//! Finds which picture files exist in `images/`. Files are identified by their key
//! ([`benchtop_model::generated_image::file_key`]).
//!
//! A folder is listed again only if its mtime changed. A refresh therefore costs one `stat` for
//! each of at most 256 folders.

use std::collections::HashMap;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use benchtop_model::generated_image::file_key;
use benchtop_model::{Error, Result};

/// Interval between checks of linked files. They have no common folder whose mtime would show a
/// change.
const LINKS_EVERY: Duration = Duration::from_secs(10);
/// A folder that changed less than this before it was listed is listed again, because common file
/// systems store mtime no finer.
const COARSE: Duration = Duration::from_millis(50);

/// A listed folder.
#[derive(Debug, Default)]
struct Folder {
    stamp: Option<(i64, i64, u64)>,
    /// Keys of its files, sorted.
    keys: Vec<u64>,
}

#[derive(Debug, Default)]
pub struct Present {
    folders: HashMap<u8, Folder>,
    missing_links: Vec<u64>,
    links_checked: Option<Instant>,
    edition: u64,
}

impl Present {
    /// Lists changed folders. Returns a number that changes whenever a file appears or disappears.
    /// `links` are pictures that are linked instead of copied.
    pub fn refresh(&mut self, images: &Path, links: &HashMap<u64, PathBuf>) -> Result<u64> {
        let mut changed = self.edition == 0;
        for first in 0..=u8::MAX {
            let path = images.join(format!("{first:02x}"));
            let meta = path.symlink_metadata().ok().filter(Metadata::is_dir);
            let stamp = meta.as_ref().map(|m| (m.mtime(), m.mtime_nsec(), m.ino()));
            let held = self.folders.get(&first);
            if held.map(|f| f.stamp) == Some(stamp) && stamp.is_some()
                || held.is_none() && stamp.is_none()
            {
                continue;
            }
            changed = true;
            let Some(meta) = meta else {
                self.folders.remove(&first);
                continue;
            };
            let settled = meta.modified().is_ok_and(|at| {
                SystemTime::now()
                    .duration_since(at)
                    .is_ok_and(|d| d > COARSE)
            });
            self.folders.insert(
                first,
                Folder {
                    stamp: stamp.filter(|_| settled),
                    keys: keys(&path)?,
                },
            );
        }
        if !links.is_empty()
            && self
                .links_checked
                .is_none_or(|at| at.elapsed() > LINKS_EVERY)
        {
            let is_gone = |path: &&PathBuf| !path.symlink_metadata().is_ok_and(|m| m.is_file());
            let mut gone: Vec<u64> = links
                .iter()
                .filter(|(_, path)| is_gone(path))
                .map(|(key, _)| *key)
                .collect();
            gone.sort_unstable();
            changed |= gone != self.missing_links;
            (self.missing_links, self.links_checked) = (gone, Some(Instant::now()));
        }
        self.edition += u64::from(changed);
        Ok(self.edition)
    }

    /// Whether the file of a picture exists.
    pub fn has(&self, key: u64, links: &HashMap<u64, PathBuf>) -> bool {
        let stored = self
            .folders
            .get(&key.to_be_bytes()[0])
            .is_some_and(|f| f.keys.binary_search(&key).is_ok());
        stored || links.contains_key(&key) && self.missing_links.binary_search(&key).is_err()
    }
}

fn keys(folder: &Path) -> Result<Vec<u64>> {
    let fail = |e: std::io::Error| Error::io(&e, "cannot be listed", folder);
    let mut keys = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(fail)? {
        let entry = entry.map_err(fail)?;
        let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
        keys.extend(
            entry
                .file_name()
                .to_str()
                .filter(|_| is_file)
                .and_then(file_key),
        );
    }
    keys.sort_unstable();
    Ok(keys)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn created_and_removed_files_are_noticed_and_symlinks_ignored() {
        let dir = tempfile::tempdir().unwrap();
        let hash = blake3::hash(b"x").to_hex().to_string();
        let key = file_key(&hash).unwrap();
        let folder = dir.path().join(&hash[..2]);
        let none = HashMap::new();
        let mut present = Present::default();
        let first = present.refresh(dir.path(), &none).unwrap();
        assert!(!present.has(key, &none));
        std::fs::create_dir(&folder).unwrap();
        let file = folder.join(format!("{hash}.png"));
        std::fs::write(&file, b"x").unwrap();
        let second = present.refresh(dir.path(), &none).unwrap();
        assert!(second > first && present.has(key, &none));
        std::thread::sleep(2 * COARSE);
        let third = present.refresh(dir.path(), &none).unwrap();
        assert_eq!(
            present.refresh(dir.path(), &none).unwrap(),
            third,
            "nothing changed"
        );
        std::fs::remove_file(&file).unwrap();
        present.refresh(dir.path(), &none).unwrap();
        assert!(!present.has(key, &none));
        std::os::unix::fs::symlink("/etc/passwd", &file).unwrap();
        present.refresh(dir.path(), &none).unwrap();
        assert!(!present.has(key, &none));
        let links = HashMap::from([(key, dir.path().join("elsewhere"))]);
        present.refresh(dir.path(), &links).unwrap();
        assert!(!present.has(key, &links));
    }
}
