//! Two flat files beside sled, read in one go so that the first page need not wait for it: `store/columns.snap` and
//! `store/statuses.snap`. They are caches of a cache: one that is missing, damaged, of another version or of another
//! moment is not used, and nothing is lost with it.
//!
//! A file is a header of [`HEADER`] bytes (magic and version, a 32-byte key that says what it describes, rows, bytes
//! of the tail, CRC-32 of all the rest), arrays of little-endian numbers, and a postcard tail.

use std::collections::HashMap;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use bytemuck::{Pod, cast_slice, cast_slice_mut};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::columns::{BLOCK_ROWS, Columns, NAMED, Names};
use super::disk;
use super::overlay::Overlay;
use super::segment::Frame;
use crate::model::{Kind, Problem, Result};

const COLUMNS: &[u8; 8] = b"btcols\x00\x03";
const STATUSES: &[u8; 8] = b"btstat\x00\x02";
const HEADER: usize = 64;
/// Bytes of a row of columns: hash of the id, codes, question type.
const ROW: u64 = 8 + 2 * NAMED.len() as u64 + 1;
/// Bytes that are read, checked and put in place at a time, while they are in the processor's cache.
const STEP: usize = 64 << 10;

/// What the columns file holds beside the columns.
#[derive(Serialize, Deserialize)]
struct ColumnsTail {
    names: Vec<Vec<String>>,
    /// Packed length of every frame of every segment, by its file; frames lie one after the other.
    frames: Vec<(String, Vec<u32>)>,
    /// The rows of every segment of revised items, by its file.
    revised: Vec<(String, Vec<u32>)>,
}

/// The columns and the frames of each segment, as they were written.
pub struct Catalogue {
    /// The columns.
    pub columns: Columns,
    /// Frames of each segment, by its file below `imports/`.
    pub frames: HashMap<String, Vec<Frame>>,
    /// Rows of each segment of revised items, by its file below `imports/`.
    pub revised: HashMap<String, Vec<u32>>,
}

/// Statuses and places, as they were when the owner ended.
#[derive(Debug, PartialEq, Eq)]
pub struct Statuses {
    /// Statuses.
    pub overlay: Overlay,
    /// Where annotators left off, by name.
    pub places: Vec<(String, String)>,
}

/// The columns file of the store at `store`.
pub fn columns_path(store: &Path) -> PathBuf {
    store.join("columns.snap")
}

/// The statuses file of the store at `store`.
pub fn statuses_path(store: &Path) -> PathBuf {
    store.join("statuses.snap")
}

/// Writes the columns, and the frames by file, of the segments that `segments` is the digest of.
///
/// # Errors
/// The operating system's; the old file is then as it was.
pub fn write_columns<'a>(
    store: &Path,
    segments: &[u8; 32],
    columns: &Columns,
    frames: impl IntoIterator<Item = (&'a str, &'a [Frame])>,
    revised: impl IntoIterator<Item = (&'a str, &'a [u32])>,
) -> Result<()> {
    let names = columns.names.iter().map(|n| n.list().to_vec()).collect();
    let lengths = |(file, list): (&str, &[Frame])| (file.to_string(), list.iter().map(|f| f.length).collect());
    let frames = frames.into_iter().map(lengths).collect();
    let revised = revised.into_iter().map(|(file, rows)| (file.to_string(), rows.to_vec())).collect();
    let mut arrays = vec![cast_slice(&columns.id_hash)];
    arrays.extend(columns.codes.iter().map(|c| cast_slice::<u16, u8>(c)));
    arrays.push(&columns.kind);
    write(&columns_path(store), COLUMNS, segments, columns.len(), &arrays, &ColumnsTail { names, frames, revised })
}

/// Reads the columns and frames of the segments that `segments` is the digest of.
///
/// # Errors
/// [`Kind::NotFound`] without a file of those segments, [`Kind::Corrupt`] for a damaged one, and the operating
/// system's: whatever it is, the file is then not used.
pub fn read_columns(store: &Path, segments: &[u8; 32]) -> Result<Catalogue> {
    let reading = &Reading::open(columns_path(store), COLUMNS, segments)?;
    let rows = reading.rows(ROW)?;
    // Two halves at once: it is the checking that takes the time.
    let (hashes, rest) = std::thread::scope(|scope| {
        // Made room for here: a new thread takes its memory from elsewhere, page by page.
        let mut hashes: Vec<u64> = Vec::with_capacity(rows);
        let half = move || {
            let mut cursor = reading.cursor(0);
            cursor.fill(&mut hashes, rows)?;
            Ok::<_, Problem>((hashes, cursor.crc))
        };
        let hashes = std::thread::Builder::new()
            .spawn_scoped(scope, half)
            .map_err(|e| Problem::io(&e, "cannot be read", &reading.path))?;
        let mut cursor = reading.cursor(8 * rows as u64);
        let mut codes: [Vec<u16>; NAMED.len()] = Default::default();
        for column in &mut codes {
            *column = cursor.array(rows)?;
        }
        let rest = (codes, cursor.array::<u8>(rows)?, cursor.crc);
        let hashes = hashes.join().map_err(|_| reading.corrupt("it cannot be read"))??;
        Ok::<_, Problem>((hashes, rest))
    })?;
    let (id_hash, (codes, kind)) = (hashes.0, (rest.0, rest.1));
    let tail: ColumnsTail = reading.finish(&[hashes.1, rest.2])?;
    let mut columns = Columns { id_hash, kind, codes, names: Default::default() };
    for (column, list) in columns.names.iter_mut().zip(tail.names) {
        *column = Names::from_list(list);
    }
    let frames = tail.frames.into_iter().map(|(file, lengths)| (file, placed(&lengths))).collect();
    Ok(Catalogue { columns, frames, revised: tail.revised.into_iter().collect() })
}

