//! Opens the data of a project: from the snapshots if they are current, otherwise from the sled
//! index if it is intact and current, otherwise from the source files.

mod fold;
mod reading;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::catalog::Catalog;
use super::columns::{BLOCK_ROWS, Columns, id_hash};
use super::index::{Index, Meta, digest};
use super::lazy_index::{LazyIndex, moment};
use super::ledger::Ledger;
use super::manifest::{Entry, Holds, Manifest, Part};
use super::pictures::Pictures;
use super::segment::{Frame, Reader};
use super::status_columns::Overlay;
use super::{homes, snapshot};
use benchtop_files::project::Project;
use benchtop_files::{disk, writable};
pub use fold::{fold_known, followed, journals, lengths, load_ledger, load_pictures};
pub use reading::open_to_read;

use benchtop_model::{Error, ErrorKind, Item, Result};

/// The open data of a project.
pub struct Opened {
    /// The sled index. It may still be opening.
    pub index: Arc<LazyIndex>,
    pub catalog: Arc<Catalog>,
    /// Statuses. They are from the checkpoint if `ledger` is `None`.
    pub overlay: Overlay,
    /// The fold of the journals, or `None` if the checkpoint is current and the fold can wait (see
    /// [`load_ledger`]).
    pub ledger: Option<Ledger>,
    /// The generated pictures. Present if `ledger` is, since the ledger depends on them.
    pub pictures: Option<Pictures>,
    /// [`Journals::contents`] of the journals behind `overlay`, to be compared with that of the
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
pub fn open(project: &Project) -> Result<Opened> {
    let store = project.store();
    let mut notices = homes::migrate(project)?;
    let manifest = Manifest::read(&project.imports())?;
    manifest.sweep(&project.imports());
    let damaged = |p: &Error| format!("an import is missing because its line is damaged: {p}");
    notices.extend(manifest.problems.iter().map(damaged));
    notices.extend(unnamed(&manifest));
    let parts: Vec<&Part> = manifest.entries.iter().flat_map(|e| &e.parts).collect();
    let segments = segments(parts.iter().copied());
    let (index, catalog) = match from_snapshot(project, &parts, &segments) {
        Ok(catalog) => {
            Index::free(&project.index())?;
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
            (LazyIndex::here(&store, index), Arc::new(catalog))
        }
    };
    let (lengths, bytes) = fold::lengths(project)?;
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
            let (overlay, ledger, pictures) = fold::all(project, &catalog, &mut notices)?;
            let contents = followed(&ledger, &pictures).contents;
            (overlay, Some(ledger), Some(pictures), contents)
        }
    };
    notices.extend(index.notices());
    Ok(Opened {
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
) -> Result<Option<(Overlay, [u8; 32])>> {
    if let Ok(found) = snapshot::read_statuses(store, &moment(lengths, segments), catalog.len()) {
        index.keep(found.places);
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
fn from_snapshot(project: &Project, parts: &[&Part], segments: &[u8; 32]) -> Result<Catalog> {
    let mut found = snapshot::read_columns(&project.store(), segments)?;
    let (frames, revised) = (&mut found.frames, &mut found.revised);
    let cached = &mut |part: &Part| {
        Ok((
            frames.remove(&part.file).unwrap_or_default(),
            revised.remove(&part.file),
        ))
    };
    assemble(project, parts, found.columns, cached)
}

fn write_snapshot(store: &Path, segments: &[u8; 32], catalog: &Catalog) -> Result<()> {
    let frames = catalog.segments().map(|s| (s.file(), s.frames()));
    let revised = catalog
        .revisions()
        .list()
        .iter()
        .map(|r| (r.file(), &r.rows[..]));
    snapshot::write_columns(store, segments, catalog.columns(), frames, revised)
}

/// The catalog from the index, or rebuilt.
fn from_sled(
    project: &Project,
    parts: &[&Part],
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
    let read = |index: &Index| Ok((index.meta()?.segments == segments).then_some(()));
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
            if !empty {
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
    let aside = homes::free(index, "broken");
    std::fs::rename(index, &aside).map_err(|e| Error::io(&e, "cannot be renamed", index))?;
    disk::sync_dir(disk::folder(index))?;
    Ok(aside)
}

/// The catalog from the index, or `None` if the index describes other segments.
fn from_index(
    index: &Index,
    project: &Project,
    parts: &[&Part],
    segments: &[u8; 32],
) -> Result<Option<Catalog>> {
    let meta = index.meta()?;
    if meta.segments != *segments {
        return Ok(None);
    }
    let cached = &mut |part: &Part| Ok((index.frames(&part.file)?, None));
    assemble(project, parts, index.columns(&meta)?, cached).map(Some)
}

/// The cached frames of a segment, and the rows of revised items if the cache has them.
type CachedSegment = (Vec<Frame>, Option<Vec<u32>>);

/// Builds a catalog from columns and the segments of `parts`.
fn assemble(
    project: &Project,
    parts: &[&Part],
    columns: Columns,
    cached: &mut dyn FnMut(&Part) -> Result<CachedSegment>,
) -> Result<Catalog> {
    let mut catalog = Catalog::new(columns);
    for part in parts {
        let (frames, rows) = cached(part)?;
        add(
            &mut catalog,
            part,
            Reader::open(&project.imports().join(&part.file), frames, part.rows)?,
            rows,
        )?;
    }
    if catalog.text_rows() != catalog.len() {
        let what = format!(
            "the columns have {} rows for {} items",
            catalog.len(),
            catalog.text_rows()
        );
        return Err(Error::new(ErrorKind::Corrupt, what).file(project.store()));
    }
    Ok(catalog)
}

/// Digest of the segments that the index must describe.
fn segments<'a>(parts: impl IntoIterator<Item = &'a Part>) -> [u8; 32] {
    digest(parts.into_iter().map(|p| (p.blake3.as_str(), p.rows)))
}

fn describe(segments: [u8; 32], catalog: &Catalog, meta: Meta) -> Meta {
    let names = catalog
        .columns()
        .names
        .iter()
        .map(|n| n.list().len() as u32)
        .collect();
    Meta {
        segments,
        rows: catalog.len() as u64,
        names,
        ..meta
    }
}

/// Adds a segment. `rows` are the rows of revised items, if known.
fn add(catalog: &mut Catalog, part: &Part, reader: Reader, rows: Option<Vec<u32>>) -> Result<()> {
    match &part.holds {
        Holds::Items { .. } => catalog.add_texts(part.clone(), reader),
        Holds::Predictions { .. } => catalog.add_answers(part.clone(), reader),
        Holds::Revisions { rev, keeps, edit } => {
            let rows = match rows {
                Some(rows) => rows,
                None => revised_rows(catalog, &reader)?,
            };
            catalog.add_revision((*rev, *keeps, edit.clone()), rows, reader)?;
        }
    }
    Ok(())
}

/// The rows of the items in a segment of revisions.
fn revised_rows(catalog: &Catalog, reader: &Reader) -> Result<Vec<u32>> {
    let mut rows = Vec::with_capacity(reader.rows() as usize);
    each_item(reader, &mut |item| {
        let unknown = || {
            Error::new(
                ErrorKind::Corrupt,
                format!("the segment revises `{}`, which does not exist", item.id),
            )
        };
        rows.push(
            catalog
                .row_of_hash(id_hash(&item.id))
                .ok_or_else(|| unknown().file(reader.path()))?,
        );
        Ok(())
    })?;
    Ok(rows)
}

/// Calls `each` with every item of a segment.
fn each_item(reader: &Reader, each: &mut dyn FnMut(Item) -> Result<()>) -> Result<()> {
    for frame in 0..reader.frames().len() {
        for line in reader
            .frame(frame)?
            .split(|b| *b == b'\n')
            .filter(|l| !l.is_empty())
        {
            let invalid = |e| {
                Error::new(
                    ErrorKind::Corrupt,
                    format!("cannot parse a stored item: {e}"),
                )
            };
            each(serde_json::from_slice(line).map_err(|e| invalid(e).file(reader.path()))?)?;
        }
    }
    Ok(())
}

/// Writes the whole catalog to the index.
fn write_all(index: &Index, segments: [u8; 32], catalog: &Catalog) -> Result<()> {
    let frames: Vec<_> = catalog
        .segments()
        .map(|s| (s.file().to_string(), s.frames().to_vec()))
        .collect();
    let meta = describe(segments, catalog, index.meta().unwrap_or_default());
    index.write_catalog(catalog, 0, &frames, &meta)
}

/// Rebuilds the catalog from all segments.
fn rebuild(project: &Project, parts: &[&Part]) -> Result<Catalog> {
    let mut columns = Columns::default();
    let mut rows = HashMap::new();
    let mut readers = Vec::new();
    for part in parts {
        let path = project.imports().join(&part.file);
        let reader = Reader::scan(&path, part.rows).map_err(|p| {
            p.help("restore the file from a backup; the manifest lists it as part of the project")
        })?;
        match part.holds {
            Holds::Items { .. } => each_item(&reader, &mut |item| columns.push(&item))?,
            Holds::Predictions { .. } => {}
            Holds::Revisions { .. } => {
                if rows.len() < columns.len() {
                    rows = columns
                        .id_hash
                        .iter()
                        .enumerate()
                        .map(|(row, hash)| (*hash, row))
                        .collect();
                }
                each_item(&reader, &mut |item| match rows.get(&id_hash(&item.id)) {
                    Some(row) => columns.replace(*row, &item),
                    None => Err(Error::new(
                        ErrorKind::Corrupt,
                        format!("the segment revises `{}`, which does not exist", item.id),
                    )
                    .file(reader.path())),
                })?;
            }
        }
        readers.push(reader);
    }
    let mut catalog = Catalog::new(columns);
    for (part, reader) in parts.iter().zip(readers) {
        add(&mut catalog, part, reader, None)?;
    }
    Ok(catalog)
}

/// A finished segment that is not part of the project yet.
#[derive(Debug)]
pub struct Fresh {
    /// Its entry for the manifest.
    pub part: Part,
    pub frames: Vec<Frame>,
    /// The rows of revised items.
    pub rows: Option<Vec<u32>>,
}

/// An import that is in the manifest but not in the index yet.
#[derive(Debug)]
pub struct Recorded {
    /// The catalog including the import.
    pub catalog: Arc<Catalog>,
    segments: [u8; 32],
    frames: Vec<(String, Vec<Frame>)>,
    from: usize,
}

/// Makes an import part of the project: writes the manifest line, then the index. `columns` already
/// include the new items.
///
/// Returns the new catalog, and a notice if the index could not be written. The next start writes
/// it then. On an error, the project is unchanged.
pub fn adopt(
    project: &Project,
    index: &Index,
    old: &Catalog,
    columns: Columns,
    fresh: Vec<Fresh>,
    at: &str,
) -> Result<(Arc<Catalog>, Option<String>)> {
    let recorded = record(project, old, columns, fresh, at)?;
    let notice = enter(project, index, &recorded);
    Ok((recorded.catalog, notice))
}

/// First half of [`adopt`]: writes the manifest line. `columns` already include new and revised
/// items. On an error, the project is unchanged.
pub fn record(
    project: &Project,
    old: &Catalog,
    columns: Columns,
    fresh: Vec<Fresh>,
    at: &str,
) -> Result<Recorded> {
    let manifest = Manifest::for_import(&project.imports())?;
    let n = manifest.number(fresh.iter().map(|f| f.part.file.as_str()));
    let mut catalog = old.with_columns(columns);
    for new in &fresh {
        let path = project.imports().join(&new.part.file);
        let reader = Reader::open(&path, new.frames.clone(), new.part.rows)?;
        add(&mut catalog, &new.part, reader, new.rows.clone())?;
    }
    let old_parts = manifest.entries.iter().flat_map(|e| &e.parts);
    let segments = segments(old_parts.chain(fresh.iter().map(|f| &f.part)));
    let parts = fresh.iter().map(|f| f.part.clone()).collect();
    Manifest::append(
        &project.imports(),
        &Entry {
            v: 1,
            n,
            at: at.to_string(),
            parts,
        },
    )?;
    // Blocks before the first new or revised item do not change.
    let revised = fresh
        .iter()
        .filter_map(|f| f.rows.as_deref()?.iter().min())
        .min();
    let first = revised.map_or(old.len(), |row| old.len().min(*row as usize));
    let frames = fresh.into_iter().map(|f| (f.part.file, f.frames)).collect();
    let from = first / BLOCK_ROWS;
    Ok(Recorded {
        catalog: Arc::new(catalog),
        segments,
        frames,
        from,
    })
}

/// Second half of [`adopt`]: writes the index and the snapshot. Returns a notice if that fails.
pub fn enter(project: &Project, index: &Index, recorded: &Recorded) -> Option<String> {
    let Recorded {
        catalog,
        segments,
        frames,
        from,
    } = recorded;
    let written = index.meta().and_then(|meta| {
        let meta = describe(*segments, catalog, meta);
        index.write_catalog(catalog, *from, frames, &meta)
    });
    // Without the snapshot, the next start reads sled and writes it.
    let _ = write_snapshot(&project.store(), segments, catalog);
    let problem = written.err()?;
    Some(format!(
        "the import is saved, but the store cannot be written ({problem}); it is rebuilt on the next start"
    ))
}

#[cfg(test)]
pub(super) mod tests;
