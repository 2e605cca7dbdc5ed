//! Scoring jobs. One thread works on the first active job, batch by batch. The remaining work
//! follows from the existing scores, so an interrupted job continues where they end.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::cache::Scoring;
use super::file::{self, Stored};
use super::queue::{Inner, JobRuntime};
use super::work;
use crate::context::OwnerContext;
use crate::priority::lower_thread_priority;
use crate::server_outage::{outage_reason, outage_wait};
use crate::trust::{self, ResumableJobs};
use benchtop_model::cancel::Cancel;
use benchtop_model::generated_image::check_drafts;
use benchtop_model::generation::NO_ENDPOINT;
use benchtop_model::scoring::Scorer;
use benchtop_model::scoring::job::{NewScoring, Phase, ScoringAct, ScoringState};
use benchtop_model::{Error, ErrorKind, Result};
use benchtop_protocol::wire::Event;
use benchtop_store::trust::JobKind;

/// What is sent to a judge, in words.
const PICTURES: &str = "pictures or texts of items";

/// Maximum number of ended jobs in the list.
const MAX_ENDED: usize = 50;

/// Minimum time between two progress events.
const TELL_EVERY: Duration = Duration::from_millis(250);

/// Loads the stored jobs and continues those that were active and that this user started here. The
/// others wait for an agreement: a project from someone else must not send anything when it is
/// opened.
pub fn start(shared: &Arc<OwnerContext>) {
    let mut inner = shared.scoring.desk.inner();
    inner.file = shared.project.scoring_jobs();
    let (stored, notice) = file::read(&inner.file);
    shared.broadcast.notices().extend(notice);
    inner.jobs = stored.into_iter().map(JobRuntime::new).collect();
    let known = ResumableJobs::read(shared);
    let config = trust::current_project(shared).map(|project| project.config().clone());
    for live in &mut inner.jobs {
        if matches!(live.stored.phase, Phase::Queued | Phase::Running) {
            let Stored {
                id,
                scorer,
                filter,
                token,
                ..
            } = &live.stored;
            let is_own = config.as_ref().is_ok_and(|config| {
                known.has(
                    JobKind::Scoring,
                    *id,
                    token.as_deref(),
                    &trust::digest_of_scoring(config, *id, scorer, filter),
                )
            });
            live.elsewhere = !is_own;
            live.stored.phase = if is_own { Phase::Queued } else { Phase::Paused };
        }
        live.update_waits(shared);
        if live.elsewhere {
            live.why = live.waits.as_ref().map(|waits| waits.reason());
        }
    }
    wake(shared, &mut inner);
}

impl JobRuntime {
    /// Determines whether the job waits for an agreement: if it is paused or blocked, and was
    /// started elsewhere or sends data without an agreement.
    fn update_waits(&mut self, shared: &Arc<OwnerContext>) {
        self.waits = None;
        if matches!(self.stored.phase, Phase::Paused | Phase::Blocked) {
            let config = trust::current_project(shared).map(|project| project.config().clone());
            let to = config
                .and_then(|config| trust::of_scorer(&config, &self.stored.scorer))
                .unwrap_or_default();
            let left = self
                .of
                .unwrap_or(shared.items.catalog().len() as u64)
                .saturating_sub(self.done);
            self.waits = trust::waits(shared, self.elsewhere, &to, (left, PICTURES));
        }
    }
}

impl Inner {
    /// Publishes the state of a job. Progress is throttled unless `always` is set.
    pub(super) fn tell(&mut self, shared: &OwnerContext, id: u32, always: bool) {
        let Some(live) = self.live(id) else { return };
        if always || live.last_event.is_none_or(|at| at.elapsed() >= TELL_EVERY) {
            live.last_event = Some(Instant::now());
            shared
                .broadcast
                .send(Event::Scoring(Box::new(live.state())));
        }
    }
}

/// Starts the thread if a job is queued.
fn wake(shared: &Arc<OwnerContext>, inner: &mut Inner) {
    if shared.writable.opened_read_only.is_some() {
        return;
    }
    let waits = inner.jobs.iter().any(|j| j.stored.phase == Phase::Queued);
    let works = inner.thread.as_ref().is_some_and(|t| !t.is_finished());
    if waits && !works && !inner.ended {
        let owner = shared.clone();
        let work = move || {
            lower_thread_priority();
            run(&owner);
        };
        match std::thread::Builder::new().name("score".into()).spawn(work) {
            Ok(thread) => inner.thread = Some(thread),
            Err(error) => shared
                .broadcast
                .notices()
                .push(format!("cannot start scoring: {error}")),
        }
    }
    shared.scoring.desk.wake.notify_all();
}

