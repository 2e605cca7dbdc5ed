//! Checks whether a project can be written: read-only media, a folder of another user, a full disk.

use std::io::Write;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use rustix::fs::{Access, StatVfsMountFlags, access, statvfs};

use super::disk;
use super::project::Project;
use benchtop_model::{Error, ErrorKind, Result};

/// With less free space than this, in bytes, a project is opened read-only, because sled may fail.
const NEEDED: usize = 1 << 20;

/// Prefix of the error text for a read-only project.
const READ_ONLY: &str = "the project is read-only: ";

/// Error for a project that can be neither written nor read. `why` is the reason it cannot be
/// written.
pub fn unreadable(why: &Error, problem: Error) -> Error {
    let reason = why.what.strip_prefix(READ_ONLY).unwrap_or(&why.what);
    let what = format!(
        "the project can be neither written ({reason}) nor read: {}",
        problem.what
    );
    Error {
        what,
        help: why.help.clone(),
        ..problem
    }
}

/// Reason why the project cannot be written; `None` if it can.
pub fn obstacle(project: &Project) -> Option<Error> {
    let root = project.root();
    let me = rustix::process::geteuid().as_raw();
    let reading = |kind, why: String| Error::new(kind, format!("{READ_ONLY}{why}")).file(root);
    let mount = statvfs(root).ok();
    if mount
        .as_ref()
        .is_some_and(|mount| mount.f_flag.contains(StatVfsMountFlags::RDONLY))
    {
        return Some(
            reading(ErrorKind::Denied, "it is on a read-only file system".into()).help(
                "copy the project to a writable disk, or remount the file system for writing",
            ),
        );
    }
    let owner = root.symlink_metadata().ok()?.uid();
    let writes = access(root, Access::WRITE_OK).is_ok();
    if owner != me {
        // Root could write but must not: its files would lock that person out. Members of a shared
        // project see only what its owner process shows them. `Project::ensure_private_runtime`
        // refuses both.
        if writes || !project.config().shared.people.is_empty() {
            return None;
        }
        let why = format!("it belongs to another user (uid {owner}; you are uid {me})");
        return Some(
            reading(ErrorKind::Denied, why)
                .help("run benchtop as that user, or take over the whole project with `chown -R`"),
        );
    }
    if !writes {
        return Some(
            reading(ErrorKind::Denied, "you may not write to its folder".into())
                .help("if the folder is yours, run `chmod u+w` on it"),
        );
    }
    let scarce = mount.is_none_or(|mount| {
        let bytes = mount.f_bavail.saturating_mul(mount.f_frsize);
        bytes < 4 * NEEDED as u64 || mount.f_files > 0 && mount.f_favail < 16
    });
    if scarce { no_space(root) } else { None }
}

/// Error if the disk of `dir` is full. Tests this by writing a temporary file, because free-space
/// counts ignore quotas and blocks reserved for root.
pub fn no_space(dir: &Path) -> Option<Error> {
    let problem = probe(dir)
        .err()
        .filter(|problem| problem.kind == ErrorKind::DiskFull)?;
    let why = format!("{READ_ONLY}no space left on the disk of {}", dir.display());
    let help = "free some space; the project becomes writable within seconds, and no acknowledged decision is lost";
    Some(
        Error {
            what: why,
            ..problem
        }
        .help(help),
    )
}

fn probe(dir: &Path) -> Result<()> {
    let failed = |e: std::io::Error| Error::io(&e, "cannot write", dir);
    let mut temp = tempfile::Builder::new()
        .prefix(disk::TEMPORARY)
        .suffix(".tmp")
        .tempfile_in(dir)
        .map_err(failed)?;
    let piece = [0x5a; 64 << 10];
    for _ in 0..NEEDED / piece.len() {
        temp.write_all(&piece).map_err(failed)?;
    }
    Ok(())
}
