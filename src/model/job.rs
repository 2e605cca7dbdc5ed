//! Jobs as plain data: plans, settings, states, and actions.

pub mod budget;

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::evaluation::RunState;
use super::generation::{FailureKind, Scheduler, Settings};
use super::scoring::job::ScoringState;
use super::trust::PendingConsent;

pub use budget::{Budget, BudgetChange, Prices, Usage};

/// The pictures that a generation job covers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Plan {
    /// Pictures that are missing or were made from another prompt. Drafts too, unless the generator
    /// makes drafts.
    #[default]
    Missing,
    /// Pictures of the items that match this filter now, including existing ones.
    Filter(String),
    /// Pictures of these items (numbers from 1), including existing ones.
    Items(Vec<u32>),
}

/// Overrides of the generation settings. Unset fields come from `benchtop.toml` or from the model's
/// recommendation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GenerationOverrides {
    /// Backend name, such as `storyboard`.
    pub backend: Option<String>,
    /// Model name or folder.
    pub model: Option<String>,
    /// Width and height in pixels.
    pub size: Option<(u32, u32)>,
    /// Denoising steps.
    pub steps: Option<u32>,
    /// Classifier-free guidance scale.
    pub guidance: Option<f64>,
    pub scheduler: Option<Scheduler>,
}

impl GenerationOverrides {
    /// The settings, with defaults from `best`.
    pub fn over(&self, best: &Settings) -> Settings {
        let (width, height) = self.size.unwrap_or((best.width, best.height));
        Settings {
            width,
            height,
            steps: self.steps.unwrap_or(best.steps),
            guidance: self.guidance.unwrap_or(best.guidance),
            scheduler: self.scheduler.unwrap_or(best.scheduler),
        }
    }
}

/// A request to start a generation job.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct NewJob {
    /// Job name; defaults to a description of its plan.
    pub name: Option<String>,
    pub plan: Plan,
    /// Samples per picture, from 1 to [`MAX_SAMPLES`].
    pub samples: u32,
    /// The seed from which all picture seeds derive.
    pub seed: u64,
    #[serde(rename = "wishes")]
    pub overrides: GenerationOverrides,
    /// Batch size; defaults to the generator's maximum.
    pub batch: Option<u32>,
    /// Rate limit in pictures per minute.
    pub per_minute: Option<u32>,
    /// Only previews the job.
    pub dry: bool,
}

/// Maximum number of samples per picture in one job.
pub const MAX_SAMPLES: u32 = 1000;

/// The result of starting or previewing a generation job.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StartedJob {
    /// The job; `None` for a preview.
    pub job: Option<JobState>,
    /// Pictures to generate, counting samples.
    pub pictures: u64,
    /// Their items.
    pub items: u64,
    /// Items of the plan with imported pictures.
    pub imported: u64,
    /// Items of the plan without a prompt or without a picture name.
    pub without: u64,
    /// Items whose prompt differs from that of the first item with the same picture.
    pub disagree: u64,
    /// Description of the generator.
    pub generator: String,
    /// The agreement that is needed before the job starts.
    pub waits: Option<Box<PendingConsent>>,
}

crate::named! {
    /// Job state.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum JobStatus {
        /// Waiting for its turn.
        #[default]
        Queued = "queued",
        Running = "running",
        /// Stopped until it is resumed.
        Paused = "paused",
        /// Finished. Single pictures may have failed.
        Done = "done",
        /// Canceled by the user.
        Cancelled = "cancelled",
        /// Stopped because its generator is not available.
        Failed = "failed",
    }
}

impl JobStatus {
    /// Whether the job runs or will run without user action.
    pub fn is_active(self) -> bool {
        matches!(self, Self::Queued | Self::Running)
    }

    /// Whether the job has ended.
    pub fn is_finished(self) -> bool {
        matches!(self, Self::Done | Self::Cancelled | Self::Failed)
    }
}

/// Progress of the current batch, in denoising steps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    pub done: u32,
    pub of: u32,
    pub batch: u32,
}