/// Works until there is nothing to do for a while or the owner shuts down.
fn run(shared: &Arc<OwnerContext>) {
    let desk = &shared.scoring.desk;
    loop {
        let id = {
            let mut inner = desk.inner();
            if inner.ended {
                return;
            }
            let found = inner
                .jobs
                .iter_mut()
                .find(|j| j.stored.phase == Phase::Queued && !j.waits_for_servers());
            match found {
                Some(live) => {
                    live.stored.phase = Phase::Running;
                    let id = live.stored.id;
                    inner.at_work = inner.live(id).map(|live| live.stored.scorer.clone());
                    inner.keep();
                    inner.tell(shared, id, true);
                    id
                }
                None => {
                    // Keeps the owner alive while a job waits for its judge.
                    let _counted = inner
                        .jobs
                        .iter()
                        .any(JobRuntime::waits_for_servers)
                        .then(|| shared.activity.count_job());
                    desk.wake.wait_for(&mut inner, Duration::from_millis(200));
                    if !inner.jobs.iter().any(|j| j.stored.phase == Phase::Queued) && !inner.ended {
                        // Set under the lock that `wake` holds, so that it sees that the thread has
                        // exited.
                        inner.thread = None;
                        return;
                    }
                    continue;
                }
            }
        };
        // Keeps the owner alive while a job runs.
        let _counted = shared.activity.count_job();
        let outcome =
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| work::run(shared, id)));
        let outcome = outcome.unwrap_or_else(|_| {
            Err(Error::new(
                ErrorKind::Io,
                "internal error: the scoring thread panicked",
            ))
        });
        shared.scoring.changed();
        let mut inner = desk.inner();
        inner.at_work = None;
        if let Some(live) = inner.live(id).filter(|j| j.stored.phase == Phase::Running) {
            match outcome {
                Ok(true) => (live.stored.phase, live.stored.retry) = (Phase::Done, false),
                // The owner is shutting down; the next one continues.
                Ok(false) => {}
                // An outage is not the fault of the inputs, so they stay open.
                Err(problem)
                    if problem.kind == ErrorKind::Unreachable
                        && problem.what.contains(NO_ENDPOINT) =>
                {
                    let wait = outage_wait(live.outages);
                    live.outages += 1;
                    live.not_before = Some(Instant::now() + wait);
                    live.stored.phase = Phase::Queued;
                    live.why = Some(outage_reason(&problem.what, wait));
                }
                Err(problem) => {
                    live.stored.phase = Phase::Blocked;
                    live.why = Some(problem.to_string());
                    live.update_waits(shared);
                }
            }
        }
        if inner
            .live(id)
            .is_some_and(|j| !matches!(j.stored.phase, Phase::Queued | Phase::Running))
        {
            trust::end(shared, JobKind::Scoring, id);
        }
        inner.keep();
        inner.tell(shared, id, true);
    }
}

