//! Segments that are not part of the project yet.

use std::path::PathBuf;
use std::sync::Arc;

use benchtop_files::project::Project;
use benchtop_model::Result;
use benchtop_store::Catalog;
use benchtop_store::columns::Columns;
use benchtop_store::index::Index;
use benchtop_store::manifest::{self, Content, Manifest, Segment};
use benchtop_store::open::{FinishedSegment, add_import};
use benchtop_store::segment::Writer;

/// The segments of an import so far. They are removed unless they become part of the project.
pub struct NewSegments {
    imports: PathBuf,
    /// The number of the import.
    n: u64,
    pub fresh: Vec<FinishedSegment>,
}

impl NewSegments {
    /// The import that follows those in the manifest.
    pub fn new(project: &Project, manifest: &Manifest) -> NewSegments {
        NewSegments {
            imports: project.imports(),
            n: manifest.next(),
            fresh: Vec::new(),
        }
    }

    /// Finishes a segment, and returns its manifest entry.
    ///
    /// # Errors
    ///
    /// If a write fails.
    pub fn push(&mut self, writer: Writer, holds: Content, source: String) -> Result<&mut Segment> {
        let word = match holds {
            Content::Items { .. } => "items",
            Content::Predictions { .. } | Content::Revisions { .. } => "answers",
        };
        let number = self.fresh.len() + 1;
        let file = format!("{:04}-{number:02}-{word}.jsonl.zst", self.n);
        let made = FinishedSegment::finish(writer, file, holds, source)?;
        self.fresh.push(made);
        Ok(&mut self.fresh[number - 1].part)
    }

    /// Makes the segments part of the project. Returns the new catalog, and a notice if the index
    /// could not be written.
    ///
    /// # Errors
    ///
    /// If a write fails. Then the project is unchanged.
    pub fn add(
        mut self,
        project: &Project,
        index: &Index,
        catalog: &Catalog,
        columns: Columns,
        at: &str,
    ) -> Result<(Arc<Catalog>, Option<String>)> {
        // From here on they belong to the manifest, or are removed if its line is not written.
        let fresh = std::mem::take(&mut self.fresh);
        add_import(project, index, catalog, columns, fresh, at)
    }
}

impl Drop for NewSegments {
    fn drop(&mut self) {
        let files = self.fresh.iter().map(|fresh| fresh.part.file.as_str());
        manifest::remove_segments(&self.imports, files);
    }
}
