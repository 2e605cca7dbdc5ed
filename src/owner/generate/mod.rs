//! Generation jobs.
//!
//! [`JobQueue`] holds the jobs and handles requests about them. Each device in use has one thread
//! ([`runner`]), which works on the first job in the queue, batch by batch. A new order, a pause,
//! or a requested picture takes effect at the next batch. The remaining work follows from the plan
//! and the picture journal, so an interrupted job continues where the journal ends.

mod control;
mod queue;
mod runner;
mod runtime;
mod session;
mod start;
#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::Ordering;

pub use control::{act, failures, pictures_of_item, request_picture};
pub use queue::{GeneratorFactory, JobQueue, PictureStates};
pub use runtime::JobRuntime;
pub use start::begin;

use super::context::OwnerContext;
use super::trust::{self, ResumableJobs};
use benchtop_files::disk;
use benchtop_model::Result;
use benchtop_model::cancel::Cancel;
use benchtop_model::generated_image::PictureState;
use benchtop_model::job::JobStatus;
use benchtop_pipeline::generate::image_index::RequestedImages;
use benchtop_protocol::wire::Event;
use benchtop_store::jobs;
use benchtop_store::jobs::Job;
use benchtop_store::trust::JobKind;
use queue::{Inner, States};
use runner::wake;

impl JobQueue {
    /// The pictures that the items currently request.
    ///
    /// # Errors
    /// [`Corrupt`](benchtop_model::ErrorKind::Corrupt) if the texts are damaged;
    /// [`Cancelled`](benchtop_model::ErrorKind::Cancelled).
    pub fn requested_images(
        &self,
        shared: &OwnerContext,
        cancel: Cancel<'_>,
    ) -> Result<Arc<RequestedImages>> {
        let mut held = self.named.lock();
        let catalog = shared.items.catalog();
        if let Some(named) = held.as_ref().filter(|n| n.edition == catalog.edition()) {
            return Ok(named.clone());
        }
        let named = Arc::new(RequestedImages::read(&catalog, cancel)?);
        *held = Some(named.clone());
        Ok(named)
    }

    /// The number of these rows whose picture is a draft.
    ///
    /// # Errors
    /// Same as [`states`](Self::states).
    pub fn drafts(
        &self,
        shared: &OwnerContext,
        rows: impl Iterator<Item = u32>,
        cancel: Cancel<'_>,
    ) -> Result<u64> {
        let (_, states) = self.states(shared, false, cancel)?;
        Ok(rows
            .filter(|row| states.get(*row as usize) == Some(&PictureState::Draft))
            .count() as u64)
    }

    /// The state of each item's picture. Recomputed when pictures were made or picture files added
    /// or removed. If `broken` is set, the files are checked against their hashes.
    ///
    /// # Errors
    /// Same as [`named`](Self::named), and I/O errors.
    pub fn states(
        &self,
        shared: &OwnerContext,
        broken: bool,
        cancel: Cancel<'_>,
    ) -> Result<PictureStates> {
        let named = self.requested_images(shared, cancel)?;
        let damaged = match broken {
            true => self
                .damaged
                .lock()
                .find(&shared.project.images(), named.links(), cancel)?,
            false => HashSet::new(),
        };
        let mut present = self.present.lock();
        let edition = present.refresh(&shared.project.images(), named.links())?;
        let mut held = self.states.lock();
        let made = shared.items.pictures();
        let same = |(of, n, e, bad, _): &&States| {
            Arc::ptr_eq(of, &named) && *n == made.len() && *e == edition && *bad == damaged
        };
        if let Some((.., states)) = held.as_ref().filter(same) {
            return Ok(states.clone());
        }
        let number = self.found.fetch_add(1, Ordering::Relaxed) + 1;
        let states = (
            number,
            Arc::new(named.states(&made, Some(&present), &damaged)),
        );
        *held = Some((named, made.len(), edition, damaged, states.clone()));
        Ok(states)
    }

    /// Rows of items that have a picture whose file is missing.
    ///
    /// # Errors
    /// Same as [`states`](Self::states).
    pub fn rows_with_missing_files(
        &self,
        shared: &OwnerContext,
        cancel: Cancel<'_>,
    ) -> Result<Vec<u32>> {
        let named = self.requested_images(shared, cancel)?;
        let mut present = self.present.lock();
        present.refresh(&shared.project.images(), named.links())?;
        Ok(named.gone(&shared.items.pictures(), &present))
    }

    /// The highest job ID ever used, including jobs whose files cannot be read.
    ///
    /// # Errors
    /// [`Unreachable`](benchtop_model::ErrorKind::Unreachable) if the owner is shutting down.
    pub fn last(&self, shared: &OwnerContext) -> Result<u32> {
        let loaded = self.loaded()?.jobs.keys().max().copied();
        let files = disk::last_number(&jobs::folder(shared.project.root()));
        let last = loaded.unwrap_or_default().max(files);
        Ok(last.max(shared.items.pictures().last_job()))
    }
}

