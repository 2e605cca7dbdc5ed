//! Items that were written again: later texts of rows that are there already.
//!
//! A row keeps its number and its id. What was said of the earlier text no longer counts, unless the revision says
//! that nothing a person sees has changed.

use std::collections::HashMap;
use std::sync::Arc;

use super::segment::Reader;
use benchtop_model::edit::EditMark;
use benchtop_model::{Error, ErrorKind, Result};

/// One segment of revised items.
#[derive(Clone, Debug)]
pub struct Revision {
    /// Revision of the project it is: verdicts before it are on the earlier texts.
    pub rev: u64,
    /// Verdicts before it count all the same.
    pub keeps: bool,
    /// Who wrote it by hand.
    pub edit: Option<EditMark>,
    /// The rows of its items, in the order of the segment.
    pub rows: Arc<Vec<u32>>,
    pub(super) reader: Arc<Reader>,
}

impl Revision {
    /// Its file below `imports/`.
    pub fn file(&self) -> &str {
        self.reader.file()
    }
}

/// All revisions of a catalogue, in order.
#[derive(Clone, Debug, Default)]
pub struct Revisions {
    list: Vec<Revision>,
    /// Where the current text of a row is: position in `list`, and in its segment.
    current: Arc<HashMap<u32, (u32, u32)>>,
}

impl Revisions {
    /// Adds a segment; `rows` are those of its items, in order, all of them below `items`.
    ///
    /// # Errors
    /// [`ErrorKind::Corrupt`] when the rows are not as many as the segment has, or there is no such row.
    pub fn add(
        &mut self,
        (rev, keeps, edit): (u64, bool, Option<EditMark>),
        rows: Vec<u32>,
        reader: Reader,
        items: usize,
    ) -> Result<()> {
        if rows.len() as u64 != reader.rows() || rows.iter().any(|r| *r as usize >= items) {
            return Err(Error::new(
                ErrorKind::Corrupt,
                "a revision is of items that are not there",
            )
            .file(reader.path()));
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

    /// The revisions, in order.
    pub fn list(&self) -> &[Revision] {
        &self.list
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Revision of the project that the last one is; 0 for none.
    pub fn last(&self) -> u64 {
        self.list.iter().map(|r| r.rev).max().unwrap_or(0)
    }

    /// Where the text of a row is, when it was revised: position in [`list`](Self::list), frame, line in the frame.
    pub(super) fn locate(&self, row: usize) -> Option<(usize, usize, usize)> {
        if self.list.is_empty() {
            return None;
        }
        let (at, local) = self.current.get(&u32::try_from(row).ok()?)?;
        self.place(*at as usize, *local as usize)
    }

    /// The same of the text that a row had at revision `rev` of the project; none for the first.
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
        let frame_rows = self.list.get(at)?.reader.frame_rows();
        Some((at, local / frame_rows, local % frame_rows))
    }
}
