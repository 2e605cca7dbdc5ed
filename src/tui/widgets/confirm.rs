//! A question that one key confirms, drawn in the message line and as many lines above as it needs.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::{Clear, Widget};

use super::text;
use crate::theme::{Look, Role};

/// Draws the question so that it ends in the first row of `message`, over what is above.
pub fn draw(question: &str, message: Rect, buf: &mut Buffer, look: &Look) {
    if message.is_empty() {
        return;
    }
    let lines = text::wrap(question, usize::from(message.width));
    let height = u16::try_from(lines.len())
        .unwrap_or(u16::MAX)
        .min(message.y - buf.area.y + 1);
    let area = Rect {
        y: message.y + 1 - height,
        height,
        ..message
    };
    Clear.render(area, buf);
    buf.set_style(area, look.theme.base());
    for (y, line) in (area.y..area.bottom()).zip(lines) {
        buf.set_stringn(
            area.x,
            y,
            line,
            usize::from(area.width),
            look.style(Role::Warn),
        );
    }
}
