//! `runs/`: evaluations, each with a job file and a journal of answers. Answers cost money and time
//! and cannot be rebuilt, so a line is on disk before it is acknowledged.
//!
//! `0007.json` is the request and its status, `0007.items.json` the items unless they are all, and
//! `0007.jsonl` the answers and failures, one checksummed line each.

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

/// A stored run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// Version of the file.
    pub v: u8,
    /// Number. Generation jobs never share it.
    pub id: u32,
    /// The model name of its answers.
    pub label: String,
    /// The person who started it.
    pub by: String,
    /// Time of creation in milliseconds since 1970.
    pub created: i64,
    /// The request: model, questions, and settings.
    pub new: NewRun,
    /// The instruction with its revision.
    pub instruction: String,
    /// Number of items when it started. Without a list of items, the run covers all of them.
    pub items: u32,
    /// Number of questions, including all option orders.
    pub asks: u64,
    /// Position in the queue. Lower values run first.
    pub turn: i64,
    pub standing: JobStatus,
    /// Reason why it is paused or failed.
    pub reason: Option<String>,
    /// Counts of the outcomes, as of the last write.
    pub counts: Counts,
    /// Random token that identifies the run in the trust file ([`crate::trust`]).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
    /// Number of items with a draft when it started, if pictures are sent.
    #[serde(default)]
    pub drafts: u64,
}

/// Counts of the outcomes of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Answers.
    pub done: u64,
    /// Failed questions.
    pub failed: u64,
    /// Answers that reached the token limit.
    pub truncated: u64,
    pub refused: u64,
    pub empty: u64,
    /// Answers without token counts.
    pub untold: u64,
    pub usage: Usage,
    /// Answers that are predictions of the project.
    pub predictions: u64,
    /// Failed questions that its predictions list as missing.
    #[serde(default)]
    pub lacking: u64,
}

impl Counts {
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

/// A line of a run's journal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "kebab-case")]
pub enum Line {
    /// An answered question.
    Answer {
        item: String,
        #[serde(flatten)]
        asked: RunQuestion,
        #[serde(flatten)]
        answer: RunAnswer,
        /// RFC 3339 in UTC.
        at: String,
    },
    /// A failed question.
    Failed {
        item: String,
        #[serde(flatten)]
        asked: RunQuestion,
        #[serde(flatten)]
        failure: RunFailure,
    },
    /// Earlier failures are tried again.
    Retry {
        /// RFC 3339 in UTC.
        at: String,
    },
}

/// Progress of a run.
#[derive(Debug, Default)]
pub struct Progress {
    /// Answered questions.
    pub answered: HashSet<RunQuestion>,
    /// Failed questions with the ids of their items.
    pub failed: BTreeMap<RunQuestion, (String, RunFailure)>,
    pub counts: Counts,
    /// Numbers of damaged lines, from 1.
    pub damaged: Vec<u64>,
}

/// The folder of runs in the project at `root`.
pub fn folder(root: &Path) -> PathBuf {
    root.join("runs")
}

fn path(root: &Path, id: u32, ending: &str) -> PathBuf {
    folder(root).join(format!("{id:04}.{ending}"))
}

/// All runs by number, and the errors of invalid files. A missing folder is empty.
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
            problems.push(
                problem.help(
                    "compare it with a backup; if you edited it, remove its last member, `crc`",
                ),
            );
        }
        match serde_json::from_slice::<Run>(&text) {
            Ok(run) if run.v == VERSION && run.id == id => runs.push(run),
            Ok(run) => {
                let what = format!(
                    "unsupported run {} of version {}, expected run {id} of version {VERSION}",
                    run.id, run.v
                );
                problems.push(Error::new(ErrorKind::Corrupt, what).file(&path));
            }
            Err(e) => problems.push(
                Error::new(ErrorKind::Corrupt, format!("cannot parse the run: {e}")).file(&path),
            ),
        }
    }
    runs.sort_by_key(|run| run.id);
    Ok((runs, problems))
}

/// Writes a new run with the numbers of its items, or `None` for all items. On an error, the run
/// does not exist.
pub fn create(root: &Path, run: &Run, numbers: Option<&[u32]>) -> Result<()> {
    disk::ensure_private_dir(&folder(root))?;
    if let Some(numbers) = numbers {
        let list =
            serde_json::to_vec(numbers).map_err(|e| Error::new(ErrorKind::Io, e.to_string()))?;
        disk::write_atomic(&path(root, run.id, "items.json"), &list)?;
    }
    write_state(root, run)
}

/// Writes the state of a run. On an error, the file is unchanged.
pub fn write_state(root: &Path, run: &Run) -> Result<()> {
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
/// [`ErrorKind::Corrupt`].
pub fn numbers(root: &Path, run: &Run) -> Result<Vec<u32>> {
    let path = path(root, run.id, "items.json");
    match regular::read_if_there(&path, regular::LIST_LIMIT * 4)? {
        Some(bytes) => serde_json::from_slice(&bytes).map_err(|e| {
            Error::new(
                ErrorKind::Corrupt,
                format!("cannot parse the list of items: {e}"),
            )
            .file(&path)
        }),
        None => Ok((1..=run.items).collect()),
    }
}

/// Removes a run and its answers. Predictions of the project stay.
pub fn remove(root: &Path, id: u32) -> Result<()> {
    append_log::remove_torn(&path(root, id, "jsonl"))?;
    // The job file last: without it, the other files could not be found.
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

/// Calls `take` with every complete line of a run's journal, in order. Returns the numbers of
/// damaged lines, and the length of the complete lines.
///
/// # Errors
/// Errors of `take`.
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

/// The progress of a run. A duplicate answer counts once.
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
    /// Opens the journal. `whole` is the part that was read.
    pub fn open(root: &Path, id: u32, whole: ValidPrefix) -> Result<Journal> {
        AppendLog::open(&path(root, id, "jsonl"), whole).map(Journal)
    }

    /// Appends lines. When this returns, they are on disk. On an error, none of them is added.
    pub fn append(&mut self, lines: &[Line]) -> Result<()> {
        let mut bytes = Vec::new();
        lines
            .iter()
            .try_for_each(|line| checksummed_line::encode(line, &mut bytes))?;
        self.0.append(&bytes, "cannot save the answers")
    }
}

#[cfg(test)]
#[path = "runs_tests.rs"]
mod tests;
