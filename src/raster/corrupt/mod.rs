//! Corruptions of pictures, as ImageNet-C defines them.
//!
//! Hendrycks and Dietterich, "Benchmarking neural network robustness to common corruptions and
//! perturbations", ICLR 2019. `docs/scenarios.md` lists the parameters of each severity and where this
//! code differs from theirs.
//!
//! The same picture, corruption, severity, and seed give the same bytes on every machine and with any
//! number of threads: random numbers depend on the row alone ([`benchtop_model::rng`]), sums have one
//! order, and what the processor does not round by IEEE 754 comes from `libm`.
//!
//! | file | what it does |
//! |---|---|
//! | `noise` | Gaussian noise, shot noise, speckle noise, and salt-and-pepper noise |
//! | `normal` | normal random numbers |
//! | `blur` | Gaussian blur, defocus blur, and motion blur |
//! | `glass` | glass blur |
//! | `elastic` | elastic transform |
//! | `jpeg` | JPEG compression |
//! | `spatter` | drops and specks |
//! | `rows` | rows in parallel; what lies beyond an edge |

mod blur;
mod elastic;
mod glass;
mod jpeg;
mod noise;
mod normal;
mod rows;
mod spatter;
#[cfg(test)]
mod tests;

use benchtop_model::rng::{BalancedSampler, Stream, key, within};
use image::{DynamicImage, RgbImage};

use crate::decode::DecodedImage;

/// A way to make a picture worse.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Corruption {
    GaussianNoise,
    ShotNoise,
    SpeckleNoise,
    SaltAndPepper,
    MotionBlur,
    GaussianBlur,
    GlassBlur,
    DefocusBlur,
    Elastic,
    Jpeg,
    Spatter,
}

impl Corruption {
    /// All, in the order of the papers.
    pub const ALL: [Corruption; 11] = [
        Corruption::GaussianNoise,
        Corruption::ShotNoise,
        Corruption::SpeckleNoise,
        Corruption::SaltAndPepper,
        Corruption::MotionBlur,
        Corruption::GaussianBlur,
        Corruption::GlassBlur,
        Corruption::DefocusBlur,
        Corruption::Elastic,
        Corruption::Jpeg,
        Corruption::Spatter,
    ];

    /// The name in files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Corruption::GaussianNoise => "gaussian-noise",
            Corruption::ShotNoise => "shot-noise",
            Corruption::SpeckleNoise => "speckle-noise",
            Corruption::SaltAndPepper => "salt-and-pepper",
            Corruption::MotionBlur => "motion-blur",
            Corruption::GaussianBlur => "gaussian-blur",
            Corruption::GlassBlur => "glass-blur",
            Corruption::DefocusBlur => "defocus-blur",
            Corruption::Elastic => "elastic",
            Corruption::Jpeg => "jpeg",
            Corruption::Spatter => "spatter",
        }
    }

    /// The corruption of this name.
    pub fn named(name: &str) -> Option<Corruption> {
        Corruption::ALL.into_iter().find(|c| c.name() == name)
    }
}

/// How much worse: 1 to 5.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Severity(u8);

impl Severity {
    /// All, from the least.
    pub const ALL: [Severity; 5] = [
        Severity(1),
        Severity(2),
        Severity(3),
        Severity(4),
        Severity(5),
    ];

    /// The severity of this number, if it is 1 to 5.
    pub fn new(number: u8) -> Option<Severity> {
        Severity::ALL.into_iter().find(|s| s.0 == number)
    }

    /// Its number, 1 to 5.
    pub fn number(self) -> u8 {
        self.0
    }

    /// The parameter of this severity.
    fn of<T: Copy>(self, parameters: [T; 5]) -> T {
        parameters[usize::from(self.0) - 1]
    }
}

/// The version of the code. It changes when the same parameters give other bytes.
pub const VERSION: u32 = 1;

/// Corrupts a picture. Alpha stays as it is.
pub fn corrupt(
    picture: &DecodedImage,
    corruption: Corruption,
    severity: Severity,
    seed: u64,
) -> DecodedImage {
    let pixels = picture.pixels();
    let rgb = corrupt_rgb(pixels.to_rgb8(), corruption, severity, seed);
    if !pixels.color().has_alpha() {
        return DecodedImage::new(rgb.into());
    }
    let mut rgba = pixels.to_rgba8();
    let (targets, _) = rgba.as_chunks_mut::<4>();
    let (sources, _) = rgb.as_raw().as_chunks::<3>();
    for (target, source) in targets.iter_mut().zip(sources) {
        target[..3].copy_from_slice(source);
    }
    DecodedImage::new(DynamicImage::from(rgba))
}

