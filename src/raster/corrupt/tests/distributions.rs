//! What is random, by its distribution.

use super::*;

/// Differences within so many standard errors are chance. There are about 500 comparisons.
const ERRORS: f64 = 4.5;

fn moments(values: &[u8]) -> [f64; 3] {
    let count = values.len() as f64;
    let mean = values.iter().map(|v| f64::from(*v)).sum::<f64>() / count;
    let central = |power| {
        let sum: f64 = values
            .iter()
            .map(|v| (f64::from(*v) - mean).powi(power))
            .sum();
        sum / count
    };
    [mean, central(2), central(4)]
}

#[test]
fn noise_on_plain_gray_has_the_mean_and_variance_of_numpy() {
    let numbers = numbers();
    let levels: Vec<u8> = numbers["levels"]
        .as_array()
        .unwrap()
        .iter()
        .map(|n| n.as_u64().unwrap() as u8)
        .collect();
    for (name, severities) in numbers["plain"].as_object().unwrap() {
        let corruption = Corruption::named(name).unwrap();
        for (severity, rows) in Severity::ALL
            .into_iter()
            .zip(severities.as_array().unwrap())
        {
            for (level, row) in levels.iter().zip(rows.as_array().unwrap()) {
                let plain = RgbImage::from_pixel(400, 400, Rgb([*level; 3]));
                let out = corrupt_rgb(plain, corruption, severity, u64::from(*level));
                let [mean, variance, fourth] = [0, 1, 2].map(|i| row[i].as_f64().unwrap());
                let got = moments(&out);
                // Both sides are samples: 480,000 and 2,097,152 values.
                let share = 1.0 / 480_000.0 + 1.0 / 2_097_152.0;
                let error = (variance * share).sqrt();
                let what = format!("{name} {severity:?} on {level}: {got:?}, numpy {row}");
                assert!(
                    (got[0] - mean).abs() <= ERRORS * error + 1e-3,
                    "mean: {what}"
                );
                let error = ((fourth - variance * variance).max(0.0) * share).sqrt();
                assert!(
                    (got[1] - variance).abs() <= ERRORS * error + 1e-3,
                    "variance: {what}"
                );
            }
        }
    }
}

#[test]
fn noise_of_neighbors_is_independent() {
    let plain = RgbImage::from_pixel(512, 512, Rgb([128; 3]));
    for corruption in &Corruption::ALL[..4] {
        let out = corrupt_rgb(plain.clone(), *corruption, Severity::ALL[2], 1);
        let [mean, variance, _] = moments(&out);
        let row = 512 * 3;
        // The next value, pixel, pixels further right, rows below, and the pixel right and below.
        for step in [1, 2, 3, 6, 9, row, 2 * row, row + 3, 2, 5 * row] {
            let pairs = out.iter().zip(&out.as_raw()[step..]);
            let sum: f64 = pairs
                .map(|(a, b)| (f64::from(*a) - mean) * (f64::from(*b) - mean))
                .sum();
            let correlation = sum / variance / (out.len() - step) as f64;
            let limit = ERRORS / ((out.len() - step) as f64).sqrt();
            assert!(
                correlation.abs() < limit,
                "{corruption:?} {step}: {correlation}"
            );
        }
    }
}

/// Mean and variance of the change in gray, and its variance by bands of frequencies: as `change` of
/// the script.
fn change(before: &RgbImage, after: &RgbImage) -> [f64; 6] {
    let side = before.width() as usize;
    let gray = |p: &Rgb<u8>| p.0.iter().map(|v| f64::from(*v)).sum::<f64>() / 3.0;
    let pairs = before.pixels().zip(after.pixels());
    let off: Vec<f64> = pairs.map(|(a, b)| gray(b) - gray(a)).collect();
    let count = off.len() as f64;
    let mean = off.iter().sum::<f64>() / count;
    let variance = off.iter().map(|d| (d - mean).powi(2)).sum::<f64>() / count;
    let turns: Vec<(f64, f64)> = (0..side)
        .map(|i| (std::f64::consts::TAU * i as f64 / side as f64).sin_cos())
        .map(|(sin, cos)| (cos, -sin))
        .collect();
    // Rows, then columns; the half of the frequencies across that the other mirrors.
    let half = side / 2 + 1;
    let mut rows = vec![(0.0, 0.0); side * half];
    for (y, row) in off.chunks(side).enumerate() {
        for fx in 0..half {
            for (x, value) in row.iter().enumerate() {
                let turn = turns[x * fx % side];
                let sum = &mut rows[y * half + fx];
                *sum = (
                    sum.0 + (value - mean) * turn.0,
                    sum.1 + (value - mean) * turn.1,
                );
            }
        }
    }
    let mut bands = [0.0; 4];
    for fx in 0..half {
        for fy in 0..side {
            let mut sum = (0.0, 0.0);
            for y in 0..side {
                let (a, b) = (rows[y * half + fx], turns[y * fy % side]);
                sum = (sum.0 + a.0 * b.0 - a.1 * b.1, sum.1 + a.0 * b.1 + a.1 * b.0);
            }
            let down = fy.min(side - fy) as f64 / side as f64;
            let radius = (fx as f64 / side as f64).hypot(down);
            let band = [0.0625, 0.125, 0.25]
                .iter()
                .filter(|f| radius >= **f)
                .count();
            let twice = if fx == 0 || 2 * fx == side { 1.0 } else { 2.0 };
            bands[band] += twice * (sum.0 * sum.0 + sum.1 * sum.1) / (count * count);
        }
    }
    assert!((bands.iter().sum::<f64>() - variance).abs() < 1e-6 * variance.max(1.0));
    [mean, variance, bands[0], bands[1], bands[2], bands[3]]
}

#[test]
fn changes_of_a_picture_have_the_mean_variance_and_spectrum_of_the_original_code() {
    const SEEDS: u64 = 40;
    let (photo, numbers) = (picture("photo.png"), numbers());
    let mut compared = 0;
    for (name, severities) in numbers["changes"].as_object().unwrap() {
        let corruption = Corruption::named(name).unwrap();
        for (severity, rows) in severities.as_object().unwrap() {
            let severity = Severity::new(severity.parse().unwrap()).unwrap();
            let changes: Vec<[f64; 6]> = (0..SEEDS)
                .map(|seed| {
                    change(
                        &photo,
                        &corrupt_rgb(photo.clone(), corruption, severity, seed),
                    )
                })
                .collect();
            for (i, row) in rows.as_array().unwrap().iter().enumerate() {
                let (mean, deviation) = (row[0].as_f64().unwrap(), row[1].as_f64().unwrap());
                let got = changes.iter().map(|c| c[i]).sum::<f64>() / SEEDS as f64;
                let spread = changes.iter().map(|c| (c[i] - got).powi(2)).sum::<f64>();
                let spread = spread / (SEEDS - 1) as f64;
                let error = (deviation * deviation / 48.0 + spread / SEEDS as f64).sqrt();
                // OpenCV's map of elastic rounds coordinates to 1/32 pixel, which blurs a little less.
                let slack = if corruption == Corruption::Elastic {
                    0.02 * mean.abs()
                } else {
                    0.0
                };
                assert!(
                    (got - mean).abs() <= ERRORS * error + slack + 1e-3,
                    "{name} {severity:?} {i}: {got}, {mean} +- {error}"
                );
                compared += 1;
            }
        }
    }
    assert_eq!(compared, 8 * 3 * 6);
}
