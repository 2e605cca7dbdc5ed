//! The nearest colour there is.

use ratatui::style::Color;

use crate::tui::terminal::ColourLevel;

/// A colour of the picture: red, green, blue.
pub type Rgb = [u8; 3];

/// Steps of one channel of the 6x6x6 cube in the palette of 256 (xterm's 256colres.h).
const STEPS: [u8; 6] = [0, 95, 135, 175, 215, 255];

/// xterm's 16 colours and how ratatui names them. Terminals differ; these are the common middle.
const ANSI: [(Rgb, Color); 16] = [
    ([0, 0, 0], Color::Black),
    ([205, 0, 0], Color::Red),
    ([0, 205, 0], Color::Green),
    ([205, 205, 0], Color::Yellow),
    ([0, 0, 238], Color::Blue),
    ([205, 0, 205], Color::Magenta),
    ([0, 205, 205], Color::Cyan),
    ([229, 229, 229], Color::Gray),
    ([127, 127, 127], Color::DarkGray),
    ([255, 0, 0], Color::LightRed),
    ([0, 255, 0], Color::LightGreen),
    ([255, 255, 0], Color::LightYellow),
    ([92, 92, 255], Color::LightBlue),
    ([255, 0, 255], Color::LightMagenta),
    ([0, 255, 255], Color::LightCyan),
    ([255, 255, 255], Color::White),
];

/// The nearest colour at `level`; without colours, the terminal's own.
pub fn nearest(rgb: Rgb, level: ColourLevel) -> Color {
    match level {
        ColourLevel::True => Color::Rgb(rgb[0], rgb[1], rgb[2]),
        ColourLevel::Ansi256 => Color::Indexed(indexed(rgb)),
        ColourLevel::Ansi16 => {
            ANSI.iter().min_by_key(|(known, _)| distance(*known, rgb)).map_or(Color::Reset, |(_, name)| *name)
        }
        ColourLevel::Mono => Color::Reset,
    }
}

/// The nearest of the cube (16 to 231) and the greys (232 to 255).
pub fn indexed(rgb: Rgb) -> u8 {
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
    let cube = [r, g, b].map(|s| STEPS[usize::from(s)]);
    let mean = rgb.iter().map(|c| u32::from(*c)).sum::<u32>() / 3;
    // Grey n is 8 + 10 n, n to 23.
    let n = u8::try_from((mean.saturating_sub(3) / 10).min(23)).unwrap_or(23);
    let grey = [8 + 10 * n; 3];
    if distance(grey, rgb) < distance(cube, rgb) { 232 + n } else { 16 + 36 * r + 6 * g + b }
}

/// Luminance in 0..=255 (Rec. 601 weights).
pub fn luminance([r, g, b]: Rgb) -> u8 {
    let sum = 299 * u32::from(r) + 587 * u32::from(g) + 114 * u32::from(b);
    u8::try_from(sum / 1000).unwrap_or(255)
}

fn distance(a: Rgb, b: Rgb) -> u32 {
    a.iter().zip(b).map(|(a, b)| u32::from(a.abs_diff(b)).pow(2)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn colour(index: u8) -> Rgb {
        match index {
            232.. => [8 + 10 * (index - 232); 3],
            _ => {
                let i = index - 16;
                [i / 36, i / 6 % 6, i % 6].map(|s| STEPS[usize::from(s)])
            }
        }
    }

    #[test]
    fn the_256_are_searched_as_if_one_by_one() {
        for r in (0..=255).step_by(15) {
            for g in (0..=255).step_by(17) {
                for b in (0..=255).step_by(15) {
                    let rgb = [r as u8, g as u8, b as u8];
                    let best = (16..=255u8).map(|i| distance(colour(i), rgb)).min().unwrap();
                    assert_eq!(distance(colour(indexed(rgb)), rgb), best, "{rgb:?}");
                }
            }
        }
    }

    #[test]
    fn every_palette_colour_is_its_own_nearest() {
        for index in 16..=255u8 {
            assert_eq!(colour(indexed(colour(index))), colour(index));
        }
        for (rgb, name) in ANSI {
            assert_eq!(nearest(rgb, ColourLevel::Ansi16), name);
        }
    }

    #[test]
    fn the_ends_and_the_levels() {
        assert_eq!((indexed([0, 0, 0]), indexed([255, 255, 255]), indexed([250, 5, 5])), (16, 231, 196));
        assert_eq!(nearest([1, 2, 3], ColourLevel::True), Color::Rgb(1, 2, 3));
        assert_eq!(nearest([1, 2, 3], ColourLevel::Mono), Color::Reset);
        assert_eq!((luminance([0, 0, 0]), luminance([255, 255, 255])), (0, 255));
    }
}
