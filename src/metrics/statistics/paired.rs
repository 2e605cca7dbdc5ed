//! McNemar's test of two models on the same units, and Holm's correction for many tests.

use super::gamma::ln_gamma;

/// McNemar's exact test: the two-sided p of `a_only` units that only one model got right against
/// `b_only` units that only the other got right, under a fair coin. 1 if they never differ.
///
/// Source: McNemar, Psychometrika 12 (1947), with the exact binomial distribution of the discordant
/// pairs.
pub fn mcnemar(a_only: u64, b_only: u64) -> f64 {
    let n = a_only + b_only;
    let fewer = a_only.min(b_only);
    // ln of C(n, fewer) / 2^n, so that no power of two underflows. Terms shrink from there on and
    // are added until they no longer matter.
    let (whole, few) = (n as f64 + 1.0, fewer as f64 + 1.0);
    let log_term = ln_gamma(whole)
        - ln_gamma(few)
        - ln_gamma(whole - few + 1.0)
        - n as f64 * std::f64::consts::LN_2;
    let (mut term, mut tail) = (1.0, 1.0);
    for i in (1..=fewer).rev() {
        term *= i as f64 / (n - i + 1) as f64;
        tail += term;
        if term < tail * 1e-17 {
            break;
        }
    }
    (2.0 * tail * log_term.exp()).min(1.0)
}

/// Number of units that only the first, and only the second, model got right. Slices of different
/// lengths are compared up to the shorter length.
pub fn discordant(a: &[bool], b: &[bool]) -> (u64, u64) {
    let count = |x: bool| {
        a.iter()
            .zip(b)
            .filter(|(a, b)| **a == x && **b != x)
            .count() as u64
    };
    (count(true), count(false))
}

/// Holm-corrected p values: in ascending order, the `i`th of `m` (from 0) times `m - i`, at least
/// the previous one and at most 1. They can be compared with the level of the whole family. In
/// input order.
///
/// Source: Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of
/// Statistics 6 (1979).
pub fn holm(p: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|a, b| p[*a].total_cmp(&p[*b]));
    let (mut adjusted, mut least) = (vec![0.0; p.len()], 0.0f64);
    for (i, at) in order.into_iter().enumerate() {
        least = least.max((p.len() - i) as f64 * p[at]).min(1.0);
        adjusted[at] = least;
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mcnemar_matches_the_conformance_vectors() {
        for (a, b, p) in [
            (81, 63, 0.156_339_842_080_039_65),
            (97, 67, 0.023_248_999_651_720_514),
            (97, 60, 0.003_921_773_116_093_405),
            (66, 54, 0.315_303_300_832_257_8),
            (70, 51, 0.101_367_653_533_092_28),
            (63, 56, 0.582_493_791_157_224_9),
        ] {
            assert!(
                (mcnemar(a, b) - p).abs() < 1e-10,
                "{a} {b}: {}",
                mcnemar(a, b)
            );
            assert_eq!(mcnemar(a, b), mcnemar(b, a));
        }
        assert_eq!(mcnemar(0, 0), 1.0);
        assert_eq!(mcnemar(5, 5), 1.0);
        assert!(mcnemar(4000, 5000) > 0.0);
    }

    #[test]
    fn discordant_counts_units_that_one_model_got_right() {
        let (a, b) = (
            [true, true, false, false, true],
            [true, false, true, false, false],
        );
        assert_eq!(discordant(&a, &b), (2, 1));
        assert_eq!((discordant(&a, &a), discordant(&a, &[])), ((0, 0), (0, 0)));
    }

    #[test]
    fn holm_matches_hand_calculation() {
        assert_eq!(holm(&[0.01, 0.04, 0.03]), [0.03, 0.06, 0.06]);
        assert_eq!(holm(&[0.5, 0.9]), [1.0, 1.0]);
        assert_eq!(holm(&[]), [0.0; 0]);
    }
}
