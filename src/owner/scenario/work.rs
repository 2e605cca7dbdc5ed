//! Works on a scenario job: makes its pictures on all cores, and records each after it is on disk.
//!
//! Guarantees in case of a crash: the plan is on disk before the first picture, so the job makes the
//! same pictures as without the crash. A picture in flight is made again, with the same bytes and so
//! the same file. Items are added once, in one import, when the job has ended.

use std::sync::Arc;

use rayon::prelude::*;

use super::job::{ScenarioJob, Stored, load};
use super::start::planned;
use crate::clock::now;
use crate::context::OwnerContext;
use crate::engine::{Kind, Live, Slot, Step};
use crate::jobs::publish_catalog;
use crate::queries;
use benchtop_model::cancel::Cancel;
use benchtop_model::generation::{Failure, FailureKind};
use benchtop_model::history::stamp;
use benchtop_model::{Error, Item, Result};
use benchtop_pipeline::scenario::making::{MakeError, changed, make};
use benchtop_pipeline::scenario::publish::{MadePictures, publish};
use benchtop_pipeline::scenario::{self, Painter, Scenario};
use benchtop_protocol::wire::{Request, request};
use benchtop_store::jobs::{self, DerivedPictures, MadePicture, PlannedPicture};

/// The kind of jobs that make scenarios.
pub static SCENARIO: Kind<OwnerContext> = Kind {
    name: jobs::SCENARIO,
    unit: "picture",
    access: request::Scenario::ACCESS,
    load: |shared, stored| load(shared, stored),
    step,
};

/// What became of a picture.
type Made = std::result::Result<MadePicture, Failure>;

/// Makes pictures until another job is first. After the last one, and of a canceled job, adds the
/// items.
fn step(shared: &Arc<OwnerContext>, id: u32, slot: &mut Slot) -> Result<Step> {
    let state = |live: &mut Live, job: &mut ScenarioJob| {
        (job.spec.clone(), live.header.standing.is_active())
    };
    let Some((spec, is_active)) = shared.jobs.with(id, state) else {
        return Ok(Step::More);
    };
    let progress = opened(shared, id)?;
    match is_active {
        true => work(shared, (id, &spec), progress, slot),
        // A canceled job keeps what it has made.
        false => enter(shared, (id, &spec), progress).map(|()| Step::More),
    }
}

fn opened(shared: &OwnerContext, id: u32) -> Result<DerivedPictures> {
    let progress = DerivedPictures::open(shared.project.root(), id)?;
    if let Some(first) = progress.damaged.first() {
        let count = progress.damaged.len();
        shared.broadcast.notices().push(format!(
            "jobs/{id:04}.jsonl:{first}: {count} damaged lines from here on; they are kept, and their pictures are made again"
        ));
    }
    Ok(progress)
}

/// What makes the pictures of a job, kept between its steps.
struct Kept {
    id: u32,
    painter: Arc<dyn Painter>,
}

fn painter(
    shared: &OwnerContext,
    (id, spec): (u32, &Stored),
    slot: &mut Slot,
) -> Result<Arc<dyn Painter>> {
    let kept = slot.as_ref().and_then(|kept| kept.downcast_ref::<Kept>());
    if let Some(kept) = kept.filter(|kept| kept.id == id) {
        return Ok(kept.painter.clone());
    }
    // The memory of another one is free before the new one is loaded.
    *slot = None;
    let made = scenario::of(&spec.plan)?.painter(&spec.plan, Some(&shared.config()))?;
    let painter: Arc<dyn Painter> = made.into();
    let kept = Kept {
        id,
        painter: painter.clone(),
    };
    *slot = Some(Box::new(kept));
    Ok(painter)
}