/// Frames of these lengths, one after the other.
fn placed(lengths: &[u32]) -> Vec<Frame> {
    let mut offset = 0;
    let place = |&length: &u32| {
        let frame = Frame { offset, length };
        offset += u64::from(length);
        frame
    };
    lengths.iter().map(place).collect()
}

/// What the statuses file holds beside the statuses.
#[derive(Serialize, Deserialize)]
struct StatusesTail {
    /// Blocks in the file; all others are blank.
    blocks: Vec<u32>,
    places: Vec<(String, String)>,
}

/// Writes the statuses of the moment that `key` names, and where annotators are.
///
/// # Errors
/// The operating system's; the old file is then as it was.
pub fn write_statuses(store: &Path, key: &[u8; 32], overlay: &Overlay, places: Vec<(String, String)>) -> Result<()> {
    let blocks: Vec<u32> =
        (0..overlay.len().div_ceil(BLOCK_ROWS)).filter(|b| !overlay.is_blank(*b)).map(|b| b as u32).collect();
    let range = |block: &u32| (*block as usize * BLOCK_ROWS)..overlay.len().min((*block as usize + 1) * BLOCK_ROWS);
    let judged = blocks.iter().map(|b| cast_slice(&overlay.judged[range(b)]));
    let status = blocks.iter().map(|b| &overlay.status[range(b)]);
    let arrays: Vec<&[u8]> = judged.chain(status).collect();
    let tail = StatusesTail { blocks: blocks.clone(), places };
    write(&statuses_path(store), STATUSES, key, overlay.len(), &arrays, &tail)
}

/// Reads the statuses of `rows` rows of the moment that `key` names.
///
/// # Errors
/// As [`read_columns`].
pub fn read_statuses(store: &Path, key: &[u8; 32], rows: usize) -> Result<Statuses> {
    let reading = Reading::open(statuses_path(store), STATUSES, key)?;
    // The tail says which blocks the arrays before it are.
    let held = reading.body / 9;
    if reading.body % 9 != 0 || reading.rows != rows as u64 || held > reading.rows {
        return Err(reading.corrupt("it does not fit its header"));
    }
    let mut cursor = reading.cursor(0);
    let judged = cursor.array::<i64>(held as usize)?;
    let status = cursor.array::<u8>(held as usize)?;
    let tail: StatusesTail = reading.finish(&[cursor.crc])?;
    let mut overlay = Overlay::blank(rows);
    let mut from = 0;
    for block in tail.blocks {
        let start = (block as usize).saturating_mul(BLOCK_ROWS);
        let end = rows.min(start.saturating_add(BLOCK_ROWS));
        let to = from + end.saturating_sub(start);
        if start >= end || to > judged.len() {
            return Err(reading.corrupt("its blocks do not fit its rows"));
        }
        overlay.judged[start..end].copy_from_slice(&judged[from..to]);
        overlay.status[start..end].copy_from_slice(&status[from..to]);
        from = to;
    }
    if from != judged.len() {
        return Err(reading.corrupt("its blocks do not fit its rows"));
    }
    Ok(Statuses { overlay, places: tail.places })
}

fn corrupt(path: &Path, what: &str) -> Problem {
    Problem::new(Kind::Corrupt, what.to_string()).file(path)
}

fn write<T: Serialize>(
    path: &Path,
    magic: &[u8; 8],
    key: &[u8; 32],
    rows: usize,
    arrays: &[&[u8]],
    tail: &T,
) -> Result<()> {
    if cfg!(target_endian = "big") {
        // The arrays are little-endian as they lie in memory; without the file opening takes the longer way.
        return Ok(());
    }
    let tail = postcard::to_stdvec(tail).map_err(|e| corrupt(path, &format!("cannot be written: {e}")))?;
    let mut header = Vec::with_capacity(HEADER);
    header.extend_from_slice(magic);
    header.extend_from_slice(key);
    header.extend_from_slice(&(rows as u64).to_le_bytes());
    header.extend_from_slice(&(tail.len() as u64).to_le_bytes());
    let mut crc = crc32fast::Hasher::new();
    crc.update(&header);
    arrays.iter().for_each(|a| crc.update(a));
    crc.update(&tail);
    header.extend_from_slice(&crc.finalize().to_le_bytes());
    header.resize(HEADER, 0);
    let mut all = Vec::with_capacity(arrays.len() + 2);
    all.push(&header[..]);
    all.extend_from_slice(arrays);
    all.push(&tail);
    disk::write_atomic_slices(path, &all)
}

