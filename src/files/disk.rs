//! Writes files atomically: after a crash, a reader finds either the old bytes or the new ones.

use std::fs::{self, File, Permissions};
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use benchtop_model::{Error, ErrorKind, Result};

/// Size of the chunks in which large files are written and synced. Some file systems commit
/// everything at once, so one large sync would delay the decisions that are written meanwhile.
pub const SYNCED: usize = 4 << 20;

/// Prefix of the names of temporary files.
pub const TEMPORARY: &str = ".benchtop-";

/// Replaces the file at `path`: writes a temporary file in the same folder, syncs it, renames it,
/// and syncs the folder. If this fails, `path` is unchanged.
///
/// An existing file keeps its mode. A new file gets 0600 in a private folder (0700), else 0666 less
/// the umask. A link at `path` is replaced; its target is not touched.
pub fn write_atomic(path: &Path, bytes: &[u8]) -> Result<()> {
    write_atomic_slices(path, &[bytes])
}

/// Like [`write_atomic`], for bytes in several slices, written one after the other.
pub fn write_atomic_slices(path: &Path, slices: &[&[u8]]) -> Result<()> {
    let temp = staged(path, slices)?;
    if let Ok(meta) = path.symlink_metadata()
        && meta.is_file()
    {
        temp.as_file()
            .set_permissions(meta.permissions())
            .map_err(|e| Error::io(&e, "cannot write", path))?;
    }
    temp.persist(path)
        .map_err(|e| Error::io(&e.error, "cannot write", path))?;
    sync_dir(folder(path))
}

/// Like [`write_atomic`], but never replaces a file. Returns `false` if the file already exists.
pub fn write_new(path: &Path, bytes: &[u8]) -> Result<bool> {
    if path.symlink_metadata().is_ok() {
        return Ok(false);
    }
    match staged(path, &[bytes])?.persist_noclobber(path) {
        Ok(_) => sync_dir(folder(path)).map(|()| true),
        Err(e) if e.error.kind() == std::io::ErrorKind::AlreadyExists => Ok(false),
        Err(e) => Err(Error::io(&e.error, "cannot write", path)),
    }
}

