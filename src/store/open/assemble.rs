//! Builds the catalog from segments and cached columns.

use std::collections::HashMap;

use crate::catalog::{self, Catalog};
use crate::columns::{Columns, id_hash};
use crate::index::{Index, Meta, digest};
use crate::manifest::{Content, Segment};
use crate::segment::{Frame, Reader};
use benchtop_files::project::Project;
use benchtop_model::{Error, Item, Result};

/// The cached frames of a segment, and the rows of revised items if the cache has them.
pub(super) type CachedSegment = (Vec<Frame>, Option<Vec<u32>>);

/// Builds a catalog from columns and the segments of `parts`.
pub(super) fn assemble(
    project: &Project,
    parts: &[&Segment],
    columns: Columns,
    cached: &mut dyn FnMut(&Segment) -> Result<CachedSegment>,
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
        return Err(Error::corrupt(what).file(project.store()));
    }
    Ok(catalog)
}

/// Digest of the segments that the index must describe.
pub(super) fn segments<'a>(parts: impl IntoIterator<Item = &'a Segment>) -> [u8; 32] {
    digest(parts.into_iter().map(|p| (p.blake3.as_str(), p.rows)))
}

pub(super) fn describe(segments: [u8; 32], catalog: &Catalog, meta: Meta) -> Meta {
    let names = catalog
        .columns()
        .names
        .iter()
        .map(|n| n.names.len() as u32)
        .collect();
    Meta {
        segments,
        rows: catalog.len() as u64,
        names,
        ..meta
    }
}

/// Adds a segment. `rows` are the rows of revised items, if known.
pub(super) fn add(
    catalog: &mut Catalog,
    part: &Segment,
    reader: Reader,
    rows: Option<Vec<u32>>,
) -> Result<()> {
    match &part.holds {
        Content::Items { .. } => catalog.add_texts(part.clone(), reader),
        Content::Predictions { .. } => catalog.add_answers(part.clone(), reader),
        Content::Revisions { rev, keeps, edit } => {
            let rows = match rows {
                Some(rows) => rows,
                None => revised_rows(catalog, &reader)?,
            };
            catalog.add_revision((*rev, *keeps, edit.clone()), rows, reader)?;
        }
    }
    Ok(())
}

fn unknown(item: &Item, reader: &Reader) -> Error {
    let what = format!("the segment revises `{}`, which does not exist", item.id);
    Error::corrupt(what).file(&reader.path)
}

/// The rows of the items in a segment of revisions.
fn revised_rows(catalog: &Catalog, reader: &Reader) -> Result<Vec<u32>> {
    let mut rows = Vec::with_capacity(reader.rows as usize);
    each_item(reader, &mut |item| {
        let row = catalog.row_of_hash(id_hash(&item.id));
        rows.push(row.ok_or_else(|| unknown(&item, reader))?);
        Ok(())
    })?;
    Ok(rows)
}

/// Calls `each` with every item of a segment.
fn each_item(reader: &Reader, each: &mut dyn FnMut(Item) -> Result<()>) -> Result<()> {
    for frame in 0..reader.frames.len() {
        for line in reader
            .frame(frame)?
            .split(|b| *b == b'\n')
            .filter(|l| !l.is_empty())
        {
            each(catalog::parse(line).map_err(|problem| problem.file(&reader.path))?)?;
        }
    }
    Ok(())
}

/// Writes the whole catalog to the index.
pub(super) fn write_all(index: &Index, segments: [u8; 32], catalog: &Catalog) -> Result<()> {
    let frames: Vec<_> = catalog
        .segments()
        .map(|s| (s.file().to_string(), s.frames.to_vec()))
        .collect();
    let meta = describe(segments, catalog, index.meta().unwrap_or_default());
    index.write_catalog(catalog, 0, &frames, &meta)
}

/// Rebuilds the catalog from all segments.
pub(super) fn rebuild(project: &Project, parts: &[&Segment]) -> Result<Catalog> {
    let mut columns = Columns::default();
    let mut rows = HashMap::new();
    let mut readers = Vec::new();
    for part in parts {
        let path = project.imports().join(&part.file);
        let reader = Reader::scan(&path, part.rows).map_err(|p| {
            p.help("restore the file from a backup; the manifest lists it as part of the project")
        })?;
        match part.holds {
            Content::Items { .. } => each_item(&reader, &mut |item| columns.push(&item))?,
            Content::Predictions { .. } => {}
            Content::Revisions { .. } => {
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
                    None => Err(unknown(&item, &reader)),
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
