//! The threads: one per resource in use. It works on the first job in the order, step by step.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::job::{Kind, Slot, Step};
use super::state::{Entry, Inner};
use crate::context::OwnerContext;
use crate::priority::lower_thread_priority;
use crate::trust;
use benchtop_model::config::Config;
use benchtop_model::job::JobStatus;
use benchtop_model::{Error, ErrorKind, Result};

/// How long an idle thread keeps what it has loaded.
const LINGERS: Duration = Duration::from_secs(20);
/// How long an idle thread waits that has loaded nothing.
const WAITS: Duration = Duration::from_millis(200);

/// What a thread does next.
enum Next {
    /// A step of this job.
    Step(u32, &'static Kind<OwnerContext>),
    /// Look again.
    Again,
    /// Exit, since there is no work.
    End,
}

/// Starts a thread for each resource that a job needs, and has the waiting threads look again.
pub(super) fn wake(shared: &Arc<OwnerContext>, inner: &mut Inner<OwnerContext>) {
    inner.find_resources(&shared.config());
    start_threads(shared, inner);
    shared.jobs.wake.notify_all();
}

/// Starts a thread for each resource that a job needs. Does nothing before the jobs are loaded.
fn start_threads(shared: &Arc<OwnerContext>, inner: &mut Inner<OwnerContext>) {
    if inner.ended || !inner.loaded || shared.writable.opened_read_only.is_some() {
        return;
    }
    let needed: BTreeSet<String> = inner
        .jobs
        .values()
        .filter(|entry| entry.has_work())
        .map(|entry| entry.live.resource.clone())
        .collect();
    for resource in needed {
        if !inner.running.insert(resource.clone()) {
            continue;
        }
        let (owner, theirs) = (shared.clone(), resource.clone());
        let work = move || {
            lower_thread_priority();
            run(&owner, &theirs);
        };
        match std::thread::Builder::new().name("step".into()).spawn(work) {
            Ok(thread) => {
                inner.threads.retain(|thread| !thread.is_finished());
                inner.threads.push(thread);
            }
            Err(error) => {
                inner.running.remove(&resource);
                let notice = format!("cannot start a job: {error}");
                shared.broadcast.notices().push(notice);
            }
        }
    }
}

/// Works until the owner shuts down or the resource is idle for a while.
fn run(shared: &Arc<OwnerContext>, resource: &str) {
    let mut slot: Slot = None;
    loop {
        let (id, kind) = match next(shared, resource, slot.is_some()) {
            Next::Step(id, kind) => (id, kind),
            Next::Again => continue,
            Next::End => return,
        };
        // Keeps the owner alive while a job works.
        let _counted = shared.activity.count_job();
        let outcome = catch_unwind(AssertUnwindSafe(|| (kind.step)(shared, id, &mut slot)));
        let outcome = outcome.unwrap_or_else(|_| {
            // What was loaded may be in an undefined state.
            slot = None;
            let what = format!("internal error: the step of a {} job panicked", kind.name);
            Err(Error::failed(what))
        });
        settle(shared, id, outcome);
    }
}

/// Waits for work.
fn next(shared: &Arc<OwnerContext>, resource: &str, holds: bool) -> Next {
    let config = &*shared.config();
    let mut inner = shared.jobs.inner();
    if inner.ended {
        return Next::End;
    }
    // The resource of a job may have changed with `benchtop.toml`. Only then: idle threads that wake
    // each other without a reason never sleep.
    if inner.find_resources(config) {
        shared.jobs.wake.notify_all();
    }
    if let Some(id) = inner.first_ready(resource) {
        inner.set_running(shared, id);
        if let Some(entry) = inner.jobs.get_mut(&id) {
            entry.live.at_work = true;
            entry.live.meter.begin_step();
            entry.live.meter.set_prices(entry.job.prices(config));
            return Next::Step(id, entry.kind);
        }
    }
    let waiting = inner.with_resource(resource);
    if waiting.is_empty() {
        start_threads(shared, &mut inner);
    }
    // Keeps the owner alive while a job waits.
    let _counted = (!waiting.is_empty()).then(|| shared.activity.count_job());
    let idle = if holds { LINGERS } else { WAITS };
    let soonest = waiting
        .iter()
        .filter_map(|id| inner.jobs.get(id)?.live.not_before)
        .min();
    let wait = soonest.map_or(idle, |at| {
        at.saturating_duration_since(Instant::now())
            .max(Duration::from_millis(1))
    });
    let waited = shared.jobs.wake.wait_for(&mut inner, wait);
    if inner.ended || (waited.timed_out() && inner.with_resource(resource).is_empty()) {
        // Removed under the lock that `wake` holds, so it sees that no thread is running.
        inner.running.remove(resource);
        return Next::End;
    }
    Next::Again
}

/// Records the result of a step.
fn settle(shared: &Arc<OwnerContext>, id: u32, outcome: Result<Step>) {
    let mut inner = shared.jobs.inner();
    let ending = inner.ended;
    if let Some(entry) = inner.jobs.get_mut(&id) {
        let Entry { live, job, .. } = &mut *entry;
        live.at_work = false;
        let was_active = live.header.standing.is_active();
        if let Err(problem) = live.meter.keep() {
            crate::log::write(format_args!(
                "cannot save what job {id} has sent: {problem}"
            ));
        }
        // What a step did not do because the budget is spent is left.
        let refusal = live.meter.refusal();
        let is_spent = refusal.is_some();
        let outcome = refusal.map_or(outcome, Err);
        match outcome {
            Ok(Step::More) => {}
            Ok(Step::Done) if was_active && job.ends() => {
                (live.header.standing, live.header.reason) = (JobStatus::Done, None);
            }
            Ok(Step::Outage(reason)) if was_active => live.wait_for_servers(&reason),
            Ok(_) => {}
            Err(problem) if problem.kind == ErrorKind::Cancelled => {}
            Err(_) if ending => {}
            Err(problem) => {
                if was_active {
                    // What others cannot answer for is not the job's fault.
                    live.header.standing = match !is_spent && job.fails(&problem) {
                        true => JobStatus::Failed,
                        false => JobStatus::Paused,
                    };
                }
                live.stuck = live.header.standing.is_finished();
                if was_active || live.stuck {
                    live.header.reason = Some(problem.to_string());
                    live.problem = Some(problem);
                }
                live.update_waits(shared, &**job);
            }
        }
        let standing = live.header.standing;
        if !standing.is_active() {
            job.stopped(standing);
        }
        let is_changed = live.written.as_ref().map(|(header, _)| header) != Some(&live.header);
        let kept = entry.keep(shared);
        let Entry { kind, live, job } = entry;
        match kept {
            // What is not on disk is not announced. The next owner finds the job as it was.
            Err(problem) if was_active && standing == JobStatus::Done => {
                live.header.standing = JobStatus::Paused;
                live.header.reason = Some(problem.to_string());
                live.problem = Some(problem);
            }
            Err(_) => {}
            // Before the job is saved, the next owner would take it for one of somebody else.
            Ok(()) if standing.is_active() || (live.own && job.has_work(standing)) => {}
            Ok(()) => trust::end(shared, kind.name, id),
        }
        inner.tell(shared, id, is_changed);
        wake(shared, &mut inner);
    }
    shared.jobs.wake.notify_all();
}

impl Entry<OwnerContext> {
    fn has_work(&self) -> bool {
        let standing = self.live.header.standing;
        let may_work = standing.is_active() || self.live.own;
        may_work && !self.live.stuck && self.job.has_work(standing)
    }
}

impl Inner<OwnerContext> {
    /// Looks up what each job works on. A job at work keeps its resource, since the thread of
    /// another one would begin the same step. Returns true if a resource changed.
    fn find_resources(&mut self, config: &Config) -> bool {
        let mut changed = false;
        for Entry { kind, live, job } in self.jobs.values_mut() {
            if !live.at_work && job.has_work(live.header.standing) {
                let resource = job.resource(config).unwrap_or_else(|| kind.name.into());
                changed |= resource != live.resource;
                live.resource = resource;
            }
        }
        changed
    }

