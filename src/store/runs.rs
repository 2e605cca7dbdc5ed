//! `runs/`: evaluations, each with a job file and a journal of answers. Answers cost money and time
//! and cannot be rebuilt, so a line is on disk before it is acknowledged.
//!
//! `0007.json` and `0007.items.json` are the files of the job ([`super::jobs`]), and `0007.jsonl` the
//! answers and failures, one checksummed line each.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::append_log::{AppendLog, ValidPrefix};
use super::checksummed_line;
use benchtop_files::regular;
use benchtop_model::Result;
use benchtop_model::evaluation::{NewRun, RunAnswer, RunQuestion};
use benchtop_model::generation::Failure;
use benchtop_model::job;
use benchtop_model::vlm::{Finish, Usage};

/// The fields of an evaluation, beside the header of its job file ([`super::jobs`]).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Run {
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
    /// Counts of the outcomes, as of the last write.
    pub counts: Counts,
    /// Number of items with a draft when it started, if pictures are sent.
    #[serde(default)]
    pub drafts: u64,
    /// Whether failed questions must be asked again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub again: bool,
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
    /// What must have been sent to get these answers.
    pub fn sent(&self) -> job::Usage {
        job::Usage {
            requests: self.done,
            tokens_in: self.usage.prompt,
            tokens_out: self.usage.completion,
            untold: self.untold,
            cost_micros: None,
        }
    }

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
        failure: Failure,
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
    pub failed: BTreeMap<RunQuestion, (String, Failure)>,
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

/// Whether a run has a journal.
pub fn is_begun(root: &Path, id: u32) -> bool {
    path(root, id, "jsonl").symlink_metadata().is_ok()
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
    let whole = ValidPrefix::new(bytes.len() as u64, torn);
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
