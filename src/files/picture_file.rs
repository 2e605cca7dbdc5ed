//! Reads a picture file: a regular file within a size limit whose bytes match the recorded hash.
//!
//! Exports, evaluations, judges, scorers, and the screen all read pictures through this module.

use std::path::{Path, PathBuf};

use super::regular;
use benchtop_model::image::FILE_LIMIT;
use benchtop_model::{Error, ErrorKind, ImageRef, Result};

/// Start of the error text for a damaged picture.
pub const MISMATCH: &str = "the picture does not match its hash";

/// Path and recorded hash of a picture file.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PictureFile {
    pub path: PathBuf,
    /// blake3 hash of the bytes, 64 hex digits.
    pub hash: String,
}

impl PictureFile {
    /// The file of `image` in the project at `root`; `None` if no hash was recorded.
    pub fn of(root: &Path, image: &ImageRef) -> Option<PictureFile> {
        let hash = image.hash.clone()?;
        let path = image
            .link
            .clone()
            .or_else(|| Some(root.join(image.stored()?)))?;
        Some(PictureFile { path, hash })
    }

    /// The files of all pictures of an item that have a recorded hash.
    pub fn all<'i>(
        root: &Path,
        images: impl IntoIterator<Item = &'i ImageRef>,
    ) -> Vec<PictureFile> {
        images
            .into_iter()
            .filter_map(|image| PictureFile::of(root, image))
            .collect()
    }

    /// Reads the bytes and checks their hash.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`] if the file is gone, [`ErrorKind::Corrupt`] if the hash differs,
    /// [`ErrorKind::Denied`] for a link or a device, [`ErrorKind::Input`] for a file larger than
    /// [`FILE_LIMIT`].
    pub fn read(&self) -> Result<Vec<u8>> {
        let bytes = regular::read(&self.path, FILE_LIMIT)?;
        self.check(blake3::hash(&bytes)).map(|()| bytes)
    }

    /// Compares a hash with the recorded one.
    ///
    /// # Errors
    /// [`ErrorKind::Corrupt`] with both hashes.
    pub fn check(&self, found: blake3::Hash) -> Result<()> {
        if blake3::Hash::from_hex(&self.hash).is_ok_and(|recorded| recorded == found) {
            return Ok(());
        }
        let what = format!(
            "{MISMATCH}: recorded {}, found {}",
            self.hash,
            found.to_hex()
        );
        Err(Error::new(ErrorKind::Corrupt, what)
            .file(&self.path)
            .help("run `benchtop verify` to see what can be restored"))
    }
}

/// Whether an error of [`PictureFile::read`] means that the picture is damaged, replaced, or gone.
/// The caller then skips the item and continues with the others.
pub fn is_damage(problem: &Error) -> bool {
    matches!(
        problem.kind,
        ErrorKind::Corrupt | ErrorKind::Denied | ErrorKind::NotFound | ErrorKind::Input
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_bytes_with_the_recorded_hash_are_read() {
        let dir = tempfile::tempdir().unwrap();
        let hash = blake3::hash(b"picture").to_hex().to_string();
        let image = ImageRef {
            name: "a.png".into(),
            hash: Some(hash.clone()),
            ext: Some("png".into()),
            ..ImageRef::default()
        };
        let file = PictureFile::of(dir.path(), &image).unwrap();
        assert_eq!(file.read().unwrap_err().kind, ErrorKind::NotFound);
        std::fs::create_dir_all(file.path.parent().unwrap()).unwrap();
        std::fs::write(&file.path, b"picture").unwrap();
        assert_eq!(file.read().unwrap(), b"picture");
        std::fs::write(&file.path, b"another").unwrap();
        let refused = file.read().unwrap_err();
        let found = blake3::hash(b"another").to_hex().to_string();
        assert_eq!(
            (refused.kind, refused.place.file.as_ref()),
            (ErrorKind::Corrupt, Some(&file.path))
        );
        assert!(
            refused.what.contains(&hash) && refused.what.contains(&found),
            "{refused}"
        );
        std::fs::remove_file(&file.path).unwrap();
        std::fs::write(dir.path().join("key"), b"picture").unwrap();
        std::os::unix::fs::symlink(dir.path().join("key"), &file.path).unwrap();
        assert_eq!(
            file.read().unwrap_err().kind,
            ErrorKind::Denied,
            "a link is refused even where the bytes match"
        );
        let unnamed = ImageRef {
            link: Some("/etc/passwd".into()),
            ..ImageRef::default()
        };
        assert_eq!(
            PictureFile::of(dir.path(), &unnamed),
            None,
            "a linked file without a hash is never read"
        );
    }
}
