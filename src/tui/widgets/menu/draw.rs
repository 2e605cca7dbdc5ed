//! Drawing of a menu.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::widgets::{Block, BorderType, Clear, Widget};

use super::{Choice, Menu};
use crate::action::Action;
use crate::hits::steps;
use crate::theme::{Look, Role};
use crate::widgets::{text, text_input};

impl Menu {
    /// Draws the menu in the middle of `area`. Returns the position of the terminal's cursor.
    pub fn draw(&self, area: Rect, buf: &mut Buffer, look: &Look) -> Option<Position> {
        if area.width < 16 || area.height < 5 {
            return None;
        }
        let fixed = 2 + u16::from(self.filter.is_some()) + u16::from(self.note.is_some()) * 2;
        // Tall enough for all choices, so that filtering does not resize it.
        let lines = u16::try_from(self.choices.len())
            .unwrap_or(u16::MAX)
            .clamp(1, 20);
        let height = (lines + fixed).min(area.height);
        let width = self.wanted_width().clamp(16, area.width);
        let at = |room: u16, wide: u16| (room - wide) / 2;
        let outer = Rect::new(
            area.x + at(area.width, width),
            area.y + at(area.height, height),
            width,
            height,
        );
        Clear.render(outer, buf);
        buf.set_style(outer, look.theme.base());
        if !look.accessible {
            let frame = Block::bordered()
                .border_type(BorderType::Rounded)
                .border_style(look.style(Role::Border));
            frame.render(outer, buf);
        }
        let inner = Rect::new(outer.x + 2, outer.y + 1, outer.width - 4, outer.height - 2);
        let room = usize::from(inner.width);
        let title = match self.path().as_slice() {
            [] => format!(" {} ", self.title),
            path => format!(" {} {} ", self.title, path.join(" / ")),
        };
        let title = text::fit(&title, room);
        buf.set_stringn(outer.x + 1, outer.y, title, room, look.style(Role::Heading));
        self.hints(outer, buf, look);

        let lines = [Action::MenuUp, Action::MenuDown];
        look.hits.wheel(outer, lines, 1);
        let mut cursor = None;
        let mut y = inner.y;
        if let Some(filter) = &self.filter {
            let (x, _) = buf.set_stringn(inner.x, y, "> ", 2, look.style(Role::Accent));
            let line = Rect::new(x, y, inner.right() - x, 1);
            cursor = Some(text_input::draw(filter, line, buf, look.style(Role::Text)));
            y += 1;
        }
        let lines = inner
            .bottom()
            .saturating_sub(y + u16::from(self.note.is_some()) * 2);
        let page = usize::from(lines.max(1));
        let top = self.cursor / page * page;
        for (i, (index, found)) in self.shown.iter().enumerate().skip(top).take(page) {
            let row = Rect::new(inner.x, y, inner.width, 1);
            self.row(i, *index, found, row, buf, look);
            self.hit(i, row, look);
            if i == self.cursor && cursor.is_none() && !self.in_note {
                cursor = Some(row.as_position());
            }
            y += 1;
        }
        if self.shown.is_empty() {
            buf.set_stringn(inner.x, y, "no matching line", room, look.style(Role::Dim));
        }
        if let Some(note) = &self.note {
            let y = inner.bottom() - 1;
            let role = if self.in_note {
                Role::Accent
            } else {
                Role::Dim
            };
            let (x, _) = buf.set_stringn(inner.x, y, "note: ", room, look.style(role));
            let line = Rect::new(x, y, inner.right() - x, 1);
            let at = text_input::draw(note, line, buf, look.style(Role::Text));
            if self.in_note {
                cursor = Some(at);
            } else if note.value().is_empty() {
                let hint = text::fit("(up goes here)", usize::from(line.width));
                buf.set_stringn(x, y, hint, usize::from(line.width), look.style(Role::Dim));
            }
        }
        cursor
    }