/// Corrupts the colors of a picture.
pub fn corrupt_rgb(
    mut picture: RgbImage,
    corruption: Corruption,
    severity: Severity,
    seed: u64,
) -> RgbImage {
    if picture.width() == 0 || picture.height() == 0 {
        return picture;
    }
    let key = key(seed, &["corruption", corruption.name()]);
    let key = within(key, u64::from(severity.0));
    match corruption {
        Corruption::GaussianNoise => {
            noise::gaussian(
                &mut picture,
                severity.of([0.08, 0.12, 0.18, 0.26, 0.38]),
                key,
            );
        }
        Corruption::ShotNoise => noise::shot(&mut picture, severity.of([60, 25, 12, 5, 3]), key),
        Corruption::SpeckleNoise => {
            noise::speckle(&mut picture, severity.of([0.15, 0.2, 0.35, 0.45, 0.6]), key);
        }
        Corruption::SaltAndPepper => {
            let amount = severity.of([0.03, 0.06, 0.09, 0.17, 0.27]);
            noise::salt_and_pepper(&mut picture, amount, key);
        }
        Corruption::MotionBlur => {
            let (radius, sigma) =
                severity.of([(10, 3.0), (15, 5.0), (15, 8.0), (15, 12.0), (20, 15.0)]);
            // 53 bits, as an angle of -45 to 45 degrees.
            let part = (Stream::new(key).next() >> 11) as f64 / (1u64 << 53) as f64;
            return blur::motion(&picture, radius, sigma, 90.0 * part - 45.0);
        }
        Corruption::GaussianBlur => {
            return blur::gaussian(&picture, severity.of([1.0, 2.0, 3.0, 4.0, 6.0]));
        }
        Corruption::GlassBlur => {
            let glass = severity.of([
                (0.7, 1, 2),
                (0.9, 2, 1),
                (1.0, 2, 3),
                (1.1, 3, 2),
                (1.5, 4, 2),
            ]);
            return glass::glass(&picture, glass, key);
        }
        Corruption::DefocusBlur => {
            let (radius, smooth) = severity.of([(3, 0.1), (4, 0.5), (6, 0.5), (8, 0.5), (10, 0.5)]);
            return blur::defocus(&picture, radius, smooth);
        }
        Corruption::Elastic => return elastic::elastic(&picture, elastic_of(severity), key),
        Corruption::Jpeg => jpeg::jpeg(&mut picture, severity.of([25, 18, 15, 10, 7])),
        Corruption::Spatter => spatter::spatter(&mut picture, &spatter_of(severity), key),
    }
    picture
}

fn elastic_of(severity: Severity) -> elastic::Strength {
    // ImageNet-C writes them as shares of 244, where it means 224.
    let (alpha, sigma, tilt) = severity.of([
        (2.0, 0.7, 0.1),
        (2.0, 0.08, 0.2),
        (0.05, 0.01, 0.02),
        (0.07, 0.01, 0.02),
        (0.12, 0.01, 0.02),
    ]);
    elastic::Strength {
        alpha: alpha * 244.0,
        sigma: sigma * 244.0,
        tilt: tilt * 244.0,
    }
}

fn spatter_of(severity: Severity) -> spatter::Liquid {
    use spatter::Kind::{Mud, Water};
    let (mean, deviation, sigma, least, kind) = severity.of([
        (0.65, 0.3, 4.0, 0.69, Water(0.6)),
        (0.65, 0.3, 3.0, 0.68, Water(0.6)),
        (0.65, 0.3, 2.0, 0.68, Water(0.5)),
        (0.65, 0.3, 1.0, 0.65, Mud(1.5)),
        (0.67, 0.4, 1.0, 0.65, Mud(1.5)),
    ]);
    spatter::Liquid {
        mean,
        deviation,
        sigma,
        least,
        kind,
    }
}

/// Deals one corruption and one of `severities` to each picture. After 11 x `severities.len()`
/// pictures, each pair was dealt once.
pub struct Dealer {
    sampler: BalancedSampler,
    severities: Vec<Severity>,
}

impl Dealer {
    /// A dealer, or `None` without severities.
    pub fn new(seed: u64, severities: &[Severity]) -> Option<Dealer> {
        let mut severities = severities.to_vec();
        severities.sort_unstable();
        severities.dedup();
        let pairs = Corruption::ALL.len() * severities.len();
        (pairs > 0).then(|| Dealer {
            sampler: BalancedSampler::new(key(seed, &["corruption"]), pairs),
            severities,
        })
    }

    /// What picture number `at` gets.
    pub fn at(&mut self, at: u64) -> (Corruption, Severity) {
        let pair = self.sampler.at(at);
        let count = self.severities.len();
        (Corruption::ALL[pair / count], self.severities[pair % count])
    }

    /// All that are dealt, by corruption and severity: what each picture gets in a whole grid.
    pub fn grid(&self) -> impl Iterator<Item = (Corruption, Severity)> + '_ {
        let severities = || self.severities.iter();
        Corruption::ALL
            .into_iter()
            .flat_map(move |corruption| severities().map(move |severity| (corruption, *severity)))
    }
}
