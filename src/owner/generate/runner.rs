//! The thread of a device: works on the first job in the queue, batch by batch.

use std::collections::{BTreeSet, HashMap};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::queue::Inner;
use super::session::{NextWork, Session};
use crate::context::OwnerContext;
use crate::priority::lower_thread_priority;
use crate::trust;
use benchtop_inference::ImageGenerator;
use benchtop_model::config::Config;
use benchtop_model::job::{GenerationOverrides, JobStatus};
use benchtop_model::{Error, ErrorKind, Result};
use benchtop_pipeline::generate::build;
use benchtop_pipeline::generate::image_index::RequestedImages;
use benchtop_pipeline::generate::remaining::Target;
use benchtop_store::trust::JobKind;

/// How long an idle generator stays in memory.
const LINGERS: Duration = Duration::from_secs(20);

/// Backend and model. Jobs with the same text share a generator.
pub fn generator(config: &Config, wishes: &GenerationOverrides) -> String {
    let GenerationOverrides { backend, model, .. } = build::complete_overrides(config, wishes);
    [backend, model]
        .into_iter()
        .flatten()
        .collect::<Vec<_>>()
        .join(" ")
}

/// Everything a generator is built from. If `benchtop.toml` changes it, the generator is rebuilt.
fn built_from(config: &Config, wishes: &GenerationOverrides) -> String {
    format!("{} {:?}", generator(config, wishes), config.generate)
}

/// The name of the device, used as the key of its thread.
pub fn device(config: &Config, wishes: &GenerationOverrides) -> String {
    build::device(config, &build::complete_overrides(config, wishes))
}

struct Built {
    which: String,
    generator: Box<dyn ImageGenerator>,
}

/// What a thread does next.
enum Next {
    /// Make a batch of this job, or only this picture if it was requested.
    Job(u32, Option<(Arc<RequestedImages>, u32)>),
    /// Check again.
    Again,
    /// Exit, since there is no work.
    End,
}

/// Starts a thread for each device that has an active job.
pub(super) fn wake(shared: &Arc<OwnerContext>, inner: &mut Inner) {
    if inner.ended {
        return;
    }
    let config = &*shared.config();
    let live: BTreeSet<String> = inner
        .jobs
        .values()
        .filter(|j| j.job.standing.is_active())
        .map(|j| device(config, &j.job.wishes))
        .collect();
    for device in live {
        if !inner.running.insert(device.clone()) {
            continue;
        }
        let (owner, theirs) = (shared.clone(), device.clone());
        let work = move || {
            lower_thread_priority();
            run(&owner, &theirs);
        };
        let started = std::thread::Builder::new()
            .name("generate".into())
            .spawn(work);
        match started {
            Ok(thread) => {
                inner.threads.retain(|thread| !thread.is_finished());
                inner.threads.push(thread);
            }
            Err(error) => {
                inner.running.remove(&device);
                shared
                    .broadcast
                    .notices()
                    .push(format!("cannot start a job: {error}"));
            }
        }
    }
    shared.jobs.wake.notify_all();
}

/// Works until the owner shuts down or the device is idle for a while.
pub fn run(shared: &Arc<OwnerContext>, device: &str) {
    let mut generator: Option<Built> = None;
    let mut sessions: HashMap<u32, Session> = HashMap::new();
    loop {
        let (id, only) = match next(shared, device) {
            Next::Job(id, only) => (id, only),
            Next::Again => continue,
            Next::End => return,
        };
        // Keeps the owner alive while a job runs.
        let _counted = shared.activity.count_job();
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            batch(shared, id, only, &mut generator, &mut sessions)
        }));
        match outcome {
            Ok(Ok(())) => {}
            Ok(Err(problem)) => {
                sessions.remove(&id);
                stop(shared, id, &problem);
            }
            Err(_) => {
                // The generator may be in an undefined state, so it is dropped.
                generator = None;
                sessions.remove(&id);
                stop(
                    shared,
                    id,
                    &Error::new(
                        ErrorKind::Io,
                        "internal error: a generation thread panicked",
                    ),
                );
            }
        }
    }
}

/// Waits for work.
fn next(shared: &Arc<OwnerContext>, device: &str) -> Next {
    let config = &*shared.config();
    let mut inner = shared.jobs.inner();
    if inner.ended {
        return Next::End;
    }
    let mine: Vec<u32> = inner
        .order()
        .into_iter()
        .filter(|id| is_mine(&inner, config, device, *id))
        .collect();
    if let Some(found) = next_requested(shared, &mut inner, &mine) {
        return found;
    }
    if mine.is_empty() {
        // The device of a job may have changed with `benchtop.toml`.
        wake(shared, &mut inner);
    }
    let now = Instant::now();
    let ready = |id: &&u32| {
        inner
            .jobs
            .get(id)
            .is_some_and(|j| j.not_before.is_none_or(|at| at <= now))
    };
    if let Some(id) = mine.iter().find(ready).copied() {
        set_running(shared, &mut inner, &mine, id);
        return Next::Job(id, None);
    }
    // Keeps the owner alive while a job waits.
    let _counted = (!mine.is_empty()).then(|| shared.activity.count_job());
    let soonest = mine
        .iter()
        .filter_map(|id| inner.jobs.get(id)?.not_before)
        .min();
    let wait = soonest.map_or(LINGERS, |at| {
        at.saturating_duration_since(now)
            .max(Duration::from_millis(1))
    });
    let waited = shared.jobs.wake.wait_for(&mut inner, wait);
    let idle = waited.timed_out()
        && !inner
            .jobs
            .keys()
            .any(|id| is_mine(&inner, config, device, *id));
    if idle || inner.ended {
        inner.running.remove(device);
        return Next::End;
    }
    Next::Again
}

