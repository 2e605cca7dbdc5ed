//! Groups and modes of a project's files: a folder for one Unix user, or one that a group reads.

use std::fs::{self, File, Metadata, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;

use rustix::fs::OFlags;

use super::inspect::PRIVATE;
use benchtop_model::cancel::Cancel;
use benchtop_model::{Error, Result};

/// How deep the folders of a project are, at most.
const DEEPEST: usize = 32;
/// The folder of the owner process, which sets its mode itself.
const RUNTIME: &str = ".owner";
/// The mode that a member of the group needs: reading, and entering folders.
const GROUP_READS: u32 = 0o040;
const GROUP_ENTERS: u32 = 0o010;

/// What a change of groups and modes would do, or did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shared {
    /// Files and folders that get another group or mode.
    pub changed: u64,
    /// Files and folders that the group can read afterwards and could not before.
    pub opened: u64,
}

/// Lets the group `gid` read a project, except for the private folders, which are closed to all
/// others. With `dry`, it only counts.
///
/// Links and other special files are left as they are.
///
/// # Errors
/// The first file that cannot be changed, such as for a user who is not in the group; and
/// [`ErrorKind::Cancelled`](benchtop_model::ErrorKind::Cancelled).
pub fn with_group(root: &Path, gid: u32, dry: bool, cancel: Cancel<'_>) -> Result<Shared> {
    let mut done = Shared::default();
    let mut look = vec![(root.to_path_buf(), 0, false)];
    while let Some((path, depth, is_private)) = look.pop() {
        cancel.check()?;
        let Ok(meta) = path.symlink_metadata() else {
            continue;
        };
        if !meta.is_dir() && !meta.is_file() {
            continue;
        }
        let wanted = wanted(&meta, gid, is_private);
        if wanted != (meta.gid(), meta.mode() & 0o7777) {
            done.changed += 1;
            let reads = |group, mode| group == gid && mode & GROUP_READS != 0;
            done.opened += u64::from(reads(wanted.0, wanted.1) && !reads(meta.gid(), meta.mode()));
            if !dry {
                change(&path, &meta, wanted)?;
            }
        }
        if meta.is_dir() && depth < DEEPEST {
            let entries =
                fs::read_dir(&path).map_err(|e| Error::io(&e, "cannot be read", &path))?;
            look.extend(entries.flatten().filter_map(|entry| {
                let (path, name) = (entry.path(), entry.file_name());
                let is_top = depth == 0;
                (!is_top || name != RUNTIME).then(|| {
                    let closes = is_top && PRIVATE.iter().any(|private| name == *private);
                    (path, depth + 1, is_private || closes)
                })
            }));
        }
    }
    Ok(done)
}

/// The group and mode that a file or folder should have.
fn wanted(meta: &Metadata, gid: u32, is_private: bool) -> (u32, u32) {
    let mode = meta.mode() & 0o7777;
    if is_private {
        return (meta.gid(), mode & !0o077);
    }
    let enters = meta.is_dir() || mode & 0o100 != 0;
    let more = if enters { GROUP_ENTERS } else { 0 };
    (gid, mode | GROUP_READS | more)
}

fn change(path: &Path, meta: &Metadata, (gid, mode): (u32, u32)) -> Result<()> {
    let failed = |e: io::Error| {
        let problem = Error::io(&e, "cannot change the group or mode of", path);
        problem.help("you must own the file and be a member of the group")
    };
    // Opened without following a link, so that what is changed is what was looked at.
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
    let mut options = OpenOptions::new();
    options.read(true).custom_flags(flags.bits().cast_signed());
    let file: File = options.open(path).map_err(failed)?;
    let now = file.metadata().map_err(failed)?;
    if (now.dev(), now.ino()) != (meta.dev(), meta.ino()) {
        return Err(Error::conflict("the file changed meanwhile").file(path));
    }
    if now.gid() != gid {
        let group = rustix::fs::Gid::from_raw(gid);
        rustix::fs::fchown(&file, None, Some(group)).map_err(|e| failed(e.into()))?;
    }
    if now.mode() & 0o7777 != mode {
        let permissions = Permissions::from_mode(mode);
        file.set_permissions(permissions).map_err(failed)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::project::Project;

    fn mode(path: &Path) -> u32 {
        path.symlink_metadata().unwrap().mode() & 0o777
    }

    #[test]
    fn a_group_reads_the_project_but_not_the_journals() {
        let (dir, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let root = dir.path();
        Project::init(root).unwrap();
        let gid = root.symlink_metadata().unwrap().gid();
        let outside = out.path().join("mine");
        for (name, is) in [("images/a.png", 0o600), ("sessions/ann.jsonl", 0o644)] {
            fs::write(root.join(name), "x").unwrap();
            fs::set_permissions(root.join(name), Permissions::from_mode(is)).unwrap();
        }
        fs::write(&outside, "x").unwrap();
        fs::set_permissions(&outside, Permissions::from_mode(0o600)).unwrap();
        std::os::unix::fs::symlink(&outside, root.join("images/link")).unwrap();
        fs::set_permissions(root, Permissions::from_mode(0o700)).unwrap();
        let dry = with_group(root, gid, true, Cancel::NEVER).unwrap();
        assert_eq!(mode(&root.join("images/a.png")), 0o600, "only counted");
        let done = with_group(root, gid, false, Cancel::NEVER).unwrap();
        assert_eq!(done, dry);
        assert!(done.changed >= 3 && done.opened >= 2, "{done:?}");
        assert_eq!(mode(root), 0o750);
        assert_eq!(mode(&root.join("images/a.png")), 0o640);
        assert_eq!(mode(&root.join("sessions/ann.jsonl")), 0o600);
        assert_eq!(mode(&root.join("sessions")), 0o700);
        assert_eq!(mode(&outside), 0o600, "a link was followed");
        let again = with_group(root, gid, false, Cancel::NEVER).unwrap();
        assert_eq!(again, Shared::default());
    }
}
