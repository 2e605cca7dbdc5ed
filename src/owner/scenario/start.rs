//! Starts scenario jobs, and counts what they would do.

use rayon::prelude::*;

use super::job::{ScenarioJob, Stored};
use super::work::SCENARIO;
use crate::context::OwnerContext;
use crate::dispatch::{Task, TaskContext};
use crate::queries;
use crate::visibility::AnnotatorView;
use benchtop_compose::compiled_metadata::CompiledMetadata;
use benchtop_model::cancel::Cancel;
use benchtop_model::scenario::{ScenarioPlan, StartedScenario};
use benchtop_model::{Error, Filter, Result};
use benchtop_pipeline::compose;
use benchtop_pipeline::scenario::planning::{Planned, Planner};
use benchtop_pipeline::scenario::{self, making};
use benchtop_protocol::wire::request;
use benchtop_store::jobs::PlannedPicture;

/// Number of items between two checks for cancellation.
const STEP: usize = 1024;
/// Number of pictures that a preview makes to estimate the bytes of all.
const SAMPLES: usize = 6;

impl Task for request::Scenario {
    const LISTED: bool = false;

    /// Starts a job on behalf of `by`, or previews it.
    ///
    /// # Errors
    /// [`Error::usage`] for wrong settings; [`Error::conflict`] if there is nothing to derive;
    /// [`Error::cancelled`]; I/O errors.
    fn run(self, task: TaskContext<'_>) -> Result<StartedScenario> {
        let (shared, new, cancel) = (task.shared, &*self.0, task.progress.cancel);
        let plan = &new.plan;
        plan.check()?;
        let filter = Filter::parse(&plan.filter)?;
        let view = AnnotatorView::of(shared, task.who);
        view.check_filter(&filter)?;
        let chosen: Vec<u32> = match filter.is_empty() {
            true => (1..=shared.items.catalog().len() as u32).collect(),
            false => queries::numbers(&view, &filter)?,
        };
        let planned = planned(shared, plan, &chosen, cancel)?;
        let mut started = planned.counts;
        if new.dry {
            started.bytes = estimate(shared, plan, &planned.pictures)?;
            return Ok(started);
        }
        if started.pictures == 0 {
            return Err(nothing(&started));
        }
        scenario::of(plan)?.preview(plan, Some(&shared.config()))?;
        let numbers = planned.numbers;
        started.job = Some(shared.jobs.begin(shared, (&SCENARIO, task.who), |header| {
            let spec = Stored {
                plan: plan.clone(),
                of: started.pictures,
                made: 0,
                failed: 0,
                published: 0,
                again: false,
            };
            let job = ScenarioJob {
                id: header.id,
                spec,
            };
            Ok((job, Some(numbers)))
        })?);
        Ok(started)
    }
}

fn nothing(started: &StartedScenario) -> Error {
    let mut reasons: Vec<String> = started
        .excluded
        .iter()
        .map(|(why, count)| format!("{count} left out: {why}"))
        .collect();
    if started.already > 0 {
        reasons.insert(0, format!("{} derived already", started.already));
    }
    if reasons.is_empty() {
        reasons.push("use a filter that matches items".into());
    }
    Error::conflict("there are no items to derive").help(reasons.join("; "))
}

/// Plans the pictures of items with these numbers.
///
/// # Errors
/// Wrong settings, [`Error::cancelled`], and errors of reading.
pub(super) fn planned(
    shared: &OwnerContext,
    plan: &ScenarioPlan,
    numbers: &[u32],
    cancel: Cancel<'_>,
) -> Result<Planned> {
    let (metadata, _) = compose::metadata(Some(&shared.project))?;
    let (compiled, _) = CompiledMetadata::compile(&metadata);
    let catalog = shared.items.catalog();
    let find = |id: &str| {
        let row = catalog.row_of(id)?;
        row.map(|row| queries::item(shared, row + 1)).transpose()
    };
    let mut planner = Planner::new(plan, &compiled, &find)?;
    for (at, number) in numbers.iter().enumerate() {
        if at % STEP == 0 {
            cancel.check()?;
        }
        planner.see(*number, &queries::item(shared, *number)?)?;
    }
    Ok(planner.finish())
}

/// Estimates the bytes of all pictures from a few, spread over the plan.
fn estimate(
    shared: &OwnerContext,
    plan: &ScenarioPlan,
    pictures: &[PlannedPicture],
) -> Result<u64> {
    let painter = scenario::of(plan)?.preview(plan, Some(&shared.config()))?;
    let step = pictures.len().div_ceil(SAMPLES).max(1);
    let sample: Vec<&PlannedPicture> = pictures.iter().step_by(step).collect();
    // Pictures that cannot be made are reported by the job.
    let size = |planned: &&PlannedPicture| {
        let item = queries::item(shared, planned.items.first()?.0).ok()?;
        let made = making::bytes(&shared.project, &*painter, planned, &item, Cancel::NEVER);
        let made = made.ok()?;
        Some(made.0.len() as u64)
    };
    let sizes: Vec<u64> = sample.par_iter().filter_map(size).collect();
    let sum: u64 = sizes.iter().sum();
    Ok((sum * pictures.len() as u64)
        .checked_div(sizes.len() as u64)
        .unwrap_or(0))
}
