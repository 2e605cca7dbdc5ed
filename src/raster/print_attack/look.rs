//! The five factors of a print attack, and how their levels are dealt.

use benchtop_model::rng::{BalancedSampler, key};

/// Font sizes, as shares of the shorter side: 32, 48, 64, 88, and 112 pixels of 1024.
const SIZES: [f32; 5] = [
    32.0 / 1024.0,
    48.0 / 1024.0,
    64.0 / 1024.0,
    88.0 / 1024.0,
    112.0 / 1024.0,
];
const COLORS: [[u8; 3]; 5] = [
    [0, 0, 0],
    [255, 255, 255],
    [200, 0, 0],
    [255, 230, 0],
    [0, 0, 200],
];
const COLOR_NAMES: [&str; 5] = ["black", "white", "red", "yellow", "blue"];
const OPACITIES: [u8; 4] = [25, 50, 75, 100];
/// Degrees clockwise.
const ANGLES: [u16; 5] = [0, 30, 90, 270, 330];
/// Rows and columns of positions.
const GRID: u8 = 5;

/// A property of the word that is varied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Factor {
    Size,
    Color,
    Opacity,
    Orientation,
    Position,
}

/// All, in the order of [`Look`].
pub const FACTORS: [Factor; 5] = [
    Factor::Size,
    Factor::Color,
    Factor::Opacity,
    Factor::Orientation,
    Factor::Position,
];

impl Factor {
    /// The name in files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Factor::Size => "size",
            Factor::Color => "color",
            Factor::Opacity => "opacity",
            Factor::Orientation => "orientation",
            Factor::Position => "position",
        }
    }

    /// How many levels it has.
    pub fn levels(self) -> u8 {
        let count = match self {
            Factor::Size => SIZES.len(),
            Factor::Color => COLORS.len(),
            Factor::Opacity => OPACITIES.len(),
            Factor::Orientation => ANGLES.len(),
            Factor::Position => usize::from(GRID * GRID),
        };
        count as u8
    }

    /// What a level is called, such as `red`, `75 %`, or `row 1, column 5`.
    pub fn level_name(self, level: u8) -> String {
        let at = usize::from(level % self.levels());
        match self {
            Factor::Size => format!("{:.1} %", SIZES[at] * 100.0),
            Factor::Color => COLOR_NAMES[at].to_string(),
            Factor::Opacity => format!("{} %", OPACITIES[at]),
            Factor::Orientation => format!("{} degrees", ANGLES[at]),
            Factor::Position => {
                format!(
                    "row {}, column {}",
                    at as u8 / GRID + 1,
                    at as u8 % GRID + 1
                )
            }
        }
    }
}

/// A level of each factor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Look([u8; 5]);

impl Look {
    /// A look of these levels, in the order of [`FACTORS`], or `None` if there is no such level.
    pub fn new(levels: [u8; 5]) -> Option<Look> {
        let is_level = |(factor, level): (&Factor, &u8)| *level < factor.levels();
        FACTORS
            .iter()
            .zip(&levels)
            .all(is_level)
            .then_some(Look(levels))
    }

    /// The level of a factor, from 0.
    pub fn level(self, factor: Factor) -> u8 {
        self.0[factor as usize]
    }

    /// The font size, as a share of the shorter side.
    pub fn size(self) -> f32 {
        SIZES[usize::from(self.0[0])]
    }

    pub fn color(self) -> [u8; 3] {
        COLORS[usize::from(self.0[1])]
    }

    /// 0 to 1.
    pub fn opacity(self) -> f32 {
        f32::from(OPACITIES[usize::from(self.0[2])]) / 100.0
    }

    /// Degrees clockwise.
    pub fn angle(self) -> f64 {
        f64::from(ANGLES[usize::from(self.0[3])])
    }

    /// The middle of the word, as shares of width and height.
    pub fn position(self) -> (f32, f32) {
        let share = |n: u8| (f32::from(n) + 0.5) / f32::from(GRID);
        (share(self.0[4] % GRID), share(self.0[4] / GRID))
    }
}

/// Deals a look to each picture. Each factor is dealt by itself: after as many pictures as it has
/// levels, each level was dealt once.
pub struct Dealer {
    factors: Vec<(BalancedSampler, Vec<u8>)>,
}

impl Dealer {
    /// A dealer of these levels, in the order of [`FACTORS`]; an empty list means all. `None` if there
    /// is no such level.
    pub fn new(seed: u64, levels: &[Vec<u8>; 5]) -> Option<Dealer> {
        let mut factors = Vec::new();
        for (factor, levels) in FACTORS.iter().zip(levels) {
            let mut levels = levels.clone();
            if levels.is_empty() {
                levels.extend(0..factor.levels());
            }
            levels.sort_unstable();
            levels.dedup();
            if levels.iter().any(|level| *level >= factor.levels()) {
                return None;
            }
            let key = key(seed, &["print attack", factor.name()]);
            factors.push((BalancedSampler::new(key, levels.len()), levels));
        }
        Some(Dealer { factors })
    }

    /// The look of picture number `at`.
    pub fn at(&mut self, at: u64) -> Look {
        let mut levels = [0; 5];
        for (to, (sampler, levels)) in levels.iter_mut().zip(&mut self.factors) {
            *to = levels[sampler.at(at)];
        }
        Look(levels)
    }
}
