//! The layout of files in a project, and the migration from the layout of earlier versions.
//!
//! Earlier versions kept scores, jobs, and the history of rules below `store/`, among the caches.
//! [`migrate`] moves them and the index when a project is opened for writing. Each step of the
//! migration is either done or not, so an interrupted migration continues the next time. A
//! read-only project is read from the old locations ([`Project::scores`] and related methods).
//!
//! | earlier | now |
//! |---|---|
//! | `store/scores/` | `scores/` |
//! | `store/similarity/` | `scores/similarity/` |
//! | `store/rules.json` | `scores/rules.json` |
//! | `store/scoring.json` | `jobs/scoring.json` |
//! | generation jobs in the index | `jobs/NNNN.json` ([`super::jobs`]) |
//! | `store/db`, `store/conf`, `store/blobs/`, `store/snap.*` | `store/index/` |

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::index::Index;
use super::{jobs, manifest};
use benchtop_files::project::{INDEX, Project};
use benchtop_files::{disk, regular, writable};
use benchtop_model::sorting::sort_by_key;
use benchtop_model::{Error, ErrorKind, Result};

/// Prefix of the names of renamed damaged indexes, below `store/`.
pub const INDEX_ASIDE: &str = "index.";

/// Files and folders that cannot be rebuilt: old and new path within the project.
const MOVED: [(&str, &str); 4] = [
    ("store/scores", "scores"),
    ("store/similarity", "scores/similarity"),
    ("store/rules.json", "scores/rules.json"),
    ("store/scoring.json", "jobs/scoring.json"),
];

/// The file that marks an index. It moves first.
const DB: &str = "db";

/// Maximum wait for sled's lock, which sled releases on background threads.
const LOCK_TIMEOUT: Duration = Duration::from_secs(10);

/// Called after each step that changed a file, with its path. An error ends the migration.
pub type Watch<'a> = &'a mut dyn FnMut(&str) -> Result<()>;

/// The present location of a file that earlier versions kept at `path`. Both paths are relative to
/// the project folder.
pub fn present_path(path: &str) -> Option<String> {
    let moved = MOVED.iter().find_map(|(from, to)| {
        let rest = path.strip_prefix(from)?;
        (rest.is_empty() || rest.starts_with('/')).then(|| format!("{to}{rest}"))
    });
    let of_index = || {
        let name = path.strip_prefix("store/")?;
        let first = name.split('/').next().unwrap_or(name);
        is_index(first).then(|| format!("store/{INDEX}/{name}"))
    };
    moved.or_else(of_index)
}

/// Whether `name` is a file or folder of sled.
pub fn is_index(name: &str) -> bool {
    matches!(name, "db" | "conf" | "blobs") || name.starts_with("snap.")
}

/// Whether the project has files in the layout of earlier versions.
pub fn has_old_layout(project: &Project) -> bool {
    let root = project.root();
    MOVED.iter().any(|(from, _)| exists(&root.join(from)))
        || disk::list(&project.store())
            .iter()
            .any(|(name, _)| is_index(name))
}

/// Moves files from the old layout. Returns notices for people.
///
/// # Errors
/// [`ErrorKind::Conflict`] if another process has the index open. [`ErrorKind::Denied`] for
/// symbolic links. Files that were moved stay moved, and the next call continues.
pub fn migrate(project: &Project) -> Result<Vec<String>> {
    migrate_watched(project, &mut |_| Ok(()))
}

/// Like [`migrate`], and calls `watch` after each step.
///
/// # Errors
/// See [`migrate`], and errors of `watch`.
pub fn migrate_watched(project: &Project, watch: Watch<'_>) -> Result<Vec<String>> {
    if !has_old_layout(project) {
        return Ok(Vec::new());
    }
    let mut migration = Migration {
        project,
        watch,
        conflicting: Vec::new(),
        skipped: Vec::new(),
        count: 0,
        notices: Vec::new(),
    };
    for (from, to) in MOVED {
        migration.move_path(from, to)?;
    }
    migration.move_index()?;
    Ok(migration.into_notices())
}

