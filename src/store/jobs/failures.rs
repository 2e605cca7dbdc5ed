//! Failed pictures of a generation job: `jobs/NNNN.failed.jsonl`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{FailedPicture, GENERATION, LONG_LIMIT, cut};
use crate::append_log::ValidPrefix;
use crate::checksummed_line;
use crate::lazy_append::LazyAppend;
use benchtop_files::regular;
use benchtop_model::Result;

/// A line of the file.
#[derive(Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "kebab-case")]
enum Line {
    Failed(FailedPicture),
    /// Earlier failures are tried again.
    Retry,
}

/// The failed pictures of a job and their file. The default is for a job without a file.
#[derive(Debug, Default)]
pub struct FailureLog {
    path: PathBuf,
    /// Failures by picture and sample.
    pub failed: BTreeMap<(u64, u32), FailedPicture>,
    lines: LazyAppend,
    /// Numbers of damaged lines, from 1.
    pub damaged: Vec<u64>,
}

impl FailureLog {
    /// Opens the failures of job `id` in the project at `root`.
    pub fn open(root: &Path, id: u32) -> Result<FailureLog> {
        FailureLog::at(super::path(root, GENERATION, id, "failed.jsonl"))
    }

    /// The log of a new job `id`.
    pub fn new(root: &Path, id: u32) -> FailureLog {
        let path = super::path(root, GENERATION, id, "failed.jsonl");
        FailureLog {
            lines: LazyAppend::new(path.clone(), ValidPrefix::default()),
            path,
            ..FailureLog::default()
        }
    }

    fn at(path: PathBuf) -> Result<FailureLog> {
        let bytes = regular::read_if_there(&path, LONG_LIMIT)?.unwrap_or_default();
        let (mut failed, mut damaged) = (BTreeMap::new(), Vec::new());
        let torn = checksummed_line::each::<Line>(&bytes, &mut |_, number, line| match line {
            Ok(Line::Failed(one)) => drop(failed.insert((one.key, one.failure.sample), one)),
            Ok(Line::Retry) => failed.clear(),
            Err(_) => damaged.push(number),
        });
        let whole = ValidPrefix::new(bytes.len() as u64, torn);
        Ok(FailureLog {
            lines: LazyAppend::new(path.clone(), whole),
            path,
            failed,
            damaged,
        })
    }

    /// Appends failures. When this returns, they are on disk. On an error, none of them is added.
    pub fn append(&mut self, failed: &[FailedPicture]) -> Result<()> {
        let mut lines = Vec::new();
        for one in failed {
            let mut one = one.clone();
            one.failure.reason = cut(&one.failure.reason);
            checksummed_line::encode(&Line::Failed(one), &mut lines)?;
        }
        self.write(&lines)?;
        for one in failed {
            self.failed
                .insert((one.key, one.failure.sample), one.clone());
        }
        Ok(())
    }

    /// Clears the failures, so that the pictures are tried again.
    pub fn retry(&mut self) -> Result<()> {
        if self.failed.is_empty() {
            return Ok(());
        }
        let mut line = Vec::new();
        checksummed_line::encode(&Line::Retry, &mut line)?;
        self.write(&line)?;
        self.failed.clear();
        Ok(())
    }

    fn write(&mut self, lines: &[u8]) -> Result<()> {
        // The file was replaced. Continue with the file at the path.
        if self.lines.must_reopen() {
            *self = FailureLog::at(std::mem::take(&mut self.path))?;
        }
        self.lines.append(lines, "cannot save a failed picture")
    }
}
