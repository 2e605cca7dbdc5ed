//! Color arithmetic for [`super::theme`] and pictures: nearest terminal colors, contrast, and color
//! blindness.

use ratatui::style::Color;

use benchtop_model::ColorLevel;

/// Red, green, blue in 0..=255, sRGB.
pub type Rgb = [u8; 3];

/// The ANSI colors by their names in theme files. `reset` is the terminal's own color.
pub const ANSI: [(&str, Color); 17] = [
    ("reset", Color::Reset),
    ("black", Color::Black),
    ("red", Color::Red),
    ("green", Color::Green),
    ("yellow", Color::Yellow),
    ("blue", Color::Blue),
    ("magenta", Color::Magenta),
    ("cyan", Color::Cyan),
    ("gray", Color::Gray),
    ("dark-gray", Color::DarkGray),
    ("light-red", Color::LightRed),
    ("light-green", Color::LightGreen),
    ("light-yellow", Color::LightYellow),
    ("light-blue", Color::LightBlue),
    ("light-magenta", Color::LightMagenta),
    ("light-cyan", Color::LightCyan),
    ("white", Color::White),
];

/// xterm's values of the 16 colors, in the order of [`ANSI`] after `reset`.
const SIXTEEN: [Rgb; 16] = [
    [0, 0, 0],
    [205, 0, 0],
    [0, 205, 0],
    [205, 205, 0],
    [0, 0, 238],
    [205, 0, 205],
    [0, 205, 205],
    [229, 229, 229],
    [127, 127, 127],
    [255, 0, 0],
    [0, 255, 0],
    [255, 255, 0],
    [92, 92, 255],
    [255, 0, 255],
    [0, 255, 255],
    [255, 255, 255],
];

const CUBE: [u8; 6] = [0, 95, 135, 175, 215, 255];

/// The ANSI color with this name in theme files.
pub fn ansi(name: &str) -> Option<Color> {
    ANSI.iter().find(|(n, _)| *n == name).map(|(_, c)| *c)
}

/// Maps `rgb` to what `level` can show: itself, the nearest of 256 or 16, or the terminal's own
/// color.
pub fn color(rgb: Rgb, level: ColorLevel) -> Color {
    match level {
        ColorLevel::Mono => Color::Reset,
        ColorLevel::Ansi16 => nearest_16(rgb),
        ColorLevel::Ansi256 => Color::Indexed(nearest_256(rgb)),
        // Colors of the cube are sent by index: half the bytes on each cursor move.
        ColorLevel::True => match nearest_256(rgb) {
            index if indexed(index) == rgb => Color::Indexed(index),
            _ => Color::Rgb(rgb[0], rgb[1], rgb[2]),
        },
    }
}

fn distance(a: Rgb, b: Rgb) -> u32 {
    a.iter()
        .zip(b)
        .map(|(x, y)| u32::from(x.abs_diff(y)).pow(2))
        .sum()
}

/// The nearest of xterm's 16 colors.
pub fn nearest_16(rgb: Rgb) -> Color {
    let named = ANSI.iter().skip(1).map(|(_, c)| *c);
    named
        .zip(SIXTEEN)
        .min_by_key(|(_, c)| distance(*c, rgb))
        .map_or(Color::Reset, |(name, _)| name)
}

/// The nearest color of the 6x6x6 cube and the gray ramp. Excludes the first 16, since users change
/// them. Computed rather than searched, because pictures call it for every cell.
pub fn nearest_256(rgb: Rgb) -> u8 {
    let step = |channel: u8| -> u8 {
        match channel {
            0..48 => 0,
            48..115 => 1,
            115..155 => 2,
            155..195 => 3,
            195..235 => 4,
            _ => 5,
        }
    };
    let [r, g, b] = rgb.map(step);
    let cube = [r, g, b].map(|s| CUBE[usize::from(s)]);
    let mean = rgb.iter().map(|c| u32::from(*c)).sum::<u32>() / 3;
    // Gray n is 8 + 10 n, n to 23.
    let n = u8::try_from((mean.saturating_sub(3) / 10).min(23)).unwrap_or(23);
    let gray = [8 + 10 * n; 3];
    if distance(gray, rgb) < distance(cube, rgb) {
        232 + n
    } else {
        16 + 36 * r + 6 * g + b
    }
}

