//! Revised items: later texts of existing rows.
//!
//! A row keeps its number and its id. Verdicts on the earlier text no longer count, unless the
//! revision keeps them because nothing visible changed.

use std::collections::HashMap;
use std::sync::Arc;

use super::segment::Reader;
use benchtop_model::edit::EditMark;
use benchtop_model::{Error, Result};

/// One segment of revised items.
#[derive(Clone, Debug)]
pub struct Revision {
    /// Revision of the project. Verdicts below it are on earlier texts.
    pub rev: u64,
    /// Whether earlier verdicts still count.
    pub keeps: bool,
    /// The author, if a person edited the text.
    pub edit: Option<EditMark>,
    /// Rows of the items, in segment order.
    pub rows: Arc<Vec<u32>>,
    pub(super) reader: Arc<Reader>,
}

impl Revision {
    /// File name below `imports/`.
    pub fn file(&self) -> &str {
        self.reader.file()
    }
}

/// All revisions of a catalog, in order.
#[derive(Clone, Debug, Default)]
pub struct Revisions {
    pub list: Vec<Revision>,
    /// The current text of each revised row: index in `list`, and index in that segment.
    current: Arc<HashMap<u32, (u32, u32)>>,
}

impl Revisions {
    /// Adds a segment. `rows` are the rows of its items, in order. All must be below `items`.
    ///
    /// # Errors
    /// [`Error::corrupt`] if the number of rows differs from the segment's, or a row does not
    /// exist.
    pub fn add(
        &mut self,
        (rev, keeps, edit): (u64, bool, Option<EditMark>),
        rows: Vec<u32>,
        reader: Reader,
        items: usize,
    ) -> Result<()> {
        if rows.len() as u64 != reader.rows || rows.iter().any(|r| *r as usize >= items) {
            return Err(
                Error::corrupt("the revision names items that do not exist").file(&reader.path)
            );
        }
        let at = self.list.len() as u32;
        let current = Arc::make_mut(&mut self.current);
        current.extend(
            rows.iter()
                .enumerate()
                .map(|(local, row)| (*row, (at, local as u32))),
        );
        self.list.push(Revision {
            rev,
            keeps,
            edit,
            rows: Arc::new(rows),
            reader: Arc::new(reader),
        });
        Ok(())
    }

    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Revision of the project of the last entry, or 0.
    pub fn last(&self) -> u64 {
        self.list.iter().map(|r| r.rev).max().unwrap_or(0)
    }

    /// Location of the current text of a revised row: index in [`list`](Self::list), frame, and
    /// line in the frame.
    pub(super) fn locate(&self, row: usize) -> Option<(usize, usize, usize)> {
        if self.list.is_empty() {
            return None;
        }
        let (at, local) = self.current.get(&u32::try_from(row).ok()?)?;
        self.place(*at as usize, *local as usize)
    }

    /// Location of the text that a row had at revision `rev` of the project, or `None` for the
    /// original text.
    pub(super) fn locate_at(&self, row: u32, rev: u64) -> Option<(usize, usize, usize)> {
        let had = self
            .list
            .iter()
            .enumerate()
            .rev()
            .filter(|(_, revision)| revision.rev <= rev);
        let (at, local) = had
            .filter_map(|(at, revision)| Some((at, revision.rows.iter().position(|r| *r == row)?)))
            .next()?;
        self.place(at, local)
    }

    fn place(&self, at: usize, local: usize) -> Option<(usize, usize, usize)> {
        let frame_rows = self.list.get(at)?.reader.frame_rows;
        Some((at, local / frame_rows, local % frame_rows))
    }
}
