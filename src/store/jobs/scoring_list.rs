//! Scoring jobs of earlier versions: one list, `jobs/scoring.json`, with its own numbers.

use std::path::Path;

use serde::Deserialize;
use serde_json::{Value, json};

use super::{JobHeader, StoredJob};
use crate::json_checksum::{self, Checksum};
use benchtop_files::{disk, regular};
use benchtop_model::Result;
use benchtop_model::job::JobStatus;

const VERSION: u8 = 1;

/// A job of the list.
#[derive(Deserialize)]
struct Listed {
    id: u32,
    scorer: Value,
    filter: String,
    phase: String,
    retry: bool,
    #[serde(default)]
    token: Option<String>,
    #[serde(default)]
    drafts: u64,
}

/// The file. The first versions wrote only the list.
#[derive(Deserialize)]
#[serde(untagged)]
enum File {
    Versioned { v: u8, jobs: Vec<Listed> },
    List(Vec<Listed>),
}

/// The jobs of the list at `path`, and a notice if it is damaged. `earlier` in their fields is
/// their number in the list.
pub fn earlier_scoring_jobs(path: &Path) -> (Vec<StoredJob>, Option<String>) {
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
        Ok(File::Versioned { v: VERSION, jobs } | File::List(jobs)) => {
            (jobs.into_iter().map(stored).collect(), notice)
        }
        Ok(File::Versioned { v, .. }) => unreadable(format!("unsupported version {v}")),
        Err(e) => unreadable(e.to_string()),
    }
}

fn stored(listed: Listed) -> StoredJob {
    let standing = match listed.phase.as_str() {
        "queued" => JobStatus::Queued,
        "running" => JobStatus::Running,
        "done" => JobStatus::Done,
        "cancelled" => JobStatus::Cancelled,
        _ => JobStatus::Paused,
    };
    StoredJob {
        spec: json!({
            "scorer": listed.scorer, "filter": listed.filter, "retry": listed.retry, "drafts": listed.drafts,
            "earlier": listed.id,
        }),
        header: JobHeader {
            id: listed.id,
            kind: "scoring".into(),
            turn: listed.id.into(),
            standing,
            token: listed.token,
            ..JobHeader::default()
        },
    }
}

/// Removes the list, after each of its jobs has a file of its own.
pub fn remove_earlier_scoring_jobs(path: &Path) -> Result<()> {
    super::remove_if_exists(path)?;
    disk::sync_dir(disk::folder(path))
}
