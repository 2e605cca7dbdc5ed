//! What the last answer of the owner says of the lines as they are now: exactly, or from its bars until it answers again.

use benchtop_metrics::statistics::{Z95, wilson};
use benchtop_model::scoring::FlagPriority;
use benchtop_model::scoring::bench::{Bench, BenchAsk, Share, Tally};

/// One question at a time: while it is on its way the newest one waits, and those between are never asked.
#[derive(Clone, Debug)]
pub(super) struct Turn<Q> {
    flying: bool,
    next: Option<Q>,
}

impl<Q> Default for Turn<Q> {
    fn default() -> Self {
        Turn {
            flying: false,
            next: None,
        }
    }
}

impl<Q> Turn<Q> {
    /// The question to send now, if it can be sent.
    pub(super) fn ask(&mut self, question: Q) -> Option<Q> {
        if self.flying {
            self.next = Some(question);
            return None;
        }
        self.flying = true;
        Some(question)
    }

    /// An answer came: the question to send now, if one waits.
    pub(super) fn answered(&mut self) -> Option<Q> {
        let next = self.next.take();
        self.flying = next.is_some();
        next
    }

    /// What was asked is lost: nothing is on its way.
    pub(super) fn reset(&mut self) {
        *self = Turn::default();
    }
}

/// What becomes of the items at the lines of now.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Counted {
    /// Items by outcome.
    pub(super) items: [u64; 3],
    /// Of doubted items that a person judged, how many were rejected; nothing judged is n = 0.
    pub(super) precision: Share,
    /// Of rejected items, how many were doubted.
    pub(super) recall: Share,
    /// Share of scored items on the doubtful side of the flag line.
    pub(super) percentile: Option<f32>,
    /// The owner counted this; otherwise it is read from the bars.
    pub(super) exact: bool,
}

/// A share with its interval.
pub(super) fn share((k, n): (u64, u64)) -> Share {
    let (low, high) = wilson(k, n, Z95).unwrap_or((0.0, 1.0));
    Share { k, n, low, high }
}

/// What the answer `bench` to `asked` says of the lines of `now`, which differ from `asked` at most in the lines.
pub(super) fn counted(bench: &Bench, asked: &BenchAsk, now: &BenchAsk) -> Counted {
    let tally = &bench.tally;
    let exact = Counted {
        items: tally.items,
        precision: share(tally.precision()),
        recall: share(tally.recall()),
        percentile: bench.percentile,
        exact: true,
    };
    if (asked.flag, asked.park) == (now.flag, now.park) {
        return exact;
    }
    let doubt = now.measure.scorer.doubt();
    let of = |bars: &[u64], line: Option<f32>| {
        line.map_or(0, |line| beyond(bars, bench.ends, doubt, line))
    };
    let (flag, park) = (of(&bench.bars, now.flag), of(&bench.bars, now.park));
    let scored: u64 = bench.bars.iter().sum();
    let doubted = flag.max(park);
    let rejected = of(&bench.rejected, now.flag).max(of(&bench.rejected, now.park));
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

/// Items on the doubtful side of `line`, those of the bar that it goes through in proportion.
fn beyond(bars: &[u64], (low, high): (f32, f32), doubt: FlagPriority, line: f32) -> u64 {
    let all: u64 = bars.iter().sum();
    let span = high - low;
    let at = if span > 0.0 {
        (line - low) / span * bars.len() as f32
    } else {
        f32::from(u8::from(line > low))
    };
    let at = at.clamp(0.0, bars.len() as f32);
    let whole = at as usize;
    let part = bars
        .get(whole)
        .map_or(0.0, |n| *n as f64 * f64::from(at - whole as f32));
    let below = bars.iter().take(whole).sum::<u64>() + part.round() as u64;
    match doubt {
        FlagPriority::Low => below,
        FlagPriority::High => all - below,
    }
}

/// Judged and rejected items of a group, as the filter's precision there.
pub(super) fn precision(tally: &Tally) -> Share {
    share(tally.precision())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn never_more_than_one_question_is_on_its_way_and_the_newest_wins() {
        let mut turn = Turn::default();
        assert_eq!(turn.ask(1), Some(1));
        assert_eq!((turn.ask(2), turn.ask(3)), (None, None));
        assert_eq!(turn.answered(), Some(3));
        assert_eq!(turn.ask(4), None, "the third is on its way");
        assert_eq!((turn.answered(), turn.answered()), (Some(4), None));
        assert_eq!(turn.ask(5), Some(5));
        turn.reset();
        assert_eq!(turn.ask(6), Some(6));
    }

    #[test]
    fn bars_give_the_items_beyond_a_line() {
        let bars = [10, 20, 30, 40];
        let of = |doubt, line| beyond(&bars, (0.0, 4.0), doubt, line);
        assert_eq!(
            [
                of(FlagPriority::Low, -1.0),
                of(FlagPriority::Low, 1.0),
                of(FlagPriority::Low, 2.5),
                of(FlagPriority::Low, 9.0)
            ],
            [0, 10, 45, 100]
        );
        assert_eq!(
            [
                of(FlagPriority::High, -1.0),
                of(FlagPriority::High, 1.0),
                of(FlagPriority::High, 9.0)
            ],
            [100, 90, 0]
        );
        // All items at one score.
        assert_eq!(beyond(&[7], (1.0, 1.0), FlagPriority::Low, 1.0), 0);
        assert_eq!(beyond(&[7], (1.0, 1.0), FlagPriority::Low, 1.5), 7);
        assert_eq!(beyond(&[], (0.0, 1.0), FlagPriority::Low, 0.5), 0);
    }
}
