//! Which printed numbers are possible for a count.

/// Whether a count out of `n`, in percent, is within `tolerance` points of `value`.
pub fn attainable(value: f64, n: u64, tolerance: f64) -> bool {
    if n == 0 || !(-tolerance..=100.0 + tolerance).contains(&value) {
        return false;
    }
    let nearest = (value * n as f64 / 100.0).round().clamp(0.0, n as f64);
    (100.0 * nearest / n as f64 - value).abs() <= tolerance + ROUNDING
}

/// Whether `runs` counts out of `n` can have this mean and this population standard deviation, both
/// in percent and each within `tolerance` points.
///
/// With S the sum and Q the sum of squares of the counts, the variance is (runs Q - S^2) / runs^2.
/// Q is an integer, and odd if S is. The two printed numbers leave a few S and Q. Whether counts
/// with this S and Q exist is not checked further: five squares make almost any sum.
pub fn spread_attainable(mean: f64, sd: f64, n: u64, runs: u64, tolerance: f64) -> bool {
    if n == 0 || runs == 0 || sd < 0.0 || !mean.is_finite() || !sd.is_finite() {
        return false;
    }
    let (n, runs) = (n as f64, runs as f64);
    let whole =
        |low: f64, high: f64| (low - ROUNDING).ceil() as i64..=(high + ROUNDING).floor() as i64;
    let counts = |percent: f64| percent.max(0.0) * n / 100.0;
    let sums = whole(
        counts(mean - tolerance) * runs,
        counts(mean + tolerance).min(n) * runs,
    );
    sums.into_iter().any(|sum| {
        let squared = (sum as f64).powi(2);
        let square = |sd: f64| ((counts(sd) * runs).powi(2) + squared) / runs;
        whole(square(sd - tolerance), square(sd + tolerance))
            .any(|squares| (squares - sum) % 2 == 0)
    })
}

/// Rounding error of products of printed numbers.
const ROUNDING: f64 = 1e-9;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attainable_shares() {
        // MVP-Bench: 64.60 is 323 of 500; 65.98 is not attainable.
        assert!(attainable(64.6, 500, 0.015) && !attainable(65.98, 500, 0.015));
        // Truncated: 67 of 227 is 29.515, printed as 29.51.
        assert!(attainable(29.51, 227, 0.015));
        assert!(attainable(0.0, 7, 0.015) && attainable(100.0, 7, 0.015));
        assert!(
            !attainable(100.1, 7, 0.015)
                && !attainable(50.0, 0, 0.015)
                && !attainable(f64::NAN, 7, 0.015)
        );
        // With this many, every two-decimal value is attainable.
        assert!((0..=10_000).all(|v| attainable(f64::from(v) / 100.0, 4000, 0.015)));
    }

    #[test]
    fn attainable_spreads_of_five_counts() {
        // 5, 6, 7, 8, and 9 of 10.
        assert!(spread_attainable(70.0, 14.14, 10, 5, 0.005));
        assert!(
            !spread_attainable(70.0, 14.5, 10, 5, 0.005)
                && !spread_attainable(70.5, 14.14, 10, 5, 0.005)
        );
        assert!(spread_attainable(62.0, 0.85, 400, 5, 0.005));
        assert!(spread_attainable(70.0, 0.0, 10, 5, 0.005));
        assert!(
            !spread_attainable(70.0, -1.0, 10, 5, 0.005)
                && !spread_attainable(70.0, 1.0, 0, 5, 0.005)
        );
    }
}
