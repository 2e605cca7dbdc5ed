//! Feedback and scores from gold items: after each practice item, and at the end for probes.
//!
//! Misses (bad items accepted) and false rejects (good items rejected) are never added up. With
//! rare defects, an annotator who accepts everything would look excellent. Practice with feedback
//! on many bad items lowers misses (Wolfe, Van Wert et al. 2007). Only probes that look like real
//! items predict misses among them, so those are counted separately. Intervals are computed in the
//! metrics.

use serde::{Deserialize, Serialize};

use super::order::Ticket;
use super::{Gold, Round};
use crate::verdict::{Part, Verdict};

/// The outcome of a verdict on a gold item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// A bad item was not accepted, or a good one was.
    Right,
    Miss,
    FalseReject,
    /// Flagged or unsure; neither right nor wrong.
    Undecided,
}

impl Outcome {
    /// The outcome of `verdict` on a gold item; `None` for a skip or an answer. Asking for a fix of
    /// a bad item is right, because the defect was seen.
    pub fn of(good: bool, verdict: Verdict) -> Option<Outcome> {
        Some(match verdict {
            Verdict::Accept if good => Outcome::Right,
            Verdict::Accept => Outcome::Miss,
            Verdict::Reject | Verdict::Fix if good => Outcome::FalseReject,
            Verdict::Reject | Verdict::Fix => Outcome::Right,
            Verdict::Flag | Verdict::Unsure => Outcome::Undecided,
            Verdict::Skip | Verdict::Answer => return None,
        })
    }
}

/// Counts of verdicts on gold items.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    pub bad: u32,
    /// Bad items that were accepted.
    pub misses: u32,
    pub good: u32,
    /// Good items that were rejected or marked to fix.
    pub false_rejects: u32,
    /// Items that were flagged or answered "unsure"; not in the other counts.
    pub undecided: u32,
}

impl Tally {
    /// Counts a verdict and returns its outcome.
    pub fn add(&mut self, good: bool, verdict: Verdict) -> Option<Outcome> {
        let outcome = Outcome::of(good, verdict)?;
        match outcome {
            Outcome::Undecided => self.undecided += 1,
            _ if good => self.good += 1,
            _ => self.bad += 1,
        }
        self.misses += u32::from(outcome == Outcome::Miss);
        self.false_rejects += u32::from(outcome == Outcome::FalseReject);
        Some(outcome)
    }

    /// Right verdicts.
    pub fn hits(self) -> u32 {
        self.decided() - self.misses - self.false_rejects
    }

    /// Right and wrong verdicts.
    pub fn decided(self) -> u32 {
        self.bad + self.good
    }
}

/// Feedback on a practice item.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Feedback {
    pub outcome: Outcome,
    pub good: bool,
    /// Reason keys of a rejected item.
    pub reasons: Vec<String>,
    /// Practice so far, including this verdict.
    pub so_far: Tally,
    /// Number of practice items of the round.
    pub of: u32,
}

/// Feedback after `verdict` on a practice item. `so_far` is updated. `None` for other parts, which
/// get no feedback, and for skips.
pub fn feedback(
    round: &Round,
    ticket: Ticket,
    verdict: Verdict,
    so_far: &mut Tally,
) -> Option<Feedback> {
    let Gold { good, reasons, .. } =
        gold_item(round, ticket.part, ticket.item).filter(|_| ticket.part == Part::Calibration)?;
    let outcome = so_far.add(*good, verdict)?;
    let of = round.calibration.len() as u32;
    Some(Feedback {
        outcome,
        good: *good,
        reasons: reasons.clone(),
        so_far: *so_far,
        of,
    })
}

/// An annotator's counts on the gold items of a round.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Score {
    /// In practice, with feedback.
    pub calibration: Tally,
    /// On all probes.
    pub probes: Tally,
    /// On the probes that look like the round's items ([`Gold::lookalike`]).
    pub lookalikes: Tally,
}

/// Counts an annotator's verdicts on gold items. `said` holds part, position in the list of that
/// part, and verdict. Other parts are ignored. Repeated verdicts count each time, so pass only
/// effective ones.
pub fn score(round: &Round, verdicts: impl IntoIterator<Item = (Part, u32, Verdict)>) -> Score {
    let mut score = Score::default();
    for (part, item, verdict) in verdicts {
        let Some(gold) = gold_item(round, part, item) else {
            continue;
        };
        if part == Part::Calibration {
            score.calibration.add(gold.good, verdict);
            continue;
        }
        score.probes.add(gold.good, verdict);
        if gold.lookalike {
            score.lookalikes.add(gold.good, verdict);
        }
    }
    score
}

/// The gold item of a ticket; `None` for the round's own items.
pub fn gold_item(round: &Round, part: Part, item: u32) -> Option<&Gold> {
    match part {
        Part::Calibration => round.calibration.get(item as usize),
        Part::Probe => round.probe_items.get(item as usize),
        Part::Main | Part::Revision | Part::Repeat | Part::Adjudication => None,
    }
}

