//! `jobs/`: generation jobs, one file each. The remaining work follows from the job and the picture
//! journal, so only the job and its failures are stored.
//!
//! `0007.json` is the job, `0007.items.json` the numbers of its items if it is about selected ones,
//! and `0007.failed.jsonl` its failed pictures, one checksummed line each. Everything is on disk
//! before it is acknowledged. The index stores only the pictures in progress ([`PictureInProgress`]).

mod failures;
pub(super) mod migrate;
#[cfg(test)]
pub(super) mod tests;

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::append_log;
use super::index::{Index, key};
use super::json_checksum::{self, Checksum};
use benchtop_files::{disk, regular};
use benchtop_model::generation::Settings;
use benchtop_model::job::{GenerationOverrides, JobFailure, JobStatus};
use benchtop_model::{Error, ErrorKind, Result};

pub use failures::FailureLog;
pub(super) use migrate::take_over;

/// Version of the files.
const VERSION: u8 = 1;
/// Maximum number of pictures in progress. Each has at most 20 bytes.
const FLIGHTS: usize = 200;
/// Maximum number of characters of a name or reason.
const TEXT_CHARS: usize = 300;

/// The pictures of a job. The numbers of a selection are in a separate file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Scope {
    /// All missing pictures.
    Missing,
    /// The pictures of items that were selected when the job started.
    Items,
}

/// A stored job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Job {
    /// Number, from 1.
    pub id: u32,
    pub name: String,
    /// The person who started it.
    pub by: String,
    /// Time of creation in milliseconds since 1970.
    pub created: i64,
    pub scope: Scope,
    /// Description of the scope.
    pub plan: String,
    /// Samples per picture.
    pub samples: u32,
    pub seed: u64,
    /// Overrides of the generation settings.
    pub wishes: GenerationOverrides,
    /// The settings after the overrides, fixed at the first start.
    pub settings: Option<Settings>,
    /// Pictures per batch.
    pub batch: Option<u32>,
    /// Maximum number of pictures per minute.
    pub per_minute: Option<u32>,
    /// Position in the queue. Lower values run first.
    pub turn: i64,
    /// Status. A job that was running when the owner exited is queued at the next start.
    pub standing: JobStatus,
    /// Reason why it is paused or failed.
    pub reason: Option<String>,
    /// Total number of pictures at the last count.
    pub of: Option<u64>,
}

/// A picture that a job failed to generate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailedPicture {
    /// [`benchtop_model::generated_image::picture_key`].
    pub key: u64,
    /// The failure. The picture is not tried again after the maximum number of tries.
    pub failure: JobFailure,
}

/// A picture in progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PictureInProgress {
    /// [`benchtop_model::generated_image::picture_key`].
    pub key: u64,
    pub sample: u32,
    /// Number of times the owner died while it was in progress.
    pub ends: u32,
}

fn cut(text: &str) -> String {
    text.chars().take(TEXT_CHARS).collect()
}

/// A job with texts of limited length.
fn short(job: &Job) -> Job {
    Job {
        name: cut(&job.name),
        plan: cut(&job.plan),
        reason: job.reason.as_deref().map(cut),
        ..job.clone()
    }
}

/// The file of a job.
#[derive(Serialize, Deserialize)]
struct File {
    v: u8,
    #[serde(flatten)]
    job: Job,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    token: Option<String>,
}

/// A job with its other files.
#[derive(Debug)]
pub struct Stored {
    pub job: Job,
    /// Random token that identifies the job in the trust file ([`super::trust`]).
    pub token: Option<String>,
    /// The numbers of its items. Empty for a job of missing pictures.
    pub numbers: Vec<u32>,
    /// The failed pictures.
    pub failures: FailureLog,
}

/// The folder of jobs in the project at `root`.
pub fn folder(root: &Path) -> PathBuf {
    root.join("jobs")
}

fn path(root: &Path, id: u32, ending: &str) -> PathBuf {
    folder(root).join(format!("{id:04}.{ending}"))
}

/// The file of job `id`.
pub fn file(root: &Path, id: u32) -> PathBuf {
    path(root, id, "json")
}

/// All jobs by number, and the errors of job files. A missing folder is empty.
pub fn list(root: &Path) -> Result<(Vec<Stored>, Vec<Error>)> {
    let (mut jobs, mut problems) = (Vec::new(), Vec::new());
    let folder = folder(root);
    let entries = match std::fs::read_dir(&folder) {
        Ok(entries) => entries,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok((jobs, problems)),
        Err(e) => return Err(Error::io(&e, "cannot be listed", &folder)),
    };
    for entry in entries {
        let entry = entry.map_err(|e| Error::io(&e, "cannot be listed", &folder))?;
        let name = entry.file_name();
        let id = name
            .to_str()
            .and_then(|n| n.strip_suffix(".json")?.parse().ok());
        // A file that cannot be read does not affect other jobs.
        match id.map(|id| read(root, id, &mut problems)) {
            Some(Ok(job)) => jobs.push(job),
            Some(Err(problem)) => problems.push(problem),
            None => {}
        }
    }
    jobs.sort_by_key(|stored: &Stored| stored.job.id);
    Ok((jobs, problems))
}

