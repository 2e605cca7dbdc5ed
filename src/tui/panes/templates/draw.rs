//! Drawing of the template pane: the text, the available slots, and the preview or the findings.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::prompt::is_prompt;
use super::{Area, TemplatesPane};
use crate::action::Action;
use crate::panes::metadata::{EditSession, Phase, Side, draw};
use crate::theme::{Look, Role};
use crate::widgets::areas;
use crate::widgets::lines::Lines;
use crate::widgets::table::Empty;
use crate::widgets::table::draw::draw_empty;
use benchtop_model::Finding;

/// The least width with the preview on the right.
const WIDE: u16 = 120;

struct Parts {
    banner: Rect,
    text: Rect,
    slots: Rect,
    side: Rect,
}

fn parts(area: Rect, side: Side, slots: u16) -> Parts {
    let (banner, body) = areas::top(area, 1);
    if area.width >= WIDE {
        let (text, right) = areas::left(body, area.width - area.width * 2 / 5 - 1, 1);
        let (slots, below) = areas::top(right, slots.min(right.height / 3));
        let side = match side {
            Side::Nothing => Rect::default(),
            _ => below,
        };
        return Parts {
            banner,
            text,
            slots,
            side,
        };
    }
    let below = if side == Side::Nothing {
        0
    } else {
        (body.height / 3).min(body.height)
    };
    let slots_height = 1.min(body.height - below);
    let (text, rest) = areas::top(body, body.height - below - slots_height);
    let (slots, side) = areas::top(rest, slots_height);
    Parts {
        banner,
        text,
        slots,
        side,
    }
}

impl TemplatesPane {
    /// Draws the pane. While typing, returns the position of the terminal's cursor.
    pub(super) fn paint(
        &mut self,
        edit_session: &EditSession,
        choose: &str,
        area: Rect,
        buf: &mut Buffer,
        look: &Look,
    ) -> Option<Position> {
        self.sync(edit_session);
        let empty = match edit_session.phase() {
            Phase::Loading => Some(Empty::Loading),
            Phase::Failed(why) => Some(Empty::Failed(why.clone())),
            Phase::Ready => None,
        };
        if let Some(empty) = empty {
            draw_empty(&empty, area, buf, look);
            return None;
        }
        let slots = self.slots(edit_session);
        let slots_height = 1 + slots.len().clamp(1, 8) as u16;
        let parts = parts(area, self.side.shows, slots_height);
        draw::banner(edit_session, "ctrl-s", "M", parts.banner, buf, look);
        let (title, below) = areas::top(parts.text, 1);
        let (line, column) = self.editor.position();
        let other = self.next(edit_session);
        let mode = if self.typing {
            "typing, esc stops"
        } else {
            "i types"
        };
        let heading = format!("{} {line}:{column}  {mode}  o: {other}", self.name());
        draw::heading(&heading, self.area == Area::Text, title, buf, look);
        let file = self.file.clone();
        let found: Vec<&Finding> = edit_session.found_in(&file).collect();
        let lines = [Action::Up, Action::Down];
        let is_beside = self.area == Area::Side;
        look.hits.focus(Action::NextArea, usize::from(is_beside));
        look.hits.wheel(below, lines, 3);
        let cursor = self.editor.draw(below, buf, look, &found);
        if let (Some(at), false) = (cursor, self.typing)
            && self.area == Area::Text
        {
            // Not typing: mark the position, since the terminal's cursor is hidden.
            buf.set_style(Rect::new(at.x, at.y, 1, 1), look.style(Role::Selection));
        }
        self.draw_slots(&slots, parts.slots, buf, look);
        let here = self.area == Area::Side;
        look.hits.focus(Action::NextArea, usize::from(!here));
        if is_prompt(self.name()) && self.side.shows == Side::Preview {
            let title = self.prompt.title(edit_session.seed(), choose);
            let lines = self.prompt.lines(self.name(), edit_session);
            let text = (title.as_str(), &lines[..]);
            self.side.draw_text(text, here, parts.side, buf, look);
        } else {
            self.side.draw(edit_session, here, parts.side, buf, look);
        }
        cursor.filter(|_| self.typing)
    }

    fn draw_slots(&self, slots: &[super::Slot], area: Rect, buf: &mut Buffer, look: &Look) {
        if area.is_empty() {
            return;
        }
        let (section, key) = self.section();
        let place = if key.is_empty() {
            section.name()
        } else {
            format!("{}, {key}", section.name())
        };
        let inside = areas::left(area, 1, 0).1;
        if area.height == 1 {
            let mut pieces = vec![(format!("{place}:"), Role::Heading)];
            if slots.is_empty() {
                pieces.push((" no slots".into(), Role::Dim));
            }
            let slot = |(name, _): &super::Slot| (format!(" {{{name}}}"), Role::Accent);
            pieces.extend(slots.iter().map(slot));
            return Lines::new(inside, buf, look).pieces(&pieces);
        }
        let title = if slots.is_empty() {
            format!("{place}: no slots")
        } else {
            format!("{place}: slots, ctrl-t inserts one")
        };
        draw::heading(&title, false, Rect { height: 1, ..area }, buf, look);
        let rows = usize::from(area.height - 1);
        let mut lines = Lines::new(areas::top(inside, 1).1, buf, look);
        for (i, (name, about)) in slots.iter().enumerate().take(rows) {
            if i + 1 == rows && slots.len() > rows {
                let rest: Vec<String> =
                    slots[i..].iter().map(|(n, _)| format!("{{{n}}}")).collect();
                lines.text(&rest.join(" "), Role::Accent);
                break;
            }
            let (name, about) = (format!("{{{name}}}"), format!("  {about}"));
            lines.pieces(&[(name, Role::Accent), (about, Role::Dim)]);
        }
    }
}
