//! What an empty pane shows: what it is for, the key that begins, and an example.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::text;
use crate::pane::id::Purpose;
use crate::theme::{Look, Role};

/// A key and what it does, as in "opens the review".
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Begin {
    pub key: String,
    pub does: &'static str,
}

const MARGIN: u16 = 2;
const WIDEST: usize = 72;

/// Draws the purpose, the key, and as much of the example as fits. Returns the area of the line with
/// the key.
pub fn draw(purpose: &Purpose, begin: &Begin, area: Rect, buf: &mut Buffer, look: &Look) -> Rect {
    let room = usize::from(area.width.saturating_sub(2 * MARGIN));
    let styled = |lines: Vec<String>, role| {
        let style: Style = look.style(role);
        lines.into_iter().map(move |line| (line, style))
    };
    let mut lines = vec![("Nothing here yet".to_string(), look.style(Role::Heading))];
    lines.extend(styled(
        text::wrap(purpose.about, room.min(WIDEST)),
        Role::Text,
    ));
    let at = lines.len() + 1;
    let said = format!("{}  {}", begin.key, begin.does);
    let (said, blank) = (text::wrap(&said, room), (String::new(), Style::default()));
    lines.push(blank.clone());
    lines.extend(styled(said, Role::Text));
    if !purpose.example.is_empty() {
        lines.push(blank);
        lines.extend(styled(vec!["With items, for example:".into()], Role::Dim));
        let example = purpose.example.iter().map(|line| format!("  {line}"));
        lines.extend(styled(example.collect(), Role::Dim));
    }
    let free = usize::from(area.height).saturating_sub(lines.len());
    let top = area.y + u16::try_from(free / 3).unwrap_or(0);
    let x = area.x + MARGIN.min(area.width);
    for (y, (line, style)) in (top..area.bottom()).zip(&lines) {
        buf.set_stringn(x, y, text::fit(line, room), room, *style);
    }
    let y = top + u16::try_from(at).unwrap_or(u16::MAX - top);
    if y >= area.bottom() {
        return Rect::default();
    }
    let key = text::width(&begin.key).min(room);
    let key = Rect::new(x, y, u16::try_from(key).unwrap_or(0), 1);
    buf.set_style(key, look.style(Role::Key));
    Rect {
        width: area.right() - x,
        ..key
    }
}
