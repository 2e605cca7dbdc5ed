//! How many colours a terminal can show.

use serde::{Deserialize, Serialize};

/// Colour levels, poorest first.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum ColourLevel {
    /// No colour at all: bold, dim, underline and reverse video only (`NO_COLOR`).
    Mono,
    /// The sixteen ANSI colours, whose look is the user's.
    Ansi16,
    /// The 256 xterm colours; the default over SSH, which does not forward `COLORTERM`.
    #[default]
    Ansi256,
    /// 24-bit colour.
    True,
}

impl ColourLevel {
    /// All levels, poorest first.
    pub const ALL: [ColourLevel; 4] = [Self::Mono, Self::Ansi16, Self::Ansi256, Self::True];

    /// The name used on the command line and by `doctor`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Mono => "mono",
            Self::Ansi16 => "16",
            Self::Ansi256 => "256",
            Self::True => "true",
        }
    }

    /// The level of that [`name`](Self::name).
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|l| l.name() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back_and_levels_are_ordered() {
        for level in ColourLevel::ALL {
            assert_eq!(ColourLevel::from_name(level.name()), Some(level));
        }
        assert!(ColourLevel::ALL.is_sorted());
        assert_eq!(ColourLevel::from_name("65536"), None);
    }
}
