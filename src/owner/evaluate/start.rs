//! Starts evaluations.

use super::check::check;
use super::run::{RunJob, sent};
use super::work::RUN;
use crate::context::OwnerContext;
use crate::dispatch::{Task, TaskContext};
use crate::engine::Live;
use crate::queries::item;
use crate::visibility::AnnotatorView;
use crate::{queries, trust};
use benchtop_model::evaluation::{
    NewRun, OptionOrders, StartedRun, base_label, label_with_instruction,
};
use benchtop_model::generated_image::check_drafts;
use benchtop_model::{Error, Filter, Result};
use benchtop_pipeline::evaluate::ask::Wordings;
use benchtop_pipeline::evaluate::{ask, orders};
use benchtop_protocol::wire::request;
use benchtop_store::manifest::Content;
use benchtop_store::runs::{Counts, Run};

/// Number of items between two checks for cancellation.
const STEP: usize = 1024;

impl Task for request::Evaluate {
    const LISTED: bool = false;

    /// Starts an evaluation on behalf of `by`, or previews it.
    ///
    /// # Errors
    /// [`Error::usage`] for invalid settings; [`Error::not_found`] for an unknown instruction;
    /// [`Error::conflict`] if there is nothing to ask or the label is taken; [`Error::denied`]
    /// for servers without an agreement; [`Error::cancelled`]; I/O errors.
    fn run(self, task: TaskContext<'_>) -> Result<StartedRun> {
        let (shared, new, cancel) = (task.shared, &*self.0, task.progress.cancel);
        let budget = self.1;
        check(new)?;
        let to = trust::of_run(new)?;
        if !new.dry {
            trust::check(shared, &to)?;
        }
        let filter = Filter::parse(&new.filter)?;
        let view = AnnotatorView::of(shared, task.who);
        view.check_filter(&filter)?;
        let wordings = Wordings::of(&shared.project, &new.wording)?;
        // Validates URLs and keys now instead of when the run's turn comes. Nothing is sent.
        let device = (shared.evaluations.maker)(new)?.abilities().name.clone();
        let items = shared.items.catalog().len() as u32;
        let chosen: Vec<u32> = if filter.is_empty() {
            (1..=items).collect()
        } else {
            queries::numbers(&view, &filter)?
        };
        let numbers = orders::sample(&chosen, new.sample, new.seed);
        let mut started = StartedRun {
            items: numbers.len() as u64,
            ..StartedRun::default()
        };
        // Read the items only if the numbers depend on them.
        let (read, known): (&[u32], u64) = match (new.blind, new.orders) {
            (true, OptionOrders::AsIs) => (&[], numbers.len() as u64),
            _ => (&numbers, 0),
        };
        started.asks = known;
        for (at, number) in read.iter().enumerate() {
            if at % STEP == 0 {
                cancel.check()?;
            }
            let item = item(shared, *number)?;
            started.asks += u64::from(orders::count(
                new.orders,
                item.options.len(),
                item.rotation.is_some(),
            ));
            let is_short =
                !new.blind && ask::files(shared.project.root(), &item).len() < item.images.len();
            started.without += u64::from(is_short);
        }
        let what = format!("{} {}", started.asks, sent(new.blind));
        started.waits = trust::waits(shared, false, &to, (started.asks, what));
        if started.asks == 0 {
            return Err(Error::conflict("there are no questions to ask")
                .help("use a filter that matches items"));
        }
        if !new.blind {
            started.drafts =
                shared
                    .requested
                    .drafts(shared, numbers.iter().map(|number| number - 1), cancel)?;
            check_drafts(
                started.drafts,
                (started.items, "items"),
                new.drafts || new.dry,
            )?;
        }
        let is_all = numbers.len() == items as usize;
        let is_run = |label: &str| {
            let same = |_: &mut Live, job: &mut RunJob| (job.run.label == label).then_some(());
            shared.jobs.find(same).is_some()
        };
        // Two that start at once must not take the same label.
        let _one = shared.evaluations.labels.lock();
        started.label = self::label(shared, new, &is_run)?;
        if new.dry {
            return Ok(started);
        }
        let made = shared.jobs.begin(shared, (&RUN, task.who), |header| {
            header.budget = budget;
            let run = Run {
                id: header.id,
                label: started.label.clone(),
                by: task.who.into(),
                created: header.created,
                new: new.clone(),
                instruction: wordings.described(),
                items,
                asks: started.asks,
                counts: Counts::default(),
                drafts: started.drafts,
                again: false,
            };
            let mut job = RunJob::new(run);
            (job.device, job.numbers) = (device, Some(numbers.clone()));
            Ok((job, (!is_all).then_some(numbers)))
        })?;
        started.job = Some(made);
        Ok(started)
    }
}

/// The label of the answers. It is unique, so two runs of a model are never confused.
fn label(shared: &OwnerContext, new: &NewRun, is_run: &dyn Fn(&str) -> bool) -> Result<String> {
    let catalog = shared.items.catalog();
    let models: Vec<&str> = catalog
        .answers()
        .iter()
        .filter_map(|a| {
            if let Content::Predictions { model, .. } = &a.part.holds {
                Some(model.as_str())
            } else {
                None
            }
        })
        .collect();
    let taken = |label: &str| {
        let of_it = |model: &&str| {
            let rest = model.strip_prefix(label);
            rest.is_some_and(|r| {
                r.is_empty() || r.starts_with(" (shuffle ") || r.starts_with(" (rotation ")
            })
        };
        is_run(label) || models.iter().any(of_it)
    };
    if let Some(base) = new.name.as_deref().map(str::trim) {
        let label = base_label(base, new.blind, 1);
        return match taken(&label) {
            false => Ok(label),
            true => Err(
                Error::conflict(format!("answers labeled `{label}` already exist"))
                    .field("name")
                    .help("leave the name out to number the runs, or use another name"),
            ),
        };
    }
    let base = label_with_instruction(new.model.trim(), &new.wording);
    let free = (1..)
        .map(|n| base_label(&base, new.blind, n))
        .find(|label| !taken(label));
    free.ok_or_else(|| Error::conflict("no free label left"))
}
