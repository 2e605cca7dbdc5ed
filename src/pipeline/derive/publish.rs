//! Makes derived items part of the project, a segment for each data set.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use benchtop_files::project::Project;
use benchtop_model::{Error, Item, Result};
use benchtop_store::Catalog;
use benchtop_store::columns::Columns;
use benchtop_store::index::Index;
use benchtop_store::manifest::{Content, Manifest};
use benchtop_store::segment::Writer;

use crate::new_segments::NewSegments;

/// What became part of the project.
#[derive(Default)]
pub struct Published {
    /// The new catalog; `None` if all items exist already.
    pub catalog: Option<Arc<Catalog>>,
    /// Number of new items.
    pub items: u64,
    /// Positions in the plan of sources that changed since.
    pub changed: BTreeSet<usize>,
    /// A notice if the index could not be written.
    pub notice: Option<String>,
}

/// Derived items that are about to become part of the project. Without
/// [`finish`](DerivedItems::finish), the project is unchanged.
pub(crate) struct DerivedItems<'p> {
    project: &'p Project,
    catalog: &'p Catalog,
    segments: NewSegments,
    columns: Columns,
    /// By data set.
    writers: BTreeMap<String, Writer>,
    published: Published,
}

impl<'p> DerivedItems<'p> {
    /// # Errors
    /// A manifest that cannot be read.
    pub(crate) fn new(project: &'p Project, catalog: &'p Catalog) -> Result<DerivedItems<'p>> {
        let manifest = Manifest::for_import(&project.imports())?;
        Ok(DerivedItems {
            project,
            catalog,
            segments: NewSegments::new(project, &manifest),
            columns: catalog.columns().clone(),
            writers: BTreeMap::new(),
            published: Published::default(),
        })
    }

    /// Leaves out the items of a source that changed since it was planned.
    pub(crate) fn leave_out(&mut self, n: usize) {
        self.published.changed.insert(n);
    }

    /// Adds an item. One that exists is left as it is.
    ///
    /// # Errors
    /// If a write fails.
    pub(crate) fn push(&mut self, item: &Item) -> Result<()> {
        if self.catalog.row_of(&item.id)?.is_some() {
            return Ok(());
        }
        self.columns.push(item)?;
        let line =
            serde_json::value::to_raw_value(item).map_err(|e| Error::failed(e.to_string()))?;
        if !self.writers.contains_key(&item.dataset) {
            let writer = Writer::create(&self.project.imports())?;
            self.writers.insert(item.dataset.clone(), writer);
        }
        match self.writers.get_mut(&item.dataset) {
            Some(writer) => writer.push(&line),
            None => Ok(()),
        }
    }

    /// Ends the segments, so that the items after it come into others.
    ///
    /// # Errors
    /// If a write fails.
    pub(crate) fn end_segments(&mut self) -> Result<()> {
        for (dataset, writer) in std::mem::take(&mut self.writers) {
            self.published.items += writer.rows;
            let source = format!("derived by benchtop: {dataset}");
            self.segments
                .push(writer, Content::Items { dataset }, source)?;
        }
        Ok(())
    }

    /// Makes the items part of the project.
    ///
    /// # Errors
    /// If a write fails. Then the project is unchanged.
    pub(crate) fn finish(mut self, index: &Index, at: &str) -> Result<Published> {
        self.end_segments()?;
        let mut published = self.published;
        if published.items > 0 {
            let added = self
                .segments
                .add(self.project, index, self.catalog, self.columns, at)?;
            (published.catalog, published.notice) = (Some(added.0), added.1);
        }
        Ok(published)
    }
}
