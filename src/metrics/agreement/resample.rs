//! Reproducible sampling for the bootstrap.
//!
//! Resampling n of n items with replacement gives multinomial counts for each kind of item. They
//! are drawn as successive binomial numbers, so the work depends on the number of kinds and not on
//! n.

use benchtop_model::rng;

/// A stream of random numbers.
#[derive(Clone, Debug)]
pub(crate) struct Stream(rng::Stream);

impl Stream {
    /// The stream for a seed and a purpose.
    pub fn new(seed: u64, purpose: u64) -> Stream {
        Stream(rng::Stream::new(
            rng::Stream::new(seed).next() ^ purpose.wrapping_mul(0x9E37_79B9_7F4A_7C15),
        ))
    }

    /// One of 2^52 equally likely numbers above 0 and below 1.
    fn unit(&mut self) -> f64 {
        ((self.0.next() >> 12) as f64 + 0.5) / (1u64 << 52) as f64
    }

    /// A binomial number: successes in `n` trials with probability `p`.
    pub fn binomial(&mut self, n: u64, p: f64) -> u64 {
        if n == 0 || p <= 0. {
            0
        } else if p >= 1. {
            n
        } else if p > 0.5 {
            n - self.binomial(n, 1. - p)
        } else if n as f64 * p < 10. {
            self.by_inversion(n, p)
        } else {
            self.by_rejection(n, p)
        }
    }

    /// Walks up the distribution until a uniform number is used up: n p steps on average.
    fn by_inversion(&mut self, n: u64, p: f64) -> u64 {
        let odds = p / (1. - p);
        let mut left = self.unit();
        let mut chance = (n as f64 * (-p).ln_1p()).exp();
        let mut k = 0;
        while left > chance && k < n {
            left -= chance;
            chance *= (n - k) as f64 / (k + 1) as f64 * odds;
            k += 1;
        }
        k
    }

    /// Transformed rejection with squeeze: Hormann, "The generation of binomial random variates",
    /// Journal of Statistical Computation and Simulation 46 (1993), algorithm BTRS, for p <= 1/2
    /// and n p >= 10. The constants are the paper's.
    fn by_rejection(&mut self, n: u64, p: f64) -> u64 {
        let count = n as f64;
        let odds = p / (1. - p);
        let spread = (count * p * (1. - p)).sqrt();
        let b = 1.15 + 2.53 * spread;
        let a = -0.0873 + 0.0248 * b + 0.01 * p;
        let center = count * p + 0.5;
        let inside = 0.92 - 4.2 / b;
        let alpha = (2.83 + 5.1 / b) * spread;
        let mode = ((count + 1.) * p).floor();
        loop {
            let u = self.unit() - 0.5;
            let v = self.unit();
            let us = 0.5 - u.abs();
            let k = ((2. * a / us + b) * u + center).floor();
            if us >= 0.07 && v <= inside {
                return k as u64;
            }
            if k < 0. || k > count {
                continue;
            }
            let height = (v * alpha / (a / (us * us) + b)).ln();
            let bound = (mode + 0.5) * ((mode + 1.) / (odds * (count - mode + 1.))).ln()
                + (count + 1.) * ((count - mode + 1.) / (count - k + 1.)).ln()
                + (k + 0.5) * (odds * (count - k + 1.) / (k + 1.)).ln()
                + tail(mode)
                + tail(count - mode)
                - tail(k)
                - tail(count - k);
            if height <= bound {
                return k as u64;
            }
        }
    }

    /// Draws as many items as `of` holds, with replacement, and writes the number of each kind to
    /// `drawn`.
    pub fn multinomial(&mut self, of: &[u64], drawn: &mut Vec<u64>) {
        drawn.clear();
        let mut left: u64 = of.iter().sum();
        let mut to_draw = left;
        for n in of {
            let got = match left {
                0 => 0,
                left => self.binomial(to_draw, *n as f64 / left as f64),
            };
            drawn.push(got);
            left -= n;
            to_draw -= got;
        }
    }
}

