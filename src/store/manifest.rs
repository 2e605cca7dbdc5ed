//! `imports/manifest.jsonl`: what was brought in, in order. An import is part of the project once its line is synced.

use std::collections::HashSet;
use std::fs::OpenOptions;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::append_log::{AppendLog, ValidPrefix};
use super::checksummed_line;
use benchtop_files::{disk, regular};
use benchtop_model::edit::EditMark;
use benchtop_model::evaluation::AnswerFileHeader;
use benchtop_model::{Error, ErrorKind, Form, Result};

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
        /// Who wrote it by hand; none where texts were composed again.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        edit: Option<EditMark>,
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
        run: Option<AnswerFileHeader>,
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
        self.file
            .split('-')
            .next()
            .and_then(|n| n.parse().ok())
            .unwrap_or(0)
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
    pub problems: Vec<Error>,
    /// Whether a torn last line follows.
    pub torn: bool,
    /// Segments below `imports/`, sorted by name.
    pub present: Vec<String>,
    /// Numbers of imports that were begun and neither finished nor taken back.
    pub unfinished: Vec<u64>,
    /// How much of the file is whole.
    whole: ValidPrefix,
}

/// The number with which the name of a segment begins.
pub fn number_of(file: &str) -> Option<u64> {
    file.split_once('-')?.0.parse().ok()
}

/// The file that says that import `n` is being written: segments of that number which no line names belong to nobody.
fn mark(imports: &Path, n: u64) -> PathBuf {
    imports.join(format!("{UNFINISHED}{n:04}"))
}

const UNFINISHED: &str = ".unfinished-";

/// Says, durably, that the import with the number in `file` is being written.
pub(super) fn begin(imports: &Path, file: &str) -> Result<()> {
    let Some(n) = number_of(file) else {
        return Ok(());
    };
    let path = mark(imports, n);
    if path.symlink_metadata().is_err() {
        regular::open(&path, OpenOptions::new().write(true).create_new(true))?;
        disk::sync_dir(imports)?;
    }
    Ok(())
}

/// The import is over, one way or the other.
fn end(imports: &Path, n: u64) {
    let _ = std::fs::remove_file(mark(imports, n));
}

/// Takes back segments that did not become part of the project.
pub fn take_back<'f>(imports: &Path, files: impl IntoIterator<Item = &'f str>) {
    for file in files {
        // What stays is removed at the next opening.
        let removed = std::fs::remove_file(imports.join(file));
        if let (Ok(()), Some(n)) = (removed, number_of(file)) {
            end(imports, n);
        }
    }
}

impl Manifest {
    /// The number of the next import: past all that the manifest has, and past all files.
    pub fn next(&self) -> u64 {
        let entries = self.entries.iter().map(|e| e.n);
        let files = self.present.iter().filter_map(|file| number_of(file));
        entries
            .chain(files)
            .chain(self.unfinished.iter().copied())
            .max()
            .unwrap_or(0)
            .saturating_add(1)
    }

