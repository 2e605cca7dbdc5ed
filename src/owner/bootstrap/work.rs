//! Works on a bootstrapping job: asks models, and adds the items when it has ended.
//!
//! Guarantees in case of a crash: the plan is on disk before the first request. An answer that is on
//! disk is never asked for again; requests in flight, and answers of the last moment, are. Items are
//! added once, in one import, when the job has ended.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use parking_lot::Mutex;

use super::job::{BootstrapJob, Stored, load};
use super::painter::{self, Painter};
use super::recent_pictures::RecentPictures;
use super::roles::{self, Models};
use super::session::Session;
use super::start::{planned, prompts};
use crate::clock::now;
use crate::context::OwnerContext;
use crate::engine::{Kind, Live, Slot, Step};
use crate::jobs::publish_catalog;
use crate::queries;
use crate::trust::{self, PictureAccess};
use benchtop_model::cancel::Cancel;
use benchtop_model::generation::{Failure, FailureKind};
use benchtop_model::history::stamp;
use benchtop_model::{Error, Result};
use benchtop_pipeline::bootstrap::products::Products;
use benchtop_pipeline::bootstrap::progress::Progress;
use benchtop_pipeline::bootstrap::publish::{MadeVariants, publish};
use benchtop_pipeline::scenario::making::changed;
use benchtop_protocol::wire::{Request, request};
use benchtop_store::jobs::{self, Done, StepJournal, StepLine, StepSource};

/// The kind of jobs that bootstrap questions.
pub static BOOTSTRAP: Kind<OwnerContext> = Kind {
    name: jobs::BOOTSTRAP,
    unit: "item",
    access: request::Bootstrap::ACCESS,
    load: |_, stored| load(stored),
    step,
};

/// Works until another job is first. After the last step, and of a canceled job, adds the items.
fn step(shared: &Arc<OwnerContext>, id: u32, slot: &mut Slot) -> Result<Step> {
    let state = |live: &mut Live, job: &mut BootstrapJob| {
        let is_active = live.header.standing.is_active();
        (job.spec.clone(), job.products.clone(), is_active)
    };
    let Some((spec, products, is_active)) = shared.jobs.with(id, state) else {
        return Ok(Step::More);
    };
    let mut progress = Progress::new(products.clone(), spec.plan.tries);
    let root = shared.project.root();
    let (journal, damaged) = StepJournal::open(root, id, &mut |line| progress.take(line))?;
    let journal = Arc::new(Mutex::new(journal));
    if let Some(first) = damaged.first() {
        let count = damaged.len();
        shared.broadcast.notices().push(format!(
            "jobs/{id:04}.jsonl:{first}: {count} damaged lines from here on; they are kept, and their steps are done again"
        ));
    }
    if progress.is_damaged() {
        let help = "cancel the job and start it again; what it has made is kept";
        return Err(Error::corrupt("a part of the plan is lost").help(help));
    }
    if !is_active {
        // A canceled job keeps what it has made.
        return enter(shared, (id, &spec), (progress, &journal)).map(|()| Step::More);
    }
    if spec.again {
        take(&journal, &mut progress, vec![StepLine::Retry])?;
        let done = |_: &mut Live, job: &mut BootstrapJob| job.spec.again = false;
        shared.jobs.with(id, done);
    }
    if !progress.is_planned() {
        let sources = sources(shared, (id, &spec), &products)?;
        let count = sources.len();
        let each = sources.into_iter().enumerate();
        let lines = std::iter::once(StepLine::Plan)
            .chain(each.map(|(n, source)| StepLine::Source { n, source }))
            .chain([StepLine::Planned { sources: count }]);
        take(&journal, &mut progress, lines.collect())?;
    }
    // Two models may not fit on one device.
    *slot = None;
    let config = trust::current_project(shared)?.config().clone();
    painter::check(&config, &products)?;
    roles::check(&config, &products)?;
    let to = roles::destinations(&config, &products)?;
    trust::check(shared, &to)?;
    let prompts = prompts(shared, &products)?;
    let revisions: BTreeMap<String, String> = prompts
        .iter()
        .map(|(name, p)| (name.clone(), p.revision()))
        .collect();
    if let Some((name, _)) = revisions
        .iter()
        .find(|(name, r)| spec.prompts.get(*name) != Some(r))
    {
        let what = format!("a prompt of {name} has changed since the job started");
        return Err(Error::conflict(what).help(
            "restore its text, or cancel this job and start a new one; answers to different texts are not mixed",
        ));
    }
    let models = Models::new(shared, (id, &config), &products)?;
    let mut session = Session {
        shared,
        id,
        spec: spec.clone(),
        progress,
        journal,
        prompts,
        models,
        painter: Painter::new(&config),
        reach: PictureAccess::of(shared, &to),
        to,
        pictures: RecentPictures::new(),
        items: HashMap::new(),
    };
    session.counted();
    let step = session.run()?;
    session.counted();
    if step != Step::Done {
        return Ok(step);
    }
    // Whoever hears that the job is done finds its items.
    let made = (session.progress, &*session.journal);
    enter(shared, (id, &spec), made).map(|()| Step::Done)
}

/// Records lines, and takes them over.
fn take(journal: &Mutex<StepJournal>, progress: &mut Progress, lines: Vec<StepLine>) -> Result<()> {
    journal.lock().append(&lines)?;
    lines.into_iter().for_each(|line| progress.take(line));
    Ok(())
}

fn sources(
    shared: &OwnerContext,
    (id, spec): (u32, &Stored),
    products: &Products,
) -> Result<Vec<StepSource>> {
    let root = shared.project.root();
    let numbers = jobs::numbers(root, jobs::BOOTSTRAP, id)?
        .ok_or_else(|| Error::corrupt("the list of items of the job is lost"))?;
    let stops = || !shared.jobs.goes_on(id);
    Ok(planned(
        shared,
        (&spec.plan, products),
        &numbers,
        Cancel::when(&stops),
    )?
    .0)
}

/// Adds the items of a job to the project.
fn enter(
    shared: &Arc<OwnerContext>,
    (id, spec): (u32, &Stored),
    (mut progress, journal): (Progress, &Mutex<StepJournal>),
) -> Result<()> {
    let _one_at_a_time = shared.importing.lock();
    let catalog = shared.items.catalog();
    let made = MadeVariants {
        job: id,
        plan: &spec.plan,
        progress: &progress,
    };
    let ends = || shared.jobs.is_ending();
    let published = publish(
        &shared.project,
        shared.index.get()?,
        &catalog,
        &made,
        (&stamp(now()), Cancel::when(&ends)),
        &|number| queries::item(shared, number),
    )?;
    if let Some(catalog) = published.catalog {
        publish_catalog(shared, catalog)?;
    }
    shared.broadcast.notices().extend(published.notice);
    let first = progress.products.all.first().map(|p| p.key.clone());
    let lost = published.changed.iter().filter_map(|n| {
        Some(StepLine::Done {
            n: *n,
            product: first.clone()?,
            done: Done::Failed(Failure::new(FailureKind::Input, changed().to_string())),
        })
    });
    let lost: Vec<StepLine> = lost.collect();
    take(journal, &mut progress, lost)?;
    shared.jobs.with(id, |_, job: &mut BootstrapJob| {
        job.count(&progress);
        job.spec.published = job.spec.made;
    });
    shared.jobs.save(shared, id)
}
