//! Recovery of segments that the manifest no longer names, because its lines are damaged or
//! missing.
//!
//! A damaged line is read in one of two ways. If a single flipped bit explains the wrong checksum,
//! the bit is flipped back. Otherwise the line is parsed without its checksum, and its parts count
//! only if the segments have the recorded length and blake3 hash. Other segments are read
//! themselves. Items contain everything that the manifest needs. Predictions do not name their
//! model, and revised texts do not name their revision.

mod bits;
mod segments;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::checksummed_line;
use super::manifest::{Content, Entry, FILE, Manifest, Segment, number_of};
use benchtop_files::disk;
use benchtop_model::{Error, Result};

/// Information from the user that segments do not contain.
#[derive(Clone, Debug, Default)]
pub struct Hints {
    /// The model of the predictions.
    pub model: Option<String>,
    /// The data set of the predictions, or `None` to detect it as in an import.
    pub dataset: Option<String>,
    /// Segments to recover, or all if empty.
    pub only: Vec<String>,
}

/// The source of the information about a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Source {
    /// Its manifest line, after one bit was flipped back.
    MendedLine,
    /// Its manifest line, whose checksum is wrong. Length and hash match the segment.
    DamagedLine,
    /// The segment itself.
    Segment,
}

/// A segment that no readable manifest line names.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Orphan {
    /// File name below `imports/`.
    pub file: String,
    /// Size in bytes.
    pub bytes: u64,
    /// The entry for the manifest, or `None` if the segment cannot be recovered.
    pub part: Option<Segment>,
    /// The source of `part`.
    pub from: Option<Source>,
    /// The reason why the segment cannot be recovered.
    pub problem: Option<Error>,
}

/// A damaged line of the manifest.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DamagedLine {
    /// Line number, from 1.
    pub line: u64,
    pub problem: Error,
    /// Segments of the line that are missing or do not match it.
    pub missing: Vec<String>,
    /// Whether all segments of the line are known.
    pub explained: bool,
}

/// The result of a search for recoverable segments.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Recovery {
    pub lines: Vec<DamagedLine>,
    pub segments: Vec<Orphan>,
    /// Imports to add to the manifest again.
    pub entries: Vec<Entry>,
}

impl Recovery {
    /// Whether the manifest is readable and complete.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty() && self.segments.is_empty()
    }
}

