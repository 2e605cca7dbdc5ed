//! The thread of one device: takes the first job in its turn, batch by batch.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use super::session::{Session, Took};
use super::{Inner, wake};
use crate::context::OwnerContext;
use crate::trust;
use benchtop_inference::ImageGenerator;
use benchtop_model::config::Config;
use benchtop_model::job::{GenerationOverrides, JobStatus};
use benchtop_model::{Error, ErrorKind, Result};
use benchtop_pipeline::generate::build;
use benchtop_pipeline::generate::image_index::RequestedImages;
use benchtop_pipeline::generate::work::Target;
use benchtop_store::trust::JobKind;

/// How long a generator without work stays in memory.
const LINGERS: Duration = Duration::from_secs(20);

/// Backend and model in words: jobs that say the same share a generator.
pub fn generator(config: &Config, wishes: &GenerationOverrides) -> String {
    let GenerationOverrides { backend, model, .. } = build::full(config, wishes);
    [backend, model]
        .into_iter()
        .flatten()
        .collect::<Vec<_>>()
        .join(" ")
}

/// Everything that a generator is built from: where `benchtop.toml` changed meanwhile, another one is built.
fn built_from(config: &Config, wishes: &GenerationOverrides) -> String {
    format!("{} {:?}", generator(config, wishes), config.generate)
}

/// What a thread is named after.
pub fn device(config: &Config, wishes: &GenerationOverrides) -> String {
    build::device(config, &build::full(config, wishes))
}

/// A generator that was built, and which.
struct Built {
    which: String,
    generator: Box<dyn ImageGenerator>,
}

/// What to do next.
enum Next {
    /// A batch of this job; of this picture alone, where somebody waits for it.
    Job(u32, Option<(Arc<RequestedImages>, u32)>),
    /// Look again.
    Again,
    /// There is no work.
    End,
}

/// Works until the owner ends, or for a while nobody wants anything of this device.
pub fn run(shared: &Arc<OwnerContext>, device: &str) {
    let mut generator: Option<Built> = None;
    let mut sessions: HashMap<u32, Session> = HashMap::new();
    loop {
        let (id, only) = match next(shared, device) {
            Next::Job(id, only) => (id, only),
            Next::Again => continue,
            Next::End => return,
        };
        // The owner stays while a job runs.
        let _counted = shared.activity.count_job();
        let did = catch_unwind(AssertUnwindSafe(|| {
            batch(shared, id, only, &mut generator, &mut sessions)
        }));
        match did {
            Ok(Ok(())) => {}
            Ok(Err(problem)) => {
                sessions.remove(&id);
                stop(shared, id, &problem);
            }
            Err(_) => {
                // Whatever state it is in, it is not asked again.
                generator = None;
                sessions.remove(&id);
                stop(
                    shared,
                    id,
                    &Error::new(ErrorKind::Io, "the work on a batch panicked"),
                );
            }
        }
    }
}

/// Waits for work.
fn next(shared: &Arc<OwnerContext>, device: &str) -> Next {
    let config = &*shared.config();
    let mut inner = shared.desk.inner();
    if inner.ended {
        return Next::End;
    }
    let mine: Vec<u32> = inner
        .order()
        .into_iter()
        .filter(|id| is_mine(&inner, config, device, *id))
        .collect();
    if let Some(found) = wanted(shared, &mut inner, &mine) {
        return found;
    }
    if mine.is_empty() {
        // The device of a job may be another one since `benchtop.toml` was changed.
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
        turn(shared, &mut inner, &mine, id);
        return Next::Job(id, None);
    }
    // The owner stays while a job waits for its next moment.
    let _counted = (!mine.is_empty()).then(|| shared.activity.count_job());
    let soonest = mine
        .iter()
        .filter_map(|id| inner.jobs.get(id)?.not_before)
        .min();
    let wait = soonest.map_or(LINGERS, |at| {
        at.saturating_duration_since(now)
            .max(Duration::from_millis(1))
    });
    let (mut inner, waited) = shared
        .desk
        .wake
        .wait_timeout(inner, wait)
        .unwrap_or_else(PoisonError::into_inner);
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
    job.is_some_and(|job| job.standing.live() && self::device(config, &job.wishes) == device)
}

