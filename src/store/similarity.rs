//! `scores/similarity/`: cosine similarities of text pairs, one file per embedding model, so that a
//! pair is compared once.
//!
//! A cosine is stored by a hash of its two texts. Equal answers of different models to one question
//! share an entry. Rows have 16 bytes including a checksum.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::append_log::ValidPrefix;
use super::columns::id_hash;
use super::lazy_append::LazyAppend;
use crate::checksummed_row;
use benchtop_files::{disk, regular};
use benchtop_model::hash;
use benchtop_model::{ErrorKind, Result};

/// Key, cosine, and CRC-32 of both.
const ROW: usize = 8 + 4 + 4;
/// Name of the file with the current model.
const CURRENT: &str = "current";

/// The key of a pair of texts.
pub fn pair(reference: &str, output: &str) -> u64 {
    id_hash(hash::of_texts([reference, output]).to_hex().as_str())
}

/// Cosines of one model.
#[derive(Debug)]
pub struct Cosines {
    pub short: String,
    found: HashMap<u64, f32>,
    rows: LazyAppend,
}

fn file(folder: &Path, short: &str) -> PathBuf {
    folder.join(format!("{short}.cosines"))
}

impl Cosines {
    /// The cosines of the current model in `folder`, or `None` without one. Damaged rows are
    /// skipped, so their pairs are compared again.
    pub fn current(folder: &Path) -> Result<Option<Cosines>> {
        let path = folder.join(CURRENT);
        match regular::read_text(&path, regular::SETTINGS_LIMIT) {
            Ok(short) => Cosines::open(folder, short.trim()).map(Some),
            Err(problem) if problem.kind == ErrorKind::NotFound => Ok(None),
            Err(problem) => Err(problem),
        }
    }

    /// A version of the [`current`](Self::current) cosines, without reading them. It changes when
    /// cosines are added or another model becomes current. `None` without a model.
    pub fn version(folder: &Path) -> Option<String> {
        let short = regular::read_text(&folder.join(CURRENT), regular::SETTINGS_LIMIT).ok()?;
        let bytes = regular::length(&file(folder, short.trim())).unwrap_or(0);
        Some(format!("{} {bytes}", short.trim()))
    }

    /// Opens the cosines of the model with this short fingerprint, and makes it the current model.
    pub fn make_current(folder: &Path, short: &str) -> Result<Cosines> {
        disk::ensure_below(disk::folder(folder), folder)?;
        let cosines = Cosines::open(folder, short)?;
        disk::write_atomic(&folder.join(CURRENT), short.as_bytes())?;
        Ok(cosines)
    }

    fn open(folder: &Path, short: &str) -> Result<Cosines> {
        let path = file(folder, short);
        let bytes = regular::read_if_there(&path, u64::MAX)?.unwrap_or_default();
        let rows = LazyAppend::new(path, ValidPrefix::of_rows(bytes.len() as u64, ROW as u64));
        Ok(Cosines {
            short: short.to_string(),
            found: bytes.chunks_exact(ROW).filter_map(decode).collect(),
            rows,
        })
    }

    /// The cosine of a pair, if it was compared.
    pub fn get(&self, pair: u64) -> Option<f32> {
        self.found.get(&pair).copied()
    }

    /// Appends cosines. When this returns, they are on disk. On an error, none of them counts.
    pub fn append(&mut self, cosines: &[(u64, f32)]) -> Result<()> {
        let mut bytes = Vec::with_capacity(cosines.len() * ROW);
        for (pair, cosine) in cosines {
            let start = bytes.len();
            bytes.extend_from_slice(&pair.to_le_bytes());
            bytes.extend_from_slice(&cosine.to_le_bytes());
            checksummed_row::end(&mut bytes, start);
        }
        self.rows.append(&bytes, "cannot save similarities")?;
        self.found.extend(cosines.iter().copied());
        Ok(())
    }
}

fn decode(row: &[u8]) -> Option<(u64, f32)> {
    let body = checksummed_row::body(row)?;
    Some((
        u64::from_le_bytes(body[..8].try_into().ok()?),
        f32::from_le_bytes(body[8..].try_into().ok()?),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cosines_round_trip_and_only_damaged_rows_are_lost() {
        let dir = tempfile::tempdir().unwrap();
        assert!(
            Cosines::current(dir.path()).unwrap().is_none()
                && Cosines::version(dir.path()).is_none()
        );
        let keys = [
            pair("a cat", "cat"),
            pair("a", " catcat"),
            pair("a catcat", ""),
        ];
        assert!(keys[0] != keys[1] && keys[0] != keys[2] && keys[1] != keys[2]);
        let rows: Vec<(u64, f32)> = keys.into_iter().zip([0.5, -0.25, 1.0]).collect();
        Cosines::make_current(dir.path(), "abc")
            .unwrap()
            .append(&rows)
            .unwrap();
        assert_eq!(Cosines::version(dir.path()).as_deref(), Some("abc 48"));
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
        assert_eq!(
            (found.get(keys[1]), found.short.as_str()),
            (Some(-0.25), "abc")
        );
        assert_eq!(
            Cosines::make_current(dir.path(), "other")
                .unwrap()
                .get(keys[0]),
            None
        );
        assert_eq!(
            &Cosines::current(dir.path()).unwrap().unwrap().short,
            "other"
        );
    }
}
