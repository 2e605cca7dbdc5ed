//! Beginning a job.

use std::sync::Arc;

use super::{JobRuntime, runner, wake};
use crate::clock::now;
use crate::context::OwnerContext;
use crate::visibility::AnnotatorView;
use crate::{answers, trust};
use benchtop_model::job::{Begun, JobStatus, MOST_SAMPLES, NewJob, Plan};
use benchtop_model::{Error, ErrorKind, Filter, Result};
use benchtop_pipeline::generate::build;
use benchtop_store::jobs::{Job, Scope};
use benchtop_store::trust::JobKind;

/// Begins a job in the name of `by`, or says what it would make; `wanted` says whether to go on.
///
/// # Errors
/// [`ErrorKind::Usage`] for wishes that mean nothing, [`ErrorKind::NotFound`] for items that are not there, [`ErrorKind::Conflict`] when
/// there is nothing to make, [`ErrorKind::Cancelled`], and the operating system's.
pub fn begin(
    shared: &Arc<OwnerContext>,
    by: &str,
    new: &NewJob,
    wanted: &dyn Fn() -> bool,
) -> Result<Begun> {
    check(new)?;
    let config = &*shared.config();
    build::check(config, &new.wishes)?;
    let to = trust::of_generation(config, &new.wishes)?;
    if !new.dry {
        trust::check(shared, &to)?;
    }
    let (plan, numbers) = chosen(&AnnotatorView::of(shared, by), &new.plan)?;
    let named = shared.desk.named(shared, wanted)?;
    let scope = if numbers.is_some() {
        Scope::Items
    } else {
        Scope::Missing
    };
    let numbers = numbers.unwrap_or_default();
    let wishes = build::full(config, &new.wishes);
    let mut live = JobRuntime::new(
        Job {
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
        },
        numbers.clone(),
    );
    let (work, count) = {
        let scope = live.scope(build::drafts(&wishes));
        let work = scope.work(&named, &shared.items.pictures());
        let count = scope.count(&named, &work);
        (work.len() as u64, count)
    };
    let mut begun = Begun {
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
        return Ok(begun);
    }
    if work == 0 {
        let (imported, without) = (count.imported, count.without);
        return Err(Error::new(ErrorKind::Conflict, "there is no picture to make").help(format!(
            "{imported} items came with theirs, {without} have no prompt; --filter or --items make pictures again"
        )));
    }
    let index = shared.index.get()?;
    let _one = shared.evaluations.numbering();
    let evaluations = shared.evaluations.last();
    let mut inner = shared.desk.loaded()?;
    // A number is not given twice, even where the store with the jobs was lost.
    let last = inner
        .jobs
        .keys()
        .max()
        .copied()
        .unwrap_or_default()
        .max(shared.items.pictures().last_job());
    live.job.id = last.max(evaluations) + 1;
    live.job.turn = inner
        .jobs
        .values()
        .map(|j| j.job.turn + 1)
        .max()
        .unwrap_or_default();
    live.job.of = Some(work);
    index.keep_job_items(live.job.id, &numbers)?;
    let digest = trust::digest_of_generation(config, &live.job, &live.numbers());
    let token = trust::begin(shared, JobKind::Generation, live.job.id, digest);
    index.keep_job_token(live.job.id, token.as_deref())?;
    index.keep_job(&live.job)?;
    let id = live.job.id;
    inner.jobs.insert(id, live);
    inner.tell(shared, id, true);
    wake(shared, &mut inner);
    begun.job = inner.jobs.get(&id).map(|live| inner.state(live));
    Ok(begun)
}

fn check(new: &NewJob) -> Result<()> {
    let wrong = |field: &str, what: &str| Err(Error::new(ErrorKind::Usage, what).field(field));
    if new.samples == 0 || new.samples > MOST_SAMPLES {
        return wrong(
            "samples",
            &format!("1 to {MOST_SAMPLES} samples of a picture"),
        );
    }
    if new.batch == Some(0) || new.per_minute == Some(0) {
        return wrong("batch", "at least 1");
    }
    if new
        .name
        .as_deref()
        .is_some_and(|n| n.trim().is_empty() || n.chars().any(char::is_control))
    {
        return wrong("name", "a name is one line and not empty");
    }
    if new
        .wishes
        .guidance
        .is_some_and(|g| !g.is_finite() || g < 0.0)
    {
        return wrong("guidance", "a number from 0");
    }
    Ok(())
}

/// The plan in words, and the numbers of its items: they are chosen now, since making pictures changes statuses.
fn chosen(sight: &AnnotatorView, plan: &Plan) -> Result<(String, Option<Vec<u32>>)> {
    match plan {
        Plan::Missing => Ok(("missing".into(), None)),
        Plan::Filter(words) => {
            let filter = Filter::parse(words)?;
            let words = if filter.is_empty() {
                "all items".into()
            } else {
                filter.words()
            };
            Ok((words, Some(answers::numbers(sight, &filter)?)))
        }
        Plan::Items(numbers) => {
            let items = sight.items.catalog().len();
            if let Some(number) = numbers.iter().find(|n| **n == 0 || **n as usize > items) {
                return Err(Error::new(
                    ErrorKind::NotFound,
                    format!("there is no item #{number}"),
                ));
            }
            let word = if numbers.len() == 1 { "item" } else { "items" };
            Ok((format!("{} {word}", numbers.len()), Some(numbers.clone())))
        }
    }
}
