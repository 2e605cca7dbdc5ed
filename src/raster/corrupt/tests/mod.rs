//! Corruptions against scikit-image, OpenCV, Pillow, and numpy: `tests/parity/make_corruptions.py`.

mod distributions;
mod fixtures;

use std::path::PathBuf;

use image::{Rgb, RgbImage, Rgba, RgbaImage};
use rayon::ThreadPoolBuilder;

use super::*;

fn path(name: &str) -> PathBuf {
    let folder = "../../tests/parity/data/corruptions";
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join(folder)
        .join(name)
}

fn picture(name: &str) -> RgbImage {
    let bytes = std::fs::read(path(name)).unwrap();
    crate::decode::decode(&bytes).unwrap().pixels().to_rgb8()
}

fn numbers() -> serde_json::Value {
    serde_json::from_slice(&std::fs::read(path("numbers.json")).unwrap()).unwrap()
}

/// Slopes, checks, and noise.
fn pattern(width: u32, height: u32) -> RgbImage {
    RgbImage::from_fn(width, height, |x, y| {
        let noise = x.wrapping_mul(73_856_093) ^ y.wrapping_mul(19_349_663);
        let block = (x / 16 + y / 16) % 3;
        Rgb([0, 40, 80].map(|c| match block {
            0 => (x * 3 + y * 5 + c) as u8,
            1 => (noise >> 13) as u8,
            _ => ((x ^ y) & 1) as u8 * 255,
        }))
    })
}

fn all() -> impl Iterator<Item = (Corruption, Severity)> {
    Corruption::ALL
        .into_iter()
        .flat_map(|c| Severity::ALL.map(|s| (c, s)))
}

#[test]
fn names_and_numbers_are_read_back() {
    for corruption in Corruption::ALL {
        assert_eq!(Corruption::named(corruption.name()), Some(corruption));
    }
    assert_eq!(Corruption::named("fog"), None);
    assert_eq!([0, 6].map(Severity::new), [None, None]);
    assert_eq!(Severity::new(5).map(Severity::number), Some(5));
}

/// Other bytes need another `VERSION`: derived pictures are made again from their parameters.
#[test]
fn bytes_are_the_same_on_every_machine() {
    let source = pattern(97, 61);
    let sums: Vec<[u32; 5]> = Corruption::ALL
        .into_iter()
        .map(|c| Severity::ALL.map(|s| crc32fast::hash(&corrupt_rgb(source.clone(), c, s, 7))))
        .collect();
    assert_eq!(VERSION, 1);
    assert_eq!(sums, SUMS, "{sums:?}");
}

const SUMS: [[u32; 5]; 11] = [
    [1892665555, 168816653, 482257617, 1095754639, 2098661549],
    [1216201124, 2368653252, 2224560030, 247977742, 2826024931],
    [350154843, 2372302262, 94453848, 2131947809, 2097767454],
    [1657094279, 1479372074, 2346476053, 464434348, 399836224],
    [4098601043, 229429883, 959098805, 326410256, 1661781426],
    [3162965623, 3133019478, 923762117, 4046518332, 2056208365],
    [1518890170, 2611460591, 3106410647, 3094632218, 3059983101],
    [631197047, 1683688316, 2954478765, 3252993910, 157032811],
    [3126423042, 125936660, 2589175797, 3617642120, 3816511097],
    [3965830191, 3704425412, 838345571, 3568659986, 4008334282],
    [3933797145, 1934261786, 4065279151, 4113399382, 3360054541],
];

#[test]
fn threads_do_not_matter_and_seeds_do() {
    let source = pattern(83, 120);
    let with = |threads: usize, corruption, severity, seed| {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build();
        pool.unwrap()
            .install(|| corrupt_rgb(source.clone(), corruption, severity, seed))
    };
    for (corruption, severity) in all() {
        let one = with(1, corruption, severity, 3);
        assert!(one == with(5, corruption, severity, 3), "{corruption:?}");
        let is_random = !matches!(
            corruption,
            Corruption::GaussianBlur | Corruption::DefocusBlur | Corruption::Jpeg
        );
        let differs = one != with(2, corruption, severity, 4);
        assert_eq!(differs, is_random, "{corruption:?} {severity:?}");
        assert!(one != source, "{corruption:?} {severity:?}");
    }
}

