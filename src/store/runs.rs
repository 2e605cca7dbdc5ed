//! `runs/`: evaluations, a job file and a journal of answers each. Answers cost money and time and nobody can make them
//! again from the rest of the project: a line is on disk before anybody is told of it.
//!
//! `0007.json` says what is asked of whom and how the job stands, `0007.items.json` which items where it is not all of
//! them, `0007.jsonl` what was answered and what was set aside, a checksummed line each.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::append_log::{self, AppendLog, ValidPrefix};
use super::checksummed_line;
use super::json_checksum::{self, Checksum};
use benchtop_files::{disk, regular};
use benchtop_model::evaluation::{NewRun, RunAnswer, RunFailure, RunQuestion};
use benchtop_model::job::JobStatus;
use benchtop_model::vlm::{Finish, Usage};
use benchtop_model::{Error, ErrorKind, Result};

/// Version of the files.
const VERSION: u8 = 1;

/// A run as it is stored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// Version of this file.
    pub v: u8,
    /// Its number; jobs that make pictures have others.
    pub id: u32,
    /// What its answers go by.
    pub label: String,
    /// Who began it.
    pub by: String,
    /// When, in milliseconds since 1970.
    pub created: i64,
    /// What is asked of whom.
    pub new: NewRun,
    /// The instruction with its revision.
    pub instruction: String,
    /// Items that were there when it was begun: where no list lies beside it, it is about all of these.
    pub items: u32,
    /// Questions, each order counted.
    pub asks: u64,
    /// Its turn: smaller ones come first.
    pub turn: i64,
    /// How it stands.
    pub standing: JobStatus,
    /// Why it is paused or failed.
    pub reason: Option<String>,
    /// What came of it, as far as it was counted when this was written.
    pub counts: Counts,
    /// Random text by which the person who began it here knows it again ([`crate::trust`]).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
    /// Items that showed a draft when it was begun, where pictures are sent.
    #[serde(default)]
    pub drafts: u64,
}

/// What came of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Answers.
    pub done: u64,
    /// Questions set aside.
    pub failed: u64,
    /// Answers that reached the most tokens.
    pub truncated: u64,
    /// Refused answers.
    pub refused: u64,
    /// Answers without a word.
    pub empty: u64,
    /// Answers whose tokens were not told.
    pub untold: u64,
    /// Tokens.
    pub usage: Usage,
    /// Answers that are predictions of the project.
    pub predictions: u64,
    /// Questions set aside of which its predictions say so.
    #[serde(default)]
    pub lacking: u64,
}

impl Counts {
    /// Counts an answer.
    pub fn add(&mut self, answer: &RunAnswer) {
        self.done += 1;
        match answer.finish {
            Finish::Length => self.truncated += 1,
            Finish::Refused => self.refused += 1,
            _ => {}
        }
        self.empty += u64::from(answer.output.trim().is_empty());
        match answer.usage {
            Some(usage) => {
                self.usage.prompt = self.usage.prompt.saturating_add(usage.prompt);
                self.usage.completion = self.usage.completion.saturating_add(usage.completion);
            }
            None => self.untold += 1,
        }
    }
}

/// One line of a run's journal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "kebab-case")]
pub enum Line {
    /// A question was answered.
    Answer {
        /// The item's id.
        item: String,
        /// Which question.
        #[serde(flatten)]
        asked: RunQuestion,
        /// What was said.
        #[serde(flatten)]
        answer: RunAnswer,
        /// When, RFC 3339 in UTC.
        at: String,
    },
    /// A question was set aside.
    Failed {
        /// The item's id.
        item: String,
        /// Which question.
        #[serde(flatten)]
        asked: RunQuestion,
        /// Why.
        #[serde(flatten)]
        failure: RunFailure,
    },
    /// What was set aside before this is asked again.
    Retry {
        /// When, RFC 3339 in UTC.
        at: String,
    },
}