fn work(
    shared: &Arc<OwnerContext>,
    (id, spec): (u32, &Stored),
    mut progress: DerivedPictures,
    slot: &mut Slot,
) -> Result<Step> {
    if spec.again {
        progress.retry()?;
        shared
            .jobs
            .with(id, |_, job: &mut ScenarioJob| job.spec.again = false);
    }
    if progress.planned.is_none() {
        let root = shared.project.root();
        let numbers = jobs::numbers(root, jobs::SCENARIO, id)?
            .ok_or_else(|| Error::corrupt("the list of items of the job is lost"))?;
        let stops = || !shared.jobs.goes_on(id);
        let planned = planned(shared, &spec.plan, &numbers, Cancel::when(&stops))?;
        progress.plan(planned.pictures)?;
    }
    counted(shared, id, &progress, 0);
    let (kind, painter) = (
        scenario::of(&spec.plan)?,
        painter(shared, (id, spec), slot)?,
    );
    for batch in progress.left().chunks(painter.batch().max(1)) {
        if !shared.jobs.goes_on(id) {
            return Ok(Step::More);
        }
        let planned = progress.planned.as_deref().unwrap_or_default();
        // After a pause, no picture is begun, and one of several steps is left between two.
        let stops = || !shared.jobs.goes_on(id);
        let cancel = Cancel::when(&stops);
        let one = |n: &usize| {
            let planned = planned.get(*n).filter(|_| !stops())?;
            let made = one(shared, (kind, &*painter), planned, cancel).transpose()?;
            Some(made.map(|made| (*n, made)))
        };
        let results: Vec<Result<(usize, Made)>> = batch.par_iter().filter_map(one).collect();
        let (mut made, mut trouble) = (Vec::new(), None);
        for result in results {
            match result {
                Ok(one) => made.push(one),
                Err(problem) => trouble = trouble.or(Some(problem)),
            }
        }
        let good = made.iter().filter(|(_, made)| made.is_ok()).count() as u64;
        progress.record(made)?;
        counted(shared, id, &progress, good);
        if let Some(problem) = trouble {
            return Err(problem);
        }
    }
    if !progress.left().is_empty() {
        return Ok(Step::More);
    }
    // Whoever hears that the job is done finds its items.
    enter(shared, (id, spec), progress).map(|()| Step::Done)
}

/// Makes one picture, or none if it was canceled. What is wrong with it is a failure; what is wrong
/// with the disk is an error.
fn one(
    shared: &OwnerContext,
    of: (&dyn Scenario, &dyn Painter),
    planned: &PlannedPicture,
    cancel: Cancel<'_>,
) -> Result<Option<Made>> {
    let read = planned.items.iter();
    let items = read.map(|(number, _)| queries::item(shared, *number));
    let items: Vec<Item> = items.collect::<Result<_>>()?;
    match make(&shared.project, of, planned, &items, cancel) {
        Ok(made) => Ok(Some(Ok(made))),
        Err(MakeError::Failed(failure)) => Ok(Some(Err(failure))),
        Err(MakeError::Canceled) => Ok(None),
        Err(MakeError::Fatal(problem)) => Err(problem),
    }
}

/// Announces the counts, with so many pictures more.
fn counted(shared: &OwnerContext, id: u32, progress: &DerivedPictures, more: u64) {
    shared
        .jobs
        .update(shared, id, |live, job: &mut ScenarioJob| {
            job.count(progress);
            if more > 0 {
                live.progressed(more);
            }
        });
}

/// Adds the items of a job to the project.
fn enter(
    shared: &Arc<OwnerContext>,
    (id, spec): (u32, &Stored),
    mut progress: DerivedPictures,
) -> Result<()> {
    let _one_at_a_time = shared.importing.lock();
    let catalog = shared.items.catalog();
    let pictures = MadePictures {
        plan: &spec.plan,
        scenario: scenario::of(&spec.plan)?,
        planned: progress.planned.as_deref().unwrap_or_default(),
        made: &progress.made,
    };
    let ends = || shared.jobs.is_ending();
    let published = publish(
        &shared.project,
        shared.index.get()?,
        &catalog,
        &pictures,
        (&stamp(now()), Cancel::when(&ends)),
        &|number| queries::item(shared, number),
    )?;
    if let Some(catalog) = published.catalog {
        publish_catalog(shared, catalog)?;
    }
    shared.broadcast.notices().extend(published.notice);
    let lost = |n| {
        let failure = Failure::new(FailureKind::Input, changed().to_string());
        (n, Err(failure))
    };
    let lost: Vec<(usize, Made)> = published.changed.into_iter().map(lost).collect();
    if !lost.is_empty() {
        progress.record(lost)?;
    }
    shared.jobs.with(id, |_, job: &mut ScenarioJob| {
        job.count(&progress);
        job.spec.published = job.spec.made;
    });
    shared.jobs.save(shared, id)
}
