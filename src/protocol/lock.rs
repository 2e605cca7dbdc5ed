//! One owner a project: a lock held for life, and a socket only the lock's holder may bind.

use std::fs::{File, OpenOptions, TryLockError};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt, chown};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};

use benchtop_files::project::Project;
use benchtop_files::regular;
use benchtop_model::{Error, ErrorKind, Result};

/// Longest socket path that fits every Unix: `sun_path` holds 104 to 108 bytes.
const SOCKET_PATH: usize = 100;

/// Takes the owner's lock; `None` when somebody holds it.
///
/// # Errors
/// The operating system's.
pub fn take(project: &Project) -> Result<Option<File>> {
    take_at(&project.ensure_private_runtime()?.join("lock"))
}

fn take_at(path: &Path) -> Result<Option<File>> {
    let fail = |e: std::io::Error| Error::io(&e, "the lock cannot be taken", path);
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

/// Where the project's socket is: in its `.owner`, or, where that path is too long for a socket, in a private folder
/// of the temporary directory named by the path's hash.
///
/// # Errors
/// [`ErrorKind::Denied`] when somebody else owns the fallback folder.
pub fn socket_path(project: &Project) -> Result<PathBuf> {
    let near = project.runtime().join("socket");
    if near.as_os_str().len() <= SOCKET_PATH {
        return Ok(near);
    }
    let dir = private_folder(&std::env::temp_dir());
    let _ = std::fs::DirBuilder::new().mode(0o700).create(&dir);
    check_private(&dir)?;
    Ok(dir.join(name(project)))
}

/// The project's name in a folder outside of it.
fn name(project: &Project) -> String {
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
        .map_err(|e| Error::io(&e, "cannot be used for the socket", dir))?;
    if !meta.is_dir() || meta.uid() != me || meta.mode() & 0o077 != 0 {
        return Err(Error::new(ErrorKind::Denied, "is not a private folder of yours").file(dir));
    }
    Ok(())
}

/// Folders outside of a project for the lock, socket and log of an owner that may not write into it: of the temporary
/// directory, and of memory where that is full too.
fn folders_away() -> impl Iterator<Item = PathBuf> {
    let places = [std::env::temp_dir(), PathBuf::from("/dev/shm")];
    places
        .into_iter()
        .filter(|place| place.is_dir())
        .map(|place| private_folder(&place))
}

/// Lock, socket and log of an owner that may not write into the project.
#[derive(Clone, Debug)]
pub struct Away {
    /// The lock file.
    pub lock: PathBuf,
    /// The socket.
    pub socket: PathBuf,
    /// The log.
    pub log: PathBuf,
}

impl Away {
    fn below(dir: &Path, project: &Project) -> Away {
        // Not the name of a socket of a project with a long path, which is written.
        let at = |ending: &str| dir.join(format!("{}.{ending}", name(project)));
        Away {
            lock: at("lock"),
            socket: at("reading"),
            log: at("log"),
        }
    }

    /// Those that there may be, by folders that are private to this user.
    pub fn found(project: &Project) -> Vec<Away> {
        let private = folders_away().filter(|dir| check_private(dir).is_ok());
        private.map(|dir| Away::below(&dir, project)).collect()
    }

    /// Those to use: in the first folder that can be made and written.
    ///
    /// # Errors
    /// [`ErrorKind::Denied`] when somebody else owns these folders, and the operating system's.
    pub fn make(project: &Project) -> Result<Away> {
        let mut last = Error::new(ErrorKind::Io, "there is no place for the owner's socket")
            .file(project.root());
        for dir in folders_away() {
            let _ = std::fs::DirBuilder::new().mode(0o700).create(&dir);
            let away = Away::below(&dir, project);
            let usable = check_private(&dir).and_then(|()| take_at(&away.lock).map(drop));
            match usable {
                Ok(()) => return Ok(away),
                Err(problem) => last = problem,
            }
        }
        Err(last.help("set TMPDIR to a folder of yours that can be written"))
    }

    /// Takes the lock; `None` when somebody holds it.
    ///
    /// # Errors
    /// The operating system's.
    pub fn take(&self) -> Result<Option<File>> {
        take_at(&self.lock)
    }
}

/// Whether an owner holds the project, for writing or for reading.
pub fn is_held(project: &Project) -> bool {
    let near = project.runtime().join("lock");
    let away = Away::found(project).into_iter().map(|away| away.lock);
    std::iter::once(near).chain(away).any(|path| {
        let file = regular::open(&path, OpenOptions::new().read(true));
        file.is_ok_and(|file| matches!(file.try_lock(), Err(TryLockError::WouldBlock)))
    })
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
        let fail = |e: std::io::Error| Error::io(&e, "the socket cannot be bound", path);
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
