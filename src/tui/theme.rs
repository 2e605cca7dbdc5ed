//! Colors and text attributes by role, for each color level.
//!
//! Code refers to a [`Role`], never to a color. The three built-in themes are in `themes/`, and a
//! user's theme file may override any of their lines. The theme is a user setting
//! ([`super::person`]) and defaults to one that is readable on the terminal's background. Without
//! color, styles only add modifiers: under `NO_COLOR` a color change is printed as a full reset
//! that would clear reverse video.

use std::path::Path;

use ratatui::style::{Color, Modifier, Style};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::palette::{self, Rgb};
use crate::terminal::Env;
use benchtop_files::{bounded, regular};
use benchtop_model::{ColorLevel, Error, ErrorKind, Result};

macro_rules! roles {
    ($($(#[$attr:meta])? $variant:ident, $name:literal, $doc:literal;)*) => {
        /// The role of a piece of text or UI, which determines its style.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        pub enum Role { $(#[doc = $doc] $(#[$attr])? $variant,)* }

        impl Role {
            pub const ALL: &'static [Role] = &[$(Role::$variant,)*];

            /// The name used in theme files.
            pub fn name(self) -> &'static str {
                match self { $(Role::$variant => $name,)* }
            }
        }
    };
}

roles! {
    #[default] Text, "text", "Ordinary text.";
    Dim, "dim", "Less important text: counts, small samples, missing values.";
    Heading, "heading", "Titles and column names.";
    Border, "border", "Frames and rules.";
    Accent, "accent", "The current element: a mark, a chosen line, a sort arrow.";
    Good, "good", "Accepted, right, saved.";
    Bad, "bad", "Rejected, wrong, failed.";
    Warn, "warn", "Needs attention.";
    Flag, "flag", "Flagged or selected.";
    Pending, "pending", "Not yet judged, not yet saved.";
    Selection, "selection", "The cell or line under the cursor.";
    Gutter, "gutter", "The mark at the left of the line under the cursor.";
    Match, "match", "Characters that a search found.";
    Key, "key", "A key in a hint.";
    Hint, "hint", "The text of a hint.";
}

impl Role {
    /// The role with this [`name`](Self::name).
    pub fn from_name(name: &str) -> Option<Role> {
        Role::ALL.iter().copied().find(|r| r.name() == name)
    }
}

/// The style of a role, before it is adapted to a color level. `None` is the terminal's own color.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Paint {
    fg: Option<Rgb>,
    ansi: Option<Color>,
    modifiers: Modifier,
}

/// Names and sources of the built-in themes.
pub const SHIPPED: [(&str, &str); 3] = [
    ("dark", include_str!("../../themes/dark.toml")),
    ("light", include_str!("../../themes/light.toml")),
    ("mono", include_str!("../../themes/mono.toml")),
];

/// A theme, adapted to a color level.
#[derive(Clone, Debug)]
pub struct Theme {
    level: ColorLevel,
    background: Option<Rgb>,
    heat: Vec<Rgb>,
    paints: Vec<Paint>,
    mono: Vec<Modifier>,
    styles: Vec<Style>,
}

