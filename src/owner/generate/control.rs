//! Actions on generation jobs, and requests about them.

use std::sync::Arc;

use super::{Inner, JobRuntime, wake};
use crate::context::OwnerContext;
use crate::trust;
use benchtop_model::cancel::Cancel;
use benchtop_model::generated_image::GeneratedImage;
use benchtop_model::job::{JobAct, JobFailure, JobState, JobStatus};
use benchtop_model::{Error, ErrorKind, Result};
use benchtop_pipeline::generate::build;
use benchtop_pipeline::generate::remaining::Target;
use benchtop_protocol::wire::{Event, FAILURE_PAGE};
use benchtop_store::trust::JobKind;
use benchtop_store::{inventory, jobs};

/// Maximum number of requested pictures; older requests are dropped.
const WANTS: usize = 64;

fn unknown_job(id: u32) -> Error {
    Error::new(ErrorKind::NotFound, format!("unknown job {id}"))
        .help("run `benchtop jobs` to list the jobs")
}

/// Performs an action on a job. Returns its new state, or `None` if it was removed.
///
/// # Errors
/// [`ErrorKind::NotFound`]; [`ErrorKind::Conflict`] if the job's state does not allow the action;
/// I/O errors.
pub fn act(shared: &Arc<OwnerContext>, id: u32, act: JobAct) -> Result<Option<JobState>> {
    shared.writable.may_write()?;
    let (root, config) = (shared.project.root(), &*shared.config());
    let mut inner = shared.jobs.loaded()?;
    let live = inner.jobs.get(&id).ok_or_else(|| unknown_job(id))?;
    let (job, standing) = (&live.job, live.job.standing);
    let refused = |what: &str| {
        Err(Error::new(
            ErrorKind::Conflict,
            format!("job {id} is {}; {what}", standing.name()),
        ))
    };
    let (mut new, mut token) = (job.clone(), live.token.clone());
    let mut retries = false;
    match act {
        JobAct::Pause if standing.is_active() => {
            (new.standing, new.reason) = (JobStatus::Paused, None)
        }
        JobAct::Pause => return refused("only queued and running jobs can be paused"),
        JobAct::Resume if matches!(standing, JobStatus::Paused | JobStatus::Failed) => {
            (new.standing, new.reason) = (JobStatus::Queued, None);
        }
        JobAct::Resume => return refused("only paused and failed jobs can be resumed"),
        JobAct::Cancel if !standing.is_finished() => {
            (new.standing, new.reason) = (JobStatus::Cancelled, None)
        }
        JobAct::Cancel => return refused("it has already ended"),
        JobAct::Retry if standing == JobStatus::Cancelled => return refused("start a new one"),
        JobAct::Retry => {
            trust::check(shared, &trust::of_generation(config, &new.wishes)?)?;
            retries = true;
            if !standing.is_active() {
                (new.standing, new.reason) = (JobStatus::Queued, None);
            }
        }
        JobAct::Place(_) if standing.is_finished() => {
            return refused("it is no longer in the queue");
        }
        JobAct::Place(place) => return place_at(shared, &mut inner, id, place),
        JobAct::Batch(Some(0)) | JobAct::PerMinute(Some(0)) => {
            return Err(Error::new(ErrorKind::Usage, "the limit must be at least 1")
                .help("pause the job to stop it"));
        }
        JobAct::Batch(batch) => new.batch = batch,
        JobAct::PerMinute(per_minute) => new.per_minute = per_minute,
        JobAct::Remove if standing.is_finished() => {
            let guard = inventory::guard();
            jobs::remove(root, id)?;
            // Else its files would count as lost.
            let is_gone = |path: &str| path.starts_with(&format!("jobs/{id:04}."));
            inventory::remove_records(&shared.project, &is_gone)?;
            drop(guard);
            // A number that is not there any more has no notes.
            let _ = shared.index.get().and_then(|index| index.forget_flight(id));
            trust::end(shared, JobKind::Generation, id);
            inner.jobs.remove(&id);
            shared.broadcast.send(Event::JobRemoved(id));
            return Ok(None);
        }
        JobAct::Remove => return refused("cancel it first"),
    }
    // Check before it becomes active: whatever the store says, it sends only to servers with an
    // agreement.
    let (starts, stops) = (
        new.standing.is_active() && !standing.is_active(),
        !new.standing.is_active() && standing.is_active(),
    );
    if starts {
        trust::check(shared, &trust::of_generation(config, &new.wishes)?)?;
        let digest = trust::digest_of_generation(config, &new, &live.numbers());
        token = trust::begin(shared, JobKind::Generation, id, digest);
    } else if stops {
        trust::end(shared, JobKind::Generation, id);
    }
    if let Some(live) = inner.jobs.get_mut(&id) {
        if retries {
            live.failures.retry()?;
        }
        jobs::write_state(root, &new, token.as_deref())?;
        (live.job, live.token) = (new, token);
        live.elsewhere &= !starts;
        live.update_waits(shared);
        live.not_before = None;
        if retries {
            live.ended.clear();
            live.version += 1;
        }
    }
    inner.tell(shared, id, true);
    wake(shared, &mut inner);
    Ok(inner.jobs.get(&id).map(|live| inner.state(live)))
}

