//! Scoring as a job.

use serde::{Deserialize, Serialize};

use super::Scorer;
use crate::trust::Waits;

/// What is to be scored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewScoring {
    /// By whom.
    pub scorer: Scorer,
    /// Which items: filter words; empty for all. What is scored already is not scored again.
    pub filter: String,
    /// Only count.
    pub dry: bool,
    /// Whether drafts are scored too.
    pub drafts: bool,
}

/// Where a job is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Phase {
    /// It waits for its turn.
    Queued,
    /// It works.
    Running,
    /// Somebody stopped it for a while.
    Paused,
    /// It cannot go on until somebody looks: [`ScoringState::why`] says what is wrong.
    Blocked,
    /// It is over.
    Done,
    /// Somebody gave it up.
    Cancelled,
}

impl Phase {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Phase::Queued => "queued",
            Phase::Running => "running",
            Phase::Paused => "paused",
            Phase::Blocked => "blocked",
            Phase::Done => "done",
            Phase::Cancelled => "cancelled",
        }
    }

    /// Whether nothing more comes of it.
    pub fn over(self) -> bool {
        matches!(self, Phase::Done | Phase::Cancelled)
    }
}

/// What is done to a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ScoringAct {
    /// Stop for a while.
    Pause,
    /// Go on, also after it was blocked.
    Resume,
    /// Give it up; what it scored stays.
    Cancel,
    /// Score again what failed or could not be read.
    Retry,
}

/// A job at one moment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScoringState {
    /// Its number.
    pub id: u32,
    /// By whom.
    pub scorer: Scorer,
    /// Which items.
    pub filter: String,
    /// Where it is.
    pub phase: Phase,
    /// Inputs done, of all that it has to score: items with the same picture and text are one input.
    pub done: u64,
    /// Inputs in all; none before it has counted them.
    pub of: Option<u64>,
    /// Inputs of those done that have no number and should: failed, refused, not to be read.
    pub without: u64,
    /// Inputs a minute over the last while.
    pub per_minute: Option<f32>,
    /// Why it is blocked, or the last thing that went wrong.
    pub why: Option<String>,
    /// What scores: the model's or program's name.
    pub device: String,
    /// Tokens asked and answered, and what they cost where prices are set, in millionths of the currency.
    pub tokens: Option<(u64, u64)>,
    /// See [`tokens`](Self::tokens).
    pub cost_micros: Option<u64>,
    /// What it would send, where it waits for the person on this machine to agree, or would if it were begun.
    pub waits: Option<Box<Waits>>,
    /// Inputs with a draft as their picture when it was begun.
    pub drafts: u64,
}

impl ScoringState {
    /// Seconds that are left at the present rate.
    pub fn eta_seconds(&self) -> Option<u64> {
        let left = self.of?.saturating_sub(self.done) as f32;
        let rate = self.per_minute.filter(|r| *r > 0.0)?;
        Some((left / rate * 60.0) as u64)
    }
}
