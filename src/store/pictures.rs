//! `images/pictures.jsonl`: the append-only record of the pictures that were made here, and the index over it.
//!
//! An item names its picture and does not know its file. Which file that is, is found here by data set and name, and by
//! the prompt: an item is shown only with a picture that was made from its own prompt. Of several samples the newest
//! counts.

mod journal;
mod line;
pub mod picture_snapshot;

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::PathBuf;

pub use journal::{Journal, Reading, length, read, read_on};
use serde::Deserialize;
use serde_json::value::RawValue;

use self::line::number;
use super::append_log::ValidPrefix;
use super::catalog::{Catalog, parse};
use super::columns::id_hash;
use super::prefix_digest::PrefixDigest;
use benchtop_files::regular;
use benchtop_model::generated_image::{GeneratedImage, picture_key, prompt_key};
use benchtop_model::{Error, ImageRef, Item, Result};

/// Its file below `images/`.
pub const FILE: &str = "pictures.jsonl";

/// What is held of a picture that was made; the rest is read from its line when somebody asks.
#[derive(Clone, Debug)]
pub struct Entry {
    key: u64,
    /// The entry of the same picture before this one.
    before: Option<u32>,
    /// Revision of the project that it made.
    pub rev: u64,
    /// Which sample of its picture, from 1.
    pub sample: u32,
    /// The job that asked for it.
    pub job: u32,
    /// The seed it was made from.
    pub seed: u64,
    /// [`prompt_key`] of what it was made from.
    pub prompt: u64,
    /// Whether it is a draft.
    pub draft: bool,
    fingerprint: u16,
    ext: u16,
    hash: [u8; 32],
    /// For two side by side: a number for the pair.
    of: u64,
    items: Box<[u64]>,
    offset: u64,
}

impl Entry {
    /// The number of its file, see [`benchtop_model::generated_image::file_key`].
    pub fn file(&self) -> u64 {
        let mut first = [0; 8];
        first.copy_from_slice(&self.hash[..8]);
        u64::from_be_bytes(first)
    }
}

/// A number for the pictures that one was put together from; 0 for none.
pub fn parts_key(hashes: &[&str]) -> u64 {
    if hashes.is_empty() {
        0
    } else {
        id_hash(&hashes.join(" "))
    }
}

/// All pictures that were made, in the order of their lines.
#[derive(Clone, Debug, Default)]
pub struct Pictures {
    path: PathBuf,
    made: Vec<Entry>,
    newest: HashMap<u64, u32>,
    /// Fingerprints and extensions: few, and used by many.
    names: Vec<String>,
    by_job: HashMap<u32, u64>,
    /// How much of the journal these are, the bytes of it, and the fingerprints explained in it.
    whole: ValidPrefix,
    prefix: PrefixDigest,
    explained: Vec<String>,
    /// Whether lines of it are damaged.
    damaged: bool,
    /// Pictures that were kept in the store, see [`picture_snapshot`].
    kept: usize,
}

impl Pictures {
    /// Adds a picture whose line begins at `offset`.
    pub fn add(&mut self, made: &GeneratedImage, offset: u64) {
        self.take(&line::row(made), offset);
    }