#[test]
fn a_higher_severity_changes_more() {
    let source = picture("photo.png");
    for corruption in Corruption::ALL {
        // Of spatter, severities 1 to 3 are water, and 4 and 5 mud.
        let runs: &[&[usize]] = match corruption {
            // The tilt hides what the field does.
            Corruption::Elastic => &[],
            Corruption::Spatter => &[&[0, 1], &[3, 4]],
            // In ImageNet-C too, severity 3 moves pixels three times and 4 only twice.
            Corruption::GlassBlur => &[&[0, 2], &[1, 3, 4]],
            _ => &[&[0, 1, 2, 3, 4]],
        };
        let off = Severity::ALL.map(|severity| {
            let changed = |seed| {
                let out = corrupt_rgb(source.clone(), corruption, severity, seed);
                let off = out.iter().zip(source.iter()).map(|(a, b)| a.abs_diff(*b));
                off.map(|d| u64::from(d).pow(2)).sum::<u64>()
            };
            (0..12).map(changed).sum::<u64>()
        });
        for run in runs {
            let run: Vec<u64> = run.iter().map(|i| off[*i]).collect();
            assert!(run.is_sorted_by(|a, b| a < b), "{corruption:?}: {off:?}");
        }
    }
}

#[test]
fn every_size_is_corrupted() {
    for size in [(1, 1), (1, 40), (40, 1), (2, 2), (3, 5), (9, 8), (17, 300)] {
        for (corruption, severity) in all() {
            let out = corrupt_rgb(pattern(size.0, size.1), corruption, severity, 1);
            assert_eq!(out.dimensions(), size, "{corruption:?} {severity:?}");
        }
    }
    for corruption in Corruption::ALL {
        let empty = corrupt_rgb(RgbImage::new(0, 9), corruption, Severity::ALL[2], 1);
        assert_eq!(empty.dimensions(), (0, 9));
    }
}

#[test]
fn alpha_stays_and_colors_are_those_without_it() {
    let rgb = pattern(40, 30);
    let rgba = RgbaImage::from_fn(40, 30, |x, y| {
        let [r, g, b] = rgb[(x, y)].0;
        Rgba([r, g, b, (x * 6) as u8])
    });
    for corruption in Corruption::ALL {
        let with = corrupt(
            &DecodedImage::new(rgba.clone().into()),
            corruption,
            Severity::ALL[2],
            5,
        );
        let without = corrupt(
            &DecodedImage::new(rgb.clone().into()),
            corruption,
            Severity::ALL[2],
            5,
        );
        assert!(with.pixels().color().has_alpha() && !without.pixels().color().has_alpha());
        let (with, without) = (with.pixels().to_rgba8(), without.pixels().to_rgb8());
        for (x, y, pixel) in with.enumerate_pixels() {
            assert_eq!(pixel.0[3], (x * 6) as u8);
            assert_eq!(pixel.0[..3], without[(x, y)].0);
        }
    }
}

#[test]
fn corruptions_are_dealt_evenly() {
    let chosen = [4, 2, 2].map(|n| Severity::new(n).unwrap());
    let mut dealer = Dealer::new(9, &chosen).unwrap();
    let grid: Vec<_> = dealer.grid().collect();
    assert_eq!(grid.len(), 22);
    let dealt: Vec<_> = (0..22 * 30).map(|at| dealer.at(at)).collect();
    for round in dealt.chunks(22) {
        let mut round = round.to_vec();
        round.sort_unstable();
        assert_eq!(round, grid);
    }
    assert_ne!(dealt[..22], dealt[22..44]);
    assert_eq!(dealer.at(100), dealt[100]);
    assert!(Dealer::new(9, &[]).is_none());
}