fn is_mine(inner: &Inner, config: &Config, device: &str, id: u32) -> bool {
    let job = inner.jobs.get(&id).map(|live| &live.job);
    job.is_some_and(|job| job.standing.is_active() && self::device(config, &job.wishes) == device)
}

/// The requested picture that one of these jobs makes, if any.
fn next_requested(shared: &OwnerContext, inner: &mut Inner, mine: &[u32]) -> Option<Next> {
    if inner.wants.is_empty() {
        return None;
    }
    // Uses the copy that was read for the request. It must not wait for the lock, whose holder may
    // be waiting for the jobs.
    let named = shared.jobs.named.try_lock()?.clone()?;
    let found = inner.wants.iter().enumerate().find_map(|(n, row)| {
        let at = named.of_row(*row)?;
        let covers = |id: &&u32| {
            inner
                .jobs
                .get(id)
                .is_some_and(|j| j.scope(false).covers(&named, at))
        };
        mine.iter().find(covers).map(|id| (n, *id, at))
    });
    let (n, id, at) = found?;
    inner.wants.remove(n);
    set_running(shared, inner, mine, id);
    Some(Next::Job(id, Some((named, at))))
}

/// Marks this job as running and the other jobs of the device as queued.
fn set_running(shared: &OwnerContext, inner: &mut Inner, mine: &[u32], id: u32) {
    for other in mine {
        let Some(live) = inner.jobs.get_mut(other) else {
            continue;
        };
        let standing = if *other == id {
            JobStatus::Running
        } else {
            JobStatus::Queued
        };
        if live.job.standing != standing {
            live.job.standing = standing;
            inner.tell(shared, *other, true);
        }
    }
}

/// Makes one batch of a job, or marks the job as done.
fn batch(
    shared: &Arc<OwnerContext>,
    id: u32,
    only: Option<(Arc<RequestedImages>, u32)>,
    generator: &mut Option<Built>,
    sessions: &mut HashMap<u32, Session>,
) -> Result<()> {
    let config = &*shared.config();
    let wishes = shared
        .jobs
        .inner()
        .jobs
        .get(&id)
        .map(|live| live.job.wishes.clone())
        .unwrap_or_default();
    trust::check(shared, &trust::of_generation(config, &wishes)?)?;
    let which = built_from(config, &wishes);
    if generator.as_ref().is_some_and(|built| built.which != which) {
        // Two models may not fit on one device, so the old generator is dropped first, together
        // with the sessions that depend on it.
        *generator = None;
        sessions.clear();
    }
    let maker = match generator {
        Some(built) => &mut built.generator,
        None => {
            let built = Built {
                which,
                generator: (shared.jobs.maker)(config, &wishes)?,
            };
            &mut generator.insert(built).generator
        }
    };
    let session = match sessions
        .remove(&id)
        .filter(|session| session.is_current(shared))
    {
        Some(session) => session,
        None => match Session::begin(shared, id, maker.as_ref())? {
            Some(session) => session,
            None => return Ok(()),
        },
    };
    let session = sessions.entry(id).or_insert(session);
    session.refresh_fingerprint(maker.as_ref());
    let only = only
        .filter(|(named, _)| session.matches(named))
        .map(|(_, at)| Target {
            picture: at,
            sample: 1,
        });
    let work = match session.next_batch(shared, only) {
        // The items have changed since the request; the next session uses the new ones.
        Err(problem) if problem.kind == ErrorKind::Conflict && !session.is_current(shared) => {
            NextWork::Nothing
        }
        work => work?,
    };
    match work {
        NextWork::Batch(errands) => {
            let panicked = session.make(shared, maker.as_mut(), errands)?;
            if panicked {
                *generator = None;
            }
        }
        NextWork::Nothing => {}
        NextWork::End => {
            sessions.remove(&id);
            done(shared, id)?;
        }
    }
    Ok(())
}

/// Marks a job as done.
fn done(shared: &Arc<OwnerContext>, id: u32) -> Result<()> {
    let mut inner = shared.jobs.inner();
    if let Some(live) = inner
        .jobs
        .get_mut(&id)
        .filter(|live| live.job.standing.is_active())
    {
        live.job.standing = JobStatus::Done;
        live.job.of = Some(live.done + live.failed());
        live.step = None;
        live.keep(shared.project.root())?;
        trust::end(shared, JobKind::Generation, id);
        inner.tell(shared, id, true);
        wake(shared, &mut inner);
    }
    Ok(())
}

/// Stops a job after an error: it fails if its generator could not be built, and is paused
/// otherwise.
fn stop(shared: &Arc<OwnerContext>, id: u32, problem: &Error) {
    if problem.kind == ErrorKind::Cancelled {
        return;
    }
    let mut inner = shared.jobs.inner();
    let Some(live) = inner
        .jobs
        .get_mut(&id)
        .filter(|live| live.job.standing.is_active())
    else {
        return;
    };
    // An unreachable server or a missing key is not the job's fault.
    let fails = live.device.is_empty() && problem.kind != ErrorKind::Unreachable;
    live.job.standing = if fails {
        JobStatus::Failed
    } else {
        JobStatus::Paused
    };
    live.job.reason = Some(problem.to_string());
    live.step = None;
    live.update_waits(shared);
    trust::end(shared, JobKind::Generation, id);
    if let Err(problem) = live.keep(shared.project.root()) {
        crate::log::write(format_args!("cannot save a job: {problem}"));
    }
    inner.tell(shared, id, true);
}
