//! Pictures as points: L2-normalised half floats by the hash of the picture, for near duplicates and the nearest
//! accepted picture.

use std::collections::HashMap;
use std::path::Path;

use half::f16;

use crate::model::{Problem, Result};
use crate::store::append::{Appended, Whole};
use crate::store::disk;

/// The embeddings of one model. Rows have a number for the picture, `dim` half floats and a CRC-32.
#[derive(Debug)]
pub struct Embeddings {
    dim: usize,
    at: HashMap<u64, u32>,
    keys: Vec<u64>,
    rows: Vec<f16>,
    file: Appended,
}

impl Embeddings {
    /// Those of the model with this short fingerprint below `store`, which gives points of `dim` numbers.
    ///
    /// # Errors
    /// The operating system's. Damaged rows are passed over: their pictures are embedded again.
    pub fn open(store: &Path, short: &str, dim: usize) -> Result<Embeddings> {
        let folder = store.join("scores");
        disk::ensure_dirs(&folder, &mut Vec::new())?;
        let path = folder.join(format!("{short}.{dim}.embeddings"));
        let bytes = match std::fs::read(&path) {
            Ok(bytes) => bytes,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => Vec::new(),
            Err(e) => return Err(Problem::io(&e, "cannot be read", &path)),
        };
        let row = 8 + 2 * dim + 4;
        let whole = Whole { length: (bytes.len() / row * row) as u64, torn: bytes.len() % row != 0 };
        let file = Appended::open(&path, whole)?;
        let mut all = Embeddings { dim, at: HashMap::new(), keys: Vec::new(), rows: Vec::new(), file };
        for row in bytes.chunks_exact(row) {
            let (body, crc) = row.split_at(row.len() - 4);
            if crc32fast::hash(body).to_le_bytes() == crc {
                let (key, point) = body.split_at(8);
                let point = point.chunks_exact(2).map(|b| f16::from_le_bytes([b[0], b[1]]));
                all.take(u64::from_le_bytes(key.try_into().unwrap_or_default()), point);
            }
        }
        Ok(all)
    }

    fn take(&mut self, key: u64, point: impl Iterator<Item = f16>) {
        let next = self.keys.len() as u32;
        if self.at.try_insert_new(key, next) {
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
        let fresh = |(key, point): &&(u64, Vec<f32>)| !self.at.contains_key(key) && point.len() == self.dim;
        let fresh: Vec<&(u64, Vec<f32>)> = points.iter().filter(fresh).collect();
        for (key, point) in &fresh {
            let start = bytes.len();
            bytes.extend_from_slice(&key.to_le_bytes());
            bytes.extend(point.iter().flat_map(|x| f16::from_f32(*x).to_le_bytes()));
            let crc = crc32fast::hash(&bytes[start..]);
            bytes.extend_from_slice(&crc.to_le_bytes());
        }
        self.file.append(&bytes, "embeddings cannot be recorded")?;
        for (key, point) in fresh {
            self.take(*key, point.iter().map(|x| f16::from_f32(*x)));
        }
        Ok(())
    }
}

/// Insertion that says whether the key was new.
trait InsertNew {
    fn try_insert_new(&mut self, key: u64, value: u32) -> bool;
}

impl InsertNew for HashMap<u64, u32> {
    fn try_insert_new(&mut self, key: u64, value: u32) -> bool {
        *self.entry(key).or_insert(value) == value
    }
}
