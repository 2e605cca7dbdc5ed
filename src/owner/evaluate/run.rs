//! A run as the engine holds it.

use std::sync::Arc;

use serde_json::{Value, json};

use super::check::check;
use crate::clock::now;
use crate::context::OwnerContext;
use crate::engine::{self, Job};
use crate::trust;
use benchtop_model::config::Config;
use benchtop_model::evaluation::{RunQuestion, RunState};
use benchtop_model::generation::Failure;
use benchtop_model::history::stamp;
use benchtop_model::job::{JobFailure, JobState, JobStatus, Prices};
use benchtop_model::trust::Destination;
use benchtop_model::{Error, ErrorKind, Filter, Result};
use benchtop_pipeline::evaluate::orders;
use benchtop_store::jobs::{self, JobHeader, StoredJob};
use benchtop_store::runs::{self, Counts, Journal, Line, Run};

/// The number of tokens that prices refer to.
const PRICED: u128 = 1_000_000;

pub(super) struct RunJob {
    pub(super) run: Run,
    /// Description of the servers.
    pub(super) device: String,
    /// Whether the client was built since the owner started.
    pub(super) is_built: bool,
    /// The numbers of its items, if it was started by this owner.
    pub(super) numbers: Option<Vec<u32>>,
}

/// Makes a run from its files.
///
/// # Errors
/// [`ErrorKind::Corrupt`], and [`ErrorKind::Usage`] for settings that no run can have.
pub(super) fn load(
    shared: &Arc<OwnerContext>,
    stored: &StoredJob,
) -> Result<Box<dyn Job<OwnerContext>>> {
    let run: Run = stored.spec()?;
    check(&run.new)?;
    let items = shared.items.catalog().len();
    if run.items as usize > items {
        let what = format!(
            "job {} is about {} items, but the project has {items}",
            run.id, run.items
        );
        return Err(Error::corrupt(what).field("items"));
    }
    Ok(Box::new(RunJob::new(run)))
}

impl RunJob {
    /// A run without requests since the owner started.
    pub(super) fn new(run: Run) -> RunJob {
        RunJob {
            run,
            device: String::new(),
            is_built: false,
            numbers: None,
        }
    }

    /// Updates the counts of the outcomes.
    pub(super) fn count(&mut self, counts: Counts) {
        self.run.counts = Counts {
            predictions: self.run.counts.predictions,
            ..counts
        };
    }

    /// Whether the run has ended and its answers or failures are not published yet.
    pub(super) fn is_to_be_published(&self, standing: JobStatus) -> bool {
        let counts = &self.run.counts;
        let lacks = counts.done > 0 && counts.lacking < counts.failed;
        matches!(standing, JobStatus::Done | JobStatus::Cancelled)
            && (counts.predictions < counts.done || lacks)
    }
}

/// The numbers of a run's items.
///
/// # Errors
/// [`ErrorKind::Corrupt`].
pub(super) fn numbers(shared: &OwnerContext, run: &Run) -> Result<Vec<u32>> {
    let listed = jobs::numbers(shared.project.root(), jobs::RUN, run.id)?;
    Ok(listed.unwrap_or_else(|| (1..=run.items).collect()))
}

impl Job<OwnerContext> for RunJob {
    fn spec(&self) -> Value {
        json!(self.run)
    }

    fn counts(&self) -> engine::Counts {
        let counts = &self.run.counts;
        engine::Counts {
            done: counts.done,
            of: Some(self.run.asks),
            failed: counts.failed,
        }
    }

    fn describe(&self, state: &mut JobState) {
        let Run {
            label,
            new,
            instruction,
            counts,
            drafts,
            ..
        } = self.run.clone();
        let part = |tokens: u64, price: u64| u128::from(tokens) * u128::from(price);
        let cost =
            part(counts.usage.prompt, new.prices.0) + part(counts.usage.completion, new.prices.1);
        let priced = new.prices != (0, 0);
        let words = match new.filter.is_empty() {
            true => "all items".to_string(),
            false => new.filter.clone(),
        };
        let sampled = new
            .sample
            .map_or(String::new(), |n| format!(", a sample of {n}"));
        let blind = if new.blind { ", without pictures" } else { "" };
        state.name = format!("eval {label}");
        state.plan = format!("{words}{sampled}{blind}, options {}", new.orders.describe());
        (state.seed, state.generator) = (new.seed, new.model.clone());
        state.device = self.device.clone();
        state.batch = new.servers.first().map(|s| s.concurrency);
        state.run = Some(Box::new(RunState {
            model: new.model,
            label,
            endpoints: new.servers.into_iter().map(|s| s.url).collect(),
            blind: new.blind,
            orders: new.orders.describe(),
            instruction,
            truncated: counts.truncated,
            refused: counts.refused,
            empty: counts.empty,
            tokens: (counts.usage.prompt, counts.usage.completion),
            untold: counts.untold,
            cost_micros: priced.then(|| u64::try_from(cost.div_ceil(PRICED)).unwrap_or(u64::MAX)),
            predictions: counts.predictions,
            drafts,
        }));
    }

