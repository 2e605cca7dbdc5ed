//! `scores/similarity/`: how alike two texts are, a file for each model that says so, so that a pair is compared once.
//!
//! A cosine is kept by a number for its pair of texts: the same answer to the same question, whichever model gave it,
//! has the same number. Rows have 16 bytes and a checksum.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::append_log::ValidPrefix;
use super::columns::id_hash;
use super::lazy_append::LazyAppend;
use benchtop_files::{disk, regular};
use benchtop_model::{ErrorKind, Result};

/// Key, cosine, CRC-32 of both.
const ROW: usize = 8 + 4 + 4;
/// Names the model that counts.
const CURRENT: &str = "current";

/// The number of a pair of texts.
pub fn pair(reference: &str, output: &str) -> u64 {
    let mut hasher = blake3::Hasher::new();
    for text in [reference, output] {
        hasher.update(&(text.len() as u64).to_le_bytes());
        hasher.update(text.as_bytes());
    }
    id_hash(hasher.finalize().to_hex().as_str())
}

/// Cosines by one model.
#[derive(Debug)]
pub struct Cosines {
    short: String,
    found: HashMap<u64, f32>,
    rows: LazyAppend,
}

fn file(folder: &Path, short: &str) -> PathBuf {
    folder.join(format!("{short}.cosines"))
}

impl Cosines {
    /// The cosines in `folder` of the model that counts, where one has said anything.
    ///
    /// # Errors
    /// The operating system's. Damaged rows are passed over: their pairs are compared again.
    pub fn current(folder: &Path) -> Result<Option<Cosines>> {
        let path = folder.join(CURRENT);
        match regular::read_text(&path, regular::SETTINGS_LIMIT) {
            Ok(short) => Cosines::open(folder, short.trim()).map(Some),
            Err(problem) if problem.kind == ErrorKind::NotFound => Ok(None),
            Err(problem) => Err(problem),
        }
    }

    /// Which cosines [`current`](Self::current) are, without reading them: other words once there are more of them, or another model
    /// counts. None where none has said anything.
    pub fn edition(folder: &Path) -> Option<String> {
        let short = regular::read_text(&folder.join(CURRENT), regular::SETTINGS_LIMIT).ok()?;
        let bytes = regular::length(&file(folder, short.trim())).unwrap_or(0);
        Some(format!("{} {bytes}", short.trim()))
    }

    /// The cosines of the model with this short fingerprint, which counts from now on.
    ///
    /// # Errors
    /// The operating system's.
    pub fn begin(folder: &Path, short: &str) -> Result<Cosines> {
        disk::ensure_below(disk::folder(folder), folder)?;
        let cosines = Cosines::open(folder, short)?;
        disk::write_atomic(&folder.join(CURRENT), short.as_bytes())?;
        Ok(cosines)
    }

    fn open(folder: &Path, short: &str) -> Result<Cosines> {
        let path = file(folder, short);
        let bytes = regular::read_if_there(&path, u64::MAX)?.unwrap_or_default();
        let whole = bytes.len() - bytes.len() % ROW;
        let rows = LazyAppend::new(
            path,
            ValidPrefix {
                length: whole as u64,
                torn: whole < bytes.len(),
            },
        );
        Ok(Cosines {
            short: short.to_string(),
            found: bytes.chunks_exact(ROW).filter_map(decode).collect(),
            rows,
        })
    }

    /// The short fingerprint of the model.
    pub fn short(&self) -> &str {
        &self.short
    }

    /// The cosine of a pair, where it was compared.
    pub fn get(&self, pair: u64) -> Option<f32> {
        self.found.get(&pair).copied()
    }

    /// Records cosines: when this returns they are on disk.
    ///
    /// # Errors
    /// The operating system's; then none of them counts.
    pub fn append(&mut self, cosines: &[(u64, f32)]) -> Result<()> {
        let mut bytes = Vec::with_capacity(cosines.len() * ROW);
        for (pair, cosine) in cosines {
            let start = bytes.len();
            bytes.extend_from_slice(&pair.to_le_bytes());
            bytes.extend_from_slice(&cosine.to_le_bytes());
            let crc = crc32fast::hash(&bytes[start..]);
            bytes.extend_from_slice(&crc.to_le_bytes());
        }
        self.rows
            .append(&bytes, "similarities cannot be recorded")?;
        self.found.extend(cosines.iter().copied());
        Ok(())
    }
}

fn decode(row: &[u8]) -> Option<(u64, f32)> {
    let (body, crc) = row.split_at_checked(ROW - 4)?;
    if crc32fast::hash(body).to_le_bytes() != crc {
        return None;
    }
    Some((
        u64::from_le_bytes(body[..8].try_into().ok()?),
        f32::from_le_bytes(body[8..].try_into().ok()?),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cosines_read_back_and_damage_costs_its_row_alone() {
        let dir = tempfile::tempdir().unwrap();
        assert!(
            Cosines::current(dir.path()).unwrap().is_none()
                && Cosines::edition(dir.path()).is_none()
        );
        let keys = [
            pair("a cat", "cat"),
            pair("a", " catcat"),
            pair("a catcat", ""),
        ];
        assert!(keys[0] != keys[1] && keys[0] != keys[2] && keys[1] != keys[2]);
        let rows: Vec<(u64, f32)> = keys.into_iter().zip([0.5, -0.25, 1.0]).collect();
        Cosines::begin(dir.path(), "abc")
            .unwrap()
            .append(&rows)
            .unwrap();
        assert_eq!(Cosines::edition(dir.path()).as_deref(), Some("abc 48"));
        let file = dir.path().join("abc.cosines");
        let mut bytes = std::fs::read(&file).unwrap();
        bytes[ROW + 9] ^= 1;
        bytes.extend_from_slice(&[7; 5]);
        std::fs::write(&file, bytes).unwrap();
        let mut found = Cosines::current(dir.path()).unwrap().unwrap();
        assert_eq!(
            (found.get(keys[0]), found.get(keys[1]), found.get(keys[2])),
            (Some(0.5), None, Some(1.0))
        );
        found.append(&rows[1..2]).unwrap();
        drop(found);
        let found = Cosines::current(dir.path()).unwrap().unwrap();
        assert_eq!((found.get(keys[1]), found.short()), (Some(-0.25), "abc"));
        assert_eq!(
            Cosines::begin(dir.path(), "other").unwrap().get(keys[0]),
            None
        );
        assert_eq!(
            Cosines::current(dir.path()).unwrap().unwrap().short(),
            "other"
        );
    }
}
