//! The lines of the picture journal.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{FILE, Pictures, number};
use crate::model::generation::Fingerprint;
use crate::model::made::Made;
use crate::model::{Kind, Problem, Result};
use crate::store::append::{Appended, Whole};
use crate::store::line;

/// Format of the lines written today.
const VERSION: u8 = 1;

/// A line: a picture, or the parts of a fingerprint the first time it is used. One shape for both, since telling two
/// apart while reading takes several times as long.
#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
struct Row {
    v: u8,
    #[serde(skip_serializing_if = "is_default")]
    rev: u64,
    #[serde(skip_serializing_if = "is_default")]
    dataset: String,
    #[serde(skip_serializing_if = "is_default")]
    picture: String,
    #[serde(skip_serializing_if = "is_default")]
    sample: u32,
    #[serde(skip_serializing_if = "is_default")]
    hash: String,
    #[serde(skip_serializing_if = "is_default")]
    ext: String,
    #[serde(skip_serializing_if = "is_default")]
    width: u32,
    #[serde(skip_serializing_if = "is_default")]
    height: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<u64>,
    fingerprint: String,
    #[serde(skip_serializing_if = "is_default")]
    parts: BTreeMap<String, String>,
    #[serde(skip_serializing_if = "is_default")]
    prompt: String,
    #[serde(skip_serializing_if = "is_default")]
    job: u32,
    #[serde(skip_serializing_if = "is_default")]
    at: String,
    #[serde(skip_serializing_if = "is_default")]
    draft: bool,
    #[serde(skip_serializing_if = "is_default")]
    notes: Vec<String>,
    #[serde(skip_serializing_if = "is_default")]
    items: Vec<String>,
    #[serde(skip_serializing_if = "is_default")]
    of: Vec<String>,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

fn row(made: &Made) -> Row {
    let made = made.clone();
    Row {
        v: VERSION,
        rev: made.rev,
        dataset: made.dataset,
        picture: made.picture,
        sample: made.sample,
        hash: made.hash,
        ext: made.ext,
        width: made.width,
        height: made.height,
        seed: Some(made.seed),
        fingerprint: made.fingerprint,
        parts: BTreeMap::new(),
        prompt: made.prompt,
        job: made.job,
        at: made.at,
        draft: made.draft,
        notes: made.notes,
        items: made.items,
        of: made.of,
    }
}

/// The picture a line is about; `None` for one that explains a fingerprint.
fn made(row: Row) -> Result<Option<Made>> {
    let corrupt = |what: String| Problem::new(Kind::Corrupt, what);
    if row.v != VERSION {
        return Err(corrupt(format!("line version {} is newer than this program reads", row.v)));
    }
    if row.sample == 0 && !row.parts.is_empty() {
        return Ok(None);
    }
    let made = Made {
        rev: row.rev,
        dataset: row.dataset,
        picture: row.picture,
        sample: row.sample,
        hash: row.hash,
        ext: row.ext,
        width: row.width,
        height: row.height,
        seed: row.seed.ok_or_else(|| corrupt("the line has no seed".into()))?,
        fingerprint: row.fingerprint,
        prompt: row.prompt,
        job: row.job,
        at: row.at,
        draft: row.draft,
        notes: row.notes,
        items: row.items,
        of: row.of,
    };
    if made.sample == 0 || made.rev == 0 || made.image().stored().is_none() || number(&made.prompt).is_none() {
        return Err(corrupt("the line names no picture, sample, revision, file or prompt".into()));
    }
    Ok(Some(made))
}

/// The picture on one line.
///
/// # Errors
/// [`Kind::Corrupt`].
pub(super) fn decode(bytes: &[u8]) -> Result<Made> {
    let none = || Problem::new(Kind::Corrupt, "there is no picture on this line");
    line::decode::<Row>(bytes).and_then(made)?.ok_or_else(none)
}

/// What reading the journal found.
#[derive(Debug, Default)]
pub struct Reading {
    /// Its pictures.
    pub pictures: Pictures,
    /// What was wrong, with file and line. Bad lines stay in the file and do not count.
    pub problems: Vec<Problem>,
    /// How much of it is whole.
    pub whole: Whole,
    /// Fingerprints that are explained in it.
    explained: Vec<String>,
}

/// Reads the journal below `images`; one that does not exist is empty.
///
/// # Errors
/// The operating system's. Bad lines are not errors: they are reported in [`Reading::problems`].
pub fn read(images: &Path) -> Result<Reading> {
    let path = images.join(FILE);
    let mut reading =
        Reading { pictures: Pictures { path: path.clone(), ..Pictures::default() }, ..Reading::default() };
    let bytes = match std::fs::read(&path) {
        Ok(bytes) => bytes,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(reading),
        Err(e) => return Err(Problem::io(&e, "cannot be read", &path)),
    };
    let torn_at = line::each::<Row>(&bytes, &mut |at, number, row| {
        let fingerprint = row.as_ref().map(|r| r.fingerprint.clone()).unwrap_or_default();
        match row.and_then(made) {
            Ok(Some(made)) => reading.pictures.add(&made, at),
            Ok(None) => reading.explained.push(fingerprint),
            Err(problem) => reading.problems.push(problem.file(&path).line(number)),
        }
    });
    reading.whole = Whole { length: torn_at.unwrap_or(bytes.len() as u64), torn: torn_at.is_some() };
    Ok(reading)
}

/// The journal, open for appending.
#[derive(Debug)]
pub struct Journal {
    file: Appended,
    explained: Vec<String>,
    buffer: Vec<u8>,
}

impl Journal {
    /// Opens or creates the journal below `images`.
    ///
    /// # Errors
    /// The operating system's.
    pub fn open(images: &Path) -> Result<Journal> {
        let Reading { whole, explained, .. } = read(images)?;
        Ok(Journal { file: Appended::open(&images.join(FILE), whole)?, explained, buffer: Vec::new() })
    }

    /// Appends what was made, and the fingerprints that are used for the first time, with one write and one
    /// `fdatasync`. Gives the offsets of the lines, for [`Pictures::add`].
    ///
    /// # Errors
    /// The operating system's (a full disk among them); then nothing of it is in the file.
    pub fn append(&mut self, list: &[Made], prints: &[Fingerprint]) -> Result<Vec<u64>> {
        self.buffer.clear();
        let mut fresh = Vec::new();
        for print in prints {
            let fingerprint = print.short();
            if !self.explained.contains(&fingerprint) && !fresh.contains(&fingerprint) {
                let parts = print.parts.clone();
                line::encode(
                    &Row { v: VERSION, fingerprint: fingerprint.clone(), parts, ..Row::default() },
                    &mut self.buffer,
                )?;
                fresh.push(fingerprint);
            }
        }
        let mut offsets = Vec::with_capacity(list.len());
        for made in list {
            offsets.push(self.file.length() + self.buffer.len() as u64);
            line::encode(&row(made), &mut self.buffer)?;
        }
        self.file.append(&self.buffer, "the pictures cannot be recorded")?;
        self.explained.extend(fresh);
        Ok(offsets)
    }
}

/// Bytes of the journal below `images`; 0 where there is none.
///
/// # Errors
/// The operating system's.
pub fn length(images: &Path) -> Result<u64> {
    let path = images.join(FILE);
    match std::fs::metadata(&path) {
        Ok(meta) => Ok(meta.len()),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(0),
        Err(e) => Err(Problem::io(&e, "cannot be read", &path)),
    }
}
