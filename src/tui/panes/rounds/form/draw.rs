//! Drawing of the form: fields on the left, the preview on the right, and help for the current
//! field below.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::{FIELDS, Form, Value};
use crate::panes::metadata::edit_session::error_line;
use crate::panes::rounds::text::rule_text;
use crate::theme::{Look, Role};
use crate::widgets::areas;
use crate::widgets::lines::Lines;
use crate::widgets::text::{self, counted, grouped, plural};
use crate::widgets::text_input;

/// Width of the field names.
const NAMES: u16 = 15;
/// Width of the fields on narrow and on wide terminals.
const WIDTHS: (u16, u16) = (50, 80);

impl Form {
    /// Draws the form. Returns the position of the terminal's cursor.
    pub fn draw(&self, area: Rect, buf: &mut Buffer, look: &Look) -> Position {
        let wide = if area.width >= 120 {
            WIDTHS.1
        } else {
            WIDTHS.0
        }
        .min(area.width);
        // Two lines of help for the current field.
        let (above, below) = areas::top(area, area.height.saturating_sub(2));
        let (left, right) = areas::left(above, wide, 0);
        buf.set_stringn(
            area.x,
            area.y,
            " new round",
            usize::from(wide),
            look.style(Role::Heading),
        );
        let mut cursor = area.as_position();
        let shown: Vec<usize> = self.shown().map(|(at, _)| at).collect();
        let rows = usize::from(left.height.saturating_sub(1)).max(1);
        let here = shown.iter().position(|at| *at == self.at).unwrap_or(0);
        // As many fields as fit, including the current one.
        let top = (here + 1).saturating_sub(rows);
        for (y, at) in (left.y + 1..left.bottom()).zip(shown.iter().skip(top)) {
            let row = Rect {
                y,
                height: 1,
                ..left
            };
            let at = self.draw_field(*at, row, buf, look);
            cursor = at.unwrap_or(cursor);
        }
        let mut lines = Lines::new(right, buf, look);
        self.draw_preview(&mut lines);
        let mut lines = Lines::new(below, buf, look);
        if let Some((key, label, help)) = FIELDS.get(self.at) {
            match self.problem(*key) {
                Some(problem) => lines.wrapped(&format!(" {problem}"), Role::Bad),
                None => lines.wrapped(&format!(" {label}: {help}"), Role::Hint),
            }
        }
        cursor
    }

    /// Draws a field. Returns the cursor position if the field has it.
    fn draw_field(&self, at: usize, row: Rect, buf: &mut Buffer, look: &Look) -> Option<Position> {
        let ((key, value), (_, label, _)) = (self.fields.get(at)?, FIELDS.get(at)?);
        let here = at == self.at;
        let mark = look.cursor_mark(here);
        buf.set_stringn(row.x, row.y, mark, 1, look.style(Role::Gutter));
        let problem = self.problem(*key);
        let role = if problem.is_some() {
            Role::Bad
        } else if here {
            Role::Accent
        } else {
            Role::Dim
        };
        let name = usize::from(NAMES.min(row.width));
        buf.set_stringn(
            row.x + 1,
            row.y,
            label,
            name.saturating_sub(2),
            look.style(role),
        );
        let mut place = Rect {
            x: row.x + NAMES.min(row.width),
            width: row.width.saturating_sub(NAMES),
            ..row
        };
        if let Some(problem) = &problem {
            // A short form at the field. The full text is below while the field is current.
            let room = usize::from(place.width) / 2;
            let short = text::fit(&format!("✗ {problem}"), room);
            let wide = text::width(&short) as u16;
            buf.set_stringn(
                place.right() - wide,
                row.y,
                short,
                room,
                look.style(Role::Bad),
            );
            place.width -= wide + 1;
        }
        match value {
            Value::Text(input) => {
                let at = text_input::draw(input, place, buf, look.style(Role::Text));
                here.then_some(at)
            }
            Value::Choice(..) => {
                let shown = if here {
                    format!("< {} >", value.text())
                } else {
                    value.text().to_string()
                };
                let style = if here {
                    look.style(Role::Selection)
                } else {
                    look.style(Role::Text)
                };
                let room = usize::from(place.width);
                buf.set_stringn(place.x, row.y, text::fit(&shown, room), room, style);
                here.then(|| place.as_position())
            }
        }
    }

    fn draw_preview(&self, lines: &mut Lines<'_>) {
        lines.text(" preview", Role::Heading);
        match self.would() {
            None if self.request().is_none() => {
                lines.wrapped(" fix the marked fields first", Role::Dim)
            }
            None => lines.wrapped(" loading", Role::Dim),
            Some(Err(problem)) => {
                lines.wrapped(&format!(" error: {}", error_line(problem)), Role::Bad)
            }
            Some(Ok(state)) => {
                let each = plural(state.overlap, "annotator");
                lines.wrapped(&format!(" {}", counted(state.items, "item")), Role::Text);
                lines.wrapped(
                    &format!(" {each} each: {}", counted(state.wanted, "verdict")),
                    Role::Text,
                );
                let share = state.wanted.div_ceil(state.people.len().max(1) as u64);
                lines.wrapped(
                    &format!(
                        " about {} for each of {} annotators",
                        grouped(share),
                        state.people.len()
                    ),
                    Role::Text,
                );
                lines.wrapped(
                    &format!(" question: {}", state.protocol.question()),
                    Role::Dim,
                );
                lines.wrapped(&format!(" rule: {}", rule_text(state.protocol)), Role::Dim);
                for note in &state.notes {
                    lines.wrapped(&format!(" note: {note}"), Role::Warn);
                }
            }
        }
    }
}
