//! The files of jobs: one format for all kinds.
//!
//! `0007.json` has the header of the job ([`JobHeader`]) and, beside it, what its kind stores. Other
//! files of the job have the same number: `0007.items.json`, the numbers of its items if it is about
//! selected ones, `0007.usage.json`, what it has sent to servers ([`UsageFile`]), and the journals of
//! its kind, such as `0007.failed.jsonl` ([`FailureLog`]) and `0007.jsonl` ([`DerivedPictures`],
//! [`StepJournal`]). They are in `jobs/`, those of an evaluation
//! in `runs/` beside its answers ([`super::runs`]). What is left to do follows from the job and from
//! the journals of results. Everything is on disk before it is acknowledged. The index stores only
//! the pictures in progress ([`PictureInProgress`]).

mod derived_pictures;
mod failures;
mod generation;
pub(super) mod migrate;
mod scoring_list;
mod step_index;
mod steps;
#[cfg(test)]
pub(super) mod tests;
mod usage;

use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::append_log;
use super::json_checksum::{self, Checksum};
use benchtop_files::{disk, regular};
use benchtop_model::job::{Budget, JobStatus};
use benchtop_model::sorting::sort_by_key;
use benchtop_model::{Error, Result};

pub use derived_pictures::{DerivedPictures, MadePicture, PlannedPicture};
pub use failures::FailureLog;
pub use generation::{FailedPicture, Generation, GenerationFiles, PictureInProgress, Scope};
pub(super) use migrate::take_over;
pub use scoring_list::{earlier_scoring_jobs, remove_earlier_scoring_jobs};
pub use step_index::StepIndex;
pub use steps::{Answer, Candidate, Done, ModelRole, StepJournal, StepLine, StepSource};
pub use usage::UsageFile;

/// Version of the files.
const VERSION: u8 = 1;
/// Maximum number of characters of a name or reason.
const TEXT_CHARS: usize = 300;
/// Kind of a job file in `jobs/` that names none.
const GENERATION: &str = "generation";
/// Kind of a job file in `runs/`.
pub const RUN: &str = "run";
/// Kind of the jobs that make the pictures of scenarios.
pub const SCENARIO: &str = "scenario";
/// Kind of the jobs that make variants of questions with models.
pub const BOOTSTRAP: &str = "bootstrap";
/// The highest number of a job. The numbers above are those of commands, which have no files.
pub const HIGHEST: u32 = 1_000_000;
/// Size limit of a list of items and of a journal of failures, in bytes.
const LONG_LIMIT: u64 = regular::LIST_LIMIT * 4;

/// What the file of every job has.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct JobHeader {
    /// Number, from 1. Jobs of all kinds share their numbers.
    pub id: u32,
    /// Name of the kind.
    #[serde(default)]
    pub kind: String,
    /// The person who started it.
    pub by: String,
    /// Time of creation in milliseconds since 1970.
    pub created: i64,
    /// Position in the queue. Lower values run first.
    pub turn: i64,
    /// Status. A job that was running when the owner exited is queued at the next start.
    pub standing: JobStatus,
    /// Reason why it waits, is paused, or failed.
    pub reason: Option<String>,
    /// Random token that identifies the job in the trust file ([`super::trust`]).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
    /// Limits on what it sends to servers.
    #[serde(default, skip_serializing_if = "Budget::is_unlimited")]
    pub budget: Budget,
}

/// A stored job.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredJob {
    pub header: JobHeader,
    /// The whole file. A kind reads its own fields.
    pub spec: Value,
}

impl StoredJob {
    /// What the kind of the job stores.
    ///
    /// # Errors
    /// [`Error::corrupt`] if the file has another shape.
    pub fn spec<T: DeserializeOwned>(&self) -> Result<T> {
        T::deserialize(&self.spec)
            .map_err(|e| corrupt(format!("cannot parse job {}: {e}", self.header.id)))
    }
}

fn corrupt(what: String) -> Error {
    Error::corrupt(what)
}

fn cut(text: &str) -> String {
    text.chars().take(TEXT_CHARS).collect()
}

/// The folder of jobs in the project at `root`.
pub fn folder(root: &Path) -> PathBuf {
    root.join("jobs")
}

fn path(root: &Path, kind: &str, id: u32, ending: &str) -> PathBuf {
    let folder = match kind {
        RUN => super::runs::folder(root),
        _ => folder(root),
    };
    folder.join(format!("{id:04}.{ending}"))
}