/// Removes the temporary files that a killed process left in `dir`. Nobody may be writing there.
pub fn sweep(dir: &Path) {
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        let name = entry.file_name();
        if name
            .to_str()
            .is_some_and(|n| n.starts_with(TEMPORARY) && n.ends_with(".tmp"))
        {
            // A leftover file does no harm.
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Syncs a folder, so that files created, renamed, or removed in it survive a power cut.
pub fn sync_dir(dir: &Path) -> Result<()> {
    File::open(dir)
        .and_then(|d| d.sync_all())
        .map_err(|e| Error::io(&e, "cannot sync the folder", dir))
}

/// Writes the bytes to a synced temporary file beside `path`. Dropping it removes the file unless
/// it was persisted.
pub fn staged(path: &Path, slices: &[&[u8]]) -> Result<tempfile::NamedTempFile> {
    let failed = |e: std::io::Error| Error::io(&e, "cannot write", path);
    let mut temp = tempfile::Builder::new()
        .prefix(TEMPORARY)
        .suffix(".tmp")
        .permissions(Permissions::from_mode(if is_private(folder(path)) {
            0o600
        } else {
            0o666
        }))
        .tempfile_in(folder(path))
        .map_err(failed)?;
    for bytes in slices.iter().flat_map(|bytes| bytes.chunks(SYNCED)) {
        temp.write_all(bytes).map_err(failed)?;
        if bytes.len() == SYNCED {
            temp.as_file().sync_data().map_err(failed)?;
        }
    }
    temp.as_file().sync_all().map_err(failed)?;
    Ok(temp)
}

/// Folder of `path`; the current folder for a bare name.
pub fn folder(path: &Path) -> &Path {
    path.parent()
        .filter(|p| !p.as_os_str().is_empty())
        .unwrap_or(Path::new("."))
}

/// Names and paths of the entries of `dir`, sorted by name. Empty if `dir` is not a folder or is a
/// link.
pub fn list(dir: &Path) -> Vec<(String, PathBuf)> {
    if !dir.symlink_metadata().is_ok_and(|meta| meta.is_dir()) {
        return Vec::new();
    }
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    let mut found: Vec<_> = entries
        .map(|e| (e.file_name().to_string_lossy().into_owned(), e.path()))
        .collect();
    found.sort();
    found
}

fn is_private(dir: &Path) -> bool {
    dir.symlink_metadata()
        .is_ok_and(|meta| meta.is_dir() && meta.mode() & 0o077 == 0)
}

/// Creates `dir` unless it exists. Returns whether it was created. A folder in a private folder
/// (0700) is private too.
///
/// # Errors
/// [`ErrorKind::Denied`] if `dir` is a link, [`ErrorKind::Input`] if it is not a folder.
pub fn ensure_dir(dir: &Path) -> Result<bool> {
    create_dir(
        dir,
        if is_private(folder(dir)) {
            0o700
        } else {
            0o777
        },
    )
}

/// Like [`ensure_dir`], for a private folder (0700). An existing folder keeps its mode.
pub fn ensure_private_dir(dir: &Path) -> Result<bool> {
    create_dir(dir, 0o700)
}

fn create_dir(dir: &Path, mode: u32) -> Result<bool> {
    let is = |what: fn(&fs::Metadata) -> bool| dir.symlink_metadata().is_ok_and(|meta| what(&meta));
    match fs::DirBuilder::new().mode(mode).create(dir) {
        Ok(()) => Ok(true),
        // The error does not tell: a read-only file system may report EROFS before EEXIST.
        Err(_) if is(fs::Metadata::is_dir) => Ok(false),
        Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists && is(fs::Metadata::is_symlink) => {
            Err(Error::new(
                ErrorKind::Denied,
                "this folder is a link, and links inside a project are not followed",
            )
            .file(dir)
            .help("replace the link with a folder, or remove it"))
        }
        Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists => {
            Err(Error::input("not a folder, but a folder is needed here")
                .file(dir)
                .help("move or rename this file"))
        }
        Err(e) => Err(Error::io(&e, "cannot create the folder", dir)),
    }
}

/// Creates `dir` and its parents. Appends each created folder to `made`, outermost first, also on
/// failure, so that [`remove_made`] can remove them.
pub fn ensure_dirs(dir: &Path, made: &mut Vec<PathBuf>) -> Result<()> {
    if dir.is_dir() {
        return Ok(());
    }
    if let Some(above) = dir.parent().filter(|p| !p.as_os_str().is_empty()) {
        ensure_dirs(above, made)?;
    }
    if ensure_dir(dir)? {
        made.push(dir.to_path_buf());
    }
    Ok(())
}

/// Creates `dir`, a folder below the private folder `private` of a project, and all folders between
/// them. Never creates the project folder itself: if it was moved away, it must not come back
/// empty.
///
/// # Errors
/// [`ErrorKind::NotFound`] if the project folder does not exist.
pub fn ensure_below(private: &Path, dir: &Path) -> Result<()> {
    ensure_private_dir(private)?;
    let mut at = private.to_path_buf();
    for part in dir.strip_prefix(private).into_iter().flatten() {
        at.push(part);
        ensure_dir(&at)?;
    }
    Ok(())
}

/// Removes what a failed attempt created, newest first. Ignores failures.
pub fn remove_made(made: &[PathBuf]) {
    for path in made.iter().rev() {
        let _ = if path.is_dir() {
            fs::remove_dir(path)
        } else {
            fs::remove_file(path)
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(dir: &Path) -> Vec<String> {
        let mut names: Vec<_> = fs::read_dir(dir)
            .unwrap()
            .map(|e| e.unwrap().file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn write_atomic_keeps_the_mode_and_leaves_no_temporary_file() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a");
        write_atomic(&path, b"one").unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o640)).unwrap();
        write_atomic(&path, b"two").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(
            fs::metadata(&path).unwrap().permissions().mode() & 0o777,
            0o640
        );
        assert_eq!(names(dir.path()), ["a"]);
    }

    #[test]
    fn ensure_below_never_creates_the_project_folder() {
        let dir = tempfile::tempdir().unwrap();
        let store = dir.path().join("moved-away/store");
        assert_eq!(
            ensure_below(&store, &store.join("scores/clip"))
                .unwrap_err()
                .kind,
            ErrorKind::NotFound
        );
        assert!(!dir.path().join("moved-away").exists());
        fs::create_dir(dir.path().join("moved-away")).unwrap();
        ensure_below(&store, &store.join("scores/clip")).unwrap();
        assert!(is_private(&store) && is_private(&store.join("scores/clip")));
    }

    #[test]
    fn a_link_is_replaced_and_its_target_is_untouched() {
        let dir = tempfile::tempdir().unwrap();
        let (path, victim) = (dir.path().join("a"), dir.path().join("victim"));
        fs::set_permissions(dir.path(), Permissions::from_mode(0o700)).unwrap();
        fs::write(&victim, "theirs").unwrap();
        fs::set_permissions(&victim, Permissions::from_mode(0o606)).unwrap();
        std::os::unix::fs::symlink(&victim, &path).unwrap();
        write_atomic(&path, b"mine").unwrap();
        assert_eq!(
            (fs::read(&victim).unwrap(), fs::read(&path).unwrap()),
            (b"theirs".to_vec(), b"mine".to_vec())
        );
        assert_eq!(
            path.symlink_metadata().unwrap().mode() & 0o177_777,
            0o100_600,
            "private, like its folder"
        );
        std::os::unix::fs::symlink(dir.path(), dir.path().join("folder")).unwrap();
        for make in [ensure_dir, ensure_private_dir] {
            assert_eq!(
                make(&dir.path().join("folder")).unwrap_err().kind,
                ErrorKind::Denied
            );
        }
    }

    #[test]
    fn files_and_folders_in_a_private_folder_are_private() {
        let dir = tempfile::tempdir().unwrap();
        let mode = |name: &str| dir.path().join(name).symlink_metadata().unwrap().mode() & 0o777;
        let all = ["open", "closed"].map(|name| dir.path().join(name));
        fs::create_dir(&all[0]).unwrap();
        fs::set_permissions(&all[0], Permissions::from_mode(0o755)).unwrap();
        assert!(ensure_private_dir(&all[1]).unwrap() && !ensure_private_dir(&all[1]).unwrap());
        for folder in &all {
            write_atomic(&folder.join("a"), b"x").unwrap();
            ensure_dir(&folder.join("b")).unwrap();
            super::super::regular::open(
                &folder.join("c"),
                fs::OpenOptions::new().append(true).create(true),
            )
            .unwrap();
        }
        let umask = mode("open/b") ^ 0o777;
        assert_eq!(
            (mode("open/a"), mode("open/c")),
            (0o666 & !umask, 0o666 & !umask)
        );
        assert_eq!(
            (
                mode("closed"),
                mode("closed/a"),
                mode("closed/b"),
                mode("closed/c")
            ),
            (0o700, 0o600, 0o700, 0o600)
        );
    }

    #[test]
    fn sweep_removes_only_temporary_files() {
        let dir = tempfile::tempdir().unwrap();
        drop(
            staged(&dir.path().join("a"), &[b"x"])
                .unwrap()
                .keep()
                .unwrap(),
        );
        fs::write(dir.path().join("b.tmp"), "").unwrap();
        fs::write(dir.path().join(".benchtop-b"), "").unwrap();
        assert_eq!(names(dir.path()).len(), 3);
        sweep(dir.path());
        assert_eq!(names(dir.path()), [".benchtop-b", "b.tmp"]);
    }

    #[test]
    fn write_new_never_replaces_a_file() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a");
        assert!(write_new(&path, b"one").unwrap());
        assert!(!write_new(&path, b"two").unwrap());
        assert_eq!(fs::read(&path).unwrap(), b"one");
        assert_eq!(names(dir.path()), ["a"]);
    }

    #[test]
    fn a_failed_write_leaves_the_folder_as_it_was() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join("a/b")).unwrap();
        assert!(write_atomic(&dir.path().join("a"), b"x").is_err());
        assert_eq!(names(dir.path()), ["a"]);
        let problem = write_atomic(&dir.path().join("none/x"), b"x").unwrap_err();
        assert_eq!(problem.kind, ErrorKind::NotFound);
        assert_eq!(ensure_dir(&dir.path().join("a")), Ok(false));
        write_atomic(&dir.path().join("file"), b"x").unwrap();
        assert_eq!(
            ensure_dir(&dir.path().join("file")).unwrap_err().kind,
            ErrorKind::Input
        );
    }
}
