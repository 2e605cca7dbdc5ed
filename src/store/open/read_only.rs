//! Opening a project of which nothing may be written: from the snapshots where they are current, else from the truth.

use std::sync::Arc;

use super::{Opened, fold_journals, followed, from_snapshot, journals, rebuild, segments};
use crate::layout;
use crate::lazy_index::{LazyIndex, moment};
use crate::manifest::{Manifest, Part};
use crate::snapshot;
use benchtop_files::project::Project;
use benchtop_model::{Error, ErrorKind, Result};

/// Opens the data of `project` in memory; `why` is what every attempt to write is told. Nothing is written, swept or
/// locked, and sled stays closed.
///
/// # Errors
/// As [`super::open`].
pub fn open_to_read(project: &Project, why: &Error) -> Result<Opened> {
    let store = project.store();
    let manifest = Manifest::read(&project.imports())?;
    let mut notices: Vec<String> = manifest
        .problems
        .iter()
        .map(|p| format!("not counted: {p}"))
        .collect();
    if layout::is_earlier(project) {
        let what = "written by an earlier version: scores are read from store/, generation jobs are not listed";
        notices.push(format!(
            "{what}; once the project can be written, opening it moves them to scores/ and jobs/"
        ));
    }
    let parts: Vec<&Part> = manifest.entries.iter().flat_map(|e| &e.parts).collect();
    let segments = segments(parts.iter().copied());
    let catalog = match from_snapshot(project, &parts, &segments) {
        Ok(catalog) => catalog,
        Err(problem) => {
            if problem.kind == ErrorKind::Corrupt {
                notices.push(format!("not used: {problem}"));
            }
            rebuild(project, &parts)?
        }
    };
    let index = LazyIndex::closed(&store, why.clone());
    let (lengths, _) = fold_journals::lengths(project)?;
    let kept = snapshot::read_statuses(&store, &moment(&lengths, &segments), catalog.len()).ok();
    let current = journals(project)?.contents;
    let (overlay, ledger, pictures, contents) = match kept.filter(|kept| kept.contents == current) {
        Some(found) => {
            index.keep(found.places);
            (found.overlay, None, None, found.contents)
        }
        None => {
            let (overlay, ledger, pictures) = fold_journals::all(project, &catalog, &mut notices)?;
            let contents = followed(&ledger, &pictures).contents;
            (overlay, Some(ledger), Some(pictures), contents)
        }
    };
    Ok(Opened {
        index: Arc::new(index),
        catalog: Arc::new(catalog),
        overlay,
        ledger,
        pictures,
        contents,
        notices,
    })
}
