//! Loads the stored jobs.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use super::control::unknown;
use super::kinds;
use super::live::Live;
use super::runner::wake;
use super::state::{Engine, Entry};
use crate::context::OwnerContext;
use crate::scoring;
use crate::trust::ResumableJobs;
use benchtop_files::disk;
use benchtop_model::job::JobStatus;
use benchtop_model::{Error, Result};
use benchtop_store::jobs::{self, JobHeader, StoredJob, UsageFile};

/// Why the results of an ended job are not published.
const UNPUBLISHED: &str =
    "you did not start it here, so its results are not published; resume it to publish them";

/// Loads the stored jobs and continues those that were active and that this user started here. The
/// others wait for an agreement: a project from someone else must not send anything when it is
/// opened.
pub fn start(shared: &Arc<OwnerContext>) {
    let owner = shared.clone();
    let started = std::thread::Builder::new()
        .name("jobs".into())
        .spawn(move || loads(&owner));
    match started {
        Ok(thread) => shared.jobs.inner().threads.push(thread),
        Err(error) => {
            notice(shared, format!("cannot load the jobs: {error}"));
            set_loaded(shared);
        }
    }
}

/// Requests about jobs wait until this has ended, so it ends in every case.
fn loads(shared: &Arc<OwnerContext>) {
    if catch_unwind(AssertUnwindSafe(|| load(shared))).is_err() {
        notice(shared, "cannot load the jobs: internal error".into());
    }
    set_loaded(shared);
}

fn set_loaded(shared: &Arc<OwnerContext>) {
    let mut inner = shared.jobs.inner();
    inner.loaded = true;
    wake(shared, &mut inner);
    shared.jobs.wake.notify_all();
}

fn notice(shared: &OwnerContext, text: String) {
    shared.broadcast.notices().push(text);
}

fn load(shared: &Arc<OwnerContext>) {
    if shared.writable.opened_read_only.is_none() {
        // A killed owner may have left a part of a file.
        disk::sweep(&jobs::folder(shared.project.root()));
    }
    let (mut stored, problems) = jobs::list(shared.project.root());
    let unreadable = |problem: Error| notice(shared, format!("a job cannot be read: {problem}"));
    problems.into_iter().for_each(unreadable);
    scoring::take_over(shared, &mut stored);
    let known = ResumableJobs::read(shared);
    // The index may still be opening: it is not waited for under the lock.
    for stored in stored {
        let file = jobs::file(shared.project.root(), &stored.header.kind, stored.header.id);
        let loaded = catch_unwind(AssertUnwindSafe(|| entry(shared, stored, &known)));
        let panicked = |_| Err(Error::corrupt("internal error"));
        match loaded.unwrap_or_else(panicked) {
            Ok(entry) => drop(shared.jobs.inner().jobs.insert(entry.live.header.id, entry)),
            Err(problem) => unreadable(problem.file(file)),
        }
    }
}

impl Engine<OwnerContext> {
    /// Loads and announces job `id`, which was just written.
    ///
    /// # Errors
    /// [`Error::not_found`]; a file that cannot be read; [`Error::unreachable`] if the owner is
    /// shutting down.
    pub fn load_one(&self, shared: &Arc<OwnerContext>, id: u32) -> Result<()> {
        let (stored, _) = jobs::list(shared.project.root());
        let of_id = stored.into_iter().find(|stored| stored.header.id == id);
        let stored = of_id.ok_or_else(|| unknown(id))?;
        let entry = entry(shared, stored, &ResumableJobs::read(shared))?;
        let mut inner = self.loaded()?;
        inner.jobs.insert(id, entry);
        inner.tell(shared, id, true);
        Ok(())
    }

    /// The headers of all jobs with files.
    ///
    /// # Errors
    /// [`Error::unreachable`] if the owner is shutting down.
    pub fn stored(&self) -> Result<Vec<JobHeader>> {
        let inner = self.loaded()?;
        let stored = inner.jobs.values().filter(|e| e.job.command().is_none());
        Ok(stored.map(|entry| entry.live.header.clone()).collect())
    }
}

fn entry(
    shared: &Arc<OwnerContext>,
    stored: StoredJob,
    known: &ResumableJobs,
) -> Result<Entry<OwnerContext>> {
    let kind = kinds::of(&stored.header.kind).ok_or_else(|| {
        let what = format!(
            "job {} has the unknown kind `{}`",
            stored.header.id, stored.header.kind
        );
        Error::corrupt(what).help("a later version of benchtop may know it")
    })?;
    let job = (kind.load)(shared, &stored)?;
    let file = UsageFile::of(shared.project.root(), kind.name, stored.header.id);
    let usage = file.read()?;
    let mut live = Live::new(stored.header, Some((file, usage)));
    live.meter.set_prices(job.prices(&shared.config()));
    let is_active = live.header.standing.is_active();
    if live.header.standing == JobStatus::Running {
        live.header.standing = JobStatus::Queued;
    }
    let has_work = job.has_work(live.header.standing);
    // The digest reads all that the job sends, so it is computed only where it decides something.
    if has_work && live.header.token.is_some() {
        let digest = job.digest(shared, &live.header);
        live.own = digest.is_ok_and(|digest| known.has(kind.name, &live.header, &digest));
    }
    if is_active && !live.own {
        live.pause_for_agreement(shared, &*job);
    } else {
        live.update_waits(shared, &*job);
    }
    if live.header.standing.is_finished() && has_work && !live.own {
        live.header.reason = Some(UNPUBLISHED.into());
    }
    Ok(Entry { kind, live, job })
}
