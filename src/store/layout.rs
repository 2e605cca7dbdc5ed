//! Where data lies, and the move from where earlier versions kept it.
//!
//! Earlier versions kept scores, jobs and the history of rules below `store/`, among caches. [`migrate`] moves them, and
//! the index, when a project is opened for writing. It is a list of steps, each of which is done or not, so that the
//! next opening goes on where a killed one ended. A project that cannot be written is read where its files are
//! ([`Project::scores`] and its siblings).
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
use benchtop_model::{Error, ErrorKind, Result};

/// What the name of an index that was set aside begins with, below `store/`.
pub const INDEX_ASIDE: &str = "index.";

/// Files and folders that nobody can make again: earlier place and place now, below the project's folder.
const MOVED: [(&str, &str); 4] = [
    ("store/scores", "scores"),
    ("store/similarity", "scores/similarity"),
    ("store/rules.json", "scores/rules.json"),
    ("store/scoring.json", "jobs/scoring.json"),
];

/// The file of the index that says that there is one; it moves first.
const DB: &str = "db";

/// sled gives up its lock on threads of its own.
const LETTING_GO: Duration = Duration::from_secs(10);

/// Called after every step that changed the disk, with the path it changed; an error ends the move there.
pub type Watch<'a> = &'a mut dyn FnMut(&str) -> Result<()>;

