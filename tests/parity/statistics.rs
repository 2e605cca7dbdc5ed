//! Statistics against scipy, statsmodels and numpy: `data/statistics.json`, written by `make_statistics.py`.

use benchtop::metrics::dysca::{StyleSums, sc_estimate, sc_interval, sq_of_sums};
use benchtop::metrics::statistics::{
    Clusters, Correlation, Significance, Z95, flip_test, holm, kendall, linkage, mcnemar, spearman,
    wilson,
};
use benchtop::model::agreement::Bootstrap;
use benchtop::model::analysis::Linkage;
use serde::Deserialize;

use super::support::data;

#[derive(Deserialize)]
struct Fixture {
    wilson: Vec<Share>,
    mcnemar: Vec<Test>,
    holm: Vec<Holm>,
    correlation: Vec<Pair>,
    linkage: Vec<Tree>,
    bootstrap: Vec<Drawn>,
    sc: Vec<Styles>,
    flip: Vec<Flip>,
}

#[derive(Deserialize)]
struct Styles {
    name: String,
    styles: Vec<Vec<(f64, f64)>>,
    printed: f64,
    corrected: f64,
    noise: f64,
    low: f64,
    high: f64,
    standard_error: f64,
    p: f64,
    dealt_noise: f64,
    dealt_p: f64,
}

#[derive(Deserialize)]
struct Flip {
    of: Vec<i64>,
    flipped: f64,
    normal: f64,
}

#[derive(Deserialize)]
struct Share {
    k: u64,
    n: u64,
    low: f64,
    high: f64,
}

#[derive(Deserialize)]
struct Test {
    a: u64,
    b: u64,
    p: f64,
}

#[derive(Deserialize)]
struct Holm {
    p: Vec<f64>,
    corrected: Vec<f64>,
}

#[derive(Deserialize)]
struct Pair {
    x: Vec<f64>,
    y: Vec<f64>,
    spearman: Option<f64>,
    kendall: Option<f64>,
    spearman_p: Option<f64>,
    kendall_p: Option<f64>,
}

#[derive(Deserialize)]
struct Tree {
    name: String,
    method: Linkage,
    points: Vec<Vec<f64>>,
    merges: Vec<(f64, f64, f64, f64)>,
}

#[derive(Deserialize)]
struct Drawn {
    name: String,
    clusters: Vec<Vec<f64>>,
    value: f64,
    standard_error: f64,
    low: f64,
    high: f64,
}

fn fixture() -> Fixture {
    serde_json::from_slice(&std::fs::read(data("statistics.json")).unwrap()).unwrap()
}

#[test]
fn shares_tests_and_corrections_are_those_of_statsmodels() {
    let fixture = fixture();
    for Share { k, n, low, high } in fixture.wilson {
        let found = wilson(k, n, Z95).unwrap();
        assert!(
            (found.0 - low).abs() < 1e-12 && (found.1 - high).abs() < 1e-12,
            "{k}/{n}: {found:?}"
        );
    }
    for Test { a, b, p } in fixture.mcnemar {
        assert!(
            (mcnemar(a, b) - p).abs() < 1e-10,
            "{a} {b}: {}",
            mcnemar(a, b)
        );
    }
    assert!(fixture.holm.len() >= 6);
    for Holm { p, corrected } in fixture.holm {
        let found = holm(&p);
        assert_eq!(found.len(), corrected.len());
        assert!(
            found
                .iter()
                .zip(&corrected)
                .all(|(f, c)| (f - c).abs() < 1e-12),
            "{p:?}: {found:?}"
        );
    }
}

#[test]
fn rank_correlations_are_those_of_scipy() {
    let (mut undefined, mut exact, mut drawn) = (0, 0, 0);
    for Pair {
        x,
        y,
        spearman: rho,
        kendall: tau,
        spearman_p,
        kendall_p,
    } in fixture().correlation
    {
        for (found, coefficient, p) in [
            (spearman(&x, &y, 3), rho, spearman_p),
            (kendall(&x, &y, 3), tau, kendall_p),
        ] {
            let Correlation {
                n,
                coefficient: value,
                p: found_p,
                significance,
            } = found;
            assert_eq!(n, x.len());
            let Some(coefficient) = coefficient else {
                assert!(
                    value.value.is_none()
                        && value.undefined.is_some()
                        && significance == Significance::None
                );
                undefined += 1;
                continue;
            };
            assert!(
                (value.value.unwrap() - coefficient).abs() < 1e-12,
                "{x:?} {y:?}: {value:?} {coefficient}"
            );
            match significance {
                Significance::Exact { .. } => {
                    assert!(
                        (found_p.value.unwrap() - p.unwrap()).abs() < 1e-12,
                        "{x:?} {y:?}: {found_p:?} {p:?}"
                    );
                    exact += 1;
                }
                _ => drawn += 1,
            }
        }
    }
    assert_eq!((undefined, exact, drawn), (8, 12, 4));
}

