//! Colors and text attributes by role, for each color level.
//!
//! Code refers to a [`Role`], never to a color. The three built-in themes are in `themes/`, and a
//! user's theme file may override any of their lines. The theme is a user setting
//! ([`super::person`]) and defaults to one that is readable on the terminal's background. Without
//! color, styles only add modifiers: under `NO_COLOR` a color change is printed as a full reset
//! that would clear reverse video.

pub mod base16;
mod parse;

use std::path::Path;

use parse::{at, line_of, parse};
use ratatui::style::{Color, Modifier, Style};

use crate::hits::Hits;
use crate::palette::{self, Rgb};
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
pub const SHIPPED: [(&str, &str); 5] = [
    ("dark", include_str!("../../themes/dark.toml")),
    ("light", include_str!("../../themes/light.toml")),
    (
        "high-contrast",
        include_str!("../../themes/high-contrast.toml"),
    ),
    ("color-blind", include_str!("../../themes/color-blind.toml")),
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
    /// Where the frame that is being drawn reacts to the mouse.
    pub hits: Hits,
}

impl Look {
    /// The look of `theme` at `level`.
    pub fn new(theme: &Theme, level: ColorLevel, accessible: bool) -> Look {
        Look {
            theme: theme.at(level),
            accessible,
            hits: Hits::default(),
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

#[cfg(test)]
mod tests;
