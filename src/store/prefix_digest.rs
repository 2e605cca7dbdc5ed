//! Which journals something was made from: their lengths, and a digest of their contents.
//!
//! Lengths say at once that a journal grew. They do not tell that a bit of an older line flipped, or that a line was
//! edited in place; the digest does.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use super::index::digest;
use benchtop_model::{Error, Result};

/// Bytes read and hashed at a time.
const STEP: usize = 256 << 10;

/// The first bytes of a journal: how many, and their blake3.
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
    /// Of these bytes.
    pub fn of(bytes: &[u8]) -> PrefixDigest {
        let mut prefix = PrefixDigest::default();
        prefix.add(bytes);
        prefix
    }

    /// Of the first `length` bytes of a file.
    ///
    /// # Errors
    /// The operating system's; a file that is shorter is an error.
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

    /// More bytes follow.
    pub fn add(&mut self, bytes: &[u8]) {
        self.length += bytes.len() as u64;
        self.hasher.update(bytes);
    }

    /// Bytes.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// Their blake3.
    pub fn digest(&self) -> [u8; 32] {
        *self.hasher.finalize().as_bytes()
    }
}

/// What statuses follow from: all journals, as two hashes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Journals {
    /// [`digest`] of names and lengths.
    pub lengths: [u8; 32],
    /// The same with the digest of each one's contents.
    pub contents: [u8; 32],
}

/// All journals of a project by name, as they were read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PrefixDigests(BTreeMap<String, PrefixDigest>);

impl PrefixDigests {
    /// The journal called `name` is this.
    pub fn put(&mut self, name: impl Into<String>, prefix: PrefixDigest) {
        self.0.insert(name.into(), prefix);
    }

    /// What is known of a journal.
    pub fn get(&self, name: &str) -> Option<&PrefixDigest> {
        self.0.get(name)
    }

    /// Bytes were appended to a journal.
    pub fn add(&mut self, name: &str, bytes: &[u8]) {
        match self.0.get_mut(name) {
            Some(prefix) => prefix.add(bytes),
            None => self.put(name, PrefixDigest::of(bytes)),
        }
    }

    /// Both hashes.
    pub fn journals(&self) -> Journals {
        let mut contents = blake3::Hasher::new();
        for (name, prefix) in &self.0 {
            contents
                .update(&(name.len() as u64).to_le_bytes())
                .update(name.as_bytes());
            contents
                .update(&prefix.length.to_le_bytes())
                .update(&prefix.digest());
        }
        Journals {
            lengths: self.lengths(),
            contents: *contents.finalize().as_bytes(),
        }
    }

    /// Whether the journals of annotators are the same; rounds and pictures beside them may differ.
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
    fn a_digest_grows_as_its_file_and_tells_contents_apart() {
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