/// Lightness in 0..=255 (Rec. 601 weights), used for pictures without color.
pub fn gray([r, g, b]: Rgb) -> u8 {
    let sum = 299 * u32::from(r) + 587 * u32::from(g) + 114 * u32::from(b);
    u8::try_from(sum / 1000).unwrap_or(255)
}

/// The xterm value of color `index`.
pub fn indexed(index: u8) -> Rgb {
    match index {
        0..16 => SIXTEEN.get(usize::from(index)).copied().unwrap_or_default(),
        16..232 => {
            let i = usize::from(index) - 16;
            [i / 36, i / 6 % 6, i % 6].map(|c| CUBE.get(c).copied().unwrap_or_default())
        }
        _ => [8 + 10 * (index - 232); 3],
    }
}

/// The value of a color that does not depend on the user's settings.
pub fn rgb(color: Color) -> Option<Rgb> {
    match color {
        Color::Rgb(r, g, b) => Some([r, g, b]),
        Color::Indexed(i) if i >= 16 => Some(indexed(i)),
        _ => None,
    }
}

fn linear(rgb: Rgb) -> [f64; 3] {
    rgb.map(|c| {
        let c = f64::from(c) / 255.0;
        if c <= 0.04045 {
            c / 12.92
        } else {
            ((c + 0.055) / 1.055).powf(2.4)
        }
    })
}

/// Relative luminance in 0..=1 (WCAG 2.2).
pub fn luminance(rgb: Rgb) -> f64 {
    let [r, g, b] = linear(rgb);
    0.2126 * r + 0.7152 * g + 0.0722 * b
}

/// Contrast ratio in 1..=21 (WCAG 2.2).
pub fn contrast(a: Rgb, b: Rgb) -> f64 {
    let (a, b) = (luminance(a) + 0.05, luminance(b) + 0.05);
    a.max(b) / a.min(b)
}

/// Kinds of color vision.
#[cfg(test)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Eye {
    /// Three kinds of cones.
    Typical,
    /// No long-wave cones.
    Protanopia,
    /// No middle-wave cones.
    Deuteranopia,
}

#[cfg(test)]
/// Relative luminance of `rgb` for this color vision (linear-RGB matrices of Viénot, Brettel and
/// Mollon, 1999).
pub fn luminance_seen(rgb: Rgb, eye: Eye) -> f64 {
    let [r, g, b] = linear(rgb);
    let (red_green, blue) = match eye {
        Eye::Typical => return luminance(rgb),
        Eye::Protanopia => (0.112_38 * r + 0.887_62 * g, 0.004_01 * r - 0.004_01 * g + b),
        Eye::Deuteranopia => (
            0.292_75 * r + 0.707_25 * g,
            -0.022_34 * r + 0.022_34 * g + b,
        ),
    };
    (0.2126 + 0.7152) * red_green + 0.0722 * blue
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contrast_spans_one_to_twenty_one() {
        assert!((contrast([0; 3], [255; 3]) - 21.0).abs() < 1e-9);
        assert!((contrast([9, 9, 9], [9, 9, 9]) - 1.0).abs() < 1e-9);
    }

    #[test]
    fn nearest_colors_are_exact_where_they_exist() {
        for index in 16..=255u8 {
            let found = nearest_256(indexed(index));
            assert_eq!(indexed(found), indexed(index));
        }
        assert_eq!(nearest_16([250, 10, 5]), Color::LightRed);
        assert_eq!(color([1, 2, 3], ColorLevel::Mono), Color::Reset);
    }

    #[test]
    fn greys_look_the_same_to_every_eye() {
        for eye in [Eye::Protanopia, Eye::Deuteranopia] {
            assert!((luminance_seen([120; 3], eye) - luminance([120; 3])).abs() < 1e-4);
        }
    }

    #[test]
    fn nearest_256_agrees_with_exhaustive_search() {
        for r in (0..=255).step_by(15) {
            for g in (0..=255).step_by(17) {
                for b in (0..=255).step_by(15) {
                    let rgb = [r as u8, g as u8, b as u8];
                    let best = (16..=255u8)
                        .map(|i| distance(indexed(i), rgb))
                        .min()
                        .unwrap();
                    assert_eq!(distance(indexed(nearest_256(rgb)), rgb), best, "{rgb:?}");
                }
            }
        }
        assert_eq!((gray([0, 0, 0]), gray([255, 255, 255])), (0, 255));
    }
}
