//! Detects the color level.

use super::{Env, is_set};

pub use benchtop_model::ColorLevel;

/// The color level for an environment. `asked` (from `--color`) comes first, then `NO_COLOR`, then
/// `COLORTERM` and `TERM`. SSH does not forward `COLORTERM`, so 256 colors are assumed there.
pub fn detect(env: &Env, asked: Option<ColorLevel>) -> ColorLevel {
    if let Some(level) = asked {
        return level;
    }
    let term = env.get("TERM").map(String::as_str).unwrap_or("");
    if is_set(env, "NO_COLOR") || term.is_empty() || term == "dumb" || term.starts_with("vt") {
        return ColorLevel::Mono;
    }
    let colorterm = env.get("COLORTERM").map(String::as_str).unwrap_or("");
    let names = |known: &[&str]| known.iter().any(|k| term.contains(k));
    if matches!(colorterm, "truecolor" | "24bit")
        || names(&[
            "direct",
            "kitty",
            "ghostty",
            "alacritty",
            "wezterm",
            "foot",
            "truecolor",
        ])
    {
        return ColorLevel::True;
    }
    if names(&["256"]) || (over_ssh(env) && !names(&["linux", "ansi"])) {
        return ColorLevel::Ansi256;
    }
    ColorLevel::Ansi16
}

/// Whether the terminal is connected through SSH, according to the environment.
pub fn over_ssh(env: &Env) -> bool {
    ["SSH_CONNECTION", "SSH_TTY", "SSH_CLIENT"]
        .iter()
        .any(|name| is_set(env, name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn level(env: &[(&str, &str)]) -> ColorLevel {
        detect(
            &env.iter()
                .map(|(k, v)| (k.to_string(), v.to_string()))
                .collect(),
            None,
        )
    }

    #[test]
    fn the_environment_determines_the_level() {
        use ColorLevel::*;
        for (env, wanted) in [
            (&[("TERM", "xterm-256color")][..], Ansi256),
            (
                &[("TERM", "xterm-256color"), ("COLORTERM", "truecolor")],
                True,
            ),
            (
                &[
                    ("TERM", "xterm-256color"),
                    ("COLORTERM", "truecolor"),
                    ("NO_COLOR", "1"),
                ],
                Mono,
            ),
            (&[("TERM", "xterm-256color"), ("NO_COLOR", "")], Ansi256),
            (&[("TERM", "xterm-kitty"), ("SSH_TTY", "/dev/pts/3")], True),
            (&[("TERM", "xterm"), ("SSH_CONNECTION", "1 2 3 4")], Ansi256),
            (&[("TERM", "xterm")], Ansi16),
            (&[("TERM", "linux"), ("SSH_TTY", "/dev/pts/3")], Ansi16),
            (&[("TERM", "dumb"), ("COLORTERM", "truecolor")], Mono),
            (&[], Mono),
        ] {
            assert_eq!(level(env), wanted, "{env:?}");
        }
    }

    #[test]
    fn an_explicit_level_takes_precedence() {
        let env = [("NO_COLOR".to_string(), "1".to_string())].into();
        assert_eq!(detect(&env, Some(ColorLevel::True)), ColorLevel::True);
    }
}