/// The file of a job.
pub fn file(root: &Path, kind: &str, id: u32) -> PathBuf {
    path(root, kind, id, "json")
}

/// The number that the name of a file starts with, and the rest after the dot.
fn numbered(name: &str) -> Option<(u32, &str)> {
    let (number, ending) = name.split_once('.')?;
    Some((number.parse().ok()?, ending))
}

/// The highest number that any file of a job has, even if it cannot be read.
pub fn last_number(root: &Path) -> u32 {
    let folders = [folder(root), super::runs::folder(root)];
    let files = folders.iter().flat_map(|folder| disk::list(folder));
    let numbers = files.filter_map(|(name, _)| Some(numbered(&name)?.0));
    let of_jobs = numbers.filter(|number| *number <= HIGHEST);
    of_jobs.max().unwrap_or(0)
}

/// A number for a new job: above `last`, and above those of all files.
///
/// # Errors
/// [`Error::conflict`] if no number is left.
pub fn next_number(root: &Path, last: u32) -> Result<u32> {
    let next = last.max(last_number(root)).checked_add(1);
    next.filter(|next| *next <= HIGHEST).ok_or_else(|| {
        let what = format!("no number is left for a new job, since a job has the number {HIGHEST}");
        Error::conflict(what).help("move the files with this number out of `jobs/` and `runs/`")
    })
}

/// Whether a file of a job has this number, even if it cannot be read.
pub fn is_taken(root: &Path, id: u32) -> bool {
    let has = |folder: PathBuf| {
        let of_it = |(name, _): &(String, _)| numbered(name).is_some_and(|(n, _)| n == id);
        disk::list(&folder).iter().any(of_it)
    };
    has(folder(root)) || has(super::runs::folder(root))
}

/// All jobs by number, and the errors of job files. Missing folders are empty.
pub fn list(root: &Path) -> (Vec<StoredJob>, Vec<Error>) {
    let (mut jobs, mut problems): (Vec<StoredJob>, _) = (Vec::new(), Vec::new());
    for (folder, kind) in [(folder(root), GENERATION), (super::runs::folder(root), RUN)] {
        let entries = match std::fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => continue,
            Err(e) => {
                problems.push(Error::io(&e, "cannot be listed", &folder));
                continue;
            }
        };
        for entry in entries {
            let entry = match entry {
                Ok(entry) => entry,
                Err(e) => {
                    problems.push(Error::io(&e, "cannot be listed", &folder));
                    break;
                }
            };
            let (name, path) = (entry.file_name(), entry.path());
            let id = name.to_str().and_then(numbered);
            let Some((id, _)) = id.filter(|(_, ending)| *ending == "json") else {
                continue;
            };
            // A file that cannot be read does not affect other jobs.
            let found = check_name(&name, id).and_then(|()| read(&path, kind, id, &mut problems));
            match found {
                Ok(job) if jobs.iter().any(|other| other.header.id == id) => {
                    let what = format!("another file has job {} too", job.header.id);
                    let help = "move one of them out of the folder";
                    problems.push(corrupt(what).file(path).help(help));
                }
                Ok(job) => jobs.push(job),
                Err(problem) => problems.push(problem.file(path)),
            }
        }
    }
    sort_by_key(&mut jobs, |stored: &StoredJob| stored.header.id);
    (jobs, problems)
}

/// Checks that the file of job `id` has the name that the job is written to and removed by.
fn check_name(name: &std::ffi::OsStr, id: u32) -> Result<()> {
    if !(1..=HIGHEST).contains(&id) {
        return Err(corrupt(format!("the number of a job is 1 to {HIGHEST}")));
    }
    let own = format!("{id:04}.json");
    match name == own.as_str() {
        true => Ok(()),
        false => Err(corrupt(format!("the file of job {id} has the name {own}"))),
    }
}

/// Reads a job file. `kind` is the kind of a file that names none.
fn read(path: &Path, kind: &str, id: u32, problems: &mut Vec<Error>) -> Result<StoredJob> {
    let (text, checksum) = json_checksum::split(&regular::read(path, regular::SETTINGS_LIMIT)?);
    if checksum == Checksum::Wrong {
        let help = "compare it with a backup; if you edited it, remove its last member, `crc`";
        let what = corrupt("the file does not match its checksum".into());
        problems.push(what.file(path).help(help));
    }
    let wrong = |e: serde_json::Error| corrupt(format!("cannot parse the job: {e}"));
    let spec: Value = serde_json::from_slice(&text).map_err(wrong)?;
    let mut header = JobHeader::deserialize(&spec).map_err(wrong)?;
    if spec["v"] != VERSION || header.id != id {
        let what = format!(
            "unsupported job {} of version {}, expected job {id} of version {VERSION}",
            header.id, spec["v"]
        );
        return Err(corrupt(what));
    }
    if header.kind.is_empty() {
        header.kind = kind.into();
    }
    Ok(StoredJob { header, spec })
}

