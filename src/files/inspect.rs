//! Checks a project folder: no links, and no private folders that others can read.
//!
//! A project may come from somebody else. If one of its folders were a link, the program could
//! write outside the project, or take files from elsewhere for the person's work.

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Component, Path, PathBuf};

use super::project::Project;
use benchtop_model::config::Look;
use benchtop_model::{Error, ErrorKind, Result};

/// Folders of a project that only its user may enter. Anyone who can read them sees verdicts and
/// answers without asking the owner process.
pub const PRIVATE: [&str; 5] = ["sessions", "store", "runs", "jobs", "scores"];

/// Folders of a project that must not be links. `metadata/` has its own rules, see
/// [`metadata_folder`](crate::metadata_folder).
pub const UNLINKED_FOLDERS: [&str; 18] = [
    "sessions",
    "sessions/rounds",
    "imports",
    "images",
    "exports",
    "releases",
    "runs",
    "jobs",
    "scores",
    "scores/similarity",
    "store",
    "store/index",
    "store/index/blobs",
    "store/board",
    // Used by earlier versions.
    "store/blobs",
    "store/scores",
    "store/similarity",
    ".owner",
];

/// Maximum number of files that [`notices`] checks in one folder.
const CHECKED_PER_FOLDER: usize = 10_000;
/// Maximum number of names in one notice.
const NAMES_SHOWN: usize = 3;

fn refused(path: &Path, what: &str, help: &str) -> Error {
    Error::new(ErrorKind::Denied, what).file(path).help(help)
}

/// Refuses a project in which one of the folders [`PLAIN`] is a link.
///
/// # Errors
/// [`ErrorKind::Denied`] with the folder.
pub fn folders(root: &Path) -> Result<()> {
    for name in UNLINKED_FOLDERS {
        let path = root.join(name);
        let Ok(meta) = path.symlink_metadata() else {
            continue;
        };
        if meta.is_symlink() {
            let help = format!(
                "replace {name} with a folder that holds the same files; to keep it on another disk, move the whole \
                 project there, or mount the folder (`mount --bind`)"
            );
            return Err(refused(
                &path,
                "this folder is a link, and links inside a project are not followed",
                &help,
            ));
        }
    }
    Ok(())
}

/// Refuses a path that leaves `root` or passes through a link. The last component may be missing.
///
/// # Errors
/// [`ErrorKind::Denied`] with the path.
pub fn within(root: &Path, path: &Path) -> Result<()> {
    let mut at = root.to_path_buf();
    for part in path.components() {
        match part {
            Component::Normal(name) => at.push(name),
            Component::CurDir => continue,
            _ => {
                return Err(refused(
                    path,
                    "this path leaves the project",
                    "name a file inside the project",
                ));
            }
        }
        if at.symlink_metadata().is_ok_and(|meta| meta.is_symlink()) {
            let help = "replace the link with a regular file or folder, or remove it";
            return Err(refused(
                &at,
                "this is a link, and links inside a project are not followed",
                help,
            ));
        }
    }
    Ok(())
}

/// Refuses a store that contains a link, because sled would follow it.
///
/// # Errors
/// [`ErrorKind::Denied`] with the path.
pub fn store(store: &Path) -> Result<()> {
    let help = "remove it; the store is rebuilt from the rest of the project";
    for folder in [store.to_path_buf(), store.join("blobs")] {
        if folder
            .symlink_metadata()
            .is_ok_and(|meta| meta.is_symlink())
        {
            return Err(refused(
                &folder,
                "this folder is a link, and links inside a project are not followed",
                help,
            ));
        }
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let kind = entry
                .file_type()
                .map_err(|e| Error::io(&e, "cannot inspect", &entry.path()))?;
            if !kind.is_file() && !kind.is_dir() {
                return Err(refused(
                    &entry.path(),
                    "only regular files and folders are allowed here",
                    help,
                ));
            }
        }
    }
    Ok(())
}