impl Inner {
    /// Publishes the state of a job. Progress is throttled unless `always` is set.
    fn tell(&mut self, shared: &OwnerContext, id: u32, always: bool) {
        let Some(live) = self.jobs.get_mut(&id) else {
            return;
        };
        if live.is_due(always) {
            let state = self.jobs.get(&id).map(|live| self.state(live));
            state
                .into_iter()
                .for_each(|state| shared.broadcast.send(Event::Job(Box::new(state))));
        }
    }
}

/// Loads the stored jobs and continues those that were active and that this user started here. The
/// others wait for an agreement: a project from someone else must not send anything when it is
/// opened.
pub fn start(shared: &Arc<OwnerContext>) {
    let owner = shared.clone();
    let work = move || {
        let listed = jobs::list(owner.project.root());
        let (stored, problems) = listed.unwrap_or_else(|problem| (Vec::new(), vec![problem]));
        for problem in problems {
            owner
                .broadcast
                .notices()
                .push(format!("a job cannot be read: {problem}"));
        }
        // The index may still be opening: it is not waited for under the lock.
        let ended: Vec<_> = stored
            .iter()
            .map(|stored| ended(&owner, &stored.job))
            .collect();
        let known = ResumableJobs::read(&owner);
        let mut inner = owner.jobs.inner();
        for (mut stored, ended) in stored.into_iter().zip(ended) {
            let is_live = stored.job.standing.is_active();
            if stored.job.standing == JobStatus::Running {
                stored.job.standing = JobStatus::Queued;
            }
            let mut live = JobRuntime::new(stored);
            let id = live.job.id;
            live.ended = ended;
            live.done = owner.items.pictures().of_job(id);
            let digest = trust::digest_of_generation(&owner.config(), &live.job, &live.numbers());
            let is_own = known.has(JobKind::Generation, id, live.token.as_deref(), &digest);
            if is_live && !is_own {
                live.pause_for_agreement(&owner);
            } else {
                live.update_waits(&owner);
            }
            inner.jobs.insert(id, live);
        }
        inner.loaded = true;
        if owner.writable.opened_read_only.is_none() {
            if inner.jobs.values().any(|j| j.job.standing.is_active()) {
                sweep(&owner);
            }
            wake(&owner, &mut inner);
        }
        owner.jobs.wake.notify_all();
    };
    let started = std::thread::Builder::new().name("jobs".into()).spawn(work);
    match started {
        Ok(thread) => shared.jobs.inner().threads.push(thread),
        Err(error) => shared
            .broadcast
            .notices()
            .push(format!("cannot start jobs: {error}")),
    }
}

/// How often an owner died while it made each picture of a job.
fn ended(owner: &OwnerContext, job: &Job) -> HashMap<(u64, u32), u32> {
    if job.standing.is_finished() || owner.writable.opened_read_only.is_some() {
        return HashMap::new();
    }
    let noted = owner.index.get().and_then(|index| index.flight(job.id));
    let once_more = |f: jobs::PictureInProgress| ((f.key, f.sample), f.ends + 1);
    noted
        .unwrap_or_default()
        .into_iter()
        .map(once_more)
        .collect()
}

/// Removes partially written pictures of a crashed owner.
fn sweep(shared: &OwnerContext) {
    for entry in std::fs::read_dir(shared.project.images())
        .into_iter()
        .flatten()
        .flatten()
    {
        if entry.file_type().is_ok_and(|t| t.is_dir()) {
            disk::sweep(&entry.path());
        }
    }
}

impl JobRuntime {
    /// Determines whether the job waits for an agreement: if it is paused or failed, and was
    /// started elsewhere or sends data without an agreement.
    pub fn update_waits(&mut self, shared: &OwnerContext) {
        self.waits = None;
        if matches!(self.job.standing, JobStatus::Paused | JobStatus::Failed) {
            let items =
                self.rows
                    .as_ref()
                    .map_or(shared.items.catalog().len(), |rows| rows.len()) as u64;
            let left = self
                .job
                .of
                .map_or(items * u64::from(self.job.samples), |of| {
                    of.saturating_sub(self.done)
                });
            let to = trust::of_generation(&shared.config(), &self.job.wishes).unwrap_or_default();
            self.waits = trust::waits(shared, self.elsewhere, &to, (left, "prompts for pictures"));
        }
    }

    /// Pauses a job that was active until the user agrees.
    pub fn pause_for_agreement(&mut self, shared: &OwnerContext) {
        self.elsewhere = true;
        self.job.standing = JobStatus::Paused;
        self.update_waits(shared);
        self.job.reason = self.waits.as_ref().map(|waits| waits.reason());
    }
}
