//! All searchable text in memory, in lower case and laid out for scanning.
//!
//! Text is stored in chunks. Appending never copies existing text and wastes no capacity on growth.
//! A chunk is also the unit of work, cancellation, and memory locality in [`search`](crate::search).

use std::ops::Range;

use benchtop_model::{Error, Item, Result};

/// Size in bytes at which a chunk is full. Scanning it takes less than a millisecond.
const CHUNK: usize = 256 * 1024;

/// Searchable text of rows 0, 1, 2, and so on, in lower case. Uses 12 bytes per row besides the
/// text.
#[derive(Debug, Default)]
pub struct Arena {
    chunks: Vec<Chunk>,
    rows: u32,
}

/// A run of consecutive rows. Rows are separated by NUL, which neither a row nor a query contains,
/// so a search over the run cannot match across rows.
#[derive(Debug, Default)]
pub(super) struct Chunk {
    pub(super) first: u32,
    text: String,
    /// End of each row's text. The next row starts one byte later.
    ends: Vec<u32>,
    /// Characters in each row; see [`mask`].
    masks: Vec<u64>,
}

impl Arena {
    pub fn new() -> Arena {
        Arena::default()
    }

    /// An arena of rows numbered 0, 1, 2, and so on.
    pub fn from_rows<'t>(rows: impl IntoIterator<Item = (u32, &'t str)>) -> Result<Arena> {
        let mut arena = Arena::new();
        for (row, text) in rows {
            arena.push(row, text)?;
        }
        arena.shrink();
        Ok(arena)
    }

    /// Appends a row. `row` must be the next number. Control characters become spaces, so fields
    /// can be joined by line feeds.
    ///
    /// # Errors
    /// [`Error::conflict`] if `row` is not [`rows`](Self::rows), since items would get the text
    /// of others. [`Error::input`] for a text of 1 GiB or more.
    pub fn push(&mut self, row: u32, text: &str) -> Result<()> {
        if row != self.rows || row == u32::MAX {
            return Err(Error::conflict(format!(
                "row {row} cannot follow {} rows in the arena",
                self.rows
            )));
        }
        if text.len() >= 1 << 30 {
            return Err(Error::input(format!(
                "a text of {} bytes is too long to search",
                text.len()
            )));
        }
        let full = |c: &Chunk| !c.ends.is_empty() && c.text.len() + text.len() >= CHUNK;
        if self.chunks.last().is_none_or(full) {
            if let Some(last) = self.chunks.last_mut() {
                last.shrink();
            }
            self.chunks.push(Chunk {
                first: row,
                ..Chunk::default()
            });
        }
        if let Some(chunk) = self.chunks.last_mut() {
            chunk.push(text);
        }
        self.rows += 1;
        Ok(())
    }

    /// Frees unused capacity of the last chunk.
    pub fn shrink(&mut self) {
        if let Some(last) = self.chunks.last_mut() {
            last.shrink();
        }
        self.chunks.shrink_to_fit();
    }

    pub fn rows(&self) -> u32 {
        self.rows
    }

    pub fn get(&self, row: u32) -> Option<&str> {
        let at = self
            .chunks
            .partition_point(|c| c.first <= row)
            .checked_sub(1)?;
        let chunk = &self.chunks[at];
        let index = (row - chunk.first) as usize;
        (index < chunk.len()).then(|| chunk.row(index))
    }

    /// Bytes of allocated memory.
    pub fn bytes(&self) -> usize {
        let held = |c: &Chunk| c.text.capacity() + c.ends.capacity() * 4 + c.masks.capacity() * 8;
        self.chunks.iter().map(held).sum::<usize>() + self.chunks.capacity() * size_of::<Chunk>()
    }

    /// The text of each chunk in row order, with rows separated by NUL.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.chunks.iter().map(|c| c.text.as_str())
    }

    pub(super) fn chunks(&self) -> &[Chunk] {
        &self.chunks
    }
}

impl Chunk {
    fn push(&mut self, text: &str) {
        if !self.ends.is_empty() {
            self.text.push('\0');
        }
        let start = self.text.len();
        if text.is_ascii() {
            for (i, part) in text.split(|c: char| c.is_ascii_control()).enumerate() {
                if i > 0 {
                    self.text.push(' ');
                }
                self.text.push_str(part);
            }
            self.text[start..].make_ascii_lowercase();
        } else {
            self.text.extend(lower(text));
        }
        self.masks.push(mask(&self.text[start..]));
        // A row is below 1 GiB and a chunk of several rows below 256 KiB, so the length fits.
        self.ends
            .push(u32::try_from(self.text.len()).unwrap_or(u32::MAX));
    }

    fn shrink(&mut self) {
        self.text.shrink_to_fit();
        self.ends.shrink_to_fit();
        self.masks.shrink_to_fit();
    }

    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Range of the row at `index` of this chunk in [`text`](Self::text).
    #[inline]
    pub(super) fn range(&self, index: usize) -> Range<usize> {
        let start = if index == 0 {
            0
        } else {
            self.ends[index - 1] as usize + 1
        };
        start..self.ends[index] as usize
    }

    pub(super) fn row(&self, index: usize) -> &str {
        &self.text[self.range(index)]
    }

    /// The text of a row as bytes.
    #[inline]
    pub(super) fn bytes(&self, index: usize) -> &[u8] {
        &self.text.as_bytes()[self.range(index)]
    }