/// Makes the entries of a private folder private. Ignores entries whose mode cannot be changed.
pub fn make_private(folder: &Path) {
    let is = |path: &Path| {
        path.symlink_metadata()
            .is_ok_and(|meta| meta.is_dir() && meta.mode() & 0o077 == 0)
    };
    for entry in is(folder)
        .then(|| fs::read_dir(folder))
        .into_iter()
        .flatten()
        .flatten()
        .flatten()
    {
        let Ok(meta) = entry.metadata() else { continue };
        if meta.mode() & 0o077 != 0 && (meta.is_file() || meta.is_dir()) {
            let mode = if meta.is_dir() { 0o700 } else { 0o600 };
            let _ = fs::set_permissions(entry.path(), Permissions::from_mode(mode));
        }
    }
}

/// Warnings about the project folder: private folders that others can read, links, special files,
/// and files of other users.
pub fn notices(project: &Project) -> Vec<String> {
    let mut notices: Vec<String> = readable_by_others(project).into_iter().collect();
    if project.config().look != Look::default() {
        let what = "benchtop.toml: look.theme is no longer used";
        notices.push(format!(
            "{what}; each person sets a theme with `benchtop theme`"
        ));
    }
    let root = project.root();
    let owner = root.symlink_metadata().map_or(0, |meta| meta.uid());
    let (mut links, mut foreign, mut special) = (Vec::new(), Vec::new(), Vec::new());
    let folders = [
        "sessions",
        "sessions/rounds",
        "imports",
        "runs",
        "jobs",
        "scores",
        "store",
        "store/index",
    ];
    let top = ["benchtop.toml", "images/pictures.jsonl"]
        .into_iter()
        .map(PathBuf::from);
    let below = folders.iter().flat_map(|folder| {
        let entries = fs::read_dir(root.join(folder))
            .into_iter()
            .flatten()
            .flatten()
            .take(CHECKED_PER_FOLDER);
        entries.map(|entry| Path::new(folder).join(entry.file_name()))
    });
    for name in folders.iter().map(PathBuf::from).chain(top).chain(below) {
        let Ok(meta) = root.join(&name).symlink_metadata() else {
            continue;
        };
        if meta.is_symlink() {
            links.push(name);
        } else if !meta.is_file() && !meta.is_dir() {
            special.push(name);
        } else if meta.uid() != owner {
            foreign.push((name, meta.uid()));
        }
    }
    let list = |names: &[PathBuf]| -> String {
        let shown: Vec<String> = names
            .iter()
            .take(NAMES_SHOWN)
            .map(|name| name.display().to_string())
            .collect();
        let more = names.len().saturating_sub(NAMES_SHOWN);
        shown.join(", ")
            + &if more > 0 {
                format!(" and {more} more")
            } else {
                String::new()
            }
    };
    if !links.is_empty() {
        notices.push(format!(
            "skipped, because links inside a project are not followed: {}",
            list(&links)
        ));
    }
    if !special.is_empty() {
        notices.push(format!(
            "skipped, because these are not regular files: {}",
            list(&special)
        ));
    }
    if let Some((_, uid)) = foreign.first() {
        let names: Vec<PathBuf> = foreign.iter().map(|(name, _)| name.clone()).collect();
        notices.push(format!(
            "files of another user (uid {uid}; the project belongs to uid {owner}) are used: {}; if that is \
             intended, run `chown -R {owner} {}`",
            list(&names),
            quoted(root)
        ));
    }
    notices
}

/// Private folders that others can enter, with the command that closes them.
fn readable_by_others(project: &Project) -> Option<String> {
    let root = project.root();
    let is_wide = |name: &&&str| {
        root.join(name)
            .symlink_metadata()
            .is_ok_and(|meta| meta.is_dir() && meta.permissions().mode() & 0o077 != 0)
    };
    let wide: Vec<&str> = PRIVATE.iter().filter(is_wide).copied().collect();
    if wide.is_empty() {
        return None;
    }
    let paths: Vec<String> = wide.iter().map(|name| quoted(&root.join(name))).collect();
    Some(format!(
        "other users of this machine can read {}, and so see verdicts and answers: run `chmod -R go-rwx {}`",
        wide.join(", "),
        paths.join(" ")
    ))
}

