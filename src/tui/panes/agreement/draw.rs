//! Layout and drawing of the agreement pane.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{AgreementPane, Part, details};
use crate::action::Action;
use crate::keymap::Keymap;
use crate::pane::PaneId;
use crate::theme::{Look, Role};
use crate::widgets::areas;
use crate::widgets::lines::Lines;
use crate::widgets::table::Empty;
use crate::widgets::table::draw::draw_empty;

/// The least size with all details beside the table.
const WIDE: (u16, u16) = (130, 24);
/// Width of the details beside the table.
const SIDE: u16 = 62;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Layout {
    title: Rect,
    table: Rect,
    /// Beside the table or below it.
    side: Rect,
    /// All details fit beside the table.
    wide: bool,
}

fn layout(area: Rect, rows: usize) -> Layout {
    let (title, rest) = areas::top(area, 1);
    if area.width >= WIDE.0 && area.height >= WIDE.1 {
        let (table, side) = areas::left(rest, rest.width - SIDE - 1, 1);
        return Layout {
            title,
            table,
            side,
            wide: true,
        };
    }
    // The table gets the height of its rows plus two lines, at most half of the area.
    let needed = u16::try_from(rows + 2).unwrap_or(u16::MAX);
    let high = needed.clamp(5, (rest.height / 2).max(5)).min(rest.height);
    let (table, side) = areas::top(rest, high);
    Layout {
        title,
        table,
        side,
        wide: false,
    }
}

impl AgreementPane {
    fn title(&self) -> String {
        let scope = match &self.round {
            Some(name) => format!("round {name}"),
            None => "verdicts outside rounds".into(),
        };
        let protocol = self
            .found
            .as_ref()
            .map_or(String::new(), |found| format!(" ({})", found.protocol));
        format!(" agreement in {scope}{protocol}, by {}", self.by.title())
    }

    /// Draws the pane. `keys` names the keys in texts.
    pub(super) fn draw_parts(&mut self, area: Rect, keys: &Keymap, buf: &mut Buffer, look: &Look) {
        let rows = self.found.as_ref().map_or(0, |found| found.rows.len());
        let parts = layout(area, rows);
        self.wide = parts.wide;
        let mut lines = Lines::new(area, buf, look);
        lines.text(&self.title(), Role::Heading);
        let body = lines.rest();
        if let Some(empty) = self.nothing(keys) {
            return draw_empty(&empty, body, buf, look);
        }
        self.table.draw(parts.table, buf, look);
        let (Some(found), Some(row)) = (&self.found, self.row()) else {
            return;
        };
        let mut lines = Lines::new(parts.side, buf, look);
        let copy = keys.press(Action::CopyMethods);
        if parts.wide {
            details::numbers(row, found, &mut lines);
            lines.text("", Role::Text);
            details::table(row, found, &mut lines);
            lines.text("", Role::Text);
            details::people(found, &mut lines);
            lines.text("", Role::Text);
            return details::methods(found, &copy, &mut lines);
        }
        match self.part {
            Part::Numbers => details::numbers(row, found, &mut lines),
            Part::Table => details::table(row, found, &mut lines),
            Part::People => details::people(found, &mut lines),
            Part::Methods => details::methods(found, &copy, &mut lines),
        }
    }

    /// The reason why there is no table.
    fn nothing(&self, keys: &Keymap) -> Option<Empty> {
        if let Some(why) = &self.failed {
            let other = keys.press(Action::AgreementRound);
            return Some(Empty::Failed(format!(
                "{why}; {other} chooses another round"
            )));
        }
        let Some(found) = &self.found else {
            return Some(Empty::Loading);
        };
        if found.rows.first().is_some_and(|all| all.measures.items > 0) {
            return None;
        }
        let hint = match &self.round {
            Some(name) => format!("no verdicts in `{name}` yet"),
            None => format!(
                "no verdicts outside rounds; {} reviews, {} in Rounds ({}) creates a round",
                keys.press(Action::Go(PaneId::Review)),
                keys.press(Action::NewRound),
                keys.press(Action::Go(PaneId::Rounds))
            ),
        };
        Some(Empty::Nothing(hint))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn areas_do_not_overlap_at_any_size() {
        for width in (0..220).step_by(9) {
            for height in 0..60 {
                for rows in [0, 3, 80] {
                    let area = Rect::new(2, 1, width, height);
                    let l = layout(area, rows);
                    let all: Vec<Rect> = [l.title, l.table, l.side]
                        .into_iter()
                        .filter(|r| !r.is_empty())
                        .collect();
                    for (at, rect) in all.iter().enumerate() {
                        assert_eq!(area.intersection(*rect), *rect, "{area}");
                        assert!(
                            all[at + 1..]
                                .iter()
                                .all(|other| rect.intersection(*other).is_empty()),
                            "{area}"
                        );
                    }
                }
            }
        }
    }
}
