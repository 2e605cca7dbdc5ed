//! Image embeddings: L2-normalized half floats by picture, for near duplicates and the nearest
//! accepted picture.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use half::f16;

use crate::append_log::{AppendLog, ValidPrefix};
use crate::checksummed_row;
use benchtop_files::{disk, regular};
use benchtop_model::{Error, Result};

/// Bytes per row, without the vector.
const ROW: u64 = 8 + 4;

fn path(scores: &Path, short: &str, dim: usize) -> PathBuf {
    scores.join(format!("{short}.{dim}.embeddings"))
}

/// The embeddings of one model. A row has a picture key, `dim` half floats, and a CRC-32.
#[derive(Debug)]
pub struct Embeddings {
    /// Dimension of a vector.
    pub dim: usize,
    at: HashMap<u64, u32>,
    /// Picture keys, in the order of [`points`](Self::points).
    pub keys: Vec<u64>,
    /// All vectors in one slice, of shape `[len, dim]`.
    pub rows: Vec<f16>,
    /// `None` if opened read-only.
    file: Option<AppendLog>,
}

impl Embeddings {
    /// Opens the embeddings of the model with this short fingerprint for appending. `dim` is the
    /// dimension of its vectors. Only one process may have them open. Damaged rows are skipped, so
    /// their pictures are embedded again.
    pub fn open(scores: &Path, short: &str, dim: usize) -> Result<Embeddings> {
        disk::ensure_private_dir(scores)?;
        let (mut all, length) = Embeddings::load(scores, short, dim)?;
        let row = ROW + 2 * dim as u64;
        let whole = ValidPrefix::of_rows(length, row);
        all.file = Some(AppendLog::open(&path(scores, short, dim), whole)?);
        Ok(all)
    }

    /// Opens the embeddings read-only. Another process may append to them meanwhile.
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
            if let Some(body) = checksummed_row::body(row) {
                let (key, point) = body.split_at(8);
                let point = point
                    .chunks_exact(2)
                    .map(|b| f16::from_le_bytes([b[0], b[1]]));
                all.add(
                    u64::from_le_bytes(key.try_into().unwrap_or_default()),
                    point,
                );
            }
        }
        Ok((all, bytes.len() as u64))
    }

    fn add(&mut self, key: u64, point: impl Iterator<Item = f16>) {
        let next = self.keys.len() as u32;
        if *self.at.entry(key).or_insert(next) == next {
            self.keys.push(key);
            self.rows.extend(point);
        }
    }

    /// Number of pictures.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// The vector of a picture.
    pub fn get(&self, key: u64) -> Option<&[f16]> {
        let at = *self.at.get(&key)? as usize;
        self.rows.get(at * self.dim..(at + 1) * self.dim)
    }

    /// Appends vectors. When this returns, they are on disk. Vectors of known pictures and of
    /// another dimension are skipped. On an error, none is added.
    pub fn append(&mut self, points: &[(u64, Vec<f32>)]) -> Result<()> {
        let mut bytes = Vec::new();
        let fresh =
            |(key, point): &&(u64, Vec<f32>)| !self.at.contains_key(key) && point.len() == self.dim;
        let fresh: Vec<&(u64, Vec<f32>)> = points.iter().filter(fresh).collect();
        for (key, point) in &fresh {
            let start = bytes.len();
            bytes.extend_from_slice(&key.to_le_bytes());
            bytes.extend(point.iter().flat_map(|x| f16::from_f32(*x).to_le_bytes()));
            checksummed_row::end(&mut bytes, start);
        }
        let read_only = || Error::input("the embeddings are open read-only");
        self.file
            .as_mut()
            .ok_or_else(read_only)?
            .append(&bytes, "cannot save embeddings")?;
        for (key, point) in fresh {
            self.add(*key, point.iter().map(|x| f16::from_f32(*x)));
        }
        Ok(())
    }
}
