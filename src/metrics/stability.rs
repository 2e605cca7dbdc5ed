//! How a score settles as more of the data is used.
//!
//! Source: Dysca, appendix B.2, which plots the sum of the three types' scores over 1, 10, 20 to
//! 100 % of the data. A seed determines the order of the questions.

use serde::{Deserialize, Serialize};

use super::statistics::Number;
use benchtop_model::rng::Stream;

/// The percentages of the data in the paper.
pub const FRACTIONS: [f64; 11] = [
    1.0, 10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0, 90.0, 100.0,
];

/// A point of the curve.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// Percentage of the data.
    pub percent: f64,
    /// Number of questions.
    pub n: usize,
    /// Score on these questions.
    pub score: Number,
}

/// The score of the first `percent` of `n` questions in a shuffled order, for each of `percents`.
/// `score` gets the indices of the questions. Each point includes the questions of the smaller
/// ones, and at least one question if there are any.
pub fn curve(
    n: usize,
    percents: &[f64],
    seed: u64,
    mut score: impl FnMut(&[usize]) -> Number,
) -> Vec<Point> {
    let mut order: Vec<usize> = (0..n).collect();
    Stream::new(seed).shuffle(&mut order);
    let point = |percent: &f64| {
        let percent = percent.clamp(0.0, 100.0);
        let taken = ((n as f64 * percent / 100.0).round() as usize).clamp(n.min(1), n);
        Point {
            percent,
            n: taken,
            score: score(&order[..taken]),
        }
    };
    percents.iter().map(point).collect()
}

/// The largest distance of a point from the last one, in the unit of the score, over the points
/// with at least `percent` of the data.
pub fn largest_drift(curve: &[Point], percent: f64) -> Option<f64> {
    let last = curve.last()?.score.value?;
    let far = curve
        .iter()
        .filter(|p| p.percent >= percent)
        .filter_map(|p| Some((p.score.value? - last).abs()));
    far.max_by(f64::total_cmp)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tally::Tally;

    #[test]
    fn curve_ends_at_all_data_and_is_reproducible() {
        let right = |at: &usize| !at.is_multiple_of(4);
        let of = |seed| {
            curve(1000, &FRACTIONS, seed, |places| {
                Tally::of(
                    places.iter().filter(|p| right(p)).count() as u64,
                    places.len() as u64,
                )
                .percent()
            })
        };
        let found = of(7);
        assert_eq!(found, of(7));
        assert_ne!(found, of(8));
        assert_eq!(
            found.iter().map(|p| p.n).collect::<Vec<_>>(),
            [10, 100, 200, 300, 400, 500, 600, 700, 800, 900, 1000]
        );
        assert_eq!(found[10].score.value, Some(75.0));
        assert!(largest_drift(&found, 50.0).unwrap() < largest_drift(&found, 1.0).unwrap() + 1e-12);
        assert_eq!(largest_drift(&found, 100.0), Some(0.0));
    }

    #[test]
    fn curve_handles_little_and_no_data() {
        let n = |n| {
            curve(n, &[1.0, 100.0], 1, |_| Number::of(1.0))
                .iter()
                .map(|p| p.n)
                .collect::<Vec<_>>()
        };
        assert_eq!((n(0), n(1), n(30)), (vec![0, 0], vec![1, 1], vec![1, 30]));
        assert_eq!(largest_drift(&[], 1.0), None);
    }
}
