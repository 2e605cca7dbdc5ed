//! Confidence intervals of shares.

/// The 97.5 % quantile of the standard normal distribution: z of a two-sided 95 % interval.
pub const Z95: f64 = 1.959_963_984_540_054;

/// Wilson's score interval of `k` right out of `n`, as shares in 0..=1, at confidence `z`
/// ([`Z95`]). `None` if `n` is 0 or `k` > `n`.
///
/// Source: Wilson, "Probable inference, the law of succession, and statistical inference", JASA 22
/// (1927). It assumes independent units and is too narrow for units that share an image.
pub fn wilson(k: u64, n: u64, z: f64) -> Option<(f64, f64)> {
    if n == 0 || k > n {
        return None;
    }
    let (count, share) = (n as f64, k as f64 / n as f64);
    let scale = 1.0 + z * z / count;
    let center = (share + z * z / (2.0 * count)) / scale;
    let half = z / scale * (share * (1.0 - share) / count + z * z / (4.0 * count * count)).sqrt();
    let low = if k == 0 {
        0.0
    } else {
        (center - half).max(0.0)
    };
    let high = if k == n {
        1.0
    } else {
        (center + half).min(1.0)
    };
    Some((low, high))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wilson_matches_the_conformance_vectors() {
        for (k, n, low, high) in [
            (66, 169, 32.02, 46.57),
            (330, 500, 61.74, 70.02),
            (16, 20, 58.4, 91.93),
            (11, 13, 57.77, 95.67),
        ] {
            let (a, b) = wilson(k, n, Z95).unwrap();
            assert!(
                (a * 100.0 - low).abs() < 0.005 && (b * 100.0 - high).abs() < 0.005,
                "{k}/{n}: {a} {b}"
            );
        }
        assert_eq!(wilson(0, 0, Z95), None);
        assert_eq!(wilson(3, 2, Z95), None);
        assert_eq!(wilson(0, 10, Z95).unwrap().0, 0.0);
        assert_eq!(wilson(10, 10, Z95).unwrap().1, 1.0);
    }
}