/// The latest picture of a job.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Newest {
    /// Path below the project folder.
    pub path: PathBuf,
    /// The picture's name in its items.
    pub picture: String,
    /// Number of its first item.
    pub number: u32,
    pub sample: u32,
    /// Whether it is a draft.
    pub draft: bool,
}

/// A job and its progress.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct JobState {
    pub id: u32,
    /// Name of its kind: `generation`, `run`, `judging`, `similarity`, `scoring`, `scenario`,
    /// `bootstrap`, or `command`.
    pub kind: String,
    /// One result of it: `picture`, `answer`, `pair`, `score`, `item`, or `step`.
    pub unit: String,
    /// Job name.
    pub name: String,
    /// The annotator who started it.
    pub by: String,
    /// Start time in milliseconds since 1970.
    pub created: i64,
    /// Description of the plan.
    pub plan: String,
    /// Samples per picture.
    pub samples: u32,
    pub seed: u64,
    /// Requested backend and model.
    pub generator: String,
    /// The generator's description of itself; empty until it is loaded.
    pub device: String,
    /// Settings; `None` until the generator is loaded.
    pub settings: Option<Settings>,
    /// Batch size, if set.
    pub batch: Option<u32>,
    /// Rate limit in pictures per minute, if set.
    pub per_minute: Option<u32>,
    /// Position in the queue, from 1; 0 when the job has ended.
    pub place: u32,
    pub standing: JobStatus,
    /// Reason for the pause or failure.
    pub reason: Option<String>,
    /// Results so far.
    pub done: u64,
    /// Results in all; `None` before they are counted.
    pub of: Option<u64>,
    /// Results that failed.
    pub failed: u64,
    /// Progress of the current batch, if the generator reports it.
    pub step: Option<Step>,
    /// Results per minute over the last minute.
    pub rate: f64,
    /// Estimated seconds left.
    pub left_s: Option<u64>,
    /// The latest picture since the owner started.
    pub newest: Option<Newest>,
    /// For an evaluation, its own state.
    pub run: Option<Box<RunState>>,
    /// For a scoring job, its own state.
    pub scoring: Option<Box<ScoringState>>,
    /// The agreement that a paused or failed job waits for.
    pub waits: Option<Box<PendingConsent>>,
    /// Limits on what it sends to servers.
    pub budget: Budget,
    /// What it has sent; `None` if it sends nothing to servers.
    pub usage: Option<Usage>,
    /// Whether its plan and its counts follow from verdicts or scores. Known to the owner only.
    #[serde(skip)]
    pub tells: bool,
}

impl JobState {
    /// What an annotator in a blind round may see of a job that [`tells`](Self::tells).
    pub fn masked(self) -> JobState {
        JobState {
            id: self.id,
            name: self.kind.clone(),
            kind: self.kind,
            unit: self.unit,
            by: self.by,
            created: self.created,
            plan: "hidden in a blind round".into(),
            samples: self.samples,
            place: self.place,
            standing: self.standing,
            waits: self.waits.map(|waits| {
                Box::new(PendingConsent {
                    what: "texts or pictures".into(),
                    count: 0,
                    ..*waits
                })
            }),
            tells: true,
            ..JobState::default()
        }
    }
}

/// An action on a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum JobAct {
    /// Stop at the next step and keep the results.
    Pause,
    /// Continue.
    Resume,
    /// End the job and keep the results.
    Cancel,
    /// Retry what failed.
    Retry,
    /// Move to this position in the queue, from 1.
    Place(u32),
    /// Set the batch size; `None` uses the generator's maximum.
    Batch(Option<u32>),
    /// Set the rate limit in pictures per minute; `None` removes it.
    PerMinute(Option<u32>),
    /// Remove an ended job from the list.
    Remove,
    /// Change what it may send to servers.
    Budget(BudgetChange),
}

/// A failed picture of a job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobFailure {
    /// Data set.
    pub dataset: String,
    /// The picture's name in its items.
    pub picture: String,
    /// Sample number.
    pub sample: u32,
    /// Number of its first item.
    pub number: u32,
    pub kind: FailureKind,
    pub reason: String,
    /// Number of tries.
    pub tries: u32,
}
