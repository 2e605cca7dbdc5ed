//! A scenario job as the engine holds it.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::context::OwnerContext;
use crate::engine::{Counts, Job};
use crate::trust;
use benchtop_model::generation::Failure;
use benchtop_model::job::{JobFailure, JobState, JobStatus};
use benchtop_model::scenario::ScenarioPlan;
use benchtop_model::{Filter, Result};
use benchtop_pipeline::pictures;
use benchtop_store::jobs::{DerivedPictures, JobHeader, PlannedPicture, StoredJob};

/// What its file has.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Stored {
    pub(super) plan: ScenarioPlan,
    /// Number of pictures, as counted at the start or planned since.
    pub(super) of: u64,
    /// Pictures that were made, as of the last write.
    #[serde(default)]
    pub(super) made: u64,
    /// Pictures that failed.
    #[serde(default)]
    pub(super) failed: u64,
    /// Pictures whose items are part of the project.
    #[serde(default)]
    pub(super) published: u64,
    /// Whether failures must be tried again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) again: bool,
}

pub(super) struct ScenarioJob {
    pub(super) id: u32,
    pub(super) spec: Stored,
}

/// Makes a job from its file.
///
/// # Errors
/// A file of another shape, or with settings that no job can have.
pub(super) fn load(
    shared: &OwnerContext,
    stored: &StoredJob,
) -> Result<Box<dyn Job<OwnerContext>>> {
    let spec: Stored = stored.spec()?;
    spec.plan.check()?;
    let may_write = shared.writable.opened_read_only.is_none();
    if may_write && !stored.header.standing.is_finished() {
        pictures::sweep(&shared.project);
    }
    Ok(Box::new(ScenarioJob {
        id: stored.header.id,
        spec,
    }))
}

impl ScenarioJob {
    /// Takes over the counts of its pictures.
    pub(super) fn count(&mut self, progress: &DerivedPictures) {
        self.spec.of = progress
            .planned
            .as_ref()
            .map_or(self.spec.of, |all| all.len() as u64);
        self.spec.made = progress.made.len() as u64;
        self.spec.failed = progress.failed.len() as u64;
    }

    /// Whether it has ended and has pictures whose items are not part of the project.
    fn is_to_be_published(&self, standing: JobStatus) -> bool {
        let has_ended = matches!(standing, JobStatus::Done | JobStatus::Cancelled);
        has_ended && self.spec.made > self.spec.published
    }
}

impl Job<OwnerContext> for ScenarioJob {
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
        state.name = format!("scenario {}", plan.scenario);
        state.plan = match plan.filter.trim() {
            "" => "all items".into(),
            words => words.into(),
        };
        (state.seed, state.generator) = (plan.seed, plan.scenario.clone());
    }

    fn tells(&self) -> bool {
        Filter::parse(&self.spec.plan.filter).map_or(true, |filter| filter.tells())
    }

    /// Without the items, since it sends nothing.
    fn digest(&self, _: &Arc<OwnerContext>, header: &JobHeader) -> Result<String> {
        trust::digest(&json!([header.id, self.spec.plan]))
    }

    fn has_work(&self, standing: JobStatus) -> bool {
        standing.is_active() || self.is_to_be_published(standing)
    }

    fn ends(&self) -> bool {
        !self.spec.again
    }

    fn retry(&mut self, _: &OwnerContext, _at_work: bool) -> Result<()> {
        self.spec.again = true;
        Ok(())
    }

    fn failures(&self, shared: &OwnerContext) -> Result<Vec<JobFailure>> {
        let catalog = shared.items.catalog();
        let failed = DerivedPictures::failures(shared.project.root(), self.id)?;
        let of = |(planned, failure): (PlannedPicture, Failure)| {
            let number = planned.items.first().map_or(0, |(number, _)| *number);
            let item = number
                .checked_sub(1)
                .filter(|row| (*row as usize) < catalog.len())
                .map(|row| catalog.item(row as usize))
                .transpose()?;
            let (dataset, key) = item.map_or_else(
                || (String::new(), planned.picture.clone()),
                |item| (item.dataset, item.key.to_string()),
            );
            Ok(JobFailure {
                dataset,
                picture: match &*planned.suffix {
                    "" => key,
                    suffix => format!("{key} {suffix}"),
                },
                sample: 1,
                number,
                kind: failure.kind,
                reason: failure.reason,
                tries: 1,
            })
        };
        failed.into_iter().map(of).collect()
    }
}
