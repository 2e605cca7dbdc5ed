//! Ensures one owner per project: a lock held for the owner's lifetime, and a socket that only the
//! lock's holder may bind.

use std::fs::{File, OpenOptions, TryLockError};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt, chown};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};

use benchtop_files::project::Project;
use benchtop_files::regular;
use benchtop_model::{Error, Result};

/// Longest socket path that works on every Unix, in bytes: `sun_path` holds 104 to 108.
const SOCKET_PATH: usize = 100;

/// Takes the owner's lock. Returns `None` if another process holds it.
pub fn take(project: &Project) -> Result<Option<File>> {
    take_at(&project.ensure_private_runtime()?.join("lock"))
}

fn take_at(path: &Path) -> Result<Option<File>> {
    let fail = |e: std::io::Error| Error::io(&e, "cannot take the lock", path);
    let file = regular::open(
        path,
        OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600),
    )?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(e)) => Err(fail(e)),
    }
}

/// Path of the project's socket: in `.owner/`, or, if that path is too long for a socket, in a
/// private folder of the temporary directory, named by the hash of the project path.
///
/// # Errors
/// [`Error::denied`] if another user owns the fallback folder.
pub fn socket_path(project: &Project) -> Result<PathBuf> {
    let near = project.runtime().join("socket");
    if near.as_os_str().len() <= SOCKET_PATH {
        return Ok(near);
    }
    let dir = private_folder(&std::env::temp_dir());
    let _ = std::fs::DirBuilder::new().mode(0o700).create(&dir);
    check_private(&dir)?;
    Ok(dir.join(hashed_name(project)))
}

/// Name of the project's files in a folder outside the project.
fn hashed_name(project: &Project) -> String {
    let hash = blake3::hash(project.root().as_os_str().as_bytes()).to_hex();
    hash.as_str()[..16].to_string()
}

fn private_folder(below: &Path) -> PathBuf {
    below.join(format!("benchtop-{}", rustix::process::geteuid().as_raw()))
}

fn check_private(dir: &Path) -> Result<()> {
    let me = rustix::process::geteuid().as_raw();
    let meta = dir
        .symlink_metadata()
        .map_err(|e| Error::io(&e, "cannot inspect the socket's folder", dir))?;
    if !meta.is_dir() || meta.uid() != me || meta.mode() & 0o077 != 0 {
        return Err(Error::denied("not a private folder of this user").file(dir));
    }
    Ok(())
}

/// Folders outside a project for the lock, socket, and log of a read-only owner: the temporary
/// directory, or shared memory if that is full too.
fn external_folders() -> impl Iterator<Item = PathBuf> {
    let places = [std::env::temp_dir(), PathBuf::from("/dev/shm")];
    places
        .into_iter()
        .filter(|place| place.is_dir())
        .map(|place| private_folder(&place))
}

/// Paths of the lock, socket, and log of a read-only owner, outside the project.
#[derive(Clone, Debug)]
pub struct ReadOnlyPaths {
    pub lock: PathBuf,
    pub socket: PathBuf,
    pub log: PathBuf,
}

impl ReadOnlyPaths {
    fn below(dir: &Path, project: &Project) -> ReadOnlyPaths {
        // Differs from the fallback socket of a writable project with a long path.
        let at = |ending: &str| dir.join(format!("{}.{ending}", hashed_name(project)));
        ReadOnlyPaths {
            lock: at("lock"),
            socket: at("reading"),
            log: at("log"),
        }
    }

    /// All places where a read-only owner of this project may be: private folders of this user.
    pub fn found(project: &Project) -> Vec<ReadOnlyPaths> {
        let private = external_folders().filter(|dir| check_private(dir).is_ok());
        private
            .map(|dir| ReadOnlyPaths::below(&dir, project))
            .collect()
    }

    /// The first place whose folder can be created and written.
    ///
    /// # Errors
    /// [`Error::denied`] if another user owns these folders.
    pub fn make(project: &Project) -> Result<ReadOnlyPaths> {
        let mut last = Error::failed("no folder for the owner's socket").file(project.root());
        for dir in external_folders() {
            let _ = std::fs::DirBuilder::new().mode(0o700).create(&dir);
            let away = ReadOnlyPaths::below(&dir, project);
            let usable = check_private(&dir).and_then(|()| take_at(&away.lock).map(drop));
            match usable {
                Ok(()) => return Ok(away),
                Err(problem) => last = problem,
            }
        }
        Err(last.help("set TMPDIR to a writable folder of yours"))
    }

    /// Takes the lock. Returns `None` if another process holds it.
    pub fn take(&self) -> Result<Option<File>> {
        take_at(&self.lock)
    }
}

/// Whether an owner process holds the project, writable or read-only.
pub fn is_held(project: &Project) -> bool {
    let near = project.runtime().join("lock");
    let away = ReadOnlyPaths::found(project)
        .into_iter()
        .map(|away| away.lock);
    std::iter::once(near).chain(away).any(|path| {
        let file = regular::open(&path, OpenOptions::new().read(true));
        file.is_ok_and(|file| matches!(file.try_lock(), Err(TryLockError::WouldBlock)))
    })
}

/// A bound socket. Dropping it removes the socket file if it is still the same file.
pub struct Socket {
    path: PathBuf,
    inode: u64,
}

impl Socket {
    /// Binds the project's socket. Only the holder of the lock may call this, because an existing
    /// socket file is removed: it belongs to an owner that died. Members of `group` can reach the
    /// socket too.
    pub fn bind(path: &Path, group: Option<u32>, _lock: &File) -> Result<(Socket, UnixListener)> {
        let fail = |e: std::io::Error| Error::io(&e, "cannot bind the socket", path);
        match std::fs::remove_file(path) {
            Err(e) if e.kind() != std::io::ErrorKind::NotFound => return Err(fail(e)),
            _ => {}
        }
        let listener = UnixListener::bind(path).map_err(fail)?;
        if let (Some(group), Some(folder)) = (group, path.parent()) {
            chown(folder, None, Some(group)).map_err(fail)?;
            chown(path, None, Some(group)).map_err(fail)?;
            std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o710))
                .map_err(fail)?;
        }
        let mode = if group.is_some() { 0o660 } else { 0o600 };
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).map_err(fail)?;
        let inode = std::fs::metadata(path).map_err(fail)?.ino();
        Ok((
            Socket {
                path: path.to_path_buf(),
                inode,
            },
            listener,
        ))
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
    fn a_long_project_path_gets_a_short_socket_path() {
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
    fn the_lock_is_exclusive() {
        let dir = tempfile::tempdir().unwrap();
        let project = Project::init(dir.path()).unwrap();
        let lock = take(&project).unwrap();
        assert!(lock.is_some());
        assert!(take(&project).unwrap().is_none());
        drop(lock);
        assert!(take(&project).unwrap().is_some());
    }
}
