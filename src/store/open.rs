//! Opening a project's data: from the snapshots where they are current, else from the sled index where it is whole and
//! current, else from the truth.

mod fold_journals;
mod read_only;

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
use super::{layout, snapshot};
use benchtop_files::project::Project;
use benchtop_files::{disk, writable};
pub use fold_journals::{fold_known, followed, journals, lengths, load_ledger, load_pictures};
pub use read_only::open_to_read;

use benchtop_model::{Error, ErrorKind, Item, Result};

/// A project's data, open.
pub struct Opened {
    /// The sled index; it may still be opening.
    pub index: Arc<LazyIndex>,
    /// Items and predictions.
    pub catalog: Arc<Catalog>,
    /// Statuses; whole when `ledger` is there, from the checkpoint otherwise.
    pub overlay: Overlay,
    /// The fold of the journals; `None` when the checkpoint is current and the fold may wait (see [`load_ledger`]).
    pub ledger: Option<Ledger>,
    /// The pictures that were made; there when `ledger` is, which follows from them too.
    pub pictures: Option<Pictures>,
    /// [`Journals::contents`] of the journals that `overlay` says it follows from, to be compared with that of the fold.
    pub contents: [u8; 32],
    /// What a person should know: rebuilt, damaged lines, decisions on items that are gone.
    pub notices: Vec<String>,
}

/// Opens the data of `project`, rebuilding the index where it is missing, damaged or behind. Where the snapshots are
/// current, sled is opened behind what this returns.
///
/// # Errors
/// [`ErrorKind::Corrupt`] when an import's own segment is missing or damaged, [`ErrorKind::Conflict`] when another process has
/// the store open, and the operating system's.
pub fn open(project: &Project) -> Result<Opened> {
    let store = project.store();
    let mut notices = layout::migrate(project)?;
    let manifest = Manifest::read(&project.imports())?;
    manifest.sweep(&project.imports());
    let damaged = |p: &Error| format!("an import is not counted, its line is damaged: {p}");
    notices.extend(manifest.problems.iter().map(damaged));
    notices.extend(unnamed(&manifest));
    let parts: Vec<&Part> = manifest.entries.iter().flat_map(|e| &e.parts).collect();
    let segments = segments(parts.iter().copied());
    let (index, catalog) = match from_snapshot(project, &parts, &segments) {
        Ok(catalog) => {
            Index::free(&project.index())?;
            disk::sweep(&store);
            let catalog = Arc::new(catalog);
            let (project, theirs) = (project.clone(), catalog.clone());
            (
                LazyIndex::spawn(&store, move || beside(&project, segments, &theirs))?,
                catalog,
            )
        }
        Err(problem) => {
            if problem.kind == ErrorKind::Corrupt {
                notices.push(format!("not used: {problem}"));
            }
            let (index, catalog) = from_sled(project, &parts, segments, &mut notices)?;
            disk::sweep(&store);
            // Without it the next opening goes this way again.
            let _ = snap(&store, &segments, &catalog);
            (LazyIndex::here(&store, index), Arc::new(catalog))
        }
    };
    let (lengths, bytes) = fold_journals::lengths(project)?;
    let found = match statuses(&store, &index, &catalog, &segments, &lengths)? {
        // Small journals are compared before anything of them is shown, large ones by the fold behind the first page.
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

/// Journals of this many bytes together are hashed before the first page, which takes some 5 ms.
const COMPARED_FIRST: u64 = 8 << 20;

/// The statuses as their snapshot has them, or as sled has, with the digest of the journals' contents that they follow
/// from; `None` when neither follows journals of these lengths.
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

/// The catalogue as its snapshot has it.
fn from_snapshot(project: &Project, parts: &[&Part], segments: &[u8; 32]) -> Result<Catalog> {
    let mut found = snapshot::read_columns(&project.store(), segments)?;
    let (frames, revised) = (&mut found.frames, &mut found.revised);
    let of = &mut |part: &Part| {
        Ok((
            frames.remove(&part.file).unwrap_or_default(),
            revised.remove(&part.file),
        ))
    };
    assemble(project, parts, found.columns, of)
}

fn snap(store: &Path, segments: &[u8; 32], catalog: &Catalog) -> Result<()> {
    let frames = catalog.segments().map(|s| (s.file(), s.frames()));
    let revised = catalog
        .revisions()
        .list()
        .iter()
        .map(|r| (r.file(), &r.rows[..]));
    snapshot::write_columns(store, segments, catalog.columns(), frames, revised)
}

/// The catalogue as the index has it, or rebuilt.
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

/// Opens the index that belongs to a catalogue known already, and writes it anew where it does not.
fn beside(
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

/// Opens the index and what `read` finds in it: nothing where it is behind; a damaged one is set aside first.
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
            // Without space sled fails in ways that look like damage.
            if let Some(full) = writable::no_space(&store) {
                return Err(full);
            }
            let aside = set_aside(&path)?;
            notices.push(format!(
                "{} ({problem}); the old one is {}",
                rebuilt("was damaged"),
                aside.display()
            ));
            Ok((Index::open(&path)?, None))
        }
        Ok((index, None)) => {
            if !empty {
                notices.push(rebuilt(if existed { "was behind" } else { "was missing" }));
            }
            Ok((index, None))
        }
        opened => opened,
    }
}