fn read(root: &Path, id: u32, problems: &mut Vec<Error>) -> Result<Stored> {
    let path = file(root, id);
    let corrupt = |what: String| Error::new(ErrorKind::Corrupt, what).file(&path);
    let (text, checksum) = json_checksum::split(&regular::read(&path, regular::SETTINGS_LIMIT)?);
    if checksum == Checksum::Wrong {
        let help = "compare it with a backup; if you edited it, remove its last member, `crc`";
        problems.push(corrupt("the file does not match its checksum".into()).help(help));
    }
    let File { v, job, token } =
        serde_json::from_slice(&text).map_err(|e| corrupt(format!("cannot parse the job: {e}")))?;
    if v != VERSION || job.id != id {
        let what = format!(
            "unsupported job {} of version {v}, expected job {id} of version {VERSION}",
            job.id
        );
        return Err(corrupt(what));
    }
    let numbers = match job.scope {
        Scope::Missing => Vec::new(),
        Scope::Items => numbers(root, id)?,
    };
    let failures = FailureLog::open(root, id)?;
    let damaged = failures.damaged();
    if !damaged.is_empty() {
        let what = format!("{} lines are damaged: {damaged:?}", damaged.len());
        let help = "the pictures of these lines will be tried again";
        let failed = self::path(root, id, "failed.jsonl");
        problems.push(
            Error::new(ErrorKind::Corrupt, what)
                .file(&failed)
                .help(help),
        );
    }
    Ok(Stored {
        job,
        token,
        numbers,
        failures,
    })
}

fn numbers(root: &Path, id: u32) -> Result<Vec<u32>> {
    let path = path(root, id, "items.json");
    serde_json::from_slice(&regular::read(&path, regular::LIST_LIMIT * 4)?).map_err(|e| {
        Error::new(
            ErrorKind::Corrupt,
            format!("cannot parse the list of items: {e}"),
        )
        .file(&path)
    })
}

/// Writes a new job with the numbers of its items. On an error, the job does not exist.
pub fn create(root: &Path, job: &Job, token: Option<&str>, numbers: &[u32]) -> Result<()> {
    prepare(root, job.id)?;
    write(root, job, token, numbers)
}

/// Creates the folder, and removes leftover files of an interrupted removal of job `id`.
fn prepare(root: &Path, id: u32) -> Result<()> {
    disk::ensure_private_dir(&folder(root))?;
    remove_rest(root, id)
}

fn write(root: &Path, job: &Job, token: Option<&str>, numbers: &[u32]) -> Result<()> {
    if job.scope == Scope::Items {
        let list =
            serde_json::to_vec(numbers).map_err(|e| Error::new(ErrorKind::Io, e.to_string()))?;
        disk::write_atomic(&path(root, job.id, "items.json"), &list)?;
    }
    write_state(root, job, token)
}

/// Writes the state of a job. On an error, the file is unchanged.
pub fn write_state(root: &Path, job: &Job, token: Option<&str>) -> Result<()> {
    let file = File {
        v: VERSION,
        job: short(job),
        token: token.map(str::to_string),
    };
    let text =
        serde_json::to_vec_pretty(&file).map_err(|e| Error::new(ErrorKind::Io, e.to_string()))?;
    disk::write_atomic(&self::file(root, job.id), &json_checksum::add(&text))
}

/// Removes a job with its failures. Its pictures stay.
pub fn remove(root: &Path, id: u32) -> Result<()> {
    // The job file first: without it, the other files are unused.
    remove_if_exists(&file(root, id))?;
    disk::sync_dir(&folder(root))?;
    remove_rest(root, id)
}

fn remove_rest(root: &Path, id: u32) -> Result<()> {
    append_log::remove_torn(&path(root, id, "failed.jsonl"))?;
    remove_if_exists(&path(root, id, "failed.jsonl"))?;
    remove_if_exists(&path(root, id, "items.json"))
}

fn remove_if_exists(path: &Path) -> Result<()> {
    match std::fs::remove_file(path) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
            Err(Error::io(&e, "cannot be removed", path))
        }
        _ => Ok(()),
    }
}

fn flight_key(id: u32) -> Vec<u8> {
    key(b"job-flight/", id as usize)
}

impl Index {
    /// Records the pictures of a job in progress, so that the next owner knows which picture this
    /// one may have died of. The record is written for every batch and is not synced. A lost or
    /// outdated record costs one try.
    pub fn note_flight(&self, id: u32, flight: &[PictureInProgress]) -> Result<()> {
        let flight = &flight[..flight.len().min(FLIGHTS)];
        self.put_as(&flight_key(id), &flight)
    }

    /// Pictures of a job that were in progress when the last owner exited.
    ///
    /// # Errors
    /// [`ErrorKind::Corrupt`].
    pub fn flight(&self, id: u32) -> Result<Vec<PictureInProgress>> {
        Ok(self.get_as(&flight_key(id))?.unwrap_or_default())
    }

    /// Removes the record of the pictures in progress.
    pub fn forget_flight(&self, id: u32) -> Result<()> {
        self.remove_all(&flight_key(id))
    }
}
