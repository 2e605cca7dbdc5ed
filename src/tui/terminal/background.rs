//! Detects a dark or light background from the terminal's reply or its environment.

use super::Env;
use crate::palette::{Rgb, contrast};

/// The query for the background color (OSC 11).
pub const QUESTION: &[u8] = b"\x1b]11;?\x1b\\";

/// The background behind text without its own background color.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Background {
    /// White text is readable.
    Dark,
    /// Black text is readable.
    Light,
}

impl Background {
    pub const ALL: [Background; 2] = [Self::Dark, Self::Light];

    /// The name, which is also the name of its theme.
    pub fn name(self) -> &'static str {
        match self {
            Self::Dark => "dark",
            Self::Light => "light",
        }
    }

    /// The background with this [`name`](Self::name).
    pub fn from_name(name: &str) -> Option<Background> {
        Self::ALL.into_iter().find(|b| b.name() == name)
    }

    /// The background for a color.
    pub fn of(color: Rgb) -> Background {
        if contrast(color, [0; 3]) > contrast(color, [255; 3]) {
            Self::Light
        } else {
            Self::Dark
        }
    }

    /// The background according to the environment: the last field of `COLORFGBG` is the background
    /// color's number. The Linux console is black.
    pub fn of_env(env: &Env) -> Option<Background> {
        let number = env
            .get("COLORFGBG")
            .and_then(|value| value.rsplit(';').next()?.parse::<u8>().ok());
        match number {
            Some(0..=6 | 8) => Some(Self::Dark),
            Some(7 | 9..=15) => Some(Self::Light),
            _ => (env.get("TERM").map(String::as_str) == Some("linux")).then_some(Self::Dark),
        }
    }
}

/// Whether the terminal may be queried. Old terminals would print the query.
pub fn may_ask(env: &Env) -> bool {
    let term = env.get("TERM").map(String::as_str).unwrap_or_default();
    !(term.is_empty() || term == "dumb" || term == "linux" || term.starts_with("vt"))
}

/// Parses the reply to [`QUESTION`]: `rgb:` or `rgba:` and one to four hexadecimal digits per
/// channel.
pub fn color(answer: &str) -> Option<Rgb> {
    let channels = answer
        .strip_prefix("rgb:")
        .or_else(|| answer.strip_prefix("rgba:"))?;
    let channel = |text: &str| {
        let digits = u32::try_from(text.len())
            .ok()
            .filter(|n| (1..=4).contains(n))?;
        let value = u32::from_str_radix(text, 16).ok()?;
        u8::try_from(value * 255 / (16u32.pow(digits) - 1)).ok()
    };
    let mut channels = channels.split('/');
    let rgb = [
        channel(channels.next()?)?,
        channel(channels.next()?)?,
        channel(channels.next()?)?,
    ];
    Some(rgb)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replies_parse_in_every_width() {
        assert_eq!(color("rgb:ffff/8080/0000"), Some([255, 128, 0]));
        assert_eq!(color("rgb:ff/80/00"), Some([255, 128, 0]));
        assert_eq!(color("rgb:f/8/0"), Some([255, 136, 0]));
        assert_eq!(color("rgba:0000/0000/0000/ffff"), Some([0, 0, 0]));
        for wrong in [
            "",
            "rgb:",
            "rgb:ff/ff",
            "rgb:fffff/0/0",
            "rgb:gg/00/00",
            "#ffffff",
            "rgb:-1/0/0",
        ] {
            assert_eq!(color(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn color_and_environment_determine_the_background() {
        for (rgb, wanted) in [
            ([0; 3], "dark"),
            ([255; 3], "light"),
            ([0, 43, 54], "dark"),
            ([253, 246, 227], "light"),
        ] {
            assert_eq!(Background::of(rgb).name(), wanted);
        }
        let said = |value: &str, term: &str| {
            let pairs = [("COLORFGBG", value), ("TERM", term)];
            Background::of_env(&pairs.map(|(k, v)| (k.to_string(), v.to_string())).into())
                .map(Background::name)
        };
        assert_eq!(said("15;0", "xterm"), Some("dark"));
        assert_eq!(said("0;default;15", "xterm"), Some("light"));
        assert_eq!(said("0;7", "xterm"), Some("light"));
        assert_eq!(said("default;default", "xterm"), None);
        assert_eq!(said("", "linux"), Some("dark"));
        assert_eq!(Background::from_name("light"), Some(Background::Light));
    }
}
