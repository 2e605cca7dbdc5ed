//! Color levels of terminals.

use serde::{Deserialize, Serialize};

named! {
    /// Color levels, poorest first.
    #[derive(
        Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
    )]
    #[serde(rename_all = "kebab-case")]
    pub enum ColorLevel {
        /// No color: bold, dim, underline, and reverse video only (`NO_COLOR`).
        Mono = "mono",
        /// The 16 ANSI colors, as the user's terminal theme defines them.
        Ansi16 = "16",
        /// The 256 xterm colors. The default over SSH, which does not forward `COLORTERM`.
        #[default]
        Ansi256 = "256",
        /// 24-bit color.
        True = "true",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back_and_levels_are_ordered() {
        for level in ColorLevel::ALL {
            assert_eq!(ColorLevel::from_name(level.name()), Some(level));
        }
        assert!(ColorLevel::ALL.is_sorted());
        assert_eq!(ColorLevel::from_name("65536"), None);
    }
}
