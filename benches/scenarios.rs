//! Pictures corrupted a second: 1024x1024 at severity 3, two pictures at a time, on the release build.
//!
//! - each corruption: at least 20 pictures a second on two cores; decoding and PNG are not part of it
//! - each as a ratio to one copy of the same bytes, measured in the same run
//!
//! `cargo bench --bench scenarios [-- SIDE [SEVERITY]]`

// A measurement that cannot be made should stop, as a test does.
#![allow(clippy::expect_used)]

use std::hint::black_box;
use std::time::{Duration, Instant};

use benchtop::raster::corrupt::{Corruption, Severity, corrupt_rgb};
use image::{Rgb, RgbImage};

/// Pictures of one measurement, half of them on each of two threads.
const PICTURES: u32 = 4;
const ROUNDS: usize = 9;
const GOAL: f64 = 20.0;

/// Smooth shapes, edges, and noise of a few bits.
fn photo(side: u32, seed: u32) -> RgbImage {
    let mut noise = seed | 1;
    RgbImage::from_fn(side, side, |x, y| {
        noise ^= noise << 13;
        noise ^= noise >> 17;
        noise ^= noise << 5;
        let (fx, fy) = (f64::from(x) / 97.0 + f64::from(seed), f64::from(y) / 71.0);
        let smooth = (fx.sin() * fy.cos() + (fx * 0.31 + fy * 0.73).sin()) * 50.0 + 120.0;
        let edge = if (x / 128 + y / 96) % 3 == 0 {
            30.0
        } else {
            0.0
        };
        Rgb([0, 8, 16]
            .map(|shift| (smooth + edge + f64::from(noise >> shift & 15)).clamp(0.0, 255.0) as u8))
    })
}

/// The median time of a picture, with two threads at work.
fn each(pictures: &[RgbImage], work: impl Fn(RgbImage) -> RgbImage + Sync) -> Duration {
    let mut times: Vec<Duration> = (0..ROUNDS)
        .map(|_| {
            let mut inputs = pictures.to_vec();
            let half = inputs.split_off(inputs.len() / 2);
            let start = Instant::now();
            std::thread::scope(|scope| {
                for inputs in [inputs, half] {
                    let work = &work;
                    scope.spawn(move || {
                        for picture in inputs {
                            black_box(work(picture));
                        }
                    });
                }
            });
            start.elapsed() / PICTURES
        })
        .collect();
    times.sort_unstable();
    times[ROUNDS / 2]
}

fn main() {
    let mut args = std::env::args().skip(1).filter(|a| a != "--bench");
    let side = args
        .next()
        .map_or(1024, |side| side.parse().expect("a side in pixels"));
    let severity = args
        .next()
        .map_or(3, |number| number.parse().expect("a severity"));
    let severity = Severity::new(severity).expect("a severity from 1 to 5");
    let pictures: Vec<RgbImage> = (0..PICTURES).map(|seed| photo(side, seed)).collect();
    // Corruptions use threads of their own; two of them stand for two cores.
    rayon::ThreadPoolBuilder::new()
        .num_threads(2)
        .build_global()
        .expect("two threads");
    let copy = each(&pictures, |picture| black_box(&picture).clone());
    println!("{side}x{side}, severity {}, 2 threads", severity.number());
    println!(
        "{:<18} {:>12} {:>12} {:>9}",
        "", "ms/picture", "pictures/s", "copies"
    );
    println!("{:<18} {:>12.3}", "copy", copy.as_secs_f64() * 1e3);
    let mut sum = Duration::ZERO;
    for corruption in Corruption::ALL {
        let time = each(&pictures, |picture| {
            corrupt_rgb(picture, corruption, severity, 1)
        });
        sum += time;
        let rate = 1.0 / time.as_secs_f64();
        let verdict = if rate >= GOAL { "held" } else { "NOT HELD" };
        println!(
            "{:<18} {:>12.2} {rate:>12.1} {:>8.0}x  (hold {GOAL}/s) {verdict}",
            corruption.name(),
            time.as_secs_f64() * 1e3,
            time.as_secs_f64() / copy.as_secs_f64()
        );
    }
    let all = Corruption::ALL.len() as f64 / sum.as_secs_f64();
    println!("{:<18} {:>25.1}", "all, dealt evenly", all);
}
