//! Pictures as points: L2-normalised half floats by the hash of the picture, for near duplicates and the nearest
//! accepted picture.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use half::f16;

use crate::append_log::{AppendLog, ValidPrefix};
use benchtop_files::{disk, regular};
use benchtop_model::{Error, Result};

/// Bytes of a row beside its numbers.
const ROW: u64 = 8 + 4;

fn path(scores: &Path, short: &str, dim: usize) -> PathBuf {
    scores.join(format!("{short}.{dim}.embeddings"))
}

/// The embeddings of one model. Rows have a number for the picture, `dim` half floats and a CRC-32.
#[derive(Debug)]
pub struct Embeddings {
    dim: usize,
    at: HashMap<u64, u32>,
    keys: Vec<u64>,
    rows: Vec<f16>,
    /// None where they are only read.
    file: Option<AppendLog>,
}

impl Embeddings {
    /// Those of the model with this short fingerprint below `scores`, which gives points of `dim` numbers, to be added to.
    /// One at a time may have them so.
    ///
    /// # Errors
    /// The operating system's. Damaged rows are passed over: their pictures are embedded again.
    pub fn open(scores: &Path, short: &str, dim: usize) -> Result<Embeddings> {
        disk::ensure_private_dir(scores)?;
        let (mut all, length) = Embeddings::load(scores, short, dim)?;
        let row = ROW + 2 * dim as u64;
        let whole = ValidPrefix {
            length: length / row * row,
            torn: !length.is_multiple_of(row),
        };
        all.file = Some(AppendLog::open(&path(scores, short, dim), whole)?);
        Ok(all)
    }

    /// The same to look at, as far as they are written: somebody else may be adding to them.
    ///
    /// # Errors
    /// The operating system's.
    pub fn read(scores: &Path, short: &str, dim: usize) -> Result<Embeddings> {
        Embeddings::load(scores, short, dim).map(|(all, _)| all)
    }

    fn load(scores: &Path, short: &str, dim: usize) -> Result<(Embeddings, u64)> {
        let path = path(scores, short, dim);
        let bytes = regular::read_if_there(&path, u64::MAX)?.unwrap_or_default();
        let mut all = Embeddings {
            dim,
            at: HashMap::new(),
            keys: Vec::new(),
            rows: Vec::new(),
            file: None,
        };
        for row in bytes.chunks_exact(ROW as usize + 2 * dim) {
            let (body, crc) = row.split_at(row.len() - 4);
            if crc32fast::hash(body).to_le_bytes() == crc {
                let (key, point) = body.split_at(8);
                let point = point
                    .chunks_exact(2)
                    .map(|b| f16::from_le_bytes([b[0], b[1]]));
                all.take(
                    u64::from_le_bytes(key.try_into().unwrap_or_default()),
                    point,
                );
            }
        }
        Ok((all, bytes.len() as u64))
    }

    fn take(&mut self, key: u64, point: impl Iterator<Item = f16>) {
        let next = self.keys.len() as u32;
        if *self.at.entry(key).or_insert(next) == next {
            self.keys.push(key);
            self.rows.extend(point);
        }
    }

    /// Numbers a point.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// Pictures.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// The pictures, in the order of [`points`](Self::points).
    pub fn keys(&self) -> &[u64] {
        &self.keys
    }

    /// All points, one after the other: `[len, dim]`.
    pub fn points(&self) -> &[f16] {
        &self.rows
    }

    /// The point of a picture.
    pub fn get(&self, key: u64) -> Option<&[f16]> {
        let at = *self.at.get(&key)? as usize;
        self.rows.get(at * self.dim..(at + 1) * self.dim)
    }

    /// Records points: when this returns they are on disk. Those of pictures that are there, and those of another length,
    /// are passed over.
    ///
    /// # Errors
    /// The operating system's (a full disk among them); then none of them is there.
    pub fn append(&mut self, points: &[(u64, Vec<f32>)]) -> Result<()> {
        let mut bytes = Vec::new();
        let fresh =
            |(key, point): &&(u64, Vec<f32>)| !self.at.contains_key(key) && point.len() == self.dim;
        let fresh: Vec<&(u64, Vec<f32>)> = points.iter().filter(fresh).collect();
        for (key, point) in &fresh {
            let start = bytes.len();
            bytes.extend_from_slice(&key.to_le_bytes());
            bytes.extend(point.iter().flat_map(|x| f16::from_f32(*x).to_le_bytes()));
            let crc = crc32fast::hash(&bytes[start..]);
            bytes.extend_from_slice(&crc.to_le_bytes());
        }
        let read_only = || Error::input("these embeddings are only to be looked at");
        self.file
            .as_mut()
            .ok_or_else(read_only)?
            .append(&bytes, "embeddings cannot be recorded")?;
        for (key, point) in fresh {
            self.take(*key, point.iter().map(|x| f16::from_f32(*x)));
        }
        Ok(())
    }
}
