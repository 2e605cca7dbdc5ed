//! Reading the file of a picture: a regular file, within a size limit, whose bytes match the hash that was recorded.
//!
//! Whatever leaves the project, is paid for or is trusted goes through here: exports, evaluations, judges, scorers and
//! the screen.

use std::path::{Path, PathBuf};

use super::regular;
use benchtop_model::image::FILE_LIMIT;
use benchtop_model::{Error, ErrorKind, ImageRef, Result};

/// What a damaged picture's problem begins with.
pub const MISMATCH: &str = "the picture does not match its hash";

/// The file of a picture, and the hash that its bytes must have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PictureFile {
    /// Its path.
    pub path: PathBuf,
    /// blake3 of its bytes, 64 hex digits.
    pub hash: String,
}

impl PictureFile {
    /// The file of `image` in the project at `root`; `None` where none was recorded.
    pub fn of(root: &Path, image: &ImageRef) -> Option<PictureFile> {
        let hash = image.hash.clone()?;
        let path = image
            .link
            .clone()
            .or_else(|| Some(root.join(image.stored()?)))?;
        Some(PictureFile { path, hash })
    }

    /// The files of all pictures of an item, as far as they were recorded.
    pub fn all<'i>(
        root: &Path,
        images: impl IntoIterator<Item = &'i ImageRef>,
    ) -> Vec<PictureFile> {
        images
            .into_iter()
            .filter_map(|image| PictureFile::of(root, image))
            .collect()
    }

    /// Its bytes.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`] for a file that is gone, [`ErrorKind::Corrupt`] for bytes of another hash, [`ErrorKind::Denied`] for a
    /// link or a device, [`ErrorKind::Input`] for a file above [`FILE_LIMIT`], and the operating system's.
    pub fn read(&self) -> Result<Vec<u8>> {
        let bytes = regular::read(&self.path, FILE_LIMIT)?;
        self.check(blake3::hash(&bytes)).map(|()| bytes)
    }

    /// Holds a hash that was found against the recorded one.
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
            .help("`benchtop verify` says what can be brought back"))
    }
}

/// Whether a problem of [`PictureFile::read`] means that the picture is damaged, replaced or gone, so that its item is
/// set aside and the work goes on with the others.
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
    fn only_the_bytes_that_were_recorded_are_read() {
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
