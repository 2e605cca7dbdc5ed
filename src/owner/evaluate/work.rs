//! Works on a run: asks its questions in batches, and stores each answer before reporting it.
//!
//! Guarantees in case of a crash: a question with a stored answer is never asked again and counts
//! once. Questions in flight are asked again; there are at most as many as requests in flight, plus
//! answers of the last moment that were not stored yet.

use std::sync::Arc;

use super::run::{RunJob, load, numbers};
use super::session::Session;
use crate::clock::now;
use crate::context::OwnerContext;
use crate::engine::{Kind, Live, Slot, Step};
use crate::jobs::publish_catalog;
use crate::trust::{self, PictureAccess};
use benchtop_model::history::stamp;
use benchtop_model::job::JobStatus;
use benchtop_model::{Error, Result};
use benchtop_pipeline::evaluate::ask::Wordings;
use benchtop_pipeline::evaluate::publish_predictions;
use benchtop_protocol::wire::{Request, request};
use benchtop_store::jobs;
use benchtop_store::runs::{self, Journal};

/// The kind of evaluations.
pub static RUN: Kind<OwnerContext> = Kind {
    name: jobs::RUN,
    unit: "answer",
    access: request::Evaluate::ACCESS,
    load,
    step,
};

/// Asks the questions of a run until another job is first, then publishes the answers of an ended
/// run.
pub(super) fn step(shared: &Arc<OwnerContext>, id: u32, _: &mut Slot) -> Result<Step> {
    let standing = |live: &mut Live, _: &mut RunJob| live.header.standing;
    let standing = shared.jobs.with(id, standing);
    if standing.is_some_and(JobStatus::is_active) {
        return work(shared, id);
    }
    publish(shared, id).map(|()| Step::More)
}

fn work(shared: &Arc<OwnerContext>, id: u32) -> Result<Step> {
    let Some(run) = shared.jobs.with(id, |_, job: &mut RunJob| job.run.clone()) else {
        return Ok(Step::More);
    };
    let root = shared.project.root();
    let wordings = Wordings::of(&shared.project, &run.new.wording)?;
    if wordings.described() != run.instruction {
        return Err(Error::conflict("the instruction has changed since the run started")
            .help("restore its text, or cancel this run and start a new one; answers to different texts are different runs"));
    }
    let (progress, whole) = runs::progress(root, id)?;
    if let Some(notice) = damaged(&format!("runs/{id:04}.jsonl"), &progress.damaged) {
        shared.broadcast.notices().push(notice);
    }
    let journal = Journal::open(root, id, whole)?;
    let reach = PictureAccess::of(shared, &trust::of_run(&run.new)?);
    let mut session = Session {
        shared,
        root,
        run,
        progress,
        journal,
        reach,
        failing: Vec::new(),
        outage: None,
    };
    let again = |_: &mut Live, job: &mut RunJob| std::mem::take(&mut job.run.again);
    if shared.jobs.with(id, again) == Some(true)
        && let Err(problem) = session.retry()
    {
        let once_more = |_: &mut Live, job: &mut RunJob| job.run.again = true;
        shared.jobs.with(id, once_more);
        return Err(problem);
    }
    let mut model = session.model()?;
    session.begun(model.abilities().name.clone())?;
    let mut left = numbers(shared, &session.run)?.into_iter().peekable();
    while left.peek().is_some() {
        if !shared.jobs.goes_on(id) {
            return Ok(Step::More);
        }
        if session.is_changed() {
            model = session.model()?;
        }
        session.some(&mut left, model.as_mut(), &wordings)?;
        if let Some(reason) = session.outage.take() {
            return Ok(Step::Outage(reason));
        }
    }
    session.end().map(|()| Step::Done)
}

/// A notice about damaged lines of an answer file.
pub(super) fn damaged(file: &str, lines: &[u64]) -> Option<String> {
    let first = lines.first()?;
    let count = lines.len();
    Some(format!(
        "{file}:{first}: {count} damaged lines from here on; they are kept, and their questions are asked again"
    ))
}

/// Publishes the answers of an ended run as predictions of the project.
fn publish(shared: &Arc<OwnerContext>, id: u32) -> Result<()> {
    let Some(run) = shared.jobs.with(id, |_, job: &mut RunJob| job.run.clone()) else {
        return Ok(());
    };
    let _one_at_a_time = shared.importing.lock();
    let catalog = shared.items.catalog();
    let made = publish_predictions::segments(&shared.project, &catalog, &run)?;
    if !made.fresh.is_empty() {
        let index = shared.index.get()?;
        let taken =
            publish_predictions::publish(&shared.project, index, &catalog, made, &stamp(now()))?;
        publish_catalog(shared, taken)?;
    }
    shared.jobs.with(id, |_, job: &mut RunJob| {
        let counts = &mut job.run.counts;
        (counts.predictions, counts.lacking) = (counts.done, counts.failed);
    });
    shared.jobs.save(shared, id)
}
