//! What the project holds, and whether all of it is the sample's.

use std::collections::BTreeSet;

use crate::context::OwnerContext;
use benchtop_compose::sample::{MARK, scores};
use benchtop_files::disk;
use benchtop_model::sample::SampleContents;
use benchtop_model::verdict::Act;
use benchtop_model::{CommentAct, Error, Result};
use benchtop_pipeline::sample::is_of_sample;
use benchtop_store::history::History;
use benchtop_store::manifest::{Content, Manifest, Segment};
use benchtop_store::scores::{Scores, scorers};
use benchtop_store::{journal, rounds};

/// Whether nothing was added to the project yet.
pub(super) fn is_empty(shared: &OwnerContext) -> Result<bool> {
    let project = &shared.project;
    let manifest = Manifest::for_import(&project.imports())?;
    // Files that nothing lists may still be somebody's.
    let has_files = [project.imports(), project.images()]
        .iter()
        .any(|folder| !disk::list(folder).is_empty());
    Ok(manifest.entries.is_empty()
        && !has_files
        && shared.jobs.stored()?.is_empty()
        && journal::list(&project.sessions())?.is_empty()
        && rounds::lengths(project)?.is_empty()
        && scorers(&project.scores()).is_empty())
}

/// Counts the sample with the verdicts on it.
///
/// # Errors
/// [`ErrorKind::NotFound`](benchtop_model::ErrorKind::NotFound) without the sample;
/// [`ErrorKind::Conflict`](benchtop_model::ErrorKind::Conflict) if the project holds something else.
pub(super) fn all(shared: &OwnerContext) -> Result<SampleContents> {
    let project = &shared.project;
    let manifest = Manifest::for_import(&project.imports())?;
    let parts = || manifest.entries.iter().flat_map(|entry| &entry.parts);
    let mut found = SampleContents::default();
    for part in parts() {
        match &part.holds {
            _ if !is_of_sample(&part.holds) => return Err(other(&described(part))),
            Content::Items { .. } => found.items += part.rows,
            Content::Predictions { .. } => found.answers += part.rows,
            Content::Revisions { .. } => found.edits += part.rows,
        }
    }
    if found.items == 0 {
        let what = "the project does not hold the sample";
        return Err(Error::not_found(what).help("run `benchtop sample` to add it"));
    }
    for scorer in scorers(&project.scores()) {
        if let Some(held) = Scores::current(&project.scores(), &scorer)?
            && held.about.name != scores::MODEL
        {
            return Err(other(&format!("scores of `{}`", scorer.name())));
        }
    }
    for job in shared.jobs.stored()? {
        if !job.standing.is_finished() {
            let what = format!("job {} has not ended", job.id);
            let help = format!("run `benchtop jobs cancel {}`, then try again", job.id);
            return Err(Error::conflict(what).help(help));
        }
        if job.kind != crate::generate::GENERATION.name {
            return Err(other(&format!("job {} ({})", job.id, job.kind)));
        }
        match job.by.starts_with(MARK) {
            true => found.jobs += 1,
            false => found.own_jobs += 1,
        }
    }
    let (all_rounds, _) = rounds::read(project)?;
    let own = all_rounds.iter().filter(|r| !r.name.starts_with(MARK));
    found.rounds = own.count() as u64;
    let history = History::read(project)?;
    let mut unknown = BTreeSet::new();
    let catalog = shared.items.catalog();
    for decision in &history.decisions {
        if catalog.row_of(&decision.item)?.is_none() {
            unknown.insert(&decision.item);
        }
        match &decision.act {
            Act::Judge(_) if decision.who.starts_with(MARK) => found.made_up += 1,
            Act::Judge(_) => found.verdicts += 1,
            Act::Comment(CommentAct::Write { .. } | CommentAct::Import { .. }) => {
                found.comments += 1;
            }
            Act::Undo(_) | Act::Redo(_) | Act::Comment(_) => {}
        }
    }
    match unknown.first() {
        Some(item) => Err(other(&format!("a verdict on `{item}`, which is not here"))),
        None => Ok(found),
    }
}

/// The error for a project that holds something else.
fn other(what: &str) -> Error {
    Error::conflict(format!("the project holds more than the sample: {what}")).help(
        "run `benchtop init DIR` to create a project without the sample, and import your data there",
    )
}

fn described(part: &Segment) -> String {
    match &part.holds {
        Content::Items { dataset } => format!("items of data set `{dataset}`"),
        Content::Predictions { model, .. } => format!("answers of `{model}`"),
        Content::Revisions { .. } => "later texts of items".into(),
    }
}
