//! The picture journal: reading it, and appending to it.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use super::line::{Row, checked, explanation, row};
use super::{FILE, Pictures, picture_snapshot};
use crate::append_log::{AppendLog, ValidPrefix};
use crate::checksummed_line;
use crate::prefix_digest::PrefixDigest;
use benchtop_files::regular;
use benchtop_model::generated_image::GeneratedImage;
use benchtop_model::generation::Fingerprint;
use benchtop_model::{Error, ErrorKind, Result};

/// The content of the journal.
#[derive(Debug, Default)]
pub struct Reading {
    pub pictures: Pictures,
    /// Errors with file and line. Bad lines stay in the file and do not count.
    pub problems: Vec<Error>,
    /// The complete lines of the file.
    pub whole: ValidPrefix,
}

/// Reads the journal below `images`. A missing file is an empty journal. Bad lines are reported in
/// [`Reading::problems`].
pub fn read(images: &Path) -> Result<Reading> {
    read_after(Pictures {
        path: images.join(FILE),
        ..Pictures::default()
    })
}

/// Like [`read`], but takes the first pictures from the snapshot in `store` (see
/// [`super::picture_snapshot`]).
pub fn read_on(images: &Path, store: &Path) -> Result<Reading> {
    picture_snapshot::read(store, images).map_or_else(|_| read(images), read_after)
}

/// Reads the lines after those of `pictures`.
fn read_after(pictures: Pictures) -> Result<Reading> {
    let (path, from) = (pictures.path.clone(), pictures.whole.length);
    let mut reading = Reading {
        pictures,
        ..Reading::default()
    };
    let fail = |e: std::io::Error| Error::io(&e, "cannot be read", &path);
    let mut bytes = Vec::new();
    match regular::open(&path, OpenOptions::new().read(true)) {
        Ok(mut file) => {
            file.seek(SeekFrom::Start(from))
                .and_then(|_| file.read_to_end(&mut bytes))
                .map_err(fail)?;
        }
        Err(problem) if problem.kind == ErrorKind::NotFound => return Ok(reading),
        Err(problem) => return Err(problem),
    }
    let mut bad = Vec::new();
    let torn_at = checksummed_line::each::<Row<'_>>(&bytes, &mut |at, number, row| match row
        .and_then(|row| Ok((checked(&row)?, row)))
    {
        Ok((true, row)) => reading.pictures.add_row(&row, from + at),
        Ok((false, row)) => reading
            .pictures
            .explained
            .push(row.fingerprint.0.into_owned()),
        Err(problem) => bad.push((number, problem)),
    });
    if !bad.is_empty() {
        let before = lines_before(&path, from).map_err(fail)?;
        reading.problems = bad
            .into_iter()
            .map(|(number, p)| p.file(&path).line(before + number))
            .collect();
        reading.pictures.damaged = true;
    }
    reading.whole = ValidPrefix::new(from + bytes.len() as u64, torn_at.map(|at| from + at));
    reading.pictures.whole = reading.whole;
    reading
        .pictures
        .prefix
        .add(&bytes[..torn_at.map_or(bytes.len(), |at| at as usize)]);
    Ok(reading)
}

/// The parts of each fingerprint that the journal below `images` explains, by its short form.
///
/// # Errors
/// I/O errors.
pub fn fingerprints(images: &Path) -> Result<BTreeMap<String, Fingerprint>> {
    let bytes = regular::read_if_there(&images.join(FILE), u64::MAX)?;
    let mut found = BTreeMap::new();
    checksummed_line::each::<Row<'_>>(&bytes.unwrap_or_default(), &mut |_, _, row| {
        if let Ok(row) = row
            && checked(&row).is_ok_and(|is_picture| !is_picture)
        {
            let parts = Fingerprint { parts: row.parts };
            found.insert(row.fingerprint.0.into_owned(), parts);
        }
    });
    Ok(found)
}

/// Number of lines in the first `length` bytes of a file.
fn lines_before(path: &Path, length: u64) -> std::io::Result<u64> {
    let mut bytes = Vec::new();
    File::open(path)?.take(length).read_to_end(&mut bytes)?;
    Ok(memchr::memchr_iter(b'\n', &bytes).count() as u64)
}

/// The journal, open for appending.
#[derive(Debug)]
pub struct Journal {
    file: AppendLog,
    prefix: PrefixDigest,
    explained: Vec<String>,
    buffer: Vec<u8>,
}

impl Journal {
    /// Opens or creates the journal below `images`.
    pub fn open(images: &Path) -> Result<Journal> {
        Journal::after(images, &read(images)?.pictures)
    }

    /// Opens a journal that was just read as `pictures`, without reading it again. That would take
    /// half a second for 100,000 pictures.
    pub fn after(images: &Path, pictures: &Pictures) -> Result<Journal> {
        let file = AppendLog::open(&images.join(FILE), pictures.whole)?;
        let (prefix, explained) = (pictures.prefix.clone(), pictures.explained.clone());
        Ok(Journal {
            file,
            prefix,
            explained,
            buffer: Vec::new(),
        })
    }

    /// Appends pictures, and fingerprints at their first use, with one write and one `fdatasync`.
    /// Returns the offsets of the lines, for [`Pictures::add`]. On an error, nothing is in the
    /// file.
    pub fn append(&mut self, list: &[GeneratedImage], prints: &[Fingerprint]) -> Result<Vec<u64>> {
        self.buffer.clear();
        let mut fresh = Vec::new();
        for print in prints {
            let fingerprint = print.short();
            if !self.explained.contains(&fingerprint) && !fresh.contains(&fingerprint) {
                let line = explanation(&fingerprint, print.parts.clone());
                checksummed_line::encode(&line, &mut self.buffer)?;
                fresh.push(fingerprint);
            }
        }
        let mut offsets = Vec::with_capacity(list.len());
        for made in list {
            offsets.push(self.file.length() + self.buffer.len() as u64);
            checksummed_line::encode(&row(made), &mut self.buffer)?;
        }
        self.file.append(&self.buffer, "cannot save the pictures")?;
        self.prefix.add(&self.buffer);
        self.explained.extend(fresh);
        Ok(offsets)
    }

    /// Whether the file must be reopened; see [`AppendLog::lost`].
    pub fn lost(&self) -> bool {
        self.file.must_reopen()
    }

    /// Digest of the content.
    pub fn prefix(&self) -> &PrefixDigest {
        &self.prefix
    }

    /// Length in bytes. All of it is on disk.
    pub fn length(&self) -> u64 {
        self.file.length()
    }

    /// Fingerprints that the journal explains.
    pub fn explained(&self) -> &[String] {
        &self.explained
    }
}

/// Length of the journal below `images` in bytes, or 0 if it does not exist.
pub fn length(images: &Path) -> Result<u64> {
    regular::length(&images.join(FILE))
}
