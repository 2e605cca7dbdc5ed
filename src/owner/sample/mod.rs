//! The sample: adds a finished project of made-up work to an empty one, and removes it.
//!
//! Everything is written as real work is: an import, a round, journals, pictures of a job, scores,
//! and rules. Before the first file, a plan to empty the project is written
//! ([`benchtop_store::removal`]). It is withdrawn after the last one, so the next start removes a
//! sample that was not finished.
//!
//! | module | contents |
//! |---|---|
//! | `contents` | what the project holds, and whether all of it is the sample's |
//! | `drafts` | pictures of the composed items, and their job |
//! | `judged` | the round and its verdicts |
//! | `scored` | scores and rules |

mod contents;
mod drafts;
mod judged;
mod scored;

use std::path::Path;
use std::sync::Arc;

use crate::clock::now;
use crate::context::OwnerContext;
use crate::dispatch::{Task, TaskContext};
use crate::{jobs, priority};
use benchtop_compose::sample::MARK;
use benchtop_model::import::Report;
use benchtop_model::sample::RemovedSample;
use benchtop_model::{Error, Result, history};
use benchtop_pipeline::sample::{Extent, fill};
use benchtop_protocol::wire::request;
use benchtop_store::removal;

/// Time of everything in the sample: 2026-01-12 09:00 UTC, so that its files are the same in every
/// project.
const MADE_AT: i64 = 1_768_208_400_000;

impl Task for request::Sample {
    fn run(self, task: TaskContext<'_>) -> Result<Report> {
        let shared = task.shared;
        let _one_at_a_time = shared.importing.lock();
        if self.items_only {
            return import(shared, Extent::Items);
        }
        if !contents::is_empty(shared)? {
            let mut report = import(shared, Extent::Items)?;
            if report.items > 0 {
                report.notes.push(
                    "the project was not empty, so only the items of the sample were added; a new project can hold all of it"
                        .into(),
                );
            }
            return Ok(report);
        }
        let folder = begin(shared)?;
        let made = make(shared, &task);
        match &made {
            Ok(_) => removal::withdraw(&shared.project, &folder)?,
            // The next start removes what was written.
            Err(_) => restart(shared),
        }
        made
    }
}

fn make(shared: &Arc<OwnerContext>, task: &TaskContext<'_>) -> Result<Report> {
    let mut report = import(shared, Extent::Finished)?;
    let at = MADE_AT;
    drafts::make(shared, at, task.progress.cancel)?;
    judged::make(shared, at)?;
    scored::make(shared, task.progress.cancel)?;
    report.notes.push(format!(
        "models, annotators, and rules whose names begin with `{MARK}` do not exist; the program made up their work"
    ));
    report
        .notes
        .push("run `benchtop sample --remove` to take the project back to empty".into());
    Ok(report)
}

fn import(shared: &Arc<OwnerContext>, extent: Extent) -> Result<Report> {
    priority::lower_thread_priority();
    let at = match extent {
        Extent::Items => now(),
        Extent::Finished => MADE_AT,
    };
    let outcome = fill(
        &shared.project,
        shared.index.get()?,
        &shared.items.catalog(),
        (extent, &history::stamp(at)),
    )?;
    if let Some(catalog) = outcome.catalog {
        jobs::publish_catalog(shared, catalog)?;
    }
    Ok(outcome.report)
}

fn begin(shared: &OwnerContext) -> Result<std::path::PathBuf> {
    let date = &history::stamp(now())[..10];
    removal::begin(&shared.project, &format!("removed-sample-{date}"), MARK)
}

/// Ends the owner. The next one carries the plan out and opens an empty project.
fn restart(shared: &OwnerContext) {
    // Without `Event::Ending`, clients connect again by themselves.
    shared.stop.notify_one();
}

impl Task for request::RemoveSample {
    fn run(self, task: TaskContext<'_>) -> Result<RemovedSample> {
        let shared = task.shared;
        // No import begins from here on.
        let importing = shared.importing.lock();
        let contents = contents::all(shared)?;
        let Some(confirmed) = self.confirmed else {
            return Ok(RemovedSample {
                contents,
                folder: None,
            });
        };
        if *confirmed != contents {
            let what = "the project changed since the sample was counted";
            return Err(Error::conflict(what).help("count and confirm it again"));
        }
        shared.writable.may_write()?;
        let folder = begin(shared)?;
        std::mem::forget(importing);
        restart(shared);
        let root: &Path = shared.project.root();
        let folder = folder.strip_prefix(root).unwrap_or(&folder).to_path_buf();
        Ok(RemovedSample {
            contents,
            folder: Some(folder),
        })
    }
}
