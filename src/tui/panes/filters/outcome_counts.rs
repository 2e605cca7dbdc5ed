//! Outcome counts for the present thresholds: exact from the owner's reply, or estimated from its
//! bars until the next one.

use benchtop_metrics::statistics::{Z95, wilson};
use benchtop_model::scoring::SuspiciousEnd;
use benchtop_model::scoring::queries::{Share, Tally, ThresholdTuning, TuningQuery};

/// At most one request in flight. The newest request waits; those in between are dropped.
#[derive(Clone, Debug)]
pub(super) struct RequestSlot<Q> {
    in_flight: bool,
    next: Option<Q>,
}

impl<Q> Default for RequestSlot<Q> {
    fn default() -> Self {
        RequestSlot {
            in_flight: false,
            next: None,
        }
    }
}

impl<Q> RequestSlot<Q> {
    /// Submits a request. Returns it if it can be sent now.
    pub(super) fn ask(&mut self, question: Q) -> Option<Q> {
        if self.in_flight {
            self.next = Some(question);
            return None;
        }
        self.in_flight = true;
        Some(question)
    }

    /// Handles a reply. Returns the waiting request, which is to be sent now.
    pub(super) fn answered(&mut self) -> Option<Q> {
        let next = self.next.take();
        self.in_flight = next.is_some();
        next
    }

    pub(super) fn is_in_flight(&self) -> bool {
        self.in_flight
    }

    /// Forgets the request in flight, for example after a lost connection.
    pub(super) fn reset(&mut self) {
        *self = RequestSlot::default();
    }
}

/// Item counts and quality for the present thresholds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Counted {
    pub(super) items: [u64; 3],
    /// Share of rejected items among the judged doubtful ones. n = 0 if none were judged.
    pub(super) precision: Share,
    /// Share of doubtful items among the rejected ones.
    pub(super) recall: Share,
    /// Share of scored items on the doubtful side of the flag threshold.
    pub(super) percentile: Option<f32>,
    /// Whether the owner counted. Otherwise the counts are estimated from the bars.
    pub(super) exact: bool,
}

/// A share with its 95 % interval.
pub(super) fn share((k, n): (u64, u64)) -> Share {
    let (low, high) = wilson(k, n, Z95).unwrap_or((0.0, 1.0));
    Share { k, n, low, high }
}

/// The counts for the request `now`, given the reply `tuning` to `asked`. The two requests may
/// differ only in their thresholds.
pub(super) fn counted(tuning: &ThresholdTuning, asked: &TuningQuery, now: &TuningQuery) -> Counted {
    let tally = &tuning.tally;
    let exact = Counted {
        items: tally.items,
        precision: share(tally.precision()),
        recall: share(tally.recall()),
        percentile: tuning.percentile,
        exact: true,
    };
    if (asked.flag, asked.park) == (now.flag, now.park) {
        return exact;
    }
    let doubt = now.measure.scorer.suspicious_end();
    let count_beyond = |bars: &[u64], line: Option<f32>| {
        line.map_or(0, |line| beyond(bars, tuning.ends, doubt, line))
    };
    let (flag, park) = (
        count_beyond(&tuning.bars, now.flag),
        count_beyond(&tuning.bars, now.park),
    );
    let scored: u64 = tuning.bars.iter().sum();
    let doubted = flag.max(park);
    let rejected =
        count_beyond(&tuning.rejected, now.flag).max(count_beyond(&tuning.rejected, now.park));
    Counted {
        items: [tally.all().max(scored) - doubted, doubted - park, park],
        recall: share((rejected, exact.recall.n.max(rejected))),
        percentile: now
            .flag
            .filter(|_| scored > 0)
            .map(|_| flag as f32 / scored as f32),
        exact: false,
        ..exact
    }
}

/// Items on the doubtful side of `line`. The bar at `line` counts in proportion.
fn beyond(bars: &[u64], (low, high): (f32, f32), doubt: SuspiciousEnd, line: f32) -> u64 {
    let all: u64 = bars.iter().sum();
    let span = high - low;
    let at = if span > 0.0 {
        (line - low) / span * bars.len() as f32
    } else {
        f32::from(u8::from(line > low))
    };
    let at = at.clamp(0.0, bars.len() as f32);
    let full_bars = at as usize;
    let part = bars
        .get(full_bars)
        .map_or(0.0, |n| *n as f64 * f64::from(at - full_bars as f32));
    let below = bars.iter().take(full_bars).sum::<u64>() + part.round() as u64;
    match doubt {
        SuspiciousEnd::Low => below,
        SuspiciousEnd::High => all - below,
    }
}

/// The precision in a group.
pub(super) fn precision(tally: &Tally) -> Share {
    share(tally.precision())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn at_most_one_request_is_in_flight_and_the_newest_wins() {
        let mut turn = RequestSlot::default();
        assert_eq!(turn.ask(1), Some(1));
        assert_eq!((turn.ask(2), turn.ask(3)), (None, None));
        assert_eq!(turn.answered(), Some(3));
        assert_eq!(turn.ask(4), None, "the third is in flight");
        assert_eq!((turn.answered(), turn.answered()), (Some(4), None));
        assert_eq!(turn.ask(5), Some(5));
        turn.reset();
        assert_eq!(turn.ask(6), Some(6));
    }

    #[test]
    fn bars_estimate_the_items_beyond_a_threshold() {
        let bars = [10, 20, 30, 40];
        let count_beyond = |doubt, line| beyond(&bars, (0.0, 4.0), doubt, line);
        assert_eq!(
            [
                count_beyond(SuspiciousEnd::Low, -1.0),
                count_beyond(SuspiciousEnd::Low, 1.0),
                count_beyond(SuspiciousEnd::Low, 2.5),
                count_beyond(SuspiciousEnd::Low, 9.0)
            ],
            [0, 10, 45, 100]
        );
        assert_eq!(
            [
                count_beyond(SuspiciousEnd::High, -1.0),
                count_beyond(SuspiciousEnd::High, 1.0),
                count_beyond(SuspiciousEnd::High, 9.0)
            ],
            [100, 90, 0]
        );
        // All items have the same score.
        assert_eq!(beyond(&[7], (1.0, 1.0), SuspiciousEnd::Low, 1.0), 0);
        assert_eq!(beyond(&[7], (1.0, 1.0), SuspiciousEnd::Low, 1.5), 7);
        assert_eq!(beyond(&[], (0.0, 1.0), SuspiciousEnd::Low, 0.5), 0);
    }
}
