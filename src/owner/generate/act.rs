//! What is done to jobs, and asked of them.

use std::sync::Arc;

use super::{Inner, JobRuntime, wake};
use crate::context::OwnerContext;
use crate::trust;
use benchtop_model::generated_image::GeneratedImage;
use benchtop_model::job::{JobAct, JobFailure, JobState, JobStatus};
use benchtop_model::{Error, ErrorKind, Result};
use benchtop_pipeline::generate::build;
use benchtop_pipeline::generate::work::Target;
use benchtop_protocol::wire::{Event, FAILURES};
use benchtop_store::trust::JobKind;

/// Pictures that somebody waits for: more are the past.
const WANTS: usize = 64;

fn none(id: u32) -> Error {
    Error::new(ErrorKind::NotFound, format!("there is no job {id}"))
        .help("`benchtop jobs` lists them")
}

/// Does something to a job. Gives how it is then; nothing when it is gone.
///
/// # Errors
/// [`ErrorKind::NotFound`], [`ErrorKind::Conflict`] where it cannot be done to such a job, and the operating system's.
pub fn act(shared: &Arc<OwnerContext>, id: u32, act: JobAct) -> Result<Option<JobState>> {
    let (index, config) = (shared.index.get()?, &*shared.config());
    let mut inner = shared.desk.loaded()?;
    let live = inner.jobs.get(&id).ok_or_else(|| none(id))?;
    let (job, standing) = (&live.job, live.job.standing);
    let refused = |what: &str| {
        Err(Error::new(
            ErrorKind::Conflict,
            format!("job {id} is {}: {what}", standing.name()),
        ))
    };
    let mut new = job.clone();
    let mut again = false;
    match act {
        JobAct::Pause if standing.live() => (new.standing, new.reason) = (JobStatus::Paused, None),
        JobAct::Pause => return refused("only one that waits or runs is paused"),
        JobAct::Resume if matches!(standing, JobStatus::Paused | JobStatus::Failed) => {
            (new.standing, new.reason) = (JobStatus::Queued, None);
        }
        JobAct::Resume => return refused("only one that is paused or failed is resumed"),
        JobAct::Cancel if !standing.over() => {
            (new.standing, new.reason) = (JobStatus::Cancelled, None)
        }
        JobAct::Cancel => return refused("it is over already"),
        JobAct::Retry if standing == JobStatus::Cancelled => return refused("begin another"),
        JobAct::Retry => {
            trust::check(shared, &trust::of_generation(config, &new.wishes)?)?;
            index.forget_failed(id)?;
            again = true;
            if !standing.live() {
                (new.standing, new.reason) = (JobStatus::Queued, None);
            }
        }
        JobAct::Place(_) if standing.over() => return refused("it has no place any more"),
        JobAct::Place(place) => return place_at(shared, &mut inner, id, place),
        JobAct::Batch(Some(0)) | JobAct::PerMinute(Some(0)) => {
            return Err(
                Error::new(ErrorKind::Usage, "at least 1").help("pause the job to make none")
            );
        }
        JobAct::Batch(batch) => new.batch = batch,
        JobAct::PerMinute(per_minute) => new.per_minute = per_minute,
        JobAct::Remove if standing.over() => {
            index.forget_job(id)?;
            trust::end(shared, JobKind::Generation, id);
            inner.jobs.remove(&id);
            shared.broadcast.tell(Event::JobGone(id));
            return Ok(None);
        }
        JobAct::Remove => return refused("cancel it first"),
    }
    // Before it is live: whatever the store says, it sends only what was agreed to.
    let (is_begun, is_ended) = (
        new.standing.live() && !standing.live(),
        !new.standing.live() && standing.live(),
    );
    if is_begun {
        trust::check(shared, &trust::of_generation(config, &new.wishes)?)?;
        let digest = trust::digest_of_generation(config, &new, &live.numbers());
        let token = trust::begin(shared, JobKind::Generation, id, digest);
        index.keep_job_token(id, token.as_deref())?;
    } else if is_ended {
        trust::end(shared, JobKind::Generation, id);
    }
    index.keep_job(&new)?;
    if let Some(live) = inner.jobs.get_mut(&id) {
        live.job = new;
        live.elsewhere &= !is_begun;
        live.look(shared);
        live.not_before = None;
        if again {
            live.failed.clear();
            live.ended.clear();
            live.version += 1;
        }
    }
    inner.tell(shared, id, true);
    wake(shared, &mut inner);
    Ok(inner.jobs.get(&id).map(|live| inner.state(live)))
}

