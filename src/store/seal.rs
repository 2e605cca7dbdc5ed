//! Which journals something was made from: their lengths, and a digest of their contents.
//!
//! Lengths say at once that a journal grew. They do not tell that a bit of an older line flipped, or that a line was
//! edited in place; the digest does.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use super::index::digest;
use crate::model::{Problem, Result};

/// Bytes read and hashed at a time.
const STEP: usize = 256 << 10;

/// The first bytes of a journal: how many, and their blake3.
#[derive(Clone, Debug, Default)]
pub struct Seal {
    length: u64,
    hasher: blake3::Hasher,
}

impl PartialEq for Seal {
    fn eq(&self, other: &Seal) -> bool {
        self.length == other.length && self.digest() == other.digest()
    }
}

impl Seal {
    /// Of these bytes.
    pub fn of(bytes: &[u8]) -> Seal {
        let mut seal = Seal::default();
        seal.add(bytes);
        seal
    }

    /// Of the first `length` bytes of a file.
    ///
    /// # Errors
    /// The operating system's; a file that is shorter is an error.
    pub fn of_file(file: &File, length: u64, path: &Path) -> Result<Seal> {
        let fail = |e: std::io::Error| Problem::io(&e, "cannot be read", path);
        let (mut seal, mut buffer) = (Seal::default(), vec![0; STEP]);
        let mut rest = file.take(length);
        while seal.length < length {
            match rest.read(&mut buffer).map_err(fail)? {
                0 => return Err(fail(std::io::ErrorKind::UnexpectedEof.into())),
                n => seal.add(&buffer[..n]),
            }
        }
        Ok(seal)
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
pub struct Seals(BTreeMap<String, Seal>);

impl Seals {
    /// The journal called `name` is this.
    pub fn put(&mut self, name: impl Into<String>, seal: Seal) {
        self.0.insert(name.into(), seal);
    }

    /// What is known of a journal.
    pub fn get(&self, name: &str) -> Option<&Seal> {
        self.0.get(name)
    }

    /// Bytes were appended to a journal.
    pub fn add(&mut self, name: &str, bytes: &[u8]) {
        match self.0.get_mut(name) {
            Some(seal) => seal.add(bytes),
            None => self.put(name, Seal::of(bytes)),
        }
    }

    /// Both hashes.
    pub fn journals(&self) -> Journals {
        let mut contents = blake3::Hasher::new();
        for (name, seal) in &self.0 {
            contents.update(&(name.len() as u64).to_le_bytes()).update(name.as_bytes());
            contents.update(&seal.length.to_le_bytes()).update(&seal.digest());
        }
        Journals { lengths: self.lengths(), contents: *contents.finalize().as_bytes() }
    }

    /// Whether the journals of annotators are the same; rounds and pictures beside them may differ.
    pub fn same_decisions(&self, other: &Seals) -> bool {
        let decisions = |seals: &'_ Seals| {
            let of_people =
                |(name, seal): (&String, &Seal)| (!name.contains('/')).then(|| (name.clone(), seal.clone()));
            seals.0.iter().filter_map(of_people).collect::<Vec<_>>()
        };
        decisions(self) == decisions(other)
    }

    fn lengths(&self) -> [u8; 32] {
        digest(self.0.iter().map(|(name, seal)| (name.as_str(), seal.length)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seal_grows_as_its_file_and_tells_contents_apart() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a");
        let bytes: Vec<u8> = (0..STEP as u32 * 2 + 7).map(|n| n as u8).collect();
        std::fs::write(&path, &bytes).unwrap();
        let file = || File::open(&path).unwrap();
        let mut grown = Seal::of(&bytes[..9]);
        grown.add(&bytes[9..]);
        assert_eq!(Seal::of_file(&file(), bytes.len() as u64, &path).unwrap(), grown);
        assert_eq!(Seal::of_file(&file(), 9, &path).unwrap(), Seal::of(&bytes[..9]));
        assert!(Seal::of_file(&file(), bytes.len() as u64 + 1, &path).is_err());
        let with = |text: &[u8]| {
            let mut seals = Seals::default();
            seals.put("b", Seal::of(b"x"));
            seals.add("a", text);
            seals.journals()
        };
        assert_eq!(with(b"one"), with(b"one"));
        assert_eq!(with(b"one").lengths, with(b"two").lengths);
        assert_ne!(with(b"one").contents, with(b"two").contents);
        assert_ne!(with(b"one").lengths, with(b"three").lengths);
    }
}
