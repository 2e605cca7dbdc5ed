//! `scores/`: scores of items, with a folder per scorer and two files per version of a scorer.
//!
//! A score is stored by a hash of its inputs (picture, text). Every item with the same inputs
//! shares the score, and an item whose picture or text changed has none. A row has 28 bytes
//! including a checksum. Details for people are lines in the other file. The detail is written
//! before the row, and a score counts once its row is on disk. A later row replaces an earlier one.

mod embeddings;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap};
use std::fs::{File, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

pub use embeddings::Embeddings;
use serde::{Deserialize, Serialize};

use super::append_log::ValidPrefix;
use super::lazy_append::LazyAppend;
use crate::checksummed_row;
use benchtop_files::{disk, regular};
use benchtop_model::generation::Fingerprint;
use benchtop_model::scoring::{Score, ScoreState, Scorer};
use benchtop_model::{Error, ErrorKind, Result};

/// Version of the rows.
const VERSION: u32 = 1;
/// Key, value, state, three zero bytes, offset of the detail plus 1 (0 for none), CRC-32 of all of
/// them.
const ROW: usize = 8 + 4 + 4 + 8 + 4;
/// Maximum length of a detail in bytes.
const MAX_DETAIL: usize = 64 << 10;
/// The part of a fingerprint with the dimension of embeddings.
pub const DIMENSION: &str = "dimension";
/// The part of a fingerprint that names the embeddings behind a score.
pub const EMBEDDINGS: &str = "embeddings";
/// Name of the file with the current version.
const CURRENT: &str = "current";

/// Description of a scorer version, stored beside the scores.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScorerVersion {
    v: u32,
    pub scorer: Scorer,
    /// Name of the model or program.
    pub name: String,
    /// Parts of the fingerprint.
    pub parts: BTreeMap<String, String>,
    /// The logit scale of a CLIP or SigLIP model, or 1.
    pub logit: f32,
}

impl ScorerVersion {
    /// Describes a scorer whose scores are `logit` times its cosines.
    pub fn new(
        scorer: Scorer,
        name: String,
        fingerprint: &Fingerprint,
        logit: f32,
    ) -> ScorerVersion {
        ScorerVersion {
            v: VERSION,
            scorer,
            name,
            parts: fingerprint.parts.clone(),
            logit,
        }
    }