    fn take(&mut self, row: &line::Row<'_>, offset: u64) {
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
            fingerprint: self.name(&row.fingerprint.0),
            ext: self.name(&row.ext.0),
            hash,
            of: parts_key(&of),
            items: row.items.iter().map(|id| id_hash(&id.0)).collect(),
            offset,
        };
        self.enter(entry);
    }

    fn enter(&mut self, entry: Entry) {
        let before = self.newest.insert(entry.key, self.made.len() as u32);
        *self.by_job.entry(entry.job).or_default() += 1;
        self.made.push(Entry { before, ..entry });
    }

    /// `journal` holds these pictures and no other.
    pub fn follow(&mut self, journal: &Journal) {
        self.whole = ValidPrefix {
            length: journal.length(),
            torn: false,
        };
        self.prefix.clone_from(journal.prefix());
        if self.explained.len() != journal.explained().len() {
            self.explained = journal.explained().to_vec();
        }
    }

    fn name(&mut self, name: &str) -> u16 {
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

    /// The part of the journal that these are.
    pub fn prefix(&self) -> &PrefixDigest {
        &self.prefix
    }

    /// Pictures that were made, all samples counted.
    pub fn len(&self) -> usize {
        self.made.len()
    }

    /// Whether none was made.
    pub fn is_empty(&self) -> bool {
        self.made.is_empty()
    }

    /// Revision of the project that the last one made; 0 for none.
    pub fn last_rev(&self) -> u64 {
        self.made.last().map_or(0, |e| e.rev)
    }

    /// Pictures that a job made.
    pub fn of_job(&self, job: u32) -> u64 {
        self.by_job.get(&job).copied().unwrap_or_default()
    }

    /// The largest number of a job that made one.
    pub fn last_job(&self) -> u32 {
        self.by_job.keys().max().copied().unwrap_or_default()
    }

    /// What was made of a picture (see [`picture_key`]), newest first.
    pub fn samples(&self, key: u64) -> impl Iterator<Item = &Entry> {
        let entry = move |at: u32| self.made.get(at as usize).filter(|e| e.key == key);
        std::iter::successors(self.newest.get(&key).and_then(|at| entry(*at)), move |e| {
            e.before.and_then(entry)
        })
    }

    /// What a picture is today: the newest that was made from this prompt.
    pub fn current(&self, key: u64, prompt: u64) -> Option<&Entry> {
        self.samples(key).find(|e| e.prompt == prompt)
    }

    /// The fingerprint (its short form) of what made this one.
    pub fn fingerprint(&self, entry: &Entry) -> &str {
        self.names
            .get(usize::from(entry.fingerprint))
            .map_or("", String::as_str)
    }

    /// The picture as an item that calls it `name` refers to it.
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

    /// Whether it was put together from pictures with this [`parts_key`].
    pub fn is_of(&self, entry: &Entry, parts: u64) -> bool {
        entry.of == parts
    }

    /// Revisions and the hashes of the ids of their items ([`id_hash`]), in order.
    pub fn revisions(&self) -> impl Iterator<Item = (u64, &[u64])> {
        self.made.iter().map(|e| (e.rev, &*e.items))
    }

    /// Everything the journal says of a picture that was made.
    ///
    /// # Errors
    /// [`benchtop_model::ErrorKind::Corrupt`], and the operating system's.
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

    /// An item's JSON with the files of its pictures, where they were made here; `None` where it stays as it is.
    ///
    /// Only the list of pictures is written anew: the rest of the line keeps every byte.
    pub fn resolved(&self, line: &str) -> Option<String> {
        if self.is_empty() {
            return None;
        }
        let item: Lean = serde_json::from_str(line).ok()?;
        let raw = item.images?;
        let mut images: Vec<ImageRef> = serde_json::from_str(raw.get()).ok()?;
        let prompt = prompt_key(
            item.prompt.as_deref().unwrap_or_default(),
            item.negative_prompt.as_deref(),
        );
        let mut found = false;
        for image in images.iter_mut().filter(|i| i.hash.is_none()) {
            if let Some(entry) = self.current(picture_key(&item.dataset, &image.name), prompt) {
                *image = self.image(entry, &image.name);
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
    /// Item `row` of `catalog` as a person sees it: with the files of the pictures that were made.
    ///
    /// # Errors
    /// What keeps it from being read.
    pub fn seen(&self, catalog: &Catalog, row: usize) -> Result<Item> {
        if self.is_empty() {
            return catalog.item(row);
        }
        let line = catalog.line(row)?;
        let line = self.resolved(&line).unwrap_or(line);
        parse(line.as_bytes())
    }
}

/// What of an item says which its pictures are.
#[derive(Deserialize)]
struct Lean<'l> {
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
