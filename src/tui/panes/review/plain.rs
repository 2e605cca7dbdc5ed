//! The text of an item, for panes that show it beside something else.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::text::{Lines, Shown, write};
use crate::item::Loaded;
use crate::theme::Look;
use crate::widgets::text::READABLE;
use benchtop_model::Verdict;

/// Draws the text of item `number` from line `scroll` on, with an unsaved verdict. Returns the
/// number of lines that do not fit.
pub fn draw_item(
    (number, loaded): (u32, &Loaded),
    pending: Option<Verdict>,
    scroll: usize,
    area: Rect,
    buf: &mut Buffer,
    look: &Look,
) -> usize {
    let mut lines = Lines::new(area.width.min(READABLE));
    write(number, loaded, pending, Shown::All, look, &mut lines);
    let overflow = lines.lines.len().saturating_sub(usize::from(area.height));
    for (y, line) in (area.y..area.bottom()).zip(lines.lines.iter().skip(scroll.min(overflow))) {
        line.draw((area.x, y), usize::from(area.width), buf, look);
    }
    overflow
}
