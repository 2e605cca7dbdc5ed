//! `store/pictures.snap`: the index over the picture journal as it was when the journal was so long, so that opening
//! reads only the lines after them. A cache of the journal, which stays the truth: a file that is missing, damaged, of
//! another version or of another journal is not used, and nothing is lost with it.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use bytemuck::cast_slice;
use serde::{Deserialize, Serialize};

use super::{Entry, FILE, Pictures};
use crate::append_log::ValidPrefix;
use crate::columnar_cache::{Reading, write};
use crate::prefix_digest::PrefixDigest;
use benchtop_files::regular;
use benchtop_model::{Error, ErrorKind, Result};

const MAGIC: &[u8; 8] = b"btpict\x00\x02";
/// Bytes of a picture beside its items: eight bytes each of key, revision, seed, prompt, pair and offset; four of sample,
/// job and how many items; two of fingerprint and extension; one that says whether it is a draft; the hash.
const ROW: u64 = 6 * 8 + 3 * 4 + 2 * 2 + 1 + 32;
/// The first bytes of a journal, which tell one from another at a glance.
const PIECE: u64 = 1 << 10;
/// Pictures that may follow what the file has before it is written anew, and no fewer than an eighth of those: reading so
/// many lines takes 10 ms.
const LONG: usize = 4096;

/// What the file holds beside the columns.
#[derive(Serialize, Deserialize)]
struct Tail {
    /// Bytes of the journal that it is of.
    length: u64,
    /// blake3 of them.
    prefix: [u8; 32],
    names: Vec<String>,
    explained: Vec<String>,
    /// Items of all pictures together.
    items: u64,
}

/// The file of the store at `store`.
pub fn path(store: &Path) -> PathBuf {
    store.join("pictures.snap")
}

/// What a file says at its beginning of the journal that it is of: a hash of the journal's first bytes.
fn key(file: &File) -> std::io::Result<[u8; 32]> {
    let mut piece = [0; PIECE as usize];
    file.read_exact_at(&mut piece, 0)?;
    Ok(*blake3::hash(&piece).as_bytes())
}

/// Pictures as columns, to be written.
#[derive(Default)]
pub struct PictureSnapshot {
    /// The part of the journal that they are all of.
    prefix: PrefixDigest,
    names: Vec<String>,
    explained: Vec<String>,
    keys: Vec<u64>,
    revs: Vec<u64>,
    seeds: Vec<u64>,
    prompts: Vec<u64>,
    pairs: Vec<u64>,
    offsets: Vec<u64>,
    samples: Vec<u32>,
    jobs: Vec<u32>,
    counts: Vec<u32>,
    prints: Vec<u16>,
    exts: Vec<u16>,
    drafts: Vec<u8>,
    hashes: Vec<[u8; 32]>,
    items: Vec<u64>,
}

impl PictureSnapshot {
    fn of(pictures: &Pictures) -> PictureSnapshot {
        let made = &pictures.made;
        PictureSnapshot {
            prefix: pictures.prefix.clone(),
            names: pictures.names.clone(),
            explained: pictures.explained.clone(),
            keys: made.iter().map(|e| e.key).collect(),
            revs: made.iter().map(|e| e.rev).collect(),
            seeds: made.iter().map(|e| e.seed).collect(),
            prompts: made.iter().map(|e| e.prompt).collect(),
            pairs: made.iter().map(|e| e.of).collect(),
            offsets: made.iter().map(|e| e.offset).collect(),
            samples: made.iter().map(|e| e.sample).collect(),
            jobs: made.iter().map(|e| e.job).collect(),
            counts: made.iter().map(|e| e.items.len() as u32).collect(),
            prints: made.iter().map(|e| e.fingerprint).collect(),
            exts: made.iter().map(|e| e.ext).collect(),
            drafts: made.iter().map(|e| u8::from(e.draft)).collect(),
            hashes: made.iter().map(|e| e.hash).collect(),
            items: made.iter().flat_map(|e| e.items.iter().copied()).collect(),
        }
    }

    /// Writes them to the file of the store at `store`; `images` is where their journal lies.
    ///
    /// # Errors
    /// The operating system's; the old file is then as it was.
    pub fn write(&self, store: &Path, images: &Path) -> Result<()> {
        let journal = images.join(FILE);
        let fail = |e: std::io::Error| Error::io(&e, "cannot be read", &journal);
        let file = regular::open(&journal, OpenOptions::new().read(true))?;
        let tail = Tail {
            length: self.prefix.length(),
            prefix: self.prefix.digest(),
            names: self.names.clone(),
            explained: self.explained.clone(),
            items: self.items.len() as u64,
        };
        write(
            &path(store),
            MAGIC,
            &key(&file).map_err(fail)?,
            self.keys.len(),
            &self.arrays(),
            &tail,
        )
    }

