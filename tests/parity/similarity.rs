//! Cosine search and kernel MMD against numpy in f64.

use benchtop::metrics::kmmd::{MOST, kmmd};
use benchtop::metrics::nearest::{Rows, nearest, pairs_above};
use benchtop::model::cancel::Cancel;
use candle_core::{Device, Tensor};
use half::f16;
use serde::Deserialize;
use std::collections::HashMap;

use super::support::data;

fn fixture() -> HashMap<String, Tensor> {
    candle_core::safetensors::load(data("clip/numbers.safetensors"), &Device::Cpu).unwrap()
}

fn halves(tensor: &Tensor) -> Vec<f16> {
    tensor.flatten_all().unwrap().to_vec1().unwrap()
}

#[test]
fn neighbors_and_pairs_are_those_of_numpy() {
    let fixture = fixture();
    let (a, b) = (halves(&fixture["a"]), halves(&fixture["b"]));
    let (a, b) = (Rows::new(&a, 24).unwrap(), Rows::new(&b, 24).unwrap());
    let order = fixture["nearest"].to_vec2::<i64>().unwrap();
    let cosines = fixture["cosines"].to_vec2::<f64>().unwrap();
    for (best, (order, cosines)) in nearest(&a, &b, 5, Cancel::NEVER)
        .unwrap()
        .iter()
        .zip(order.iter().zip(cosines))
    {
        assert_eq!(best.iter().map(|m| m.b as i64).collect::<Vec<_>>(), *order);
        assert!(
            best.iter()
                .zip(cosines)
                .all(|(m, c)| (f64::from(m.cosine) - c).abs() < 1e-6)
        );
    }
    let own = fixture["own"].to_vec2::<f64>().unwrap();
    for threshold in [0.5f32, 0.9] {
        let found = pairs_above(&a, threshold, 1 << 20, Cancel::NEVER).unwrap();
        let above = |i: usize| (i + 1..a.len()).map(move |j| (i, j));
        let expected: Vec<(usize, usize)> = (0..a.len())
            .flat_map(above)
            .filter(|(i, j)| own[*i][*j] >= f64::from(threshold))
            .collect();
        assert!(expected.len() >= 3);
        assert_eq!(
            found.iter().map(|m| (m.a, m.b)).collect::<Vec<_>>(),
            expected,
            "{threshold}"
        );
    }
}

#[derive(Deserialize)]
struct Expected {
    sigma: f64,
    unbiased: f64,
    biased: f64,
}

#[test]
fn the_discrepancy_is_that_of_numpy() {
    let expected: Expected =
        serde_json::from_slice(&std::fs::read(data("clip/numbers.json")).unwrap()).unwrap();
    let fixture = fixture();
    let (a, b) = (halves(&fixture["a"]), halves(&fixture["b"]));
    let (x, y) = (
        Rows::new(&a[..90 * 24], 24).unwrap(),
        Rows::new(&b[..70 * 24], 24).unwrap(),
    );
    let got = kmmd(&x, &y, MOST, 0, Cancel::NEVER).unwrap();
    for (got, expected) in [
        (got.sigma, expected.sigma),
        (got.unbiased, expected.unbiased),
        (got.biased, expected.biased),
    ] {
        assert!((got / expected - 1.).abs() < 1e-5, "{got}, not {expected}");
    }
    assert_eq!(got.samples, (90, 70));
    // Half of one set against the other half: no discrepancy beyond chance.
    let (x, y) = (
        Rows::new(&a[..78 * 24], 24).unwrap(),
        Rows::new(&a[78 * 24..156 * 24], 24).unwrap(),
    );
    let same = kmmd(&x, &y, MOST, 0, Cancel::NEVER).unwrap();
    assert!(same.unbiased.abs() < 0.1 * got.unbiased && same.biased > same.unbiased);
    // Drawn by seed: another seed takes others.
    let drawn = |seed| kmmd(&x, &y, 40, seed, Cancel::NEVER).unwrap();
    assert!(
        drawn(1) == drawn(1)
            && drawn(1).unbiased != drawn(2).unbiased
            && drawn(1).samples == (40, 40)
    );
}
