//! Latency of decisions, by step, as shown by `benchtop status`.

use serde::{Deserialize, Serialize};

/// Histogram of the time that decisions spent in one step.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepLatency {
    /// Name of the step (`owner::latency::Step::name`).
    pub step: String,
    /// Longest time, in nanoseconds.
    pub longest: u64,
    /// Nonempty buckets in rising order: upper bound in nanoseconds, and number of decisions.
    pub buckets: Vec<(u64, u64)>,
}

impl StepLatency {
    /// Number of decisions.
    pub fn count(&self) -> u64 {
        self.buckets.iter().map(|(_, n)| n).sum()
    }

    /// Time within which this share of the decisions finished, in nanoseconds; 0 if there are none.
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
