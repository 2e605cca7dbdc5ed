//! Which files of pictures hold other bytes than were recorded, by the number of the file ([`benchtop_model::generated_image::file_key`]).
//!
//! Every file is read once; after that only what was changed, told by length, inode and time of change.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use benchtop_files::{disk, regular};
use benchtop_model::generated_image::file_key;
use benchtop_model::image::FILE_LIMIT;
use benchtop_model::{Error, ErrorKind, Result};

/// A file that was changed so shortly before it was read is read again: times of change are not finer than this on common
/// file systems.
const COARSE_MS: i64 = 50;

/// What tells that a file is the one that was read: its length, inode, and time of change.
type Stamp = (u64, u64, i64, i64);

/// See the module.
#[derive(Debug, Default)]
pub struct Damaged {
    /// By the hash of the path: what was read, and whether it was damaged.
    known: HashMap<u64, (Stamp, bool)>,
}

impl Damaged {
    /// The numbers of the damaged ones, below `images` and among `links`, the pictures that were linked and not copied. A file that
    /// is gone is none of them. `wanted` says whether to go on.
    ///
    /// # Errors
    /// [`ErrorKind::Cancelled`].
    pub fn find(
        &mut self,
        images: &Path,
        links: &HashMap<u64, PathBuf>,
        wanted: &dyn Fn() -> bool,
    ) -> Result<HashSet<u64>> {
        let mut found = HashSet::new();
        let mut seen = HashSet::new();
        for first in 0..=u8::MAX {
            let folder = images.join(format!("{first:02x}"));
            if !folder.symlink_metadata().is_ok_and(|meta| meta.is_dir()) {
                continue;
            }
            for (name, path) in disk::list(&folder) {
                if let Some(key) = file_key(&name) {
                    self.look(
                        (key, &path),
                        name.get(..64).unwrap_or_default(),
                        wanted,
                        (&mut found, &mut seen),
                    )?;
                }
            }
        }
        for (key, path) in links {
            self.look((*key, path), "", wanted, (&mut found, &mut seen))?;
        }
        self.known.retain(|at, _| seen.contains(at));
        Ok(found)
    }

    fn look(
        &mut self,
        (key, path): (u64, &Path),
        hash: &str,
        wanted: &dyn Fn() -> bool,
        (found, seen): (&mut HashSet<u64>, &mut HashSet<u64>),
    ) -> Result<()> {
        if !wanted() {
            return Err(Error::new(ErrorKind::Cancelled, "a newer question came"));
        }
        let Ok(meta) = path.symlink_metadata() else {
            return Ok(());
        };
        let mut hasher = DefaultHasher::new();
        path.hash(&mut hasher);
        let at = hasher.finish();
        seen.insert(at);
        let stamp = (meta.len(), meta.ino(), meta.ctime(), meta.ctime_nsec());
        let damaged = match self.known.get(&at) {
            Some((same, damaged)) if *same == stamp => *damaged,
            _ => {
                let read =
                    regular::read(path, FILE_LIMIT).map(|bytes| blake3::hash(&bytes).to_hex());
                // Of a linked file only the first digits of its hash are known here.
                let damaged = !read.is_ok_and(|read| {
                    if hash.is_empty() {
                        file_key(&read) == Some(key)
                    } else {
                        read.as_str() == hash
                    }
                });
                let now = SystemTime::now()
                    .duration_since(SystemTime::UNIX_EPOCH)
                    .unwrap_or(Duration::ZERO);
                let changed = meta
                    .ctime()
                    .saturating_mul(1000)
                    .saturating_add(meta.ctime_nsec() / 1_000_000);
                if i64::try_from(now.as_millis()).unwrap_or(i64::MAX) > changed + COARSE_MS {
                    self.known.insert(at, (stamp, damaged));
                }
                damaged
            }
        };
        if damaged {
            found.insert(key);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_with_other_bytes_than_its_name_says_is_found_and_found_whole_again() {
        let dir = tempfile::tempdir().unwrap();
        let hash = blake3::hash(b"picture").to_hex().to_string();
        let (folder, key) = (dir.path().join(&hash[..2]), file_key(&hash).unwrap());
        std::fs::create_dir(&folder).unwrap();
        let file = folder.join(format!("{hash}.png"));
        let (none, mut damaged) = (HashMap::new(), Damaged::default());
        std::fs::write(&file, b"picture").unwrap();
        assert_eq!(
            damaged.find(dir.path(), &none, &|| true).unwrap(),
            HashSet::new()
        );
        std::fs::write(&file, b"pictur!").unwrap();
        assert_eq!(
            damaged.find(dir.path(), &none, &|| true).unwrap(),
            HashSet::from([key])
        );
        std::fs::write(&file, b"picture").unwrap();
        assert_eq!(
            damaged.find(dir.path(), &none, &|| true).unwrap(),
            HashSet::new()
        );
        std::fs::remove_file(&file).unwrap();
        assert_eq!(
            damaged.find(dir.path(), &none, &|| true).unwrap(),
            HashSet::new(),
            "gone is missing"
        );
        let linked = dir.path().join("linked.png");
        std::fs::write(&linked, b"picture").unwrap();
        let links = HashMap::from([(key, linked.clone())]);
        assert_eq!(
            damaged.find(dir.path(), &links, &|| true).unwrap(),
            HashSet::new()
        );
        std::fs::write(&linked, b"another").unwrap();
        assert_eq!(
            damaged.find(dir.path(), &links, &|| true).unwrap(),
            HashSet::from([key])
        );
        assert_eq!(
            damaged
                .find(dir.path(), &links, &|| false)
                .unwrap_err()
                .kind,
            ErrorKind::Cancelled
        );
    }
}