/// The numbers of a job's items. `None` if it has no list.
///
/// # Errors
/// [`Error::corrupt`].
pub fn numbers(root: &Path, kind: &str, id: u32) -> Result<Option<Vec<u32>>> {
    let path = path(root, kind, id, "items.json");
    let bytes = regular::read_if_there(&path, LONG_LIMIT)?;
    let parse = |bytes: Vec<u8>| {
        serde_json::from_slice(&bytes)
            .map_err(|e| corrupt(format!("cannot parse the list of items: {e}")).file(&path))
    };
    bytes.map(parse).transpose()
}

/// Writes a new job, with the numbers of its items if it is about selected ones. On an error, the
/// job does not exist.
pub fn create(
    root: &Path,
    header: &JobHeader,
    spec: &Value,
    numbers: Option<&[u32]>,
) -> Result<()> {
    prepare(root, header)?;
    write(root, header, spec, numbers)
}

/// Creates the folder, and removes leftover files of an interrupted creation.
///
/// # Errors
/// [`Error::conflict`] if a job or answers with this number exist.
fn prepare(root: &Path, header: &JobHeader) -> Result<()> {
    let of_it = |ending| path(root, &header.kind, header.id, ending);
    for path in ["json", "jsonl"].map(of_it) {
        if path.symlink_metadata().is_ok() {
            let what = format!("job {} exists already", header.id);
            return Err(Error::conflict(what).file(path));
        }
    }
    disk::ensure_private_dir(disk::folder(&of_it("json")))?;
    remove_rest(root, &header.kind, header.id)
}

fn write(root: &Path, header: &JobHeader, spec: &Value, numbers: Option<&[u32]>) -> Result<()> {
    if let Some(numbers) = numbers {
        let list = serde_json::to_vec(numbers).map_err(|e| Error::failed(e.to_string()))?;
        disk::write_atomic(&path(root, &header.kind, header.id, "items.json"), &list)?;
    }
    write_state(root, header, spec)
}

/// Writes the state of a job. On an error, the file is unchanged.
pub fn write_state(root: &Path, header: &JobHeader, spec: &Value) -> Result<()> {
    let wrong = |e: serde_json::Error| Error::failed(e.to_string());
    let header = JobHeader {
        reason: header.reason.as_deref().map(cut),
        ..header.clone()
    };
    let mut whole = spec.clone();
    if let (Value::Object(whole), Value::Object(head)) =
        (&mut whole, serde_json::to_value(&header).map_err(wrong)?)
    {
        whole.remove("token");
        whole.remove("budget");
        whole.extend(head);
        whole.insert("v".into(), VERSION.into());
    }
    let text = serde_json::to_vec_pretty(&whole).map_err(wrong)?;
    disk::write_atomic(
        &file(root, &header.kind, header.id),
        &json_checksum::add(&text),
    )
}

/// Removes a job with its journals. Its results stay.
pub fn remove(root: &Path, kind: &str, id: u32) -> Result<()> {
    // The job file last, or the other files could not be found. Without its list of items, a job
    // could not be read.
    remove_journals(root, kind, id)?;
    remove_if_exists(&file(root, kind, id))?;
    disk::sync_dir(disk::folder(&file(root, kind, id)))?;
    remove_rest(root, kind, id)
}

fn remove_journals(root: &Path, kind: &str, id: u32) -> Result<()> {
    for ending in ["jsonl", "failed.jsonl"] {
        append_log::remove_torn(&path(root, kind, id, ending))?;
        remove_if_exists(&path(root, kind, id, ending))?;
    }
    Ok(())
}

fn remove_rest(root: &Path, kind: &str, id: u32) -> Result<()> {
    remove_journals(root, kind, id)?;
    for ending in ["items.json", usage::ENDING] {
        remove_if_exists(&path(root, kind, id, ending))?;
    }
    Ok(())
}

fn remove_if_exists(path: &Path) -> Result<()> {
    match std::fs::remove_file(path) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
            Err(Error::io(&e, "cannot be removed", path))
        }
        _ => Ok(()),
    }
}