/// The remainder of Stirling's formula for ln k!: tabulated for small k, then its series.
fn tail(k: f64) -> f64 {
    const FIRST: [f64; 10] = [
        0.081_061_466_795_327_8,
        0.041_340_695_955_409_3,
        0.027_677_925_684_998_3,
        0.020_790_672_103_765_1,
        0.016_644_691_189_821_2,
        0.013_876_128_823_070_7,
        0.011_896_709_945_891_8,
        0.010_411_265_261_972_1,
        0.009_255_462_182_712_73,
        0.008_330_563_433_362_87,
    ];
    match FIRST.get(k as usize) {
        Some(value) => *value,
        None => {
            let next = k + 1.;
            let square = next * next;
            (1. / 12. - (1. / 360. - 1. / 1260. / square) / square) / next
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stream_is_splitmix64() {
        // The first numbers of the reference implementation for the seed 1234567.
        let mut stream = Stream(rng::Stream::new(1_234_567));
        assert_eq!(stream.0.next(), 6_457_827_717_110_365_317);
        assert_eq!(stream.0.next(), 3_203_168_211_198_807_973);
        assert_ne!(Stream::new(1, 0).0.next(), Stream::new(1, 1).0.next());
    }

    #[test]
    fn stirling_remainder_table_meets_its_series() {
        let ln_factorial = |k: u64| (1..=k).map(|i| (i as f64).ln()).sum::<f64>();
        for k in 0..40u64 {
            let n = k as f64 + 1.;
            let stirling = (n - 0.5) * n.ln() - n + (2. * std::f64::consts::PI).ln() / 2.;
            assert!(
                (ln_factorial(k) - stirling - tail(k as f64)).abs() < 1e-9,
                "{k}"
            );
        }
    }

    /// Chi-squared of 20,000 draws against the distribution. Cells with fewer than 5 expected draws
    /// are merged.
    #[test]
    fn binomial_numbers_follow_their_distribution() {
        for (n, p) in [
            (1u64, 0.5),
            (9, 0.3),
            (50, 0.02),
            (100, 0.5),
            (300, 0.04),
            (617_000, 0.0001),
            (1000, 0.97),
        ] {
            let mut stream = Stream::new(7, n);
            let draws = 20_000;
            let mut seen = std::collections::BTreeMap::<u64, f64>::new();
            for _ in 0..draws {
                let k = stream.binomial(n, p);
                assert!(k <= n);
                *seen.entry(k).or_default() += 1.;
            }
            // ln C(n, k) p^k q^(n - k), term by term from k = 0.
            let mut log = n as f64 * f64::ln_1p(-p);
            let (mut square, mut cells, mut expected, mut got) = (0., 0, 0., 0.);
            for k in 0..=n.min(2000) {
                expected += log.exp() * f64::from(draws);
                got += seen.get(&k).copied().unwrap_or_default();
                if expected >= 5. {
                    square += (got - expected) * (got - expected) / expected;
                    (cells, expected, got) = (cells + 1, 0., 0.);
                }
                log += ((n - k) as f64 / (k + 1) as f64 * p / (1. - p)).ln();
            }
            // Four standard deviations of chi-squared.
            let freedom = f64::from(cells.max(2) - 1);
            assert!(
                square < freedom + 4. * (2. * freedom).sqrt(),
                "{n} {p}: {square} of {cells}"
            );
            assert!(cells >= 2);
        }
    }

    #[test]
    fn large_binomials_have_their_mean_and_spread() {
        let (n, p) = (617_000u64, 0.37);
        let mut stream = Stream::new(3, 0);
        let draws: Vec<f64> = (0..20_000).map(|_| stream.binomial(n, p) as f64).collect();
        let mean = draws.iter().sum::<f64>() / 20_000.;
        let spread = (draws.iter().map(|d| (d - mean).powi(2)).sum::<f64>() / 19_999.).sqrt();
        let expected = (n as f64 * p * (1. - p)).sqrt();
        assert!(
            (mean - n as f64 * p).abs() < 4. * expected / 20_000f64.sqrt(),
            "{mean}"
        );
        assert!((spread / expected - 1.).abs() < 0.02, "{spread} {expected}");
    }

    #[test]
    fn multinomial_adds_up_and_is_reproducible() {
        let of = [5, 0, 1, 94, 617_000];
        let (mut one, mut two) = (Vec::new(), Vec::new());
        Stream::new(11, 2).multinomial(&of, &mut one);
        Stream::new(11, 2).multinomial(&of, &mut two);
        assert_eq!(one, two);
        assert_eq!(
            (one.iter().sum::<u64>(), one[1], one.len()),
            (617_100, 0, 5)
        );
        Stream::new(12, 2).multinomial(&of, &mut two);
        assert_ne!(one, two);
        Stream::new(12, 2).multinomial(&[], &mut two);
        assert!(two.is_empty());
    }
}