impl Scoring {
    /// Starts a job, or previews it.
    ///
    /// # Errors
    /// [`ErrorKind::Usage`] for an invalid filter or a scorer that needs no job;
    /// [`ErrorKind::Conflict`] if the scorer has an active job; [`ErrorKind::Denied`] for servers
    /// without an agreement; [`ErrorKind::Cancelled`]; the reason that the scorer cannot run.
    pub fn begin(
        &self,
        shared: &Arc<OwnerContext>,
        new: &NewScoring,
        cancel: Cancel<'_>,
    ) -> Result<ScoringState> {
        if matches!(new.scorer, Scorer::Consensus | Scorer::Blind) {
            return Err(Error::new(
                ErrorKind::Usage,
                format!(
                    "`{}` is computed from predictions and needs no job",
                    new.scorer
                ),
            )
            .help("import prediction files instead"));
        }
        let _one = self.desk.beginning.lock();
        self.desk.free(&new.scorer)?;
        let project = trust::current_project(shared)?;
        let to = trust::of_scorer(project.config(), &new.scorer)?;
        if !new.dry {
            trust::check(shared, &to)?;
        }
        let runner = (self.maker)(&project, &new.scorer)?;
        let mut stored = Stored {
            id: 0,
            scorer: new.scorer.clone(),
            filter: new.filter.clone(),
            phase: Phase::Queued,
            retry: false,
            token: None,
            drafts: 0,
        };
        let left = work::left(shared, &stored, &runner.about().short(), cancel)?;
        if new.scorer.uses_pictures() {
            stored.drafts = shared
                .jobs
                .drafts(shared, left.iter().map(|(row, _)| *row), cancel)?;
            check_drafts(
                stored.drafts,
                (left.len() as u64, "inputs"),
                new.drafts || new.dry,
            )?;
        }
        let mut live = JobRuntime::new(stored);
        (live.of, live.device) = (Some(left.len() as u64), runner.about().name.clone());
        live.waits = trust::waits(shared, false, &to, (left.len() as u64, PICTURES));
        if new.dry {
            return Ok(live.state());
        }
        let mut inner = self.desk.inner();
        live.stored.id = inner
            .jobs
            .iter()
            .map(|j| j.stored.id)
            .max()
            .unwrap_or_default()
            + 1;
        let id = live.stored.id;
        let digest = trust::digest_of_scoring(project.config(), id, &new.scorer, &new.filter);
        live.stored.token = trust::begin(shared, JobKind::Scoring, id, digest);
        let state = live.state();
        while inner
            .jobs
            .iter()
            .filter(|j| j.stored.phase.is_finished())
            .count()
            > MAX_ENDED
        {
            let Some(first) = inner.jobs.iter().position(|j| j.stored.phase.is_finished()) else {
                break;
            };
            inner.jobs.remove(first);
        }
        inner.jobs.push(live);
        // Write the file before announcing the job.
        if let Err(problem) = inner.write() {
            inner.jobs.pop();
            trust::end(shared, JobKind::Scoring, id);
            return Err(problem);
        }
        inner.tell(shared, id, true);
        wake(shared, &mut inner);
        Ok(state)
    }

    /// Performs an action on a job.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`]; [`ErrorKind::Conflict`] if the job's state does not allow the
    /// action.
    pub fn act(
        &self,
        shared: &Arc<OwnerContext>,
        id: u32,
        act: ScoringAct,
    ) -> Result<ScoringState> {
        let _one = matches!(act, ScoringAct::Resume | ScoringAct::Retry)
            .then(|| self.desk.beginning.lock());
        let mut inner = self.desk.inner();
        let none = || Error::new(ErrorKind::NotFound, format!("unknown scoring job {id}"));
        let live = inner.live(id).ok_or_else(none)?;
        let phase = live.stored.phase;
        let next = match act {
            ScoringAct::Pause if matches!(phase, Phase::Queued | Phase::Running) => Phase::Paused,
            ScoringAct::Resume if matches!(phase, Phase::Paused | Phase::Blocked) => Phase::Queued,
            ScoringAct::Cancel if !phase.is_finished() => Phase::Cancelled,
            ScoringAct::Retry if !matches!(phase, Phase::Queued | Phase::Running) => Phase::Queued,
            _ => {
                let what = format!("job {id} is {}; cannot {} it", phase.name(), word(act));
                return Err(Error::new(ErrorKind::Conflict, what));
            }
        };
        if next == Phase::Queued {
            // Check before it becomes active: whatever the store and benchtop.toml say, it sends
            // only to servers with an agreement.
            let project = trust::current_project(shared)?;
            trust::check(
                shared,
                &trust::of_scorer(project.config(), &live.stored.scorer)?,
            )?;
            let Stored { scorer, filter, .. } = &live.stored;
            let digest = trust::digest_of_scoring(project.config(), id, scorer, filter);
            live.stored.token = trust::begin(shared, JobKind::Scoring, id, digest);
            (live.why, live.elsewhere, live.not_before) = (None, false, None);
            live.stored.retry |= act == ScoringAct::Retry;
        } else {
            trust::end(shared, JobKind::Scoring, id);
        }
        live.stored.phase = next;
        live.update_waits(shared);
        let state = live.state();
        inner.keep();
        inner.tell(shared, id, true);
        wake(shared, &mut inner);
        Ok(state)
    }
}

fn word(act: ScoringAct) -> &'static str {
    match act {
        ScoringAct::Pause => "pause",
        ScoringAct::Resume => "resume",
        ScoringAct::Cancel => "cancel",
        ScoringAct::Retry => "retry",
    }
}