/// Moves a job to another position in the queue. The others keep their order.
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
    for (turn, id) in order.iter().enumerate() {
        if let Some(live) = inner
            .jobs
            .get_mut(id)
            .filter(|live| live.job.turn != turn as i64)
        {
            live.job.turn = turn as i64;
            live.keep(shared.project.root())?;
        }
    }
    order.iter().for_each(|id| inner.tell(shared, *id, true));
    wake(shared, inner);
    Ok(inner.jobs.get(&id).map(|live| inner.state(live)))
}

/// The failures of a job, starting with number `from`.
///
/// # Errors
/// [`ErrorKind::NotFound`].
pub fn failures(shared: &OwnerContext, id: u32, from: u64) -> Result<Vec<JobFailure>> {
    let inner = shared.jobs.loaded()?;
    let live = inner.jobs.get(&id).ok_or_else(|| unknown_job(id))?;
    Ok(live
        .failures()
        .into_iter()
        .skip(usize::try_from(from).unwrap_or(usize::MAX))
        .take(FAILURE_PAGE)
        .collect())
}

/// Requests that the picture of an item is made next. Returns the job that will make it, if there
/// is one.
///
/// # Errors
/// [`ErrorKind::NotFound`] for an unknown item; [`ErrorKind::Corrupt`] and [`ErrorKind::Cancelled`]
/// while reading items.
pub fn request_picture(
    shared: &Arc<OwnerContext>,
    number: u32,
    cancel: Cancel<'_>,
) -> Result<Option<u32>> {
    let row = row_of(shared, number)?;
    if !shared
        .jobs
        .loaded()?
        .jobs
        .values()
        .any(|j| j.job.standing.is_active())
    {
        return Ok(None);
    }
    let named = shared.jobs.requested_images(shared, cancel)?;
    let Some(at) = named.of_row(row) else {
        return Ok(None);
    };
    let mut inner = shared.jobs.loaded()?;
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
        .filter(|j| j.job.standing.is_active());
    let job = live.find(makes).map(|j| j.job.id);
    if job.is_some() {
        inner.wants.retain(|other| *other != row);
        inner.wants.push_front(row);
        inner.wants.truncate(WANTS);
        shared.jobs.wake.notify_all();
    }
    Ok(job)
}

/// All pictures made for an item, newest first.
///
/// # Errors
/// [`ErrorKind::NotFound`] for an unknown item; [`ErrorKind::Corrupt`].
pub fn pictures_of_item(shared: &OwnerContext, number: u32) -> Result<Vec<GeneratedImage>> {
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
    row.ok_or_else(|| Error::new(ErrorKind::NotFound, format!("unknown item #{number}")))
}
