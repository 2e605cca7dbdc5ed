//! An annotator's speed and drift, and when to offer a break.

use benchtop_model::annotator::{Drift, Pace, Shift, Step};
use benchtop_model::sorting::sort_by_key;

/// A pause between two verdicts longer than this is a break, in milliseconds. Our choice.
pub const BREAK_MS: u64 = 5 * 60 * 1000;

/// Drift compares the last verdicts, this many, with the first half, which must be at least as
/// long. Our choice: at 500 items per hour these are the last six minutes.
pub const LAST: usize = 50;

/// A shift counts from this standard normal deviate on, on either side: p = 0.001. It is checked
/// after every verdict, so 0.05 would often be passed by chance. Our choice.
pub const Z: f64 = 3.29;

/// A shift in time also needs this ratio of median times, or its inverse. Our choice.
pub const TIME_RATIO: f64 = 1.5;

/// A shift in accepts also needs this change in the share of accepts. Our choice.
pub const ACCEPTS_MOVED: f64 = 0.15;

/// The pace of one annotator. `steps` are the annotator's verdicts in any order; `accept` is the
/// verdict that counts as an accept.
///
/// Work time is the time between successive verdicts, without breaks ([`BREAK_MS`]). The first
/// item, and the first after a break, count with the time spent on that item (at most the length of
/// a break).
pub fn pace(steps: &[Step], accept: u8) -> Pace {
    let mut steps = steps.to_vec();
    sort_by_key(&mut steps, |step| step.at);
    let (mut worked_ms, mut breaks) = (0, 0);
    for (at, step) in steps.iter().enumerate() {
        let gap = at
            .checked_sub(1)
            .map(|before| step.at.abs_diff(steps[before].at));
        worked_ms += match gap {
            Some(gap) if gap <= BREAK_MS => gap,
            _ => u64::from(step.ms).min(BREAK_MS),
        };
        breaks += u64::from(gap.is_some_and(|gap| gap > BREAK_MS));
    }
    let runs: Vec<u64> = steps
        .chunk_by(|a, b| a.verdict == b.verdict)
        .map(|run| run.len() as u64)
        .collect();
    let items = steps.len() as u64;
    Pace {
        items,
        worked_ms,
        breaks,
        items_an_hour: (worked_ms > 0).then(|| items as f64 * 3_600_000. / worked_ms as f64),
        median_seconds: median(&steps),
        longest_run: runs.iter().copied().max().unwrap_or_default(),
        current_run: runs.last().copied().unwrap_or_default(),
        drift: drift(&steps, accept),
    }
}

/// The last [`LAST`] verdicts against the first half. `None` if the first half is shorter than
/// that.
fn drift(steps: &[Step], accept: u8) -> Option<Drift> {
    if steps.len() < 2 * LAST {
        return None;
    }
    let (before, now) = (&steps[..steps.len() / 2], &steps[steps.len() - LAST..]);
    Some(Drift {
        seconds: seconds(before, now)?,
        accepts: accepts(before, now, accept),
    })
}

/// Time per item: the rank sum test of Wilcoxon (1945) and of Mann and Whitney (1947) by its normal
/// approximation, with mean ranks and a variance corrected for ties. Times are skewed, so ranks
/// tell more than means.
fn seconds(before: &[Step], now: &[Step]) -> Option<Shift> {
    let mut all: Vec<(u32, bool)> = before
        .iter()
        .map(|s| (s.ms, false))
        .chain(now.iter().map(|s| (s.ms, true)))
        .collect();
    all.sort_unstable();
    let (n, m, total) = (before.len() as f64, now.len() as f64, all.len() as f64);
    let (mut rank_sum, mut ties, mut ranked) = (0., 0., 0.);
    for same in all.chunk_by(|a, b| a.0 == b.0) {
        let count = same.len() as f64;
        rank_sum +=
            same.iter().filter(|(_, now)| *now).count() as f64 * (ranked + (count + 1.) / 2.);
        ties += count * count * count - count;
        ranked += count;
    }
    let variance = n * m / 12. * (total + 1. - ties / (total * (total - 1.)));
    let z = if variance > 0. {
        (rank_sum - m * (total + 1.) / 2.) / variance.sqrt()
    } else {
        0.
    };
    let (before, now) = (median(before)?, median(now)?);
    let (less, more) = if before < now {
        (before, now)
    } else {
        (now, before)
    };
    Some(Shift {
        before,
        now,
        z,
        drifts: z.abs() >= Z && more >= TIME_RATIO * less,
    })
}

/// Share of accepts: the test of two proportions with pooled variance.
fn accepts(before: &[Step], now: &[Step], accept: u8) -> Shift {
    let accepted = |steps: &[Step]| steps.iter().filter(|s| s.verdict == accept).count() as f64;
    let (n, m) = (before.len() as f64, now.len() as f64);
    let common = (accepted(before) + accepted(now)) / (n + m);
    let (before, now) = (accepted(before) / n, accepted(now) / m);
    let variance = common * (1. - common) * (1. / n + 1. / m);
    let z = if variance > 0. {
        (now - before) / variance.sqrt()
    } else {
        0.
    };
    Shift {
        before,
        now,
        z,
        drifts: z.abs() >= Z && (now - before).abs() >= ACCEPTS_MOVED,
    }
}

