//! The jobs of the owner: the list, their order, and access to each.

use std::any::Any;
use std::sync::Arc;

use parking_lot::MutexGuard;

use super::job::Job;
use super::job_meter::JobMeter;
use super::live::Live;
use super::state::{Engine, Entry, FIRST_COMMAND, Inner};
use crate::context::{OwnerContext, shutting_down};
use crate::trust;
use benchtop_model::Result;
use benchtop_model::job::{JobState, JobStatus};
use benchtop_model::sorting::sort_by_key;
use benchtop_model::trust::PendingConsent;
use benchtop_protocol::wire::Event;
use benchtop_store::jobs;

type Queue = Inner<OwnerContext>;

impl Engine<OwnerContext> {
    pub(super) fn inner(&self) -> MutexGuard<'_, Queue> {
        self.inner.lock()
    }

    /// Waits until the stored jobs are loaded.
    pub(super) fn loaded(&self) -> Result<MutexGuard<'_, Queue>> {
        let mut inner = self.inner();
        while !inner.loaded && !inner.ended {
            self.wake.wait(&mut inner);
        }
        inner.loaded.then_some(inner).ok_or_else(shutting_down)
    }

    /// The resources that have a thread.
    #[cfg(test)]
    pub fn resources(&self) -> std::collections::BTreeSet<String> {
        self.inner().running.clone()
    }

    /// Whether the plan and the counts of a job follow from verdicts or scores.
    pub fn tells(&self, id: u32) -> bool {
        self.inner().jobs.get(&id).is_some_and(|e| e.job.tells())
    }

    /// Whether the owner is shutting down.
    pub fn is_ending(&self) -> bool {
        self.inner().ended
    }

    /// Stops all work and waits for it. What was in flight is done again by the next owner.
    pub fn end(&self) {
        let threads = {
            let mut inner = self.inner();
            inner.ended = true;
            std::mem::take(&mut inner.threads)
        };
        self.wake.notify_all();
        threads.into_iter().for_each(|thread| drop(thread.join()));
    }

    /// All jobs: commands, then the unfinished ones in the order of the queue, then the ended ones,
    /// latest first.
    ///
    /// # Errors
    /// [`Error::unreachable`] if the owner is shutting down.
    pub fn list(&self) -> Result<Vec<JobState>> {
        let inner = self.loaded()?;
        let order = inner.order();
        let commands = inner.jobs.values().filter(|e| e.job.command().is_some());
        let mut ended: Vec<&Entry<OwnerContext>> = inner
            .jobs
            .values()
            .filter(|e| e.live.header.standing.is_finished())
            .collect();
        sort_by_key(&mut ended, |e| {
            std::cmp::Reverse((e.live.header.created, e.live.header.id))
        });
        Ok(commands
            .chain(order.iter().filter_map(|id| inner.jobs.get(id)))
            .chain(ended)
            .map(|entry| inner.state(entry))
            .collect())
    }

    /// Calls `f` with job `id`, if it is of this kind.
    pub fn with<T: Job<OwnerContext>, R>(
        &self,
        id: u32,
        f: impl FnOnce(&mut Live, &mut T) -> R,
    ) -> Option<R> {
        self.inner().with(id, f)
    }

    /// Calls `f` with job `id`, if it is of this kind, and announces its progress.
    pub fn update<T: Job<OwnerContext>, R>(
        &self,
        shared: &OwnerContext,
        id: u32,
        f: impl FnOnce(&mut Live, &mut T) -> R,
    ) -> Option<R> {
        let mut inner = self.inner();
        let done = inner.with(id, f);
        inner.tell(shared, id, false);
        done
    }

    /// Calls `f` with all jobs of this kind, in the order of the queue, then the ended ones, until it
    /// returns something.
    pub fn find<T: Job<OwnerContext>, R>(
        &self,
        mut f: impl FnMut(&mut Live, &mut T) -> Option<R>,
    ) -> Option<R> {
        let mut inner = self.inner();
        let mut ids = inner.order();
        let ended = inner.jobs.keys().rev().filter(|id| !ids.contains(id));
        let ended: Vec<u32> = ended.copied().collect();
        ids.extend(ended);
        ids.into_iter()
            .find_map(|id| inner.with(id, &mut f).flatten())
    }

    /// Whether a job is active.
    pub fn is_active(&self, id: u32) -> bool {
        let inner = self.inner();
        let entry = inner.jobs.get(&id);
        !inner.ended && entry.is_some_and(|e| e.live.header.standing.is_active())
    }

    /// Counts what a job sends.
    pub fn meter(&self, id: u32) -> Option<Arc<JobMeter>> {
        let inner = self.inner();
        inner.jobs.get(&id).map(|entry| entry.live.meter.clone())
    }

    /// Whether the step of a job goes on: it has its turn, and its budget has refused no request.
    pub fn goes_on(&self, id: u32) -> bool {
        self.has_turn(id) && self.meter(id).is_none_or(|meter| !meter.has_refused())
    }

    /// Whether a job is active, and first in the order of those that need its resource.
    pub fn has_turn(&self, id: u32) -> bool {
        let inner = self.inner();
        let Some(entry) = inner.jobs.get(&id).filter(|_| !inner.ended) else {
            return false;
        };
        entry.live.header.standing.is_active()
            && inner.first_ready(&entry.live.resource) == Some(id)
    }

    /// Saves and announces the state of a job.
    ///
    /// # Errors
    /// Errors of writing its file.
    pub fn save(&self, shared: &OwnerContext, id: u32) -> Result<()> {
        let mut inner = self.inner();
        inner
            .jobs
            .get_mut(&id)
            .map_or(Ok(()), |entry| entry.save(shared))?;
        inner.tell(shared, id, true);
        Ok(())
    }
}

