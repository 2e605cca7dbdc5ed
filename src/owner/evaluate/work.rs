//! Works on a run: asks its questions in batches, and stores each answer before reporting it.
//!
//! Guarantees in case of a crash: a question with a stored answer is never asked again and counts
//! once. Questions in flight are asked again; there are at most as many as requests in flight, plus
//! answers of the last moment that were not stored yet.

use std::sync::Arc;

use super::session::Session;
use crate::clock::now;
use crate::context::OwnerContext;
use crate::jobs::publish_catalog;
use crate::trust::{self, PictureAccess};
use benchtop_model::history::stamp;
use benchtop_model::{Error, ErrorKind, Result};
use benchtop_pipeline::evaluate::ask::Wordings;
use benchtop_pipeline::evaluate::publish_predictions;
use benchtop_store::runs::{self, Journal};

/// Works on a run: asks its questions, then publishes its answers.
///
/// # Errors
/// The reason that it cannot continue.
pub(super) fn turn(shared: &Arc<OwnerContext>, id: u32) -> Result<()> {
    let standing = shared
        .evaluations
        .inner()
        .runs
        .get(&id)
        .map(|live| live.run.standing);
    let Some(standing) = standing else {
        return Ok(());
    };
    if standing.is_active() {
        work(shared, id)?;
    }
    let is_over = shared
        .evaluations
        .inner()
        .runs
        .get(&id)
        .is_some_and(|live| live.is_to_be_adopted());
    if is_over {
        bring_in(shared, id)
    } else {
        Ok(())
    }
}

fn work(shared: &Arc<OwnerContext>, id: u32) -> Result<()> {
    let desk = &shared.evaluations;
    let Some(run) = desk.inner().runs.get(&id).map(|live| live.run.clone()) else {
        return Ok(());
    };
    let root = shared.project.root();
    let wordings = Wordings::of(&shared.project, &run.new.wording)?;
    if wordings.described() != run.instruction {
        return Err(Error::new(ErrorKind::Conflict, "the instruction has changed since the run started")
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
    let mut model = session.model()?;
    loop {
        session.begun(model.abilities().name.clone());
        let numbers = runs::numbers(root, &session.run)?;
        let mut left = numbers.into_iter().peekable();
        while left.peek().is_some() {
            if !session.goes_on()? {
                return Ok(());
            }
            if session.is_changed() {
                model = session.model()?;
            }
            session.some(&mut left, model.as_mut(), &wordings)?;
            if session.waits_for_servers() {
                return Ok(());
            }
        }
        if session.is_done()? {
            return Ok(());
        }
    }
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
fn bring_in(shared: &Arc<OwnerContext>, id: u32) -> Result<()> {
    let Some(run) = shared
        .evaluations
        .inner()
        .runs
        .get(&id)
        .map(|live| live.run.clone())
    else {
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
    let mut inner = shared.evaluations.inner();
    if let Some(live) = inner.runs.get_mut(&id) {
        let counts = &mut live.run.counts;
        (counts.predictions, counts.lacking) = (counts.done, counts.failed);
    }
    Ok(())
}
