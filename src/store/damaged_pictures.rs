//! Finds picture files whose bytes differ from their recorded hash. Files are identified by their
//! key ([`benchtop_model::generated_image::file_key`]).
//!
//! Each file is hashed once, and again only if its length, inode, or ctime changed.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use benchtop_files::{disk, regular};
use benchtop_model::Result;
use benchtop_model::cancel::Cancel;
use benchtop_model::generated_image::file_key;
use benchtop_model::image::FILE_LIMIT;

/// A file that changed less than this before it was read is read again, because common file systems
/// store ctime no finer.
const COARSE_MS: i64 = 50;

/// Identifies a version of a file: length, inode, and ctime in seconds and nanoseconds.
type Stamp = (u64, u64, i64, i64);

#[derive(Debug, Default)]
pub struct Damaged {
    /// Stamp and result of each file that was hashed, by the hash of its path.
    known: HashMap<u64, (Stamp, bool)>,
}

/// State of one call of [`Damaged::find`].
struct Scan<'a> {
    cancel: Cancel<'a>,
    damaged: HashSet<u64>,
    /// Hashes of the paths that exist.
    seen: HashSet<u64>,
}

impl Damaged {
    /// Keys of the damaged files below `images` and among `links`, the pictures that are linked
    /// instead of copied. Missing files are not damaged.
    ///
    /// # Errors
    /// [`Cancelled`](benchtop_model::ErrorKind::Cancelled).
    pub fn find(
        &mut self,
        images: &Path,
        links: &HashMap<u64, PathBuf>,
        cancel: Cancel<'_>,
    ) -> Result<HashSet<u64>> {
        let mut scan = Scan {
            cancel,
            damaged: HashSet::new(),
            seen: HashSet::new(),
        };
        for first in 0..=u8::MAX {
            let folder = images.join(format!("{first:02x}"));
            if !folder.symlink_metadata().is_ok_and(|meta| meta.is_dir()) {
                continue;
            }
            for (name, path) in disk::list(&folder) {
                if let Some(key) = file_key(&name) {
                    self.check(key, &path, name.get(..64).unwrap_or_default(), &mut scan)?;
                }
            }
        }
        for (key, path) in links {
            self.check(*key, path, "", &mut scan)?;
        }
        self.known.retain(|at, _| scan.seen.contains(at));
        Ok(scan.damaged)
    }

    fn check(&mut self, key: u64, path: &Path, hash: &str, scan: &mut Scan<'_>) -> Result<()> {
        scan.cancel.check()?;
        let Ok(meta) = path.symlink_metadata() else {
            return Ok(());
        };
        let mut hasher = DefaultHasher::new();
        path.hash(&mut hasher);
        let at = hasher.finish();
        scan.seen.insert(at);
        let stamp = (meta.len(), meta.ino(), meta.ctime(), meta.ctime_nsec());
        let damaged = match self.known.get(&at) {
            Some((same, damaged)) if *same == stamp => *damaged,
            _ => {
                let read =
                    regular::read(path, FILE_LIMIT).map(|bytes| blake3::hash(&bytes).to_hex());
                // Only the first digits of a linked file's hash are known here.
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
            scan.damaged.insert(key);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use benchtop_model::ErrorKind;

    #[test]
    fn a_damaged_file_is_found_until_it_is_restored() {
        let dir = tempfile::tempdir().unwrap();
        let hash = blake3::hash(b"picture").to_hex().to_string();
        let (folder, key) = (dir.path().join(&hash[..2]), file_key(&hash).unwrap());
        std::fs::create_dir(&folder).unwrap();
        let file = folder.join(format!("{hash}.png"));
        let (none, mut damaged) = (HashMap::new(), Damaged::default());
        std::fs::write(&file, b"picture").unwrap();
        assert_eq!(
            damaged.find(dir.path(), &none, Cancel::NEVER).unwrap(),
            HashSet::new()
        );
        std::fs::write(&file, b"pictur!").unwrap();
        assert_eq!(
            damaged.find(dir.path(), &none, Cancel::NEVER).unwrap(),
            HashSet::from([key])
        );
        std::fs::write(&file, b"picture").unwrap();
        assert_eq!(
            damaged.find(dir.path(), &none, Cancel::NEVER).unwrap(),
            HashSet::new()
        );
        std::fs::remove_file(&file).unwrap();
        assert_eq!(
            damaged.find(dir.path(), &none, Cancel::NEVER).unwrap(),
            HashSet::new(),
            "missing is not damaged"
        );
        let linked = dir.path().join("linked.png");
        std::fs::write(&linked, b"picture").unwrap();
        let links = HashMap::from([(key, linked.clone())]);
        assert_eq!(
            damaged.find(dir.path(), &links, Cancel::NEVER).unwrap(),
            HashSet::new()
        );
        std::fs::write(&linked, b"another").unwrap();
        assert_eq!(
            damaged.find(dir.path(), &links, Cancel::NEVER).unwrap(),
            HashSet::from([key])
        );
        assert_eq!(
            damaged
                .find(dir.path(), &links, Cancel::when(&|| true))
                .unwrap_err()
                .kind,
            ErrorKind::Cancelled
        );
    }
}
