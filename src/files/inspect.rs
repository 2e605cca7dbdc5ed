//! What of a project's folder must be as this program made it: no links, and nothing that others may read.
//!
//! A project may come from somebody else. A folder of it that is a link would let the program write, or take for the
//! person's work, what lies elsewhere.

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Component, Path, PathBuf};

use super::project::Project;
use benchtop_model::config::Look;
use benchtop_model::{Error, ErrorKind, Result};

/// Folders below a project that only its owner is to enter: who reads them reads verdicts and answers past the owner.
pub const PRIVATE: [&str; 5] = ["sessions", "store", "runs", "jobs", "scores"];

/// Folders below a project that must not be links. `metadata/` has its own rules: see
/// [`metadata_folder`](crate::metadata_folder).
pub const PLAIN: [&str; 18] = [
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
    // Of earlier versions.
    "store/blobs",
    "store/scores",
    "store/similarity",
    ".owner",
];

/// Most files a folder that [`notices`] looks at.
const LOOKED_AT: usize = 10_000;
/// Most names in one notice.
const NAMED: usize = 3;

fn refused(path: &Path, what: &str, help: &str) -> Error {
    Error::new(ErrorKind::Denied, what).file(path).help(help)
}

/// Refuses a project in which one of its folders is a link, or no folder.
///
/// # Errors
/// [`ErrorKind::Denied`] names the folder.
pub fn folders(root: &Path) -> Result<()> {
    for name in PLAIN {
        let path = root.join(name);
        let Ok(meta) = path.symlink_metadata() else {
            continue;
        };
        if meta.is_symlink() {
            let help = format!(
                "replace {name} by a folder with the same files; to keep it on another disk, move the whole project \
                 there or mount it (`mount --bind`)"
            );
            return Err(refused(
                &path,
                "this is a link, and links inside a project are not followed",
                &help,
            ));
        }
    }
    Ok(())
}

/// Refuses a path below `root` that leads out of it, or through a link. The last part need not be there.
///
/// # Errors
/// [`ErrorKind::Denied`].
pub fn within(root: &Path, path: &Path) -> Result<()> {
    let mut at = root.to_path_buf();
    for part in path.components() {
        match part {
            Component::Normal(name) => at.push(name),
            Component::CurDir => continue,
            _ => {
                return Err(refused(
                    path,
                    "this path leads out of the project",
                    "name a file inside the project",
                ));
            }
        }
        if at.symlink_metadata().is_ok_and(|meta| meta.is_symlink()) {
            let help = "replace it by a regular file or folder, or remove it";
            return Err(refused(
                &at,
                "this is a link, and links inside a project are not followed",
                help,
            ));
        }
    }
    Ok(())
}

/// Refuses a store with a link in it, which sled would follow.
///
/// # Errors
/// [`ErrorKind::Denied`] names it.
pub fn store(store: &Path) -> Result<()> {
    let help = "remove it: the store is made again from the rest of the project";
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
                .map_err(|e| Error::io(&e, "cannot look at", &entry.path()))?;
            if !kind.is_file() && !kind.is_dir() {
                return Err(refused(
                    &entry.path(),
                    "only regular files and folders may be here",
                    help,
                ));
            }
        }
    }
    Ok(())
}

/// Makes the files and folders in a private folder private; what cannot be changed stays as it is.
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

/// What a person should know of the folder: private folders that others may read, links and files of other users among
/// what is trusted.
pub fn notices(project: &Project) -> Vec<String> {
    let mut notices: Vec<String> = wide(project).into_iter().collect();
    if project.config().look != Look::default() {
        let what = "benchtop.toml: look.theme is not used any more, the theme is each person's own";
        notices.push(format!("{what}: `benchtop theme` says which and sets it"));
    }
    let root = project.root();
    let owner = root.symlink_metadata().map_or(0, |meta| meta.uid());
    let (mut links, mut foreign, mut odd) = (Vec::new(), Vec::new(), Vec::new());
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
            .take(LOOKED_AT);
        entries.map(|entry| Path::new(folder).join(entry.file_name()))
    });
    for name in folders.iter().map(PathBuf::from).chain(top).chain(below) {
        let Ok(meta) = root.join(&name).symlink_metadata() else {
            continue;
        };
        if meta.is_symlink() {
            links.push(name);
        } else if !meta.is_file() && !meta.is_dir() {
            odd.push(name);
        } else if meta.uid() != owner {
            foreign.push((name, meta.uid()));
        }
    }
    let list = |names: &[PathBuf]| -> String {
        let shown: Vec<String> = names
            .iter()
            .take(NAMED)
            .map(|name| name.display().to_string())
            .collect();
        let more = names.len().saturating_sub(NAMED);
        shown.join(", ")
            + &if more > 0 {
                format!(" and {more} more")
            } else {
                String::new()
            }
    };
    if !links.is_empty() {
        notices.push(format!(
            "not read, since links inside a project are not followed: {}",
            list(&links)
        ));
    }
    if !odd.is_empty() {
        notices.push(format!(
            "not read, since these are no regular files: {}",
            list(&odd)
        ));
    }
    if let Some((_, uid)) = foreign.first() {
        let names: Vec<PathBuf> = foreign.iter().map(|(name, _)| name.clone()).collect();
        notices.push(format!(
            "written by another user (uid {uid}; the project belongs to uid {owner}) and trusted all the same: {}; if \
             that is right, `chown -R {owner} {}` says so",
            list(&names),
            quoted(root)
        ));
    }
    notices
}

/// Says which private folders others may enter, with the command that ends it.
fn wide(project: &Project) -> Option<String> {
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
        "other users of this machine may read {}, and with them verdicts and answers: `chmod -R go-rwx {}` ends that",
        wide.join(", "),
        paths.join(" ")
    ))
}

/// A path as a shell reads it.
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
    fn a_linked_folder_is_refused_by_its_name() {
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
    fn folders_that_others_may_read_are_named_with_the_command() {
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
    fn links_and_files_of_others_are_told() {
        let dir = tempfile::tempdir().unwrap();
        let project = Project::init(dir.path()).unwrap();
        symlink("/etc/hostname", dir.path().join("sessions/ann.jsonl")).unwrap();
        let told = notices(&project);
        assert!(
            told.len() == 1 && told[0].contains("sessions/ann.jsonl"),
            "{told:?}"
        );
        fs::remove_file(dir.path().join("sessions/ann.jsonl")).unwrap();
        fs::write(dir.path().join("sessions/bob.jsonl"), "").unwrap();
        if std::os::unix::fs::chown(dir.path().join("sessions/bob.jsonl"), Some(12345), None)
            .is_err()
        {
            return;
        }
        let told = notices(&project);
        assert!(
            told.len() == 1 && told[0].contains("12345") && told[0].contains("sessions/bob.jsonl"),
            "{told:?}"
        );
    }
}
