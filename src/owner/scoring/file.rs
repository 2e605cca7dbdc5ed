//! `jobs/scoring.json`: scoring jobs.

use std::path::Path;

use serde::{Deserialize, Serialize};

use benchtop_files::{disk, regular};
use benchtop_model::scoring::Scorer;
use benchtop_model::scoring::job::Phase;
use benchtop_model::{Error, ErrorKind, Result};
use benchtop_store::json_checksum::{self, Checksum};

/// What is stored of a job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Stored {
    pub(super) id: u32,
    pub(super) scorer: Scorer,
    pub(super) filter: String,
    pub(super) phase: Phase,
    /// What failed or could not be read is scored again.
    pub(super) retry: bool,
    /// Random text by which the person who began it here knows it again ([`benchtop_store::trust`]).
    #[serde(default)]
    pub(super) token: Option<String>,
    /// Inputs with a draft as their picture when it was begun.
    #[serde(default)]
    pub(super) drafts: u64,
}

/// The file of scoring jobs. Earlier versions wrote the list alone.
#[derive(Deserialize)]
#[serde(untagged)]
enum File {
    Now { v: u8, jobs: Vec<Stored> },
    Earlier(Vec<Stored>),
}

/// Version of the file.
const VERSION: u8 = 1;

/// The stored jobs, with what a person should know of the file.
pub(super) fn read(path: &Path) -> (Vec<Stored>, Option<String>) {
    let forgotten = |why: String| {
        let what =
            format!("scoring jobs cannot be read and are forgotten: {why}; scores are all there");
        (Vec::new(), Some(what))
    };
    let bytes = match regular::read_if_there(path, regular::LIST_LIMIT) {
        Ok(bytes) => bytes.unwrap_or_else(|| b"[]".to_vec()),
        Err(problem) => return forgotten(problem.to_string()),
    };
    let (json, checksum) = json_checksum::split(&bytes);
    let changed = || format!("{}: the file does not match its checksum", path.display());
    let notice = (checksum == Checksum::Wrong).then(changed);
    match serde_json::from_slice(&json) {
        Ok(File::Now { v: VERSION, jobs } | File::Earlier(jobs)) => (jobs, notice),
        Ok(File::Now { v, .. }) => {
            forgotten(format!("version {v} is none that this program reads"))
        }
        Err(e) => forgotten(e.to_string()),
    }
}

/// Writes the jobs down.
///
/// # Errors
/// The operating system's; the file is then as it was.
pub(super) fn write(path: &Path, jobs: &[&Stored]) -> Result<()> {
    let json = serde_json::json!({ "v": VERSION, "jobs": jobs });
    let bytes =
        serde_json::to_vec_pretty(&json).map_err(|e| Error::new(ErrorKind::Io, e.to_string()))?;
    disk::ensure_private_dir(disk::folder(path))?;
    disk::write_atomic(path, &json_checksum::add(&bytes))
}
