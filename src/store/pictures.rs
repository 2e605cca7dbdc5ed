//! `images/pictures.jsonl`: the append-only journal of generated pictures, and an index over it.
//!
//! An item names its picture but not the file. The file is found here by data set, name, and
//! prompt: an item is shown only with a picture that was generated from its own prompt. If there
//! are several samples, the newest counts.

mod journal;
mod line;
pub mod picture_snapshot;

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::PathBuf;

pub use journal::{Journal, Reading, fingerprints, length, read, read_on};
use serde::Deserialize;
use serde_json::value::RawValue;

use self::line::number;
use super::append_log::ValidPrefix;
use super::catalog::{Catalog, parse};
use super::columns::id_hash;
use super::jobs::HIGHEST;
use super::prefix_digest::PrefixDigest;
use benchtop_files::regular;
use benchtop_model::generated_image::{GeneratedImage, picture_key, prompt_key};
use benchtop_model::{Error, ImageRef, Item, Result};

/// File name below `images/`.
pub const FILE: &str = "pictures.jsonl";

/// The indexed part of a generated picture. The rest is read from its line on demand.
#[derive(Clone, Debug)]
pub struct Entry {
    key: u64,
    /// The previous entry of the same picture.
    before: Option<u32>,
    /// Revision of the project that it made.
    pub rev: u64,
    /// Sample number, from 1.
    pub sample: u32,
    /// The job that requested it.
    pub job: u32,
    pub seed: u64,
    /// [`prompt_key`] of its prompt.
    pub prompt: u64,
    pub draft: bool,
    fingerprint: u16,
    ext: u16,
    hash: [u8; 32],
    /// For two pictures side by side: a key of the pair.
    composed_of: u64,
    items: Box<[u64]>,
    offset: u64,
}

impl Entry {
    /// The key of its file, see [`benchtop_model::generated_image::file_key`].
    pub fn file(&self) -> u64 {
        let mut first = [0; 8];
        first.copy_from_slice(&self.hash[..8]);
        u64::from_be_bytes(first)
    }
}

/// A key of the pictures that a picture was composed of, or 0.
pub fn parts_key(hashes: &[&str]) -> u64 {
    if hashes.is_empty() {
        0
    } else {
        id_hash(&hashes.join(" "))
    }
}

/// All generated pictures, in journal order.
#[derive(Clone, Debug, Default)]
pub struct Pictures {
    path: PathBuf,
    made: Vec<Entry>,
    newest: HashMap<u64, u32>,
    /// Fingerprints and extensions, interned.
    names: Vec<String>,
    by_job: HashMap<u32, u64>,
    /// The part of the journal that is indexed, its digest, and its fingerprints.
    whole: ValidPrefix,
    prefix: PrefixDigest,
    explained: Vec<String>,
    /// Whether the journal has damaged lines.
    damaged: bool,
    /// Number of pictures in the snapshot, see [`picture_snapshot`].
    in_snapshot: usize,
}

impl Pictures {
    /// Adds a picture whose line starts at `offset`.
    pub fn add(&mut self, made: &GeneratedImage, offset: u64) {
        self.add_row(&line::row(made), offset);
    }

    fn add_row(&mut self, row: &line::Row<'_>, offset: u64) {
        let hash =
            blake3::Hash::from_hex(row.hash.0.as_bytes()).map_or([0; 32], |hash| *hash.as_bytes());
        let of: Vec<&str> = row.of.iter().map(|t| &*t.0).collect();
        let entry = Entry {
            key: picture_key(&row.dataset.0, &row.picture.0),
            before: None,
            rev: row.rev,
            sample: row.sample,
            job: row.job,
            seed: row.seed.unwrap_or_default(),
            prompt: number(&row.prompt.0).unwrap_or_default(),
            draft: row.draft,
            fingerprint: self.intern(&row.fingerprint.0),
            ext: self.intern(&row.ext.0),
            hash,
            composed_of: parts_key(&of),
            items: row.items.iter().map(|id| id_hash(&id.0)).collect(),
            offset,
        };
        self.push(entry);
    }

    fn push(&mut self, entry: Entry) {
        let before = self.newest.insert(entry.key, self.made.len() as u32);
        *self.by_job.entry(entry.job).or_default() += 1;
        self.made.push(Entry { before, ..entry });
    }

    /// Records that `journal` has exactly these pictures.
    pub fn set_journal(&mut self, journal: &Journal) {
        self.whole = ValidPrefix::new(journal.length(), None);
        self.prefix.clone_from(journal.prefix());
        if self.explained.len() != journal.explained().len() {
            self.explained = journal.explained().to_vec();
        }
    }

    fn intern(&mut self, name: &str) -> u16 {
        let at = self
            .names
            .iter()
            .position(|n| n == name)
            .unwrap_or_else(|| {
                self.names.push(name.to_string());
                self.names.len() - 1
            });
        at as u16
    }

    /// Digest of the indexed part of the journal.
    pub fn prefix(&self) -> &PrefixDigest {
        &self.prefix
    }

    /// Number of generated pictures, including all samples.
    pub fn len(&self) -> usize {
        self.made.len()
    }

    pub fn is_empty(&self) -> bool {
        self.made.is_empty()
    }

