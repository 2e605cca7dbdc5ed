//! Generation jobs as plain data: what is to be made, with what, and how far it is.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::evaluation::RunState;
use super::generation::{FailureKind, Scheduler, Settings};
use super::trust::Waits;

/// Which pictures a job makes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Plan {
    /// Those that are not there, or were made from another prompt; and drafts, where the generator makes none.
    #[default]
    Missing,
    /// Those of the items that pass these filter words now, whether there is one already or not.
    Filter(String),
    /// Those of these items (numbers from 1), whether there is one already or not.
    Items(Vec<u32>),
}

/// What is wished of a generator; what is not set is as `benchtop.toml` says, or what suits the model best.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GenerationOverrides {
    /// `storyboard` and so on.
    pub backend: Option<String>,
    /// The model's name or folder.
    pub model: Option<String>,
    /// Width and height in pixels.
    pub size: Option<(u32, u32)>,
    /// Denoising steps.
    pub steps: Option<u32>,
    /// Classifier-free guidance scale.
    pub guidance: Option<f64>,
    /// How the noise is taken out.
    pub scheduler: Option<Scheduler>,
}

impl GenerationOverrides {
    /// The settings wished for, where nothing is said those of `best`.
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

/// A job to be begun.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct NewJob {
    /// What it is called; after its plan where it has no name.
    pub name: Option<String>,
    /// Which pictures.
    pub plan: Plan,
    /// Samples of each picture, from 1 to [`MOST_SAMPLES`].
    pub samples: u32,
    /// Seed that the seeds of all pictures follow from.
    pub seed: u64,
    /// With what.
    pub wishes: GenerationOverrides,
    /// Pictures made together; as many as the generator takes otherwise.
    pub batch: Option<u32>,
    /// At most so many pictures a minute.
    pub per_minute: Option<u32>,
    /// Only say what would be made.
    pub dry: bool,
}

/// Most samples of a picture in one job.
pub const MOST_SAMPLES: u32 = 1000;

/// What a new job is about.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Begun {
    /// The job; none when it was only asked what it would make.
    pub job: Option<JobState>,
    /// Pictures to be made, samples counted.
    pub pictures: u64,
    /// Items they belong to.
    pub items: u64,
    /// Items of the plan whose picture came with them.
    pub imported: u64,
    /// Items of the plan that have no prompt to make a picture from, or name no picture.
    pub without: u64,
    /// Items that want another prompt for a picture than the first item that names it.
    pub disagree: u64,
    /// The generator in words.
    pub generator: String,
    /// What must be agreed to before it is begun.
    pub waits: Option<Box<Waits>>,
}

/// How a job stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum JobStatus {
    /// Waits for its turn.
    #[default]
    Queued,
    /// At work.
    Running,
    /// Waits until it is resumed.
    Paused,
    /// Everything is made, but for what failed.
    Done,
    /// Given up by its user.
    Cancelled,
    /// It cannot go on: its generator cannot be had.
    Failed,
}

impl JobStatus {
    /// The name used in tables and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Paused => "paused",
            Self::Done => "done",
            Self::Cancelled => "cancelled",
            Self::Failed => "failed",
        }
    }

    /// Whether it may still make pictures without being asked to.
    pub fn live(self) -> bool {
        matches!(self, Self::Queued | Self::Running)
    }

    /// Whether it is over.
    pub fn over(self) -> bool {
        matches!(self, Self::Done | Self::Cancelled | Self::Failed)
    }
}

/// How far the running batch is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// Denoising steps done.
    pub done: u32,
    /// Steps in all.
    pub of: u32,
    /// Pictures made together.
    pub batch: u32,
}

/// The last picture a job made.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Newest {
    /// Its file, below the project's folder.
    pub path: PathBuf,
    /// What its items call it.
    pub picture: String,
    /// Its first item's number.
    pub number: u32,
    /// Which sample.
    pub sample: u32,
    /// Whether it is a draft.
    pub draft: bool,
}

/// A job and how far it is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct JobState {
    /// Its number, from 1.
    pub id: u32,
    /// What it is called.
    pub name: String,
    /// Who began it.
    pub by: String,
    /// When, in milliseconds since 1970.
    pub created: i64,
    /// Its plan in words.
    pub plan: String,
    /// Samples of each picture.
    pub samples: u32,
    /// Its seed.
    pub seed: u64,
    /// With what, as it was wished: backend and model.
    pub generator: String,
    /// The generator's own words for itself; empty until it is there.
    pub device: String,
    /// Its settings; none until the generator is there.
    pub settings: Option<Settings>,
    /// Pictures made together, where that was said.
    pub batch: Option<u32>,
    /// Most pictures a minute, where that was said.
    pub per_minute: Option<u32>,
    /// Its place among the jobs that are not over, from 1; 0 when it is over.
    pub place: u32,
    /// How it stands.
    pub standing: JobStatus,
    /// Why it is paused or failed.
    pub reason: Option<String>,
    /// Pictures it made.
    pub done: u64,
    /// Pictures in all, samples counted; not known before it first runs.
    pub of: Option<u64>,
    /// Pictures set aside as failed.
    pub failed: u64,
    /// How far the running batch is, where the generator tells.
    pub step: Option<Step>,
    /// Pictures a minute over the last minute.
    pub rate: f64,
    /// Seconds that the rest takes at that rate.
    pub left_s: Option<u64>,
    /// The last picture it made since the owner started.
    pub newest: Option<Newest>,
    /// Of an evaluation: what it asks and what came of it. Its counts above are of answers, not of pictures.
    pub run: Option<Box<RunState>>,
    /// What it would send, where it is paused or failed and waits for the person on this machine to agree.
    pub waits: Option<Box<Waits>>,
}

/// What is done to a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum JobAct {
    /// Stop it at the next step; what is made stays.
    Pause,
    /// Go on.
    Resume,
    /// Give it up; what is made stays.
    Cancel,
    /// Try what failed again.
    Retry,
    /// Give it this place among the jobs that are not over, from 1.
    Place(u32),
    /// Make so many pictures together; none means as many as the generator takes.
    Batch(Option<u32>),
    /// At most so many pictures a minute; none means as fast as it goes.
    PerMinute(Option<u32>),
    /// Forget it; only one that is over.
    Remove,
}

/// A picture that a job set aside.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobFailure {
    /// Its data set.
    pub dataset: String,
    /// What its items call it.
    pub picture: String,
    /// Which sample.
    pub sample: u32,
    /// Its first item's number.
    pub number: u32,
    /// What class of failure it is.
    pub kind: FailureKind,
    /// What went wrong.
    pub reason: String,
    /// How often it was tried.
    pub tries: u32,
}
