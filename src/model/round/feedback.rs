//! What known items tell of an annotator: after each one in practice, afterwards for probes.
//!
//! Bad items that were let through (misses) and good ones that were turned away (false rejects) are never summed into
//! one number: where defects are rare, an annotator who accepts everything would look excellent. Practice with
//! feedback on many bad items lowers misses (Wolfe, Van Wert et al. 2007), and only probes that look like the real
//! items tell what happens among them, so those are counted apart. Numbers only: intervals belong to the metrics.

use serde::{Deserialize, Serialize};

use super::order::Ticket;
use super::{Gold, Round};
use crate::verdict::{Part, Verdict};

/// What a verdict on a known item was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// A bad item was not let through, or a good one was accepted.
    Right,
    /// A bad item was accepted.
    Miss,
    /// A good item was rejected or sent to be fixed.
    FalseReject,
    /// It was flagged, or could not be told: neither right nor wrong.
    Undecided,
}

impl Outcome {
    /// The outcome of `verdict` on an item that is known to be `good` or not; none for a skip or an answer. To want a bad item
    /// fixed is to have seen that something is wrong with it.
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

/// Verdicts on known items, counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// Bad items that were decided on.
    pub bad: u32,
    /// Of these, accepted.
    pub misses: u32,
    /// Good items that were decided on.
    pub good: u32,
    /// Of these, rejected or sent to be fixed.
    pub false_rejects: u32,
    /// Items of either kind that were flagged or could not be told; in none of the above.
    pub undecided: u32,
}

impl Tally {
    /// Counts a verdict in, and says what it was.
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

    /// Verdicts that were right.
    pub fn hits(self) -> u32 {
        self.decided() - self.misses - self.false_rejects
    }

    /// Verdicts that were right or wrong.
    pub fn decided(self) -> u32 {
        self.bad + self.good
    }
}

/// What is shown after a ticket of practice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Feedback {
    /// What the verdict was.
    pub outcome: Outcome,
    /// Whether the item is good.
    pub good: bool,
    /// Why it was rejected, if it was: keys of reasons.
    pub reasons: Vec<String>,
    /// Practice so far, this verdict counted.
    pub so_far: Tally,
    /// Tickets of practice in the round.
    pub of: u32,
}

/// What there is to say after `verdict` on a ticket of practice; `so_far` is what came before, and is counted on. None for
/// any other ticket, which nobody is told about, and for a skip.
pub fn feedback(
    round: &Round,
    ticket: Ticket,
    verdict: Verdict,
    so_far: &mut Tally,
) -> Option<Feedback> {
    let Gold { good, reasons, .. } =
        known(round, ticket.part, ticket.item).filter(|_| ticket.part == Part::Calibration)?;
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

/// How an annotator did on the known items of a round.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Score {
    /// In practice, with feedback.
    pub calibration: Tally,
    /// On all probes.
    pub probes: Tally,
    /// On those of them that look like the round's items ([`Gold::lookalike`]).
    pub lookalikes: Tally,
}

/// How an annotator did: `said` are their verdicts on tickets of the round (part, position in the round's list, verdict), of
/// which those on known items count. Whoever judges a ticket twice is counted twice: pass what stands.
pub fn score(round: &Round, said: impl IntoIterator<Item = (Part, u32, Verdict)>) -> Score {
    let mut score = Score::default();
    for (part, item, verdict) in said {
        let Some(gold) = known(round, part, item) else {
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

/// The known item that a ticket shows; none for tickets of the round's own items.
pub fn known(round: &Round, part: Part, item: u32) -> Option<&Gold> {
    match part {
        Part::Calibration => round.calibration.get(item as usize),
        Part::Probe => round.probe_items.get(item as usize),
        Part::Main | Part::Revision | Part::Repeat | Part::Adjudication => None,
    }
}

/// Positions of the probes that look like the round's items: only these say what happens among them.
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
    fn a_verdict_on_a_known_item_is_right_a_miss_a_false_reject_or_undecided() {
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
    fn practice_is_answered_at_once_with_the_reason_and_the_running_count() {
        // Even positions are bad, for `wrong-answer`.
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
    fn nothing_is_told_of_anything_but_practice() {
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
    fn lookalikes_are_counted_apart() {
        // Every third probe is one, even ones are bad.
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
        // Accepting everything is right in 4 of 9 and misses every bad one: no single number says both.
        assert_eq!(
            (found.probes.hits(), found.probes.misses),
            (4, found.probes.bad)
        );
    }

    proptest! {
        #[test]
        fn every_verdict_is_counted_in_one_place(
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
