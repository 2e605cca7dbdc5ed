//! Two flat files beside sled, so that the first page does not wait for sled: `store/columns.snap`
//! and `store/statuses.snap`. A file that is missing, damaged, or of another version or state is
//! ignored, and nothing is lost.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use bytemuck::cast_slice;
use serde::{Deserialize, Serialize};

use super::columns::{BLOCK_ROWS, Columns, NAMED, Names};
use super::segment::Frame;
use super::snapshot_format::{Reading, write};
use super::status_columns::StatusColumns;
use benchtop_model::{Error, Result};

/// Another column of names makes another layout.
const COLUMNS: &[u8; 8] = &[b'b', b't', b'c', b'o', b'l', b's', 0, NAMED.len() as u8 - 3];
const STATUSES: &[u8; 8] = b"btstat\x00\x03";
/// Bytes per row of columns: hash of the id, codes, question type.
const ROW: u64 = 8 + 2 * NAMED.len() as u64 + 1;

/// Tail of the columns file.
#[derive(Serialize, Deserialize)]
struct ColumnsTail {
    names: Vec<Vec<String>>,
    /// Compressed length of each frame of each segment, by file. Frames follow each other without
    /// gaps.
    frames: Vec<(String, Vec<u32>)>,
    /// Rows of each segment of revised items, by file.
    revised: Vec<(String, Vec<u32>)>,
}

/// Content of the columns file.
pub struct ColumnsSnapshot {
    pub columns: Columns,
    /// Frames of each segment, by file below `imports/`.
    pub frames: HashMap<String, Vec<Frame>>,
    /// Rows of each segment of revised items, by file below `imports/`.
    pub revised: HashMap<String, Vec<u32>>,
}

/// Content of the statuses file, as of the owner's last exit.
#[derive(Debug, PartialEq, Eq)]
pub struct Statuses {
    pub overlay: StatusColumns,
    /// Resume point of each annotator, by name.
    pub places: Vec<(String, String)>,
    /// [`JournalHashes::contents`](super::prefix_digest::Journals::contents) of the journals behind the
    /// statuses.
    pub contents: [u8; 32],
}

/// Path of the columns file.
pub fn columns_path(store: &Path) -> PathBuf {
    store.join("columns.snap")
}

/// Path of the statuses file.
pub fn statuses_path(store: &Path) -> PathBuf {
    store.join("statuses.snap")
}

/// Writes the columns and frames. `segments` is the digest of the segments that they belong to. On
/// an error, the old file stays.
pub fn write_columns<'a>(
    store: &Path,
    segments: &[u8; 32],
    columns: &Columns,
    frames: impl IntoIterator<Item = (&'a str, &'a [Frame])>,
    revised: impl IntoIterator<Item = (&'a str, &'a [u32])>,
) -> Result<()> {
    let names = columns.names.iter().map(|n| n.names.to_vec()).collect();
    let lengths = |(file, list): (&str, &[Frame])| {
        (file.to_string(), list.iter().map(|f| f.length).collect())
    };
    let frames = frames.into_iter().map(lengths).collect();
    let revised = revised
        .into_iter()
        .map(|(file, rows)| (file.to_string(), rows.to_vec()))
        .collect();
    let mut arrays = vec![cast_slice(&columns.id_hash)];
    arrays.extend(columns.codes.iter().map(|c| cast_slice::<u16, u8>(c)));
    arrays.push(&columns.kind);
    write(
        &columns_path(store),
        COLUMNS,
        segments,
        columns.len(),
        &arrays,
        &ColumnsTail {
            names,
            frames,
            revised,
        },
    )
}