    /// In the order of the file.
    fn arrays(&self) -> [&[u8]; 14] {
        [
            cast_slice(&self.keys),
            cast_slice(&self.revs),
            cast_slice(&self.seeds),
            cast_slice(&self.prompts),
            cast_slice(&self.pairs),
            cast_slice(&self.offsets),
            cast_slice(&self.samples),
            cast_slice(&self.jobs),
            cast_slice(&self.counts),
            cast_slice(&self.prints),
            cast_slice(&self.exts),
            &self.drafts,
            cast_slice(&self.hashes),
            cast_slice(&self.items),
        ]
    }
}

/// Reads the pictures that the file of the store at `store` has of the journal below `images`, and how much of the journal
/// that is ([`Pictures::whole`]).
///
/// # Errors
/// [`ErrorKind::NotFound`] without a file of this journal, [`ErrorKind::Corrupt`] for a damaged one, and the operating system's:
/// whatever it is, the file is then not used.
pub(super) fn read(store: &Path, images: &Path) -> Result<Pictures> {
    let journal = images.join(FILE);
    let fail = |e: std::io::Error| Error::io(&e, "cannot be read", &journal);
    let file = regular::open(&journal, OpenOptions::new().read(true))?;
    let reading = Reading::open(path(store), MAGIC, &key(&file).map_err(fail)?)?;
    let tail: Tail = reading.unchecked_tail()?;
    let columns_of = reading.rows.checked_mul(ROW);
    let all = columns_of.and_then(|columns| columns.checked_add(tail.items.checked_mul(8)?));
    if all != Some(reading.body) {
        return Err(reading.corrupt("its columns do not fit its header"));
    }
    let (rows, mut cursor) = (reading.rows as usize, reading.cursor(0));
    let columns = PictureSnapshot {
        keys: cursor.array(rows)?,
        revs: cursor.array(rows)?,
        seeds: cursor.array(rows)?,
        prompts: cursor.array(rows)?,
        pairs: cursor.array(rows)?,
        offsets: cursor.array(rows)?,
        samples: cursor.array(rows)?,
        jobs: cursor.array(rows)?,
        counts: cursor.array(rows)?,
        prints: cursor.array(rows)?,
        exts: cursor.array(rows)?,
        drafts: cursor.array(rows)?,
        hashes: cursor.array(rows)?,
        items: cursor.array(tail.items as usize)?,
        ..PictureSnapshot::default()
    };
    let tail: Tail = reading.finish(&[cursor.crc])?;
    let length = file.metadata().map_err(fail)?.len();
    let other = || Error::new(ErrorKind::NotFound, "it is of another journal").file(path(store));
    if tail.length > length {
        return Err(other());
    }
    let prefix = PrefixDigest::of_file(&file, tail.length, &journal)?;
    if prefix.digest() != tail.prefix {
        return Err(other());
    }
    let mut pictures = Pictures {
        path: journal,
        names: tail.names,
        explained: tail.explained,
        whole: ValidPrefix {
            length: tail.length,
            torn: false,
        },
        prefix,
        kept: rows,
        ..Pictures::default()
    };
    pictures.made.reserve(rows);
    pictures.newest.reserve(rows);
    let mut items = &columns.items[..];
    for at in 0..rows {
        let Some((of, rest)) = items.split_at_checked(columns.counts[at] as usize) else {
            return Err(reading.corrupt("its items do not fit its pictures"));
        };
        items = rest;
        pictures.enter(Entry {
            key: columns.keys[at],
            before: None,
            rev: columns.revs[at],
            sample: columns.samples[at],
            job: columns.jobs[at],
            seed: columns.seeds[at],
            prompt: columns.prompts[at],
            draft: columns.drafts[at] != 0,
            fingerprint: columns.prints[at],
            ext: columns.exts[at],
            hash: columns.hashes[at],
            of: columns.pairs[at],
            items: of.into(),
            offset: columns.offsets[at],
        });
    }
    Ok(pictures)
}

impl Pictures {
    /// What is to be written of them, where many would have to be read from their lines at the next opening. Until as many
    /// have come again there is nothing.
    ///
    /// A journal with damaged lines is read whole each time, so that each time it is said.
    pub fn to_keep(&mut self) -> Option<PictureSnapshot> {
        let fresh = self.made.len() - self.kept;
        let known = self
            .made
            .last()
            .is_some_and(|last| last.offset < self.whole.length);
        if self.damaged || !known || fresh < LONG.max(self.kept / 8) {
            return None;
        }
        self.kept = self.made.len();
        Some(PictureSnapshot::of(self))
    }
}

#[cfg(test)]
mod tests;
