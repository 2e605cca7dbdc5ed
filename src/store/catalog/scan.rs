//! Sequential reads of the items of a catalog.

use super::{Catalog, TakeText, line_of, start_of};
use benchtop_model::Result;

impl Catalog {
    /// The JSON lines of the items from `row` to the end of its frame, each with a newline, and the
    /// row after them. Meant for sequential reads, so nothing is cached.
    ///
    /// # Errors
    /// [`benchtop_model::ErrorKind::NotFound`] and [`benchtop_model::ErrorKind::Corrupt`].
    pub fn chunk(&self, row: usize) -> Result<(Vec<u8>, usize)> {
        let (segment, frame, within) = self.locate(row)?;
        let reader = &self.texts[segment].reader;
        let bytes = reader.frame(frame)?;
        let start = start_of(&bytes, within);
        let in_frame = (reader.rows as usize - frame * reader.frame_rows).min(reader.frame_rows);
        let rest = if start == 0 {
            bytes
        } else {
            bytes[start..].to_vec()
        };
        let next = row - within + in_frame;
        Ok((self.with_revisions(rest, row..next)?, next))
    }

    /// Replaces the lines of revised rows with their current text.
    fn with_revisions(&self, lines: Vec<u8>, rows: std::ops::Range<usize>) -> Result<Vec<u8>> {
        if rows.clone().all(|row| self.revisions.locate(row).is_none()) {
            return Ok(lines);
        }
        let mut out = Vec::with_capacity(lines.len());
        for (row, line) in rows.zip(lines.split(|b| *b == b'\n')) {
            match self.revisions.locate(row) {
                Some(_) => out.extend_from_slice(self.line(row)?.as_bytes()),
                None => out.extend_from_slice(line),
            }
            out.push(b'\n');
        }
        Ok(out)
    }

    /// Calls `each` with the JSON of `rows`, which must be in ascending order. Each frame is read
    /// once.
    ///
    /// # Errors
    /// [`benchtop_model::ErrorKind::Corrupt`] if the texts are damaged, and errors of `each`.
    pub fn each_of(
        &self,
        rows: &[u32],
        each: &mut dyn FnMut(u32, &[u8]) -> Result<()>,
    ) -> Result<()> {
        let mut wanted = rows.iter().copied().peekable();
        while let Some(&first) = wanted.peek() {
            let start = first as usize;
            let (bytes, next) = self.chunk(start)?;
            for (row, line) in (first..next as u32).zip(bytes.split(|b| *b == b'\n')) {
                if wanted.next_if_eq(&row).is_some() {
                    each(row, line)?;
                }
            }
        }
        Ok(())
    }

    /// Calls `each` with the row and JSON of each item from `row` on, until it returns false.
    ///
    /// # Errors
    /// [`benchtop_model::ErrorKind::Corrupt`], and errors of `each`.
    pub fn each_line(
        &self,
        mut row: usize,
        each: &mut dyn FnMut(usize, &[u8]) -> Result<bool>,
    ) -> Result<()> {
        while row < self.len() {
            let (bytes, next) = self.chunk(row)?;
            for (at, line) in bytes.split(|b| *b == b'\n').take(next - row).enumerate() {
                if !each(row + at, line)? {
                    return Ok(());
                }
            }
            row = next;
        }
        Ok(())
    }

    /// Calls `each` with every text of the revised items, oldest first for each row. Revisions
    /// without a visible change are skipped.
    ///
    /// # Errors
    /// [`benchtop_model::ErrorKind::Corrupt`], and errors of `each`.
    pub fn each_text_of_revised(&self, each: TakeText<'_>) -> Result<()> {
        let visible = || {
            self.revisions
                .list
                .iter()
                .filter(|revision| !revision.keeps)
        };
        let mut rows: Vec<u32> = visible()
            .flat_map(|revision| revision.rows.iter().copied())
            .collect();
        rows.sort_unstable();
        rows.dedup();
        for row in rows {
            let (segment, frame, within) = self.locate(row as usize)?;
            let bytes = self.frame(segment, frame)?;
            each(
                row,
                self.texts[segment].reader.file(),
                line_of(&bytes, within),
            )?;
        }
        for revision in visible() {
            let mut rows = revision.rows.iter();
            for frame in 0..revision.reader.frames.len() {
                let bytes = revision.reader.frame(frame)?;
                let lines = bytes.split(|b| *b == b'\n').filter(|line| !line.is_empty());
                lines
                    .zip(rows.by_ref())
                    .try_for_each(|(line, row)| each(*row, revision.file(), line))?;
            }
        }
        Ok(())
    }
}