impl Theme {
    /// The built-in theme with this name, at [`ColorLevel::True`].
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NotFound`], with the list of themes.
    pub fn shipped(name: &str) -> Result<Theme> {
        let known = || SHIPPED.map(|(n, _)| n).join(", ");
        let (_, text) = SHIPPED
            .into_iter()
            .find(|(n, _)| *n == name)
            .ok_or_else(|| {
                Error::not_found(format!("no theme named `{name}`"))
                    .help(format!("available themes: {}", known()))
            })?;
        let mut theme = Theme::blank();
        if name != "mono" {
            theme.mono = Theme::shipped("mono")?
                .paints
                .iter()
                .map(|p| p.modifiers)
                .collect();
        }
        theme.read_over(text, Path::new(&format!("themes/{name}.toml")))?;
        if name == "mono" {
            theme.mono = theme.paints.iter().map(|p| p.modifiers).collect();
        }
        Ok(theme.at(ColorLevel::True))
    }

    /// A theme by name: a built-in one, or the user's `NAME.toml` in the `themes` folder next to
    /// their key file.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NotFound`], or the first error in the file.
    pub fn named(name: &str, env: &Env) -> Result<Theme> {
        let is_shipped = SHIPPED.iter().any(|(shipped, _)| *shipped == name);
        let is_name = !name.is_empty() && !name.starts_with('.') && !name.contains('/');
        let own =
            crate::keymap::file::folder(env).map(|dir| dir.join(format!("themes/{name}.toml")));
        match own.filter(|path| is_name && !is_shipped && path.is_file()) {
            Some(path) => {
                let text = bounded::text(&path, regular::SETTINGS_LIMIT)?;
                Theme::read(&text, &path)
            }
            None => Theme::shipped(name),
        }
    }

    /// Parses a user's theme. It overrides lines of its `base`, "dark" by default. `file` appears
    /// in errors.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Input`] with file, line, and field for an unknown role, a bad color, or a wrong
    /// type.
    pub fn read(text: &str, file: &Path) -> Result<Theme> {
        let document = parse(text, file)?;
        let base = match document.get_ref().get("base") {
            None => "dark",
            Some(v) => v
                .get_ref()
                .as_str()
                .ok_or_else(|| at(text, file, v, "base", "must be the name of a theme"))?,
        };
        let mut theme = Theme::shipped(base).map_err(|p| {
            Error {
                kind: ErrorKind::Input,
                ..p
            }
            .file(file)
            .field("base")
            .line(line_of(text, "base"))
        })?;
        theme.read_over(text, file)?;
        Ok(theme.at(ColorLevel::True))
    }

    fn blank() -> Theme {
        let paints = vec![Paint::default(); Role::ALL.len()];
        let mono = vec![Modifier::empty(); Role::ALL.len()];
        let styles = vec![Style::default(); Role::ALL.len()];
        Theme {
            level: ColorLevel::True,
            background: None,
            heat: vec![],
            paints,
            mono,
            styles,
        }
    }

    fn read_over(&mut self, text: &str, file: &Path) -> Result<()> {
        let document = parse(text, file)?;
        for (key, value) in document.get_ref() {
            let bad = |what: &str| at(text, file, value, key.get_ref(), what);
            match key.get_ref().as_ref() {
                "base" => {}
                "background" => self.background = color(value.get_ref()).map_err(|w| bad(&w))?,
                "heat" => {
                    let steps = value
                        .get_ref()
                        .as_array()
                        .ok_or_else(|| bad("must be a list of colors"))?;
                    let mut heat = Vec::new();
                    for step in steps.iter() {
                        let step =
                            color(step.get_ref()).map_err(|w| at(text, file, step, "heat", &w))?;
                        heat.push(step.ok_or_else(|| bad("a heat ramp cannot contain `reset`"))?);
                    }
                    if !heat.is_empty() && heat.len() < 5 {
                        return Err(bad("must have at least five steps, or none"));
                    }
                    self.heat = heat;
                }
                "roles" => {
                    let roles = value
                        .get_ref()
                        .as_table()
                        .ok_or_else(|| bad("must be a table of roles"))?;
                    for (name, paint) in roles {
                        let field = format!("roles.{}", name.get_ref());
                        let role = Role::from_name(name.get_ref()).ok_or_else(|| {
                            at(text, file, name, &field, "unknown role").help(format!(
                                "one of: {}",
                                Role::ALL
                                    .iter()
                                    .map(|r| r.name())
                                    .collect::<Vec<_>>()
                                    .join(", ")
                            ))
                        })?;
                        let paint = read_paint(paint).map_err(|(v, w)| match v {
                            Some((key, v)) => at(text, file, v, &format!("{field}.{key}"), &w),
                            None => at(text, file, paint, &field, &w),
                        })?;
                        if let Some(slot) = self.paints.get_mut(role as usize) {
                            *slot = paint;
                        }
                    }
                }
                other => {
                    return Err(at(text, file, key, other, "unknown field")
                        .help("known fields: base, background, heat, roles"));
                }
            }
        }
        Ok(())
    }

    /// The same theme with the colors that `level` can show.
    pub fn at(&self, level: ColorLevel) -> Theme {
        let styles = self
            .paints
            .iter()
            .zip(&self.mono)
            .map(|(paint, mono)| match level {
                ColorLevel::Mono => Style::new().add_modifier(*mono),
                ColorLevel::Ansi16 => {
                    let style = Style::new().add_modifier(paint.modifiers);
                    match paint.ansi.or(paint.fg.map(palette::nearest_16)) {
                        Some(color) => style.fg(color),
                        None => style,
                    }
                }
                _ => {
                    let style = Style::new().add_modifier(paint.modifiers);
                    paint
                        .fg
                        .map_or(style, |rgb| style.fg(palette::color(rgb, level)))
                }
            });
        Theme {
            styles: styles.collect(),
            level,
            ..self.clone()
        }
    }

    /// The background behind transparent pictures. Black if the theme uses the terminal's own.
    pub fn ground(&self) -> [u8; 3] {
        self.background.map_or([0; 3], |rgb| rgb)
    }

    pub fn level(&self) -> ColorLevel {
        self.level
    }

    /// The style of a role. Only sets what the role changes, so that styles can be layered.
    pub fn style(&self, role: Role) -> Style {
        self.styles.get(role as usize).copied().unwrap_or_default()
    }

    /// The style the whole frame is filled with first: the terminal's own at 16 colors and fewer.
    pub fn base(&self) -> Style {
        let text = self.style(Role::Text);
        match self.background {
            Some(rgb) if self.level >= ColorLevel::Ansi256 => {
                text.bg(palette::color(rgb, self.level))
            }
            _ => text,
        }
    }

    /// The style of a share in 0..=1: a step of the heat ramp behind black or white text, whichever
    /// contrasts more. At 16 colors and fewer: dim, plain, and bold thirds. Values outside are
    /// clamped, and NaN has no heat.
    pub fn heat(&self, share: f32) -> Style {
        if share.is_nan() {
            return Style::new();
        }
        let steps = self.heat.len();
        if self.level < ColorLevel::Ansi256 || steps == 0 {
            return match share {
                s if s < 1.0 / 3.0 => Style::new().add_modifier(Modifier::DIM),
                s if s < 2.0 / 3.0 => Style::new(),
                _ => Style::new().add_modifier(Modifier::BOLD),
            };
        }
        let step = ((share.clamp(0.0, 1.0) * steps as f32) as usize).min(steps - 1);
        let ground = self.heat.get(step).copied().unwrap_or_default();
        let ink = if palette::contrast(ground, [0; 3]) > palette::contrast(ground, [255; 3]) {
            [0; 3]
        } else {
            [255; 3]
        };
        Style::new()
            .bg(palette::color(ground, self.level))
            .fg(palette::color(ink, self.level))
    }
}