/// Quotes a path for a shell.
fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+=:,@".contains(c);
    if text.chars().all(plain) {
        text
    } else {
        format!("'{}'", text.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_linked_folder_is_refused() {
        for name in [
            "sessions",
            "imports",
            "images",
            "store",
            "exports",
            "runs",
            "sessions/rounds",
            "store/scores",
            "store/index",
            "scores",
            "scores/similarity",
            "jobs",
        ] {
            let (dir, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
            Project::init(dir.path()).unwrap();
            let at = dir.path().join(name);
            let _ = fs::remove_file(at.join("README.md"));
            let _ = fs::remove_dir(&at);
            fs::create_dir_all(at.parent().unwrap()).unwrap();
            symlink(elsewhere.path(), &at).unwrap();
            let problem = Project::open(dir.path()).unwrap_err();
            assert_eq!(
                (problem.kind, problem.place.file),
                (
                    ErrorKind::Denied,
                    Some(at.canonicalize().map(|_| at).unwrap())
                )
            );
            assert!(problem.help.unwrap().contains(name), "{name}");
        }
    }

    #[test]
    fn a_path_that_leaves_the_project_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("themes")).unwrap();
        symlink("/etc", dir.path().join("etc")).unwrap();
        symlink("/dev/zero", dir.path().join("themes/zero.toml")).unwrap();
        for path in [
            "/dev/zero",
            "../other/a.toml",
            "themes/../../a.toml",
            "etc/passwd",
            "themes/zero.toml",
        ] {
            assert_eq!(
                within(dir.path(), Path::new(path)).unwrap_err().kind,
                ErrorKind::Denied,
                "{path}"
            );
        }
        for path in ["themes/mine.toml", "./mine.toml", "docs/not/there.md"] {
            assert_eq!(within(dir.path(), Path::new(path)), Ok(()), "{path}");
        }
    }

    #[test]
    fn a_notice_gives_the_command_that_makes_folders_private() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("it's mine");
        let project = Project::init(&root).unwrap();
        assert_eq!(notices(&project), Vec::<String>::new());
        let mode = |name: &str, mode| {
            fs::set_permissions(root.join(name), Permissions::from_mode(mode)).unwrap()
        };
        mode("sessions", 0o755);
        mode("store", 0o710);
        let notices = notices(&project);
        assert_eq!(notices.len(), 1, "{notices:?}");
        let command = notices[0].split('`').nth(1).unwrap();
        assert!(
            command.starts_with("chmod -R go-rwx ") && command.contains("/store"),
            "{command}"
        );
        assert!(
            std::process::Command::new("sh")
                .args(["-c", command])
                .status()
                .unwrap()
                .success(),
            "{command}"
        );
        assert_eq!(super::notices(&project), Vec::<String>::new());
    }

    #[test]
    fn links_and_files_of_other_users_are_in_the_notices() {
        let dir = tempfile::tempdir().unwrap();
        let project = Project::init(dir.path()).unwrap();
        symlink("/etc/hostname", dir.path().join("sessions/ann.jsonl")).unwrap();
        let found = notices(&project);
        assert!(
            found.len() == 1 && found[0].contains("sessions/ann.jsonl"),
            "{found:?}"
        );
        fs::remove_file(dir.path().join("sessions/ann.jsonl")).unwrap();
        fs::write(dir.path().join("sessions/bob.jsonl"), "").unwrap();
        if std::os::unix::fs::chown(dir.path().join("sessions/bob.jsonl"), Some(12345), None)
            .is_err()
        {
            return;
        }
        let found = notices(&project);
        assert!(
            found.len() == 1
                && found[0].contains("12345")
                && found[0].contains("sessions/bob.jsonl"),
            "{found:?}"
        );
    }
}
