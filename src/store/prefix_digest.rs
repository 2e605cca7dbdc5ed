//! Lengths and content digests of the journals that something was derived from.
//!
//! The length shows at once that a journal grew. The digest shows that an older line was edited or
//! that a bit flipped.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use super::index::digest;
use benchtop_model::{Error, Result};

/// Number of bytes read and hashed at a time.
const STEP: usize = 256 << 10;

/// Length and blake3 hash of the first bytes of a journal.
#[derive(Clone, Debug, Default)]
pub struct PrefixDigest {
    length: u64,
    hasher: blake3::Hasher,
}

impl PartialEq for PrefixDigest {
    fn eq(&self, other: &PrefixDigest) -> bool {
        self.length == other.length && self.digest() == other.digest()
    }
}

impl PrefixDigest {
    pub fn of(bytes: &[u8]) -> PrefixDigest {
        let mut prefix = PrefixDigest::default();
        prefix.add(bytes);
        prefix
    }

    /// Digest of the first `length` bytes of a file.
    ///
    /// # Errors
    /// [`ErrorKind::Io`] if the file is shorter.
    pub fn of_file(file: &File, length: u64, path: &Path) -> Result<PrefixDigest> {
        let fail = |e: std::io::Error| Error::io(&e, "cannot be read", path);
        let (mut prefix, mut buffer) = (PrefixDigest::default(), vec![0; STEP]);
        let mut rest = file.take(length);
        while prefix.length < length {
            match rest.read(&mut buffer).map_err(fail)? {
                0 => return Err(fail(std::io::ErrorKind::UnexpectedEof.into())),
                n => prefix.add(&buffer[..n]),
            }
        }
        Ok(prefix)
    }

    pub fn add(&mut self, bytes: &[u8]) {
        self.length += bytes.len() as u64;
        self.hasher.update(bytes);
    }

    pub fn length(&self) -> u64 {
        self.length
    }

    /// The blake3 hash of the bytes.
    pub fn digest(&self) -> [u8; 32] {
        *self.hasher.finalize().as_bytes()
    }
}

/// Two hashes over all journals. Statuses depend on the journals alone, so equal hashes mean equal
/// statuses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JournalHashes {
    /// [`digest`] of names and lengths.
    pub lengths: [u8; 32],
    /// Hash of names, lengths, and contents.
    pub contents: [u8; 32],
}

/// Digests of all journals of a project by name, as they were read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PrefixDigests(BTreeMap<String, PrefixDigest>);

impl PrefixDigests {
    pub fn put(&mut self, name: impl Into<String>, prefix: PrefixDigest) {
        self.0.insert(name.into(), prefix);
    }

    pub fn get(&self, name: &str) -> Option<&PrefixDigest> {
        self.0.get(name)
    }

    pub fn add(&mut self, name: &str, bytes: &[u8]) {
        match self.0.get_mut(name) {
            Some(prefix) => prefix.add(bytes),
            None => self.put(name, PrefixDigest::of(bytes)),
        }
    }

    pub fn journals(&self) -> JournalHashes {
        let mut contents = blake3::Hasher::new();
        for (name, prefix) in &self.0 {
            benchtop_model::hash::put(&mut contents, name);
            contents
                .update(&prefix.length.to_le_bytes())
                .update(&prefix.digest());
        }
        JournalHashes {
            lengths: self.lengths(),
            contents: *contents.finalize().as_bytes(),
        }
    }

    /// Whether the annotators' journals are the same. The digests of rounds and pictures may
    /// differ.
    pub fn same_decisions(&self, other: &PrefixDigests) -> bool {
        let decisions = |digests: &'_ PrefixDigests| {
            let of_people = |(name, prefix): (&String, &PrefixDigest)| {
                (!name.contains('/')).then(|| (name.clone(), prefix.clone()))
            };
            digests.0.iter().filter_map(of_people).collect::<Vec<_>>()
        };
        decisions(self) == decisions(other)
    }

    fn lengths(&self) -> [u8; 32] {
        digest(
            self.0
                .iter()
                .map(|(name, prefix)| (name.as_str(), prefix.length)),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digest_follows_length_and_content() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a");
        let bytes: Vec<u8> = (0..STEP as u32 * 2 + 7).map(|n| n as u8).collect();
        std::fs::write(&path, &bytes).unwrap();
        let file = || File::open(&path).unwrap();
        let mut grown = PrefixDigest::of(&bytes[..9]);
        grown.add(&bytes[9..]);
        assert_eq!(
            PrefixDigest::of_file(&file(), bytes.len() as u64, &path).unwrap(),
            grown
        );
        assert_eq!(
            PrefixDigest::of_file(&file(), 9, &path).unwrap(),
            PrefixDigest::of(&bytes[..9])
        );
        assert!(PrefixDigest::of_file(&file(), bytes.len() as u64 + 1, &path).is_err());
        let with = |text: &[u8]| {
            let mut digests = PrefixDigests::default();
            digests.put("b", PrefixDigest::of(b"x"));
            digests.add("a", text);
            digests.journals()
        };
        assert_eq!(with(b"one"), with(b"one"));
        assert_eq!(with(b"one").lengths, with(b"two").lengths);
        assert_ne!(with(b"one").contents, with(b"two").contents);
        assert_ne!(with(b"one").lengths, with(b"three").lengths);
    }
}
