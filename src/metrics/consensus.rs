//! What several models' outcomes on one item say about the item: Dysca's cleaning step 3, and blind
//! runs without the picture.

use serde::{Deserialize, Serialize};

use super::statistics::{Z95, wilson};

/// The outcome of one model on one item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    Right,
    Wrong,
    /// The model says that none of the options is right.
    NoneOfThese,
    /// The model declined.
    Refused,
    /// The answer cannot be read.
    Unparsed,
    Missing,
}

/// The outcomes of the selected models on one item.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Models with the right answer.
    pub right: usize,
    /// Models with another answer, or that say that no option is right.
    pub against: usize,
    /// Models without a usable answer: refused, unparsed, or missing.
    pub unknown: usize,
    /// Models among `unknown` that declined.
    pub refused: usize,
    /// Models among `unknown` whose answer cannot be read.
    pub unparsed: usize,
}

impl Tally {
    /// Counts the outcomes of one item, one per model.
    pub fn new(outcomes: impl IntoIterator<Item = Outcome>) -> Tally {
        let mut tally = Tally::default();
        for outcome in outcomes {
            tally.refused += usize::from(outcome == Outcome::Refused);
            tally.unparsed += usize::from(outcome == Outcome::Unparsed);
            match outcome {
                Outcome::Right => tally.right += 1,
                Outcome::Wrong | Outcome::NoneOfThese => tally.against += 1,
                Outcome::Refused | Outcome::Unparsed | Outcome::Missing => tally.unknown += 1,
            }
        }
        tally
    }

    /// Whether the item is suspect, so that a person should look at it: at least `k` models are
    /// against it (Dysca's cleaning, step 3, which requires all of the best models). Unknown
    /// outcomes count neither way; the result is `None` while they could still complete `k`, and
    /// also if `k` is 0 or greater than the number of models.
    pub fn suspect(&self, k: usize) -> Option<bool> {
        let models = self.right + self.against + self.unknown;
        if k == 0 || k > models {
            return None;
        }
        match (self.against >= k, self.against + self.unknown >= k) {
            (true, _) => Some(true),
            (_, false) => Some(false),
            _ => None,
        }
    }
}

/// How often an item is answered right without its picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BlindPrior {
    /// Blind runs with the right answer.
    pub right: u64,
    /// Blind runs with a known outcome.
    pub known: u64,
    /// Wilson's 95 % interval of the share.
    pub interval: (f64, f64),
}

impl BlindPrior {
    /// Computes the prior from the outcomes of text-only runs on one item. `None` if no outcome is
    /// known. Saying that no option is right counts as an answer.
    pub fn new(outcomes: impl IntoIterator<Item = Outcome>) -> Option<BlindPrior> {
        let Tally { right, against, .. } = Tally::new(outcomes);
        let (right, known) = (right as u64, (right + against) as u64);
        Some(BlindPrior {
            right,
            known,
            interval: wilson(right, known, Z95)?,
        })
    }

    pub fn share(&self) -> f64 {
        self.right as f64 / self.known as f64
    }

    /// Whether text alone does significantly better than chance: the whole interval is above
    /// `chance`.
    pub fn above(&self, chance: f64) -> bool {
        self.interval.0 > chance
    }
}

#[cfg(test)]
mod tests {
    use super::Outcome::*;
    use super::*;

    #[test]
    fn suspect_ignores_unknown_outcomes() {
        let suspect = |outcomes: &[Outcome], k| Tally::new(outcomes.iter().copied()).suspect(k);
        assert_eq!(suspect(&[Wrong, NoneOfThese, Wrong], 3), Some(true));
        assert_eq!(suspect(&[Wrong, Right, Wrong], 3), Some(false));
        assert_eq!(suspect(&[Wrong, Right, Wrong], 2), Some(true));
        // An unknown outcome is neither a vote nor an acquittal.
        for unknown in [Refused, Unparsed, Missing] {
            assert_eq!(suspect(&[Wrong, unknown, Wrong], 3), None, "{unknown:?}");
            assert_eq!(suspect(&[Wrong, unknown, Right], 3), Some(false));
            assert_eq!(suspect(&[Wrong, unknown, Wrong], 2), Some(true));
            assert_eq!(suspect(&[unknown; 3], 1), None);
        }
        assert_eq!(
            (
                suspect(&[Wrong; 3], 0),
                suspect(&[Wrong; 3], 4),
                suspect(&[], 1)
            ),
            (None, None, None)
        );
    }

    #[test]
    fn blind_prior_has_interval_and_needs_answers() {
        let prior = BlindPrior::new(
            [
                [Right; 16].as_slice(),
                &[Wrong; 3],
                &[NoneOfThese, Refused, Missing],
            ]
            .concat(),
        );
        let prior = prior.unwrap();
        assert_eq!((prior.right, prior.known, prior.share()), (16, 20, 0.8));
        // The interval of 16 in 20, as in the conformance vectors.
        assert!(
            (prior.interval.0 - 0.584).abs() < 5e-5 && (prior.interval.1 - 0.9193).abs() < 5e-5,
            "{prior:?}"
        );
        assert!(prior.above(0.5) && !prior.above(0.6));
        let few = BlindPrior::new([Right, Right]).unwrap();
        assert!(
            few.above(0.25) && !few.above(0.35),
            "two right answers say little: {few:?}"
        );
        assert_eq!(BlindPrior::new([Refused, Unparsed, Missing]), None);
    }
}
