//! Starts generation jobs.

use super::check::check;
use super::job::PROMPTS;
use super::{GenerationJob, step};
use crate::dispatch::{Task, TaskContext};
use crate::visibility::AnnotatorView;
use crate::{queries, trust};
use benchtop_model::job::{Plan, StartedJob};
use benchtop_model::{Error, Filter, Result};
use benchtop_pipeline::generate::build;
use benchtop_protocol::wire::request;
use benchtop_store::jobs::{FailureLog, Generation, GenerationFiles, Scope};

impl Task for request::Generate {
    const LISTED: bool = false;

    /// Starts a job on behalf of `by`, or previews it.
    ///
    /// # Errors
    /// [`Error::usage`] for invalid settings; [`Error::not_found`] for unknown items;
    /// [`Error::conflict`] if there is nothing to make; [`Error::denied`] for servers without
    /// an agreement; [`Error::cancelled`]; I/O errors.
    fn run(self, task: TaskContext<'_>) -> Result<StartedJob> {
        let (shared, new, cancel) = (task.shared, &self.0, task.progress.cancel);
        let budget = self.1;
        check(new)?;
        let config = &*shared.config();
        build::check(config, &new.overrides)?;
        let to = trust::of_generation(config, &new.overrides)?;
        if !new.dry {
            trust::check(shared, &to)?;
        }
        let (plan, numbers) = select_items(&AnnotatorView::of(shared, task.who), &new.plan)?;
        let named = shared.requested.images(shared, cancel)?;
        let scope = if numbers.is_some() {
            Scope::Items
        } else {
            Scope::Missing
        };
        let numbers = numbers.unwrap_or_default();
        let wishes = build::complete_overrides(config, &new.overrides);
        let spec = Generation {
            name: new.name.clone().unwrap_or_else(|| plan.clone()),
            scope,
            plan,
            samples: new.samples,
            seed: new.seed,
            wishes: wishes.clone(),
            settings: None,
            batch: new.batch,
            per_minute: new.per_minute,
            of: None,
        };
        let files = GenerationFiles {
            spec,
            numbers: numbers.clone(),
            failures: FailureLog::default(),
        };
        let mut job = GenerationJob::new(0, files);
        let (work, count) = {
            let scope = job.scope(build::drafts(&wishes));
            let work = scope.work(&named, &shared.items.pictures());
            let count = scope.count(&named, &work);
            (work.len() as u64, count)
        };
        let mut started = StartedJob {
            job: None,
            pictures: work,
            items: count.items,
            imported: count.imported,
            without: count.without,
            disagree: named.disagree(),
            generator: step::generator(config, &wishes),
            waits: trust::waits(shared, false, &to, (work, format!("{work} {PROMPTS}"))),
        };
        if new.dry {
            return Ok(started);
        }
        if work == 0 {
            let (imported, without) = (count.imported, count.without);
            return Err(Error::conflict("there are no pictures to make").help(format!(
                "{imported} items have imported pictures, {without} have no prompt; use --filter or --items to generate new pictures"
            )));
        }
        let root = shared.project.root();
        let made = shared
            .jobs
            .begin(shared, (&step::GENERATION, task.who), |header| {
                (job.id, header.budget) = (header.id, budget);
                job.failures = FailureLog::new(root, header.id);
                (job.spec.of, job.is_counted) = (Some(work), true);
                let list = (job.spec.scope == Scope::Items).then_some(numbers);
                Ok((job, list))
            })?;
        started.job = Some(made);
        Ok(started)
    }
}

/// The description of the plan, and the numbers of its items. They are selected at the start
/// because generation changes statuses.
fn select_items(view: &AnnotatorView, plan: &Plan) -> Result<(String, Option<Vec<u32>>)> {
    match plan {
        Plan::Missing => Ok(("missing".into(), None)),
        Plan::Filter(words) => {
            let filter = Filter::parse(words)?;
            let words = if filter.is_empty() {
                "all items".into()
            } else {
                filter.to_text()
            };
            Ok((words, Some(queries::numbers(view, &filter)?)))
        }
        Plan::Items(numbers) => {
            let catalog = view.items.catalog();
            numbers
                .iter()
                .try_for_each(|number| catalog.row(*number).map(drop))?;
            let word = if numbers.len() == 1 { "item" } else { "items" };
            Ok((format!("{} {word}", numbers.len()), Some(numbers.clone())))
        }
    }
}