/// Where the file at `path` lies now, where earlier versions had it elsewhere. Both are below the project's folder.
pub fn now(path: &str) -> Option<String> {
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

/// Whether this is a name of a file or folder of sled.
pub fn is_index(name: &str) -> bool {
    matches!(name, "db" | "conf" | "blobs") || name.starts_with("snap.")
}

/// Whether something of the project lies where earlier versions kept it.
pub fn is_earlier(project: &Project) -> bool {
    let root = project.root();
    MOVED.iter().any(|(from, _)| is_there(&root.join(from)))
        || disk::list(&project.store())
            .iter()
            .any(|(name, _)| is_index(name))
}

/// Moves what lies where earlier versions kept it. Gives what a person should know.
///
/// # Errors
/// [`ErrorKind::Conflict`] when another process has the index open, [`ErrorKind::Denied`] for links, and the operating
/// system's. What was moved stays moved; the next call goes on.
pub fn migrate(project: &Project) -> Result<Vec<String>> {
    migrate_watched(project, &mut |_| Ok(()))
}

/// The same, told of every step.
///
/// # Errors
/// As [`migrate`], and what `watch` returns.
pub fn migrate_watched(project: &Project, watch: Watch<'_>) -> Result<Vec<String>> {
    if !is_earlier(project) {
        return Ok(Vec::new());
    }
    let mut work = Move {
        project,
        watch,
        beside: Vec::new(),
        links: Vec::new(),
        count: 0,
        notices: Vec::new(),
    };
    for (from, to) in MOVED {
        work.take(from, to)?;
    }
    work.index()?;
    Ok(work.told())
}

fn is_there(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

struct Move<'a> {
    project: &'a Project,
    watch: Watch<'a>,
    /// Files that came beside another one in the new place.
    beside: Vec<String>,
    /// What is no regular file or folder, and stays.
    links: Vec<String>,
    /// Files and jobs that were moved.
    count: usize,
    notices: Vec<String>,
}

impl Move<'_> {
    /// Moves a file, or all files of a folder.
    fn take(&mut self, from: &str, to: &str) -> Result<()> {
        let (old, new) = (self.project.root().join(from), self.project.root().join(to));
        let Ok(meta) = old.symlink_metadata() else {
            return Ok(());
        };
        if meta.is_file() {
            return self.file(from, &old, &new);
        }
        if !meta.is_dir() {
            self.links.push(from.to_string());
            return Ok(());
        }
        disk::sweep(&old);
        for (name, _) in disk::list(&old) {
            self.take(&format!("{from}/{name}"), &format!("{to}/{name}"))?;
        }
        if disk::list(&old).is_empty() {
            std::fs::remove_dir(&old).map_err(|e| Error::io(&e, "cannot be removed", &old))?;
            disk::sync_dir(disk::folder(&old))?;
            (self.watch)(from)?;
        }
        Ok(())
    }

    /// Renames a file. Where the new place is taken it comes beside what is there, unless that has the same bytes.
    fn file(&mut self, from: &str, old: &Path, new: &Path) -> Result<()> {
        let fail = |e: std::io::Error| Error::io(&e, "cannot be moved", old);
        self.make_folder(disk::folder(new))?;
        let mut to = new.to_path_buf();
        if is_there(new) {
            if is_same(old, new) {
                std::fs::remove_file(old).map_err(fail)?;
                disk::sync_dir(disk::folder(old))?;
                return (self.watch)(from);
            }
            to = free(new, "earlier");
            self.beside.push(self.shown(&to));
        }
        std::fs::rename(old, &to).map_err(fail)?;
        // The new name first: a file is never gone from both folders.
        disk::sync_dir(disk::folder(&to))?;
        disk::sync_dir(disk::folder(old))?;
        self.count += 1;
        (self.watch)(from)
    }

    fn make_folder(&mut self, folder: &Path) -> Result<()> {
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

    /// Takes the generation jobs out of the index, and moves its files.
    fn index(&mut self) -> Result<()> {
        let (store, index) = (self.project.store(), self.project.index());
        if is_there(&store.join(DB)) {
            self.jobs(&store)?;
        }
        let mut files: Vec<(String, PathBuf)> = disk::list(&store);
        files.retain(|(name, _)| is_index(name));
        // The one that says that there is an index goes first: what it leaves behind belongs to the index that moved.
        files.sort_by_key(|(name, _)| name != DB);
        if files.is_empty() {
            return Ok(());
        }
        disk::ensure_private_dir(&index)?;
        let fail = |e: std::io::Error, path: &Path| Error::io(&e, "cannot be moved", path);
        for (name, old) in files {
            let new = index.join(&name);
            // An index that is there is newer, and both are made from the rest.
            let done = match is_there(&new) {
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

    /// Writes the generation jobs of an index into files. One that cannot be read is set aside.
    fn jobs(&mut self, store: &Path) -> Result<()> {
        let root = self.project.root();
        let has_imports = regular::length(&self.project.imports().join(manifest::FILE))? > 0;
        let taken = Index::open(store).and_then(|index| {
            // sled takes some damage for a file of nothing.
            if index.is_empty() && has_imports {
                return Err(Error::new(
                    ErrorKind::Corrupt,
                    "it is empty, and the project is not",
                ));
            }
            let watch = &mut self.watch;
            jobs::take_over(&index, root, &mut || watch("jobs"))
        });
        match taken {
            Ok(taken) => self.count += taken,
            Err(problem) if problem.kind == ErrorKind::Corrupt => {
                // Without space sled fails in ways that look like damage.
                if let Some(full) = writable::no_space(root) {
                    return Err(full);
                }
                self.set_index_aside(store, &problem)?;
            }
            Err(problem) => return Err(problem),
        }
        let since = Instant::now();
        while let Err(problem) = Index::free(store) {
            if since.elapsed() > LETTING_GO {
                return Err(problem);
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        Ok(())
    }

    fn set_index_aside(&mut self, store: &Path, why: &Error) -> Result<()> {
        let aside = free(&self.project.index(), "broken");
        disk::ensure_private_dir(&aside)?;
        for (name, old) in disk::list(store) {
            if is_index(&name) {
                std::fs::rename(&old, aside.join(&name))
                    .map_err(|e| Error::io(&e, "cannot be set aside", &old))?;
            }
        }
        disk::sync_dir(&aside)?;
        disk::sync_dir(store)?;
        let what = format!(
            "the index was damaged ({why}): the generation jobs in it could not be read; it is {} now",
            self.shown(&aside)
        );
        self.notices.push(what);
        (self.watch)("store/db")
    }

    fn shown(&self, path: &Path) -> String {
        let below = path.strip_prefix(self.project.root()).unwrap_or(path);
        below.display().to_string()
    }

    fn told(mut self) -> Vec<String> {
        if self.count > 0 {
            self.notices.push(format!(
                "scores, jobs and the history of rules were moved from store/ to scores/ and jobs/ ({} files); what is \
                 left in store/ can be rebuilt",
                self.count
            ));
        }
        if !self.beside.is_empty() {
            self.notices.push(format!(
                "an earlier version was used since: its files lie beside those that count: {}",
                self.beside.join(", ")
            ));
        }
        if !self.links.is_empty() {
            self.notices.push(format!(
                "not moved to scores/ or jobs/, since these are no regular files: {}; remove them",
                self.links.join(", ")
            ));
        }
        self.notices
    }
}

/// The first `<path>.<word>-N` that is not there.
pub fn free(path: &Path, word: &str) -> PathBuf {
    let name = |n: u32| {
        let mut name = path.as_os_str().to_owned();
        name.push(format!(".{word}-{n}"));
        PathBuf::from(name)
    };
    let mut n = 1;
    while is_there(&name(n)) {
        n += 1;
    }
    name(n)
}

fn is_same(a: &Path, b: &Path) -> bool {
    let read = |path: &Path| regular::read(path, u64::MAX).ok();
    let length = |path: &Path| path.symlink_metadata().map(|meta| meta.len()).ok();
    length(a) == length(b) && read(a).is_some_and(|bytes| read(b) == Some(bytes))
}