/// Searches `imports` for recoverable segments, without changing anything. `now` is the time of
/// imports whose own time is unknown.
///
/// # Errors
/// [`Error::not_found`] if `said` names a segment that cannot be recovered.
pub fn search(imports: &Path, said: &Hints, now: &str) -> Result<Recovery> {
    let manifest = Manifest::read(imports)?;
    let path = imports.join(FILE);
    let bytes = match std::fs::read(&path) {
        Ok(bytes) => bytes,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => Vec::new(),
        Err(e) => return Err(Error::io(&e, "cannot be read", &path)),
    };
    let orphans = manifest.orphans();
    for file in &said.only {
        if !orphans.contains(file) {
            return Err(Error::not_found("no such segment to recover")
                .file(imports.join(file))
                .help("run `benchtop recover` to list the recoverable segments"));
        }
    }
    let mut recovery = Recovery::default();
    let mut entries: BTreeMap<u64, Entry> = BTreeMap::new();
    let mut known: BTreeMap<String, (Segment, Source)> = BTreeMap::new();
    let raw: Vec<&[u8]> = bytes.split_inclusive(|b| *b == b'\n').collect();
    for problem in &manifest.problems {
        let number = problem.place.line.unwrap_or_default();
        let line = number
            .checked_sub(1)
            .and_then(|at| raw.get(at as usize))
            .copied()
            .unwrap_or_default();
        let mut damaged = DamagedLine {
            line: number,
            problem: problem.clone(),
            missing: Vec::new(),
            explained: false,
        };
        let found = match bits::repair(line)
            .and_then(|line| checksummed_line::decode::<Entry>(&line).ok())
        {
            Some(entry) => vec![(entry, Source::MendedLine)],
            None => bits::without_checksum(line)
                .into_iter()
                .map(|entry| (entry, Source::DamagedLine))
                .collect(),
        };
        damaged.explained = !found.is_empty();
        for (entry, from) in found {
            for part in &entry.parts {
                if orphans.contains(&part.file) && segments::matches(imports, part) {
                    known.insert(part.file.clone(), (part.clone(), from));
                } else {
                    damaged.missing.push(part.file.clone());
                }
            }
            damaged.explained &= damaged.missing.is_empty();
            entries.insert(
                entry.n,
                Entry {
                    parts: Vec::new(),
                    ..entry
                },
            );
        }
        recovery.lines.push(damaged);
    }
    let mut project = segments::Contents::default();
    if orphans.iter().any(|file| !known.contains_key(file)) {
        let named = manifest
            .entries
            .iter()
            .flat_map(|e| &e.parts)
            .chain(known.values().map(|(part, _)| part));
        project.read(imports, named)?;
    }
    for file in orphans {
        let length = std::fs::metadata(imports.join(&file)).map_or(0, |meta| meta.len());
        let mut orphan = Orphan {
            bytes: length,
            part: None,
            from: None,
            problem: None,
            file,
        };
        match known.remove(&orphan.file) {
            Some((part, from)) => (orphan.part, orphan.from) = (Some(part), Some(from)),
            None => match segments::examine(imports, &orphan.file, &mut project, said) {
                Ok(part) => (orphan.part, orphan.from) = (Some(part), Some(Source::Segment)),
                Err(problem) => orphan.problem = Some(problem.file(imports.join(&orphan.file))),
            },
        }
        recovery.segments.push(orphan);
    }
    let taken = recovery
        .segments
        .iter()
        .filter(|o| said.only.is_empty() || said.only.contains(&o.file));
    for part in taken.filter_map(|orphan| orphan.part.clone()) {
        let n = number_of(&part.file).filter(|n| manifest.entries.iter().all(|e| e.n != *n));
        let n = n.unwrap_or_else(|| manifest.next());
        let fresh = || Entry {
            v: 1,
            n,
            at: now.to_string(),
            parts: Vec::new(),
        };
        entries.entry(n).or_insert_with(fresh).parts.push(part);
    }
    recovery.entries = entries
        .into_values()
        .filter(|e| !e.parts.is_empty())
        .collect();
    Ok(recovery)
}

/// Rewrites the manifest with its readable lines and the imports of `recovery`, ordered by number.
/// Keeps the old manifest as `manifest.jsonl.before-<n>` and returns its path. No owner may have
/// the project open. On an error, the manifest is unchanged.
pub fn apply(imports: &Path, recovery: &Recovery) -> Result<Option<PathBuf>> {
    let path = imports.join(FILE);
    let bytes = match std::fs::read(&path) {
        Ok(bytes) => Some(bytes),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => None,
        Err(e) => return Err(Error::io(&e, "cannot be read", &path)),
    };
    let mut lines: Vec<(u64, Vec<u8>)> = Vec::new();
    for raw in bytes
        .as_deref()
        .unwrap_or_default()
        .split_inclusive(|b| *b == b'\n')
    {
        if let (Ok(entry), true) = (checksummed_line::decode::<Entry>(raw), raw.ends_with(b"\n")) {
            lines.push((entry.n, raw.to_vec()));
        }
    }
    for entry in &recovery.entries {
        let mut text = Vec::new();
        checksummed_line::encode(entry, &mut text)?;
        // Items are numbered in the order of the lines, so an import must return to its position.
        let at = lines
            .iter()
            .position(|(n, _)| *n > entry.n)
            .unwrap_or(lines.len());
        lines.insert(at, (entry.n, text));
    }
    let mut backup = None;
    if let Some(bytes) = &bytes {
        for n in 1u64.. {
            let name = path.with_file_name(format!("{FILE}.before-{n}"));
            if disk::write_new(&name, bytes)? {
                backup = Some(name);
                break;
            }
        }
    }
    let text: Vec<u8> = lines.into_iter().flat_map(|(_, line)| line).collect();
    disk::write_atomic(&path, &text)?;
    Ok(backup)
}

/// Describes the content of a segment.
pub fn describe_contents(holds: &Content) -> String {
    match holds {
        Content::Items { dataset } => format!("items of {dataset}"),
        Content::Predictions { model, .. } => format!("predictions of {model}"),
        Content::Revisions { rev, .. } => format!("revised items, as of revision {rev}"),
    }
}

#[cfg(test)]
mod tests;
