//! Reads and writes `jobs/scoring.json`, the scoring jobs.

use std::path::Path;

use serde::{Deserialize, Serialize};

use benchtop_files::{disk, regular};
use benchtop_model::scoring::Scorer;
use benchtop_model::scoring::job::Phase;
use benchtop_model::{Error, ErrorKind, Result};
use benchtop_store::json_checksum::{self, Checksum};

/// A scoring job as it is stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Stored {
    pub(super) id: u32,
    pub(super) scorer: Scorer,
    pub(super) filter: String,
    pub(super) phase: Phase,
    /// Whether failed and unparsed inputs are scored again.
    pub(super) retry: bool,
    /// Random text that proves that the user started this job here ([`benchtop_store::trust`]).
    #[serde(default)]
    pub(super) token: Option<String>,
    /// Inputs whose picture was a draft at the start.
    #[serde(default)]
    pub(super) drafts: u64,
}

/// The file. Earlier versions wrote only the list.
#[derive(Deserialize)]
#[serde(untagged)]
enum File {
    Now { v: u8, jobs: Vec<Stored> },
    Earlier(Vec<Stored>),
}

const VERSION: u8 = 1;

/// The stored jobs, and a notice if the file is damaged.
pub(super) fn read(path: &Path) -> (Vec<Stored>, Option<String>) {
    let unreadable = |why: String| {
        let what = format!(
            "cannot read the scoring jobs: {why}; the jobs are lost, but all scores remain"
        );
        (Vec::new(), Some(what))
    };
    let bytes = match regular::read_if_there(path, regular::LIST_LIMIT) {
        Ok(bytes) => bytes.unwrap_or_else(|| b"[]".to_vec()),
        Err(problem) => return unreadable(problem.to_string()),
    };
    let (json, checksum) = json_checksum::split(&bytes);
    let changed = || format!("{}: the file does not match its checksum", path.display());
    let notice = (checksum == Checksum::Wrong).then(changed);
    match serde_json::from_slice(&json) {
        Ok(File::Now { v: VERSION, jobs } | File::Earlier(jobs)) => (jobs, notice),
        Ok(File::Now { v, .. }) => unreadable(format!("unsupported version {v}")),
        Err(e) => unreadable(e.to_string()),
    }
}

/// Writes the jobs. On an error the file is unchanged.
pub(super) fn write(path: &Path, jobs: &[&Stored]) -> Result<()> {
    let json = serde_json::json!({ "v": VERSION, "jobs": jobs });
    let bytes =
        serde_json::to_vec_pretty(&json).map_err(|e| Error::new(ErrorKind::Io, e.to_string()))?;
    disk::ensure_private_dir(disk::folder(path))?;
    disk::write_atomic(path, &json_checksum::add(&bytes))
}
