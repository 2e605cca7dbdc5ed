//! Opens regular files of a project. Refuses links and devices, and limits sizes.
//!
//! A project folder may come from somebody else. A link, FIFO, or device in it must not be read or
//! written in place of the expected file.

use std::fs::{File, Metadata, OpenOptions};
use std::io::Read;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

use rustix::fs::OFlags;

use super::disk;
use benchtop_model::{Error, ErrorKind, Result};

/// Size limit of `benchtop.toml` and of theme, key map, protocol, job, and run files, in bytes.
pub const SETTINGS_LIMIT: u64 = 4 << 20;

/// Size limit of vocabularies, templates, rounds, plans, and item lists, in bytes.
pub const LIST_LIMIT: u64 = 64 << 20;

/// Above this many bytes, a file must have its bytes on the disk.
const HUGE: u64 = 1 << 30;

/// Opens the regular file at `path`. Follows no link in the last component or its folder. A file
/// created in a private folder (0700) gets mode 0600.
///
/// # Errors
/// [`ErrorKind::Denied`] for a link, a folder, a device, a FIFO, or a socket.
pub fn open(path: &Path, options: &mut OpenOptions) -> Result<File> {
    let fail = |e: std::io::Error| Error::io(&e, "cannot be opened", path);
    let folder = disk::folder(path);
    let above = folder
        .symlink_metadata()
        .map_err(|e| Error::io(&e, "cannot be opened", path))?;
    if above.is_symlink() {
        return Err(refused(
            folder,
            "this folder is a link, and links inside a project are not followed",
        ));
    }
    if above.mode() & 0o077 == 0 {
        options.mode(0o600);
    }
    // Without NONBLOCK, opening a FIFO blocks until its other end is opened.
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY)
        .bits()
        .cast_signed();
    let file = match options.custom_flags(flags).open(path) {
        Ok(file) => file,
        Err(_) if path.symlink_metadata().is_ok_and(|meta| meta.is_symlink()) => {
            return Err(refused(
                path,
                "this file is a link, and links inside a project are not followed",
            ));
        }
        Err(e) => return Err(fail(e)),
    };
    if !file.metadata().map_err(fail)?.is_file() {
        return Err(refused(path, "not a regular file"));
    }
    Ok(file)
}

/// Whether a large file consists of holes: it costs nothing on the disk, but all of the memory or
/// time of its reader. Compression saves less.
pub fn is_hollow(meta: &Metadata) -> bool {
    meta.len() > HUGE && meta.blocks().saturating_mul(512 * 64) < meta.len()
}

/// Reads the regular file at `path`. A file of more than `limit` bytes is refused before it is
/// read.
///
/// # Errors
/// As [`open`], and [`ErrorKind::Input`] for a file that is too large.
pub fn read(path: &Path, limit: u64) -> Result<Vec<u8>> {
    let fail = |e: std::io::Error| Error::io(&e, "cannot be read", path);
    let file = open(path, OpenOptions::new().read(true))?;
    let meta = file.metadata().map_err(fail)?;
    let length = meta.len();
    if is_hollow(&meta) {
        return Err(Error::input("the file consists of holes").file(path));
    }
    let mut bytes = Vec::new();
    if length <= limit {
        bytes.reserve_exact(usize::try_from(length).unwrap_or_default());
        file.take(limit.saturating_add(1))
            .read_to_end(&mut bytes)
            .map_err(fail)?;
    }
    if length > limit || bytes.len() as u64 > limit {
        return Err(Error::input(format!("the file is larger than {limit} bytes")).file(path));
    }
    Ok(bytes)
}

/// Like [`read`], but returns `None` if the file does not exist.
pub fn read_if_there(path: &Path, limit: u64) -> Result<Option<Vec<u8>>> {
    match read(path, limit) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(problem) if problem.kind == ErrorKind::NotFound => Ok(None),
        Err(problem) => Err(problem),
    }
}

/// Length of the regular file at `path`; 0 if it does not exist.
///
/// # Errors
/// [`ErrorKind::Denied`] if `path` is not a regular file.
pub fn length(path: &Path) -> Result<u64> {
    match path.symlink_metadata() {
        Ok(meta) if meta.is_file() => Ok(meta.len()),
        Ok(meta) if meta.is_symlink() => Err(refused(
            path,
            "this file is a link, and links inside a project are not followed",
        )),
        Ok(_) => Err(refused(path, "not a regular file")),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(0),
        Err(e) => Err(Error::io(&e, "cannot be read", path)),
    }
}

/// Like [`read`], for UTF-8 text.
///
/// # Errors
/// As [`read`], and [`ErrorKind::Input`] for bytes that are not UTF-8.
pub fn read_text(path: &Path, limit: u64) -> Result<String> {
    String::from_utf8(read(path, limit)?)
        .map_err(|_| Error::input("the file is not UTF-8 text").file(path))
}

fn refused(path: &Path, what: &str) -> Error {
    Error::new(ErrorKind::Denied, what)
        .file(path)
        .help("replace it with a regular file or folder, or remove it")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_folders_fifos_and_devices_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        std::fs::write(at("real"), "x").unwrap();
        std::os::unix::fs::symlink(at("real"), at("link")).unwrap();
        std::os::unix::fs::symlink(at("nowhere"), at("dangling")).unwrap();
        std::os::unix::fs::symlink("/dev/zero", at("zero")).unwrap();
        std::fs::create_dir(at("folder")).unwrap();
        std::fs::write(at("folder/inside"), "x").unwrap();
        std::os::unix::fs::symlink(at("folder"), at("folder-link")).unwrap();
        let made = std::process::Command::new("mkfifo")
            .arg(at("fifo"))
            .status()
            .unwrap();
        assert!(made.success());
        for name in [
            "link",
            "dangling",
            "zero",
            "folder",
            "folder-link/inside",
            "fifo",
        ] {
            for options in [
                OpenOptions::new().read(true),
                OpenOptions::new().append(true).create(true),
            ] {
                let refused = open(&at(name), options).map(drop).unwrap_err();
                let kinds = [ErrorKind::Denied, ErrorKind::Io];
                assert!(kinds.contains(&refused.kind), "{name}: {refused}");
            }
        }
        assert!(
            !at("nowhere").exists(),
            "a dangling link must not be created through"
        );
        assert_eq!(
            read(Path::new("/dev/zero"), 10).unwrap_err().kind,
            ErrorKind::Denied
        );
        assert_eq!(read(&at("real"), 1).unwrap(), b"x");
    }

    #[test]
    fn a_file_of_holes_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a");
        std::fs::write(&path, "x").unwrap();
        let file = OpenOptions::new().write(true).open(&path).unwrap();
        file.set_len(1 << 40).unwrap();
        assert_eq!(read(&path, u64::MAX).unwrap_err().kind, ErrorKind::Input);
    }

    #[test]
    fn a_file_above_the_limit_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a");
        std::fs::write(&path, vec![b'x'; 11]).unwrap();
        assert_eq!(read(&path, 10).unwrap_err().kind, ErrorKind::Input);
        assert_eq!(read_text(&path, 11).unwrap().len(), 11);
    }
}
