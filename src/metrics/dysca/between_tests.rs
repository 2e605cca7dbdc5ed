use super::*;
use benchtop_model::rng::Stream;

/// A random number in 0..1.
fn share(stream: &mut Stream) -> f64 {
    (stream.next() >> 11) as f64 / (1u64 << 53) as f64
}

/// Simulates a benchmark: for each style the number of questions and the probability of a right
/// answer.
fn benchmark(stream: &mut Stream, styles: &[(usize, f64)]) -> Vec<StyleSums> {
    let style = |(n, p): &(usize, f64)| {
        let right = (0..*n).filter(|_| share(stream) < *p).count() as f64;
        let n = *n as f64;
        StyleSums {
            right,
            n,
            clusters: n,
            right_squared: right,
            right_n: right,
            n_squared: n,
        }
    };
    styles.iter().map(style).collect()
}

/// Styles whose true accuracies are spread evenly around `center`, in an order unrelated to their
/// sizes, and their true SC.
fn styles(n: &[usize], center: f64, spread: f64) -> (Vec<(usize, f64)>, f64) {
    let at = |at: usize| (at * 7 % n.len()) as f64 / (n.len() - 1) as f64 * 2.0 - 1.0;
    let p: Vec<f64> = (0..n.len())
        .map(|style| center + spread * at(style))
        .collect();
    let sc = POINTS * variance(&p).unwrap();
    (n.iter().copied().zip(p).collect(), sc)
}

/// Over the simulated benchmarks: the share whose interval contains the true SC, and the means of
/// the printed and the corrected SC.
fn simulated(seed: u64, runs: usize, (styles, sc): &(Vec<(usize, f64)>, f64)) -> (f64, f64, f64) {
    let mut stream = Stream::new(seed);
    let (mut held, mut printed, mut corrected) = (0, 0.0, 0.0);
    for _ in 0..runs {
        let sums = benchmark(&mut stream, styles);
        let (Some(found), Some(interval)) = (sc_estimate(&sums), sc_interval(&sums)) else {
            panic!("{sums:?}")
        };
        held += usize::from(interval.low <= *sc && *sc <= interval.high);
        (printed, corrected) = (printed + found.printed, corrected + found.corrected);
    }
    let runs = runs as f64;
    (held as f64 / runs, printed / runs, corrected / runs)
}

fn uneven(s: usize) -> Vec<usize> {
    (0..s)
        .map(|at| (20.0 * 12f64.powf(at as f64 / (s - 1) as f64)).round() as usize)
        .collect()
}

/// 300 benchmarks of each kind, and 1,000 like the board's own (51 styles of 59 questions), for
/// which 93 to 97 % of the intervals must contain the true SC.
#[test]
fn interval_covers_the_true_sc() {
    let (held, printed, corrected) = simulated(1, 1000, &styles(&[59; 51], 0.7, 0.05));
    assert!((0.93..=0.97).contains(&held), "{held}");
    // The true SC is 8.7; the printed SC is mostly noise.
    assert!(
        (printed - 42.9).abs() < 1.5 && (corrected - 8.67).abs() < 1.5,
        "{printed} {corrected}"
    );
    for (seed, n, center, spread) in [
        (2, vec![10; 51], 0.5, 0.1),
        (3, vec![200; 10], 0.9, 0.05),
        (4, vec![30; 5], 0.6, 0.1),
        (5, uneven(12), 0.7, 0.08),
    ] {
        let of = styles(&n, center, spread);
        let (held, _, corrected) = simulated(seed, 300, &of);
        assert!(
            (0.89..=0.995).contains(&held),
            "{n:?} {center} {spread}: {held}"
        );
        assert!(
            (corrected - of.1).abs() < 0.2 * of.1 + 6.0,
            "{n:?}: {corrected} of {}",
            of.1
        );
    }
}

/// If styles are equal, p is uniformly distributed.
#[test]
fn p_is_uniform_for_equal_styles() {
    let equal = styles(&[59; 51], 0.7, 0.0).0;
    let mut stream = Stream::new(9);
    let runs = 1000;
    let mut tenths = [0usize; 10];
    let (mut noise, mut printed) = (0.0, 0.0);
    for _ in 0..runs {
        let found = sc_estimate(&benchmark(&mut stream, &equal)).unwrap();
        tenths[((found.p * 10.0) as usize).min(9)] += 1;
        (noise, printed) = (noise + found.noise, printed + found.printed);
    }
    // Chi-squared with 9 degrees of freedom is below 27.9 with probability 0.999.
    let expected = runs as f64 / 10.0;
    let square: f64 = tenths
        .iter()
        .map(|n| (*n as f64 - expected).powi(2) / expected)
        .sum();
    assert!(square < 27.9, "{tenths:?}");
    // Equal styles show 35 squared points by chance.
    let (noise, printed) = (noise / runs as f64, printed / runs as f64);
    assert!(
        (noise - printed).abs() < 1.0 && (noise - 34.9).abs() < 1.0,
        "{noise} {printed}"
    );
}

/// Questions that share pictures carry less information: with the same answers, and each picture
/// all right or all wrong, the noise doubles.
#[test]
fn shared_pictures_increase_noise() {
    let style = |right: usize, of: usize, size: f64| {
        StyleSums::of((0..of).map(|at| (if at < right { size } else { 0.0 }, size)))
    };
    let alone: Vec<StyleSums> = [20, 24, 28].map(|right| style(2 * right, 80, 1.0)).to_vec();
    let shared: Vec<StyleSums> = [20, 24, 28].map(|right| style(right, 40, 2.0)).to_vec();
    let [alone, shared] = [alone, shared].map(|of| sc_estimate(&of).unwrap());
    assert_eq!(alone.printed, shared.printed);
    assert!(
        (shared.noise / alone.noise - 2.0).abs() < 0.05,
        "{alone:?} {shared:?}"
    );
    assert!(shared.p > alone.p && shared.corrected < alone.corrected);
    assert_eq!((alone.clusters, shared.clusters), (240, 120));
}

#[test]
fn no_estimate_without_a_noise_estimate() {
    let one = |right: f64, n: f64| StyleSums {
        right,
        n,
        clusters: n,
        right_squared: right,
        right_n: right,
        n_squared: n,
    };
    for of in [
        vec![],
        vec![one(3.0, 5.0)],
        vec![one(5.0, 5.0); 3],
        vec![one(0.0, 5.0); 3],
        vec![one(1.0, 1.0), one(0.0, 1.0)],
    ] {
        assert_eq!((sc_estimate(&of), sc_interval(&of)), (None, None), "{of:?}");
    }
    // A style without questions is ignored; a style with a single question counts.
    let found = sc_estimate(&[one(3.0, 5.0), one(0.0, 0.0), one(1.0, 1.0), one(2.0, 6.0)]).unwrap();
    assert_eq!(found.styles, 3);
    let interval = sc_interval(&[one(10.0, 20.0), one(10.0, 20.0)]).unwrap();
    assert!(
        interval.low == 0.0 && interval.high > 0.0 || interval.high == 0.0,
        "{interval:?}"
    );
}