/// A file whose header was read.
struct Reading {
    path: PathBuf,
    file: File,
    crc: crc32fast::Hasher,
    expected: u32,
    rows: u64,
    /// Bytes of the arrays.
    body: u64,
    tail: usize,
}

impl Reading {
    fn open(path: PathBuf, magic: &[u8; 8], key: &[u8; 32]) -> Result<Reading> {
        let fail = |e: std::io::Error| Problem::io(&e, "cannot be read", &path);
        let file = File::open(&path).map_err(fail)?;
        let length = file.metadata().map_err(fail)?.len();
        let mut header = [0; HEADER];
        if length < HEADER as u64 {
            return Err(corrupt(&path, "it is cut short"));
        }
        file.read_exact_at(&mut header, 0).map_err(fail)?;
        let number = |at: usize| u64::from_le_bytes(header[at..at + 8].try_into().unwrap_or_default());
        let (rows, tail) = (number(40), number(48));
        if cfg!(target_endian = "big") || &header[..8] != magic || header[8..40] != key[..] {
            return Err(Problem::new(Kind::NotFound, "it describes something else").file(path));
        }
        // Checked before anything is made room for.
        let body = length.checked_sub(HEADER as u64).and_then(|l| l.checked_sub(tail));
        let Some(body) = body else { return Err(corrupt(&path, "it is cut short")) };
        let mut crc = crc32fast::Hasher::new();
        crc.update(&header[..56]);
        let expected = u32::from_le_bytes(header[56..60].try_into().unwrap_or_default());
        Ok(Reading { path, file, crc, expected, rows, body, tail: tail as usize })
    }

    fn corrupt(&self, what: &str) -> Problem {
        corrupt(&self.path, what)
    }

    /// Rows, if the arrays are as long as so many rows of `row` bytes.
    fn rows(&self, row: u64) -> Result<usize> {
        match self.rows.checked_mul(row) {
            Some(bytes) if bytes == self.body => Ok(self.rows as usize),
            _ => Err(self.corrupt("it is cut short")),
        }
    }

    /// Reads from byte `at` of the arrays on.
    fn cursor(&self, at: u64) -> Cursor<'_> {
        Cursor { reading: self, at: HEADER as u64 + at, crc: crc32fast::Hasher::new() }
    }

    /// The tail; what `before` are the checksums of, in the order of the file, counts only once this returns.
    fn finish<T: DeserializeOwned>(&self, before: &[crc32fast::Hasher]) -> Result<T> {
        let mut cursor = self.cursor(self.body);
        let mut tail = vec![0; self.tail];
        cursor.bytes(&mut tail)?;
        let mut crc = self.crc.clone();
        before.iter().chain([&cursor.crc]).for_each(|next| crc.combine(next));
        if crc.finalize() != self.expected {
            return Err(self.corrupt("it does not match its checksum"));
        }
        postcard::from_bytes(&tail).map_err(|e| self.corrupt(&format!("it cannot be read: {e}")))
    }
}

/// Reads on from one place, and keeps the checksum of what it read.
struct Cursor<'a> {
    reading: &'a Reading,
    at: u64,
    crc: crc32fast::Hasher,
}

impl Cursor<'_> {
    fn bytes(&mut self, out: &mut [u8]) -> Result<()> {
        let Reading { file, path, .. } = self.reading;
        file.read_exact_at(out, self.at).map_err(|e| Problem::io(&e, "cannot be read", path))?;
        self.at += out.len() as u64;
        self.crc.update(out);
        Ok(())
    }

    /// The next `rows` numbers. They go through a small buffer, so that memory is written once: without it all of
    /// the array would be zeroed first.
    fn array<T: Pod>(&mut self, rows: usize) -> Result<Vec<T>> {
        let mut out = Vec::with_capacity(rows);
        self.fill(&mut out, rows)?;
        Ok(out)
    }

    fn fill<T: Pod>(&mut self, out: &mut Vec<T>, rows: usize) -> Result<()> {
        let mut buffer = [0u64; STEP / 8];
        let buffer: &mut [T] = cast_slice_mut(&mut buffer);
        while out.len() < rows {
            let step = buffer.len().min(rows - out.len());
            self.bytes(cast_slice_mut(&mut buffer[..step]))?;
            out.extend_from_slice(&buffer[..step]);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