    /// The number of the import that these segments are: that of their names, where it is free.
    pub fn number<'f>(&self, files: impl IntoIterator<Item = &'f str>) -> u64 {
        let named = files.into_iter().filter_map(number_of).max();
        named
            .filter(|n| self.entries.iter().all(|e| e.n != *n))
            .unwrap_or_else(|| self.next())
    }

    /// Whether more may be recorded in it.
    ///
    /// # Errors
    /// [`ErrorKind::Corrupt`] while lines of it are damaged: what they named would not be part of the project that the import
    /// is compared with.
    pub fn writable(&self) -> Result<()> {
        let Some(first) = self.problems.first() else {
            return Ok(());
        };
        let what = format!(
            "nothing can be brought in while a line of the manifest cannot be read: {}",
            first.what
        );
        Err(Error { what, ..first.clone() }
            .help("`benchtop recover` says what the line named and takes it back in; or put the file back from a copy"))
    }

    /// Reads the manifest for an import.
    ///
    /// # Errors
    /// As [`read`](Self::read) and [`writable`](Self::writable).
    pub fn for_import(imports: &Path) -> Result<Manifest> {
        let manifest = Manifest::read(imports)?;
        manifest.writable().map(|()| manifest)
    }

    /// Segments that no line names and no unfinished import left.
    pub fn orphans(&self) -> Vec<String> {
        let named: HashSet<&str> = self
            .entries
            .iter()
            .flat_map(|e| &e.parts)
            .map(|p| p.file.as_str())
            .collect();
        let unfinished = |file: &str| number_of(file).is_some_and(|n| self.unfinished.contains(&n));
        self.present
            .iter()
            .filter(|file| !named.contains(file.as_str()) && !unfinished(file))
            .cloned()
            .collect()
    }

    /// Removes what an import that was killed left in `imports/`: temporary files, and segments that it had not recorded
    /// yet. A segment that was recorded is never removed. Beside a manifest that cannot be read whole all segments stay.
    pub fn sweep(&self, imports: &Path) {
        for entry in std::fs::read_dir(imports).into_iter().flatten().flatten() {
            let name = entry.file_name();
            if name
                .to_str()
                .is_some_and(|n| n.starts_with(".tmp-") && n.ends_with(".jsonl.zst"))
            {
                // What stays is only in the way of nobody.
                let _ = std::fs::remove_file(entry.path());
            }
        }
        let whole = self.problems.is_empty() && !self.torn;
        for n in &self.unfinished {
            let recorded = self.entries.iter().any(|e| e.n == *n);
            if !recorded && whole {
                for file in self
                    .present
                    .iter()
                    .filter(|file| number_of(file) == Some(*n))
                {
                    let _ = std::fs::remove_file(imports.join(file));
                }
            }
            if recorded || whole {
                end(imports, *n);
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
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => Vec::new(),
            Err(e) => return Err(Error::io(&e, "cannot be read", &path)),
        };
        let lines = checksummed_line::read_all::<Entry>(&bytes);
        let mut manifest = Manifest {
            torn: lines.torn_at.is_some(),
            ..Manifest::default()
        };
        manifest.whole = ValidPrefix {
            length: lines.torn_at.unwrap_or(bytes.len() as u64),
            torn: manifest.torn,
        };
        manifest.list(imports);
        manifest
            .problems
            .extend(lines.bad.into_iter().map(|(n, p)| p.file(&path).line(n)));
        for (number, entry) in lines.good {
            if entry.v == 1 {
                manifest.entries.push(entry);
            } else {
                let what = format!("line version {} is newer than this program reads", entry.v);
                manifest.problems.push(
                    Error::new(ErrorKind::Corrupt, what)
                        .file(&path)
                        .line(number),
                );
            }
        }
        Ok(manifest)
    }

    /// The segments and the marks of unfinished imports that are there.
    fn list(&mut self, imports: &Path) {
        for entry in std::fs::read_dir(imports).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let Some(name) = name.to_str() else { continue };
            if let Some(n) = name.strip_prefix(UNFINISHED).and_then(|n| n.parse().ok()) {
                self.unfinished.push(n);
            } else if name.ends_with(".jsonl.zst") && !name.starts_with('.') {
                self.present.push(name.to_string());
            }
        }
        self.present.sort();
        self.unfinished.sort_unstable();
    }

    /// Appends and syncs one import. When this returns it is part of the project.
    ///
    /// # Errors
    /// As [`for_import`](Self::for_import) and [`AppendLog::append`]; then it is not.
    pub fn append(imports: &Path, entry: &Entry) -> Result<()> {
        let mut bytes = Vec::new();
        checksummed_line::encode(entry, &mut bytes)?;
        let manifest = Manifest::for_import(imports)?;
        // The name before the line: once the line is synced nothing may fail, since whoever sees an error here removes
        // the segments that the line names.
        let mut file = AppendLog::open(&imports.join(FILE), manifest.whole)?;
        disk::sync_dir(imports)?;
        file.append(&bytes, "the import cannot be recorded")?;
        end(imports, entry.n);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(n: u64) -> Entry {
        let part = Part {
            file: format!("{n:04}-items.jsonl.zst"),
            holds: Holds::Items {
                dataset: "Dysca".into(),
            },
            rows: 24,
            duplicates: 0,
            bytes: 999,
            blake3: "ab".into(),
            source: "Dysca.json".into(),
            source_blake3: "cd".into(),
        };
        Entry {
            v: 1,
            n,
            at: "2026-01-01T00:00:00Z".into(),
            parts: vec![part],
        }
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
        assert!(dir.path().join("manifest.jsonl.torn-1").exists());
    }

    /// Flips a bit of the last line, which ends in a newline.
    fn damage(dir: &Path) -> Vec<u8> {
        let mut bytes = std::fs::read(dir.join(FILE)).unwrap();
        let at = bytes.len() - 40;
        bytes[at] ^= 1;
        std::fs::write(dir.join(FILE), &bytes).unwrap();
        bytes
    }

    #[test]
    fn a_damaged_last_line_is_reported_and_nothing_is_recorded_after_it() {
        let dir = tempfile::tempdir().unwrap();
        Manifest::append(dir.path(), &entry(1)).unwrap();
        Manifest::append(dir.path(), &entry(2)).unwrap();
        let bytes = damage(dir.path());
        for n in 1..=2 {
            std::fs::write(dir.path().join(format!("{n:04}-items.jsonl.zst")), "rows").unwrap();
        }
        let manifest = Manifest::read(dir.path()).unwrap();
        assert_eq!((manifest.entries.len(), manifest.torn), (1, false));
        assert_eq!(manifest.problems[0].place.line, Some(2));
        assert_eq!(
            (manifest.next(), manifest.orphans()),
            (3, vec!["0002-items.jsonl.zst".to_string()])
        );
        let refused = Manifest::append(dir.path(), &entry(3)).unwrap_err();
        assert_eq!(
            (refused.kind, refused.place.line),
            (ErrorKind::Corrupt, Some(2)),
            "{refused}"
        );
        assert!(refused.help.unwrap().contains("benchtop recover"));
        manifest.sweep(dir.path());
        assert_eq!(std::fs::read(dir.path().join(FILE)).unwrap(), bytes);
        assert!(
            dir.path().join("0002-items.jsonl.zst").exists(),
            "an acknowledged segment was removed"
        );
    }

    #[test]
    fn only_what_an_unfinished_import_left_is_swept() {
        let dir = tempfile::tempdir().unwrap();
        let there = |name: &str| dir.path().join(name).exists();
        Manifest::append(dir.path(), &entry(1)).unwrap();
        for name in [
            "0001-items.jsonl.zst",
            "0002-items.jsonl.zst",
            ".tmp-x.jsonl.zst",
        ] {
            std::fs::write(dir.path().join(name), "rows").unwrap();
        }
        // The line of the second is gone: the segment was recorded, and is listed and kept.
        Manifest::read(dir.path()).unwrap().sweep(dir.path());
        assert!(there("0002-items.jsonl.zst") && !there(".tmp-x.jsonl.zst"));
        assert_eq!(Manifest::read(dir.path()).unwrap().next(), 3);
        begin(dir.path(), "0003-items.jsonl.zst").unwrap();
        begin(dir.path(), "0003-02-items.jsonl.zst").unwrap();
        std::fs::write(dir.path().join("0003-items.jsonl.zst"), "rows").unwrap();
        let manifest = Manifest::read(dir.path()).unwrap();
        assert_eq!(manifest.orphans(), ["0002-items.jsonl.zst"]);
        assert_eq!(manifest.number(["0003-items.jsonl.zst"]), 3);
        manifest.sweep(dir.path());
        assert!(there("0002-items.jsonl.zst") && !there("0003-items.jsonl.zst"));
        assert!(Manifest::read(dir.path()).unwrap().unfinished.is_empty());
        // One that was recorded just before the kill.
        begin(dir.path(), "0003-items.jsonl.zst").unwrap();
        std::fs::write(dir.path().join("0003-items.jsonl.zst"), "rows").unwrap();
        let mut manifest = Manifest::read(dir.path()).unwrap();
        manifest.entries.push(entry(3));
        manifest.sweep(dir.path());
        assert!(
            there("0003-items.jsonl.zst")
                && Manifest::read(dir.path()).unwrap().unfinished.is_empty()
        );
    }
}
