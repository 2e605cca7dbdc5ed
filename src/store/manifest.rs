//! `imports/manifest.jsonl`: what was brought in, in order. An import is part of the project once its line is synced.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{disk, line};
use crate::model::evaluation::RunPart;
use crate::model::{Form, Kind, Problem, Result};

/// File name below `imports/`.
pub const FILE: &str = "manifest.jsonl";

/// What a segment holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "holds", rename_all = "kebab-case")]
pub enum Holds {
    /// Items of one data set; every row is a `model::Item`.
    Items {
        /// Data set the items belong to.
        dataset: String,
    },
    /// Later texts of items that earlier imports brought in; every row is a `model::Item` with the id of one of them.
    Revisions {
        /// Revision of the project this is: verdicts before it are on the earlier texts and no longer count.
        rev: u64,
        /// They count all the same: nothing that a person sees has changed.
        #[serde(default)]
        keeps: bool,
    },
    /// Answers of one model; every row is a `model::Prediction`.
    Predictions {
        /// Model name: the stem of its file without `mcq_` and `_evaluated`.
        model: String,
        /// The form of the questions they answer.
        form: Form,
        /// Whether the rows carry stored extractions (`*_evaluated.jsonl`).
        evaluated: bool,
        /// The data set they answer, where that is known: keys of two sets may be the same.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        dataset: Option<String>,
        /// What they are of an evaluation; none for answers that were imported, which are to all questions.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        run: Option<RunPart>,
    },
}

/// One segment of an import.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// File name below `imports/`.
    pub file: String,
    /// What it holds.
    #[serde(flatten)]
    pub holds: Holds,
    /// Its rows.
    pub rows: u64,
    /// Rows dropped because the file holds them before.
    #[serde(default)]
    pub duplicates: u64,
    /// Its bytes.
    pub bytes: u64,
    /// blake3 of the segment, in hex.
    pub blake3: String,
    /// The file it was read from, as the user named it.
    pub source: String,
    /// blake3 of that file, in hex: the same bytes twice add nothing.
    pub source_blake3: String,
}

impl Part {
    /// The number of the import that it is of, with which its name begins; 0 where it does not.
    pub fn import(&self) -> u64 {
        self.file.split('-').next().and_then(|n| n.parse().ok()).unwrap_or(0)
    }
}

/// One import: all of its parts or none.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// Version of this line.
    pub v: u8,
    /// Number of the import, from 1.
    pub n: u64,
    /// When, RFC 3339 in UTC.
    pub at: String,
    /// Its segments.
    pub parts: Vec<Part>,
}

/// The manifest as read.
#[derive(Debug, Default)]
pub struct Manifest {
    /// Imports in order.
    pub entries: Vec<Entry>,
    /// Lines that could not be read; what they named is not part of the project.
    pub problems: Vec<Problem>,
    /// Whether a torn last line follows.
    pub torn: bool,
}

impl Manifest {
    /// The number of the next import.
    pub fn next(&self) -> u64 {
        self.entries.last().map_or(1, |e| e.n + 1)
    }

    /// Removes what an import that was killed left in `imports/`: temporary files, and segments under the number of the
    /// next import, which that import would replace. Nothing is removed beside a manifest that cannot be read whole.
    pub fn sweep(&self, imports: &Path) {
        let unfinished = format!("{:04}-", self.next());
        let whole = self.problems.is_empty() && !self.torn;
        for entry in std::fs::read_dir(imports).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let Some(name) = name.to_str().filter(|n| n.ends_with(".jsonl.zst")) else { continue };
            if name.starts_with(".tmp-") || (whole && name.starts_with(&unfinished)) {
                // What stays is only in the way of nobody.
                let _ = std::fs::remove_file(entry.path());
            }
        }
    }

    /// Reads `imports/manifest.jsonl`; one that does not exist is empty. A torn last line is an import that never
    /// finished.
    ///
    /// # Errors
    /// The operating system's.
    pub fn read(imports: &Path) -> Result<Manifest> {
        let path = imports.join(FILE);
        let bytes = match std::fs::read(&path) {
            Ok(bytes) => bytes,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(Manifest::default()),
            Err(e) => return Err(Problem::io(&e, "cannot be read", &path)),
        };
        let lines = line::read_all::<Entry>(&bytes);
        let mut manifest = Manifest { torn: lines.torn_at.is_some(), ..Manifest::default() };
        manifest.problems.extend(lines.bad.into_iter().map(|(n, p)| p.file(&path).line(n)));
        for (number, entry) in lines.good {
            if entry.v == 1 {
                manifest.entries.push(entry);
            } else {
                let what = format!("line version {} is newer than this program reads", entry.v);
                manifest.problems.push(Problem::new(Kind::Corrupt, what).file(&path).line(number));
            }
        }
        Ok(manifest)
    }

    /// Appends and syncs one import. When this returns it is part of the project.
    ///
    /// # Errors
    /// The operating system's; then it is not.
    pub fn append(imports: &Path, entry: &Entry) -> Result<()> {
        let path = imports.join(FILE);
        let fail = |e: std::io::Error| Problem::io(&e, "the import cannot be recorded", &path);
        let mut bytes = Vec::new();
        line::encode(entry, &mut bytes)?;
        let mut file = OpenOptions::new().append(true).create(true).open(&path).map_err(fail)?;
        let length = std::fs::read(&path).map_err(fail)?;
        let whole = line::read_all::<Entry>(&length).torn_at.unwrap_or(length.len() as u64);
        file.set_len(whole).map_err(fail)?;
        // The name before the line: once the line is synced nothing may fail, since whoever sees an error here removes
        // the segments that the line names.
        disk::sync_dir(imports)?;
        if let Err(error) = file.write_all(&bytes).and_then(|()| file.sync_all()) {
            let _ = file.set_len(whole);
            return Err(fail(error));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(n: u64) -> Entry {
        let part = Part {
            file: format!("{n:04}-items.jsonl.zst"),
            holds: Holds::Items { dataset: "Dysca".into() },
            rows: 24,
            duplicates: 0,
            bytes: 999,
            blake3: "ab".into(),
            source: "Dysca.json".into(),
            source_blake3: "cd".into(),
        };
        Entry { v: 1, n, at: "2026-01-01T00:00:00Z".into(), parts: vec![part] }
    }

    #[test]
    fn entries_read_back_and_a_torn_one_does_not_count() {
        let dir = tempfile::tempdir().unwrap();
        Manifest::append(dir.path(), &entry(1)).unwrap();
        Manifest::append(dir.path(), &entry(2)).unwrap();
        let path = dir.path().join(FILE);
        let bytes = std::fs::read(&path).unwrap();
        std::fs::write(&path, &bytes[..bytes.len() - 3]).unwrap();
        assert_eq!(Manifest::read(dir.path()).unwrap().entries, [entry(1)]);
        Manifest::append(dir.path(), &entry(3)).unwrap();
        let manifest = Manifest::read(dir.path()).unwrap();
        assert_eq!(manifest.entries, [entry(1), entry(3)]);
        assert!(manifest.problems.is_empty());
    }
}
