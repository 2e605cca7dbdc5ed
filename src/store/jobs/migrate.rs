//! Conversion of generation jobs that earlier versions kept in the index.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{
    FailedPicture, FailureLog, GENERATION, Generation, HIGHEST, JobHeader, Scope, file, next_number,
};
use crate::index::{Index, key};
use benchtop_model::generation::Settings;
use benchtop_model::job::{Budget, GenerationOverrides, JobStatus};
use benchtop_model::{Error, Result};

/// A job as the index has it: its fields are stored by position.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Indexed {
    pub(crate) id: u32,
    pub(crate) name: String,
    pub(crate) by: String,
    pub(crate) created: i64,
    pub(crate) scope: Scope,
    pub(crate) plan: String,
    pub(crate) samples: u32,
    pub(crate) seed: u64,
    pub(crate) wishes: GenerationOverrides,
    pub(crate) settings: Option<Settings>,
    pub(crate) batch: Option<u32>,
    pub(crate) per_minute: Option<u32>,
    pub(crate) turn: i64,
    pub(crate) standing: JobStatus,
    pub(crate) reason: Option<String>,
    pub(crate) of: Option<u64>,
}

impl Indexed {
    pub(crate) fn header(&self, token: Option<String>) -> JobHeader {
        JobHeader {
            id: self.id,
            kind: GENERATION.into(),
            by: self.by.clone(),
            created: self.created,
            turn: self.turn,
            standing: self.standing,
            reason: self.reason.clone(),
            token,
            budget: Budget::default(),
        }
    }

    pub(crate) fn spec(&self) -> Generation {
        let job = self.clone();
        Generation {
            name: job.name,
            scope: job.scope,
            plan: job.plan,
            samples: job.samples,
            seed: job.seed,
            wishes: job.wishes,
            settings: job.settings,
            batch: job.batch,
            per_minute: job.per_minute,
            of: job.of,
        }
        .short()
    }

    /// Writes the files of the job.
    pub(crate) fn create(
        &self,
        root: &Path,
        token: Option<String>,
        numbers: &[u32],
        failed: &[FailedPicture],
    ) -> Result<()> {
        let spec = serde_json::to_value(self.spec()).map_err(|e| Error::failed(e.to_string()))?;
        let numbers = (self.scope == Scope::Items).then_some(numbers);
        let header = self.header(token);
        super::prepare(root, &header)?;
        if !failed.is_empty() {
            // First, so that an existing job is complete.
            FailureLog::new(root, self.id).append(failed)?;
        }
        super::write(root, &header, &spec, numbers)
    }
}

/// A job in the index.
struct IndexedJob {
    job: Indexed,
    token: Option<String>,
    numbers: Vec<u32>,
    failed: Vec<FailedPicture>,
}

fn job_key(id: u32) -> Vec<u8> {
    key(b"job/", id as usize)
}

fn token_key(id: u32) -> Vec<u8> {
    key(b"job-token/", id as usize)
}

fn items_prefix(id: u32) -> String {
    format!("job-items/{id}/")
}

fn failed_prefix(id: u32) -> Vec<u8> {
    format!("job-failed/{id}/").into_bytes()
}

impl Index {
    fn earlier_jobs(&self) -> Result<Vec<IndexedJob>> {
        let with_parts = |job: Indexed| {
            Ok(IndexedJob {
                token: self.get_as(&token_key(job.id))?,
                numbers: self.list(&items_prefix(job.id))?,
                failed: self.all(&failed_prefix(job.id))?,
                job,
            })
        };
        self.all::<Indexed>(b"job/")?
            .into_iter()
            .map(with_parts)
            .collect()
    }

    fn forget_earlier_job(&self, id: u32) -> Result<()> {
        self.remove_all(&job_key(id))?;
        self.remove_all(&token_key(id))?;
        self.remove_all(items_prefix(id).as_bytes())?;
        self.remove_all(&failed_prefix(id))
    }
}

/// Converts the jobs of the index to files of the project at `root`, and removes them from the
/// index. A job that already has its file stays as the file has it. Another job with the same
/// number gets the next free one. Returns the number of converted jobs. Calls `step` after each
/// job; an error of `step` ends the conversion.
///
/// # Errors
/// [`benchtop_model::ErrorKind::Corrupt`] if the jobs cannot be read. Converted jobs stay, and the
/// next call continues.
pub(crate) fn take_over(
    index: &Index,
    root: &Path,
    step: &mut dyn FnMut() -> Result<()>,
) -> Result<usize> {
    let mut taken = 0;
    let jobs = index.earlier_jobs()?;
    let ids = jobs.iter().map(|earlier| earlier.job.id);
    let highest = ids.filter(|id| *id <= HIGHEST).max().unwrap_or(0);
    for IndexedJob {
        mut job,
        token,
        numbers,
        failed,
    } in jobs
    {
        let id = job.id;
        let file = |id| file(root, GENERATION, id);
        let is_free = file(id).symlink_metadata().is_err() || is_same_job(root, &job);
        if !is_free || !(1..=HIGHEST).contains(&id) {
            job.id = next_number(root, highest)?;
        }
        if file(job.id).symlink_metadata().is_err() {
            job.create(root, token, &numbers, &failed)?;
            taken += 1;
            step()?;
        }
        index.forget_earlier_job(id)?;
        index.sync()?;
        step()?;
    }
    Ok(taken)
}

/// Whether the job file with this number has the same job.
fn is_same_job(root: &Path, job: &Indexed) -> bool {
    let path = file(root, GENERATION, job.id);
    super::read(&path, GENERATION, job.id, &mut Vec::new()).is_ok_and(|found| {
        (found.header.created, &found.header.by) == (job.created, &job.by)
            && found.spec["seed"] == job.seed
    })
}

/// Stores a job in the index as earlier versions did, for tests.
#[cfg(test)]
pub(crate) fn plant(
    index: &Index,
    job: &Indexed,
    token: &str,
    numbers: &[u32],
    failed: &[FailedPicture],
) {
    for (chunk, numbers) in numbers.chunks(900).enumerate() {
        let key = key(items_prefix(job.id).as_bytes(), chunk);
        index.put_as(&key, &numbers).unwrap();
    }
    let job = &Indexed {
        name: super::cut(&job.name),
        plan: super::cut(&job.plan),
        reason: job.reason.as_deref().map(super::cut),
        ..job.clone()
    };
    for one in failed {
        let mut one = one.clone();
        one.failure.reason = super::cut(&one.failure.reason);
        let mut key = failed_prefix(job.id);
        key.extend_from_slice(&one.key.to_be_bytes());
        key.extend_from_slice(&one.failure.sample.to_be_bytes());
        index.put_as(&key, &one).unwrap();
    }
    index.put_as(&token_key(job.id), &token).unwrap();
    index.put_as(&job_key(job.id), job).unwrap();
    index.sync().unwrap();
}
