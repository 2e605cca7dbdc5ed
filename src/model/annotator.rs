//! How one person's work goes: pace, and how good it is where that can be told. Plain data;
//! [`benchtop_metrics::agreement`] fills it.

use serde::{Deserialize, Serialize};

use super::agreement::Undefined;

/// One verdict as the pace sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// When, in milliseconds since 1970 UTC.
    pub at: i64,
    /// Milliseconds on the item.
    pub ms: u32,
    /// What was said, as a number.
    pub verdict: u8,
}

/// A number before and now, and whether they differ by more than chance and by enough to matter.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Shift {
    /// Over the first half of all verdicts.
    pub before: f64,
    /// Over the last ones.
    pub now: f64,
    /// Standard normal deviate of the test; positive where it went up.
    pub z: f64,
    /// Both thresholds are passed.
    pub drifts: bool,
}

/// Whether somebody works differently than before.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Drift {
    /// Median seconds an item.
    pub seconds: Shift,
    /// Share of accepts, 0 to 1.
    pub accepts: Shift,
}

impl Drift {
    /// Whether it is time to offer a break. It is an offer: nothing is held against anybody for it.
    pub fn offers_break(&self) -> bool {
        self.seconds.drifts || self.accepts.drifts
    }
}

/// How fast and how evenly somebody works.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pace {
    /// Verdicts given.
    pub items: u64,
    /// Milliseconds at work, breaks left out.
    pub worked_ms: u64,
    /// Breaks taken.
    pub breaks: u64,
    /// Items an hour of work; none before any time went by.
    pub items_an_hour: Option<f64>,
    /// Median seconds on an item; none without items.
    pub median_seconds: Option<f64>,
    /// Length of the longest run of one verdict.
    pub longest_run: u64,
    /// Length of the run that the last verdict belongs to.
    pub current_run: u64,
    /// The last verdicts against the first half; none while there are too few.
    pub drift: Option<Drift>,
}

/// So many of so many, with Wilson's 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rate {
    /// How many.
    pub count: u64,
    /// Of how many.
    pub of: u64,
    /// The interval, as shares from 0 to 1; none of nothing.
    pub interval: Option<(f64, f64)>,
}

impl Rate {
    /// The share, 0 to 1; none of nothing.
    pub fn share(&self) -> Option<f64> {
        (self.of > 0).then(|| self.count as f64 / self.of as f64)
    }
}

/// How known items were told. The two ways to be wrong cost different things and are never added up.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProbeQuality {
    /// Bad items that were accepted, of bad items that were decided on.
    pub misses: Rate,
    /// Good items that were rejected, of good items that were decided on.
    pub false_rejects: Rate,
    /// Probes that were skipped or not known; in neither rate.
    pub unknown: u64,
}

/// Whether the same person says the same twice.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RepeatQuality {
    /// Repeats told as the first time, of those told both times.
    pub same: Rate,
    /// Cohen's kappa of the first time against the second.
    pub cohen_kappa: Result<f64, Undefined>,
    /// Repeats that were skipped or not known on one occasion or both.
    pub unknown: u64,
}