/// Reads the columns and frames of the segments with the digest `segments`. On any error, the
/// caller ignores the file.
///
/// # Errors
/// [`benchtop_model::ErrorKind::NotFound`] without a file for these segments.
/// [`benchtop_model::ErrorKind::Corrupt`] for a damaged file.
pub fn read_columns(store: &Path, segments: &[u8; 32]) -> Result<ColumnsSnapshot> {
    let reading = &Reading::open(columns_path(store), COLUMNS, segments)?;
    let rows = reading.rows_of(ROW)?;
    // Reads the two halves in parallel, because checksums take most of the time.
    let (hashes, rest) = std::thread::scope(|scope| {
        // Allocated here, because a new thread's arena would fault in page by page.
        let mut hashes: Vec<u64> = Vec::with_capacity(rows);
        let half = move || {
            let mut cursor = reading.cursor(0);
            cursor.fill(&mut hashes, rows)?;
            Ok::<_, Error>((hashes, cursor.crc))
        };
        let hashes = std::thread::Builder::new()
            .spawn_scoped(scope, half)
            .map_err(|e| Error::io(&e, "cannot be read", &reading.path))?;
        let mut cursor = reading.cursor(8 * rows as u64);
        let mut codes: [Vec<u16>; NAMED.len()] = Default::default();
        for column in &mut codes {
            *column = cursor.array(rows)?;
        }
        let rest = (codes, cursor.array::<u8>(rows)?, cursor.crc);
        let hashes = hashes
            .join()
            .map_err(|_| reading.corrupt("cannot read the file"))??;
        Ok::<_, Error>((hashes, rest))
    })?;
    let (id_hash, (codes, kind)) = (hashes.0, (rest.0, rest.1));
    let tail: ColumnsTail = reading.finish(&[hashes.1, rest.2])?;
    let mut columns = Columns {
        id_hash,
        kind,
        codes,
        names: Default::default(),
    };
    for (column, list) in columns.names.iter_mut().zip(tail.names) {
        *column = Names::from_list(list);
    }
    let frames = tail
        .frames
        .into_iter()
        .map(|(file, lengths)| (file, consecutive_frames(&lengths)))
        .collect();
    Ok(ColumnsSnapshot {
        columns,
        frames,
        revised: tail.revised.into_iter().collect(),
    })
}

/// Frames of these lengths, one after the other.
fn consecutive_frames(lengths: &[u32]) -> Vec<Frame> {
    let mut offset = 0;
    let place = |&length: &u32| {
        let frame = Frame { offset, length };
        offset += u64::from(length);
        frame
    };
    lengths.iter().map(place).collect()
}

/// Tail of the statuses file.
#[derive(Serialize, Deserialize)]
struct StatusesTail {
    /// Indexes of the stored blocks. All others are blank.
    blocks: Vec<u32>,
    places: Vec<(String, String)>,
    contents: [u8; 32],
}

/// Writes the statuses and resume points. `key` identifies the state (see [`super::lazy_index`]),
/// and `contents` is the digest of the journals' contents. On an error, the old file stays.
pub fn write_statuses(
    store: &Path,
    key: &[u8; 32],
    overlay: &StatusColumns,
    places: Vec<(String, String)>,
    contents: [u8; 32],
) -> Result<()> {
    let blocks: Vec<u32> = (0..overlay.len().div_ceil(BLOCK_ROWS))
        .filter(|b| !overlay.is_blank(*b))
        .map(|b| b as u32)
        .collect();
    let range = |block: &u32| {
        (*block as usize * BLOCK_ROWS)..overlay.len().min((*block as usize + 1) * BLOCK_ROWS)
    };
    let judged = blocks.iter().map(|b| cast_slice(&overlay.judged[range(b)]));
    let status = blocks.iter().map(|b| &overlay.status[range(b)]);
    let arrays: Vec<&[u8]> = judged.chain(status).collect();
    let tail = StatusesTail {
        blocks: blocks.clone(),
        places,
        contents,
    };
    write(
        &statuses_path(store),
        STATUSES,
        key,
        overlay.len(),
        &arrays,
        &tail,
    )
}

/// Reads the statuses of `rows` rows for the state `key`.
///
/// # Errors
/// See [`read_columns`].
pub fn read_statuses(store: &Path, key: &[u8; 32], rows: usize) -> Result<Statuses> {
    let reading = Reading::open(statuses_path(store), STATUSES, key)?;
    // The blocks are known only after the tail is read.
    let held = reading.body / 9;
    if reading.body % 9 != 0 || reading.rows != rows as u64 || held > reading.rows {
        return Err(reading.corrupt("the file length does not match the header"));
    }
    let mut cursor = reading.cursor(0);
    let judged = cursor.array::<i64>(held as usize)?;
    let status = cursor.array::<u8>(held as usize)?;
    let tail: StatusesTail = reading.finish(&[cursor.crc])?;
    let mut overlay = StatusColumns::blank(rows);
    let mut from = 0;
    for block in tail.blocks {
        let start = (block as usize).saturating_mul(BLOCK_ROWS);
        let end = rows.min(start.saturating_add(BLOCK_ROWS));
        let to = from + end.saturating_sub(start);
        if start >= end || to > judged.len() {
            return Err(reading.corrupt("the blocks do not match the number of rows"));
        }
        overlay.judged[start..end].copy_from_slice(&judged[from..to]);
        overlay.status[start..end].copy_from_slice(&status[from..to]);
        from = to;
    }
    if from != judged.len() {
        return Err(reading.corrupt("the blocks do not match the number of rows"));
    }
    Ok(Statuses {
        overlay,
        places: tail.places,
        contents: tail.contents,
    })
}

#[cfg(test)]
mod tests;
