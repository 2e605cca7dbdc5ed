//! What needs no random numbers, pixel by pixel.

use super::*;
use crate::corrupt::{elastic, glass, spatter};

/// The largest difference of two pictures, and how many values differ.
fn off(a: &RgbImage, b: &RgbImage) -> (u8, usize) {
    assert_eq!(a.dimensions(), b.dimensions());
    let off: Vec<u8> = a
        .iter()
        .zip(b.iter())
        .map(|(a, b)| a.abs_diff(*b))
        .collect();
    let count = off.iter().filter(|d| **d > 0).count();
    (off.into_iter().max().unwrap_or(0), count)
}

fn floats(name: &str) -> Vec<f32> {
    let bytes = std::fs::read(path(name)).unwrap();
    let (floats, rest) = bytes.as_chunks::<4>();
    assert!(rest.is_empty());
    floats
        .iter()
        .map(|bytes| f32::from_le_bytes(*bytes))
        .collect()
}

#[test]
fn blurs_equal_scikit_image_and_opencv() {
    let source = picture("source.png");
    for severity in Severity::ALL {
        for corruption in [Corruption::GaussianBlur, Corruption::DefocusBlur] {
            let out = corrupt_rgb(source.clone(), corruption, severity, 0);
            let name = format!("{}-{}.png", corruption.name(), severity.number());
            let (most, count) = off(&out, &picture(&name));
            // Values that lie halfway between two gray levels may go either way.
            assert!(most <= 1 && count < 20, "{name}: {most}, {count} values");
        }
    }
}

#[test]
fn motion_blur_equals_the_steps_of_imagemagick() {
    let source = picture("source.png");
    let numbers = numbers();
    for severity in Severity::ALL {
        let (radius, sigma) =
            severity.of([(10, 3.0), (15, 5.0), (15, 8.0), (15, 12.0), (20, 15.0)]);
        let angle = numbers["angles"][usize::from(severity.number()) - 1].as_f64();
        let out = blur::motion(&source, radius, sigma, angle.unwrap());
        let (most, count) = off(
            &out,
            &picture(&format!("motion-blur-{}.png", severity.number())),
        );
        assert!(
            most <= 1 && count < 20,
            "{severity:?}: {most}, {count} values"
        );
    }
}

/// Glass blur with these offsets, row by row from the last pixel to the first.
fn glass_with(
    picture: &RgbImage,
    (sigma, reach): (f64, u32),
    rounds: &[Vec<(i32, i32)>],
) -> RgbImage {
    let mut moved = blur::gaussian(picture, sigma);
    let (width, height, margin) = (picture.width(), picture.height(), reach as usize);
    let columns = width as usize - 2 * margin;
    for round in rounds {
        glass::take_from_nearby(&mut moved, reach, |y| {
            let row = height as usize - margin - y;
            let mut row = round[row * columns..][..columns].iter();
            move || *row.next().unwrap()
        });
    }
    blur::gaussian(&moved, sigma)
}

#[test]
fn glass_blur_equals_numpy_with_the_same_offsets() {
    let source = picture("source.png");
    let numbers = numbers();
    for (severity, (sigma, reach, rounds)) in [(2, (0.9, 2, 1)), (3, (1.0, 2, 3)), (5, (1.5, 4, 2))]
    {
        let offsets = numbers["glass"][severity.to_string()].as_array().unwrap();
        let offsets: Vec<i32> = offsets.iter().map(|n| n.as_i64().unwrap() as i32).collect();
        let pairs: Vec<(i32, i32)> = offsets
            .as_chunks::<2>()
            .0
            .iter()
            .map(|p| (p[0], p[1]))
            .collect();
        let each = (64 - 2 * reach as usize) * (48 - 2 * reach as usize);
        assert_eq!(pairs.len(), each * rounds);
        let rounds: Vec<_> = pairs.chunks(each).map(<[_]>::to_vec).collect();
        let out = glass_with(&source, (sigma, reach), &rounds);
        let (most, count) = off(&out, &picture(&format!("glass-blur-{severity}.png")));
        // The first blur may round differently too, and the second passes that on.
        assert!(
            most <= 1 && count < 200,
            "{severity}: {most}, {count} values"
        );
    }
}

#[test]
fn elastic_equals_scipy_with_the_same_field() {
    let values = floats("elastic.f32");
    let (noise, fields) = values.split_at(48 * 64);
    let (right, down) = fields.split_at(48 * 64);
    let blurred = elastic::smoothed(noise, 64, elastic_of(Severity::ALL[4]));
    for (got, expected) in blurred.iter().zip(right) {
        assert!((got - expected).abs() < 1e-4, "{got} {expected}");
    }
    let numbers = numbers();
    let affine: [f64; 6] = std::array::from_fn(|i| numbers["affine"][i].as_f64().unwrap());
    let out = elastic::displaced(&picture("source.png"), affine, right, down);
    let (most, count) = off(&out, &picture("elastic.png"));
    // The picture between the two steps is kept in 1/256 of a gray level.
    assert!(most <= 1 && count < 100, "{most}, {count} values");
}

#[test]
fn jpeg_equals_pillow() {
    let source = picture("source.png");
    for severity in Severity::ALL {
        let out = corrupt_rgb(source.clone(), Corruption::Jpeg, severity, 0);
        let expected = picture(&format!("jpeg-{}.png", severity.number()));
        assert_eq!(off(&out, &expected), (0, 0), "{severity:?}");
    }
    let whole = |x: u32, y: u32| {
        // `pattern` of the script.
        let (x, y) = (u64::from(x), u64::from(y));
        Rgb([0, 1, 2].map(|c| match (x / 16 + 2 * (y / 16)) % 4 {
            0 => (x * 3 + y * 5 + c * 40) as u8,
            1 => (((x * 7381 + y * 19349 + c * 8349) * 2_654_435_761) >> 13) as u8,
            2 => ((x ^ y) & 1) as u8 * 255,
            _ => (60 + 70 * c) as u8,
        }))
    };
    for (width, height) in [(1, 1), (2, 9), (5, 3), (33, 17), (61, 47)] {
        let source = RgbImage::from_fn(width, height, whole);
        let out = corrupt_rgb(source, Corruption::Jpeg, Severity::ALL[3], 0);
        let expected = picture(&format!("jpeg-4-{width}x{height}.png"));
        assert_eq!(off(&out, &expected), (0, 0), "{width}x{height}");
    }
}

#[test]
fn spatter_equals_opencv_with_the_same_layer() {
    let plain = RgbImage::from_pixel(128, 128, Rgb([100, 60, 210]));
    let noise = floats("spatter.f32");
    for severity in Severity::ALL {
        let liquid = spatter_of(severity);
        let layer: Vec<f32> = noise
            .iter()
            .map(|n| liquid.mean + liquid.deviation * n)
            .collect();
        let mut out = plain.clone();
        spatter::pour(
            &mut out,
            &spatter::blurred(&layer, 128, liquid.sigma),
            &liquid,
        );
        let expected = picture(&format!("spatter-{}.png", severity.number()));
        let (most, count) = off(&out, &expected);
        assert!(
            most <= 1 && count < 300,
            "{severity:?}: {most}, {count} values"
        );
        let changed = off(&plain, &expected).1;
        assert!(
            changed > 1000,
            "{severity:?}: only {changed} values to compare"
        );
    }
}
