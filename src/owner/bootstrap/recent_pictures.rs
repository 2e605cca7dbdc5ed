//! The pictures that a job read last. Each is asked about once for each strategy and role.

use std::cell::RefCell;

use lru::LruCache;

use benchtop_files::picture_file::PictureFile;
use benchtop_model::vlm::Encoded;
use benchtop_pipeline::evaluate::ask;

/// At most so many bytes of files are kept, and their base64 beside them.
const KEPT: usize = 16 << 20;

pub(super) struct RecentPictures(RefCell<Kept>);

struct Kept {
    pictures: LruCache<PictureFile, Encoded>,
    bytes: usize,
}

impl RecentPictures {
    pub(super) fn new() -> RecentPictures {
        RecentPictures(RefCell::new(Kept {
            pictures: LruCache::unbounded(),
            bytes: 0,
        }))
    }

    /// The picture of a file, as it is sent. Its bytes had the hash of the file when they were read.
    ///
    /// # Errors
    /// Why it cannot be sent, as text.
    pub(super) fn encoded(&self, file: &PictureFile) -> Result<Encoded, String> {
        let mut kept = self.0.borrow_mut();
        if let Some(picture) = kept.pictures.get(file) {
            return Ok(picture.clone());
        }
        let picture = ask::encoded(file)?.with_base64();
        kept.bytes += picture.bytes().len();
        kept.pictures.put(file.clone(), picture.clone());
        while kept.bytes > KEPT
            && let Some((_, oldest)) = kept.pictures.pop_lru()
        {
            kept.bytes -= oldest.bytes().len();
        }
        Ok(picture)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_are_read_once_and_the_oldest_are_dropped() {
        let dir = tempfile::tempdir().unwrap();
        let file = |name: &str, length: usize| {
            let mut bytes = vec![0; length];
            bytes[..6].copy_from_slice(b"GIF89a");
            bytes[6..7].copy_from_slice(name.as_bytes());
            let path = dir.path().join(name);
            std::fs::write(&path, &bytes).unwrap();
            let hash = blake3::hash(&bytes).to_hex().to_string();
            PictureFile { path, hash }
        };
        let (small, large) = (file("a", 9), file("b", KEPT - 9));
        let recent = RecentPictures::new();
        let first = recent.encoded(&small).unwrap();
        std::fs::remove_file(&small.path).unwrap();
        assert_eq!(recent.encoded(&small).unwrap(), first);
        // The same path with another hash is another picture.
        let changed = PictureFile {
            hash: large.hash.clone(),
            ..small.clone()
        };
        assert!(recent.encoded(&changed).is_err());
        recent.encoded(&large).unwrap();
        assert!(recent.encoded(&small).is_ok(), "both fit");
        recent.encoded(&file("c", 9)).unwrap();
        std::fs::remove_file(&large.path).unwrap();
        assert!(recent.encoded(&large).is_err(), "the oldest went");
        assert!(recent.encoded(&small).is_ok());
        assert_eq!(recent.0.borrow().bytes, 18);
    }
}
