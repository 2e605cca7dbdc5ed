//! Starts bootstrapping jobs, and counts what they would do.

use std::collections::BTreeMap;

use super::job::{BootstrapJob, Stored};
use super::work::BOOTSTRAP;
use super::{painter, roles};
use crate::context::OwnerContext;
use crate::dispatch::{Task, TaskContext};
use crate::visibility::AnnotatorView;
use crate::{queries, trust};
use benchtop_model::bootstrap::{BootstrapPlan, StartedBootstrap};
use benchtop_model::cancel::Cancel;
use benchtop_model::{Error, Filter, Result};
use benchtop_pipeline::bootstrap::planning::Planner;
use benchtop_pipeline::bootstrap::products::Products;
use benchtop_pipeline::bootstrap::requests::Prompts;
use benchtop_pipeline::compose;
use benchtop_pipeline::evaluate::orders;
use benchtop_protocol::wire::request;
use benchtop_store::jobs::StepSource;

/// Number of items between two checks for cancellation.
const STEP: usize = 1024;

impl Task for request::Bootstrap {
    const LISTED: bool = false;

    /// Starts a job on behalf of `by`, or previews it.
    ///
    /// # Errors
    /// [`Error::usage`] for wrong settings and roles without servers; [`Error::conflict`] if there is
    /// nothing to derive; [`Error::denied`] for servers without an agreement; [`Error::cancelled`];
    /// I/O errors.
    fn run(self, task: TaskContext<'_>) -> Result<StartedBootstrap> {
        let (shared, new, cancel) = (task.shared, &*self.0, task.progress.cancel);
        let budget = self.1;
        let plan = &new.plan;
        // What a person may not ask is refused before anything is said of the settings.
        let filter = Filter::parse(&plan.filter)?;
        let view = AnnotatorView::of(shared, task.who);
        view.check_filter(&filter)?;
        let products = Products::of(plan)?;
        let config = shared.config();
        painter::check(&config, &products)?;
        roles::check(&config, &products)?;
        let to = roles::destinations(&config, &products)?;
        if !new.dry {
            trust::check(shared, &to)?;
        }
        let prompts = prompts(shared, &products)?;
        let chosen: Vec<u32> = match filter.is_empty() {
            true => (1..=shared.items.catalog().len() as u32).collect(),
            false => queries::numbers(&view, &filter)?,
        };
        let (sources, mut started) = planned(shared, (plan, &products), &chosen, cancel)?;
        let painted = started.sources * painter::sent(&config, &products);
        started.requests.0 += painted;
        started.requests.1 += painted * u64::from(plan.tries);
        started.judges_itself = roles::judges_itself(&config, &products);
        let what = format!("{} items, with their pictures", started.sources);
        started.waits = trust::waits(shared, false, &to, (started.requests.1, what));
        if new.dry {
            return Ok(started);
        }
        if sources.is_empty() {
            return Err(nothing(&started));
        }
        let numbers: Vec<u32> = sources.iter().map(|source| source.number).collect();
        started.job = Some(
            shared
                .jobs
                .begin(shared, (&BOOTSTRAP, task.who), |header| {
                    header.budget = budget;
                    let spec = Stored {
                        plan: plan.clone(),
                        prompts: prompts
                            .iter()
                            .map(|(k, p)| (k.clone(), p.revision()))
                            .collect(),
                        of: started.items,
                        made: 0,
                        kept: 0,
                        failed: 0,
                        published: 0,
                        requests: started.requests.1,
                        again: false,
                    };
                    let job = BootstrapJob {
                        id: header.id,
                        spec,
                        products,
                        numbers: Some(numbers.clone()),
                        is_answered: false,
                    };
                    Ok((job, Some(numbers)))
                })?,
        );
        Ok(started)
    }
}

fn nothing(started: &StartedBootstrap) -> Error {
    let excluded = started.excluded.iter();
    let mut reasons: Vec<String> = excluded
        .map(|(why, count)| format!("{count} left out: {why}"))
        .collect();
    if reasons.is_empty() {
        reasons.push("use a filter that matches items".into());
    }
    Error::conflict("there are no items to derive").help(reasons.join("; "))
}

/// The prompts of the strategies by name.
///
/// # Errors
/// Files that cannot be used.
pub(super) fn prompts(
    shared: &OwnerContext,
    products: &Products,
) -> Result<BTreeMap<String, Prompts>> {
    let (metadata, _) = compose::metadata(Some(&shared.project))?;
    let strategies = products.all.iter().map(|product| product.applied.strategy);
    strategies
        .map(|s| Ok((s.name().to_string(), Prompts::of(&metadata, s)?)))
        .collect()
}

/// Plans the sources among items with these numbers.
///
/// # Errors
/// [`Error::cancelled`], and errors of reading.
pub(super) fn planned(
    shared: &OwnerContext,
    (plan, products): (&BootstrapPlan, &Products),
    numbers: &[u32],
    cancel: Cancel<'_>,
) -> Result<(Vec<StepSource>, StartedBootstrap)> {
    let catalog = shared.items.catalog();
    let find = |id: &str| {
        let row = catalog.row_of(id)?;
        row.map(|row| queries::item(shared, row + 1)).transpose()
    };
    let numbers = match plan.limit {
        None => numbers.to_vec(),
        // Drawn among the items that can be derived, so that the limit is met.
        Some(_) => {
            let all = BootstrapPlan {
                limit: None,
                ..plan.clone()
            };
            let (sources, _) = planned(shared, (&all, products), numbers, cancel)?;
            let fit: Vec<u32> = sources.iter().map(|source| source.number).collect();
            orders::sample(&fit, plan.limit, plan.seed)
        }
    };
    let mut planner = Planner::new(plan, products, &find);
    for (at, number) in numbers.iter().enumerate() {
        if at % STEP == 0 {
            cancel.check()?;
        }
        planner.see(*number, &queries::item(shared, *number)?)?;
    }
    Ok(planner.finish())
}