/// Positions of the probes that look like the round's items.
pub fn lookalikes(round: &Round) -> impl Iterator<Item = u32> + '_ {
    (0u32..)
        .zip(&round.probe_items)
        .filter(|(_, gold)| gold.lookalike)
        .map(|(at, _)| at)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::sample::select;

    use super::*;
    use crate::round::tests::round;

    fn practice(item: u32) -> Ticket {
        Ticket {
            item,
            part: Part::Calibration,
            nth: 0,
        }
    }

    #[test]
    fn outcome_depends_on_item_and_verdict() {
        use Outcome::{FalseReject, Miss, Right, Undecided};
        let (bad, good) = (|v| Outcome::of(false, v), |v| Outcome::of(true, v));
        assert_eq!(
            Verdict::ALL.map(bad),
            [
                Some(Miss),
                Some(Right),
                Some(Right),
                None,
                Some(Undecided),
                Some(Undecided),
                None
            ]
        );
        assert_eq!(
            Verdict::ALL.map(good),
            [
                Some(Right),
                Some(FalseReject),
                Some(FalseReject),
                None,
                Some(Undecided),
                Some(Undecided),
                None
            ]
        );
    }

    #[test]
    fn practice_feedback_has_reasons_and_counts() {
        // Even positions are bad, with the reason `wrong-answer`.
        let round = round(30, 1, 1, 6);
        let mut so_far = Tally::default();
        let first = feedback(&round, practice(0), Verdict::Accept, &mut so_far).unwrap();
        assert_eq!(
            (first.outcome, first.good, first.of),
            (Outcome::Miss, false, 6)
        );
        assert_eq!(first.reasons, ["wrong-answer"]);
        let second = feedback(&round, practice(1), Verdict::Accept, &mut so_far).unwrap();
        assert_eq!((second.outcome, second.reasons.len()), (Outcome::Right, 0));
        assert_eq!((second.so_far.hits(), second.so_far.decided()), (1, 2));
        let third = feedback(&round, practice(3), Verdict::Reject, &mut so_far).unwrap();
        assert_eq!(third.outcome, Outcome::FalseReject);
        feedback(&round, practice(2), Verdict::Unsure, &mut so_far).unwrap();
        assert_eq!(
            so_far,
            Tally {
                bad: 1,
                misses: 1,
                good: 2,
                false_rejects: 1,
                undecided: 1
            }
        );
        assert_eq!(
            feedback(&round, practice(4), Verdict::Skip, &mut so_far),
            None
        );
        assert_eq!(so_far.decided(), 3);
    }

    #[test]
    fn only_practice_gets_feedback() {
        let round = round(30, 1, 1, 6);
        let mut so_far = Tally::default();
        for part in Part::ALL.into_iter().filter(|p| *p != Part::Calibration) {
            let ticket = Ticket {
                part,
                ..practice(0)
            };
            assert_eq!(feedback(&round, ticket, Verdict::Accept, &mut so_far), None);
        }
        assert_eq!(
            feedback(&round, practice(6), Verdict::Accept, &mut so_far),
            None,
            "no such ticket"
        );
        assert_eq!(so_far, Tally::default());
    }

    #[test]
    fn lookalikes_are_counted_separately() {
        // Every third probe is a lookalike; even ones are bad.
        let round = round(30, 1, 1, 9);
        assert_eq!(lookalikes(&round).collect::<Vec<_>>(), [0, 3, 6]);
        let said = (0..9).map(|item| (Part::Probe, item, Verdict::Accept));
        let silent = [
            (Part::Main, 0, Verdict::Reject),
            (Part::Repeat, 0, Verdict::Reject),
        ];
        let found = score(
            &round,
            said.chain(silent)
                .chain([(Part::Calibration, 1, Verdict::Reject)]),
        );
        assert_eq!(
            found.probes,
            Tally {
                bad: 5,
                misses: 5,
                good: 4,
                ..Tally::default()
            }
        );
        assert_eq!(
            found.lookalikes,
            Tally {
                bad: 2,
                misses: 2,
                good: 1,
                ..Tally::default()
            }
        );
        assert_eq!(
            found.calibration,
            Tally {
                good: 1,
                false_rejects: 1,
                ..Tally::default()
            }
        );
        // Accepting everything is right in 4 of 9 and misses every bad item.
        assert_eq!(
            (found.probes.hits(), found.probes.misses),
            (4, found.probes.bad)
        );
    }

    proptest! {
        #[test]
        fn every_verdict_is_counted_once(
            said in prop::collection::vec((any::<bool>(), select(Verdict::ALL.to_vec())), 0..60)
        ) {
            let mut tally = Tally::default();
            let outcomes: Vec<Option<Outcome>> = said.iter().map(|(good, verdict)| tally.add(*good, *verdict)).collect();
            let count = |outcome| outcomes.iter().filter(|o| **o == Some(outcome)).count() as u32;
            prop_assert_eq!(tally.hits(), count(Outcome::Right));
            prop_assert_eq!((tally.misses, tally.false_rejects), (count(Outcome::Miss), count(Outcome::FalseReject)));
            prop_assert_eq!(tally.undecided, count(Outcome::Undecided));
            prop_assert!(tally.misses <= tally.bad && tally.false_rejects <= tally.good);
            prop_assert_eq!(tally.decided() + tally.undecided, outcomes.iter().flatten().count() as u32);
        }
    }
}