fn exists(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

struct Migration<'a> {
    project: &'a Project,
    watch: Watch<'a>,
    /// Files whose new path was taken, and that got another name.
    conflicting: Vec<String>,
    /// Paths that are neither regular files nor folders. They stay.
    skipped: Vec<String>,
    /// Number of moved files and jobs.
    count: usize,
    notices: Vec<String>,
}

impl Migration<'_> {
    /// Moves a file, or all files of a folder.
    fn move_path(&mut self, from: &str, to: &str) -> Result<()> {
        let (old, new) = (self.project.root().join(from), self.project.root().join(to));
        let Ok(meta) = old.symlink_metadata() else {
            return Ok(());
        };
        if meta.is_file() {
            return self.move_file(from, &old, &new);
        }
        if !meta.is_dir() {
            self.skipped.push(from.to_string());
            return Ok(());
        }
        disk::sweep(&old);
        for (name, _) in disk::list(&old) {
            self.move_path(&format!("{from}/{name}"), &format!("{to}/{name}"))?;
        }
        if disk::list(&old).is_empty() {
            std::fs::remove_dir(&old).map_err(|e| Error::io(&e, "cannot be removed", &old))?;
            disk::sync_dir(disk::folder(&old))?;
            (self.watch)(from)?;
        }
        Ok(())
    }

    /// Renames a file. If the new path is taken, the file gets another name, or is removed if both
    /// have the same bytes.
    fn move_file(&mut self, from: &str, old: &Path, new: &Path) -> Result<()> {
        let fail = |e: std::io::Error| Error::io(&e, "cannot be moved", old);
        self.ensure_folder(disk::folder(new))?;
        let mut to = new.to_path_buf();
        if exists(new) {
            if is_same(old, new) {
                std::fs::remove_file(old).map_err(fail)?;
                disk::sync_dir(disk::folder(old))?;
                return (self.watch)(from);
            }
            to = free_path(new, "earlier");
            self.conflicting.push(self.relative(&to));
        }
        std::fs::rename(old, &to).map_err(fail)?;
        // Sync the new folder first, so that the file is always in one of them.
        disk::sync_dir(disk::folder(&to))?;
        disk::sync_dir(disk::folder(old))?;
        self.count += 1;
        (self.watch)(from)
    }

    fn ensure_folder(&mut self, folder: &Path) -> Result<()> {
        let root = self.project.root();
        let below = folder.strip_prefix(root).unwrap_or(folder);
        let Some(top) = below.components().next() else {
            return Ok(());
        };
        // A link is refused, not followed.
        if !folder.symlink_metadata().is_ok_and(|meta| meta.is_dir()) {
            disk::ensure_below(&root.join(top), folder)?;
            disk::sync_dir(disk::folder(folder))?;
            disk::sync_dir(root)?;
        }
        Ok(())
    }

    /// Converts the generation jobs of the index to files, and moves the files of the index.
    fn move_index(&mut self) -> Result<()> {
        let (store, index) = (self.project.store(), self.project.index());
        if exists(&store.join(DB)) {
            self.convert_jobs(&store)?;
        }
        let mut files: Vec<(String, PathBuf)> = disk::list(&store);
        files.retain(|(name, _)| is_index(name));
        // The marker file goes first. Files that remain without it belong to the moved index.
        sort_by_key(&mut files, |(name, _)| name != DB);
        if files.is_empty() {
            return Ok(());
        }
        disk::ensure_private_dir(&index)?;
        let fail = |e: std::io::Error, path: &Path| Error::io(&e, "cannot be moved", path);
        for (name, old) in files {
            let new = index.join(&name);
            // An existing index is newer, and both can be rebuilt.
            let done = match exists(&new) {
                false => std::fs::rename(&old, &new),
                true if old.is_dir() => std::fs::remove_dir_all(&old),
                true => std::fs::remove_file(&old),
            };
            done.map_err(|e| fail(e, &old))?;
            disk::sync_dir(&index)?;
            disk::sync_dir(&store)?;
            (self.watch)(&format!("store/{name}"))?;
        }
        Ok(())
    }

    /// Converts the generation jobs of an index to files. Renames an index that cannot be read.
    fn convert_jobs(&mut self, store: &Path) -> Result<()> {
        let root = self.project.root();
        let has_imports = regular::length(&self.project.imports().join(manifest::FILE))? > 0;
        let taken = Index::open(store).and_then(|index| {
            // sled treats some damage as an empty file.
            if index.is_empty() && has_imports {
                return Err(Error::corrupt(
                    "the index is empty although the project has imports",
                ));
            }
            let watch = &mut self.watch;
            jobs::take_over(&index, root, &mut || watch("jobs"))
        });
        match taken {
            Ok(taken) => self.count += taken,
            Err(problem) if problem.kind == ErrorKind::Corrupt => {
                // On a full disk, sled fails in ways that look like damage.
                if let Some(full) = writable::no_space(root) {
                    return Err(full);
                }
                self.rename_broken_index(store, &problem)?;
            }
            Err(problem) => return Err(problem),
        }
        let since = Instant::now();
        while let Err(problem) = Index::check_unlocked(store) {
            if since.elapsed() > LOCK_TIMEOUT {
                return Err(problem);
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        Ok(())
    }

    fn rename_broken_index(&mut self, store: &Path, why: &Error) -> Result<()> {
        let aside = free_path(&self.project.index(), "broken");
        disk::ensure_private_dir(&aside)?;
        for (name, old) in disk::list(store) {
            if is_index(&name) {
                std::fs::rename(&old, aside.join(&name))
                    .map_err(|e| Error::io(&e, "cannot be renamed", &old))?;
            }
        }
        disk::sync_dir(&aside)?;
        disk::sync_dir(store)?;
        let what = format!(
            "the index is damaged ({why}) and was renamed to {}; its generation jobs are lost",
            self.relative(&aside)
        );
        self.notices.push(what);
        (self.watch)("store/db")
    }

    fn relative(&self, path: &Path) -> String {
        let below = path.strip_prefix(self.project.root()).unwrap_or(path);
        below.display().to_string()
    }

    fn into_notices(mut self) -> Vec<String> {
        if self.count > 0 {
            self.notices.push(format!(
                "scores, jobs, and the history of rules were moved from store/ to scores/ and jobs/ ({} files); the rest of \
                 store/ can be rebuilt",
                self.count
            ));
        }
        if !self.conflicting.is_empty() {
            self.notices.push(format!(
                "an earlier version has used the project since its files were moved; its files were kept under other names: {}",
                self.conflicting.join(", ")
            ));
        }
        if !self.skipped.is_empty() {
            self.notices.push(format!(
                "not moved to scores/ or jobs/, because these are not regular files: {}; remove them",
                self.skipped.join(", ")
            ));
        }
        self.notices
    }
}

/// The first path `<path>.<word>-N` that does not exist.
pub fn free_path(path: &Path, word: &str) -> PathBuf {
    let name = |n: u32| {
        let mut name = path.as_os_str().to_owned();
        name.push(format!(".{word}-{n}"));
        PathBuf::from(name)
    };
    let mut n = 1;
    while exists(&name(n)) {
        n += 1;
    }
    name(n)
}

fn is_same(a: &Path, b: &Path) -> bool {
    let read = |path: &Path| regular::read(path, u64::MAX).ok();
    let length = |path: &Path| path.symlink_metadata().map(|meta| meta.len()).ok();
    length(a) == length(b) && read(a).is_some_and(|bytes| read(b) == Some(bytes))
}
