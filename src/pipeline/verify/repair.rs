//! What can be put right without losing anything. Nothing is deleted: what is in the way is renamed, under a name that no
//! other file has.

use std::path::{Path, PathBuf};

use super::{Cure, Report, Severity};
use benchtop_model::image::FILE_LIMIT;
use benchtop_model::{Error, Result};
use benchtop_store::inventory::{self, Inventory};
use benchtop_store::project::Project;
use benchtop_store::{disk, homes, regular};

/// Repairs what the report says can be repaired, and writes down in it what was done. Nobody else may have the project
/// open. `at` is the time, RFC 3339 in UTC.
///
/// # Errors
/// The operating system's; what was done before stays done.
pub fn repair(project: &Project, report: &mut Report, at: &str) -> Result<()> {
    let root = project.root();
    let mut index = None;
    for finding in &mut report.findings {
        let path = root.join(&finding.file);
        let done = match &finding.cure {
            None | Some(Cure::Inventory) => continue,
            Some(Cure::SetIndexAside) => {
                let folder = match &index {
                    Some(folder) => folder,
                    None => index.insert(set_index_aside(project)?),
                };
                format!(
                    "the index was moved to {}; the next opening makes it again",
                    shown(root, folder)
                )
            }
            Some(Cure::SetAside) => match set_aside(&path)? {
                Some(aside) => format!(
                    "it was renamed {}; the next opening makes it again",
                    shown(root, &aside)
                ),
                None => "it was gone already; the next opening makes it again".to_string(),
            },
            Some(Cure::Copy { from, hash }) => {
                let bytes = regular::read(from, FILE_LIMIT)?;
                if blake3::hash(&bytes).to_hex().as_str() != hash {
                    continue;
                }
                let aside = set_aside(&path)?;
                disk::ensure_dirs(disk::folder(&path), &mut Vec::new())?;
                disk::write_atomic(&path, &bytes)?;
                let kept = aside
                    .map(|aside| format!("; what was there is {}", shown(root, &aside)))
                    .unwrap_or_default();
                format!("copied from {}{kept}", from.display())
            }
        };
        finding.repaired = Some(done);
    }
    accept(project, report, at)
}

/// Records every file as it is now, whatever it was before: for whoever changed them on purpose. Nobody else may have the
/// project open.
///
/// # Errors
/// The operating system's.
pub fn accept_all(project: &Project, at: &str) -> Result<()> {
    let before = Inventory::load(project).unwrap_or_default();
    let (mut now, _) = Inventory::default().update(project, at, false)?;
    now.files.extend(
        before
            .files
            .into_iter()
            .filter(|(_, record)| record.kind == inventory::Kind::Cache),
    );
    now.write(project)
}

/// Writes the inventory anew where that is all that is wrong. Records of files that are damaged stay as they are.
fn accept(project: &Project, report: &mut Report, at: &str) -> Result<()> {
    let before = Inventory::load(project).unwrap_or_default();
    let (mut now, _) = before.update(project, at, false)?;
    // The index and the snapshots are told of anew at the next orderly end.
    let untouched = |path: &String| {
        !report
            .findings
            .iter()
            .any(|f| f.file == *path && f.severity == Severity::Damage)
    };
    let caches = before
        .files
        .into_iter()
        .filter(|(path, r)| r.kind == inventory::Kind::Cache && untouched(path));
    now.files
        .extend(caches.filter(|(path, _)| project.root().join(path).exists()));
    now.write(project)?;
    for finding in report
        .findings
        .iter_mut()
        .filter(|f| f.cure == Some(Cure::Inventory))
    {
        finding.repaired = Some("the inventory was written anew, and its second copy".into());
    }
    Ok(())
}

fn shown(root: &Path, path: &Path) -> String {
    path.strip_prefix(root)
        .unwrap_or(path)
        .display()
        .to_string()
}

/// Renames a file to the first free `<name>.damaged-N`; `None` where there is no file.
fn set_aside(path: &Path) -> Result<Option<PathBuf>> {
    if path.symlink_metadata().is_err() {
        return Ok(None);
    }
    let aside = homes::free(path, "damaged");
    std::fs::rename(path, &aside).map_err(|e| Error::io(&e, "cannot be set aside", path))?;
    disk::sync_dir(disk::folder(path))?;
    Ok(Some(aside))
}

/// Renames the folder of the index, and moves the snapshots that go with it into it. A project of an earlier version has
/// the files of the index among the snapshots.
fn set_index_aside(project: &Project) -> Result<PathBuf> {
    let (store, index) = (project.store(), project.index());
    let aside = homes::free(&index, "damaged");
    let fail = |e: std::io::Error, path: &Path| Error::io(&e, "cannot be set aside", path);
    match std::fs::rename(&index, &aside) {
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => drop(disk::ensure_dir(&aside)?),
        renamed => renamed.map_err(|e| fail(e, &index))?,
    }
    for (name, path) in disk::list(&store) {
        if homes::is_index(&name) || name.ends_with(".snap") {
            std::fs::rename(&path, aside.join(&name)).map_err(|e| fail(e, &path))?;
        }
    }
    disk::sync_dir(&aside)?;
    disk::sync_dir(&store)?;
    Ok(aside)
}