impl Inner<OwnerContext> {
    pub(super) fn with<T: Job<OwnerContext>, R>(
        &mut self,
        id: u32,
        f: impl FnOnce(&mut Live, &mut T) -> R,
    ) -> Option<R> {
        let Entry { live, job, .. } = self.jobs.get_mut(&id)?;
        let job: &mut dyn Any = &mut **job;
        job.downcast_mut().map(|job| f(live, job))
    }

    /// The jobs that have not ended, in the order of the queue.
    pub(super) fn order(&self) -> Vec<u32> {
        let mut waiting: Vec<(i64, u32)> = self
            .jobs
            .values()
            .filter(|e| !e.live.header.standing.is_finished() && e.job.command().is_none())
            .map(|e| (e.live.header.turn, e.live.header.id))
            .collect();
        waiting.sort_unstable();
        waiting.into_iter().map(|(_, id)| id).collect()
    }

    /// The number of the next job. A number is not given twice, even if the files of a job were lost
    /// or cannot be read.
    ///
    /// # Errors
    /// [`Error::conflict`] if no number is left.
    pub(super) fn next_number(&self, shared: &OwnerContext) -> Result<u32> {
        let loaded = self.jobs.keys().rfind(|id| **id < FIRST_COMMAND);
        let last = loaded.copied().unwrap_or_default();
        let pictures = shared.items.pictures().last_job();
        jobs::next_number(shared.project.root(), last.max(pictures))
    }

    pub(super) fn state(&self, entry: &Entry<OwnerContext>) -> JobState {
        let id = entry.live.header.id;
        let place = self.order().iter().position(|other| *other == id);
        entry.live.state(
            (entry.kind, &*entry.job),
            place.map_or(0, |at| at as u32 + 1),
        )
    }

    /// Announces the state of a job. Progress is throttled unless `always` is set.
    pub(super) fn tell(&mut self, shared: &OwnerContext, id: u32, always: bool) {
        if self
            .jobs
            .get_mut(&id)
            .is_some_and(|e| e.live.is_due(always))
        {
            let state = self.jobs.get(&id).map(|entry| self.state(entry));
            state
                .into_iter()
                .for_each(|state| shared.broadcast.send(Event::Job(Box::new(state))));
        }
    }
}

impl Entry<OwnerContext> {
    /// Writes the job file, unless it has this state already.
    pub(super) fn save(&mut self, shared: &OwnerContext) -> Result<()> {
        let now = (self.live.header.clone(), self.job.spec());
        if self.job.command().is_some() || self.live.written.as_ref() == Some(&now) {
            return Ok(());
        }
        jobs::write_state(shared.project.root(), &now.0, &now.1)?;
        self.live.written = Some(now);
        Ok(())
    }

    /// Saves the job. A failure is logged, and returned for those that depend on it.
    pub(super) fn keep(&mut self, shared: &OwnerContext) -> Result<()> {
        self.save(shared).inspect_err(|problem| {
            let id = self.live.header.id;
            crate::log::write(format_args!("cannot save job {id}: {problem}"));
        })
    }
}

impl Live {
    /// Determines whether the job waits for an agreement: if it can continue, and was started
    /// elsewhere or sends data without an agreement.
    pub(super) fn update_waits(&mut self, shared: &Arc<OwnerContext>, job: &dyn Job<OwnerContext>) {
        let may_continue = match self.header.standing {
            JobStatus::Paused | JobStatus::Failed => true,
            JobStatus::Cancelled => self.elsewhere && job.retries_canceled(),
            _ => false,
        };
        self.waits = match may_continue {
            true => self.consent(shared, job),
            false => None,
        };
    }

    /// The agreement that the job needs before it continues.
    pub(super) fn consent(
        &self,
        shared: &Arc<OwnerContext>,
        job: &dyn Job<OwnerContext>,
    ) -> Option<Box<PendingConsent>> {
        match job.destinations(shared) {
            Ok(to) => trust::waits(shared, self.elsewhere, &to, job.sends(shared)),
            // Continuing it reports the reason too.
            Err(problem) => self.elsewhere.then(|| {
                Box::new(PendingConsent {
                    elsewhere: true,
                    what: problem.to_string(),
                    count: PendingConsent::UNKNOWN,
                    to: Vec::new(),
                })
            }),
        }
    }

    /// Pauses a job that was active until the user agrees.
    pub(super) fn pause_for_agreement(
        &mut self,
        shared: &Arc<OwnerContext>,
        job: &dyn Job<OwnerContext>,
    ) {
        self.elsewhere = true;
        self.header.standing = JobStatus::Paused;
        self.update_waits(shared, job);
        self.header.reason = self.waits.as_ref().map(|waits| waits.reason());
    }
}
