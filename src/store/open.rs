//! Opens the data of a project: from the snapshots if they are current, otherwise from the sled
//! index if it is intact and current, otherwise from the source files.

mod assemble;
mod fold_journals;
mod import;
mod read_only;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::catalog::Catalog;
use super::index::Index;
use super::lazy_index::{LazyIndex, moment};
use super::ledger::Ledger;
use super::manifest::{Manifest, Segment};
use super::pictures::Pictures;
use super::status_columns::StatusColumns;
use super::{column_snapshots, layout};
use assemble::{assemble, rebuild, segments, write_all};
use benchtop_files::project::Project;
use benchtop_files::{disk, writable};
use benchtop_model::{Error, ErrorKind, Result};
pub use fold_journals::{
    fold_known, journals, journals_behind, lengths, load_ledger, load_pictures,
};
pub use import::{FinishedSegment, RecordedImport, add_import, index_import, record};
pub use read_only::open_to_read;

/// The open data of a project.
pub struct OpenData {
    /// The sled index. It may still be opening.
    pub index: Arc<LazyIndex>,
    pub catalog: Arc<Catalog>,
    /// Statuses. They are from the checkpoint if `ledger` is `None`.
    pub overlay: StatusColumns,
    /// The fold of the journals, or `None` if the checkpoint is current and the fold can wait (see
    /// [`load_ledger`]).
    pub ledger: Option<Ledger>,
    /// The generated pictures. Present if `ledger` is, since the ledger depends on them.
    pub pictures: Option<Pictures>,
    /// [`JournalHashes::contents`] of the journals behind `overlay`, to be compared with that of the
    /// fold.
    pub contents: [u8; 32],
    /// Notices for people: a rebuilt index, damaged lines, decisions on unknown items.
    pub notices: Vec<String>,
}

/// Opens the data of `project`. Rebuilds the index if it is missing, damaged, or outdated. If the
/// snapshots are current, sled is opened in the background.
///
/// # Errors
/// [`ErrorKind::Corrupt`] if a segment of an import is missing or damaged. [`ErrorKind::Conflict`]
/// if another process has the store open.
pub fn open(project: &Project) -> Result<OpenData> {
    let store = project.store();
    let mut notices = layout::migrate(project)?;
    let manifest = Manifest::read(&project.imports())?;
    manifest.sweep(&project.imports());
    let damaged = |p: &Error| format!("an import is missing because its line is damaged: {p}");
    notices.extend(manifest.problems.iter().map(damaged));
    notices.extend(unnamed(&manifest));
    let parts: Vec<&Segment> = manifest.entries.iter().flat_map(|e| &e.parts).collect();
    let segments = segments(parts.iter().copied());
    let (index, catalog) = match from_snapshot(project, &parts, &segments) {
        Ok(catalog) => {
            Index::check_unlocked(&project.index())?;
            disk::sweep(&store);
            let catalog = Arc::new(catalog);
            let (project, for_thread) = (project.clone(), catalog.clone());
            (
                LazyIndex::spawn(&store, move || {
                    open_in_background(&project, segments, &for_thread)
                })?,
                catalog,
            )
        }
        Err(problem) => {
            if problem.kind == ErrorKind::Corrupt {
                notices.push(format!("ignored: {problem}"));
            }
            let (index, catalog) = from_sled(project, &parts, segments, &mut notices)?;
            disk::sweep(&store);
            // Without the snapshot, the next start reads sled again.
            let _ = write_snapshot(&store, &segments, &catalog);
            (LazyIndex::opened(&store, index), Arc::new(catalog))
        }
    };
    let (lengths, bytes) = fold_journals::lengths(project)?;
    let found = match statuses(&store, &index, &catalog, &segments, &lengths)? {
        // Small journals are compared at once, large ones by the fold after the first page.
        Some((_, contents))
            if bytes <= COMPARED_FIRST && journals(project)?.contents != contents =>
        {
            None
        }
        found => found,
    };
    let (overlay, ledger, pictures, contents) = match found {
        Some((overlay, contents)) => (overlay, None, None, contents),
        None => {
            let (overlay, ledger, pictures) = fold_journals::all(project, &catalog, &mut notices)?;
            let contents = journals_behind(&ledger, &pictures).contents;
            (overlay, Some(ledger), Some(pictures), contents)
        }
    };
    notices.extend(index.notices());
    Ok(OpenData {
        index: Arc::new(index),
        catalog,
        overlay,
        ledger,
        pictures,
        contents,
        notices,
    })
}

/// Journals up to this total size are hashed before the first page, which takes about 5 ms.
const COMPARED_FIRST: u64 = 8 << 20;

/// The statuses from the snapshot or from sled, with the digest of their journals' contents. `None`
/// if neither belongs to journals of these lengths.
fn statuses(
    store: &Path,
    index: &LazyIndex,
    catalog: &Catalog,
    segments: &[u8; 32],
    lengths: &[u8; 32],
) -> Result<Option<(StatusColumns, [u8; 32])>> {
    if let Ok(found) =
        column_snapshots::read_statuses(store, &moment(lengths, segments), catalog.len())
    {
        index.mark_current(found.places);
        return Ok(Some((found.overlay, found.contents)));
    }
    match index.get()?.checkpoint(catalog.len()) {
        Ok(Some((checkpoint, overlay))) if checkpoint.journals == *lengths => {
            Ok(Some((overlay, checkpoint.contents)))
        }
        Err(problem) if problem.kind != ErrorKind::Corrupt => Err(problem),
        _ => Ok(None),
    }
}