/// Median seconds per item; for an even number, the mean of the two middle values. `None` without
/// steps.
pub fn median(steps: &[Step]) -> Option<f64> {
    let mut times: Vec<u32> = steps.iter().map(|s| s.ms).collect();
    times.sort_unstable();
    let upper = *times.get(times.len() / 2)?;
    let lower = *times.get((times.len() - 1) / 2)?;
    Some((f64::from(lower) + f64::from(upper)) / 2000.)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(at: i64, ms: u32, verdict: u8) -> Step {
        Step { at, ms, verdict }
    }

    /// One item every seven seconds, with times of six to eight seconds.
    fn steady(n: i64) -> Vec<Step> {
        (0..n)
            .map(|i| {
                step(
                    i * 7000,
                    6000 + (i * 37 % 41) as u32 * 50,
                    u8::from(i % 3 == 0),
                )
            })
            .collect()
    }

    #[test]
    fn breaks_do_not_count() {
        let steps = [
            step(10_000, 4000, 0),
            step(20_000, 9000, 0),
            step(400_000, 6000, 1),
            step(410_000, 5000, 1),
        ];
        let found = pace(&steps, 0);
        // 4 s for the first item, 10 s to the second, a break, 6 s for the first after it, 10 s.
        assert_eq!((found.items, found.worked_ms, found.breaks), (4, 30_000, 1));
        assert_eq!(found.items_an_hour, Some(480.));
        assert_eq!(found.median_seconds, Some(5.5));
        assert_eq!(
            (found.longest_run, found.current_run, found.drift),
            (2, 2, None)
        );
        let mut mixed = steps;
        mixed.reverse();
        assert_eq!(pace(&mixed, 0), found);
        // Exactly five minutes are not a break.
        assert_eq!(pace(&[step(0, 1, 0), step(300_000, 1, 0)], 0).breaks, 0);
        assert_eq!(pace(&[step(0, 1, 0), step(300_001, 1, 0)], 0).breaks, 1);
    }

    #[test]
    fn no_verdicts_or_no_time_give_no_pace() {
        let none = pace(&[], 0);
        assert_eq!(
            (none.items, none.items_an_hour, none.median_seconds),
            (0, None, None)
        );
        assert_eq!((none.longest_run, none.current_run), (0, 0));
        let at_once = pace(&[step(5, 0, 0)], 0);
        assert_eq!(
            (
                at_once.items_an_hour,
                at_once.median_seconds,
                at_once.current_run
            ),
            (None, Some(0.), 1)
        );
        // A clock that is far off, and an item left open for a month.
        let far = pace(
            &[step(i64::MIN, u32::MAX, 0), step(i64::MAX, u32::MAX, 0)],
            0,
        );
        assert_eq!((far.worked_ms, far.breaks), (2 * BREAK_MS, 1));
    }

    #[test]
    fn runs_count_equal_verdicts() {
        let steps: Vec<Step> = [0, 0, 1, 1, 1, 0]
            .iter()
            .zip(0..)
            .map(|(v, at)| step(at, 1, *v))
            .collect();
        let found = pace(&steps, 0);
        assert_eq!((found.longest_run, found.current_run), (3, 1));
    }

    #[test]
    fn steady_work_does_not_drift() {
        assert_eq!(pace(&steady(99), 1).drift, None);
        for n in [100, 101, 500, 2000] {
            let drift = pace(&steady(n), 1).drift.unwrap();
            assert!(!drift.offers_break(), "{n}: {drift:?}");
        }
        // Always the same time and verdict: no variance and no drift.
        let same: Vec<Step> = (0..200).map(|i| step(i * 7000, 7000, 1)).collect();
        let drift = pace(&same, 1).drift.unwrap();
        assert_eq!(
            (drift.seconds.z, drift.accepts.z, drift.offers_break()),
            (0., 0., false)
        );
    }

    #[test]
    fn hurry_and_blanket_accepts_are_detected() {
        let mut hurried = steady(300);
        hurried.iter_mut().skip(250).for_each(|s| s.ms /= 3);
        let drift = pace(&hurried, 1).drift.unwrap();
        assert!(
            drift.seconds.drifts
                && drift.seconds.z < -Z
                && !drift.accepts.drifts
                && drift.offers_break()
        );
        let mut tired = steady(300);
        tired.iter_mut().skip(250).for_each(|s| s.ms *= 3);
        assert!(pace(&tired, 1).drift.unwrap().seconds.z > Z);
        let mut waved = steady(300);
        waved.iter_mut().skip(250).for_each(|s| s.verdict = 1);
        let drift = pace(&waved, 1).drift.unwrap();
        assert!(
            drift.accepts.drifts
                && drift.accepts.now == 1.
                && !drift.seconds.drifts
                && drift.offers_break()
        );
        // A significant but small shift does not count: a tenth faster.
        let mut brisk = steady(3000);
        brisk
            .iter_mut()
            .skip(2950)
            .for_each(|s| s.ms = s.ms * 7 / 10);
        let drift = pace(&brisk, 1).drift.unwrap();
        assert!(drift.seconds.z < -Z && !drift.seconds.drifts);
    }
}