    fn destinations(&self, _: &Arc<OwnerContext>) -> Result<Vec<Destination>> {
        trust::of_run(&self.run.new)
    }

    fn sends(&self, shared: &OwnerContext) -> (u64, String) {
        let Run {
            new, asks, counts, ..
        } = &self.run;
        let what = sent(new.blind);
        if self.numbers.is_some() {
            let left = asks.saturating_sub(counts.done.saturating_add(counts.failed));
            return (left, format!("{left} {what}"));
        }
        let all = || shared.items.catalog().len();
        let items = numbers(shared, &self.run).map_or_else(|_| all(), |numbers| numbers.len());
        let items = items as u64;
        let is_begun = runs::is_begun(shared.project.root(), self.run.id);
        let orders = orders::most(new.orders);
        let most = items.saturating_mul(orders.unwrap_or(u16::MAX.into()));
        let words = match orders {
            Some(1) if !is_begun => format!("{most} {what}"),
            Some(_) => format!("up to {most} {what}"),
            None => format!("up to {items} {what}, each in all rotations of its options"),
        };
        (most, words)
    }

    fn prices(&self, _: &Config) -> Option<Prices> {
        Some(self.run.new.prices)
    }

    fn tells(&self) -> bool {
        Filter::parse(&self.run.new.filter).map_or(true, |filter| filter.tells())
    }

    /// Excludes the number of concurrent requests.
    fn digest(&self, shared: &Arc<OwnerContext>, _: &JobHeader) -> Result<String> {
        let run = &self.run;
        let read;
        let numbers = match &self.numbers {
            Some(numbers) => numbers,
            None => {
                read = numbers(shared, run)?;
                &read
            }
        };
        let mut new = run.new.clone();
        new.servers
            .iter_mut()
            .for_each(|server| server.concurrency = 0);
        let mut new = json!(new);
        // Runs of earlier versions have no such field.
        if let Some(fields) = new
            .as_object_mut()
            .filter(|fields| fields.get("drafts") == Some(&json!(false)))
        {
            fields.remove("drafts");
        }
        trust::digest(&(
            new,
            run.id,
            &run.label,
            &run.by,
            run.created,
            &run.instruction,
            run.items,
            run.asks,
            numbers,
        ))
    }

    fn has_work(&self, standing: JobStatus) -> bool {
        standing.is_active() || self.is_to_be_published(standing)
    }

    fn ends(&self) -> bool {
        !self.run.again
    }

    /// Without answers, a run fails. A missing key is not its fault.
    fn fails(&self, problem: &Error) -> bool {
        self.run.counts.done == 0 && (self.is_built || problem.kind != ErrorKind::Unreachable)
    }

    fn retry(&mut self, shared: &OwnerContext, at_work: bool) -> Result<()> {
        if at_work {
            self.run.again = true;
            return Ok(());
        }
        let (root, id) = (shared.project.root(), self.run.id);
        let (_, whole) = runs::read(root, id, &mut |_| Ok(()))?;
        Journal::open(root, id, whole)?.append(&[Line::Retry { at: stamp(now()) }])?;
        self.run.counts.failed = 0;
        Ok(())
    }

    fn limit(&mut self, batch: Option<Option<u32>>, _: Option<Option<u32>>) -> Result<()> {
        match batch {
            Some(Some(n)) if (1..=256).contains(&n) => {
                let servers = self.run.new.servers.iter_mut();
                servers.for_each(|server| server.concurrency = n);
                Ok(())
            }
            Some(_) => Err(Error::usage("requests in flight must be 1 to 256")),
            None => {
                let what = "evaluations have no rate limit per minute";
                Err(Error::usage(what).help("limit the requests in flight instead"))
            }
        }
    }

    fn failures(&self, shared: &OwnerContext) -> Result<Vec<JobFailure>> {
        let (progress, _) = runs::progress(shared.project.root(), self.run.id)?;
        let of = |(asked, (item, failure)): (RunQuestion, (String, Failure))| {
            let (dataset, picture) = item.split_once('/').unwrap_or(("", &item));
            JobFailure {
                dataset: dataset.to_string(),
                picture: picture.to_string(),
                sample: u32::from(asked.order),
                number: asked.number,
                kind: failure.kind,
                reason: failure.reason,
                tries: 1,
            }
        };
        Ok(progress.failed.into_iter().map(of).collect())
    }
}

/// What a run sends, in words.
pub(super) fn sent(blind: bool) -> &'static str {
    match blind {
        true => "questions",
        false => "questions with their pictures",
    }
}
