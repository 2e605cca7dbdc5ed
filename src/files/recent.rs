//! The projects that a person opened last, newest first, in the person's state folder.
//!
//! A convenience only: a file that cannot be read counts as empty, and a failed write is ignored.

use std::ffi::OsString;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::{disk, project, regular};
use benchtop_model::{Error, ErrorKind, Result};

const FILE: &str = "recent";
/// Maximum number of projects in the list.
pub const MOST: usize = 20;
const LIMIT: u64 = 128 << 10;

/// The list of one person.
#[derive(Clone, Debug)]
pub struct Recent {
    folder: PathBuf,
}

impl Recent {
    /// The list below `$XDG_STATE_HOME/benchtop`, or else `~/.local/state/benchtop`. Relative paths
    /// are ignored, as the XDG Base Directory Specification demands. `None` without a home folder.
    pub fn of_current_user(variable: impl Fn(&str) -> Option<OsString>) -> Option<Recent> {
        let absolute = |name| {
            variable(name)
                .map(PathBuf::from)
                .filter(|p| p.is_absolute())
        };
        let state =
            absolute("XDG_STATE_HOME").or_else(|| Some(absolute("HOME")?.join(".local/state")))?;
        Some(Recent {
            folder: state.join("benchtop"),
        })
    }

    /// The projects that are still there, newest first. Paths with links are left out, so that an
    /// entry leads to the folder that was opened.
    pub fn projects(&self) -> Vec<PathBuf> {
        let mut lines = self.lines().unwrap_or_default();
        lines.retain(|root| is_project(root));
        lines
    }

    fn lines(&self) -> Result<Vec<PathBuf>> {
        let path = self.folder.join(FILE);
        let Some(bytes) = regular::read_if_there(&path, LIMIT)? else {
            return Ok(Vec::new());
        };
        let meta = path
            .symlink_metadata()
            .map_err(|e| Error::io(&e, "cannot be read", &path))?;
        if meta.uid() != rustix::process::geteuid().as_raw() || meta.mode() & 0o022 != 0 {
            return Err(Error::new(ErrorKind::Denied, "other users can write it").file(&path));
        }
        let text = String::from_utf8_lossy(&bytes);
        let mut lines: Vec<PathBuf> = Vec::new();
        for line in text.lines() {
            let root = PathBuf::from(line);
            if is_plain(&root) && !lines.contains(&root) {
                lines.push(root);
            }
        }
        lines.truncate(MOST);
        Ok(lines)
    }

    /// Puts a project first.
    ///
    /// # Errors
    /// If the state folder or the file cannot be written.
    pub fn opened(&self, root: &Path) -> Result<()> {
        if !is_plain(root) {
            return Ok(());
        }
        let mut lines = self.lines().unwrap_or_default();
        if lines.first().is_some_and(|first| first == root) {
            return Ok(());
        }
        lines.retain(|other| other != root);
        lines.insert(0, root.to_path_buf());
        lines.truncate(MOST);
        if let Some(above) = self.folder.parent() {
            disk::ensure_dirs(above, &mut Vec::new())?;
        }
        disk::ensure_private_dir(&self.folder)?;
        let text: Vec<String> = lines
            .iter()
            .map(|root| format!("{}\n", root.display()))
            .collect();
        disk::write_atomic(&self.folder.join(FILE), text.concat().as_bytes())
    }
}

/// Whether a path fits on a line of the file and comes back the same.
fn is_plain(root: &Path) -> bool {
    root.is_absolute()
        && root
            .to_str()
            .is_some_and(|text| text.len() <= 4096 && !text.contains(char::is_control))
}

fn is_project(root: &Path) -> bool {
    root.canonicalize().is_ok_and(|real| real == root)
        && root
            .join(project::FILE)
            .symlink_metadata()
            .is_ok_and(|meta| meta.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};

    struct Home {
        _dir: tempfile::TempDir,
        at: PathBuf,
        recent: Recent,
    }

    fn home() -> Home {
        let dir = tempfile::tempdir().unwrap();
        let at = dir.path().canonicalize().unwrap();
        let state = at.join("state").into_os_string();
        let variable = move |name: &str| (name == "XDG_STATE_HOME").then(|| state.clone());
        let recent = Recent::of_current_user(variable).unwrap();
        Home {
            _dir: dir,
            at,
            recent,
        }
    }

    impl Home {
        fn project(&self, name: &str) -> PathBuf {
            let root = self.at.join(name);
            fs::create_dir(&root).unwrap();
            fs::write(root.join(project::FILE), "").unwrap();
            root
        }

        fn file(&self) -> PathBuf {
            self.at.join("state/benchtop").join(FILE)
        }
    }

    #[test]
    fn the_newest_project_is_first_and_the_list_is_bounded() {
        let home = home();
        assert_eq!(home.recent.projects(), Vec::<PathBuf>::new());
        let all: Vec<PathBuf> = (0..MOST + 3)
            .map(|n| home.project(&format!("p{n}")))
            .collect();
        for root in &all {
            home.recent.opened(root).unwrap();
        }
        home.recent.opened(&all[5]).unwrap();
        let listed = home.recent.projects();
        assert_eq!(listed.len(), MOST);
        assert_eq!(listed[..2], [all[5].clone(), all[MOST + 2].clone()]);
        fs::remove_dir_all(&all[5]).unwrap();
        assert_eq!(home.recent.projects()[0], all[MOST + 2]);
        let mode = |path: &Path| path.metadata().unwrap().mode() & 0o777;
        assert_eq!(mode(home.file().parent().unwrap()), 0o700);
        assert_eq!(mode(&home.file()), 0o600);
    }

    #[test]
    fn links_and_invalid_lines_are_left_out() {
        let home = home();
        let (real, other) = (home.project("real"), home.project("other"));
        home.recent.opened(&real).unwrap();
        let link = home.at.join("link");
        symlink(&other, &link).unwrap();
        let settings = home.at.join("linked settings");
        fs::create_dir(&settings).unwrap();
        symlink(other.join(project::FILE), settings.join(project::FILE)).unwrap();
        let mut text = format!("{}\n{}\n", link.display(), settings.display());
        text += &format!("relative\n\n{}\u{7}\n", real.display());
        text += &format!("{}/../real\n", real.display());
        text += &format!("{}\n{}\n", real.display(), real.display());
        fs::write(home.file(), text).unwrap();
        assert_eq!(home.recent.projects(), [real]);
    }

    #[test]
    fn a_list_that_is_a_link_or_that_others_can_write_is_not_read() {
        let home = home();
        let real = home.project("real");
        home.recent.opened(&real).unwrap();
        fs::set_permissions(home.file(), fs::Permissions::from_mode(0o666)).unwrap();
        assert_eq!(home.recent.projects(), Vec::<PathBuf>::new());
        fs::set_permissions(home.file(), fs::Permissions::from_mode(0o600)).unwrap();
        assert_eq!(home.recent.projects(), [real]);
        let away = home.at.join("away");
        fs::rename(home.file(), &away).unwrap();
        symlink(&away, home.file()).unwrap();
        assert_eq!(home.recent.projects(), Vec::<PathBuf>::new());
    }
}