/// What of a run is over.
#[derive(Debug, Default)]
pub struct Progress {
    /// Questions that were answered.
    pub answered: HashSet<RunQuestion>,
    /// Questions set aside, with their item's id.
    pub failed: BTreeMap<RunQuestion, (String, RunFailure)>,
    /// What the answers come to.
    pub counts: Counts,
    /// Numbers of the lines that could not be read, from 1.
    pub damaged: Vec<u64>,
}

/// The folder of runs below the project at `root`.
pub fn folder(root: &Path) -> PathBuf {
    root.join("runs")
}

fn path(root: &Path, id: u32, ending: &str) -> PathBuf {
    folder(root).join(format!("{id:04}.{ending}"))
}

/// All runs by number, and what is wrong with the files that are none.
///
/// # Errors
/// The operating system's; a folder that does not exist is empty.
pub fn list(root: &Path) -> Result<(Vec<Run>, Vec<Error>)> {
    let (mut runs, mut problems) = (Vec::new(), Vec::new());
    let folder = folder(root);
    let entries = match std::fs::read_dir(&folder) {
        Ok(entries) => entries,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok((runs, problems)),
        Err(e) => return Err(Error::io(&e, "cannot be listed", &folder)),
    };
    for entry in entries {
        let path = entry
            .map_err(|e| Error::io(&e, "cannot be listed", &folder))?
            .path();
        let name = path
            .file_name()
            .and_then(|n| n.to_str())
            .unwrap_or_default();
        let Some(id) = name
            .strip_suffix(".json")
            .and_then(|n| n.parse::<u32>().ok())
        else {
            continue;
        };
        let text = regular::read(&path, regular::SETTINGS_LIMIT)?;
        let (text, checksum) = json_checksum::split(&text);
        if checksum == Checksum::Wrong {
            let problem =
                Error::new(ErrorKind::Corrupt, "the file does not match its checksum").file(&path);
            problems.push(problem.help(
                "compare it with a copy; remove its last member, `crc`, if you changed it yourself",
            ));
        }
        match serde_json::from_slice::<Run>(&text) {
            Ok(run) if run.v == VERSION && run.id == id => runs.push(run),
            Ok(run) => {
                let what = format!(
                    "run {} of version {} is none that this program reads",
                    run.id, run.v
                );
                problems.push(Error::new(ErrorKind::Corrupt, what).file(&path));
            }
            Err(e) => {
                problems.push(Error::new(ErrorKind::Corrupt, format!("is no run: {e}")).file(&path))
            }
        }
    }
    runs.sort_by_key(|run| run.id);
    Ok((runs, problems))
}

/// Writes a new run with the numbers of its items; none for all there are.
///
/// # Errors
/// The operating system's; then there is no such run.
pub fn create(root: &Path, run: &Run, numbers: Option<&[u32]>) -> Result<()> {
    disk::ensure_private_dir(&folder(root))?;
    if let Some(numbers) = numbers {
        let list =
            serde_json::to_vec(numbers).map_err(|e| Error::new(ErrorKind::Io, e.to_string()))?;
        disk::write_atomic(&path(root, run.id, "items.json"), &list)?;
    }
    keep(root, run)
}

/// Writes down how a run stands.
///
/// # Errors
/// The operating system's; the file is then as it was.
pub fn keep(root: &Path, run: &Run) -> Result<()> {
    let text = serde_json::to_vec_pretty(&Run {
        v: VERSION,
        ..run.clone()
    })
    .map_err(|e| Error::new(ErrorKind::Io, e.to_string()))?;
    disk::write_atomic(&path(root, run.id, "json"), &json_checksum::add(&text))
}

