//! Reads theme files.

use std::path::Path;

use ratatui::style::Modifier;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{Paint, Role, Theme};
use crate::palette::{self, Rgb};
use benchtop_model::{Error, Result};

impl Theme {
    /// Replaces what the file sets.
    pub(super) fn read_over(&mut self, text: &str, file: &Path) -> Result<()> {
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
}

pub(super) fn parse<'t>(text: &'t str, file: &Path) -> Result<Spanned<DeTable<'t>>> {
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

pub(super) fn line_of(text: &str, key: &str) -> u64 {
    text.lines()
        .position(|l| l.trim_start().starts_with(key))
        .map_or(1, |i| i as u64 + 1)
}

pub(super) fn at<T>(text: &str, file: &Path, value: &Spanned<T>, field: &str, what: &str) -> Error {
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
