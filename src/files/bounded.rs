//! Reads files that a person names: settings, rules, key maps, plans. A size limit applies.
//!
//! Unlike inside a project, links are followed. Devices and pipes are refused.

use std::fs::File;
use std::io::{BufReader, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use rustix::fs::OFlags;

use benchtop_model::{Error, Result};

/// Opens a regular file. Never blocks on a pipe.
///
/// # Errors
/// [`benchtop_model::ErrorKind::Input`] if `path` is not a regular file.
pub fn open(path: &Path) -> Result<BufReader<File>> {
    let fail = |e: std::io::Error| Error::io(&e, "cannot be read", path);
    let flags = (OFlags::NONBLOCK | OFlags::NOCTTY).bits().cast_signed();
    let file = File::options()
        .read(true)
        .custom_flags(flags)
        .open(path)
        .map_err(fail)?;
    if !file.metadata().map_err(fail)?.is_file() {
        return Err(Error::input("not a regular file").file(path));
    }
    Ok(BufReader::with_capacity(1 << 18, file))
}

/// Reads a file of at most `limit` bytes.
///
/// # Errors
/// [`benchtop_model::ErrorKind::Input`] if the file is larger or is not a regular file.
pub fn read(path: &Path, limit: u64) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = open(path)?
        .take(limit.saturating_add(1))
        .read_to_end(&mut bytes);
    read.map_err(|e| Error::io(&e, "cannot be read", path))?;
    if bytes.len() as u64 > limit {
        return Err(Error::input(format!("the file is larger than {limit} bytes")).file(path));
    }
    Ok(bytes)
}

/// Reads a UTF-8 file of at most `limit` bytes.
///
/// # Errors
/// [`benchtop_model::ErrorKind::Input`] as for [`read`], and if the file is not UTF-8.
pub fn text(path: &Path, limit: u64) -> Result<String> {
    String::from_utf8(read(path, limit)?)
        .map_err(|_| Error::input("the file is not UTF-8 text").file(path))
}

#[cfg(test)]
mod tests {
    use super::*;
    use benchtop_model::ErrorKind;

    #[test]
    fn devices_pipes_and_large_files_are_refused_at_once() {
        let dir = tempfile::tempdir().unwrap();
        let large = dir.path().join("large");
        File::create(&large).unwrap().set_len(2 << 30).unwrap();
        assert_eq!(text(&large, 1 << 20).unwrap_err().kind, ErrorKind::Input);
        assert_eq!(
            text(Path::new("/dev/zero"), 1 << 20).unwrap_err().kind,
            ErrorKind::Input
        );
        let pipe = dir.path().join("pipe");
        assert!(
            std::process::Command::new("mkfifo")
                .arg(&pipe)
                .status()
                .unwrap()
                .success()
        );
        assert_eq!(text(&pipe, 1 << 20).unwrap_err().kind, ErrorKind::Input);
        let (file, link) = (dir.path().join("file"), dir.path().join("link"));
        std::fs::write(&file, "keys").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        assert_eq!(text(&link, 4).unwrap(), "keys");
    }
}
