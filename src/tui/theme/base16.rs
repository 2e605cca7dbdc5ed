//! Themes from base16 and base24 color schemes.

use std::collections::BTreeMap;
use std::path::Path;

use crate::palette::{self, Rgb};
use benchtop_model::{Error, Result};

/// The colors of a scheme that a theme needs.
const NEEDED: [&str; 10] = [
    "base00", "base03", "base04", "base05", "base07", "base08", "base0A", "base0B", "base0D",
    "base0E",
];

/// The roles, with the color of each and its emphasis.
const ROLES: [(&str, &str, &str); 13] = [
    ("text", "base05", ""),
    ("dim", "base03", ""),
    ("heading", "base07", ", bold = true"),
    ("border", "base03", ""),
    ("accent", "base0D", ""),
    ("good", "base0B", ""),
    ("bad", "base08", ""),
    ("warn", "base0A", ""),
    ("flag", "base0E", ""),
    ("pending", "base04", ", italic = true"),
    ("match", "base05", ", bold = true, underlined = true"),
    ("key", "base0D", ", bold = true"),
    ("hint", "base04", ""),
];

/// The least contrast of text with its background.
const CONTRAST: f64 = 3.0;

/// The text of a theme file with the colors of a scheme, a YAML file with lines such as
/// `base00: "181818"`, which may be indented below `palette:`. Colors that cannot be read on the
/// background are moved toward the color of the text.
///
/// # Errors
///
/// [`benchtop_model::ErrorKind::Input`] with file, line, and field if a color is missing or
/// malformed.
pub fn theme_of(scheme: &str, file: &Path) -> Result<String> {
    let mut colors: BTreeMap<String, Rgb> = BTreeMap::new();
    for (number, line) in (1..).zip(scheme.lines()) {
        let Some((name, value)) = line.split_once(':') else {
            continue;
        };
        let name = name.trim();
        if !(name.len() == 6 && name.starts_with("base")) {
            continue;
        }
        let color = color(value).ok_or_else(|| {
            Error::input("is not a color; write six hexadecimal digits, such as \"181818\"")
                .file(file)
                .line(number)
                .field(name)
        })?;
        colors.insert(name.to_string(), color);
    }
    if let Some(missing) = NEEDED.into_iter().find(|name| !colors.contains_key(*name)) {
        return Err(Error::input(format!("the scheme has no `{missing}`"))
            .file(file)
            .help("give a base16 scheme, with the colors base00 to base0F"));
    }
    let of = |name: &str| colors.get(name).copied().unwrap_or_default();
    let (ground, text) = (of("base00"), of("base05"));
    let base = match palette::luminance(ground) < palette::luminance(text) {
        true => "dark",
        false => "light",
    };
    let mut out = format!(
        "base = \"{base}\"\nbackground = \"{}\"\n\n[roles]\n",
        hex(ground)
    );
    for (role, name, emphasis) in ROLES {
        let color = readable(of(name), ground, text);
        out += &format!("{role} = {{ fg = \"{}\"{emphasis} }}\n", hex(color));
    }
    Ok(out)
}

/// Six hexadecimal digits, perhaps after `#`, in quotes, or before a comment.
fn color(value: &str) -> Option<Rgb> {
    let value = value.trim().trim_start_matches(['"', '\'']);
    let digits = value.strip_prefix('#').unwrap_or(value);
    let end = digits.find(|c: char| !c.is_ascii_hexdigit());
    let (digits, rest) = digits.split_at(end.unwrap_or(digits.len()));
    let closes = rest.is_empty() || rest.starts_with(['"', '\'', ' ']);
    let number = u32::from_str_radix(digits, 16).ok();
    let [_, r, g, b] = number
        .filter(|_| digits.len() == 6 && closes)?
        .to_be_bytes();
    Some([r, g, b])
}

fn hex([r, g, b]: Rgb) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

/// The color, moved toward `text` as far as needed to be read on `ground`.
fn readable(color: Rgb, ground: Rgb, text: Rgb) -> Rgb {
    let mixed = |share: u16| {
        let mix =
            |(a, b): (u8, u8)| ((u16::from(a) * (8 - share) + u16::from(b) * share) / 8) as u8;
        [0, 1, 2].map(|at| mix((color[at], text[at])))
    };
    (0..=8)
        .map(mixed)
        .find(|mixed| palette::contrast(*mixed, ground) >= CONTRAST)
        .unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::theme::{Role, Theme};
    use benchtop_model::ErrorKind;

    const SCHEME: &str = "system: \"base16\"\nname: \"Night\"\npalette:\n  base00: \"#202020\" # ground\n  \
                          base01: \"#303030\"\n  base02: \"#404040\"\n  base03: \"#303030\"\n  base04: \"#b0b0b0\"\n  \
                          base05: \"#d0d0d0\"\n  base06: \"#e0e0e0\"\n  base07: \"#f5f5f5\"\n  base08: \"#fb9fb1\"\n  \
                          base09: \"#eda987\"\n  base0A: \"#ddb26f\"\n  base0B: \"#acc267\"\n  base0C: \"#12cfc0\"\n  \
                          base0D: \"#6fc2ef\"\n  base0E: \"#e1a3ee\"\n  base0F: \"#deaf8f\"\n";

    #[test]
    fn a_scheme_becomes_a_theme_whose_text_can_be_read() {
        let file = Path::new("night.yaml");
        for scheme in [
            SCHEME.to_string(),
            SCHEME.replace("  base", "base").replace('#', ""),
        ] {
            let theme = Theme::read(&theme_of(&scheme, file).unwrap(), file).unwrap();
            let color = |role| palette::rgb(theme.style(role).fg.unwrap()).unwrap();
            assert_eq!(theme.ground(), [0x20; 3]);
            assert_eq!(color(Role::Good), [0xac, 0xc2, 0x67]);
            assert!(palette::contrast(color(Role::Dim), theme.ground()) >= CONTRAST);
            assert_ne!(color(Role::Dim), [0x30; 3], "as dark as the ground");
        }
    }

    #[test]
    fn a_bad_scheme_says_what_is_wrong() {
        let file = Path::new("night.yaml");
        let bad = SCHEME.replace("#ddb26f", "#ddb2");
        let problem = theme_of(&bad, file).unwrap_err();
        assert_eq!(problem.kind, ErrorKind::Input);
        assert_eq!(
            (problem.place.line, problem.place.field.as_deref()),
            (Some(14), Some("base0A"))
        );
        let problem = theme_of("base00: \"000000\"\n", file).unwrap_err();
        assert!(problem.what.contains("base03"), "{problem}");
    }
}
