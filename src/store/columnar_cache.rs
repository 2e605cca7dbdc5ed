//! Files of plain numbers beside sled, read in one go and checked as they are read: caches of what can be made again.
//!
//! A file is a header of [`HEADER`] bytes (magic and version, a 32-byte key that says what it describes, rows, bytes
//! of the tail, CRC-32 of all the rest), arrays of little-endian numbers, and a postcard tail.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use bytemuck::{Pod, cast_slice_mut};
use serde::Serialize;
use serde::de::DeserializeOwned;

use benchtop_files::{disk, regular};
use benchtop_model::{Error, ErrorKind, Result};

/// Bytes of a header.
pub(super) const HEADER: usize = 64;
/// Bytes that are read, checked and put in place at a time, while they are in the processor's cache.
const STEP: usize = 64 << 10;

pub(super) fn corrupt(path: &Path, what: &str) -> Error {
    Error::new(ErrorKind::Corrupt, what.to_string()).file(path)
}

/// Writes a file: `key` says what it describes, `rows` how many rows the arrays are of.
///
/// # Errors
/// The operating system's; the old file is then as it was.
pub fn write<T: Serialize>(
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

/// Checks every byte of a file, whatever it describes.
///
/// # Errors
/// [`ErrorKind::Corrupt`] when anything of it is not as it was written.
pub fn check(bytes: &[u8], path: &Path) -> Result<()> {
    let (Some(header), Some(rest)) = (bytes.get(..HEADER), bytes.get(HEADER..)) else {
        return Err(corrupt(path, "it is cut short"));
    };
    let mut crc = crc32fast::Hasher::new();
    crc.update(&header[..56]);
    crc.update(rest);
    let expected = u32::from_le_bytes(header[56..60].try_into().unwrap_or_default());
    if !header.starts_with(b"bt")
        || crc.finalize() != expected
        || header[60..].iter().any(|byte| *byte != 0)
    {
        return Err(corrupt(path, "it does not match its checksum"));
    }
    Ok(())
}

/// A file whose header was read.
pub struct Reading {
    pub(super) path: PathBuf,
    file: File,
    crc: crc32fast::Hasher,
    expected: u32,
    /// Rows, as the header says.
    pub rows: u64,
    /// Bytes of the arrays.
    pub body: u64,
    tail: usize,
}

impl Reading {
    /// Opens the file at `path`, if it is of this version and describes this.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`] when it is not there or describes something else, [`ErrorKind::Corrupt`] when it is cut short, and the operating
    /// system's.
    pub fn open(path: PathBuf, magic: &[u8; 8], key: &[u8; 32]) -> Result<Reading> {
        let fail = |e: std::io::Error| Error::io(&e, "cannot be read", &path);
        let file = regular::open(&path, OpenOptions::new().read(true))?;
        let length = file.metadata().map_err(fail)?.len();
        let mut header = [0; HEADER];
        if length < HEADER as u64 {
            return Err(corrupt(&path, "it is cut short"));
        }
        file.read_exact_at(&mut header, 0).map_err(fail)?;
        let number =
            |at: usize| u64::from_le_bytes(header[at..at + 8].try_into().unwrap_or_default());
        let (rows, tail) = (number(40), number(48));
        if cfg!(target_endian = "big") || &header[..8] != magic || header[8..40] != key[..] {
            return Err(Error::new(ErrorKind::NotFound, "it describes something else").file(path));
        }
        // Checked before anything is made room for.
        let body = length
            .checked_sub(HEADER as u64)
            .and_then(|l| l.checked_sub(tail));
        let Some(body) = body else {
            return Err(corrupt(&path, "it is cut short"));
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

    /// Something is wrong with the file.
    pub fn corrupt(&self, what: &str) -> Error {
        corrupt(&self.path, what)
    }

    /// Rows, if the arrays are as long as so many rows of `row` bytes.
    ///
    /// # Errors
    /// [`ErrorKind::Corrupt`] when they are not.
    pub fn rows_of(&self, row: u64) -> Result<usize> {
        match self.rows.checked_mul(row) {
            Some(bytes) if bytes == self.body => Ok(self.rows as usize),
            _ => Err(self.corrupt("it is cut short")),
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

    /// The tail, before anything is checked: for how long the arrays are. [`finish`](Self::finish) says whether it was right.
    ///
    /// # Errors
    /// [`ErrorKind::Corrupt`] when it cannot be read.
    pub fn unchecked_tail<T: DeserializeOwned>(&self) -> Result<T> {
        let mut tail = vec![0; self.tail];
        self.cursor(self.body).bytes(&mut tail)?;
        postcard::from_bytes(&tail).map_err(|e| self.corrupt(&format!("it cannot be read: {e}")))
    }

    /// The tail; what `before` are the checksums of, in the order of the file, counts only once this returns.
    ///
    /// # Errors
    /// [`ErrorKind::Corrupt`] when anything of the file is not as it was written.
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
            return Err(self.corrupt("it does not match its checksum"));
        }
        postcard::from_bytes(&tail).map_err(|e| self.corrupt(&format!("it cannot be read: {e}")))
    }
}

/// Reads on from one place, and keeps the checksum of what it read.
pub struct Cursor<'a> {
    reading: &'a Reading,
    at: u64,
    /// The checksum of what was read.
    pub crc: crc32fast::Hasher,
}

impl Cursor<'_> {
    /// The next bytes.
    ///
    /// # Errors
    /// The operating system's.
    pub fn bytes(&mut self, out: &mut [u8]) -> Result<()> {
        let Reading { file, path, .. } = self.reading;
        file.read_exact_at(out, self.at)
            .map_err(|e| Error::io(&e, "cannot be read", path))?;
        self.at += out.len() as u64;
        self.crc.update(out);
        Ok(())
    }

    /// The next `rows` numbers. They go through a small buffer, so that memory is written once: without it all of
    /// the array would be zeroed first.
    ///
    /// # Errors
    /// The operating system's.
    pub fn array<T: Pod>(&mut self, rows: usize) -> Result<Vec<T>> {
        let mut out = Vec::with_capacity(rows);
        self.fill(&mut out, rows)?;
        Ok(out)
    }

    /// As [`array`](Self::array), into memory that is there.
    ///
    /// # Errors
    /// The operating system's.
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
