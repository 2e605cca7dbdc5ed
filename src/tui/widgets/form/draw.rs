//! Drawing of a form: fields on the left, the preview on the right or below, help for the current
//! field, and the command line.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::picker::{EntryKind, Picker};
use super::{Field, Form, Subject, Value};
use crate::action::Action;
use crate::hits::steps;
use crate::theme::{Look, Role};
use crate::widgets::areas;
use crate::widgets::lines::{Lines, draw_more};
use crate::widgets::meter::bar;
use crate::widgets::text::{self, error_line, grouped};
use crate::widgets::text_input;

/// Width of the field names.
const NAMES: u16 = 15;
/// Width of the fields on narrow and on wide terminals.
const WIDTHS: (u16, u16) = (50, 80);
/// The least width with the preview on the right.
const BESIDE: u16 = 76;
/// Lines of a list of files, if there is room.
const LIST: u16 = 6;

impl<S: Subject> Form<S> {
    /// Draws the form. `program` begins its command line. Returns the position of the terminal's
    /// cursor.
    pub fn draw(&self, area: Rect, buf: &mut Buffer, look: &Look, program: &[String]) -> Position {
        let command = format!("$ {}", self.command_line(program));
        let room = usize::from(area.width.saturating_sub(1)).max(1);
        let mut command = text::wrap(&command, room);
        let most = usize::from((area.height / 6).clamp(1, 4));
        if command.len() > most {
            let rest = command.split_off(most - 1).join(" ");
            command.push(rest);
        }
        let below = command.len() as u16 + 2;
        let (above, below) = areas::top(area, area.height.saturating_sub(below));
        let (left, right) = match area.width >= BESIDE {
            true => {
                let wide = if area.width >= 120 {
                    WIDTHS.1
                } else {
                    WIDTHS.0
                };
                areas::left(above, wide, 0)
            }
            false => areas::top(above, above.height - above.height * 2 / 5),
        };
        let mut lines = Lines::new(left, buf, look);
        lines.text(&format!(" {}", self.subject.title()), Role::Heading);
        let fields = self.shown().count() as u16;
        let list = match self.picker() {
            Some(_) => (left.height.saturating_sub(fields + 1)).max(LIST.min(left.height / 2)),
            None => 0,
        };
        let (left, list) = areas::top(left, left.height.saturating_sub(list));
        if let Some(picker) = self.picker() {
            let files = |(_, field): (usize, &Field)| matches!(field.value, Value::File(_));
            let place = self.shown().position(files).unwrap_or(0);
            let here = self.shown().position(|(at, _)| at == self.at).unwrap_or(0);
            let times = (place + usize::from(fields) - here) % usize::from(fields).max(1);
            look.hits.focus(Action::FormNext, times);
            draw_list(picker, list, buf, look);
            look.hits.focus(None, 0);
        }
        let cursor = self.draw_fields(left, buf, look);
        let mut lines = Lines::new(right, buf, look);
        self.draw_right(&mut lines);
        let (help, command_area) =
            areas::top(below, below.height.saturating_sub(command.len() as u16));
        let mut lines = Lines::new(help, buf, look);
        if let Some(field) = self.fields.0.get(self.at) {
            match self.problem(field) {
                Some(problem) => lines.wrapped(&format!(" {problem}"), Role::Bad),
                None => lines.wrapped(&format!(" {}: {}", field.name, field.help), Role::Hint),
            }
        }
        let mut lines = Lines::new(command_area, buf, look);
        for line in &command {
            lines.text(&format!(" {line}"), Role::Dim);
        }
        cursor.unwrap_or(area.as_position())
    }

    /// Draws as many fields as fit, including the current one.
    fn draw_fields(&self, left: Rect, buf: &mut Buffer, look: &Look) -> Option<Position> {
        let mut cursor = None;
        let rows = usize::from(left.height.saturating_sub(1)).max(1);
        let here = self.shown().position(|(at, _)| at == self.at).unwrap_or(0);
        let top = (here + 1).saturating_sub(rows);
        let shown = self.shown().enumerate().skip(top);
        for (y, (place, (at, field))) in (left.y + 1..left.bottom()).zip(shown) {
            let row = Rect {
                y,
                height: 1,
                ..left
            };
            let found = self.draw_field(field, at == self.at, row, buf, look);
            let by = place as i64 - here as i64;
            let fields = [Action::FormPrevious, Action::FormNext];
            look.hits.go(row, steps(by, fields), None);
            cursor = cursor.or(found);
        }
        cursor
    }