    fn row(
        &self,
        i: usize,
        index: usize,
        found: &[usize],
        row: Rect,
        buf: &mut Buffer,
        look: &Look,
    ) {
        let Some(choice) = self.choices.get(index) else {
            return;
        };
        // Mark the line that asked for the note while the note is typed.
        let asked = !self.several && self.marks.contains(&index);
        let here = if self.in_note {
            asked
        } else {
            i == self.cursor
        };
        let style = look.style(Role::Text);
        let mark = look.cursor_mark(here);
        buf.set_stringn(row.x, row.y, mark, 1, look.style(Role::Gutter));
        let mut x = row.x + 1;
        if self.several {
            let mark = if self.has_marks_below(index) {
                "[-] "
            } else if self.marks.contains(&index) {
                "[x] "
            } else {
                "[ ] "
            };
            (x, _) = buf.set_stringn(x, row.y, mark, 4, look.style(Role::Accent));
        }
        if self.filter.is_none() {
            let number = if i < 9 {
                format!("{} ", i + 1)
            } else {
                "  ".into()
            };
            (x, _) = buf.set_stringn(x, row.y, number, 2, look.style(Role::Key));
        }
        let key = u16::try_from(text::width(&choice.key))
            .unwrap_or(0)
            .min((row.right() - x) / 4);
        let end = row.right() - if key > 0 { key + 1 } else { 0 };
        buf.set_stringn(
            row.right() - key,
            row.y,
            &choice.key,
            usize::from(key),
            look.style(Role::Key),
        );
        let room = usize::from(end - x);
        let column = if choice.help.is_empty() {
            room
        } else {
            self.label_column().min(room * 2 / 3)
        };
        let found_style = look.style(Role::Match);
        let used = text::draw_marked(
            buf,
            (x, row.y),
            column,
            &format!("{}{}", choice.label, self.suffix(index)),
            found,
            style,
            found_style,
        );
        if room > column + 2 {
            let help = text::fit(&choice.help, room - column - 2);
            let at = x + u16::try_from(column + 2).unwrap_or(0);
            buf.set_stringn(at, row.y, help, room - column - 2, look.style(Role::Dim));
        }
        if here {
            buf.set_style(Rect::new(x, row.y, used, 1), look.style(Role::Selection));
        }
    }

    /// Declares that a click goes to line `i`. A click there chooses or marks it.
    fn hit(&self, i: usize, row: Rect, look: &Look) {
        let open = match self.several {
            true => Action::MenuMark,
            false => Action::MenuConfirm,
        };
        let leaves_note = self.in_note.then_some(Action::MenuUp);
        let by = i as i64 - self.cursor as i64;
        let moves = steps(by, [Action::MenuUp, Action::MenuDown]);
        look.hits
            .go(row, leaves_note.into_iter().chain(moves), Some(open));
    }

    fn hints(&self, outer: Rect, buf: &mut Buffer, look: &Look) {
        let room = usize::from(outer.width.saturating_sub(4));
        let numbers = match self.shown.len().min(9) {
            _ if self.typing() => String::new(),
            0 => String::new(),
            1 => "1 or ".to_string(),
            last => format!("1-{last} or "),
        };
        let back = match self.level {
            Some(_) => "esc goes back",
            None => "esc closes",
        };
        let rest = format!("{numbers}enter picks  {back} ");
        let mark = match (self.in_note, self.several) {
            (true, _) if !self.tags.known().is_empty() => {
                let known = text::fit(
                    &self.tags.known().join(" "),
                    room.saturating_sub(rest.len() + 8),
                );
                format!("tab: {known}  ")
            }
            (false, true) => "tab marks  ".to_string(),
            _ => String::new(),
        };
        let hint = format!(" {mark}{rest}");
        if text::width(&hint) <= room {
            buf.set_stringn(
                outer.x + 2,
                outer.bottom() - 1,
                &hint,
                room,
                look.style(Role::Hint),
            );
        }
    }

    /// Width of the labels that have a help text.
    fn label_column(&self) -> usize {
        let helped = self.choices.iter().filter(|c| !c.help.is_empty());
        helped.map(|c| text::width(&c.label)).max().unwrap_or(0)
    }

    fn wanted_width(&self) -> u16 {
        let lead = 1 + 4 * usize::from(self.several) + 2 * usize::from(self.filter.is_none());
        let labels = self.label_column();
        // Room for what a level adds to a label.
        let levels = match self.choices.iter().any(|c| c.within.is_some()) {
            true => 12,
            false => 0,
        };
        let line = |c: &Choice| {
            let key = text::width(&c.key);
            let words = if c.help.is_empty() {
                text::width(&c.label) + levels
            } else {
                labels + 2 + text::width(&c.help)
            };
            lead + words + if key > 0 { key + 2 } else { 0 }
        };
        let typed = if self.note.is_some() || self.filter.is_some() {
            44
        } else {
            0
        };
        let widest = self
            .choices
            .iter()
            .map(line)
            .chain([text::width(&self.title) + 2, typed, 34])
            .max()
            .unwrap_or(0);
        u16::try_from(widest + 4).unwrap_or(u16::MAX).min(100)
    }
}
