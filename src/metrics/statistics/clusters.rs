//! Bootstrap intervals for statistics of sums over images or image pairs, by resampling whole
//! clusters.
//!
//! Source: Efron and Tibshirani, "An Introduction to the Bootstrap" (1993), chapters 8 and 13.
//! Clusters are resampled with replacement, because questions about one image are not independent.
//! The interval is the percentile interval. Equal clusters are resampled together as counts of each
//! kind, so a draw costs as much as there are kinds of clusters.

use std::collections::{BTreeMap, HashMap};
use std::hash::Hash;

use crate::agreement::{Drawing, interval};
use benchtop_model::agreement::{Bootstrap, Interval, Undefined};

/// Reason why there is no interval.
pub type NoInterval = &'static str;

const NONE: NoInterval = "there are no clusters";
const ONE: NoInterval = "a single cluster shows no variation";
const FEW: NoInterval = "the value is undefined in more than a tenth of the draws";
const SAME: NoInterval = "all draws give the same value";

/// The amounts that one cluster adds to the sums: (sum, bits of the amount), ordered by sum.
type Kind = Vec<(u32, u64)>;

/// The sums of every cluster.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Clusters {
    width: usize,
    clusters: u64,
    kinds: BTreeMap<Kind, u64>,
}

impl Clusters {
    /// Starts without clusters, with `width` sums.
    pub fn new(width: usize) -> Clusters {
        Clusters {
            width,
            ..Clusters::default()
        }
    }

    /// Clusters with two sums, `k` and `n`; see [`Clusters::ratio`].
    pub fn ratios(of: impl IntoIterator<Item = (f64, f64)>) -> Clusters {
        let mut clusters = Clusters::new(2);
        of.into_iter()
            .for_each(|(k, n)| clusters.push(&[(0, k), (1, n)]));
        clusters
    }

    /// Adds a cluster: pairs of a sum's index and an amount. Amounts for the same sum are added.
    /// Amounts for unknown sums and amounts that are not finite are ignored.
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

    /// Number of clusters.
    pub fn len(&self) -> u64 {
        self.clusters
    }

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

    /// The 95 % interval of a statistic of the sums. Draws for which the statistic is `None` are
    /// ignored.
    ///
    /// # Errors
    /// The reason, if there are fewer than two clusters, if the statistic is defined in less than
    /// 90 % of the draws, or if all draws give the same value.
    pub fn interval(
        &self,
        plan: Bootstrap,
        mut statistic: impl FnMut(&[f64]) -> Option<f64>,
    ) -> Result<Interval, NoInterval> {
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

    /// The first sum over the second; `None` if the second is 0.
    pub fn ratio(sums: &[f64]) -> Option<f64> {
        match sums {
            [k, n, ..] if *n > 0.0 => Some(k / n),
            _ => None,
        }
    }

    /// The interval of [`Clusters::ratio`].
    pub fn ratio_interval(&self, plan: Bootstrap) -> Result<Interval, NoInterval> {
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

/// Collects the sums of clusters from units in any order.
#[derive(Clone, Debug)]
pub struct ClusterSums<K> {
    width: usize,
    of: HashMap<K, Vec<(usize, f64)>>,
}

impl<K: Eq + Hash> ClusterSums<K> {
    pub fn new(width: usize) -> Self {
        ClusterSums {
            width,
            of: HashMap::new(),
        }
    }

    /// Adds an amount to a sum of the cluster with this key.
    pub fn add(&mut self, key: K, sum: usize, amount: f64) {
        self.of.entry(key).or_default().push((sum, amount));
    }

    /// The clusters. They do not depend on the order of the units.
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
    fn interval_is_reproducible_in_any_order() {
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

    /// Questions of one image that are all right or all wrong carry as much information as one
    /// question.
    #[test]
    fn clusters_widen_intervals() {
        let alone = Clusters::ratios((0..400).map(|i| (f64::from(i % 4 != 0), 1.0)));
        let together = Clusters::ratios((0..100).map(|i| (4.0 * f64::from(i % 4 != 0), 4.0)));
        let [alone, together] =
            [alone, together].map(|c| c.ratio_interval(plan()).unwrap().standard_error);
        assert!((together / alone - 2.0).abs() < 0.2, "{together} {alone}");
    }

    #[test]
    fn missing_interval_has_a_reason() {
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
