//! Opens a project read-only: from the snapshots if they are current, otherwise from the source
//! files.

use std::sync::Arc;

use super::{OpenData, fold_journals, from_snapshot, journals, journals_behind, rebuild, segments};
use crate::column_snapshots;
use crate::layout;
use crate::lazy_index::{LazyIndex, moment};
use crate::manifest::{Manifest, Segment};
use benchtop_files::project::Project;
use benchtop_model::{Error, ErrorKind, Result};

/// Opens the data of `project` in memory. `why` is the error of every attempt to write. Nothing is
/// written, removed, or locked, and sled stays closed.
///
/// # Errors
/// See [`super::open`].
pub fn open_to_read(project: &Project, why: &Error) -> Result<OpenData> {
    let store = project.store();
    let manifest = Manifest::read(&project.imports())?;
    let mut notices: Vec<String> = manifest
        .problems
        .iter()
        .map(|p| format!("an import is missing because its line is damaged: {p}"))
        .collect();
    if layout::has_old_layout(project) {
        let what = "an earlier version wrote this project: scores are read from store/, and generation jobs are not listed";
        notices.push(format!(
            "{what}; they move to scores/ and jobs/ the next time the project is opened for writing"
        ));
    }
    let parts: Vec<&Segment> = manifest.entries.iter().flat_map(|e| &e.parts).collect();
    let segments = segments(parts.iter().copied());
    let catalog = match from_snapshot(project, &parts, &segments) {
        Ok(catalog) => catalog,
        Err(problem) => {
            if problem.kind == ErrorKind::Corrupt {
                notices.push(format!("ignored: {problem}"));
            }
            rebuild(project, &parts)?
        }
    };
    let index = LazyIndex::closed(&store, why.clone());
    let (lengths, _) = fold_journals::lengths(project)?;
    let cached =
        column_snapshots::read_statuses(&store, &moment(&lengths, &segments), catalog.len()).ok();
    let current = journals(project)?.contents;
    let (overlay, ledger, pictures, contents) = match cached
        .filter(|cached| cached.contents == current)
    {
        Some(found) => {
            index.mark_current(found.places);
            (found.overlay, None, None, found.contents)
        }
        None => {
            let (overlay, ledger, pictures) = fold_journals::all(project, &catalog, &mut notices)?;
            let contents = journals_behind(&ledger, &pictures).contents;
            (overlay, Some(ledger), Some(pictures), contents)
        }
    };
    Ok(OpenData {
        index: Arc::new(index),
        catalog: Arc::new(catalog),
        overlay,
        ledger,
        pictures,
        contents,
        notices,
    })
}
