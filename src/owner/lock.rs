//! One owner a project: a lock held for life, and a socket only the lock's holder may bind.

use std::fs::{File, OpenOptions, TryLockError};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt, chown};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};

use crate::model::{Kind, Problem, Result};
use crate::store::project::Project;

/// Longest socket path that fits every Unix: `sun_path` holds 104 to 108 bytes.
const SOCKET_PATH: usize = 100;

/// Takes the owner's lock; `None` when somebody holds it.
///
/// # Errors
/// The operating system's.
pub fn take(project: &Project) -> Result<Option<File>> {
    let path = project.ensure_private_runtime()?.join("lock");
    let fail = |e: std::io::Error| Problem::io(&e, "the lock cannot be taken", &path);
    let file = OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(&path).map_err(fail)?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(e)) => Err(fail(e)),
    }
}

/// Where the project's socket is: in its `.owner`, or, where that path is too long for a socket, in a private folder
/// of the temporary directory named by the path's hash.
///
/// # Errors
/// [`Kind::Denied`] when somebody else owns the fallback folder.
pub fn socket_path(project: &Project) -> Result<PathBuf> {
    let near = project.runtime().join("socket");
    if near.as_os_str().len() <= SOCKET_PATH {
        return Ok(near);
    }
    let me = rustix::process::geteuid().as_raw();
    let hash = blake3::hash(project.root().as_os_str().as_bytes()).to_hex();
    let dir = std::env::temp_dir().join(format!("benchtop-{me}"));
    let made = std::fs::DirBuilder::new().mode(0o700).create(&dir);
    let meta = dir.symlink_metadata().map_err(|e| Problem::io(&e, "cannot be used for the socket", &dir))?;
    if made.is_err() && (!meta.is_dir() || meta.uid() != me || meta.mode() & 0o077 != 0) {
        return Err(Problem::new(Kind::Denied, "is not a private folder of yours").file(dir));
    }
    Ok(dir.join(&hash.as_str()[..16]))
}

/// A bound socket; its file goes when this does, if it is still ours.
pub struct Socket {
    path: PathBuf,
    inode: u64,
}

impl Socket {
    /// Binds the project's socket. Only the holder of the lock may call this: a socket file that is there belongs to an
    /// owner that died.
    ///
    /// # Errors
    /// The operating system's.
    /// With a group its members reach it too: the socket is theirs to write to, and its folder theirs to pass.
    pub fn bind(path: &Path, group: Option<u32>, _lock: &File) -> Result<(Socket, UnixListener)> {
        let fail = |e: std::io::Error| Problem::io(&e, "the socket cannot be bound", path);
        match std::fs::remove_file(path) {
            Err(e) if e.kind() != std::io::ErrorKind::NotFound => return Err(fail(e)),
            _ => {}
        }
        let listener = UnixListener::bind(path).map_err(fail)?;
        if let (Some(group), Some(folder)) = (group, path.parent()) {
            chown(folder, None, Some(group)).map_err(fail)?;
            chown(path, None, Some(group)).map_err(fail)?;
            std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o710)).map_err(fail)?;
        }
        let mode = if group.is_some() { 0o660 } else { 0o600 };
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).map_err(fail)?;
        let inode = std::fs::metadata(path).map_err(fail)?.ino();
        Ok((Socket { path: path.to_path_buf(), inode }, listener))
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        if std::fs::metadata(&self.path).is_ok_and(|m| m.ino() == self.inode) {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_deep_project_gets_a_socket_path_that_fits() {
        let dir = tempfile::tempdir().unwrap();
        let deep = dir.path().join("d".repeat(120));
        std::fs::create_dir(&deep).unwrap();
        let project = Project::init(&deep).unwrap();
        let path = socket_path(&project).unwrap();
        assert!(path.as_os_str().len() <= SOCKET_PATH);
        let lock = take(&project).unwrap().unwrap();
        let (socket, _listener) = Socket::bind(&path, None, &lock).unwrap();
        assert!(path.exists());
        drop(socket);
        assert!(!path.exists());
    }

    #[test]
    fn the_lock_is_one_persons() {
        let dir = tempfile::tempdir().unwrap();
        let project = Project::init(dir.path()).unwrap();
        let lock = take(&project).unwrap();
        assert!(lock.is_some());
        assert!(take(&project).unwrap().is_none());
        drop(lock);
        assert!(take(&project).unwrap().is_some());
    }
}
