//! Noise: each value of each pixel by itself.

use benchtop_model::rng::{Stream, within};
use image::RgbImage;

use super::normal;
use super::rows::{fill_rows, to_byte};

/// Adds a normal number of standard deviation `sigma` x 255 to each value.
pub(super) fn gaussian(picture: &mut RgbImage, sigma: f32, key: u64) {
    let sigma = sigma * 255.0;
    normal_rows(picture, key, |value, noise| value + sigma * noise);
}

/// Multiplies each value by 1 + a normal number of standard deviation `sigma`.
pub(super) fn speckle(picture: &mut RgbImage, sigma: f32, key: u64) {
    normal_rows(picture, key, |value, noise| value + value * (sigma * noise));
}

fn normal_rows(picture: &mut RgbImage, key: u64, noisy: impl Fn(f32, f32) -> f32 + Sync) {
    let row_len = picture.width() as usize * 3;
    fill_rows(picture, row_len, |noise: &mut Vec<f32>, y, row| {
        noise.resize(row_len, 0.0);
        normal::fill(&mut Stream::new(within(key, y as u64)), noise);
        for (value, noise) in row.iter_mut().zip(noise.iter()) {
            *value = to_byte(noisy(f32::from(*value), *noise));
        }
    });
}

/// Replaces the share `amount` of all values, half of them by 0 and half by 255.
pub(super) fn salt_and_pepper(picture: &mut RgbImage, amount: f64, key: u64) {
    let limit = (amount * 4_294_967_296.0) as u32;
    let row_len = picture.width() as usize * 3;
    fill_rows(picture, row_len, |(): &mut (), y, row| {
        let mut stream = Stream::new(within(key, y as u64));
        for pair in row.chunks_mut(2) {
            let both = stream.next();
            for (value, bits) in pair.iter_mut().zip([both as u32, (both >> 32) as u32]) {
                if bits < limit {
                    *value = if bits & 1 == 1 { 255 } else { 0 };
                }
            }
        }
    });
}

/// Replaces each value by the count of a Poisson distribution, whose mean is `photons` for white.
pub(super) fn shot(picture: &mut RgbImage, photons: u32, key: u64) {
    let table = Poisson::new(photons);
    let row_len = picture.width() as usize * 3;
    fill_rows(picture, row_len, |(): &mut (), y, row| {
        let mut stream = Stream::new(within(key, y as u64));
        for pair in row.chunks_mut(2) {
            let both = stream.next();
            for (value, bits) in pair.iter_mut().zip([both as u32, (both >> 32) as u32]) {
                *value = table.draw(*value, bits);
            }
        }
    });
}

/// Poisson distributions of 256 means. Counts of `photons` and more are white, so they are one.
struct Poisson {
    /// For each mean and count: 2^32 x the probability of this count or less.
    limits: Vec<u32>,
    /// For each mean and the first 8 bits of a number: the least count that it can give.
    first: Vec<u8>,
    /// Gray level of each count.
    levels: Vec<u8>,
}

impl Poisson {
    fn new(photons: u32) -> Poisson {
        let counts = photons as usize;
        let (mut limits, mut first) = (Vec::with_capacity(256 * counts), Vec::new());
        for level in 0..256 {
            let mean = f64::from(level) / 255.0 * f64::from(photons);
            let mut share = libm::exp(-mean);
            let mut sum = share;
            let from = limits.len();
            for count in 1..=counts {
                limits.push((sum * 4_294_967_296.0) as u32);
                share *= mean / count as f64;
                sum += share;
            }
            let limits = &limits[from..];
            for bits in 0..256u32 {
                first.push(limits.partition_point(|limit| *limit <= bits << 24) as u8);
            }
        }
        let level = |count| to_byte(count as f32 * 255.0 / photons as f32);
        Poisson {
            limits,
            first,
            levels: (0..=counts).map(level).collect(),
        }
    }

    #[inline]
    fn draw(&self, level: u8, bits: u32) -> u8 {
        let counts = self.levels.len() - 1;
        let limits = &self.limits[usize::from(level) * counts..][..counts];
        let mut count = usize::from(self.first[usize::from(level) << 8 | (bits >> 24) as usize]);
        while limits.get(count).is_some_and(|limit| *limit <= bits) {
            count += 1;
        }
        self.levels[count]
    }
}
