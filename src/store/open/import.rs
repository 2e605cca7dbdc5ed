//! Adds an import to the project: first to the manifest, then to the index.

use std::sync::Arc;

use super::assemble::{add, describe, segments};
use super::write_snapshot;
use crate::catalog::Catalog;
use crate::columns::{COLUMN_ROWS, Columns};
use crate::index::Index;
use crate::manifest::{self, Content, Entry, Manifest, Segment};
use crate::segment::{Frame, Reader, Writer};
use benchtop_files::project::Project;
use benchtop_model::Result;

/// A finished segment that is not part of the project yet.
#[derive(Debug)]
pub struct FinishedSegment {
    /// Its entry for the manifest.
    pub part: Segment,
    pub frames: Vec<Frame>,
    /// The rows of revised items.
    pub rows: Option<Vec<u32>>,
}

impl FinishedSegment {
    /// Finishes a segment as `file`. Its source is not a file, so it has neither a hash nor
    /// duplicates.
    pub fn finish(
        writer: Writer,
        file: String,
        holds: Content,
        source: String,
    ) -> Result<FinishedSegment> {
        let done = writer.finish(&file)?;
        let part = Segment {
            file,
            holds,
            rows: done.rows,
            duplicates: 0,
            bytes: done.bytes,
            blake3: done.blake3,
            source,
            source_blake3: String::new(),
        };
        Ok(FinishedSegment {
            part,
            frames: done.frames,
            rows: None,
        })
    }
}

/// An import that is in the manifest but not in the index yet.
#[derive(Debug)]
pub struct RecordedImport {
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
/// it then. On an error, the segments are removed and the project is unchanged.
pub fn add_import(
    project: &Project,
    index: &Index,
    old: &Catalog,
    columns: Columns,
    fresh: Vec<FinishedSegment>,
    at: &str,
) -> Result<(Arc<Catalog>, Option<String>)> {
    let files: Vec<String> = fresh.iter().map(|f| f.part.file.clone()).collect();
    let recorded = record(project, old, columns, fresh, at).inspect_err(|_| {
        manifest::remove_segments(&project.imports(), files.iter().map(String::as_str));
    })?;
    let notice = index_import(project, index, &recorded);
    Ok((recorded.catalog, notice))
}

/// First half of [`adopt`]: writes the manifest line. `columns` already include new and revised
/// items. On an error, the project is unchanged.
pub fn record(
    project: &Project,
    old: &Catalog,
    columns: Columns,
    fresh: Vec<FinishedSegment>,
    at: &str,
) -> Result<RecordedImport> {
    let manifest = Manifest::for_import(&project.imports())?;
    let n = manifest.number_for(fresh.iter().map(|f| f.part.file.as_str()));
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
    let from = first / COLUMN_ROWS;
    Ok(RecordedImport {
        catalog: Arc::new(catalog),
        segments,
        frames,
        from,
    })
}

/// Second half of [`adopt`]: writes the index and the snapshot. Returns a notice if that fails.
pub fn index_import(project: &Project, index: &Index, recorded: &RecordedImport) -> Option<String> {
    let RecordedImport {
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