/// Gives a job another place; the others keep their order.
fn place_at(
    shared: &Arc<OwnerContext>,
    inner: &mut Inner,
    id: u32,
    place: u32,
) -> Result<Option<JobState>> {
    let mut order = inner.order();
    order.retain(|other| *other != id);
    let at = (place.max(1) as usize - 1).min(order.len());
    order.insert(at, id);
    let index = shared.index.get()?;
    for (turn, id) in order.iter().enumerate() {
        if let Some(live) = inner
            .jobs
            .get_mut(id)
            .filter(|live| live.job.turn != turn as i64)
        {
            live.job.turn = turn as i64;
            index.keep_job(&live.job)?;
        }
    }
    order.iter().for_each(|id| inner.tell(shared, *id, true));
    wake(shared, inner);
    Ok(inner.jobs.get(&id).map(|live| inner.state(live)))
}

/// What a job set aside, from the `from`th on.
///
/// # Errors
/// [`ErrorKind::NotFound`].
pub fn failures(shared: &OwnerContext, id: u32, from: u64) -> Result<Vec<JobFailure>> {
    let inner = shared.desk.loaded()?;
    let live = inner.jobs.get(&id).ok_or_else(|| none(id))?;
    Ok(live
        .failures()
        .into_iter()
        .skip(usize::try_from(from).unwrap_or(usize::MAX))
        .take(FAILURES)
        .collect())
}

/// Somebody waits for the picture of an item: it is made next, where a job is to make it. Gives that job.
///
/// # Errors
/// [`ErrorKind::NotFound`] for an item that is not there; [`ErrorKind::Corrupt`] and [`ErrorKind::Cancelled`] while items are read.
pub fn want(
    shared: &Arc<OwnerContext>,
    number: u32,
    wanted: &dyn Fn() -> bool,
) -> Result<Option<u32>> {
    let row = row_of(shared, number)?;
    if !shared
        .desk
        .loaded()?
        .jobs
        .values()
        .any(|j| j.job.standing.live())
    {
        return Ok(None);
    }
    let named = shared.desk.named(shared, wanted)?;
    let Some(at) = named.of_row(row) else {
        return Ok(None);
    };
    let mut inner = shared.desk.loaded()?;
    let order = inner.order();
    let target = Target {
        picture: at,
        sample: 1,
    };
    let makes = |live: &&JobRuntime| {
        let scope = live.scope(build::drafts(&live.job.wishes));
        scope.covers(&named, at) && !scope.is_made(&named, &shared.items.pictures(), target)
    };
    let mut live = order
        .iter()
        .filter_map(|id| inner.jobs.get(id))
        .filter(|j| j.job.standing.live());
    let job = live.find(makes).map(|j| j.job.id);
    if job.is_some() {
        inner.wants.retain(|other| *other != row);
        inner.wants.push_front(row);
        inner.wants.truncate(WANTS);
        shared.desk.wake.notify_all();
    }
    Ok(job)
}

/// Every picture that was made for an item, newest first.
///
/// # Errors
/// [`ErrorKind::NotFound`] for an item that is not there, and [`ErrorKind::Corrupt`].
pub fn made(shared: &OwnerContext, number: u32) -> Result<Vec<GeneratedImage>> {
    let item = shared
        .items
        .catalog()
        .item(row_of(shared, number)? as usize)?;
    let Some(image) = item.images.first() else {
        return Ok(Vec::new());
    };
    let key = benchtop_model::generated_image::picture_key(&item.dataset, &image.name);
    let pictures = shared.items.pictures();
    pictures
        .samples(key)
        .map(|entry| pictures.line(entry))
        .collect()
}

fn row_of(shared: &OwnerContext, number: u32) -> Result<u32> {
    let row = number
        .checked_sub(1)
        .filter(|row| (*row as usize) < shared.items.catalog().len());
    row.ok_or_else(|| Error::new(ErrorKind::NotFound, format!("there is no item #{number}")))
}