#[test]
fn trees_are_those_of_scipy() {
    let trees = fixture().linkage;
    assert_eq!(trees.len(), 14);
    for Tree {
        name,
        method,
        points,
        merges,
    } in trees
    {
        let found = linkage(&points, method).unwrap();
        assert_eq!(found.len(), merges.len(), "{name}");
        for (found, (a, b, height, size)) in found.iter().zip(merges) {
            assert_eq!(
                (found.a as f64, found.b as f64, found.size as f64),
                (a, b, size),
                "{name} {method:?}"
            );
            assert!(
                (found.height - height).abs() < 1e-9 * height.max(1.0),
                "{name} {method:?}: {found:?} {height}"
            );
        }
    }
}

/// Two bootstraps never draw the same; 8,000 and 20,000 draws are within 5 % of each other's standard error, and their 95 %
/// points within a quarter of it.
#[test]
fn cluster_bootstraps_are_those_of_numpy() {
    let cases = fixture().bootstrap;
    assert_eq!(cases.len(), 2);
    for Drawn {
        name,
        clusters: table,
        value,
        standard_error,
        low,
        high,
    } in cases
    {
        let mut clusters = Clusters::new(table[0].len());
        for row in &table {
            clusters.push(&row.iter().copied().enumerate().collect::<Vec<_>>());
        }
        let statistic = |sums: &[f64]| {
            if name == "sq" {
                sq_of_sums(sums)
            } else {
                Clusters::ratio(sums)
            }
        };
        assert!(
            (statistic(&clusters.sums()).unwrap() - value).abs() < 1e-9,
            "{name}"
        );
        let found = clusters
            .interval(
                Bootstrap {
                    draws: 20_000,
                    seed: 3,
                },
                statistic,
            )
            .unwrap();
        assert!(
            (found.standard_error / standard_error - 1.0).abs() < 0.05,
            "{name}: {found:?} {standard_error}"
        );
        let near = |a: f64, b: f64| (a - b).abs() < standard_error / 4.0;
        assert!(
            near(found.low, low) && near(found.high, high),
            "{name}: {found:?} {low} {high}"
        );
    }
}

/// The same formulas with matrices and scipy's distributions, and what labels of style give that are really dealt again, 4,000 times.
#[test]
fn sc_without_noise_is_that_of_scipy_and_of_labels_dealt_again() {
    let cases = fixture().sc;
    assert_eq!(cases.len(), 6);
    for of in cases {
        let sums: Vec<StyleSums> = of
            .styles
            .iter()
            .map(|style| StyleSums::of(style.iter().copied()))
            .collect();
        let (found, interval) = (sc_estimate(&sums).unwrap(), sc_interval(&sums).unwrap());
        let pairs = [
            (found.printed, of.printed),
            (found.corrected, of.corrected),
            (found.noise, of.noise),
            (interval.low, of.low),
            (interval.high, of.high),
            (interval.standard_error, of.standard_error),
        ];
        for (found, want) in pairs {
            assert!(
                (found - want).abs() < 1e-6 * want.abs().max(1.0),
                "{}: {found} {want}",
                of.name
            );
        }
        assert!(
            (found.p - of.p).abs() < 1e-9,
            "{}: {} {}",
            of.name,
            found.p,
            of.p
        );
        assert!(
            (found.noise / of.dealt_noise - 1.0).abs() < 0.07,
            "{}: {} {}",
            of.name,
            found.noise,
            of.dealt_noise
        );
        assert!(
            (found.p - of.dealt_p).abs() < 0.035,
            "{}: {} {}",
            of.name,
            found.p,
            of.dealt_p
        );
    }
}

#[test]
fn tests_of_clusters_try_every_sign() {
    let cases = fixture().flip;
    assert_eq!(cases.len(), 8);
    for Flip {
        of,
        flipped,
        normal,
    } in cases
    {
        let squares = of.iter().map(|d| (d * d) as u64).sum();
        let found = flip_test(of.iter().sum(), squares, Some(&of));
        assert!(
            (found - flipped.max(normal)).abs() < 1e-12,
            "{of:?}: {found} {flipped} {normal}"
        );
        assert!(
            (flip_test(of.iter().sum(), squares, None) - normal).abs() < 1e-12,
            "{of:?}"
        );
    }
}
