//! Where decisions wait, as `benchtop status` shows it.

use serde::{Deserialize, Serialize};

/// How long decisions spent in a step.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Waits {
    /// [`Step::name`].
    pub step: String,
    /// The longest, in nanoseconds.
    pub longest: u64,
    /// Buckets that are not empty, rising: what the bucket ends below in nanoseconds, and decisions in it.
    pub buckets: Vec<(u64, u64)>,
}

impl Waits {
    /// Decisions.
    pub fn count(&self) -> u64 {
        self.buckets.iter().map(|(_, n)| n).sum()
    }

    /// The time that this share of the decisions is within, in nanoseconds; 0 for none.
    pub fn within(&self, share: f64) -> u64 {
        let wanted = ((self.count() as f64 * share).ceil() as u64).max(1);
        let mut sum = 0;
        let found = self.buckets.iter().find(|(_, n)| {
            sum += n;
            sum >= wanted
        });
        found.map_or(0, |(end, _)| *end).min(self.longest)
    }
}
