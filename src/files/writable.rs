//! Whether anything can be written into a project, and why not: read-only media, somebody else's folder, a full disk.

use std::io::Write;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use rustix::fs::{Access, StatVfsMountFlags, access, statvfs};

use super::disk;
use super::project::Project;
use benchtop_model::{Error, ErrorKind, Result};

/// With less than this left, in bytes, a project is opened for reading only: sled cannot be relied on there.
const NEEDED: usize = 1 << 20;

/// What an obstacle begins with.
const CLOSED: &str = "the project is open for reading only: ";

/// What is said where a project can be neither written nor read.
pub fn unreadable(why: &Error, problem: Error) -> Error {
    let reason = why.what.strip_prefix(CLOSED).unwrap_or(&why.what);
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

/// Why the project cannot be written, when it cannot.
pub fn obstacle(project: &Project) -> Option<Error> {
    let root = project.root();
    let me = rustix::process::geteuid().as_raw();
    let reading = |kind, why: String| Error::new(kind, format!("{CLOSED}{why}")).file(root);
    let mount = statvfs(root).ok();
    if mount
        .as_ref()
        .is_some_and(|mount| mount.f_flag.contains(StatVfsMountFlags::RDONLY))
    {
        return Some(
            reading(ErrorKind::Denied, "it is on a read-only file system".into())
                .help("copy it to a disk that can be written, or mount it anew for writing"),
        );
    }
    let owner = root.symlink_metadata().ok()?.uid();
    let writes = access(root, Access::WRITE_OK).is_ok();
    if owner != me {
        // Root could write, and must not: its files would lock that person out. And the people of a shared project see
        // what its owner shows them. Both are refused by `Project::ensure_private_runtime`.
        if writes || !project.config().shared.people.is_empty() {
            return None;
        }
        let why = format!("it belongs to another user (uid {owner}; you are uid {me})");
        return Some(reading(ErrorKind::Denied, why).help(
            "run benchtop as that user, or give the whole project to yours with `chown -R`",
        ));
    }
    if !writes {
        return Some(
            reading(
                ErrorKind::Denied,
                "you may not write into its folder".into(),
            )
            .help("`chmod u+w` on it lets you, where it is yours"),
        );
    }
    let scarce = mount.is_none_or(|mount| {
        let bytes = mount.f_bavail.saturating_mul(mount.f_frsize);
        bytes < 4 * NEEDED as u64 || mount.f_files > 0 && mount.f_favail < 16
    });
    if scarce { no_space(root) } else { None }
}

/// Says that no space is left where `dir` is, when that is so: tried by writing, since quotas and what is kept for root are
/// told by nothing else.
pub fn no_space(dir: &Path) -> Option<Error> {
    let problem = probe(dir)
        .err()
        .filter(|problem| problem.kind == ErrorKind::DiskFull)?;
    let why = format!("{CLOSED}no space left on the disk of {}", dir.display());
    let help = "free some space: within seconds the project can be written again; nothing acknowledged is lost";
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
