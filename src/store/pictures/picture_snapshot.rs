//! `store/pictures.snap`: a snapshot of the picture index, so that opening a project reads only the
//! later lines of the journal. A snapshot that is missing, damaged, or of another version or
//! journal is ignored, and nothing is lost.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use bytemuck::cast_slice;
use serde::{Deserialize, Serialize};

use super::{Entry, FILE, Pictures};
use crate::append_log::ValidPrefix;
use crate::prefix_digest::PrefixDigest;
use crate::snapshot_format::{Reading, write};
use benchtop_files::regular;
use benchtop_model::{Error, Result};

const MAGIC: &[u8; 8] = b"btpict\x00\x02";
/// Bytes per picture, without its items: 8 each for key, revision, seed, prompt, pair, and offset;
/// 4 each for sample, job, and number of items; 2 each for fingerprint and extension; 1 for the
/// draft flag; 32 for the hash.
const ROW: u64 = 6 * 8 + 3 * 4 + 2 * 2 + 1 + 32;
/// Number of first bytes of a journal that identify it.
const PIECE: u64 = 1 << 10;
/// Number of new pictures after which the snapshot is rewritten, but at least an eighth of its
/// pictures. Reading this many lines takes 10 ms.
const REWRITE_AFTER: usize = 4096;

/// Tail of the file.
#[derive(Serialize, Deserialize)]
struct Tail {
    /// Length of the indexed part of the journal in bytes.
    length: u64,
    /// blake3 hash of that part.
    prefix: [u8; 32],
    names: Vec<String>,
    explained: Vec<String>,
    /// Total number of items of all pictures.
    items: u64,
}

/// Path of the snapshot in `store`.
pub fn path(store: &Path) -> PathBuf {
    store.join("pictures.snap")
}

/// The key of a snapshot: a hash of the journal's first bytes.
fn key(file: &File) -> std::io::Result<[u8; 32]> {
    let mut piece = [0; PIECE as usize];
    file.read_exact_at(&mut piece, 0)?;
    Ok(*blake3::hash(&piece).as_bytes())
}

/// Pictures as columns, ready to be written.
#[derive(Default)]
pub struct PictureSnapshot {
    /// Digest of the indexed part of the journal.
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
            pairs: made.iter().map(|e| e.composed_of).collect(),
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

    /// Writes the snapshot to `store`. `images` is the folder of the journal. On an error, the old
    /// file stays.
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

    /// The columns in file order.
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

/// Reads the pictures of the snapshot in `store`. `images` is the folder of the journal. On any
/// error, the caller ignores the snapshot.
///
/// # Errors
/// [`Error::not_found`] without a snapshot of this journal. [`Error::corrupt`] for a damaged
/// one.
pub(super) fn read(store: &Path, images: &Path) -> Result<Pictures> {
    let journal = images.join(FILE);
    let fail = |e: std::io::Error| Error::io(&e, "cannot be read", &journal);
    let file = regular::open(&journal, OpenOptions::new().read(true))?;
    let reading = Reading::open(path(store), MAGIC, &key(&file).map_err(fail)?)?;
    let tail: Tail = reading.unchecked_tail()?;
    let columns_of = reading.rows.checked_mul(ROW);
    let all = columns_of.and_then(|columns| columns.checked_add(tail.items.checked_mul(8)?));
    if all != Some(reading.body) {
        return Err(reading.corrupt("the columns do not match the header"));
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
    let other = || Error::not_found("the snapshot belongs to another journal").file(path(store));
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
        whole: ValidPrefix::new(tail.length, None),
        prefix,
        in_snapshot: rows,
        ..Pictures::default()
    };
    pictures.made.reserve(rows);
    pictures.newest.reserve(rows);
    let mut items = &columns.items[..];
    for at in 0..rows {
        let Some((of_picture, rest)) = items.split_at_checked(columns.counts[at] as usize) else {
            return Err(reading.corrupt("the items do not match the pictures"));
        };
        items = rest;
        pictures.push(Entry {
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
            composed_of: columns.pairs[at],
            items: of_picture.into(),
            offset: columns.offsets[at],
        });
    }
    Ok(pictures)
}

impl Pictures {
    /// The snapshot to write, or `None` while the existing one covers enough of the journal. A
    /// journal with damaged lines gets no snapshot, so that each opening reads it completely and
    /// reports the damage.
    pub fn snapshot_to_write(&mut self) -> Option<PictureSnapshot> {
        let fresh = self.made.len() - self.in_snapshot;
        let known = self
            .made
            .last()
            .is_some_and(|last| last.offset < self.whole.length);
        if self.damaged || !known || fresh < REWRITE_AFTER.max(self.in_snapshot / 8) {
            return None;
        }
        self.in_snapshot = self.made.len();
        Some(PictureSnapshot::of(self))
    }
}

#[cfg(test)]
mod tests;
