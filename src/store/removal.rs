//! Takes a project back to empty, at its next start.
//!
//! A plan in `.owner/` names the folder that receives the files. Once the plan is on disk, every
//! start carries it out before it opens the project, until no step is left. So after a kill at any
//! time, the project is as before the plan, or empty. Files are moved, never deleted.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::rules;
use benchtop_files::project::Project;
use benchtop_files::{disk, regular};
use benchtop_model::{Error, Result};

/// Name of the plan in `.owner/`.
const PLAN: &str = "removal.json";
/// Folder of rounds in `sessions/`.
const ROUNDS: &str = "rounds";

/// What is moved: all that items, verdicts, jobs, and scores left, and the caches of it. The
/// metadata, the exports, the settings, and files in `sessions/` that the program does not write
/// stay.
const MOVED: [&str; 11] = [
    "imports",
    "images",
    "scores",
    "jobs",
    "store/index",
    "store/board",
    "store/columns.snap",
    "store/statuses.snap",
    "store/pictures.snap",
    "store/inventory.jsonl",
    ".owner/inventory.jsonl",
];

#[derive(Serialize, Deserialize)]
struct Plan {
    /// Folder in `.owner/` that receives the files.
    to: String,
    /// Rules and other files of `sessions/` whose names begin with this go too.
    mark: String,
}

fn plan(project: &Project) -> PathBuf {
    project.runtime().join(PLAN)
}

/// Plans to empty the project: the files go to a new folder of `.owner/` whose name begins with
/// `name`, and rules whose names begin with `mark` leave `benchtop.toml`. Returns the folder.
///
/// # Errors
/// [`ErrorKind::Conflict`](benchtop_model::ErrorKind::Conflict) if a folder cannot be moved because
/// it is on another file system; I/O errors. Then nothing changed.
pub fn begin(project: &Project, name: &str, mark: &str) -> Result<PathBuf> {
    check_file_system(project)?;
    let runtime = project.ensure_private_runtime()?;
    let names = (1u32..).map(|n| format!("{name}-{n}"));
    let to = names
        .into_iter()
        .find(|name| runtime.join(name).symlink_metadata().is_err())
        .unwrap_or_default();
    let folder = runtime.join(&to);
    disk::ensure_private_dir(&folder)?;
    disk::sync_dir(&runtime)?;
    let mark = mark.to_string();
    let text = serde_json::to_vec(&Plan { to, mark })
        .map_err(|e| Error::failed(format!("cannot serialize the plan: {e}")))?;
    disk::write_atomic(&plan(project), &text)?;
    Ok(folder)
}

/// Gives the plan up.
pub fn withdraw(project: &Project, folder: &Path) -> Result<()> {
    let path = plan(project);
    std::fs::remove_file(&path).map_err(|e| Error::io(&e, "cannot be removed", &path))?;
    disk::sync_dir(&project.runtime())?;
    // It is empty. If it stays, it harms nobody.
    let _ = std::fs::remove_dir(folder);
    Ok(())
}

/// Carries the plan out, if there is one. Nobody else may have the project open. Returns the folder
/// that received the files.
///
/// # Errors
/// A damaged plan; I/O errors. The next call continues.
pub fn finish(project: &Project) -> Result<Option<PathBuf>> {
    let path = plan(project);
    let Some(text) = regular::read_if_there(&path, regular::SETTINGS_LIMIT)? else {
        return Ok(None);
    };
    let Plan { to, mark } = serde_json::from_slice(&text)
        .ok()
        .filter(|plan: &Plan| !plan.to.is_empty() && !plan.to.contains(['/', '.']))
        .ok_or_else(|| {
            Error::corrupt("cannot parse the plan to empty the project")
                .file(&path)
                .help("remove this file to keep the project as it is")
        })?;
    let folder = project.runtime().join(to);
    disk::ensure_private_dir(&folder)?;
    for name in moved(project, &mark)? {
        move_to(project.root(), &name, &folder)?;
    }
    rules::remove(project, &mark)?;
    project.ensure_folders()?;
    std::fs::remove_file(&path).map_err(|e| Error::io(&e, "cannot be removed", &path))?;
    disk::sync_dir(&project.runtime())?;
    Ok(Some(folder))
}

/// What is to be moved, relative to the project.
fn moved(project: &Project, mark: &str) -> Result<Vec<String>> {
    let mut of_sessions = names(&project.sessions())?;
    of_sessions.retain(|name| is_written(name, mark));
    let of_sessions = of_sessions.iter().map(|name| format!("sessions/{name}"));
    Ok(MOVED
        .map(String::from)
        .into_iter()
        .chain(of_sessions)
        .collect())
}

/// Names of the entries of a folder. A missing one is empty.
fn names(dir: &Path) -> Result<Vec<String>> {
    let failed = |e: std::io::Error| Error::io(&e, "cannot be listed", dir);
    let entries = match std::fs::read_dir(dir) {
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(failed)?,
    };
    let name = |entry: std::fs::DirEntry| entry.file_name().to_string_lossy().into_owned();
    entries
        .map(|entry| entry.map(name).map_err(failed))
        .collect()
}

/// Whether the program writes this file or folder of `sessions/`: journals with what was set aside of
/// them, rounds, and what `mark` marks.
fn is_written(name: &str, mark: &str) -> bool {
    name == ROUNDS || name.contains(".jsonl") || name.starts_with(mark)
}

