//! Starts generation jobs.

use std::sync::Arc;

use super::{JobRuntime, runner, wake};
use crate::clock::now;
use crate::context::OwnerContext;
use crate::visibility::AnnotatorView;
use crate::{queries, trust};
use benchtop_model::cancel::Cancel;
use benchtop_model::job::{JobStatus, MAX_SAMPLES, NewJob, Plan, StartedJob};
use benchtop_model::{Error, ErrorKind, Filter, Result};
use benchtop_pipeline::generate::build;
use benchtop_store::jobs::{self, FailureLog, Job, Scope, Stored};
use benchtop_store::trust::JobKind;

/// Starts a job on behalf of `by`, or previews it.
///
/// # Errors
/// [`ErrorKind::Usage`] for invalid settings; [`ErrorKind::NotFound`] for unknown items;
/// [`ErrorKind::Conflict`] if there is nothing to make; [`ErrorKind::Denied`] for servers without
/// an agreement; [`ErrorKind::Cancelled`]; I/O errors.
pub fn begin(
    shared: &Arc<OwnerContext>,
    by: &str,
    new: &NewJob,
    cancel: Cancel<'_>,
) -> Result<StartedJob> {
    check(new)?;
    let config = &*shared.config();
    build::check(config, &new.overrides)?;
    let to = trust::of_generation(config, &new.overrides)?;
    if !new.dry {
        trust::check(shared, &to)?;
    }
    let (plan, numbers) = select_items(&AnnotatorView::of(shared, by), &new.plan)?;
    let named = shared.jobs.requested_images(shared, cancel)?;
    let scope = if numbers.is_some() {
        Scope::Items
    } else {
        Scope::Missing
    };
    let numbers = numbers.unwrap_or_default();
    let wishes = build::complete_overrides(config, &new.overrides);
    let job = Job {
        id: 0,
        name: new.name.clone().unwrap_or_else(|| plan.clone()),
        by: by.into(),
        created: now(),
        scope,
        plan,
        samples: new.samples,
        seed: new.seed,
        wishes: wishes.clone(),
        settings: None,
        batch: new.batch,
        per_minute: new.per_minute,
        turn: 0,
        standing: JobStatus::Queued,
        reason: None,
        of: None,
    };
    let mut live = JobRuntime::new(Stored {
        job,
        token: None,
        numbers: numbers.clone(),
        failures: FailureLog::default(),
    });
    let (work, count) = {
        let scope = live.scope(build::drafts(&wishes));
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
        generator: runner::generator(config, &wishes),
        waits: trust::waits(shared, false, &to, (work, "prompts for pictures")),
    };
    if new.dry {
        return Ok(started);
    }
    if work == 0 {
        let (imported, without) = (count.imported, count.without);
        return Err(Error::new(ErrorKind::Conflict, "there are no pictures to make").help(format!(
            "{imported} items have imported pictures, {without} have no prompt; use --filter or --items to remake pictures"
        )));
    }
    shared.writable.may_write()?;
    let root = shared.project.root();
    let _one = shared.evaluations.numbering();
    // A number is not given twice, even where files of jobs were lost or cannot be read.
    let last = shared
        .jobs
        .last(shared)?
        .max(shared.evaluations.last(shared));
    let mut inner = shared.jobs.loaded()?;
    live.job.id = last + 1;
    live.job.turn = inner
        .jobs
        .values()
        .map(|j| j.job.turn + 1)
        .max()
        .unwrap_or_default();
    live.job.of = Some(work);
    let digest = trust::digest_of_generation(config, &live.job, &live.numbers());
    live.token = trust::begin(shared, JobKind::Generation, live.job.id, digest);
    let id = live.job.id;
    if let Err(problem) = jobs::create(root, &live.job, live.token.as_deref(), &numbers) {
        trust::end(shared, JobKind::Generation, id);
        return Err(problem);
    }
    live.failures = FailureLog::open(root, id)?;
    inner.jobs.insert(id, live);
    inner.tell(shared, id, true);
    wake(shared, &mut inner);
    started.job = inner.jobs.get(&id).map(|live| inner.state(live));
    Ok(started)
}

fn check(new: &NewJob) -> Result<()> {
    let wrong = |field: &str, what: &str| Err(Error::new(ErrorKind::Usage, what).field(field));
    if new.samples == 0 || new.samples > MAX_SAMPLES {
        return wrong(
            "samples",
            &format!("samples per picture must be 1 to {MAX_SAMPLES}"),
        );
    }
    if new.batch == Some(0) || new.per_minute == Some(0) {
        return wrong("batch", "batch and rate limit must be at least 1");
    }
    if new
        .name
        .as_deref()
        .is_some_and(|n| n.trim().is_empty() || n.chars().any(char::is_control))
    {
        return wrong("name", "a name must be one line and not empty");
    }
    if new
        .overrides
        .guidance
        .is_some_and(|g| !g.is_finite() || g < 0.0)
    {
        return wrong("guidance", "guidance must be a number of at least 0");
    }
    Ok(())
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
            let items = view.items.catalog().len();
            if let Some(number) = numbers.iter().find(|n| **n == 0 || **n as usize > items) {
                return Err(Error::new(
                    ErrorKind::NotFound,
                    format!("unknown item #{number}"),
                ));
            }
            let word = if numbers.len() == 1 { "item" } else { "items" };
            Ok((format!("{} {word}", numbers.len()), Some(numbers.clone())))
        }
    }
}
