//! Tails of the normal distribution and of Pearson's type III, by the incomplete gamma function.

/// The natural logarithm of the gamma function of a positive number.
///
/// Source: Lanczos, "A precision approximation of the gamma function", SIAM Journal on Numerical
/// Analysis B 1 (1964), with g = 7.
pub fn ln_gamma(x: f64) -> f64 {
    const C: [f64; 9] = [
        0.999_999_999_999_809_9,
        676.520_368_121_885_1,
        -1_259.139_216_722_402_8,
        771.323_428_777_653_1,
        -176.615_029_162_140_6,
        12.507_343_278_686_905,
        -0.138_571_095_265_720_12,
        9.984_369_578_019_572e-6,
        1.505_632_735_149_311_6e-7,
    ];
    let x = x - 1.0;
    let sum = C
        .iter()
        .enumerate()
        .skip(1)
        .fold(C[0], |sum, (at, c)| sum + c / (x + at as f64));
    let t = x + 7.5;
    0.5 * (2.0 * std::f64::consts::PI).ln() + (x + 0.5) * t.ln() - t + sum.ln()
}

/// The upper regularized incomplete gamma function: the probability that a gamma variable of shape
/// `a` and scale 1 is at least `x`.
///
/// Uses the series below a + 1 and Lentz's continued fraction above.
pub fn upper_gamma(a: f64, x: f64) -> f64 {
    const STEPS: usize = 20_000;
    const SMALL: f64 = 1e-15;
    if x <= 0.0 {
        return 1.0;
    }
    let scale = (a * x.ln() - x - ln_gamma(a)).exp();
    if x < a + 1.0 {
        let (mut term, mut sum, mut at) = (1.0 / a, 1.0 / a, a);
        for _ in 0..STEPS {
            at += 1.0;
            term *= x / at;
            sum += term;
            if term < sum * SMALL {
                break;
            }
        }
        return (1.0 - sum * scale).clamp(0.0, 1.0);
    }
    let tiny = f64::MIN_POSITIVE / SMALL;
    let mut b = x + 1.0 - a;
    let mut c = 1.0 / tiny;
    let mut d = 1.0 / b;
    let mut h = d;
    for i in 1..STEPS {
        let i = i as f64;
        let an = -i * (i - a);
        b += 2.0;
        d = an * d + b;
        d = 1.0 / if d.abs() < tiny { tiny } else { d };
        c = b + an / c;
        c = if c.abs() < tiny { tiny } else { c };
        h *= d * c;
        if (d * c - 1.0).abs() < SMALL {
            break;
        }
    }
    (scale * h).clamp(0.0, 1.0)
}

/// The probability that a standard normal variable is at least as far from 0 as `z`.
pub fn normal_two_sided(z: f64) -> f64 {
    upper_gamma(0.5, z * z / 2.0)
}

/// The smallest skewness that [`pearson`] distinguishes from 0.
pub const LEAST_SKEWNESS: f64 = 0.02;

/// The probability that a variable of Pearson's type III with mean 0, variance 1, and this skewness
/// is at least `z`. A skewness below [`LEAST_SKEWNESS`] is raised to it.
pub fn pearson(z: f64, skewness: f64) -> f64 {
    let shape = 4.0 / skewness.max(LEAST_SKEWNESS).powi(2);
    upper_gamma(shape, shape + z * shape.sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gamma_functions_have_their_known_values() {
        assert!((ln_gamma(0.5) - std::f64::consts::PI.sqrt().ln()).abs() < 1e-13);
        assert!((ln_gamma(171.0) - (1..171).map(|n| f64::from(n).ln()).sum::<f64>()).abs() < 1e-10);
        // Shape 1 is the exponential distribution; twice a gamma variable of shape 2 is chi-squared
        // with 4 degrees of freedom.
        assert!((upper_gamma(1.0, 3.0) - (-3.0f64).exp()).abs() < 1e-15);
        assert!((upper_gamma(2.0, 9.487_729_036_781_154 / 2.0) - 0.05).abs() < 1e-12);
        assert!((normal_two_sided(1.959_963_984_540_054) - 0.05).abs() < 1e-14);
        assert_eq!((upper_gamma(3.0, 0.0), normal_two_sided(0.0)), (1.0, 1.0));
        assert!(normal_two_sided(30.0) > 0.0 && normal_two_sided(30.0) < 1e-190);
    }

    #[test]
    fn pearson_is_a_shifted_gamma_and_nearly_normal_without_skewness() {
        // Skewness 2 is the exponential distribution minus its mean.
        assert!((pearson(1.5, 2.0) - (-2.5f64).exp()).abs() < 1e-14);
        assert_eq!(pearson(-1.1, 2.0), 1.0);
        assert!((pearson(1.959_963_984_540_054, 0.0) - 0.025).abs() < 1e-3);
        assert!(pearson(0.0, 1.0) < 0.5);
    }
}
