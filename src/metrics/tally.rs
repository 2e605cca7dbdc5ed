//! Results of a set of answers, in numbers that can be added.

use std::ops::{Add, AddAssign};

use serde::{Deserialize, Serialize};

use super::statistics::Number;

/// How a set of questions was answered. Missing, unparsed, and refused answers are part of `n`.
/// Their points are in `points`: always 0, except in MM-SAP.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Tally {
    /// Number of scored questions.
    pub n: u64,
    /// Points: one for each right answer, or a similarity from 0 to 1 for each free-form one.
    pub points: f64,
    /// Questions without an answer.
    pub missing: u64,
    /// Answers that no rule could read.
    pub unparsed: u64,
    /// Answers that decline.
    pub refused: u64,
}

impl Tally {
    /// `k` right answers out of `n`.
    pub fn of(k: u64, n: u64) -> Tally {
        Tally {
            n,
            points: k as f64,
            ..Tally::default()
        }
    }

    /// One question, with the points of its answer.
    pub fn one(points: f64) -> Tally {
        Tally {
            n: 1,
            points,
            ..Tally::default()
        }
    }

    /// Points per question, from 0 to 1.
    pub fn value(&self) -> Number {
        Number::or((self.n > 0).then(|| self.points / self.n as f64), NOTHING)
    }

    /// Points per question in percent.
    pub fn percent(&self) -> Number {
        self.value().map(|share| 100.0 * share)
    }
}

/// The reason for an undefined value.
pub(super) const NOTHING: &str = "no questions";

impl Add for Tally {
    type Output = Tally;

    fn add(self, other: Tally) -> Tally {
        Tally {
            n: self.n + other.n,
            points: self.points + other.points,
            missing: self.missing + other.missing,
            unparsed: self.unparsed + other.unparsed,
            refused: self.refused + other.refused,
        }
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Tally) {
        *self = *self + other;
    }
}

impl std::iter::Sum for Tally {
    fn sum<I: Iterator<Item = Tally>>(all: I) -> Tally {
        all.fold(Tally::default(), Add::add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tallies_add() {
        let all: Tally = [
            Tally::of(3, 4),
            Tally::one(0.5),
            Tally {
                n: 1,
                refused: 1,
                ..Tally::default()
            },
        ]
        .into_iter()
        .sum();
        assert_eq!((all.n, all.points, all.refused), (6, 3.5, 1));
        assert_eq!(all.percent(), Number::of(100.0 * 3.5 / 6.0));
        assert_eq!(Tally::default().value(), Number::none("no questions"));
    }
}
