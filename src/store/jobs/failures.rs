//! What a generation job set aside: `jobs/NNNN.failed.jsonl`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{Failed, cut};
use crate::append_log::ValidPrefix;
use crate::checksummed_line;
use crate::lazy_append::LazyAppend;
use benchtop_files::regular;
use benchtop_model::Result;

/// A line of a job's failures.
#[derive(Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "kebab-case")]
enum Line {
    Failed(Failed),
    /// What was set aside before this is made again.
    Retry,
}

/// What a job set aside, and the file that has it; by default of a job that has no file yet.
#[derive(Debug, Default)]
pub struct FailureLog {
    path: PathBuf,
    /// By picture and sample.
    failed: BTreeMap<(u64, u32), Failed>,
    lines: LazyAppend,
    /// Numbers of the lines that could not be read, from 1.
    damaged: Vec<u64>,
}

impl FailureLog {
    /// What job `id` of the project at `root` set aside.
    ///
    /// # Errors
    /// The operating system's.
    pub fn open(root: &Path, id: u32) -> Result<FailureLog> {
        FailureLog::at(super::path(root, id, "failed.jsonl"))
    }

    fn at(path: PathBuf) -> Result<FailureLog> {
        let bytes = regular::read_if_there(&path, u64::MAX)?.unwrap_or_default();
        let (mut failed, mut damaged) = (BTreeMap::new(), Vec::new());
        let torn = checksummed_line::each::<Line>(&bytes, &mut |_, number, line| match line {
            Ok(Line::Failed(one)) => drop(failed.insert((one.key, one.failure.sample), one)),
            Ok(Line::Retry) => failed.clear(),
            Err(_) => damaged.push(number),
        });
        let whole = ValidPrefix {
            length: torn.unwrap_or(bytes.len() as u64),
            torn: torn.is_some(),
        };
        Ok(FailureLog {
            lines: LazyAppend::new(path.clone(), whole),
            path,
            failed,
            damaged,
        })
    }

    /// Numbers of the lines that could not be read, from 1.
    pub fn damaged(&self) -> &[u64] {
        &self.damaged
    }

    /// By picture and sample.
    pub fn failed(&self) -> &BTreeMap<(u64, u32), Failed> {
        &self.failed
    }

    /// Records failures: when this returns they are on disk.
    ///
    /// # Errors
    /// The operating system's; then none of them is there.
    pub fn append(&mut self, failed: &[Failed]) -> Result<()> {
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

    /// Forgets what failed, so that it is tried again.
    ///
    /// # Errors
    /// The operating system's.
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
        // Somebody replaced the file: from here on it is the one that the path names.
        if self.lines.lost() {
            *self = FailureLog::at(std::mem::take(&mut self.path))?;
        }
        self.lines.append(lines, "a failure cannot be recorded")
    }
}
