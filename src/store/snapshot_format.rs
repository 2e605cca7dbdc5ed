//! Flat cache files of numbers beside sled. They are read in one pass, checked while reading, and
//! can be rebuilt.
//!
//! A file has a header of [`HEADER`] bytes (magic and version, a 32-byte key of the content, number
//! of rows, length of the tail, CRC-32 of the rest), arrays of little-endian numbers, and a
//! postcard tail.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use bytemuck::{Pod, cast_slice_mut};
use serde::Serialize;
use serde::de::DeserializeOwned;

use benchtop_files::{disk, regular};
use benchtop_model::{Error, Result};

pub(super) const HEADER: usize = 64;
/// Bytes that are read, checked, and copied at a time, so that they stay in the processor's cache.
const STEP: usize = 64 << 10;

pub(super) fn corrupt(path: &Path, what: &str) -> Error {
    Error::corrupt(what.to_string()).file(path)
}

/// Writes a file. `key` identifies the content, and `rows` is the length of the arrays. On an
/// error, the old file stays.
pub fn write<T: Serialize>(
    path: &Path,
    magic: &[u8; 8],
    key: &[u8; 32],
    rows: usize,
    arrays: &[&[u8]],
    tail: &T,
) -> Result<()> {
    if cfg!(target_endian = "big") {
        // The arrays are stored as they are in memory. Without the file, opening the project takes
        // longer.
        return Ok(());
    }
    let tail =
        postcard::to_stdvec(tail).map_err(|e| corrupt(path, &format!("cannot be written: {e}")))?;
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

/// Checks every byte of a file without its key.
///
/// # Errors
/// [`Error::corrupt`].
pub fn check(bytes: &[u8], path: &Path) -> Result<()> {
    let (Some(header), Some(rest)) = (bytes.get(..HEADER), bytes.get(HEADER..)) else {
        return Err(corrupt(path, "the file is truncated"));
    };
    let mut crc = crc32fast::Hasher::new();
    crc.update(&header[..56]);
    crc.update(rest);
    let expected = u32::from_le_bytes(header[56..60].try_into().unwrap_or_default());
    if !header.starts_with(b"bt")
        || crc.finalize() != expected
        || header[60..].iter().any(|byte| *byte != 0)
    {
        return Err(corrupt(path, "the file does not match its checksum"));
    }
    Ok(())
}

/// An open file whose header was read.
pub struct Reading {
    pub(super) path: PathBuf,
    file: File,
    crc: crc32fast::Hasher,
    expected: u32,
    /// Number of rows in the header.
    pub rows: u64,
    /// Length of the arrays in bytes.
    pub body: u64,
    tail: usize,
}

impl Reading {
    /// Opens the file at `path` if it has this magic and this key.
    ///
    /// # Errors
    /// [`Error::not_found`] if the file is missing or has another magic or key.
    /// [`Error::corrupt`] if it is truncated.
    pub fn open(path: PathBuf, magic: &[u8; 8], key: &[u8; 32]) -> Result<Reading> {
        let fail = |e: std::io::Error| Error::io(&e, "cannot be read", &path);
        let file = regular::open(&path, OpenOptions::new().read(true))?;
        let length = file.metadata().map_err(fail)?.len();
        let mut header = [0; HEADER];
        if length < HEADER as u64 {
            return Err(corrupt(&path, "the file is truncated"));
        }
        file.read_exact_at(&mut header, 0).map_err(fail)?;
        let number =
            |at: usize| u64::from_le_bytes(header[at..at + 8].try_into().unwrap_or_default());
        let (rows, tail) = (number(40), number(48));
        if cfg!(target_endian = "big") || &header[..8] != magic || header[8..40] != key[..] {
            return Err(Error::not_found(
                "the file is from another version or state of the project",
            )
            .file(path));
        }
        // Checked before memory is allocated.
        let body = length
            .checked_sub(HEADER as u64)
            .and_then(|l| l.checked_sub(tail));
        let Some(body) = body else {
            return Err(corrupt(&path, "the file is truncated"));
        };
        let mut crc = crc32fast::Hasher::new();
        crc.update(&header[..56]);
        let expected = u32::from_le_bytes(header[56..60].try_into().unwrap_or_default());
        Ok(Reading {
            path,
            file,
            crc,
            expected,
            rows,
            body,
            tail: tail as usize,
        })
    }

    /// A [`Error::corrupt`] error for this file.
    pub fn corrupt(&self, what: &str) -> Error {
        corrupt(&self.path, what)
    }

    /// The number of rows, if the arrays have `row` bytes per row.
    ///
    /// # Errors
    /// [`Error::corrupt`] if the length does not match.
    pub fn rows_of(&self, row: u64) -> Result<usize> {
        match self.rows.checked_mul(row) {
            Some(bytes) if bytes == self.body => Ok(self.rows as usize),
            _ => Err(self.corrupt("the file is truncated")),
        }
    }

    /// Reads from byte `at` of the arrays on.
    pub fn cursor(&self, at: u64) -> Cursor<'_> {
        Cursor {
            reading: self,
            at: HEADER as u64 + at,
            crc: crc32fast::Hasher::new(),
        }
    }

    /// The tail, before its checksum is verified. It is needed for the lengths of the arrays;
    /// [`finish`](Self::finish) verifies it.
    ///
    /// # Errors
    /// [`Error::corrupt`] if the tail cannot be parsed.
    pub fn unchecked_tail<T: DeserializeOwned>(&self) -> Result<T> {
        let mut tail = vec![0; self.tail];
        self.cursor(self.body).bytes(&mut tail)?;
        postcard::from_bytes(&tail)
            .map_err(|e| self.corrupt(&format!("cannot parse the tail: {e}")))
    }

    /// Verifies the checksum and returns the tail. `before` are the checksums of the parts before
    /// it in file order. Data that was read before is valid only after this returns.
    ///
    /// # Errors
    /// [`Error::corrupt`].
    pub fn finish<T: DeserializeOwned>(&self, before: &[crc32fast::Hasher]) -> Result<T> {
        let mut cursor = self.cursor(self.body);
        let mut tail = vec![0; self.tail];
        cursor.bytes(&mut tail)?;
        let mut crc = self.crc.clone();
        before
            .iter()
            .chain([&cursor.crc])
            .for_each(|next| crc.combine(next));
        if crc.finalize() != self.expected {
            return Err(self.corrupt("the file does not match its checksum"));
        }
        postcard::from_bytes(&tail)
            .map_err(|e| self.corrupt(&format!("cannot parse the tail: {e}")))
    }
}

/// Reads a file sequentially and computes the checksum.
pub struct Cursor<'a> {
    reading: &'a Reading,
    at: u64,
    /// Checksum of the bytes read so far.
    pub crc: crc32fast::Hasher,
}

impl Cursor<'_> {
    /// Fills `out` with the next bytes.
    pub fn bytes(&mut self, out: &mut [u8]) -> Result<()> {
        let Reading { file, path, .. } = self.reading;
        file.read_exact_at(out, self.at)
            .map_err(|e| Error::io(&e, "cannot be read", path))?;
        self.at += out.len() as u64;
        self.crc.update(out);
        Ok(())
    }

    /// The next `rows` numbers. They go through a small buffer, so that the array need not be
    /// zeroed first.
    pub fn array<T: Pod>(&mut self, rows: usize) -> Result<Vec<T>> {
        let mut out = Vec::with_capacity(rows);
        self.fill(&mut out, rows)?;
        Ok(out)
    }

    /// Like [`array`](Self::array), into existing memory.
    pub fn fill<T: Pod>(&mut self, out: &mut Vec<T>, rows: usize) -> Result<()> {
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
