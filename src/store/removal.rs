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

/// What is moved: all that items, verdicts, jobs, and scores left, and the caches of it. The
/// metadata, the exports, and the settings stay.
const MOVED: [&str; 13] = [
    "imports",
    "sessions",
    "images",
    "scores",
    "jobs",
    "runs",
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
    /// Rules whose names begin with this leave `benchtop.toml`.
    rules: String,
}

fn plan(project: &Project) -> PathBuf {
    project.runtime().join(PLAN)
}

/// Plans to empty the project: the files go to a new folder of `.owner/` whose name begins with
/// `name`, and rules whose names begin with `rules` leave `benchtop.toml`. Returns the folder.
///
/// # Errors
/// [`ErrorKind::Conflict`](benchtop_model::ErrorKind::Conflict) if a folder cannot be moved because
/// it is on another file system; I/O errors. Then nothing changed.
pub fn begin(project: &Project, name: &str, rules: &str) -> Result<PathBuf> {
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
    let rules = rules.to_string();
    let text = serde_json::to_vec(&Plan { to, rules })
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
    let Plan { to, rules } = serde_json::from_slice(&text)
        .ok()
        .filter(|plan: &Plan| !plan.to.is_empty() && !plan.to.contains(['/', '.']))
        .ok_or_else(|| {
            Error::corrupt("cannot parse the plan to empty the project")
                .file(&path)
                .help("remove this file to keep the project as it is")
        })?;
    let folder = project.runtime().join(to);
    disk::ensure_private_dir(&folder)?;
    for name in MOVED {
        move_to(project.root(), name, &folder)?;
    }
    rules::remove(project, &rules)?;
    project.ensure_folders()?;
    std::fs::remove_file(&path).map_err(|e| Error::io(&e, "cannot be removed", &path))?;
    disk::sync_dir(&project.runtime())?;
    Ok(Some(folder))
}

/// Moves a file or folder, unless an earlier call did.
fn move_to(root: &Path, name: &str, folder: &Path) -> Result<()> {
    let (from, to) = (root.join(name), folder.join(name.trim_start_matches('.')));
    if from.symlink_metadata().is_err() {
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
    for name in MOVED {
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
        for file in ["sessions/ann.jsonl", "store/columns.snap", "imports/x"] {
            fs::write(dir.path().join(file), file).unwrap();
        }
        (dir, project)
    }

    fn is_empty(project: &Project) -> bool {
        let names = |dir: &str| fs::read_dir(project.root().join(dir)).unwrap().count();
        names("imports") == 0 && names("store") == 0 && names("sessions") == 1
    }

    #[test]
    fn a_plan_is_continued_from_every_step() {
        for done in 0..=MOVED.len() {
            let (_dir, project) = project();
            let folder = begin(&project, "removed", "sample-").unwrap();
            for name in &MOVED[..done] {
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
            fs::write(plan(&project), format!("{{\"to\":{to:?},\"rules\":\"\"}}")).unwrap();
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