    /// Draws a field. Returns the cursor position if the field has it.
    fn draw_field(
        &self,
        field: &Field,
        here: bool,
        row: Rect,
        buf: &mut Buffer,
        look: &Look,
    ) -> Option<Position> {
        let mark = look.cursor_mark(here);
        buf.set_stringn(row.x, row.y, mark, 1, look.style(Role::Gutter));
        let problem = self.problem(field);
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
            field.name,
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
            place.width -= (wide + 1).min(place.width);
        }
        if let Some(input) = field.value.input() {
            let at = text_input::draw(input, place, buf, look.style(Role::Text));
            return here.then_some(at);
        }
        if let Value::File(picker) = &field.value {
            let at = draw_picked(picker, place, buf, look);
            return here.then_some(at);
        }
        let shown = match (&field.value, here) {
            (Value::Choice(..), true) => format!("< {} >", field.value.text()),
            (Value::Flag(is_on), _) => {
                let mark = if *is_on { "[x]" } else { "[ ]" };
                format!("{mark} {}", field.value.text())
            }
            _ => field.value.text().to_string(),
        };
        let role = if here { Role::Selection } else { Role::Text };
        let room = usize::from(place.width);
        buf.set_stringn(
            place.x,
            row.y,
            text::fit(&shown, room),
            room,
            look.style(role),
        );
        here.then(|| place.as_position())
    }

    fn draw_right(&self, lines: &mut Lines<'_>) {
        if self.is_running {
            lines.text(" running", Role::Heading);
            self.draw_progress(lines);
            return lines.text(" esc cancels", Role::Hint);
        }
        lines.text(" preview", Role::Heading);
        match self.would() {
            None if !self.is_valid() => lines.wrapped(" fix the marked fields first", Role::Dim),
            None if self.progress.is_some() => self.draw_progress(lines),
            None => lines.wrapped(" loading", Role::Dim),
            Some(Err(problem)) => {
                lines.wrapped(&format!(" error: {}", error_line(problem)), Role::Bad);
            }
            Some(Ok(preview)) => self.subject.draw_preview(&self.fields, preview, lines),
        }
    }

    fn draw_progress(&self, lines: &mut Lines<'_>) {
        let Some(progress) = &self.progress else {
            return lines.text(" starting", Role::Dim);
        };
        let of = progress.of.filter(|of| *of > 0);
        let count = match of {
            Some(of) => format!("{} of {}", grouped(progress.done), grouped(of)),
            None => grouped(progress.done),
        };
        lines.wrapped(&format!(" {}: {count}", progress.what), Role::Text);
        if let Some(of) = of {
            let width = lines.width().saturating_sub(2).min(40);
            let share = progress.done as f64 / of as f64;
            let bar = bar(share.min(1.0), width, lines.look().accessible);
            lines.text(&format!(" {bar}"), Role::Accent);
        }
    }
}

/// Draws the folder of a picker and what is typed in it. Returns the cursor position.
fn draw_picked(picker: &Picker, place: Rect, buf: &mut Buffer, look: &Look) -> Position {
    let folder = text::clean(&picker.folder().to_string_lossy());
    let room = usize::from(place.width) * 2 / 3;
    let mut shown = folder.as_str();
    while text::width(shown) > room {
        // The end of a long path tells more than its beginning.
        match shown.get(1..).and_then(|rest| rest.find('/')) {
            Some(at) => shown = &shown[at + 1..],
            None => break,
        }
    }
    let cut = if shown.len() < folder.len() {
        "…"
    } else {
        ""
    };
    let end = if shown.ends_with('/') { "" } else { "/" };
    let shown = text::fit(&format!("{cut}{shown}{end}"), room.max(1));
    let (x, _) = buf.set_stringn(
        place.x,
        place.y,
        &shown,
        usize::from(place.width),
        look.style(Role::Dim),
    );
    let rest = Rect {
        x,
        width: place.right().saturating_sub(x),
        ..place
    };
    text_input::draw(picker.typed(), rest, buf, look.style(Role::Text))
}

/// Draws the list of a picker, with its cursor in view.
fn draw_list(picker: &Picker, area: Rect, buf: &mut Buffer, look: &Look) {
    let rows = usize::from(area.height);
    let count = picker.shown().count();
    if count == 0 {
        let said = match (picker.problem(), picker.is_listed()) {
            (Some(problem), _) => problem,
            (None, false) => "loading".into(),
            (None, true) if picker.typed().value().is_empty() => "an empty folder".into(),
            (None, true) => "no name matches".into(),
        };
        let mut lines = Lines::new(area, buf, look);
        return lines.wrapped(&format!(" {said}"), Role::Dim);
    }
    let top = (picker.at() + 1).saturating_sub(rows.max(1));
    let entries = [Action::FormUp, Action::FormDown];
    look.hits.wheel(area, entries, 1);
    for (y, at) in (area.top()..area.bottom()).zip(top..count) {
        let row = Rect {
            y,
            height: 1,
            ..area
        };
        let by = at as i64 - picker.at() as i64;
        look.hits.go(row, steps(by, entries), None);
    }
    let mut lines = Lines::new(area, buf, look);
    for (at, entry) in picker.shown().enumerate().skip(top).take(rows) {
        let here = at == picker.at();
        let role = match entry.kind {
            _ if here => Role::Selection,
            EntryKind::Folder => Role::Accent,
            EntryKind::File => Role::Text,
            EntryKind::Link | EntryKind::Other => Role::Dim,
        };
        let mark = look.cursor_mark(here);
        lines.pieces(&[(mark, Role::Gutter), (&entry.label(), role)]);
    }
    let below = count.saturating_sub(top + rows);
    draw_more(below, "down", area, buf, look);
}
