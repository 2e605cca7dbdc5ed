//! What several models' outcomes on one item say of the item itself: Dysca's step 3, and how far words alone go.

use serde::{Deserialize, Serialize};

use super::statistics::{Z95, wilson};

/// What one model made of one item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// Right.
    Right,
    /// Another answer than the right one.
    Wrong,
    /// It says that none of the options is right.
    NoneOfThese,
    /// It would not answer.
    Refused,
    /// Its answer cannot be read.
    Unparsed,
    /// It has no answer.
    Missing,
}

/// How the chosen models stand on one item.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Models that got it right.
    pub right: usize,
    /// Models that say something else, or that no option is right.
    pub against: usize,
    /// Models that say nothing that counts: refused, unparsed, missing.
    pub unknown: usize,
    /// Of those that declined.
    pub refused: usize,
    /// Of those whose answer cannot be read.
    pub unparsed: usize,
}

impl Tally {
    /// Counts the outcomes of one item, one a model.
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

    /// Whether at least `k` of the models are against the item: it is suspect, and a person should look (Dysca, step 3
    /// of its cleaning, where all of the best models count). An unknown outcome counts neither way: none while the unknown
    /// ones could still make `k`. With `k` of 0, or over the number of models, nothing can be said.
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
    /// Blind runs that got it right.
    pub right: u64,
    /// Blind runs whose outcome is known.
    pub known: u64,
    /// Wilson's 95 % interval of the share.
    pub interval: (f64, f64),
}

impl BlindPrior {
    /// From the outcomes of text-only runs on one item; none where none of them is known. Saying that no option is right
    /// is an answer like any other.
    pub fn new(outcomes: impl IntoIterator<Item = Outcome>) -> Option<BlindPrior> {
        let Tally { right, against, .. } = Tally::new(outcomes);
        let (right, known) = (right as u64, (right + against) as u64);
        Some(BlindPrior {
            right,
            known,
            interval: wilson(right, known, Z95)?,
        })
    }

    /// Share of right answers.
    pub fn share(&self) -> f64 {
        self.right as f64 / self.known as f64
    }

    /// Whether words alone do better than chance, beyond doubt: the whole interval lies above `chance`.
    pub fn above(&self, chance: f64) -> bool {
        self.interval.0 > chance
    }
}

#[cfg(test)]
mod tests {
    use super::Outcome::*;
    use super::*;

    #[test]
    fn k_of_n_with_the_unknown_left_out() {
        let suspect = |outcomes: &[Outcome], k| Tally::new(outcomes.iter().copied()).suspect(k);
        assert_eq!(suspect(&[Wrong, NoneOfThese, Wrong], 3), Some(true));
        assert_eq!(suspect(&[Wrong, Right, Wrong], 3), Some(false));
        assert_eq!(suspect(&[Wrong, Right, Wrong], 2), Some(true));
        // What is not known is no vote, and no acquittal either.
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
    fn a_blind_prior_has_an_interval_and_needs_answers() {
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
        // The interval of 16 in 20 of the conformance vectors.
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
