//! Rank correlation of two boards: do they put the same models in the same order?

use serde::{Deserialize, Serialize};

use super::number::Number;
use super::ranks::pairs;
use benchtop_model::rng::Stream;

/// Up to this number of models, every order is tried (9! is 362,880).
const EXACT: usize = 9;

/// Number of sampled orders for more models.
const DRAWS: u32 = 9_999;

/// Equal numbers may differ in their last digits, depending on the order of summation.
const ROUNDING: f64 = 1e-9;

/// A rank correlation with its p value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Correlation {
    /// Number of models on both boards.
    pub n: usize,
    /// From -1 (opposite order) to 1 (same order).
    pub coefficient: Number,
    /// Two-sided p: the probability that a random order gives a coefficient at least as far from 0.
    pub p: Number,
    /// How p was computed.
    pub significance: Significance,
}

/// How a p value was computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "by")]
pub enum Significance {
    /// All orders were tried.
    Exact {
        /// Number of orders.
        orders: u64,
    },
    /// Orders were sampled. The given order counts as one more (Phipson and Smyth 2010).
    Drawn {
        /// Number of sampled orders.
        draws: u32,
        /// Seed of the sample.
        seed: u64,
    },
    /// There is no coefficient to test.
    None,
}

/// Ranks from 1 for the smallest. Equal values share the mean of their ranks.
pub fn average_ranks(of: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..of.len()).collect();
    order.sort_by(|a, b| of[*a].total_cmp(&of[*b]));
    let mut ranks = vec![0.0; of.len()];
    let mut start = 0;
    while start < order.len() {
        let same = order[start..]
            .iter()
            .take_while(|at| of[**at] == of[order[start]])
            .count()
            .max(1);
        let rank = start as f64 + (same as f64 + 1.0) / 2.0;
        order[start..start + same]
            .iter()
            .for_each(|at| ranks[*at] = rank);
        start += same;
    }
    ranks
}

/// Spearman's rho: the correlation of average ranks. `seed` is for [`Significance::Drawn`].
///
/// Source: Spearman, American Journal of Psychology 15 (1904); Dysca, Table 4 (which states neither
/// n nor the rule for ties).
pub fn spearman(x: &[f64], y: &[f64], seed: u64) -> Correlation {
    let (n, x, y) = match checked(x, y) {
        Ok(checked) => checked,
        Err(none) => return none,
    };
    let center = |of: &[f64]| {
        let mean = (n as f64 + 1.0) / 2.0;
        average_ranks(of)
            .into_iter()
            .map(|r| r - mean)
            .collect::<Vec<_>>()
    };
    let (x, y) = (center(x), center(y));
    let squares = |of: &[f64]| of.iter().map(|r| r * r).sum::<f64>();
    let scale = (squares(&x) * squares(&y)).sqrt();
    tested(n, scale, seed, |order| {
        order.iter().zip(&x).map(|(at, x)| x * y[*at]).sum::<f64>()
    })
}

/// Kendall's tau-b: concordant minus discordant pairs, over the geometric mean of the numbers of
/// pairs that are not tied in each. `seed` is for [`Significance::Drawn`].
///
/// Source: Kendall, "The treatment of ties in ranking problems", Biometrika 33 (1945); Dysca, Table
/// 4.
pub fn kendall(x: &[f64], y: &[f64], seed: u64) -> Correlation {
    let (n, x, y) = match checked(x, y) {
        Ok(checked) => checked,
        Err(none) => return none,
    };
    let sign = |a: f64, b: f64| if a > b { 1i8 } else { -i8::from(a < b) };
    let signs = |of: &[f64]| {
        of.iter()
            .map(|a| of.iter().map(|b| sign(*a, *b)).collect::<Vec<_>>())
            .collect::<Vec<_>>()
    };
    let (x, y) = (signs(x), signs(y));
    let untied = |of: &[Vec<i8>]| of.iter().flatten().filter(|s| **s != 0).count() as f64 / 2.0;
    let scale = (untied(&x) * untied(&y)).sqrt();
    tested(n, scale, seed, |order| {
        pairs(n)
            .map(|(i, j)| i64::from(x[i][j] * y[order[i]][order[j]]))
            .sum::<i64>() as f64
    })
}

fn none(n: usize, why: &'static str) -> Correlation {
    Correlation {
        n,
        coefficient: Number::none(why),
        p: Number::none(why),
        significance: Significance::None,
    }
}