    #[inline]
    pub(super) fn mask(&self, index: usize) -> u64 {
        self.masks[index]
    }

    /// Index of the row that contains byte `at`, starting at row `from`. Hits come in order, so a
    /// short gallop usually finds it.
    pub(super) fn row_at(&self, at: usize, from: usize) -> usize {
        let mut step = 1;
        let mut low = from;
        while low + step < self.ends.len() && (self.ends[low + step] as usize) < at {
            low += step;
            step *= 2;
        }
        let high = (low + step + 1).min(self.ends.len());
        low + self.ends[low..high].partition_point(|&end| (end as usize) < at)
    }
}

/// Appends the searchable text of an item to `out`: prompt, question, options, an answer that is
/// not an option, and id, one per line.
pub fn searchable(item: &Item, out: &mut String) {
    let options = item.options.iter().map(|o| o.text.as_str());
    let answer = Some(item.answer.as_str()).filter(|a| item.options.iter().all(|o| o.text != *a));
    let parts = item
        .prompt
        .as_deref()
        .into_iter()
        .chain([item.question.as_str()])
        .chain(options);
    for part in parts.chain(answer.filter(|a| item.prompt.as_deref() != Some(*a))) {
        out.push_str(part);
        out.push('\n');
    }
    out.push_str(&item.id);
}

/// Lower case of `text`, as stored in the arena.
pub fn lower(text: &str) -> impl Iterator<Item = char> {
    text.chars().flat_map(lower_char)
}

/// Lower case of a character, which can have two characters. A control character becomes a space.
pub(super) fn lower_char(c: char) -> std::char::ToLowercase {
    if c.is_control() {
        ' '.to_lowercase()
    } else {
        c.to_lowercase()
    }
}

/// The set of characters in `text`: one bit per letter and digit, and shared bits for the rest. A
/// row can contain a query only if its mask has all bits of the query's mask.
pub(super) fn mask(text: &str) -> u64 {
    if text.is_ascii() {
        text.bytes()
            .fold(0, |mask, b| mask | ASCII[usize::from(b & 127)])
    } else {
        text.chars().fold(0, |mask, c| mask | bit(c))
    }
}

/// Bits 0..26 are letters, 26..36 digits, 36..48 other ASCII, and 48..64 everything else. A space
/// has no bit.
const fn bit(c: char) -> u64 {
    match c {
        'a'..='z' => 1 << (c as u32 - 'a' as u32),
        '0'..='9' => 1 << (26 + c as u32 - '0' as u32),
        '\0'..=' ' => 0,
        '!'..='\x7f' => 1 << (36 + c as u32 % 12),
        _ => 1 << (48 + c as u32 % 16),
    }
}

const ASCII: [u64; 128] = {
    let mut bits = [0; 128];
    let mut b = 0;
    while b < 128 {
        bits[b] = bit(b as u8 as char);
        b += 1;
    }
    bits
};

/// Whether the character has its own bit, so that [`mask`] tells exactly whether it occurs.
pub(super) fn has_own_bit(c: char) -> bool {
    c.is_ascii_lowercase() || c.is_ascii_digit()
}

#[cfg(test)]
mod tests {
    use super::*;
    use benchtop_model::ErrorKind;

    #[test]
    fn rows_are_stored_in_lower_case_across_chunks() {
        let text = |i: u32| format!("Row {i} ÄÖ\n{}", "Xy".repeat((i % 700) as usize));
        let rows: Vec<String> = (0..2000).map(text).collect();
        let arena = Arena::from_rows((0..).zip(rows.iter().map(String::as_str))).unwrap();
        assert!(arena.chunks().len() > 3);
        assert_eq!(arena.rows(), 2000);
        for (i, row) in rows.iter().enumerate() {
            assert_eq!(
                arena.get(i as u32).unwrap(),
                row.to_lowercase().replace('\n', " ")
            );
        }
        assert_eq!(arena.get(2000), None);
        let text: usize = rows.iter().map(String::len).sum();
        assert!(
            arena.bytes() < text + 2000 * 13 + arena.chunks().len() * 128 + 4096,
            "{} for {text}",
            arena.bytes()
        );
    }

    #[test]
    fn row_at_finds_the_row_of_every_byte() {
        let arena =
            Arena::from_rows([(0, ""), (1, "ab"), (2, ""), (3, "c"), (4, "defgh")]).unwrap();
        let chunk = &arena.chunks()[0];
        for index in 0..chunk.len() {
            for at in chunk.range(index) {
                for from in 0..=index {
                    assert_eq!(chunk.row_at(at, from), index, "byte {at} from row {from}");
                }
            }
        }
    }

    #[test]
    fn a_row_out_of_order_is_refused() {
        let mut arena = Arena::new();
        arena.push(0, "a").unwrap();
        assert_eq!(arena.push(2, "b").unwrap_err().kind, ErrorKind::Conflict);
        assert_eq!(arena.push(0, "b").unwrap_err().kind, ErrorKind::Conflict);
        assert_eq!(arena.rows(), 1);
    }

    #[test]
    fn a_mask_never_misses_a_character() {
        let text = "owl, 7 Åse? \u{1F989}".to_lowercase();
        for c in text.chars() {
            assert_eq!(mask(&text) & bit(c), bit(c));
        }
        assert_eq!(mask("abc"), 0b111);
        assert_eq!(mask(" \n"), 0);
    }
}
