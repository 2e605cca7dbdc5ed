//! All searchable text in memory: lowered once, laid out for scanning.
//!
//! Text is kept in chunks, so that appending never copies what is there, no capacity is wasted on growth, and a chunk
//! is the unit of work, of cancelling and of memory locality in [`super::search`].

use std::ops::Range;

use benchtop_model::{Error, ErrorKind, Item, Result};

/// Bytes of text after which a chunk is closed: under a millisecond of scanning.
const CHUNK: usize = 256 * 1024;

/// Searchable text of rows numbered from 0, in lower case: its bytes plus 12 a row.
#[derive(Debug, Default)]
pub struct Arena {
    chunks: Vec<Chunk>,
    rows: u32,
}

/// A run of rows whose text lies together. Rows are divided by NUL, which no row and no query holds, so that a search
/// over the whole run cannot match across two rows.
#[derive(Debug, Default)]
pub(super) struct Chunk {
    /// Number of the first row.
    pub(super) first: u32,
    text: String,
    /// Where each row's text ends; the next one's begins a byte later.
    ends: Vec<u32>,
    /// Which characters occur in each row: see [`mask`].
    masks: Vec<u64>,
}

impl Arena {
    /// An arena without rows.
    pub fn new() -> Arena {
        Arena::default()
    }

    /// An arena of rows numbered 0, 1, 2 ...
    ///
    /// # Errors
    /// As [`push`](Self::push).
    pub fn from_rows<'t>(rows: impl IntoIterator<Item = (u32, &'t str)>) -> Result<Arena> {
        let mut arena = Arena::new();
        for (row, text) in rows {
            arena.push(row, text)?;
        }
        arena.shrink();
        Ok(arena)
    }

    /// Appends the row numbered `row`, which must be the next one.
    ///
    /// Control characters become blanks (so that fields may be joined by line feeds), letters their lower case.
    ///
    /// # Errors
    /// [`ErrorKind::Conflict`] when `row` is not [`rows`](Self::rows), which would show one item's text for another's;
    /// [`ErrorKind::Input`] for a text of 1 GiB or more.
    pub fn push(&mut self, row: u32, text: &str) -> Result<()> {
        if row != self.rows || row == u32::MAX {
            return Err(Error::new(
                ErrorKind::Conflict,
                format!("row {row} cannot follow {} rows in the arena", self.rows),
            ));
        }
        if text.len() >= 1 << 30 {
            return Err(Error::input(format!(
                "a text of {} bytes is too long to be searched",
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

    /// Gives back capacity that growing left over in the last chunk.
    pub fn shrink(&mut self) {
        if let Some(last) = self.chunks.last_mut() {
            last.shrink();
        }
        self.chunks.shrink_to_fit();
    }

    /// How many rows there are.
    pub fn rows(&self) -> u32 {
        self.rows
    }

    /// A row's text in lower case.
    pub fn get(&self, row: u32) -> Option<&str> {
        let at = self
            .chunks
            .partition_point(|c| c.first <= row)
            .checked_sub(1)?;
        let chunk = &self.chunks[at];
        let index = (row - chunk.first) as usize;
        (index < chunk.len()).then(|| chunk.row(index))
    }

    /// Bytes of memory held.
    pub fn bytes(&self) -> usize {
        let held = |c: &Chunk| c.text.capacity() + c.ends.capacity() * 4 + c.masks.capacity() * 8;
        self.chunks.iter().map(held).sum::<usize>() + self.chunks.capacity() * size_of::<Chunk>()
    }

    /// The text of every chunk in row order, rows divided by NUL: what a plain scan reads.
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
        // Below 1 GiB a row and 256 KiB otherwise, so it fits.
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

    /// Where the text of the row at `index` of this chunk lies in [`text`](Self::text).
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

    pub(super) fn mask(&self, index: usize) -> u64 {
        self.masks[index]
    }

    /// The index of the row that byte `at` belongs to, not before `from`: hits come in order, so a short walk usually
    /// finds it.
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

/// Appends to `out` what a person may look for an item by: prompt, question, options, an answer that is none of them,
/// and id, a line each.
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

/// The lower case of `text` as the arena keeps it, character by character.
pub(super) fn lower(text: &str) -> impl Iterator<Item = char> {
    text.chars().flat_map(lower_char)
}

/// The lower case of one character (some have two); a blank for a control character.
pub(super) fn lower_char(c: char) -> std::char::ToLowercase {
    if c.is_control() {
        ' '.to_lowercase()
    } else {
        c.to_lowercase()
    }
}

/// A set of the characters in `text`: a bit for each letter and digit, shared bits for the rest. A row can hold a
/// query only if its mask has every bit of the query's.
pub(super) fn mask(text: &str) -> u64 {
    if text.is_ascii() {
        text.bytes()
            .fold(0, |mask, b| mask | ASCII[usize::from(b & 127)])
    } else {
        text.chars().fold(0, |mask, c| mask | bit(c))
    }
}

/// Bits 0..26 letters, 26..36 digits, 36..48 other ASCII, 48..64 everything else; none for a blank.
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

/// Whether [`mask`] tells exactly if this character occurs, because its bit is its own.
pub(super) fn has_own_bit(c: char) -> bool {
    c.is_ascii_lowercase() || c.is_ascii_digit()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_come_back_lowered_across_chunks() {
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
    fn every_byte_leads_to_its_row() {
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
