//! The lines of the picture journal.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{FILE, Pictures, number, picture_snapshot};
use crate::append_log::{AppendLog, ValidPrefix};
use crate::checksummed_line;
use crate::prefix_digest::PrefixDigest;
use benchtop_files::regular;
use benchtop_model::generated_image::GeneratedImage;
use benchtop_model::generation::Fingerprint;
use benchtop_model::{Error, ErrorKind, Result};

/// Version of the lines.
const VERSION: u8 = 1;

/// A text of a line, borrowed from the line unless it has escapes. Opening a project can read
/// 100,000 lines.
#[derive(Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Text<'l>(#[serde(borrow)] pub(super) Cow<'l, str>);

/// A line: a picture, or the parts of a fingerprint at its first use. One struct for both, because
/// a tagged enum would parse several times slower.
#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Row<'l> {
    v: u8,
    #[serde(skip_serializing_if = "is_default")]
    pub(super) rev: u64,
    #[serde(borrow, skip_serializing_if = "is_default")]
    pub(super) dataset: Text<'l>,
    #[serde(borrow, skip_serializing_if = "is_default")]
    pub(super) picture: Text<'l>,
    #[serde(skip_serializing_if = "is_default")]
    pub(super) sample: u32,
    #[serde(borrow, skip_serializing_if = "is_default")]
    pub(super) hash: Text<'l>,
    #[serde(borrow, skip_serializing_if = "is_default")]
    pub(super) ext: Text<'l>,
    #[serde(skip_serializing_if = "is_default")]
    width: u32,
    #[serde(skip_serializing_if = "is_default")]
    height: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) seed: Option<u64>,
    #[serde(borrow)]
    pub(super) fingerprint: Text<'l>,
    #[serde(skip_serializing_if = "is_default")]
    parts: BTreeMap<String, String>,
    #[serde(borrow, skip_serializing_if = "is_default")]
    pub(super) prompt: Text<'l>,
    #[serde(skip_serializing_if = "is_default")]
    pub(super) job: u32,
    #[serde(borrow, skip_serializing_if = "is_default")]
    at: Text<'l>,
    #[serde(skip_serializing_if = "is_default")]
    pub(super) draft: bool,
    #[serde(borrow, skip_serializing_if = "is_default")]
    notes: Vec<Text<'l>>,
    #[serde(borrow, skip_serializing_if = "is_default")]
    pub(super) items: Vec<Text<'l>>,
    #[serde(borrow, skip_serializing_if = "is_default")]
    pub(super) of: Vec<Text<'l>>,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

fn text(text: &str) -> Text<'_> {
    Text(Cow::Borrowed(text))
}

fn texts(list: &[String]) -> Vec<Text<'_>> {
    list.iter().map(|t| text(t)).collect()
}

/// The line of a picture.
pub(super) fn row(made: &GeneratedImage) -> Row<'_> {
    Row {
        v: VERSION,
        rev: made.rev,
        dataset: text(&made.dataset),
        picture: text(&made.picture),
        sample: made.sample,
        hash: text(&made.hash),
        ext: text(&made.ext),
        width: made.width,
        height: made.height,
        seed: Some(made.seed),
        fingerprint: text(&made.fingerprint),
        parts: BTreeMap::new(),
        prompt: text(&made.prompt),
        job: made.job,
        at: text(&made.at),
        draft: made.draft,
        notes: texts(&made.notes),
        items: texts(&made.items),
        of: texts(&made.composed_of),
    }
}

fn corrupt(what: impl Into<String>) -> Error {
    Error::new(ErrorKind::Corrupt, what)
}

/// Whether a line is a picture. Otherwise it explains a fingerprint.
fn checked(row: &Row<'_>) -> Result<bool> {
    if row.v != VERSION {
        return Err(corrupt(format!(
            "unsupported line version {}; a newer benchtop wrote this line",
            row.v
        )));
    }
    if row.sample == 0 && !row.parts.is_empty() {
        return Ok(false);
    }
    let is_ext = |ext: &str| {
        !ext.is_empty() && ext.len() <= 8 && ext.bytes().all(|b| b.is_ascii_alphanumeric())
    };
    let is_hash = row.hash.0.len() == 64 && blake3::Hash::from_hex(row.hash.0.as_bytes()).is_ok();
    let complete =
        is_hash && is_ext(&row.ext.0) && row.seed.is_some() && number(&row.prompt.0).is_some();
    if row.sample == 0 || row.rev == 0 || !complete {
        return Err(corrupt(
            "the line lacks a valid sample, revision, hash, extension, seed, or prompt",
        ));
    }
    Ok(true)
}

fn made(row: Row<'_>) -> GeneratedImage {
    let list = |list: Vec<Text<'_>>| list.into_iter().map(|t| t.0.into_owned()).collect();
    GeneratedImage {
        rev: row.rev,
        dataset: row.dataset.0.into_owned(),
        picture: row.picture.0.into_owned(),
        sample: row.sample,
        hash: row.hash.0.into_owned(),
        ext: row.ext.0.into_owned(),
        width: row.width,
        height: row.height,
        seed: row.seed.unwrap_or_default(),
        fingerprint: row.fingerprint.0.into_owned(),
        prompt: row.prompt.0.into_owned(),
        job: row.job,
        at: row.at.0.into_owned(),
        draft: row.draft,
        notes: list(row.notes),
        items: list(row.items),
        composed_of: list(row.of),
    }
}

/// Parses the picture of a line.
///
/// # Errors
/// [`ErrorKind::Corrupt`].
pub(super) fn decode(bytes: &[u8]) -> Result<GeneratedImage> {
    let row = checksummed_line::decode::<Row<'_>>(bytes)?;
    if checked(&row)? {
        Ok(made(row))
    } else {
        Err(corrupt("the line is not a picture"))
    }
}

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
    reading.whole = ValidPrefix {
        length: from + torn_at.unwrap_or(bytes.len() as u64),
        torn: torn_at.is_some(),
    };
    reading.pictures.whole = reading.whole;
    reading
        .pictures
        .prefix
        .add(&bytes[..torn_at.map_or(bytes.len(), |at| at as usize)]);
    Ok(reading)
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
                let parts = print.parts.clone();
                checksummed_line::encode(
                    &Row {
                        v: VERSION,
                        fingerprint: text(&fingerprint),
                        parts,
                        ..Row::default()
                    },
                    &mut self.buffer,
                )?;
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
        self.file.lost()
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
