//! Repairs that lose nothing. Nothing is deleted: files in the way are renamed to an unused name.

use std::path::{Path, PathBuf};

use super::{Cure, Report, Severity};
use benchtop_files::project::Project;
use benchtop_files::{disk, regular};
use benchtop_model::image::FILE_LIMIT;
use benchtop_model::{Error, Result};
use benchtop_store::inventory::{self, Inventory};
use benchtop_store::layout;

/// Makes the repairs that the report allows, and records them in it. Nobody else may have the
/// project open. `at` is the time, RFC 3339 in UTC.
///
/// # Errors
///
/// If a file cannot be moved or written. Earlier repairs remain.
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
                    None => index.insert(move_index_away(project)?),
                };
                format!(
                    "the index was moved to {}; the next start rebuilds it",
                    shown(root, folder)
                )
            }
            Some(Cure::SetAside) => match move_away(&path)? {
                Some(aside) => format!(
                    "renamed to {}; the next start rebuilds it",
                    shown(root, &aside)
                ),
                None => "it was already missing; the next start rebuilds it".to_string(),
            },
            Some(Cure::Copy { from, hash }) => {
                let bytes = regular::read(from, FILE_LIMIT)?;
                if blake3::hash(&bytes).to_hex().as_str() != hash {
                    continue;
                }
                let aside = move_away(&path)?;
                disk::ensure_dirs(disk::folder(&path), &mut Vec::new())?;
                disk::write_atomic(&path, &bytes)?;
                let kept = aside
                    .map(|aside| format!("; the old file is {}", shown(root, &aside)))
                    .unwrap_or_default();
                format!("copied from {}{kept}", from.display())
            }
        };
        finding.repaired = Some(done);
    }
    accept(project, report, at)
}

/// Records every file as it is now, for users who changed files on purpose. Nobody else may have
/// the project open.
///
/// # Errors
///
/// If a file cannot be read or the inventory cannot be written.
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

/// Rewrites the inventory if nothing else is wrong. Records of damaged files stay unchanged.
fn accept(project: &Project, report: &mut Report, at: &str) -> Result<()> {
    let before = Inventory::load(project).unwrap_or_default();
    let (mut now, _) = before.update(project, at, false)?;
    // The owner records the index and snapshots again when it exits.
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
        finding.repaired = Some("the inventory and its second copy were rewritten".into());
    }
    Ok(())
}

fn shown(root: &Path, path: &Path) -> String {
    path.strip_prefix(root)
        .unwrap_or(path)
        .display()
        .to_string()
}

/// Renames a file to the first free `<name>.damaged-N`. `None` if there is no file.
fn move_away(path: &Path) -> Result<Option<PathBuf>> {
    if path.symlink_metadata().is_err() {
        return Ok(None);
    }
    let aside = layout::free_path(path, "damaged");
    std::fs::rename(path, &aside).map_err(|e| Error::io(&e, "cannot move the file away", path))?;
    disk::sync_dir(disk::folder(path))?;
    Ok(Some(aside))
}

/// Renames the folder of the index, and moves its snapshots into it. In a project of an earlier
/// version, the files of the index are among the snapshots.
fn move_index_away(project: &Project) -> Result<PathBuf> {
    let (store, index) = (project.store(), project.index());
    let aside = layout::free_path(&index, "damaged");
    let fail = |e: std::io::Error, path: &Path| Error::io(&e, "cannot move the file away", path);
    match std::fs::rename(&index, &aside) {
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => drop(disk::ensure_dir(&aside)?),
        renamed => renamed.map_err(|e| fail(e, &index))?,
    }
    for (name, path) in disk::list(&store) {
        if layout::is_index(&name) || name.ends_with(".snap") {
            std::fs::rename(&path, aside.join(&name)).map_err(|e| fail(e, &path))?;
        }
    }
    disk::sync_dir(&aside)?;
    disk::sync_dir(&store)?;
    Ok(aside)
}
