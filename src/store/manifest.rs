//! `imports/manifest.jsonl`: the list of imports. An import is part of the project once its line is
//! synced.

use std::collections::HashSet;
use std::fs::OpenOptions;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::append_log::{AppendLog, ValidPrefix};
use super::checksummed_line;
use benchtop_files::{disk, regular};
use benchtop_model::edit::EditMark;
use benchtop_model::evaluation::AnswerFileHeader;
use benchtop_model::{Error, Form, Result};

pub const FILE: &str = "manifest.jsonl";

/// The content of a segment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "holds", rename_all = "kebab-case")]
pub enum Content {
    /// Items of one data set. Each row is a `model::Item`.
    Items { dataset: String },
    /// Later texts of existing items. Each row is a `model::Item` with the id of one of them.
    Revisions {
        /// Revision of the project. Verdicts below it are on earlier texts and no longer count.
        rev: u64,
        /// Whether those verdicts still count, because nothing visible changed.
        #[serde(default)]
        keeps: bool,
        /// The author of an edit by hand, or `None` for recomposed texts.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        edit: Option<EditMark>,
    },
    /// Predictions of one model. Each row is a `model::Prediction`.
    Predictions {
        /// Model name: the file stem without `mcq_` and `_evaluated`.
        model: String,
        /// The form of the questions.
        form: Form,
        /// Whether the rows have stored extractions (`*_evaluated.jsonl`).
        evaluated: bool,
        /// The data set of the questions, if known. Two data sets can have the same keys.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        dataset: Option<String>,
        /// The part of an evaluation, or `None` for imported predictions, which answer all
        /// questions.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        run: Option<AnswerFileHeader>,
    },
}

/// One segment of an import.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Segment {
    pub file: String,
    #[serde(flatten)]
    pub holds: Content,
    pub rows: u64,
    /// Number of dropped rows that occurred earlier in the file.
    #[serde(default)]
    pub duplicates: u64,
    /// Size in bytes.
    pub bytes: u64,
    /// blake3 hash of the segment, in hex.
    pub blake3: String,
    /// The source file, as the user named it.
    pub source: String,
    /// blake3 hash of the source file, or of everything that composed questions depend on, in hex. A
    /// second import of the same adds nothing.
    pub source_blake3: String,
}

impl Segment {
    /// The number of its import, from the start of its file name, or 0.
    pub fn import(&self) -> u64 {
        self.file
            .split('-')
            .next()
            .and_then(|n| n.parse().ok())
            .unwrap_or(0)
    }
}

/// One import. Either all of its parts are in the project or none.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// Version of the line.
    pub v: u8,
    /// Number of the import, from 1.
    pub n: u64,
    /// Time of the import, RFC 3339 in UTC.
    pub at: String,
    pub parts: Vec<Segment>,
}

/// The parsed manifest.
#[derive(Debug, Default)]
pub struct Manifest {
    pub entries: Vec<Entry>,
    /// Errors of lines that cannot be read. Their segments are not part of the project.
    pub problems: Vec<Error>,
    /// Whether a torn last line follows.
    pub torn: bool,
    /// Segment files below `imports/`, sorted by name.
    pub present: Vec<String>,
    /// Numbers of unfinished imports.
    pub unfinished: Vec<u64>,
    /// The part of the file with complete lines.
    whole: ValidPrefix,
}

/// The number at the start of a segment's name.
pub fn number_of(file: &str) -> Option<u64> {
    file.split_once('-')?.0.parse().ok()
}

/// The marker file of unfinished import `n`. Segments of that number that no line names can be
/// removed.
fn marker(imports: &Path, n: u64) -> PathBuf {
    imports.join(format!("{UNFINISHED}{n:04}"))
}

const UNFINISHED: &str = ".unfinished-";

/// Durably marks the import of `file` as unfinished.
pub(super) fn begin(imports: &Path, file: &str) -> Result<()> {
    let Some(n) = number_of(file) else {
        return Ok(());
    };
    let path = marker(imports, n);
    if path.symlink_metadata().is_err() {
        regular::open(&path, OpenOptions::new().write(true).create_new(true))?;
        disk::sync_dir(imports)?;
    }
    Ok(())
}

/// Removes the marker of an import.
fn end(imports: &Path, n: u64) {
    let _ = std::fs::remove_file(marker(imports, n));
}

/// Removes segments that did not become part of the project.
pub fn remove_segments<'f>(imports: &Path, files: impl IntoIterator<Item = &'f str>) {
    for file in files {
        // A file that cannot be removed now is removed when the project is next opened.
        let removed = std::fs::remove_file(imports.join(file));
        if let (Ok(()), Some(n)) = (removed, number_of(file)) {
            end(imports, n);
        }
    }
}

impl Manifest {
    /// The segments read from a source with this hash.
    pub fn parts_of<'m>(&'m self, source_blake3: &'m str) -> impl Iterator<Item = &'m Segment> {
        let parts = self.entries.iter().flat_map(|e| &e.parts);
        parts.filter(move |p| p.source_blake3 == source_blake3)
    }

    /// The number of the next import. It is above all numbers in the manifest and in file names.
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