/// The catalog from its snapshot.
fn from_snapshot(project: &Project, parts: &[&Segment], segments: &[u8; 32]) -> Result<Catalog> {
    let mut found = column_snapshots::read_columns(&project.store(), segments)?;
    let (frames, revised) = (&mut found.frames, &mut found.revised);
    let cached = &mut |part: &Segment| {
        Ok((
            frames.remove(&part.file).unwrap_or_default(),
            revised.remove(&part.file),
        ))
    };
    assemble(project, parts, found.columns, cached)
}

fn write_snapshot(store: &Path, segments: &[u8; 32], catalog: &Catalog) -> Result<()> {
    let frames = catalog.segments().map(|s| (s.file(), &s.frames[..]));
    let revised = catalog
        .revisions()
        .list
        .iter()
        .map(|r| (r.file(), &r.rows[..]));
    column_snapshots::write_columns(store, segments, catalog.columns(), frames, revised)
}

/// The catalog from the index, or rebuilt.
fn from_sled(
    project: &Project,
    parts: &[&Segment],
    segments: [u8; 32],
    notices: &mut Vec<String>,
) -> Result<(Index, Catalog)> {
    let read = |index: &Index| from_index(index, project, parts, &segments);
    match open_index(project, parts.is_empty(), notices, read)? {
        (index, Some(catalog)) => Ok((index, catalog)),
        (index, None) => {
            let catalog = rebuild(project, parts)?;
            write_all(&index, segments, &catalog)?;
            Ok((index, catalog))
        }
    }
}

/// Opens the index of an already known catalog, and rewrites it if it does not match.
fn open_in_background(
    project: &Project,
    segments: [u8; 32],
    catalog: &Catalog,
) -> Result<(Index, Vec<String>)> {
    let mut notices = Vec::new();
    let read = |index: &Index| {
        let meta = index.meta()?;
        Ok((meta.segments == segments && meta.has_all_columns()).then_some(()))
    };
    let empty = catalog.segments().next().is_none();
    let (index, found) = open_index(project, empty, &mut notices, read)?;
    if found.is_none() {
        write_all(&index, segments, catalog)?;
    }
    Ok((index, notices))
}

/// Opens the index and applies `read`, which returns `None` for an outdated index. A damaged index
/// is renamed first.
fn open_index<T>(
    project: &Project,
    empty: bool,
    notices: &mut Vec<String>,
    read: impl Fn(&Index) -> Result<Option<T>>,
) -> Result<(Index, Option<T>)> {
    let (store, path) = (project.store(), project.index());
    disk::ensure_private_dir(&store)?;
    let existed = path.join("db").exists();
    let opened = Index::open(&path).and_then(|index| {
        let found = read(&index)?;
        Ok((index, found))
    });
    match opened {
        Err(problem) if problem.kind == ErrorKind::Corrupt => {
            // On a full disk, sled fails in ways that look like damage.
            if let Some(full) = writable::no_space(&store) {
                return Err(full);
            }
            let aside = rename_broken(&path)?;
            notices.push(format!(
                "{} ({problem}); the old index is kept in {}",
                rebuilt_notice("was damaged"),
                aside.display()
            ));
            Ok((Index::open(&path)?, None))
        }
        Ok((index, None)) => {
            // A version with more columns than this index has is no reason for a notice.
            let is_of_another_version = index.meta().is_ok_and(|meta| !meta.has_all_columns());
            if !empty && !is_of_another_version {
                notices.push(rebuilt_notice(if existed {
                    "was outdated"
                } else {
                    "was missing"
                }));
            }
            Ok((index, None))
        }
        opened => opened,
    }
}

/// A notice about segments that no line of the manifest names.
fn unnamed(manifest: &Manifest) -> Option<String> {
    let orphans = manifest.orphans();
    let first = orphans.first()?;
    let more = if orphans.len() > 1 {
        format!(" and {} more", orphans.len() - 1)
    } else {
        String::new()
    };
    Some(format!(
        "imports/{first}{more}: not in the manifest; run `benchtop recover` to restore it"
    ))
}

fn rebuilt_notice(why: &str) -> String {
    format!("the index {why} and was rebuilt from imports/ and sessions/")
}

/// Renames the folder of a damaged index, so that it can be examined.
fn rename_broken(index: &Path) -> Result<PathBuf> {
    let aside = layout::free_path(index, "broken");
    std::fs::rename(index, &aside).map_err(|e| Error::io(&e, "cannot be renamed", index))?;
    disk::sync_dir(disk::folder(index))?;
    Ok(aside)
}

/// The catalog from the index, or `None` if the index describes other segments, or is of a version
/// with other columns.
fn from_index(
    index: &Index,
    project: &Project,
    parts: &[&Segment],
    segments: &[u8; 32],
) -> Result<Option<Catalog>> {
    let meta = index.meta()?;
    if meta.segments != *segments || !meta.has_all_columns() {
        return Ok(None);
    }
    let cached = &mut |part: &Segment| Ok((index.frames(&part.file)?, None));
    assemble(project, parts, index.columns(&meta)?, cached).map(Some)
}

#[cfg(test)]
pub(super) mod tests;
