//! What a job has sent to servers: `jobs/NNNN.usage.json`, or `runs/NNNN.usage.json` for an
//! evaluation.
//!
//! The file is written far more often than the job file, and by the threads that send, so it is a
//! file of its own.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{corrupt, path};
use crate::json_checksum::{self, Checksum};
use benchtop_files::{disk, regular};
use benchtop_model::job::Usage;
use benchtop_model::{Error, Result};

/// Ending of the file's name.
pub(super) const ENDING: &str = "usage.json";
/// Version of the file.
const VERSION: u8 = 1;

#[derive(Serialize, Deserialize)]
struct Stored {
    v: u8,
    requests: u64,
    tokens_in: u64,
    tokens_out: u64,
    untold: u64,
}

/// The file of a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UsageFile(PathBuf);

impl UsageFile {
    pub fn of(root: &Path, kind: &str, id: u32) -> UsageFile {
        UsageFile(path(root, kind, id, ENDING))
    }

    /// What was stored last; nothing without a file.
    ///
    /// # Errors
    /// [`Error::corrupt`] for a damaged file: with a lower count, the job would send more than its
    /// budget.
    pub fn read(&self) -> Result<Usage> {
        let Some(bytes) = regular::read_if_there(&self.0, regular::SETTINGS_LIMIT)? else {
            return Ok(Usage::default());
        };
        let name = self.0.file_name().unwrap_or_default().to_string_lossy();
        let wrong = |what: &str| {
            let help =
                "restore the file from a copy; without it, the job counts its requests from 0";
            corrupt(format!("{name}: {what}")).help(help)
        };
        let (text, checksum) = json_checksum::split(&bytes);
        if checksum != Checksum::Valid {
            return Err(wrong("the file does not match its checksum"));
        }
        let stored: Stored = serde_json::from_slice(&text)
            .map_err(|e| wrong(&format!("cannot parse what the job has sent: {e}")))?;
        if stored.v != VERSION {
            return Err(wrong(&format!("unsupported version {}", stored.v)));
        }
        let Stored {
            requests,
            tokens_in,
            tokens_out,
            untold,
            ..
        } = stored;
        Ok(Usage {
            requests,
            tokens_in,
            tokens_out,
            untold,
            cost_micros: None,
        })
    }

    /// Replaces the file. On an error, it is unchanged.
    pub fn write(&self, usage: &Usage) -> Result<()> {
        let Usage {
            requests,
            tokens_in,
            tokens_out,
            untold,
            ..
        } = *usage;
        let stored = Stored {
            v: VERSION,
            requests,
            tokens_in,
            tokens_out,
            untold,
        };
        let text = serde_json::to_vec_pretty(&stored).map_err(|e| Error::failed(e.to_string()))?;
        disk::write_atomic(&self.0, &json_checksum::add(&text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_damaged_count_is_an_error_and_not_zero() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("jobs")).unwrap();
        let file = UsageFile::of(dir.path(), "judging", 7);
        assert_eq!(file.read().unwrap(), Usage::default());
        let usage = Usage {
            requests: 37,
            tokens_in: u64::MAX,
            tokens_out: 5,
            untold: 1,
            cost_micros: None,
        };
        file.write(&usage).unwrap();
        assert_eq!(file.read().unwrap(), usage);
        let path = dir.path().join("jobs/0007.usage.json");
        let text = std::fs::read_to_string(&path).unwrap();
        for damaged in [
            text.replace("37", "36"),
            text[..text.len() / 2].to_string(),
            String::new(),
            "{\"v\": 1}".into(),
        ] {
            std::fs::write(&path, damaged).unwrap();
            let problem = file.read().unwrap_err();
            assert!(problem.to_string().contains("0007.usage.json"), "{problem}");
        }
        let of_run = UsageFile::of(dir.path(), super::super::RUN, 7);
        assert!(of_run.0.ends_with("runs/0007.usage.json"));
    }
}
