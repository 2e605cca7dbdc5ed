//! Normal random numbers: a uniform number through the quantile function of the normal distribution.
//!
//! Wichura, "Algorithm AS 241: The percentage points of the normal distribution", 1988 (PPND7, seven
//! digits). It needs one logarithm, for three numbers of twenty. That one comes from `libm`, which is
//! written in Rust, so that the same numbers come out on every machine.

use benchtop_model::rng::Stream;

/// Fills `numbers` with normal numbers of mean 0 and variance 1. None lies beyond 6.3.
pub(super) fn fill(stream: &mut Stream, numbers: &mut [f32]) {
    // Uniform numbers first, as bits: the arithmetic on them is then a plain loop.
    const CHUNK: usize = 256;
    let mut bits = [0u32; CHUNK];
    for numbers in numbers.chunks_mut(CHUNK) {
        for pair in bits[..numbers.len().next_multiple_of(2)].chunks_mut(2) {
            let both = stream.next();
            pair[0] = both as u32;
            pair[1] = (both >> 32) as u32;
        }
        for (number, bits) in numbers.iter_mut().zip(&bits) {
            *number = middle(*bits);
        }
        for (number, bits) in numbers.iter_mut().zip(&bits) {
            // Numbers beyond 0.425 on either side of the median.
            let signed = (bits ^ 0x8000_0000) as i32;
            if signed.unsigned_abs() > 1_825_361_100 {
                *number = tail(*bits);
            }
        }
    }
}

/// The quantile of (bits + 0.5) / 2^32, if it is within 0.425 of the median.
#[inline]
#[allow(clippy::excessive_precision)]
fn middle(bits: u32) -> f32 {
    let q = ((bits ^ 0x8000_0000) as i32) as f32 * (1.0 / 4_294_967_296.0);
    let r = 0.180_625 - q * q;
    let over = ((59.109_374_72 * r + 159.291_132_02) * r + 50.434_271_938) * r + 3.387_132_717_9;
    let under = ((67.187_563_6 * r + 78.757_757_664) * r + 17.895_169_469) * r + 1.0;
    q * over / under
}

/// The quantile of (bits + 0.5) / 2^32 in the tails.
#[allow(clippy::excessive_precision)]
fn tail(bits: u32) -> f32 {
    let is_low = bits < 0x8000_0000;
    let near = if is_low { bits } else { !bits };
    let p = (near as f32 + 0.5) * (1.0 / 4_294_967_296.0);
    let r = (-libm::logf(p)).sqrt() - 1.6;
    let over = ((0.170_238_211_03 * r + 1.306_728_481_6) * r + 2.756_815_39) * r + 1.423_437_277_7;
    let under = (0.120_211_329_75 * r + 0.737_001_642_5) * r + 1.0;
    let quantile = over / under;
    if is_low { -quantile } else { quantile }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_those_of_scipy() {
        // scipy.special.ndtri
        for (p, expected) in [
            (1e-9, -5.997_807_f32),
            (1e-6, -4.753_424),
            (0.001, -3.090_232),
            (0.05, -1.644_854),
            (0.0749, -1.440_216_8),
            (0.2, -0.841_621_2),
            (0.5, 0.0),
            (0.9, 1.281_552),
            (0.925, 1.439_531),
            (0.9999, 3.719_016),
        ] {
            let bits = (p * 4_294_967_296.0_f64) as u32;
            let got = if (0.075..=0.925).contains(&p) {
                middle(bits)
            } else {
                tail(bits)
            };
            // Around 1e-9, a step of `bits` is 0.04.
            let close = if p < 1e-8 { 0.03 } else { 2e-4 };
            assert!((got - expected).abs() < close, "{p}: {got} {expected}");
        }
        assert!((tail(0) + tail(u32::MAX)).abs() == 0.0 && tail(0) > -6.4);
        let (last, next) = (322_122_547, 322_122_548); // 0.075
        assert!(middle(next) - tail(last) < 1e-5 && middle(next) > tail(last) - 1e-5);
    }

    #[test]
    fn moments_are_those_of_the_normal_distribution() {
        let mut numbers = vec![0.0; 1_000_001];
        fill(&mut Stream::new(5), &mut numbers);
        let moment = |n: i32| {
            let sum: f64 = numbers.iter().map(|x| f64::from(*x).powi(n)).sum();
            sum / numbers.len() as f64
        };
        // Four standard errors of each moment.
        for (n, expected, error) in [(1, 0.0, 1.0), (2, 1.0, 1.42), (3, 0.0, 3.88), (4, 3.0, 9.8)] {
            let off = moment(n) - expected;
            assert!(off.abs() < 4.0 * error / 1000.0, "moment {n}: {off}");
        }
        let beyond = numbers.iter().filter(|x| x.abs() > 3.0).count() as f64;
        assert!((beyond - 2699.8).abs() < 4.0 * 52.0, "{beyond}");
    }
}