    /// [`Fingerprint::short`] of the scorer version.
    pub fn short(&self) -> String {
        Fingerprint {
            parts: self.parts.clone(),
        }
        .short()
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Entry {
    value: f32,
    state: ScoreState,
    detail: u64,
}

/// All scores of one version of a scorer.
#[derive(Debug)]
pub struct Scores {
    pub about: ScorerVersion,
    path: PathBuf,
    entries: HashMap<u64, Entry>,
    rows: LazyAppend,
    details: LazyAppend,
    /// For reading details, or `None` before there are any.
    reading: Option<File>,
    /// Problems found when the files were opened.
    pub problems: Vec<Error>,
}

fn folder_of(scores: &Path, scorer: &Scorer) -> PathBuf {
    scores.join(scorer.name().replace('/', "."))
}

/// The scorers with scores below `scores`.
pub fn scorers(scores: &Path) -> Vec<Scorer> {
    let entries = std::fs::read_dir(scores).into_iter().flatten().flatten();
    let name = |entry: std::fs::DirEntry| {
        entry
            .file_name()
            .into_string()
            .ok()?
            .replacen('.', "/", 1)
            .parse()
            .ok()
    };
    let mut all: Vec<Scorer> = entries.filter_map(name).collect();
    all.sort();
    all
}

impl Scores {
    /// The scores of the current version of a scorer, or `None` without scores. Damaged rows are
    /// skipped and reported by [`problems`](Self::problems).
    ///
    /// # Errors
    /// [`ErrorKind::Corrupt`] if the description of the scorer cannot be read.
    pub fn current(scores: &Path, scorer: &Scorer) -> Result<Option<Scores>> {
        let folder = folder_of(scores, scorer);
        let path = folder.join(CURRENT);
        let short = match regular::read_text(&path, regular::SETTINGS_LIMIT) {
            Ok(short) => short.trim().to_string(),
            Err(problem) if problem.kind == ErrorKind::NotFound => return Ok(None),
            Err(problem) => return Err(problem),
        };
        let path = folder.join(format!("{short}.json"));
        let text = regular::read_text(&path, regular::SETTINGS_LIMIT)?;
        let about: ScorerVersion = serde_json::from_str(&text).map_err(|e| {
            Error::corrupt(format!("cannot parse the description of the scorer: {e}")).file(&path)
        })?;
        if about.v != VERSION {
            let what = format!(
                "unsupported version {} of scores; a newer benchtop wrote them",
                about.v
            );
            return Err(Error::corrupt(what).file(&path));
        }
        Scores::open(&folder, about).map(Some)
    }

    /// Makes a version of a scorer current and opens its scores. Scores of other versions stay on
    /// disk.
    pub fn make_current(scores: &Path, about: ScorerVersion) -> Result<Scores> {
        let folder = folder_of(scores, &about.scorer);
        disk::ensure_below(scores, &folder)?;
        let short = about.short();
        let text = serde_json::to_vec_pretty(&about).map_err(|e| {
            Error::failed(format!(
                "cannot serialize the description of the scorer: {e}"
            ))
        })?;
        disk::write_new(&folder.join(format!("{short}.json")), &text)?;
        disk::write_atomic(&folder.join(CURRENT), short.as_bytes())?;
        Scores::open(&folder, about)
    }

    fn open(folder: &Path, about: ScorerVersion) -> Result<Scores> {
        let short = about.short();
        let path = folder.join(format!("{short}.scores"));
        let bytes = regular::read_if_there(&path, u64::MAX)?.unwrap_or_default();
        let details = folder.join(format!("{short}.details"));
        let written = regular::length(&details)?;
        let mut entries = HashMap::with_capacity(bytes.len() / ROW);
        let mut damaged = 0u64;
        for row in bytes.chunks_exact(ROW) {
            match decode(row) {
                Some((key, entry)) => drop(entries.insert(key, entry)),
                None => damaged += 1,
            }
        }
        let mut problems = Vec::new();
        if damaged > 0 {
            let what = format!("{damaged} scores do not match their checksums and are ignored");
            problems.push(
                Error::corrupt(what)
                    .file(&path)
                    .help("run the scorer again; it computes only the missing scores"),
            );
        }
        let whole = ValidPrefix::of_rows(bytes.len() as u64, ROW as u64);
        let rows = LazyAppend::new(path, whole);
        let appending = LazyAppend::new(details.clone(), ValidPrefix::new(written, None));
        let reading = open_details(&details)?;
        Ok(Scores {
            about,
            path: details,
            entries,
            rows,
            details: appending,
            reading,
            problems,
        })
    }

    /// Whether the files must be reopened; see
    /// [`AppendLog::lost`](crate::append_log::AppendLog::lost).
    pub fn must_reopen(&self) -> bool {
        self.rows.must_reopen() || self.details.must_reopen()
    }

    /// Number of inputs with a score or a reason for its absence.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// State and value for these inputs.
    pub fn get(&self, key: u64) -> (ScoreState, f32) {
        self.entries
            .get(&key)
            .map_or((ScoreState::Missing, 0.0), |e| (e.state, e.value))
    }

    /// The end of the details so far.
    pub fn end(&self) -> u64 {
        self.details.length()
    }

    /// Whether the score for these inputs has no detail at or after `end`.
    pub fn is_before(&self, key: u64, end: u64) -> bool {
        self.entries.get(&key).is_none_or(|e| e.detail <= end)
    }

    /// The complete score for these inputs.
    ///
    /// # Errors
    /// [`ErrorKind::Corrupt`] if the detail is damaged.
    pub fn score(&self, key: u64) -> Result<Score> {
        let Some(entry) = self.entries.get(&key) else {
            return Ok(Score::default());
        };
        let detail = match entry.detail.checked_sub(1) {
            None => String::new(),
            Some(at) => self.detail(at)?,
        };
        Ok(Score {
            state: entry.state,
            value: entry.value,
            detail,
        })
    }

    fn detail(&self, at: u64) -> Result<String> {
        let mut bytes = vec![0; MAX_DETAIL + 1];
        let mut have = 0;
        while have < bytes.len() {
            let Some(reading) = &self.reading else { break };
            match reading.read_at(&mut bytes[have..], at + have as u64) {
                Ok(0) => break,
                Ok(n) => {
                    let end = memchr::memchr(b'\n', &bytes[have..have + n]);
                    have += end.unwrap_or(n);
                    if end.is_some() {
                        bytes.truncate(have);
                        let corrupt = |_| Error::corrupt("the detail of a score is damaged");
                        return String::from_utf8(bytes).map_err(|e| corrupt(e).file(&self.path));
                    }
                }
                Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
                Err(e) => return Err(Error::io(&e, "cannot be read", &self.path)),
            }
        }
        Err(Error::corrupt("the detail of a score is truncated").file(&self.path))
    }

    /// Appends scores. When this returns, they are on disk. A detail that is too long is replaced
    /// by a note. On an error, none of them counts.
    pub fn append(&mut self, scores: &[(u64, Score)]) -> Result<()> {
        let (mut lines, mut rows) = (Vec::new(), Vec::with_capacity(scores.len() * ROW));
        let mut entries = Vec::with_capacity(scores.len());
        for (key, score) in scores {
            let detail = if score.detail.is_empty() {
                0
            } else {
                self.details.length() + lines.len() as u64 + 1
            };
            match score.detail.len() <= MAX_DETAIL && !score.detail.contains('\n') {
                _ if detail == 0 => {}
                true => lines.extend_from_slice(score.detail.as_bytes()),
                false => lines.extend_from_slice(b"{\"note\":\"the detail is too long to store\"}"),
            }
            if detail > 0 {
                lines.push(b'\n');
            }
            let entry = Entry {
                value: score.value,
                state: score.state,
                detail,
            };
            encode(*key, entry, &mut rows);
            entries.push((*key, entry));
        }
        if !lines.is_empty() {
            self.details.append(&lines, "cannot save scores")?;
            if self.reading.is_none() {
                self.reading = open_details(&self.path)?;
            }
        }
        self.rows.append(&rows, "cannot save scores")?;
        self.entries.extend(entries);
        Ok(())
    }
}

fn open_details(path: &Path) -> Result<Option<File>> {
    match regular::open(path, OpenOptions::new().read(true)) {
        Ok(file) => Ok(Some(file)),
        Err(problem) if problem.kind == ErrorKind::NotFound => Ok(None),
        Err(problem) => Err(problem),
    }
}

fn encode(key: u64, entry: Entry, out: &mut Vec<u8>) {
    let start = out.len();
    out.extend_from_slice(&key.to_le_bytes());
    out.extend_from_slice(&entry.value.to_le_bytes());
    out.extend_from_slice(&[entry.state.code(), 0, 0, 0]);
    out.extend_from_slice(&entry.detail.to_le_bytes());
    checksummed_row::end(out, start);
}

fn decode(row: &[u8]) -> Option<(u64, Entry)> {
    let body = checksummed_row::body(row)?;
    let key = u64::from_le_bytes(body[..8].try_into().ok()?);
    let value = f32::from_le_bytes(body[8..12].try_into().ok()?);
    let detail = u64::from_le_bytes(body[16..24].try_into().ok()?);
    Some((
        key,
        Entry {
            value,
            state: ScoreState::from_code(body[12]),
            detail,
        },
    ))
}
