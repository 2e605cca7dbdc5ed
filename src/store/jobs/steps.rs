//! The steps of a bootstrapping job: `jobs/NNNN.jsonl`, one checksummed line each.
//!
//! The first lines are the plan: the source items with their digests. After it, a line follows each
//! answer of a model, each reading of one, each picture, each ruling, and each failure. Answers cost
//! money, so a line is on disk before its step counts. What to do next follows from the lines alone.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::append_log::{AppendLog, ValidPrefix};
use crate::checksummed_line;
use benchtop_files::regular;
use benchtop_model::Result;
use benchtop_model::generation::Failure;
use benchtop_model::vlm::{Finish, Usage};

/// Who answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ModelRole {
    Writer,
    Grounder,
    Judge,
}

impl ModelRole {
    /// The name in files and of its table in `benchtop.toml`.
    pub fn name(self) -> &'static str {
        match self {
            ModelRole::Writer => "writer",
            ModelRole::Grounder => "grounder",
            ModelRole::Judge => "judge",
        }
    }
}

/// A source item of the plan.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepSource {
    /// Number of the item.
    pub number: u32,
    /// Its digest when it was planned.
    pub digest: String,
}

/// What one try offers: a text, or an edit of the picture.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    /// The text, or the edit in words.
    pub text: String,
    /// Where the edit goes, and other parameters of it.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub edit: Map<String, Value>,
}

/// A request and its answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    pub role: ModelRole,
    /// Number of the request for this product and role, from 1.
    pub ask: u32,
    /// Whether it repairs the answer before.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub repair: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub system: Option<String>,
    pub prompt: String,
    /// Number of pictures that were sent.
    #[serde(default)]
    pub pictures: u32,
    pub reply: String,
    pub finish: Finish,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// The model that answered.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub model: String,
    /// RFC 3339 in UTC.
    pub at: String,
}

/// What came of a step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "step", rename_all = "kebab-case")]
pub enum Done {
    /// A model answered.
    Answer(Box<Answer>),
    /// The writer's answer was read and checked.
    Read { candidates: Vec<Candidate> },
    /// The writer's answer cannot be used, or its candidates ran out.
    Unread {
        problem: String,
        /// Whether the model is asked to repair it.
        repair: bool,
    },
    /// The picture of a candidate is on disk.
    Painted {
        hash: String,
        #[serde(default, skip_serializing_if = "Map::is_empty")]
        found: Map<String, Value>,
    },
    /// The judge's answer was read.
    Ruled {
        pass: Option<bool>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
    /// The product cannot be made until somebody has it tried again.
    Failed(Failure),
}

/// A line of the file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "kebab-case")]
pub enum StepLine {
    /// A plan begins. An earlier one was not finished.
    Plan,
    Source {
        n: usize,
        #[serde(flatten)]
        source: StepSource,
    },
    /// The plan has so many sources.
    Planned { sources: usize },
    /// A step of a product of a source was done.
    Done {
        n: usize,
        /// Strategies in the order in which they are applied: `V1>V3`.
        product: String,
        done: Done,
    },
    /// Failures are tried again.
    Retry,
}

/// The file, open for appending.
#[derive(Debug)]
pub struct StepJournal(AppendLog);

impl StepJournal {
    /// Opens the file of job `id`, and calls `take` with every line. Returns the numbers of damaged
    /// lines, too.
    ///
    /// # Errors
    /// Errors of reading.
    pub fn open(
        root: &Path,
        id: u32,
        take: &mut dyn FnMut(StepLine),
    ) -> Result<(StepJournal, Vec<u64>)> {
        let path = path(root, id);
        let (damaged, whole) = read(&path, take)?;
        Ok((StepJournal(AppendLog::open(&path, whole)?), damaged))
    }

    /// Calls `take` with every line of job `id`. Nothing is created.
    ///
    /// # Errors
    /// Errors of reading.
    pub fn each(root: &Path, id: u32, take: &mut dyn FnMut(StepLine)) -> Result<()> {
        read(&path(root, id), take).map(drop)
    }

    /// Appends lines. When this returns, they are on disk. On an error, none of them is added.
    ///
    /// # Errors
    /// If a write fails.
    pub fn append(&mut self, lines: &[StepLine]) -> Result<()> {
        if lines.is_empty() {
            return Ok(());
        }
        let mut bytes = Vec::new();
        for line in lines {
            checksummed_line::encode(line, &mut bytes)?;
        }
        self.0.append(&bytes, "cannot save the steps")
    }
}

/// The file of job `id`.
pub(super) fn path(root: &Path, id: u32) -> PathBuf {
    super::path(root, super::BOOTSTRAP, id, "jsonl")
}

fn read(path: &Path, take: &mut dyn FnMut(StepLine)) -> Result<(Vec<u64>, ValidPrefix)> {
    let bytes = regular::read_if_there(path, u64::MAX)?.unwrap_or_default();
    let mut damaged = Vec::new();
    let torn = checksummed_line::each::<StepLine>(&bytes, &mut |_, number, line| match line {
        Ok(line) => take(line),
        Err(_) => damaged.push(number),
    });
    Ok((damaged, ValidPrefix::new(bytes.len() as u64, torn)))
}

#[cfg(test)]
mod tests {
    use benchtop_model::generation::FailureKind;

    use super::*;

    #[test]
    fn lines_are_read_back_and_a_torn_one_is_left_out() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("jobs")).unwrap();
        let answer = Answer {
            role: ModelRole::Writer,
            ask: 2,
            repair: true,
            seed: Some(7),
            temperature: Some(0.8),
            system: None,
            prompt: "Ask it otherwise.".into(),
            pictures: 1,
            reply: "{\"text\": \"ü\"}".into(),
            finish: Finish::Stop,
            usage: Some(Usage {
                prompt: 3,
                completion: 2,
            }),
            model: "m".into(),
            at: "2026-11-24T00:00:00Z".into(),
        };
        let of = |done| StepLine::Done {
            n: 0,
            product: "L1>L4".into(),
            done,
        };
        let source = StepSource {
            number: 3,
            digest: "0a".into(),
        };
        let lines = [
            StepLine::Plan,
            StepLine::Source { n: 0, source },
            StepLine::Planned { sources: 1 },
            of(Done::Answer(Box::new(answer))),
            of(Done::Read {
                candidates: vec![Candidate::default()],
            }),
            of(Done::Ruled {
                pass: None,
                reason: None,
            }),
            of(Done::Failed(Failure::new(FailureKind::Input, "no"))),
            StepLine::Retry,
        ];
        let (mut journal, _) = StepJournal::open(dir.path(), 7, &mut |_| ()).unwrap();
        journal.append(&lines).unwrap();
        drop(journal);
        let file = dir.path().join("jobs/0007.jsonl");
        let whole = std::fs::read(&file).unwrap();
        std::fs::write(&file, &whole[..whole.len() - 3]).unwrap();
        let mut read = Vec::new();
        let (mut journal, damaged) =
            StepJournal::open(dir.path(), 7, &mut |line| read.push(line)).unwrap();
        assert_eq!((&read[..], damaged.len()), (&lines[..7], 0));
        journal.append(&lines[7..]).unwrap();
        let mut again = Vec::new();
        StepJournal::each(dir.path(), 7, &mut |line| again.push(line)).unwrap();
        assert_eq!(again, lines);
    }
}