    /// The jobs with work that need a resource: those in the order first, then those that have ended
    /// and owe something.
    fn with_resource(&self, resource: &str) -> Vec<u32> {
        let mut ids = self.order();
        let ended = self
            .jobs
            .values()
            .filter(|e| e.live.header.standing.is_finished());
        ids.extend(ended.map(|e| e.live.header.id));
        ids.retain(|id| {
            self.jobs
                .get(id)
                .is_some_and(|e| e.live.resource == resource && e.has_work())
        });
        ids
    }

    /// The job that gets a resource next: an urgent one, or the first that does not wait.
    pub(super) fn first_ready(&self, resource: &str) -> Option<u32> {
        let all = self.with_resource(resource);
        let since = |id: &u32| Some((self.jobs.get(id)?.job.urgent_since()?, *id));
        let is_ready = |id: &&u32| self.jobs.get(id).is_some_and(|e| e.live.is_ready());
        let urgent = all.iter().filter_map(since).max();
        urgent
            .map(|(_, id)| id)
            .or_else(|| all.iter().find(is_ready).copied())
    }

    /// Marks a job as running, and the others that need its resource as queued.
    fn set_running(&mut self, shared: &OwnerContext, id: u32) {
        let resource = self.jobs.get(&id).map(|e| e.live.resource.clone());
        for other in self.with_resource(&resource.unwrap_or_default()) {
            let Some(entry) = self.jobs.get_mut(&other) else {
                continue;
            };
            let standing = match other == id {
                true => JobStatus::Running,
                false => JobStatus::Queued,
            };
            let held = &mut entry.live.header.standing;
            if held.is_active() && *held != standing {
                *held = standing;
                self.tell(shared, other, true);
            }
        }
    }
}
