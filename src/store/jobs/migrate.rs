//! Conversion of generation jobs that earlier versions kept in the index.

use std::path::Path;

use super::{FailedPicture, FailureLog, Job, file, folder};
use crate::index::{Index, key};
use crate::runs;
use benchtop_files::disk;
use benchtop_model::Result;

/// A job in the index.
struct IndexedJob {
    job: Job,
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
        let with_parts = |job: Job| {
            Ok(IndexedJob {
                token: self.get_as(&token_key(job.id))?,
                numbers: self.list(&items_prefix(job.id))?,
                failed: self.all(&failed_prefix(job.id))?,
                job,
            })
        };
        self.all::<Job>(b"job/")?
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
    let highest = jobs.iter().map(|earlier| earlier.job.id).max().unwrap_or(0);
    for IndexedJob {
        mut job,
        token,
        numbers,
        failed,
    } in jobs
    {
        let id = job.id;
        if file(root, id).symlink_metadata().is_ok() && !is_same_job(root, &job) {
            // Evaluations and generation jobs share their numbers.
            let last = disk::last_number(&folder(root)).max(disk::last_number(&runs::folder(root)));
            job.id = last.max(highest) + 1;
        }
        if file(root, job.id).symlink_metadata().is_err() {
            // The failures first, so that an existing job is complete.
            super::prepare(root, job.id)?;
            if !failed.is_empty() {
                FailureLog::open(root, job.id)?.append(&failed)?;
            }
            super::write(root, &job, token.as_deref(), &numbers)?;
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
fn is_same_job(root: &Path, job: &Job) -> bool {
    let identity = |other: &Job| (other.created, other.seed, other.by.clone());
    super::read(root, job.id, &mut Vec::new())
        .is_ok_and(|found| identity(&found.job) == identity(job))
}

/// Stores a job in the index as earlier versions did, for tests.
#[cfg(test)]
pub(crate) fn plant(
    index: &Index,
    job: &Job,
    token: &str,
    numbers: &[u32],
    failed: &[FailedPicture],
) {
    for (chunk, numbers) in numbers.chunks(900).enumerate() {
        let key = key(items_prefix(job.id).as_bytes(), chunk);
        index.put_as(&key, &numbers).unwrap();
    }
    let job = &super::short(job);
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
