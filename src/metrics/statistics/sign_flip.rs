//! Tests whether two models differ if questions that share a picture are not independent.
//!
//! A cluster's difference is the number of its units that only the first model got right, minus
//! those that only the second did. If the models were equal, each cluster could as well have the
//! opposite difference. The test asks how often random signs give a sum as far from 0. If every
//! cluster has one unit, this is McNemar's exact test.

use super::gamma::normal_two_sided;
use super::proportion::Z95;

/// Up to this sum of squared differences, all signs are tried.
pub const EXACT: u64 = 400;

/// The two-sided p of the clusters' differences, given their sum and their sum of squares. `few`
/// are the differences that are not 0; they are needed if `squares` is at most [`EXACT`]. Then all
/// signs are tried as well and the larger p counts, because the normal approximation is too
/// optimistic for few clusters. 1 if no cluster differs.
pub fn flip_test(sum: i64, squares: u64, few: Option<&[i64]>) -> f64 {
    if squares == 0 {
        return 1.0;
    }
    let normal = normal_two_sided(sum as f64 / (squares as f64).sqrt());
    few.map_or(normal, |few| normal.max(tried(sum, few)))
}

/// The share of all sign combinations whose sum is at least as far from 0.
fn tried(sum: i64, of: &[i64]) -> f64 {
    let sizes: Vec<usize> = of
        .iter()
        .map(|d| d.unsigned_abs() as usize)
        .filter(|d| *d > 0)
        .collect();
    // The sum is twice the total of the positive differences minus the total of all.
    let all: usize = sizes.iter().sum();
    let mut chance = vec![0.0; all + 1];
    chance[0] = 1.0;
    let mut reached = 0;
    for size in sizes {
        reached += size;
        for at in (0..=reached).rev() {
            let with = if at >= size { chance[at - size] } else { 0.0 };
            chance[at] = (chance[at] + with) / 2.0;
        }
    }
    let far = |at: usize| (2 * at as i64 - all as i64).abs() >= sum.abs();
    let p: f64 = chance
        .iter()
        .enumerate()
        .filter(|(at, _)| far(*at))
        .map(|(_, chance)| chance)
        .sum();
    p.min(1.0)
}

/// Sums over the clusters that two models are both scored on.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Differences {
    /// Sum of differences.
    pub d: f64,
    /// Sum of squared differences.
    pub dd: f64,
    /// Sum of units.
    pub n: f64,
    /// Sum of differences times units.
    pub dn: f64,
    /// Sum of squared units.
    pub nn: f64,
}

impl Differences {
    pub fn add(&mut self, d: f64, n: f64) {
        self.d += d;
        self.dd += d * d;
        self.n += n;
        self.dn += d * n;
        self.nn += n * n;
    }

    /// The 95 % interval of the mean difference per unit that matches a test with this p: it
    /// excludes 0 if p is below 0.05 and includes it otherwise. `None` if there are too few
    /// clusters to exclude anything.
    ///
    /// It contains the differences that the test does not reject when each unit's difference is
    /// reduced by that much. If p is larger than that of the normal approximation, the interval is
    /// extended to 0.
    pub fn interval(&self, p: f64) -> Option<(f64, f64)> {
        let z = Z95 * Z95;
        let (a, b, c) = (
            self.n * self.n - z * self.nn,
            self.d * self.n - z * self.dn,
            self.d * self.d - z * self.dd,
        );
        let root = b * b - a * c;
        if a <= 0.0 || root < 0.0 {
            return None;
        }
        let (low, high) = ((b - root.sqrt()) / a, (b + root.sqrt()) / a);
        let (low, high) = if p < 0.05 {
            (low, high)
        } else {
            (low.min(0.0), high.max(0.0))
        };
        Some((low.max(-1.0), high.min(1.0)))
    }
}

#[cfg(test)]
mod tests {
    use super::super::mcnemar;
    use super::*;
    use benchtop_model::rng::Stream;

    fn of(differences: &[i64]) -> f64 {
        let squares = differences.iter().map(|d| (d * d) as u64).sum();
        flip_test(differences.iter().sum(), squares, Some(differences))
    }

    #[test]
    fn single_units_give_mcnemars_test() {
        for (a, b) in [
            (0usize, 0usize),
            (1, 0),
            (6, 0),
            (12, 3),
            (81, 63),
            (97, 60),
        ] {
            let differences = [vec![1; a], vec![-1; b]].concat();
            let (found, exact) = (of(&differences), mcnemar(a as u64, b as u64));
            assert!((found - exact).abs() < 1e-12, "{a} {b}: {found} {exact}");
        }
        assert_eq!(of(&[0, 0]), 1.0);
    }

    /// McNemar's p is never the smaller one near the limit, so an interval by the normal
    /// distribution agrees with it.
    #[test]
    fn interval_excludes_zero_exactly_if_p_is_below_five_percent() {
        for n in 1..400u64 {
            for b in 0..=n / 2 {
                let p = mcnemar(n - b, b);
                let mut sums = Differences::default();
                (0..n).for_each(|at| sums.add(if at < b { -1.0 } else { 1.0 }, 1.0));
                (0..50).for_each(|_| sums.add(0.0, 1.0));
                let Some((low, high)) = sums.interval(p) else {
                    panic!("{n} {b}")
                };
                assert_eq!(
                    p < 0.05,
                    low > 0.0 || high < 0.0,
                    "{n} {b}: {p} {low} {high}"
                );
            }
        }
        let mut stream = Stream::new(5);
        for _ in 0..2000 {
            let clusters = 4 + stream.below(40);
            let (mut sums, mut differences) = (Differences::default(), Vec::new());
            for _ in 0..clusters {
                let n = 1 + stream.below(6) as i64;
                let d =
                    (stream.below(2 * n as usize + 1) as i64 - n + stream.below(2) as i64).min(n);
                sums.add(d as f64, n as f64);
                differences.push(d);
            }
            let p = of(&differences);
            if let Some((low, high)) = sums.interval(p) {
                assert_eq!(
                    p < 0.05,
                    low > 0.0 || high < 0.0,
                    "{differences:?}: {p} {low} {high}"
                );
                let mean = sums.d / sums.n;
                assert!(low <= mean + 1e-12 && mean <= high + 1e-12);
            }
        }
    }

    #[test]
    fn few_clusters_exclude_nothing() {
        let mut sums = Differences::default();
        (0..3).for_each(|_| sums.add(2.0, 4.0));
        assert_eq!(
            (sums.interval(of(&[2, 2, 2])), of(&[2, 2, 2])),
            (None, 0.25)
        );
    }
}
