//! Commands that wait for a job.

use std::sync::Arc;
use std::time::Duration;

use super::control::unknown;
use super::job::{Job, Kind};
use super::live::Live;
use super::runner::wake;
use super::state::Engine;
use crate::context::{OwnerContext, shutting_down};
use benchtop_model::cancel::ProgressSink;
use benchtop_model::job::{Budget, JobState, JobStatus};
use benchtop_model::{Error, Result};
use benchtop_store::jobs::JobHeader;

impl Engine<OwnerContext> {
    /// The number of an unfinished job that `is_same` accepts, such as one that the next owner
    /// continues after a kill, or else of a new job on behalf of `by`; and whether it is new. It gets
    /// the limits of `budget`. A paused job is resumed. [`follow`](Engine::follow) must be called
    /// next.
    ///
    /// # Errors
    /// As for [`begin`](Engine::begin), and [`Error::denied`] for a paused job that sends to
    /// destinations without an agreement.
    pub fn join_or_begin<J: Job<OwnerContext>>(
        &self,
        shared: &Arc<OwnerContext>,
        (kind, by, budget): (&'static Kind<OwnerContext>, &str, Budget),
        is_same: impl Fn(&J) -> bool,
        make: impl FnOnce(u32) -> J,
    ) -> Result<(u32, bool)> {
        shared.writable.may_write()?;
        // Under one guard, or two commands that are given at once would not share a job.
        let mut inner = self.loaded()?;
        let same = |live: &mut Live, job: &mut J| is_same(job).then_some(live.header.standing);
        let mut unfinished = inner.order().into_iter();
        let found = unfinished.find_map(|id| Some((id, inner.with(id, same).flatten()?)));
        let (id, is_new) = match found {
            Some((id, standing)) => {
                inner.limit(shared, id, budget)?;
                if !standing.is_active() {
                    inner.stand(shared, id, JobStatus::Queued, false)?;
                    inner.tell(shared, id, true);
                    wake(shared, &mut inner);
                }
                (id, false)
            }
            None => {
                let make = |header: &mut JobHeader| {
                    header.budget = budget;
                    Ok((make(header.id), None))
                };
                (inner.begin(shared, (kind, by), make)?.id, true)
            }
        };
        if let Some(entry) = inner.jobs.get_mut(&id) {
            entry.live.followers += 1;
        }
        Ok((id, is_new))
    }

    /// Waits until job `id` has ended or is paused, and passes on its progress. If the last of its
    /// followers cancels, so is the job.
    ///
    /// # Errors
    /// The reason that it stopped; [`Error::cancelled`].
    pub fn follow(
        &self,
        shared: &Arc<OwnerContext>,
        id: u32,
        watch: ProgressSink<'_>,
    ) -> Result<()> {
        let mut canceled = None;
        let outcome = loop {
            let (state, problem, at_work) = match self.look(id) {
                Ok(found) => found,
                Err(problem) => break Err(problem),
            };
            if canceled.is_none()
                && let Err(stop) = watch.report(&state.plan, state.done, state.of)
            {
                // Others still wait for it, or it cannot be canceled now.
                if !self.leave(shared, id).unwrap_or(false) {
                    return Err(stop);
                }
                canceled = Some(stop);
                continue;
            }
            if state.standing.is_active() || at_work {
                continue;
            }
            break match (&canceled, state.standing) {
                (_, JobStatus::Done) => Ok(()),
                (Some(stop), _) => Err(stop.clone()),
                (None, standing) => Err(problem.unwrap_or_else(|| {
                    let what = format!("job {id} is {}", standing.name());
                    Error::cancelled(what)
                        .help(format!("run `benchtop jobs resume {id}` to continue it"))
                })),
            };
        };
        if canceled.is_none()
            && let Some(entry) = self.inner().jobs.get_mut(&id)
        {
            entry.live.followers = entry.live.followers.saturating_sub(1);
        }
        outcome
    }

    /// The state of a job, why it stopped, and whether it is at work. Waits a little if it goes on.
    fn look(&self, id: u32) -> Result<(JobState, Option<Error>, bool)> {
        let mut inner = self.inner();
        let gone = || Error::not_found(format!("job {id} was removed"));
        let entry = inner.jobs.get(&id).ok_or_else(gone)?;
        let settled = !entry.live.header.standing.is_active() && !entry.live.at_work;
        if !settled && !inner.ended {
            self.wake.wait_for(&mut inner, Duration::from_millis(50));
        }
        if inner.ended {
            return Err(shutting_down());
        }
        let entry = inner.jobs.get(&id).ok_or_else(gone)?;
        let (live, state) = (&entry.live, inner.state(entry));
        Ok((state, live.problem.clone(), live.at_work))
    }

    /// One follower of a job leaves. The last one cancels the job. Returns whether the job has ended,
    /// or ends after its step.
    fn leave(&self, shared: &Arc<OwnerContext>, id: u32) -> Result<bool> {
        let mut inner = self.inner();
        let entry = inner.jobs.get_mut(&id).ok_or_else(|| unknown(id))?;
        entry.live.followers = entry.live.followers.saturating_sub(1);
        let is_last = entry.live.followers == 0;
        if !entry.live.header.standing.is_finished() && is_last {
            shared.writable.may_write()?;
            inner.stand(shared, id, JobStatus::Cancelled, false)?;
            inner.tell(shared, id, true);
            wake(shared, &mut inner);
        }
        let standing = inner.state_of(id)?.standing;
        Ok(standing.is_finished())
    }
}