/// How to draw: the theme at its level, and whether for a screen reader.
#[derive(Clone, Debug)]
pub struct Look {
    /// Already adapted to the color level.
    pub theme: Theme,
    /// No box drawing and no bars; words instead of marks.
    pub accessible: bool,
}

impl Look {
    /// The look of `theme` at `level`.
    pub fn new(theme: &Theme, level: ColorLevel, accessible: bool) -> Look {
        Look {
            theme: theme.at(level),
            accessible,
        }
    }

    pub fn style(&self, role: Role) -> Style {
        self.theme.style(role)
    }

    /// The mark before a line: whether the cursor is `here`.
    pub fn cursor_mark(&self, here: bool) -> &'static str {
        match (here, self.accessible) {
            (true, true) => ">",
            (true, false) => "▌",
            (false, _) => " ",
        }
    }
}

fn parse<'t>(text: &'t str, file: &Path) -> Result<Spanned<DeTable<'t>>> {
    DeTable::parse(text).map_err(|e| {
        let line = e.span().map_or(1, |s| line_at(text, s.start));
        Error::input(format!("not valid TOML: {}", e.message()))
            .file(file)
            .line(line)
    })
}

fn line_at(text: &str, byte: usize) -> u64 {
    1 + text.bytes().take(byte).filter(|b| *b == b'\n').count() as u64
}

fn line_of(text: &str, key: &str) -> u64 {
    text.lines()
        .position(|l| l.trim_start().starts_with(key))
        .map_or(1, |i| i as u64 + 1)
}

