//! Actions on evaluations, and their failures.

use std::sync::Arc;

use super::queue::Inner;
use super::worker::wake;
use crate::clock::now;
use crate::context::OwnerContext;
use crate::trust;
use benchtop_model::evaluation::{RunFailure, RunQuestion};
use benchtop_model::history::stamp;
use benchtop_model::job::{JobAct, JobFailure, JobState, JobStatus};
use benchtop_model::{Error, ErrorKind, Result};
use benchtop_protocol::wire::{Event, FAILURE_PAGE};
use benchtop_store::inventory;
use benchtop_store::runs::{self, Journal, Line};
use benchtop_store::trust::JobKind;

fn none(id: u32) -> Error {
    Error::new(ErrorKind::NotFound, format!("unknown job {id}"))
        .help("run `benchtop jobs` to list the jobs")
}

/// Performs an action on a run. Returns its new state, or `None` if it was removed.
///
/// # Errors
/// [`ErrorKind::NotFound`]; [`ErrorKind::Conflict`] if the run's state does not allow the action;
/// I/O errors.
pub fn act(shared: &Arc<OwnerContext>, id: u32, act: JobAct) -> Result<Option<JobState>> {
    let root = shared.project.root();
    let mut inner = shared.evaluations.inner();
    let is_at_work = inner.at_work == Some(id);
    let live = inner.runs.get_mut(&id).ok_or_else(|| none(id))?;
    let standing = live.run.standing;
    let refused = |what: &str| {
        Err(Error::new(
            ErrorKind::Conflict,
            format!("job {id} is {}; {what}", standing.name()),
        ))
    };
    let mut next = live.run.clone();
    match act {
        JobAct::Pause if standing.is_active() => {
            (next.standing, next.reason) = (JobStatus::Paused, None)
        }
        JobAct::Pause => return refused("only queued and running jobs can be paused"),
        JobAct::Resume if matches!(standing, JobStatus::Paused | JobStatus::Failed) => {
            (next.standing, next.reason) = (JobStatus::Queued, None);
        }
        JobAct::Resume if live.run.reason.is_some() && standing == JobStatus::Done => {
            // Its answers could not be published.
            (next.standing, next.reason) = (JobStatus::Queued, None);
        }
        JobAct::Resume => return refused("only paused and failed jobs can be resumed"),
        JobAct::Cancel if !standing.is_finished() => {
            (next.standing, next.reason) = (JobStatus::Cancelled, None)
        }
        JobAct::Cancel => return refused("it has already ended"),
        JobAct::Retry if standing == JobStatus::Cancelled => return refused("start a new one"),
        JobAct::Retry => {
            trust::check(shared, &trust::of_run(&next.new)?)?;
            if is_at_work {
                live.again = true;
            } else {
                let (_, whole) = runs::read(root, id, &mut |_| Ok(()))?;
                Journal::open(root, id, whole)?.append(&[Line::Retry { at: stamp(now()) }])?;
                next.counts.failed = 0;
            }
            if !standing.is_active() {
                (next.standing, next.reason) = (JobStatus::Queued, None);
            }
        }
        JobAct::Place(_) if standing.is_finished() => {
            return refused("it is no longer in the queue");
        }
        JobAct::Place(place) => return place_at(shared, &mut inner, id, place),
        JobAct::Batch(Some(n)) if (1..=256).contains(&n) => {
            next.new
                .servers
                .iter_mut()
                .for_each(|server| server.concurrency = n);
        }
        JobAct::Batch(_) => {
            return Err(Error::new(
                ErrorKind::Usage,
                "requests in flight must be 1 to 256",
            ));
        }
        JobAct::PerMinute(_) => {
            let what = "evaluations have no rate limit per minute";
            return Err(
                Error::new(ErrorKind::Usage, what).help("limit the requests in flight instead")
            );
        }
        JobAct::Remove if is_at_work => {
            return refused("it is still stopping, try again in a moment");
        }
        JobAct::Remove if standing.is_finished() => {
            let guard = inventory::guard();
            runs::remove(root, id)?;
            // Otherwise its files would be reported as missing.
            inventory::remove_records(&shared.project, &|path| {
                path.starts_with(&format!("runs/{id:04}."))
            })?;
            drop(guard);
            trust::end(shared, JobKind::Run, id);
            inner.runs.remove(&id);
            shared.broadcast.send(Event::JobRemoved(id));
            return Ok(None);
        }
        JobAct::Remove => return refused("cancel it first"),
    }
    // Check before it becomes active: whatever the run's file says, it sends only to servers with
    // an agreement.
    let starts = next.standing.is_active() && !standing.is_active();
    if starts {
        trust::check(shared, &trust::of_run(&next.new)?)?;
        let numbers = runs::numbers(root, &next)?;
        next.token = trust::begin(
            shared,
            JobKind::Run,
            id,
            trust::digest_of_run(&next, &numbers),
        );
    }
    runs::write_state(root, &next)?;
    live.run = next;
    if starts {
        live.elsewhere = false;
    } else if standing.is_active() && !live.run.standing.is_active() {
        trust::end(shared, JobKind::Run, id);
    }
    live.update_waits(shared);
    live.resumed();
    inner.tell(shared, id, true);
    wake(shared, &mut inner);
    Ok(inner.state_of(id))
}

/// Moves a run to another position in the queue.
fn place_at(
    shared: &Arc<OwnerContext>,
    inner: &mut Inner,
    id: u32,
    place: u32,
) -> Result<Option<JobState>> {
    let mut order = inner.order();
    order.retain(|other| *other != id);
    order.insert((place.max(1) as usize - 1).min(order.len()), id);
    for (turn, id) in order.iter().enumerate() {
        if let Some(live) = inner
            .runs
            .get_mut(id)
            .filter(|live| live.run.turn != turn as i64)
        {
            live.run.turn = turn as i64;
            runs::write_state(shared.project.root(), &live.run)?;
        }
    }
    order.iter().for_each(|id| inner.tell(shared, *id, true));
    wake(shared, inner);
    Ok(inner.state_of(id))
}

/// The failures of a run, starting with number `from`.
///
/// # Errors
/// [`ErrorKind::NotFound`], and errors of reading its journal.
pub fn failures(shared: &OwnerContext, id: u32, from: u64) -> Result<Vec<JobFailure>> {
    if !shared.evaluations.has(id) {
        return Err(none(id));
    }
    let (progress, _) = runs::progress(shared.project.root(), id)?;
    let of = |(asked, (item, failure)): (RunQuestion, (String, RunFailure))| {
        let (dataset, picture) = item.split_once('/').unwrap_or(("", &item));
        JobFailure {
            dataset: dataset.to_string(),
            picture: picture.to_string(),
            sample: u32::from(asked.order),
            number: asked.number,
            kind: failure.kind,
            reason: failure.reason,
            tries: 1,
        }
    };
    let from = usize::try_from(from).unwrap_or(usize::MAX);
    Ok(progress
        .failed
        .into_iter()
        .map(of)
        .skip(from)
        .take(FAILURE_PAGE)
        .collect())
}