    /// The number of the import of these segments: the number in their names, or the next one if it
    /// is taken.
    pub fn number_for<'f>(&self, files: impl IntoIterator<Item = &'f str>) -> u64 {
        let named = files.into_iter().filter_map(number_of).max();
        named
            .filter(|n| self.entries.iter().all(|e| e.n != *n))
            .unwrap_or_else(|| self.next())
    }

    /// Checks that imports can be recorded.
    ///
    /// # Errors
    /// [`Error::corrupt`] if a line is damaged. The segments of that line would be missing in
    /// the project that the import is compared with.
    pub fn writable(&self) -> Result<()> {
        let Some(first) = self.problems.first() else {
            return Ok(());
        };
        let what = format!(
            "cannot import while a line of the manifest is damaged: {}",
            first.what
        );
        Err(Error { what, ..first.clone() }
            .help("run `benchtop recover` to restore the segments of the line, or restore the file from a backup"))
    }

    /// Reads the manifest for an import.
    ///
    /// # Errors
    /// See [`writable`](Self::writable).
    pub fn for_import(imports: &Path) -> Result<Manifest> {
        let manifest = Manifest::read(imports)?;
        manifest.writable().map(|()| manifest)
    }

    /// Segments that are neither in the manifest nor part of an unfinished import.
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

    /// Removes the files that a killed import left in `imports/`: temporary files, and segments
    /// that were not recorded yet. Recorded segments are never removed. If the manifest is damaged,
    /// all segments stay.
    pub fn sweep(&self, imports: &Path) {
        for entry in std::fs::read_dir(imports).into_iter().flatten().flatten() {
            let name = entry.file_name();
            if name
                .to_str()
                .is_some_and(|n| n.starts_with(".tmp-") && n.ends_with(".jsonl.zst"))
            {
                // A leftover file is harmless.
                let _ = std::fs::remove_file(entry.path());
            }
        }
        let intact = self.problems.is_empty() && !self.torn;
        for n in &self.unfinished {
            let recorded = self.entries.iter().any(|e| e.n == *n);
            if !recorded && intact {
                for file in self
                    .present
                    .iter()
                    .filter(|file| number_of(file) == Some(*n))
                {
                    let _ = std::fs::remove_file(imports.join(file));
                }
            }
            if recorded || intact {
                end(imports, *n);
            }
        }
    }

    /// Reads `imports/manifest.jsonl`. A missing file is an empty manifest. A torn last line is an
    /// import that did not finish.
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
        manifest.whole = ValidPrefix::new(bytes.len() as u64, lines.torn_at);
        manifest.list(imports);
        manifest
            .problems
            .extend(lines.bad.into_iter().map(|(n, p)| p.file(&path).line(n)));
        for (number, entry) in lines.good {
            if entry.v == 1 {
                manifest.entries.push(entry);
            } else {
                let what = format!(
                    "unsupported line version {}; a newer benchtop wrote this line",
                    entry.v
                );
                manifest
                    .problems
                    .push(Error::corrupt(what).file(&path).line(number));
            }
        }
        Ok(manifest)
    }

    /// Lists the segment files and the markers of unfinished imports.
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

    /// Appends and syncs one import. When this returns, the import is part of the project.
    ///
    /// # Errors
    /// See [`for_import`](Self::for_import) and [`AppendLog::append`]. The import is not part of
    /// the project then.
    pub fn append(imports: &Path, entry: &Entry) -> Result<()> {
        let mut bytes = Vec::new();
        checksummed_line::encode(entry, &mut bytes)?;
        let manifest = Manifest::for_import(imports)?;
        // Sync the folder before the line. Nothing may fail after the line is synced, since the
        // caller removes the segments on an error.
        let mut file = AppendLog::open(&imports.join(FILE), manifest.whole)?;
        disk::sync_dir(imports)?;
        file.append(&bytes, "cannot record the import")?;
        end(imports, entry.n);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use benchtop_model::ErrorKind;

    fn entry(n: u64) -> Entry {
        let part = Segment {
            file: format!("{n:04}-items.jsonl.zst"),
            holds: Content::Items {
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
    fn entries_round_trip_and_a_torn_entry_does_not_count() {
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

    /// Flips a bit of the last complete line.
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
        assert!(refused.help.is_some());
        manifest.sweep(dir.path());
        assert_eq!(std::fs::read(dir.path().join(FILE)).unwrap(), bytes);
        assert!(
            dir.path().join("0002-items.jsonl.zst").exists(),
            "an acknowledged segment was removed"
        );
    }

    #[test]
    fn sweep_removes_only_files_of_unfinished_imports() {
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
        // The line of the second segment is lost. The segment was recorded, so it is listed and
        // kept.
        Manifest::read(dir.path()).unwrap().sweep(dir.path());
        assert!(there("0002-items.jsonl.zst") && !there(".tmp-x.jsonl.zst"));
        assert_eq!(Manifest::read(dir.path()).unwrap().next(), 3);
        begin(dir.path(), "0003-items.jsonl.zst").unwrap();
        begin(dir.path(), "0003-02-items.jsonl.zst").unwrap();
        std::fs::write(dir.path().join("0003-items.jsonl.zst"), "rows").unwrap();
        let manifest = Manifest::read(dir.path()).unwrap();
        assert_eq!(manifest.orphans(), ["0002-items.jsonl.zst"]);
        assert_eq!(manifest.number_for(["0003-items.jsonl.zst"]), 3);
        manifest.sweep(dir.path());
        assert!(there("0002-items.jsonl.zst") && !there("0003-items.jsonl.zst"));
        assert!(Manifest::read(dir.path()).unwrap().unfinished.is_empty());
        // An import that was recorded just before it was killed.
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
