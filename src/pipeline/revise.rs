//! Revisions of items before they become part of the project: segments of items with existing ids.

use benchtop_files::project::Project;
use benchtop_model::edit::EditMark;
use benchtop_model::{Item, Result};
use benchtop_store::columns::Columns;
use benchtop_store::manifest::{Content, Manifest};
use benchtop_store::open::FinishedSegment;
use benchtop_store::segment::Writer;

/// Revised items, ready to become part of the project.
pub struct Revised {
    /// The columns with the revised items.
    pub columns: Columns,
    /// Segments and their rows: changed texts first, then unchanged ones.
    pub fresh: Vec<FinishedSegment>,
    /// Rows whose verdicts no longer count.
    pub changed: Vec<u32>,
    /// Rows whose verdicts still count.
    pub kept: Vec<u32>,
    /// The author of a manual edit.
    pub edit: Option<EditMark>,
}

impl Revised {
    /// The segments, with revision `rev` of the project.
    pub fn under(mut self, rev: u64) -> (Columns, Vec<FinishedSegment>) {
        for fresh in &mut self.fresh {
            if let Content::Revisions { rev: at, edit, .. } = &mut fresh.part.holds {
                (*at, *edit) = (rev, self.edit.clone());
            }
        }
        (self.columns, self.fresh)
    }
}

/// Items being written to one segment.
pub struct Batch<'p> {
    project: &'p Project,
    name: &'static str,
    dry: bool,
    /// Number of its import.
    n: u64,
    writer: Option<Writer>,
    /// Rows of the items.
    pub rows: Vec<u32>,
}

impl<'p> Batch<'p> {
    /// An empty batch. With `dry` nothing is written. The segment's file is named after `name`.
    ///
    /// # Errors
    ///
    /// If nothing can be imported now.
    pub fn new(project: &'p Project, name: &'static str, dry: bool) -> Result<Batch<'p>> {
        let manifest = Manifest::read(&project.imports())?;
        if !dry {
            manifest.writable()?;
        }
        Ok(Batch {
            project,
            name,
            dry,
            n: manifest.next(),
            writer: None,
            rows: Vec::new(),
        })
    }

    /// Adds the item in `row`.
    ///
    /// # Errors
    ///
    /// If a write fails.
    pub fn push(&mut self, row: u32, item: &Item) -> Result<()> {
        self.rows.push(row);
        if self.dry {
            return Ok(());
        }
        let writer = match &mut self.writer {
            Some(writer) => writer,
            None => self.writer.insert(Writer::create(&self.project.imports())?),
        };
        writer.push(item)
    }

    /// Finishes the segment, unless it is empty. `keeps` says whether verdicts still count, and
    /// `source` is recorded.
    ///
    /// # Errors
    ///
    /// If a write fails.
    pub fn finish(self, keeps: bool, source: &str) -> Result<Option<FinishedSegment>> {
        let Some(writer) = self.writer else {
            return Ok(None);
        };
        let file = format!(
            "{:04}-{}-{}.jsonl.zst",
            self.n,
            if keeps { "02" } else { "01" },
            self.name
        );
        // Both are known once it becomes part of the project.
        let (rev, edit) = (0, None);
        let holds = Content::Revisions { rev, keeps, edit };
        let mut made = FinishedSegment::finish(writer, file, holds, source.into())?;
        made.rows = Some(self.rows);
        Ok(Some(made))
    }
}