fn at<T>(text: &str, file: &Path, value: &Spanned<T>, field: &str, what: &str) -> Error {
    Error::input(what)
        .file(file)
        .line(line_at(text, value.span().start))
        .field(field)
}

/// Parses `#rrggbb`, or `reset` for the terminal's own color.
fn color(value: &DeValue<'_>) -> std::result::Result<Option<Rgb>, String> {
    let text = value
        .as_str()
        .ok_or("must be a quoted color such as `#rrggbb`")?;
    if text == "reset" {
        return Ok(None);
    }
    let bad = || format!("`{text}` is not a color; write `#rrggbb` or `reset`");
    let hex = text
        .strip_prefix('#')
        .filter(|h| h.len() == 6 && h.bytes().all(|b| b.is_ascii_hexdigit()));
    let value = hex
        .and_then(|h| u32::from_str_radix(h, 16).ok())
        .ok_or_else(bad)?;
    let [_, r, g, b] = value.to_be_bytes();
    Ok(Some([r, g, b]))
}

type PaintProblem<'v, 't> = (Option<(String, &'v Spanned<DeValue<'t>>)>, String);

fn read_paint<'v, 't>(
    value: &'v Spanned<DeValue<'t>>,
) -> std::result::Result<Paint, PaintProblem<'v, 't>> {
    if value.get_ref().is_str() {
        let fg = color(value.get_ref()).map_err(|w| (None, w))?;
        return Ok(Paint {
            fg,
            ..Paint::default()
        });
    }
    let table = value
        .get_ref()
        .as_table()
        .ok_or((None, "must be a color or a table".to_string()))?;
    let mut paint = Paint::default();
    for (key, value) in table {
        let bad = |what: String| (Some((key.get_ref().to_string(), value)), what);
        let modifier =
            match key.get_ref().as_ref() {
                "fg" => {
                    paint.fg = color(value.get_ref()).map_err(bad)?;
                    continue;
                }
                "ansi" => {
                    let name = value.get_ref().as_str().unwrap_or_default();
                    let named = palette::ansi(name).ok_or_else(|| {
                        bad(format!(
                            "`{name}` is not an ANSI color; one of: {}",
                            palette::ANSI.map(|(n, _)| n).join(", ")
                        ))
                    })?;
                    paint.ansi = Some(named);
                    continue;
                }
                "bold" => Modifier::BOLD,
                "dim" => Modifier::DIM,
                "italic" => Modifier::ITALIC,
                "underlined" => Modifier::UNDERLINED,
                "reversed" => Modifier::REVERSED,
                _ => return Err(bad(
                    "unknown property; one of: fg, ansi, bold, dim, italic, underlined, reversed"
                        .into(),
                )),
            };
        let on = value
            .get_ref()
            .as_bool()
            .ok_or_else(|| bad("must be true or false".into()))?;
        paint.modifiers.set(modifier, on);
    }
    Ok(paint)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn roles_in(text: &str) -> Vec<String> {
        let value: toml::Table = toml::from_str(text).unwrap();
        value["roles"].as_table().unwrap().keys().cloned().collect()
    }

    #[test]
    fn every_shipped_theme_has_every_role() {
        for (name, text) in SHIPPED {
            let have = roles_in(text);
            for role in Role::ALL {
                assert!(
                    have.contains(&role.name().to_string()),
                    "{name} lacks {}",
                    role.name()
                );
            }
            Theme::shipped(name).unwrap();
        }
    }

    #[test]
    fn text_contrasts_with_its_background_in_true_color_and_256_colors() {
        for name in ["dark", "light"] {
            for level in [ColorLevel::True, ColorLevel::Ansi256] {
                let theme = Theme::shipped(name).unwrap().at(level);
                let ground = palette::rgb(theme.base().bg.unwrap()).unwrap();
                for role in Role::ALL.iter().filter(|r| !matches!(r, Role::Selection)) {
                    let text = theme.style(Role::Text).fg;
                    let ink = palette::rgb(theme.style(*role).fg.or(text).unwrap()).unwrap();
                    let ratio = palette::contrast(ink, ground);
                    assert!(ratio >= 3.0, "{name} {level:?} {}: {ratio:.2}", role.name());
                }
                for step in 0..theme.heat.len() {
                    let style = theme.heat((step as f32 + 0.5) / theme.heat.len() as f32);
                    let (ink, ground) = (
                        palette::rgb(style.fg.unwrap()),
                        palette::rgb(style.bg.unwrap()),
                    );
                    assert!(
                        palette::contrast(ink.unwrap(), ground.unwrap()) >= 4.0,
                        "{name} heat {step}"
                    );
                }
            }
        }
    }

    /// The 16 colors as terminals show them, with their dark and light backgrounds.
    const TERMINALS: [(&str, [u32; 16], u32, u32); 6] = [
        (
            "xterm",
            [
                0x000000, 0xcd0000, 0x00cd00, 0xcdcd00, 0x0000ee, 0xcd00cd, 0x00cdcd, 0xe5e5e5,
                0x7f7f7f, 0xff0000, 0x00ff00, 0xffff00, 0x5c5cff, 0xff00ff, 0x00ffff, 0xffffff,
            ],
            0x000000,
            0xffffff,
        ),
        (
            "VGA",
            [
                0x000000, 0xaa0000, 0x00aa00, 0xaa5500, 0x0000aa, 0xaa00aa, 0x00aaaa, 0xaaaaaa,
                0x555555, 0xff5555, 0x55ff55, 0xffff55, 0x5555ff, 0xff55ff, 0x55ffff, 0xffffff,
            ],
            0x000000,
            0xffffff,
        ),
        (
            "Tango",
            [
                0x2e3436, 0xcc0000, 0x4e9a06, 0xc4a000, 0x3465a4, 0x75507b, 0x06989a, 0xd3d7cf,
                0x555753, 0xef2929, 0x8ae234, 0xfce94f, 0x729fcf, 0xad7fa8, 0x34e2e2, 0xeeeeec,
            ],
            0x000000,
            0xffffff,
        ),
        (
            "VS Code",
            [
                0x000000, 0xcd3131, 0x0dbc79, 0xe5e510, 0x2472c8, 0xbc3fbc, 0x11a8cd, 0xe5e5e5,
                0x666666, 0xf14c4c, 0x23d18b, 0xf5f543, 0x3b8eea, 0xd670d6, 0x29b8db, 0xe5e5e5,
            ],
            0x1e1e1e,
            0xffffff,
        ),
        (
            "Apple",
            [
                0x000000, 0x990000, 0x00a600, 0x999900, 0x0000b2, 0xb200b2, 0x00a6b2, 0xbfbfbf,
                0x666666, 0xe50000, 0x00d900, 0xe5e500, 0x4040ff, 0xe500e5, 0x00e5e5, 0xe5e5e5,
            ],
            0x000000,
            0xffffff,
        ),
        (
            "Solarized",
            [
                0x073642, 0xdc322f, 0x859900, 0xb58900, 0x268bd2, 0xd33682, 0x2aa198, 0xeee8d5,
                0x002b36, 0xcb4b16, 0x586e75, 0x657b83, 0x839496, 0x6c71c4, 0x93a1a1, 0xfdf6e3,
            ],
            0x002b36,
            0xfdf6e3,
        ),
    ];

    #[test]
    fn text_contrasts_on_dark_and_light_terminals_with_16_colors() {
        let rgb = |n: u32| {
            let [_, r, g, b] = n.to_be_bytes();
            [r, g, b]
        };
        for (terminal, sixteen, dark, light) in TERMINALS {
            for (name, ground) in [("dark", dark), ("light", light)] {
                let theme = Theme::shipped(name).unwrap().at(ColorLevel::Ansi16);
                assert_eq!(theme.base().bg, None, "the terminal's own");
                for role in Role::ALL {
                    let Some(ink) = theme.style(*role).fg.filter(|ink| *ink != Color::Reset) else {
                        continue;
                    };
                    let at = palette::ANSI
                        .iter()
                        .skip(1)
                        .position(|(_, c)| *c == ink)
                        .unwrap();
                    let ratio = palette::contrast(rgb(sixteen[at]), rgb(ground));
                    assert!(
                        ratio >= 2.9,
                        "{terminal}, {name}, {}: {ink} {ratio:.2}",
                        role.name()
                    );
                }
            }
        }
    }

    #[test]
    fn heat_steps_stay_distinct_and_ordered_under_color_blindness() {
        for name in ["dark", "light"] {
            let heat = Theme::shipped(name).unwrap().heat;
            assert!(heat.len() >= 5);
            let coarse: std::collections::HashSet<u8> =
                heat.iter().map(|c| palette::nearest_256(*c)).collect();
            assert_eq!(
                coarse.len(),
                heat.len(),
                "{name}: two steps are one colour of 256"
            );
            let eyes = [
                palette::Eye::Typical,
                palette::Eye::Protanopia,
                palette::Eye::Deuteranopia,
            ];
            for eye in eyes {
                let light: Vec<f64> = heat
                    .iter()
                    .map(|c| palette::luminance_seen(*c, eye))
                    .collect();
                let rising = light[0] < light[1];
                for pair in light.windows(2) {
                    assert_eq!(pair[0] < pair[1], rising, "{name} {eye:?} turns: {light:?}");
                    let (high, low) = (pair[0].max(pair[1]) + 0.05, pair[0].min(pair[1]) + 0.05);
                    assert!(high / low > 1.2, "{name} {eye:?} steps too near: {light:?}");
                }
            }
        }
    }

    #[test]
    fn mono_uses_modifiers_only() {
        for (name, _) in SHIPPED {
            let theme = Theme::shipped(name).unwrap().at(ColorLevel::Mono);
            for role in Role::ALL {
                let style = theme.style(*role);
                assert_eq!((style.fg, style.bg), (None, None), "{name} {}", role.name());
            }
            assert!(
                theme
                    .style(Role::Selection)
                    .add_modifier
                    .contains(Modifier::REVERSED)
            );
            assert_eq!((theme.base().fg, theme.heat(0.9).bg), (None, None));
            assert_ne!(theme.style(Role::Good), theme.style(Role::Bad));
        }
    }

    #[test]
    fn a_user_theme_overrides_lines_and_keeps_the_rest() {
        let text = "base = \"light\"\n[roles]\ngood = \"#01aa00\"\n";
        let theme = Theme::read(text, Path::new("mine.toml")).unwrap();
        assert_eq!(theme.style(Role::Good).fg, Some(Color::Rgb(1, 0xaa, 0)));
        assert_eq!(
            theme.style(Role::Bad),
            Theme::shipped("light").unwrap().style(Role::Bad)
        );
        assert_eq!(
            theme.at(ColorLevel::Ansi16).style(Role::Good).fg,
            Some(Color::Green)
        );
    }

    #[test]
    fn a_bad_theme_reports_file_line_and_field() {
        let cases = [
            ("background = \"#12\"\n", 1, "background"),
            ("\nbase = \"sepia\"\n", 2, "base"),
            (
                "[roles]\ntext = \"#ffffff\"\ngood = { fg = \"green\" }\n",
                3,
                "roles.good.fg",
            ),
            ("[roles]\nshine = \"#ffffff\"\n", 2, "roles.shine"),
            ("[roles]\ntext = { blink = true }\n", 2, "roles.text.blink"),
            ("[roles]\ntext = { bold = 1 }\n", 2, "roles.text.bold"),
            ("[roles]\ntext = 7\n", 2, "roles.text"),
            ("heat = [\"#000000\",\n\"#zz0000\"]\n", 2, "heat"),
            ("glow = 1\n", 1, "glow"),
        ];
        for (text, line, field) in cases {
            let problem = Theme::read(text, Path::new("mine.toml")).unwrap_err();
            assert_eq!(problem.kind, ErrorKind::Input, "{text}");
            assert_eq!(
                problem.place.file.as_deref(),
                Some(Path::new("mine.toml")),
                "{text}"
            );
            assert_eq!(
                (problem.place.line, problem.place.field.as_deref()),
                (Some(line), Some(field)),
                "{text}"
            );
        }
        let problem = Theme::read("[roles\n", Path::new("mine.toml")).unwrap_err();
        assert_eq!(problem.place.line, Some(1));
    }
}