fn checked<'a>(x: &'a [f64], y: &'a [f64]) -> Result<(usize, &'a [f64], &'a [f64]), Correlation> {
    let n = x.len().min(y.len());
    let constant = |of: &[f64]| of.windows(2).all(|pair| pair[0] == pair[1]);
    if x.len() != y.len() {
        Err(none(n, "the two boards do not have the same models"))
    } else if x.iter().chain(y).any(|v| !v.is_finite()) {
        Err(none(n, "the numbers are not finite"))
    } else if n < 2 {
        Err(none(n, "a rank correlation needs at least two models"))
    } else if constant(x) || constant(y) {
        Err(none(n, "one of the boards gives all models the same value"))
    } else {
        Ok((n, x, y))
    }
}

/// The coefficient is `sum` of the given order over `scale`. p is the share of orders whose `sum`
/// is at least as far from 0.
fn tested(n: usize, scale: f64, seed: u64, sum: impl Fn(&[usize]) -> f64) -> Correlation {
    let mut order: Vec<usize> = (0..n).collect();
    let given = sum(&order);
    let far = given.abs() - ROUNDING;
    let (p, significance) = if n <= EXACT {
        let (mut orders, mut as_far) = (0u64, 0u64);
        each_order(&mut order, &mut |order| {
            orders += 1;
            as_far += u64::from(sum(order).abs() >= far);
        });
        (
            as_far as f64 / orders as f64,
            Significance::Exact { orders },
        )
    } else {
        let mut stream = Stream::new(seed);
        let mut as_far = 1u32;
        for _ in 0..DRAWS {
            stream.shuffle(&mut order);
            as_far += u32::from(sum(&order).abs() >= far);
        }
        (
            f64::from(as_far) / f64::from(DRAWS + 1),
            Significance::Drawn { draws: DRAWS, seed },
        )
    };
    Correlation {
        n,
        coefficient: Number::of((given / scale).clamp(-1.0, 1.0)),
        p: Number::of(p),
        significance,
    }
}

/// Calls `take` once for every order (Heap, The Computer Journal 6, 1963).
fn each_order(order: &mut [usize], take: &mut dyn FnMut(&[usize])) {
    let mut turns = vec![0; order.len()];
    take(order);
    let mut at = 1;
    while at < order.len() {
        if turns[at] < at {
            order.swap(if at % 2 == 0 { 0 } else { turns[at] }, at);
            take(order);
            turns[at] += 1;
            at = 1;
        } else {
            turns[at] = 0;
            at += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties_share_the_mean_of_their_ranks() {
        assert_eq!(average_ranks(&[3.0, 1.0, 3.0, 2.0]), [3.5, 1.0, 3.5, 2.0]);
        assert!(average_ranks(&[]).is_empty());
    }

    /// Five models in the same order: 2 of 120 orders are as extreme (evaluation of Dysca's Table
    /// 4: only rho = 1 reaches 0.017).
    #[test]
    fn five_models_in_the_same_order() {
        let board = [1.0, 2.0, 3.0, 4.0, 5.0];
        for found in [spearman(&board, &board, 1), kendall(&board, &board, 1)] {
            assert_eq!((found.n, found.coefficient.value), (5, Some(1.0)));
            assert_eq!(found.p.value, Some(2.0 / 120.0));
            assert_eq!(found.significance, Significance::Exact { orders: 120 });
        }
    }

    #[test]
    fn every_order_is_tried_once() {
        let mut seen = std::collections::BTreeSet::new();
        each_order(&mut [0, 1, 2, 3, 4], &mut |order| {
            assert!(seen.insert(order.to_vec()))
        });
        assert_eq!(seen.len(), 120);
    }

    #[test]
    fn undefined_correlation_has_a_reason() {
        let reason = |x: &[f64], y: &[f64]| spearman(x, y, 1).coefficient.undefined.unwrap();
        assert_eq!(reason(&[], &[]), reason(&[1.0], &[1.0]));
        let mut reasons = vec![
            reason(&[], &[]),
            reason(&[1.0, 2.0], &[1.0]),
            reason(&[1.0, 1.0], &[1.0, 2.0]),
            reason(&[1.0, f64::NAN], &[1.0, 2.0]),
        ];
        reasons.sort();
        reasons.dedup();
        assert_eq!(reasons.len(), 4);
    }

    #[test]
    fn many_models_use_sampled_orders() {
        let x: Vec<f64> = (0..20).map(f64::from).collect();
        let y: Vec<f64> = (0..20).map(|i| f64::from(i * 7 % 20)).collect();
        let found = kendall(&x, &y, 4);
        assert_eq!(found, kendall(&x, &y, 4));
        assert_eq!(
            found.significance,
            Significance::Drawn {
                draws: DRAWS,
                seed: 4
            }
        );
        assert_eq!(spearman(&x, &x, 4).p.value, Some(1e-4));
    }
}
