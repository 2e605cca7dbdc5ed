//! What is done to evaluations, and asked of them.

use std::sync::Arc;

use super::{Inner, none, wake};
use crate::clock::now;
use crate::context::OwnerContext;
use crate::trust;
use benchtop_model::evaluation::{Asked, RunFailure};
use benchtop_model::history::stamp;
use benchtop_model::job::{JobAct, JobFailure, JobState, JobStatus};
use benchtop_model::{Error, ErrorKind, Result};
use benchtop_protocol::wire::{Event, FAILURES};
use benchtop_store::inventory;
use benchtop_store::runs::{self, Journal, Line};
use benchtop_store::trust::JobKind;

/// Does something to a run. Gives how it is then; nothing when it is gone.
///
/// # Errors
/// [`ErrorKind::NotFound`], [`ErrorKind::Conflict`] where it cannot be done to such a run, and the operating system's.
pub fn act(shared: &Arc<OwnerContext>, id: u32, act: JobAct) -> Result<Option<JobState>> {
    let root = shared.project.root();
    let mut inner = shared.evaluations.inner();
    let is_at_work = inner.at_work == Some(id);
    let live = inner.runs.get_mut(&id).ok_or_else(|| none(id))?;
    let standing = live.run.standing;
    let refused = |what: &str| {
        Err(Error::new(
            ErrorKind::Conflict,
            format!("job {id} is {}: {what}", standing.name()),
        ))
    };
    let mut next = live.run.clone();
    match act {
        JobAct::Pause if standing.live() => {
            (next.standing, next.reason) = (JobStatus::Paused, None)
        }
        JobAct::Pause => return refused("only one that waits or runs is paused"),
        JobAct::Resume if matches!(standing, JobStatus::Paused | JobStatus::Failed) => {
            (next.standing, next.reason) = (JobStatus::Queued, None);
        }
        JobAct::Resume if live.run.reason.is_some() && standing == JobStatus::Done => {
            // Its answers could not be brought in.
            (next.standing, next.reason) = (JobStatus::Queued, None);
        }
        JobAct::Resume => return refused("only one that is paused or failed is resumed"),
        JobAct::Cancel if !standing.over() => {
            (next.standing, next.reason) = (JobStatus::Cancelled, None)
        }
        JobAct::Cancel => return refused("it is over already"),
        JobAct::Retry if standing == JobStatus::Cancelled => return refused("begin another"),
        JobAct::Retry => {
            trust::check(shared, &trust::of_run(&next.new)?)?;
            if is_at_work {
                live.again = true;
            } else {
                let (_, whole) = runs::read(root, id, &mut |_| Ok(()))?;
                Journal::open(root, id, whole)?.append(&[Line::Retry { at: stamp(now()) }])?;
                next.counts.failed = 0;
            }
            if !standing.live() {
                (next.standing, next.reason) = (JobStatus::Queued, None);
            }
        }
        JobAct::Place(_) if standing.over() => return refused("it has no place any more"),
        JobAct::Place(place) => return place_at(shared, &mut inner, id, place),
        JobAct::Batch(Some(n)) if (1..=256).contains(&n) => {
            next.new
                .servers
                .iter_mut()
                .for_each(|server| server.concurrency = n);
        }
        JobAct::Batch(_) => {
            return Err(Error::new(ErrorKind::Usage, "1 to 256 requests in flight"));
        }
        JobAct::PerMinute(_) => {
            let what = "an evaluation has no limit a minute";
            return Err(Error::new(ErrorKind::Usage, what)
                .help("set how many requests are in flight instead"));
        }
        JobAct::Remove if is_at_work => {
            return refused("it is still ending, try again in a moment");
        }
        JobAct::Remove if standing.over() => {
            let guard = inventory::guard();
            runs::remove(root, id)?;
            // Else its files would count as lost.
            inventory::forget(&shared.project, &|path| {
                path.starts_with(&format!("runs/{id:04}."))
            })?;
            drop(guard);
            trust::end(shared, JobKind::Run, id);
            inner.runs.remove(&id);
            shared.broadcast.tell(Event::JobGone(id));
            return Ok(None);
        }
        JobAct::Remove => return refused("cancel it first"),
    }
    // Before it is live: whatever the file of the run says, it sends only what was agreed to.
    let is_begun = next.standing.live() && !standing.live();
    if is_begun {
        trust::check(shared, &trust::of_run(&next.new)?)?;
        let numbers = runs::numbers(root, &next)?;
        next.token = trust::begin(
            shared,
            JobKind::Run,
            id,
            trust::digest_of_run(&next, &numbers),
        );
    }
    runs::keep(root, &next)?;
    live.run = next;
    if is_begun {
        live.elsewhere = false;
    } else if standing.live() && !live.run.standing.live() {
        trust::end(shared, JobKind::Run, id);
    }
    live.look(shared);
    live.resumed();
    inner.tell(shared, id, true);
    wake(shared, &mut inner);
    Ok(inner.state_of(id))
}

/// Gives a run another place among the evaluations; the others keep their order.
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
            runs::keep(shared.project.root(), &live.run)?;
        }
    }
    order.iter().for_each(|id| inner.tell(shared, *id, true));
    wake(shared, inner);
    Ok(inner.state_of(id))
}

/// What a run set aside, from the `from`th on.
///
/// # Errors
/// [`ErrorKind::NotFound`], and when its journal cannot be read.
pub fn failures(shared: &OwnerContext, id: u32, from: u64) -> Result<Vec<JobFailure>> {
    if !shared.evaluations.has(id) {
        return Err(none(id));
    }
    let (progress, _) = runs::progress(shared.project.root(), id)?;
    let of = |(asked, (item, failure)): (Asked, (String, RunFailure))| {
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
        .take(FAILURES)
        .collect())
}
