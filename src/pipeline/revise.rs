//! Later texts of items on their way into the project: a segment of items under ids that are there already.

use benchtop_files::project::Project;
use benchtop_model::edit::EditMark;
use benchtop_model::{Item, Result};
use benchtop_store::columns::Columns;
use benchtop_store::manifest::{Holds, Manifest, Part};
use benchtop_store::open::Fresh;
use benchtop_store::segment::Writer;

/// Items written again, waiting to become part of the project.
pub struct Revised {
    /// The columns with them.
    pub columns: Columns,
    /// Segments and their rows: what reads differently, then what reads the same.
    pub fresh: Vec<Fresh>,
    /// Rows whose verdicts no longer count.
    pub changed: Vec<u32>,
    /// Rows whose verdicts count all the same.
    pub kept: Vec<u32>,
    /// Who wrote them by hand.
    pub edit: Option<EditMark>,
}

impl Revised {
    /// The segments under revision `rev` of the project.
    pub fn under(mut self, rev: u64) -> (Columns, Vec<Fresh>) {
        for fresh in &mut self.fresh {
            if let Holds::Revisions { rev: at, edit, .. } = &mut fresh.part.holds {
                (*at, *edit) = (rev, self.edit.clone());
            }
        }
        (self.columns, self.fresh)
    }
}

/// Items on their way into one segment.
pub struct Batch<'p> {
    project: &'p Project,
    name: &'static str,
    dry: bool,
    /// Number of the import that it is of.
    n: u64,
    writer: Option<Writer>,
    /// Their rows.
    pub rows: Vec<u32>,
}

impl<'p> Batch<'p> {
    /// None yet; with `dry` none is ever written. The segment's file is called after `name`.
    ///
    /// # Errors
    /// When nothing can be brought in now.
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
    /// The operating system's.
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

    /// The finished segment, if there is anything in it: whether verdicts count all the same, and where it is from.
    ///
    /// # Errors
    /// The operating system's.
    pub fn part(self, keeps: bool, source: &str) -> Result<Option<Fresh>> {
        let Some(writer) = self.writer else {
            return Ok(None);
        };
        let file = format!(
            "{:04}-{}-{}.jsonl.zst",
            self.n,
            if keeps { "02" } else { "01" },
            self.name
        );
        let done = writer.finish(&file)?;
        let part = Part {
            file,
            // Both are known once it becomes part of the project.
            holds: Holds::Revisions {
                rev: 0,
                keeps,
                edit: None,
            },
            rows: done.rows,
            duplicates: 0,
            bytes: done.bytes,
            blake3: done.blake3,
            source: source.into(),
            source_blake3: String::new(),
        };
        Ok(Some(Fresh {
            part,
            frames: done.frames,
            rows: Some(self.rows),
        }))
    }
}