/// The job that makes a picture somebody waits for, where it is one of these.
fn wanted(shared: &OwnerContext, inner: &mut Inner, mine: &[u32]) -> Option<Next> {
    if inner.wants.is_empty() {
        return None;
    }
    // It was read when somebody asked. Whoever reads it again now may look at the jobs meanwhile: this must not wait.
    let named = shared.desk.named.try_lock().ok()?.clone()?;
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
    turn(shared, inner, mine, id);
    Some(Next::Job(id, Some((named, at))))
}

/// It is this job's turn, and no other's of this device.
fn turn(shared: &OwnerContext, inner: &mut Inner, mine: &[u32], id: u32) {
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

/// Makes one batch of a job, or finds that it is done.
fn batch(
    shared: &Arc<OwnerContext>,
    id: u32,
    only: Option<(Arc<RequestedImages>, u32)>,
    generator: &mut Option<Built>,
    sessions: &mut HashMap<u32, Session>,
) -> Result<()> {
    let config = &*shared.config();
    let wishes = shared
        .desk
        .inner()
        .jobs
        .get(&id)
        .map(|live| live.job.wishes.clone())
        .unwrap_or_default();
    trust::check(shared, &trust::of_generation(config, &wishes)?)?;
    let which = built_from(config, &wishes);
    if generator.as_ref().is_some_and(|built| built.which != which) {
        // Two models may not fit on one device: one goes before the other comes, and with it what its jobs knew of it.
        *generator = None;
        sessions.clear();
    }
    let maker = match generator {
        Some(built) => &mut built.generator,
        None => {
            let built = Built {
                which,
                generator: (shared.desk.maker)(config, &wishes)?,
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
    session.now_with(maker.as_ref());
    let only = only
        .filter(|(named, _)| session.is_of(named))
        .map(|(_, at)| Target {
            picture: at,
            sample: 1,
        });
    let took = match session.take(shared, only) {
        // The items were changed since it was asked for: the next session knows them.
        Err(problem) if problem.kind == ErrorKind::Conflict && !session.is_current(shared) => {
            Took::Nothing
        }
        took => took?,
    };
    match took {
        Took::Batch(errands) => {
            let panicked = session.make(shared, maker.as_mut(), errands)?;
            if panicked {
                *generator = None;
            }
        }
        Took::Nothing => {}
        Took::End => {
            sessions.remove(&id);
            done(shared, id)?;
        }
    }
    Ok(())
}

/// The job has nothing left to do.
fn done(shared: &Arc<OwnerContext>, id: u32) -> Result<()> {
    let index = shared.index.get()?;
    let mut inner = shared.desk.inner();
    if let Some(live) = inner
        .jobs
        .get_mut(&id)
        .filter(|live| live.job.standing.live())
    {
        live.job.standing = JobStatus::Done;
        live.job.of = Some(live.done + live.failed.len() as u64);
        live.step = None;
        index.keep_job(&live.job)?;
        trust::end(shared, JobKind::Generation, id);
        inner.tell(shared, id, true);
        wake(shared, &mut inner);
    }
    Ok(())
}

/// The job cannot go on: for lack of a generator it has failed, for anything else it is paused until somebody looks.
fn stop(shared: &Arc<OwnerContext>, id: u32, problem: &Error) {
    if problem.kind == ErrorKind::Cancelled {
        return;
    }
    let mut inner = shared.desk.inner();
    let Some(live) = inner
        .jobs
        .get_mut(&id)
        .filter(|live| live.job.standing.live())
    else {
        return;
    };
    // What a server or a key lacks is not the job's fault.
    let fails = live.device.is_empty() && problem.kind != ErrorKind::Unreachable;
    live.job.standing = if fails {
        JobStatus::Failed
    } else {
        JobStatus::Paused
    };
    live.job.reason = Some(problem.to_string());
    live.step = None;
    live.look(shared);
    trust::end(shared, JobKind::Generation, id);
    let kept = shared
        .index
        .get()
        .and_then(|index| index.keep_job(&live.job));
    if let Err(problem) = kept {
        crate::log::write(format_args!("a job could not be kept: {problem}"));
    }
    inner.tell(shared, id, true);
}
