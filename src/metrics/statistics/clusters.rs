//! Intervals for what is computed from sums over images or image pairs, by drawing whole clusters again.
//!
//! Source: Efron and Tibshirani, "An Introduction to the Bootstrap" (1993), chapters 8 and 13: what is drawn with replacement is
//! the cluster, since questions about one image are not independent; the interval is the percentile interval. Clusters that are
//! alike are drawn together, as counts of each kind, so that a draw costs as much as there are kinds of clusters.

use std::collections::{BTreeMap, HashMap};
use std::hash::Hash;

use crate::agreement::{Drawing, interval};
use benchtop_model::agreement::{Bootstrap, Interval, Undefined};

/// Why there is no interval, in words.
pub type Why = &'static str;

const NONE: Why = "there are no clusters";
const ONE: Why = "one cluster says nothing of the others";
const FEW: Why = "it is not defined for more than a tenth of the draws";
const SAME: Why = "all draws give the same";

/// What one cluster adds to the sums: (sum, bits of the amount), by sum.
type Kind = Vec<(u32, u64)>;

/// The sums of every cluster.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Clusters {
    width: usize,
    clusters: u64,
    kinds: BTreeMap<Kind, u64>,
}

impl Clusters {
    /// No clusters yet, with `width` sums.
    pub fn new(width: usize) -> Clusters {
        Clusters {
            width,
            ..Clusters::default()
        }
    }

    /// Clusters with two sums: how much of `n` each got (`k`). Their ratio is that of [`Clusters::ratio`].
    pub fn ratios(of: impl IntoIterator<Item = (f64, f64)>) -> Clusters {
        let mut clusters = Clusters::new(2);
        of.into_iter()
            .for_each(|(k, n)| clusters.push(&[(0, k), (1, n)]));
        clusters
    }

    /// Adds a cluster: which sums it adds to, and how much. Amounts for one sum are added up; those for a sum that does not exist,
    /// and those that are not finite, are left out.
    pub fn push(&mut self, adds: &[(usize, f64)]) {
        let mut sums: BTreeMap<u32, f64> = BTreeMap::new();
        for (sum, amount) in adds
            .iter()
            .filter(|(sum, amount)| *sum < self.width && amount.is_finite())
        {
            *sums.entry(*sum as u32).or_default() += amount;
        }
        let kind = sums
            .into_iter()
            .filter(|(_, amount)| *amount != 0.0)
            .map(|(sum, n)| (sum, n.to_bits()))
            .collect();
        *self.kinds.entry(kind).or_default() += 1;
        self.clusters += 1;
    }

    /// How many clusters there are.
    pub fn len(&self) -> u64 {
        self.clusters
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.clusters == 0
    }

    /// The sums over all clusters.
    pub fn sums(&self) -> Vec<f64> {
        let mut sums = vec![0.0; self.width];
        self.kinds
            .iter()
            .for_each(|(kind, n)| add(kind, *n, &mut sums));
        sums
    }

    /// The 95 % interval of any statistic of the sums, in the unit of the statistic. A draw for which it is `None` is left out.
    ///
    /// # Errors
    /// In words: without clusters, with one, when it is defined for less than 90 % of the draws, when all draws give the same.
    pub fn interval(
        &self,
        plan: Bootstrap,
        mut statistic: impl FnMut(&[f64]) -> Option<f64>,
    ) -> Result<Interval, Why> {
        match self.clusters {
            0 => return Err(NONE),
            1 => return Err(ONE),
            _ => {}
        }
        let of: Vec<u64> = self.kinds.values().copied().collect();
        let (mut drawing, mut drawn) = (Drawing::new(plan.seed, 0), Vec::new());
        let (mut sums, mut values) = (vec![0.0; self.width], Vec::new());
        for _ in 0..plan.draws {
            drawing.multinomial(&of, &mut drawn);
            sums.fill(0.0);
            for (kind, n) in self.kinds.keys().zip(&drawn).filter(|(_, n)| **n > 0) {
                add(kind, *n, &mut sums);
            }
            values.extend(statistic(&sums).filter(|value| value.is_finite()));
        }
        interval(values, plan.draws).map_err(|why| {
            if why == Undefined::NoSpread {
                SAME
            } else {
                FEW
            }
        })
    }

