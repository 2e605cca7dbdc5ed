//! Pace and quality of one annotator, as plain data. [`benchtop_metrics::agreement`] computes it.

use serde::{Deserialize, Serialize};

use super::agreement::Undefined;

/// One verdict, as far as pace needs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// Time in milliseconds since 1970 UTC.
    pub at: i64,
    /// Milliseconds spent on the item.
    pub ms: u32,
    /// The verdict as a number.
    pub verdict: u8,
}

/// A number earlier and now, with a test of the difference.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Shift {
    /// Over the first half of all verdicts.
    pub before: f64,
    /// Over the latest verdicts.
    pub now: f64,
    /// z statistic of the difference; positive if the number went up.
    pub z: f64,
    /// Whether the difference is both significant and large enough to matter.
    pub drifts: bool,
}

/// Change in pace and in the share of accepts.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Drift {
    /// Median seconds per item.
    pub seconds: Shift,
    /// Share of accepts, 0 to 1.
    pub accepts: Shift,
}

impl Drift {
    /// Whether to offer a break. The offer has no consequences for anybody.
    pub fn offers_break(&self) -> bool {
        self.seconds.drifts || self.accepts.drifts
    }
}

/// Speed and evenness of one annotator's work.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pace {
    /// Number of verdicts.
    pub items: u64,
    /// Milliseconds at work without breaks.
    pub worked_ms: u64,
    pub breaks: u64,
    /// Items per hour of work; `None` before any time has passed.
    pub items_an_hour: Option<f64>,
    /// Median seconds per item; `None` without items.
    pub median_seconds: Option<f64>,
    /// Length of the longest run of equal verdicts.
    pub longest_run: u64,
    /// Length of the run that the last verdict belongs to.
    pub current_run: u64,
    /// The latest verdicts compared with the first half; `None` while there are too few.
    pub drift: Option<Drift>,
}

/// `count` out of `of`, with Wilson's 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rate {
    pub count: u64,
    pub of: u64,
    /// The interval as shares from 0 to 1; `None` if `of` is 0.
    pub interval: Option<(f64, f64)>,
}

impl Rate {
    /// The share from 0 to 1; `None` if `of` is 0.
    pub fn share(&self) -> Option<f64> {
        (self.of > 0).then(|| self.count as f64 / self.of as f64)
    }
}

/// Accuracy on gold items. Misses and false rejects have different costs and are never added.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProbeQuality {
    /// Bad items that were accepted, of bad items that were decided.
    pub misses: Rate,
    /// Good items that were rejected, of good items that were decided.
    pub false_rejects: Rate,
    /// Gold items that were skipped or answered "unsure"; they are in neither rate.
    pub unknown: u64,
}

/// Test-retest consistency of one person.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RepeatQuality {
    /// Repeats with the same verdict as the first time, of those decided both times.
    pub same: Rate,
    /// Cohen's kappa of the first verdict against the second.
    pub cohen_kappa: Result<f64, Undefined>,
    /// Repeats that were skipped or answered "unsure" at least once.
    pub unknown: u64,
}
