//! A bootstrapping job as the engine holds it.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{painter, roles};
use crate::context::OwnerContext;
use crate::engine::{Counts, Job};
use crate::trust;
use benchtop_model::bootstrap::BootstrapPlan;
use benchtop_model::config::Config;
use benchtop_model::job::{JobFailure, JobState, JobStatus, Prices};
use benchtop_model::trust::Destination;
use benchtop_model::{Error, ErrorKind, Filter, Result};
use benchtop_pipeline::bootstrap::products::Products;
use benchtop_pipeline::bootstrap::progress::Progress;
use benchtop_store::jobs::{self, JobHeader, StepJournal, StoredJob};

/// What its file has.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Stored {
    pub(super) plan: BootstrapPlan,
    /// Revisions of the prompts by strategy. Answers to different texts are not mixed.
    pub(super) prompts: BTreeMap<String, String>,
    /// Number of new items.
    pub(super) of: u64,
    /// Items whose products are made or kept, as of the last write.
    #[serde(default)]
    pub(super) made: u64,
    /// Those of them that were kept as they were.
    #[serde(default)]
    pub(super) kept: u64,
    #[serde(default)]
    pub(super) failed: u64,
    /// Items that are part of the project.
    #[serde(default)]
    pub(super) published: u64,
    /// The most requests, as counted at the start.
    #[serde(default)]
    pub(super) requests: u64,
    /// Whether failures must be tried again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) again: bool,
}

pub(super) struct BootstrapJob {
    pub(super) id: u32,
    pub(super) spec: Stored,
    pub(super) products: Products,
    /// The numbers of its items, if it was started by this owner.
    pub(super) numbers: Option<Vec<u32>>,
    /// Whether any model has answered since the owner started.
    pub(super) is_answered: bool,
}

/// Makes a job from its file.
///
/// # Errors
/// A file of another shape, or with settings that no job can have.
pub(super) fn load(stored: &StoredJob) -> Result<Box<dyn Job<OwnerContext>>> {
    let spec: Stored = stored.spec()?;
    Ok(Box::new(BootstrapJob {
        id: stored.header.id,
        products: Products::of(&spec.plan)?,
        spec,
        numbers: None,
        is_answered: false,
    }))
}

impl BootstrapJob {
    /// Takes over the counts of its items.
    pub(super) fn count(&mut self, progress: &Progress) {
        let (made, kept, failed) = progress.counts();
        (self.spec.made, self.spec.kept, self.spec.failed) = (made, kept, failed);
        if progress.is_planned() {
            self.spec.of = (progress.sources.len() * self.products.compositions.len()) as u64;
        }
    }

    /// Whether it has ended and has items that are not part of the project.
    fn is_to_be_published(&self, standing: JobStatus) -> bool {
        let has_ended = matches!(standing, JobStatus::Done | JobStatus::Cancelled);
        has_ended && self.spec.made > self.spec.published
    }
}

impl Job<OwnerContext> for BootstrapJob {
    fn spec(&self) -> Value {
        json!(self.spec)
    }

    fn counts(&self) -> Counts {
        Counts {
            done: self.spec.made,
            of: Some(self.spec.of),
            failed: self.spec.failed,
        }
    }

    fn describe(&self, state: &mut JobState) {
        let plan = &self.spec.plan;
        state.name = format!("bootstrap {}", plan.strategies.join(" "));
        let words = match plan.filter.trim() {
            "" => "all items",
            words => words,
        };
        let kept = match self.spec.kept {
            0 => String::new(),
            kept => format!(", {kept} kept as they were"),
        };
        state.plan = format!("{words}{kept}");
        (state.seed, state.generator) = (plan.seed, plan.strategies.join(" "));
    }

    fn resource(&self, config: &Config) -> Option<String> {
        painter::device(config, &self.products)
    }

    fn destinations(&self, shared: &Arc<OwnerContext>) -> Result<Vec<Destination>> {
        roles::destinations(&shared.config(), &self.products)
    }

    fn sends(&self, shared: &OwnerContext) -> (u64, String) {
        // The file may be from somebody else, so what it says does not count.
        let items = shared.items.catalog().len() as u64;
        let each = u64::from(self.spec.plan.tries) * 4 * self.products.all.len() as u64;
        let most = items.saturating_mul(each);
        let words = format!("up to {most} requests about {items} items, with their pictures");
        (most, words)
    }

    fn prices(&self, config: &Config) -> Option<Prices> {
        Some(roles::prices(config, &self.products))
    }

    fn tells(&self) -> bool {
        Filter::parse(&self.spec.plan.filter).map_or(true, |filter| filter.tells())
    }

    fn digest(&self, shared: &Arc<OwnerContext>, header: &JobHeader) -> Result<String> {
        let to = roles::destinations(&shared.config(), &self.products)?;
        let read;
        let numbers = match &self.numbers {
            Some(numbers) => numbers,
            None => {
                let root = shared.project.root();
                read = jobs::numbers(root, jobs::BOOTSTRAP, header.id)?.unwrap_or_default();
                &read
            }
        };
        trust::digest(&json!([
            header.id,
            self.spec.plan,
            self.spec.prompts,
            to,
            numbers
        ]))
    }

    fn has_work(&self, standing: JobStatus) -> bool {
        standing.is_active() || self.is_to_be_published(standing)
    }

    fn ends(&self) -> bool {
        !self.spec.again
    }

    /// Without answers, it fails. A missing key is not its fault.
    fn fails(&self, problem: &Error) -> bool {
        !self.is_answered && self.spec.made == 0 && problem.kind == ErrorKind::Input
    }

    fn retry(&mut self, _: &OwnerContext, _at_work: bool) -> Result<()> {
        self.spec.again = true;
        Ok(())
    }

    fn failures(&self, shared: &OwnerContext) -> Result<Vec<JobFailure>> {
        let catalog = shared.items.catalog();
        let mut progress = Progress::new(self.products.clone(), self.spec.plan.tries);
        StepJournal::each(shared.project.root(), self.id, &mut |line| {
            progress.take(line)
        })?;
        let mut all = Vec::new();
        for (n, source) in progress.sources.iter().enumerate() {
            for composition in &self.products.compositions {
                let Some((k, failure)) = progress.failure(n, composition) else {
                    continue;
                };
                let row = source.number.saturating_sub(1) as usize;
                let item = (row < catalog.len())
                    .then(|| catalog.item(row))
                    .transpose()?;
                let (dataset, key) = item.map_or_else(Default::default, |item| {
                    (item.dataset, item.key.to_string())
                });
                all.push(JobFailure {
                    dataset: BootstrapPlan::dataset(&dataset, &composition.name),
                    picture: format!("{key} {}", composition.name),
                    sample: 1,
                    number: source.number,
                    kind: failure.kind,
                    reason: failure.reason.clone(),
                    tries: progress.state(n, k).map_or(0, |state| state.tries),
                });
            }
        }
        Ok(all)
    }
}