/// What a person should know of segments that no line of the manifest names.
fn unnamed(manifest: &Manifest) -> Option<String> {
    let orphans = manifest.orphans();
    let first = orphans.first()?;
    let more = if orphans.len() > 1 {
        format!(" and {} more", orphans.len() - 1)
    } else {
        String::new()
    };
    Some(format!(
        "imports/{first}{more}: no line of the manifest names it; `benchtop recover` takes it back in"
    ))
}

fn rebuilt(why: &str) -> String {
    format!("the index {why}: it was rebuilt from imports/ and sessions/")
}

/// Renames the folder of a damaged index, so that nothing is lost that somebody may want to look at.
fn set_aside(index: &Path) -> Result<PathBuf> {
    let aside = layout::free(index, "broken");
    std::fs::rename(index, &aside).map_err(|e| Error::io(&e, "cannot be set aside", index))?;
    disk::sync_dir(disk::folder(index))?;
    Ok(aside)
}

/// The catalogue as the index has it; `None` when the index does not describe these parts.
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
    let of = &mut |part: &Part| Ok((index.frames(&part.file)?, None));
    assemble(project, parts, index.columns(&meta)?, of).map(Some)
}

/// What a cache holds of a segment: its frames, and the rows of revised items where it knows them.
type Held = (Vec<Frame>, Option<Vec<u32>>);

/// A catalogue of these columns over the segments of `parts`.
fn assemble(
    project: &Project,
    parts: &[&Part],
    columns: Columns,
    of: &mut dyn FnMut(&Part) -> Result<Held>,
) -> Result<Catalog> {
    let mut catalog = Catalog::new(columns);
    for part in parts {
        let (frames, rows) = of(part)?;
        add(
            &mut catalog,
            part,
            Reader::open(&project.imports().join(&part.file), frames, part.rows)?,
            rows,
        )?;
    }
    if catalog.text_rows() != catalog.len() {
        let what = format!(
            "{} rows of columns for {} items",
            catalog.len(),
            catalog.text_rows()
        );
        return Err(Error::new(ErrorKind::Corrupt, what).file(project.store()));
    }
    Ok(catalog)
}

/// What the index must describe.
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

/// Adds a segment; `rows` are those of revised items, when they are known.
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

/// The rows of the items in a segment of revisions, by their ids.
fn revised_rows(catalog: &Catalog, reader: &Reader) -> Result<Vec<u32>> {
    let mut rows = Vec::with_capacity(reader.rows() as usize);
    each_item(reader, &mut |item| {
        let none = || {
            Error::new(
                ErrorKind::Corrupt,
                format!("it revises {}, which is not there", item.id),
            )
        };
        rows.push(
            catalog
                .row_of_hash(id_hash(&item.id))
                .ok_or_else(|| none().file(reader.path()))?,
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
            let unreadable = |e| {
                Error::new(
                    ErrorKind::Corrupt,
                    format!("a stored item cannot be read: {e}"),
                )
            };
            each(serde_json::from_slice(line).map_err(|e| unreadable(e).file(reader.path()))?)?;
        }
    }
    Ok(())
}

/// Writes all of the catalogue to the index.
fn write_all(index: &Index, segments: [u8; 32], catalog: &Catalog) -> Result<()> {
    let frames: Vec<_> = catalog
        .segments()
        .map(|s| (s.file().to_string(), s.frames().to_vec()))
        .collect();
    let meta = describe(segments, catalog, index.meta().unwrap_or_default());
    index.write_catalog(catalog, 0, &frames, &meta)
}

/// Reads every segment.
fn rebuild(project: &Project, parts: &[&Part]) -> Result<Catalog> {
    let mut columns = Columns::default();
    let mut rows = HashMap::new();
    let mut readers = Vec::new();
    for part in parts {
        let path = project.imports().join(&part.file);
        let reader = Reader::scan(&path, part.rows).map_err(|p| {
            p.help("put the file back from a copy; the manifest names it as part of the project")
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
                        format!("it revises {}, which is not there", item.id),
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

/// A segment that was finished and waits to become part of the project.
#[derive(Debug)]
pub struct Fresh {
    /// What the manifest will say.
    pub part: Part,
    /// Its frames.
    pub frames: Vec<Frame>,
    /// For revised items: their rows.
    pub rows: Option<Vec<u32>>,
}

/// An import that is part of the project and not yet in the index.
#[derive(Debug)]
pub struct Recorded {
    /// The catalogue with it.
    pub catalog: Arc<Catalog>,
    segments: [u8; 32],
    frames: Vec<(String, Vec<Frame>)>,
    from: usize,
}

/// Makes an import part of the project: one manifest line, then the index. `columns` already hold the new items.
///
/// Gives the new catalogue, and a notice when the import is in but the index could not be written (the next opening
/// writes it).
///
/// # Errors
/// The operating system's; then the project is as it was.
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

/// The first half of [`adopt`]: the manifest line. `columns` already hold new and revised items.
///
/// # Errors
/// The operating system's; then the project is as it was.
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
    // Blocks before the first item that is new or revised stay as they are.
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

/// The second half of [`adopt`]: index and snapshot. Gives a notice when they could not be written.
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
    // Without it the next opening reads sled, and writes it.
    let _ = snap(&project.store(), segments, catalog);
    let problem = written.err()?;
    Some(format!(
        "the import is in, but the store could not be written ({problem}); opening again rebuilds it"
    ))
}

#[cfg(test)]
pub(super) mod tests;