/// Whether a plan waits for the next start.
pub fn is_planned(project: &Project) -> bool {
    plan(project).symlink_metadata().is_ok()
}

/// Moves a file or folder, unless an earlier call did.
fn move_to(root: &Path, name: &str, folder: &Path) -> Result<()> {
    let (from, to) = (root.join(name), folder.join(name.trim_start_matches('.')));
    // What is there again was created after the move.
    if from.symlink_metadata().is_err() || to.symlink_metadata().is_ok() {
        return Ok(());
    }
    let parent = disk::folder(&to);
    if parent != folder {
        disk::ensure_private_dir(parent)?;
    }
    std::fs::rename(&from, &to).map_err(|e| Error::io(&e, "cannot be moved", &from))?;
    disk::sync_dir(parent)?;
    disk::sync_dir(disk::folder(&from))
}

fn check_file_system(project: &Project) -> Result<()> {
    use std::os::unix::fs::MetadataExt;
    let device = |path: &Path| path.symlink_metadata().ok().map(|meta| meta.dev());
    let here = device(project.root());
    for name in MOVED.into_iter().chain(["sessions"]) {
        let path = project.root().join(name);
        if device(&path).is_some_and(|found| Some(found) != here) {
            let what = "the folder is on another file system, so it cannot be moved";
            return Err(Error::conflict(what).file(path));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn project() -> (tempfile::TempDir, Project) {
        let dir = tempfile::tempdir().unwrap();
        let project = Project::init(dir.path()).unwrap();
        let files = [
            "sessions/ann.jsonl",
            "sessions/guidelines.md",
            "store/columns.snap",
            "imports/x",
        ];
        for file in files {
            fs::write(dir.path().join(file), file).unwrap();
        }
        (dir, project)
    }

    fn is_empty(project: &Project) -> bool {
        let left = |dir: &str| names(&project.root().join(dir)).unwrap();
        let mut sessions = left("sessions");
        sessions.sort();
        left("imports").is_empty()
            && left("store").is_empty()
            && sessions == ["README.md", "guidelines.md"]
    }

    #[test]
    fn a_plan_is_continued_from_every_step() {
        let steps = moved(&project().1, "sample-").unwrap().len();
        assert!(steps > MOVED.len());
        for done in 0..=steps {
            let (_dir, project) = project();
            let folder = begin(&project, "removed", "sample-").unwrap();
            for name in &moved(&project, "sample-").unwrap()[..done] {
                move_to(project.root(), name, &folder).unwrap();
            }
            assert_eq!(finish(&project).unwrap(), Some(folder.clone()));
            assert!(is_empty(&project), "after {done} steps");
            let moved = fs::read_to_string(folder.join("sessions/ann.jsonl")).unwrap();
            assert_eq!(moved, "sessions/ann.jsonl");
            assert!(folder.join("store/columns.snap").is_file());
            assert_eq!(finish(&project).unwrap(), None);
        }
    }

    #[test]
    fn a_plan_whose_steps_are_all_done_is_finished_again() {
        let (_dir, project) = project();
        let folder = begin(&project, "removed", "sample-").unwrap();
        let text = fs::read(plan(&project)).unwrap();
        finish(&project).unwrap();
        // As after a kill before the plan was deleted.
        fs::write(plan(&project), text).unwrap();
        assert_eq!(finish(&project).unwrap(), Some(folder.clone()));
        assert!(is_empty(&project) && folder.join("imports/x").is_file());
    }

    #[test]
    fn a_withdrawn_plan_changes_nothing() {
        let (_dir, project) = project();
        let folder = begin(&project, "removed", "sample-").unwrap();
        withdraw(&project, &folder).unwrap();
        assert_eq!(finish(&project).unwrap(), None);
        assert!(project.sessions().join("ann.jsonl").is_file() && !folder.exists());
    }

    #[test]
    fn a_plan_that_leads_out_of_the_folder_is_refused() {
        let (_dir, project) = project();
        begin(&project, "removed", "sample-").unwrap();
        for to in ["", "../x", "/tmp"] {
            fs::write(plan(&project), format!("{{\"to\":{to:?},\"mark\":\"\"}}")).unwrap();
            let problem = finish(&project).unwrap_err();
            assert_eq!(
                problem.place.file.as_deref(),
                Some(plan(&project).as_path())
            );
        }
        assert!(project.sessions().join("ann.jsonl").is_file());
    }

    #[test]
    fn only_rules_of_the_sample_leave_the_settings() {
        let (_dir, project) = project();
        let path = project.root().join(benchtop_files::project::FILE);
        let rule = |name: &str| {
            format!(
                "\n[[rules]]\nname = \"{name}\"\nthen = \"flag\"\nall = [{{ score = \"clip\", below = 20.0 }}]\n"
            )
        };
        let before = fs::read_to_string(&path).unwrap();
        fs::write(
            &path,
            format!("{before}{}{}", rule("mine"), rule("sample-weak")),
        )
        .unwrap();
        begin(&project, "removed", "sample-").unwrap();
        finish(&project).unwrap();
        let left = rules::read(&project).unwrap().rules.rules;
        let names: Vec<&str> = left.iter().map(|rule| rule.name.as_str()).collect();
        assert_eq!(names, ["mine"]);
    }
}
