//! Lines drawn from top to bottom until there is no room.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::meter::Meter;
use super::text;
use crate::theme::{Look, Role};

/// Draws lines from top to bottom.
pub struct Lines<'l> {
    area: Rect,
    buf: &'l mut Buffer,
    look: &'l Look,
}

impl<'l> Lines<'l> {
    /// Starts at the top of `area`.
    pub fn new(area: Rect, buf: &'l mut Buffer, look: &'l Look) -> Lines<'l> {
        Lines { area, buf, look }
    }

    pub fn look(&self) -> &'l Look {
        self.look
    }

    /// The rest of the area.
    pub fn rest(&self) -> Rect {
        self.area
    }

    /// The area of the next line, or `None` if there is no room.
    fn next(&mut self) -> Option<Rect> {
        let line = Rect {
            height: 1,
            ..self.area
        };
        (self.area.height > 0).then(|| {
            self.area.y += 1;
            self.area.height -= 1;
            line
        })
    }

    /// Draws text on the next line, truncated to fit.
    pub fn text(&mut self, said: &str, role: Role) {
        self.pieces(&[(said, role)]);
    }

    /// Draws pieces of text on the next line, each truncated to the room that is left.
    pub fn pieces<S: AsRef<str>>(&mut self, pieces: &[(S, Role)]) {
        let Some(line) = self.next() else { return };
        let mut x = line.x;
        for (piece, role) in pieces {
            let room = usize::from(line.right().saturating_sub(x));
            let (piece, style) = (text::fit(piece.as_ref(), room), self.look.style(*role));
            (x, _) = self.buf.set_stringn(x, line.y, piece, room, style);
        }
    }

    /// Draws text wrapped over as many lines as needed, with the indent of the first.
    pub fn wrapped(&mut self, said: &str, role: Role) {
        let indent = if said.starts_with(' ') { " " } else { "" };
        for line in text::wrap(
            said.trim_start(),
            self.width() - indent.len().min(self.width()),
        ) {
            self.text(&format!("{indent}{line}"), role);
        }
    }

    /// Draws a gauge on the next line.
    pub fn meter(&mut self, meter: &Meter<'_>) {
        if let Some(line) = self.next() {
            meter.draw(line, self.buf, self.look);
        }
    }

    /// Width in columns.
    pub fn width(&self) -> usize {
        usize::from(self.area.width)
    }
}

/// Draws the number of lines `below` an area at the right end of its last line, and the key that
/// shows them.
pub fn draw_more(below: usize, key: &str, area: Rect, buf: &mut Buffer, look: &Look) {
    if below > 0 && !area.is_empty() {
        let hint = format!(" {below} more: {key} ");
        let wide = text::width(&hint) as u16;
        let x = area.right().saturating_sub(wide).max(area.x);
        let room = usize::from(area.right() - x);
        buf.set_stringn(x, area.bottom() - 1, hint, room, look.style(Role::Hint));
    }
}