/// The numbers of a run's items.
///
/// # Errors
/// [`ErrorKind::Corrupt`] and the operating system's.
pub fn numbers(root: &Path, run: &Run) -> Result<Vec<u32>> {
    let path = path(root, run.id, "items.json");
    match regular::read_if_there(&path, regular::LIST_LIMIT * 4)? {
        Some(bytes) => serde_json::from_slice(&bytes).map_err(|e| {
            Error::new(ErrorKind::Corrupt, format!("is no list of items: {e}")).file(&path)
        }),
        None => Ok((1..=run.items).collect()),
    }
}

/// Removes a run with its answers, those of them that are predictions of the project excepted.
///
/// # Errors
/// The operating system's.
pub fn remove(root: &Path, id: u32) -> Result<()> {
    append_log::remove_torn(&path(root, id, "jsonl"))?;
    // The job file last: without it nobody knows of the others.
    for ending in ["jsonl", "items.json", "json"] {
        let path = path(root, id, ending);
        match std::fs::remove_file(&path) {
            Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
                return Err(Error::io(&e, "cannot be removed", &path));
            }
            _ => {}
        }
    }
    disk::sync_dir(&folder(root))
}

/// Calls `take` with every whole line of a run's journal, in order. Gives the numbers of those that could not be read, and
/// how much of the file is whole.
///
/// # Errors
/// The operating system's, and what `take` returns.
pub fn read(
    root: &Path,
    id: u32,
    take: &mut dyn FnMut(Line) -> Result<()>,
) -> Result<(Vec<u64>, ValidPrefix)> {
    let path = path(root, id, "jsonl");
    let Some(bytes) = regular::read_if_there(&path, u64::MAX)? else {
        return Ok((Vec::new(), ValidPrefix::default()));
    };
    let (mut damaged, mut trouble) = (Vec::new(), None);
    let torn = checksummed_line::each::<Line>(&bytes, &mut |_, number, line| match line {
        Ok(line) if trouble.is_none() => trouble = take(line).err(),
        Ok(_) => {}
        Err(_) => damaged.push(number),
    });
    let whole = ValidPrefix {
        length: torn.unwrap_or(bytes.len() as u64),
        torn: torn.is_some(),
    };
    trouble.map_or(Ok((damaged, whole)), Err)
}

/// What of a run is over. An answer that is there twice counts once.
///
/// # Errors
/// As [`read`].
pub fn progress(root: &Path, id: u32) -> Result<(Progress, ValidPrefix)> {
    let mut progress = Progress::default();
    let (damaged, whole) = read(root, id, &mut |line| {
        match line {
            Line::Answer { asked, answer, .. } => {
                progress.failed.remove(&asked);
                if progress.answered.insert(asked) {
                    progress.counts.add(&answer);
                }
            }
            Line::Failed {
                asked,
                item,
                failure,
            } if !progress.answered.contains(&asked) => {
                progress.failed.insert(asked, (item, failure));
            }
            Line::Failed { .. } => {}
            Line::Retry { .. } => progress.failed.clear(),
        }
        Ok(())
    })?;
    progress.damaged = damaged;
    progress.counts.failed = progress.failed.len() as u64;
    Ok((progress, whole))
}

/// A run's journal, open for appending.
#[derive(Debug)]
pub struct Journal(AppendLog);

impl Journal {
    /// Opens the journal of which `whole` was read.
    ///
    /// # Errors
    /// The operating system's.
    pub fn open(root: &Path, id: u32, whole: ValidPrefix) -> Result<Journal> {
        AppendLog::open(&path(root, id, "jsonl"), whole).map(Journal)
    }

    /// Appends lines: when this returns they are on disk.
    ///
    /// # Errors
    /// The operating system's; then none of them is there.
    pub fn append(&mut self, lines: &[Line]) -> Result<()> {
        let mut bytes = Vec::new();
        lines
            .iter()
            .try_for_each(|line| checksummed_line::encode(line, &mut bytes))?;
        self.0.append(&bytes, "answers cannot be recorded")
    }
}

#[cfg(test)]
#[path = "runs_tests.rs"]
mod tests;