    /// The first sum over the second, in shares; `None` where the second is 0.
    pub fn ratio(sums: &[f64]) -> Option<f64> {
        match sums {
            [k, n, ..] if *n > 0.0 => Some(k / n),
            _ => None,
        }
    }

    /// The interval of [`Clusters::ratio`].
    ///
    /// # Errors
    /// As [`Clusters::interval`].
    pub fn ratio_interval(&self, plan: Bootstrap) -> Result<Interval, Why> {
        self.interval(plan, Clusters::ratio)
    }
}

fn add(kind: &Kind, n: u64, sums: &mut [f64]) {
    for (sum, amount) in kind {
        if let Some(sum) = sums.get_mut(*sum as usize) {
            *sum += n as f64 * f64::from_bits(*amount);
        }
    }
}

/// Gathers the sums of clusters from units in any order.
#[derive(Clone, Debug)]
pub struct ClusterSums<K> {
    width: usize,
    of: HashMap<K, Vec<(usize, f64)>>,
}

impl<K: Eq + Hash> ClusterSums<K> {
    /// Nothing yet, for `width` sums.
    pub fn new(width: usize) -> Self {
        ClusterSums {
            width,
            of: HashMap::new(),
        }
    }

    /// Adds to a sum of the cluster of that key.
    pub fn add(&mut self, key: K, sum: usize, amount: f64) {
        self.of.entry(key).or_default().push((sum, amount));
    }

    /// The clusters. The order in which units came makes no difference.
    pub fn finish(self) -> Clusters {
        let mut clusters = Clusters::new(self.width);
        self.of.into_values().for_each(|adds| clusters.push(&adds));
        clusters
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan() -> Bootstrap {
        Bootstrap {
            draws: 2000,
            seed: 3,
        }
    }

    #[test]
    fn a_draw_is_the_same_again_and_in_any_order() {
        let of = [(3.0, 4.0), (0.0, 2.0), (5.0, 5.0), (1.0, 6.0), (3.0, 4.0)];
        let one = Clusters::ratios(of);
        let two = Clusters::ratios(of.into_iter().rev());
        assert_eq!(one.sums(), [12.0, 21.0]);
        let found = one.ratio_interval(plan()).unwrap();
        assert_eq!(Ok(found), two.ratio_interval(plan()));
        assert!(
            found.low < 12.0 / 21.0 && 12.0 / 21.0 < found.high,
            "{found:?}"
        );
        let mut gathered = ClusterSums::new(2);
        for (image, (k, n)) in of.iter().enumerate() {
            (0..*n as usize).for_each(|i| {
                gathered.add(image, 1, 1.0);
                gathered.add(image, 0, f64::from(i < *k as usize));
            });
        }
        assert_eq!(gathered.finish(), one);
    }

    /// Questions of one image that are all right or all wrong are worth one question each.
    #[test]
    fn clusters_make_intervals_wider() {
        let alone = Clusters::ratios((0..400).map(|i| (f64::from(i % 4 != 0), 1.0)));
        let together = Clusters::ratios((0..100).map(|i| (4.0 * f64::from(i % 4 != 0), 4.0)));
        let [alone, together] =
            [alone, together].map(|c| c.ratio_interval(plan()).unwrap().standard_error);
        assert!((together / alone - 2.0).abs() < 0.2, "{together} {alone}");
    }

    #[test]
    fn what_cannot_be_drawn_says_why() {
        assert_eq!(Clusters::new(2).ratio_interval(plan()), Err(NONE));
        assert_eq!(
            Clusters::ratios([(1.0, 2.0)]).ratio_interval(plan()),
            Err(ONE)
        );
        assert_eq!(
            Clusters::ratios([(2.0, 2.0); 5]).ratio_interval(plan()),
            Err(SAME)
        );
        let none = Clusters::ratios([(0.0, 0.0); 5]).ratio_interval(plan());
        assert_eq!(none, Err(FEW));
        let mut odd = Clusters::new(1);
        odd.push(&[(0, f64::NAN), (7, 1.0), (0, 2.0)]);
        assert_eq!((odd.sums(), odd.len()), (vec![2.0], 1));
    }
}
