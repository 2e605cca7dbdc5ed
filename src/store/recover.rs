//! Bringing back what the manifest no longer names: damaged lines, and segments that no line names.
//!
//! A damaged line is read in one of two ways. Where one flipped bit explains the wrong checksum, that bit is turned
//! back. Where not, the line is read without its checksum, and counts only as far as the segments that are there have
//! the bytes and the blake3 that it says. What no line explains is read from the segments themselves: items say all that
//! the manifest needs; answers do not say whose they are; later texts do not say from which revision they count.

mod bits;
mod segments;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::checksummed_line;
use super::manifest::{Entry, FILE, Holds, Manifest, Part, number_of};
use benchtop_files::disk;
use benchtop_model::{Error, ErrorKind, Result};

/// What a person says of segments that do not say it themselves.
#[derive(Clone, Debug, Default)]
pub struct Hints {
    /// Whose answers they are.
    pub model: Option<String>,
    /// Which data set is answered; worked out as at an import otherwise.
    pub dataset: Option<String>,
    /// Only these segments; all of them where this is empty.
    pub only: Vec<String>,
}

/// How it is known what a segment is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum From {
    /// Its line, in which one bit was turned back: the checksum is right again.
    MendedLine,
    /// Its line, whose checksum is wrong; bytes and blake3 are those of the segment.
    DamagedLine,
    /// The segment itself.
    Segment,
}

/// A segment that no readable line names.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Orphan {
    /// Its file name below `imports/`.
    pub file: String,
    /// Its bytes.
    pub bytes: u64,
    /// What the manifest will say of it; none where it cannot be taken in.
    pub part: Option<Part>,
    /// How that is known.
    pub from: Option<From>,
    /// Why it cannot be taken in.
    pub problem: Option<Error>,
}

/// A line of the manifest that cannot be read.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DamagedLine {
    /// Its number, from 1.
    pub line: u64,
    /// What is wrong with it.
    pub problem: Error,
    /// Segments that it names and that are not there, or are not what it says.
    pub missing: Vec<String>,
    /// Whether everything that it named is known.
    pub explained: bool,
}

/// What there is to bring back.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Recovery {
    /// Lines that cannot be read.
    pub lines: Vec<DamagedLine>,
    /// Segments that no readable line names.
    pub segments: Vec<Orphan>,
    /// Imports that would be entered again.
    pub entries: Vec<Entry>,
}

impl Recovery {
    /// Whether the manifest names everything that is there, and can be read.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty() && self.segments.is_empty()
    }
}

/// Looks for what can be brought back below `imports`; changes nothing. `now` is the time of imports whose own is not
/// known.
///
/// # Errors
/// The operating system's, and [`ErrorKind::NotFound`] for a named segment that is none of those.
pub fn look(imports: &Path, said: &Hints, now: &str) -> Result<Recovery> {
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
            return Err(Error::new(
                ErrorKind::NotFound,
                "no segment of this name is to be taken in",
            )
            .file(imports.join(file))
            .help("`benchtop recover` lists those that are"));
        }
    }
    let mut recovery = Recovery::default();
    let mut entries: BTreeMap<u64, Entry> = BTreeMap::new();
    let mut known: BTreeMap<String, (Part, From)> = BTreeMap::new();
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
        let found = match bits::mended(line)
            .and_then(|mended| checksummed_line::decode::<Entry>(&mended).ok())
        {
            Some(entry) => vec![(entry, From::MendedLine)],
            None => bits::without_checksum(line)
                .into_iter()
                .map(|entry| (entry, From::DamagedLine))
                .collect(),
        };
        damaged.explained = !found.is_empty();
        for (entry, from) in found {
            for part in &entry.parts {
                if orphans.contains(&part.file) && segments::is(imports, part) {
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
                Ok(part) => (orphan.part, orphan.from) = (Some(part), Some(From::Segment)),
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

/// Writes the manifest anew: lines that can be read as they are, and the imports of `recovery` where their numbers
/// belong. The old manifest stays beside it as `manifest.jsonl.before-<n>`, whose path this gives.
///
/// Nobody may hold the project meanwhile.
///
/// # Errors
/// The operating system's; then the manifest is as it was.
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
        // Items are numbered in the order of the lines: an import comes back to where it was.
        let at = lines
            .iter()
            .position(|(n, _)| *n > entry.n)
            .unwrap_or(lines.len());
        lines.insert(at, (entry.n, text));
    }
    let mut aside = None;
    if let Some(bytes) = &bytes {
        for n in 1u64.. {
            let name = path.with_file_name(format!("{FILE}.before-{n}"));
            if disk::write_new(&name, bytes)? {
                aside = Some(name);
                break;
            }
        }
    }
    let text: Vec<u8> = lines.into_iter().flat_map(|(_, line)| line).collect();
    disk::write_atomic(&path, &text)?;
    Ok(aside)
}

/// What a part holds, in words.
pub fn describe_contents(holds: &Holds) -> String {
    match holds {
        Holds::Items { dataset } => format!("items of {dataset}"),
        Holds::Predictions { model, .. } => format!("answers of {model}"),
        Holds::Revisions { rev, .. } => format!("later texts of items, from revision {rev} on"),
    }
}

#[cfg(test)]
mod tests;
