//! Evaluations: runs of models on the questions of a project.
//!
//! [`Evaluations`] holds the runs and handles requests about them. One thread ([`worker`]) works on
//! one run after the other. A run's progress follows from its journal of answers, so an interrupted
//! run continues from there. When a run has ended, its answers become predictions of the project.

mod control;
mod item;
mod judge;
mod queue;
mod runtime;
mod session;
mod similarity;
mod start;
mod work;
mod worker;

use std::sync::Arc;

pub use control::{act, failures};
pub use judge::judge_all;
pub use queue::{Evaluations, Maker};
pub use similarity::{Scores, compare_all, edition};
pub use start::begin;

use super::context::OwnerContext;
use super::trust::{self, ResumableJobs};
use benchtop_files::disk;
use benchtop_model::job::{JobState, JobStatus};
use benchtop_protocol::wire::Event;
use benchtop_store::runs::{self, Run};
use benchtop_store::trust::JobKind;
use queue::Inner;
use runtime::JobRuntime;
use worker::wake;

impl Evaluations {
    /// The highest number of a run, including runs whose file cannot be read.
    pub fn last(&self, shared: &OwnerContext) -> u32 {
        let loaded = self.inner().runs.keys().max().copied();
        let files = disk::last_number(&runs::folder(shared.project.root()));
        loaded.unwrap_or_default().max(files)
    }
}

impl Inner {
    /// Sends the state of a run to all clients. Progress alone is sent at limited intervals.
    fn tell(&mut self, shared: &OwnerContext, id: u32, always: bool) {
        if self
            .runs
            .get_mut(&id)
            .is_some_and(|live| live.is_due(always))
        {
            self.state_of(id)
                .into_iter()
                .for_each(|state| shared.broadcast.send(Event::Job(Box::new(state))));
        }
    }

    /// Saves the state of a run. A failure is logged; it affects only what is shown after a
    /// restart.
    fn keep(&self, shared: &OwnerContext, id: u32) {
        let kept = self.runs.get(&id).map_or(Ok(()), |live| {
            runs::write_state(shared.project.root(), &live.run)
        });
        if let Err(problem) = kept {
            crate::log::write(format_args!("cannot save an evaluation: {problem}"));
        }
    }
}

/// Jobs of all kinds: active ones first, then ended ones, latest first.
pub fn with_runs(shared: &OwnerContext, jobs: Vec<JobState>) -> Vec<JobState> {
    let inner = shared.evaluations.inner();
    let order = inner.order();
    let mine = order.iter().filter_map(|id| inner.state_of(*id));
    let mine_over = inner
        .runs
        .values()
        .filter(|live| live.run.standing.is_finished())
        .map(|live| inner.state(live));
    let (mut over, mut all): (Vec<JobState>, Vec<JobState>) =
        jobs.into_iter().partition(|j| j.standing.is_finished());
    over.extend(mine_over);
    over.sort_by_key(|job| std::cmp::Reverse((job.created, job.id)));
    all.extend(mine);
    all.extend(over);
    all
}

/// Loads the stored runs and continues those that this user started here. Others wait, because
/// opening somebody else's project must not send anything.
pub fn start(shared: &Arc<OwnerContext>) {
    let (stored, problems) = match runs::list(shared.project.root()) {
        Ok(found) => found,
        Err(problem) => (Vec::new(), vec![problem]),
    };
    shared.broadcast.notices().extend(
        problems
            .iter()
            .map(|p| format!("cannot read an evaluation: {p}")),
    );
    let known = ResumableJobs::read(shared);
    let mut inner = shared.evaluations.inner();
    for mut run in stored {
        let is_live = run.standing.is_active();
        let is_ours = is_live && is_ours(shared, &known, &run);
        if run.standing == JobStatus::Running {
            run.standing = JobStatus::Queued;
        }
        let mut live = JobRuntime::new(run);
        if is_live && !is_ours {
            live.pause_for_agreement(shared);
        } else {
            live.update_waits(shared);
        }
        inner.runs.insert(live.run.id, live);
    }
    wake(shared, &mut inner);
}

/// Whether this user started the run here, and it has not changed since.
fn is_ours(shared: &OwnerContext, known: &ResumableJobs, run: &Run) -> bool {
    let digest = runs::numbers(shared.project.root(), run)
        .map(|numbers| trust::digest_of_run(run, &numbers));
    digest.is_ok_and(|digest| known.has(JobKind::Run, run.id, run.token.as_deref(), &digest))
}

impl JobRuntime {
    /// Determines whether the run waits for an agreement: if it is paused or failed, and was
    /// started elsewhere or sends data without an agreement. If its destinations cannot be
    /// determined, it waits too, and resuming it reports the reason.
    pub(super) fn update_waits(&mut self, shared: &OwnerContext) {
        self.waits = None;
        if matches!(self.run.standing, JobStatus::Paused | JobStatus::Failed) {
            let Run {
                new, asks, counts, ..
            } = &self.run;
            let left = asks.saturating_sub(counts.done + counts.failed);
            let what = if new.blind {
                "questions"
            } else {
                "questions with their pictures"
            };
            let to = trust::of_run(new).unwrap_or_default();
            self.waits = trust::waits(shared, self.elsewhere, &to, (left, what));
        }
    }

    /// Pauses a run that was active until the user agrees.
    pub(super) fn pause_for_agreement(&mut self, shared: &OwnerContext) {
        self.elsewhere = true;
        self.run.standing = JobStatus::Paused;
        self.update_waits(shared);
        self.run.reason = self.waits.as_ref().map(|waits| waits.reason());
    }
}
