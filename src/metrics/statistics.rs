//! How sure a share is, and whether two models differ.

/// The 97.5 % point of the standard normal distribution: z of a two-sided 95 % interval.
pub const Z95: f64 = 1.959_963_984_540_054;

/// Wilson's score interval of `k` right out of `n`, as shares in 0..=1, at confidence `z` ([`Z95`]); `None` for `n` = 0 or `k` > `n`.
///
/// Source: Wilson, "Probable inference, the law of succession, and statistical inference", JASA 22 (1927). Units are taken as
/// independent; for units that share an image it is too narrow.
pub fn wilson(k: u64, n: u64, z: f64) -> Option<(f64, f64)> {
    if n == 0 || k > n {
        return None;
    }
    let (count, share) = (n as f64, k as f64 / n as f64);
    let scale = 1.0 + z * z / count;
    let centre = (share + z * z / (2.0 * count)) / scale;
    let half = z / scale * (share * (1.0 - share) / count + z * z / (4.0 * count * count)).sqrt();
    let low = if k == 0 { 0.0 } else { (centre - half).max(0.0) };
    let high = if k == n { 1.0 } else { (centre + half).min(1.0) };
    Some((low, high))
}

/// McNemar's exact test: the two-sided p of `a_only` units that only one model got right against `b_only` that only the other
/// did, under a fair coin. 1 when they never differ.
///
/// Source: McNemar, Psychometrika 12 (1947), with the exact binomial distribution of the discordant pairs.
pub fn mcnemar(a_only: u64, b_only: u64) -> f64 {
    let n = a_only + b_only;
    let fewer = a_only.min(b_only);
    // ln C(n, i) - n ln 2, built up term by term so that no power of two underflows.
    let mut log_term = -(n as f64) * std::f64::consts::LN_2;
    let mut tail = 0.0;
    for i in 0..=fewer {
        tail += log_term.exp();
        log_term += ((n - i) as f64).ln() - ((i + 1) as f64).ln();
    }
    (2.0 * tail).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wilson_matches_the_vectors() {
        for (k, n, low, high) in
            [(66, 169, 32.02, 46.57), (330, 500, 61.74, 70.02), (16, 20, 58.4, 91.93), (11, 13, 57.77, 95.67)]
        {
            let (a, b) = wilson(k, n, Z95).unwrap();
            assert!((a * 100.0 - low).abs() < 0.005 && (b * 100.0 - high).abs() < 0.005, "{k}/{n}: {a} {b}");
        }
        assert_eq!(wilson(0, 0, Z95), None);
        assert_eq!(wilson(3, 2, Z95), None);
        assert_eq!(wilson(0, 10, Z95).unwrap().0, 0.0);
        assert_eq!(wilson(10, 10, Z95).unwrap().1, 1.0);
    }

    #[test]
    fn mcnemar_matches_the_vectors() {
        for (a, b, p) in [
            (81, 63, 0.156_339_842_080_039_65),
            (97, 67, 0.023_248_999_651_720_514),
            (97, 60, 0.003_921_773_116_093_405),
            (66, 54, 0.315_303_300_832_257_8),
            (70, 51, 0.101_367_653_533_092_28),
            (63, 56, 0.582_493_791_157_224_9),
        ] {
            assert!((mcnemar(a, b) - p).abs() < 1e-10, "{a} {b}: {}", mcnemar(a, b));
            assert_eq!(mcnemar(a, b), mcnemar(b, a));
        }
        assert_eq!(mcnemar(0, 0), 1.0);
        assert_eq!(mcnemar(5, 5), 1.0);
        assert!(mcnemar(4000, 5000) > 0.0);
    }
}
