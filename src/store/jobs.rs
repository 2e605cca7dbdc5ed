//! `jobs/`: generation jobs, a file each. What is left to do follows from the job and the journal of pictures, so only the
//! order of the job and its failures are kept.
//!
//! `0007.json` is the job, `0007.items.json` the numbers of its items where it is about chosen ones, and
//! `0007.failed.jsonl` the pictures that were set aside, a checksummed line each. Everything is on disk before anybody
//! hears of it. The index keeps only which pictures were being made ([`Flight`]).

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
/// Pictures noted as being made: at most 20 bytes each.
const FLIGHTS: usize = 200;
/// Characters of a name or reason kept.
const TEXT_CHARS: usize = 300;

/// Which pictures a stored job makes. The numbers of a selection lie beside it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Scope {
    /// Those that are missing.
    Missing,
    /// Those of some items, chosen when it was begun.
    Items,
}

/// A job as it is stored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Job {
    /// Its number, from 1.
    pub id: u32,
    /// What it is called.
    pub name: String,
    /// Who began it.
    pub by: String,
    /// When, in milliseconds since 1970.
    pub created: i64,
    /// Which pictures.
    pub scope: Scope,
    /// The same in words.
    pub plan: String,
    /// Samples of each picture.
    pub samples: u32,
    /// Its seed.
    pub seed: u64,
    /// With what.
    pub wishes: GenerationOverrides,
    /// The settings that the wishes came to when it first ran: a later start uses the same.
    pub settings: Option<Settings>,
    /// Pictures made together.
    pub batch: Option<u32>,
    /// At most so many pictures a minute.
    pub per_minute: Option<u32>,
    /// Its turn: smaller ones come first.
    pub turn: i64,
    /// How it stands; one that was running when the owner ended is queued when it starts.
    pub standing: JobStatus,
    /// Why it is paused or failed.
    pub reason: Option<String>,
    /// Pictures in all, when it was last worked out.
    pub of: Option<u64>,
}

/// What a job knows of a picture that failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failed {
    /// [`benchtop_model::generated_image::picture_key`].
    pub key: u64,
    /// What is shown of it; set aside once it was tried too often.
    pub failure: JobFailure,
}

/// A picture that is being made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Flight {
    /// [`benchtop_model::generated_image::picture_key`].
    pub key: u64,
    /// Which sample.
    pub sample: u32,
    /// How often an owner was gone while it was made.
    pub ends: u32,
}

fn cut(text: &str) -> String {
    text.chars().take(TEXT_CHARS).collect()
}

/// A job with texts of a bounded length.
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

/// A job as its files have it.
#[derive(Debug)]
pub struct Stored {
    /// The job.
    pub job: Job,
    /// Random text by which the person who began it here knows it again ([`super::trust`]).
    pub token: Option<String>,
    /// The numbers of its items; empty where it makes what is missing.
    pub numbers: Vec<u32>,
    /// What it set aside.
    pub failures: FailureLog,
}

/// The folder of jobs below the project at `root`.
pub fn folder(root: &Path) -> PathBuf {
    root.join("jobs")
}

fn path(root: &Path, id: u32, ending: &str) -> PathBuf {
    folder(root).join(format!("{id:04}.{ending}"))
}

/// The file with the order of job `id`.
pub fn file(root: &Path, id: u32) -> PathBuf {
    path(root, id, "json")
}

/// All jobs by number, and what is wrong with files of jobs.
///
/// # Errors
/// The operating system's; a folder that does not exist is empty.
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
        // One file that cannot be read keeps no other job away.
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
        let help =
            "compare it with a copy; remove its last member, `crc`, if you changed it yourself";
        problems.push(corrupt("the file does not match its checksum".into()).help(help));
    }
    let File { v, job, token } =
        serde_json::from_slice(&text).map_err(|e| corrupt(format!("is no job: {e}")))?;
    if v != VERSION || job.id != id {
        let what = format!(
            "job {} of version {v} is none that this program reads",
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
        let what = format!("{} lines cannot be read: {damaged:?}", damaged.len());
        let help = "the pictures of these lines are tried again";
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
        Error::new(ErrorKind::Corrupt, format!("is no list of items: {e}")).file(&path)
    })
}

/// Writes a new job with the numbers of its items.
///
/// # Errors
/// The operating system's; then there is no such job.
pub fn create(root: &Path, job: &Job, token: Option<&str>, numbers: &[u32]) -> Result<()> {
    prepare(root, job.id)?;
    write(root, job, token, numbers)
}

/// Makes the folder, and removes what a removal of job `id` that was cut off left in it.
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
    keep(root, job, token)
}

/// Writes down how a job stands.
///
/// # Errors
/// The operating system's; the file is then as it was.
pub fn keep(root: &Path, job: &Job, token: Option<&str>) -> Result<()> {
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
///
/// # Errors
/// The operating system's.
pub fn remove(root: &Path, id: u32) -> Result<()> {
    // The job first: without it nobody knows of the others.
    gone(&file(root, id))?;
    disk::sync_dir(&folder(root))?;
    remove_rest(root, id)
}

fn remove_rest(root: &Path, id: u32) -> Result<()> {
    append_log::remove_torn(&path(root, id, "failed.jsonl"))?;
    gone(&path(root, id, "failed.jsonl"))?;
    gone(&path(root, id, "items.json"))
}

fn gone(path: &Path) -> Result<()> {
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
    /// Notes which pictures of a job are being made, so that the next owner knows what this one may have died of. It is
    /// not synced: this is written for every batch, and a note that is lost or out of date costs one try.
    ///
    /// # Errors
    /// The operating system's.
    pub fn note_flight(&self, id: u32, flight: &[Flight]) -> Result<()> {
        let flight = &flight[..flight.len().min(FLIGHTS)];
        self.put_as(&flight_key(id), &flight)
    }

    /// Which pictures of a job were being made when the last owner ended.
    ///
    /// # Errors
    /// [`ErrorKind::Corrupt`].
    pub fn flight(&self, id: u32) -> Result<Vec<Flight>> {
        Ok(self.get_as(&flight_key(id))?.unwrap_or_default())
    }

    /// Forgets which pictures of a job were being made.
    ///
    /// # Errors
    /// The operating system's.
    pub fn forget_flight(&self, id: u32) -> Result<()> {
        self.remove_all(&flight_key(id))
    }
}
