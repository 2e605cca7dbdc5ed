//! Scoring jobs.

use serde::{Deserialize, Serialize};

use super::Scorer;
use crate::trust::PendingConsent;

/// A request to start a scoring job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewScoring {
    pub scorer: Scorer,
    /// Filter words that select the items; empty for all. Existing scores are not recomputed.
    pub filter: String,
    /// Only previews the job.
    pub dry: bool,
    /// Whether to score drafts too.
    pub drafts: bool,
}

crate::named! {
    /// Phase of a scoring job.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Phase {
        /// Waiting for its turn.
        Queued = "queued",
        Running = "running",
        /// Stopped by the user.
        Paused = "paused",
        /// Waiting for the user; [`ScoringState::why`] gives the reason.
        Blocked = "blocked",
        /// Finished.
        Done = "done",
        /// Canceled by the user.
        Cancelled = "cancelled",
    }
}

impl Phase {
    /// Whether the job has ended.
    pub fn is_finished(self) -> bool {
        matches!(self, Phase::Done | Phase::Cancelled)
    }
}

/// A scoring job and its progress.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScoringState {
    /// Job number.
    pub id: u32,
    pub scorer: Scorer,
    pub filter: String,
    pub phase: Phase,
    /// Inputs done. Items with the same picture and text are one input.
    pub done: u64,
    /// Inputs in all; `None` before they are counted.
    pub of: Option<u64>,
    /// Inputs done without a number that should have one: failed, refused, or unparsed.
    pub without: u64,
    /// Recent rate in inputs per minute.
    pub per_minute: Option<f32>,
    /// The reason for a block, or the last error.
    pub why: Option<String>,
    /// Name of the model or program.
    pub device: String,
    /// Prompt and output tokens.
    pub tokens: Option<(u64, u64)>,
    /// Their cost in millionths of the currency unit, if prices are set.
    pub cost_micros: Option<u64>,
    /// The agreement that the job waits for, or would need.
    pub waits: Option<Box<PendingConsent>>,
    /// Inputs with a draft picture when the job started.
    pub drafts: u64,
}

impl ScoringState {
    /// Estimated seconds left.
    pub fn eta_seconds(&self) -> Option<u64> {
        let left = self.of?.saturating_sub(self.done) as f32;
        let rate = self.per_minute.filter(|r| *r > 0.0)?;
        Some((left / rate * 60.0) as u64)
    }
}