    /// Revision of the project that the last one made, or 0.
    pub fn last_rev(&self) -> u64 {
        self.made.last().map_or(0, |e| e.rev)
    }

    /// Number of pictures that a job generated.
    pub fn of_job(&self, job: u32) -> u64 {
        self.by_job.get(&job).copied().unwrap_or_default()
    }

    /// The highest number of a job with pictures.
    pub fn last_job(&self) -> u32 {
        let jobs = self.by_job.keys().filter(|id| **id <= HIGHEST);
        jobs.max().copied().unwrap_or_default()
    }

    /// Samples of a picture (see [`picture_key`]), newest first.
    pub fn samples(&self, key: u64) -> impl Iterator<Item = &Entry> {
        let entry = move |at: u32| self.made.get(at as usize).filter(|e| e.key == key);
        std::iter::successors(self.newest.get(&key).and_then(|at| entry(*at)), move |e| {
            e.before.and_then(entry)
        })
    }

    /// The sample of a picture that counts: the newest that was generated from this prompt.
    pub fn current(&self, key: u64, prompt: u64) -> Option<&Entry> {
        self.samples(key).find(|e| e.prompt == prompt)
    }

    /// Short fingerprint of the generator.
    pub fn fingerprint(&self, entry: &Entry) -> &str {
        self.names
            .get(usize::from(entry.fingerprint))
            .map_or("", String::as_str)
    }

    /// The reference to this picture in an item that calls it `name`.
    pub fn image(&self, entry: &Entry, name: &str) -> ImageRef {
        let ext = self.names.get(usize::from(entry.ext)).cloned();
        let hash = Some(blake3::Hash::from_bytes(entry.hash).to_hex().to_string());
        ImageRef {
            name: name.to_string(),
            hash,
            ext,
            draft: entry.draft,
            ..ImageRef::default()
        }
    }

    /// Whether it was composed of pictures with this [`parts_key`].
    pub fn is_of(&self, entry: &Entry, parts: u64) -> bool {
        entry.composed_of == parts
    }

    /// Revisions with the hashes of their items' ids ([`id_hash`]), in order.
    pub fn revisions(&self) -> impl Iterator<Item = (u64, &[u64])> {
        self.made.iter().map(|e| (e.rev, &*e.items))
    }

    /// Reads the whole record of a picture.
    ///
    /// # Errors
    /// [`benchtop_model::ErrorKind::Corrupt`].
    pub fn line(&self, entry: &Entry) -> Result<GeneratedImage> {
        use std::io::{BufRead, Seek, SeekFrom};
        let fail = |e: std::io::Error| Error::io(&e, "cannot be read", &self.path);
        let mut file = std::io::BufReader::new(regular::open(
            &self.path,
            std::fs::OpenOptions::new().read(true),
        )?);
        file.seek(SeekFrom::Start(entry.offset)).map_err(fail)?;
        let mut bytes = Vec::new();
        file.read_until(b'\n', &mut bytes).map_err(fail)?;
        line::decode(&bytes).map_err(|p| p.file(&self.path))
    }

    /// The JSON of an item with the files of its generated pictures, or `None` if nothing changes.
    /// Only the list of pictures is rewritten. All other bytes stay.
    pub fn resolved(&self, line: &str) -> Option<String> {
        if self.is_empty() {
            return None;
        }
        let item: PictureFields = serde_json::from_str(line).ok()?;
        let raw = item.images?;
        let mut images: Vec<ImageRef> = serde_json::from_str(raw.get()).ok()?;
        let prompt = prompt_key(
            item.prompt.as_deref().unwrap_or_default(),
            item.negative_prompt.as_deref(),
        );
        let mut found = false;
        for image in images.iter_mut().filter(|i| i.hash.is_none()) {
            if let Some(entry) = self.current(picture_key(&item.dataset, &image.name), prompt) {
                *image = ImageRef {
                    rights: image.rights.take(),
                    ..self.image(entry, &image.name)
                };
                found = true;
            }
        }
        if !found {
            return None;
        }
        let start = (raw.get().as_ptr() as usize).checked_sub(line.as_ptr() as usize)?;
        let (before, after) = (line.get(..start)?, line.get(start + raw.get().len()..)?);
        Some(format!(
            "{before}{}{after}",
            serde_json::to_string(&images).ok()?
        ))
    }
}

impl Pictures {
    /// The item in `row` as annotators see it, with the files of generated pictures.
    ///
    /// # Errors
    /// The item cannot be read.
    pub fn shown_item(&self, catalog: &Catalog, row: usize) -> Result<Item> {
        if self.is_empty() {
            return catalog.item(row);
        }
        let line = catalog.line(row)?;
        let line = self.resolved(&line).unwrap_or(line);
        parse(line.as_bytes())
    }
}

/// The fields of an item that identify its pictures.
#[derive(Deserialize)]
struct PictureFields<'l> {
    #[serde(borrow)]
    dataset: Cow<'l, str>,
    #[serde(borrow, default)]
    images: Option<&'l RawValue>,
    #[serde(borrow, default)]
    prompt: Option<Cow<'l, str>>,
    #[serde(borrow, default)]
    negative_prompt: Option<Cow<'l, str>>,
}

#[cfg(test)]
mod tests;
