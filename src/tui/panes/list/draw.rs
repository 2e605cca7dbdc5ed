//! Drawing of the list: a title line and the table below it.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::Widget;

use super::pane::{Layer, ListPane};
use super::query;
use crate::theme::{Look, Role};
use crate::widgets::areas;
use crate::widgets::table::{Empty, TableView};
use crate::widgets::text;

impl ListPane {
    /// Draws the list or the layer on top of it. While rows load, the old ones stay.
    pub(super) fn draw_list(&mut self, area: Rect, buf: &mut Buffer, look: &Look) {
        let titled = area.height > 3;
        let (title, below) = areas::top(area, u16::from(titled));
        // A layer also needs this: paging follows the screen height.
        self.state.resize(below, &self.columns);
        self.arrange_for(below.width);
        if titled {
            self.title(title, buf, look);
        }
        match self.layer.as_mut() {
            Some(Layer::Frequency(view)) => return view.draw(below, buf, look),
            Some(Layer::Describe(view)) => return view.draw(below, buf, look),
            None => {}
        }
        let row = self.state.row();
        if self.pager.drawable(&self.state) {
            self.drawn_row = row;
        } else {
            self.state.go_to_row(
                self.drawn_row
                    .min(self.pager.window.total.saturating_sub(1)),
            );
        }
        let empty = self.empty();
        let note = if self.pager.partial { "so far" } else { "" };
        let (columns, window, state) = (&self.columns[..], &self.pager.window, &self.state);
        TableView {
            columns,
            window,
            state,
            empty: &empty,
            note,
            look,
        }
        .render(below, buf);
        self.state.go_to_row(row);
    }

    /// The reason why there are no rows.
    pub(super) fn empty(&self) -> Empty {
        let pager = &self.pager;
        match &pager.failed {
            _ if pager.waiting()
                && (pager.partial || !pager.answered || pager.failed.is_some()) =>
            {
                Empty::Loading
            }
            Some(reason) => Empty::Failed(reason.clone()),
            None if !pager.answered || pager.window.of == 0 => Empty::Loading,
            None if self.trail.is_empty() => Empty::Filtered("X shows all items".into()),
            None => Empty::Filtered("X shows all items, q goes back".into()),
        }
    }

    /// A word for the request in progress.
    fn busy(&self) -> Option<&'static str> {
        let pager = &self.pager;
        if let Some(awaited) = &self.awaited {
            return Some(awaited.word);
        }
        if self.selecting > 0 {
            return Some("selecting");
        }
        if self.locating.is_some() || pager.partial {
            return Some("searching");
        }
        let word = if self.query.filter.text.is_empty() {
            "loading"
        } else {
            "searching"
        };
        (pager.answered && pager.waiting() && !pager.drawable(&self.state)).then_some(word)
    }

    /// Draws the filter and the order on the left, and the progress and counts on the right.
    fn title(&self, area: Rect, buf: &mut Buffer, look: &Look) {
        let window = &self.pager.window;
        let (total, of) = (text::grouped(window.total), text::grouped(window.of));
        let counts = match (self.pager.answered, self.pager.partial) {
            (false, _) => String::new(),
            (true, true) => format!("{total} so far of {of}"),
            (true, false) if window.total == window.of => text::counted(window.of, "item"),
            (true, false) => format!("{total} of {of}"),
        };
        let busy = self
            .busy()
            .map(|word| format!("{word}…  "))
            .unwrap_or_default();
        let room = usize::from(area.width);
        let right = text::width(&busy) + text::width(&counts);
        let mut x = area.x + u16::try_from(room.saturating_sub(right)).unwrap_or(0);
        let end = x;
        for (piece, role) in [(&busy, Role::Pending), (&counts, Role::Dim)] {
            let left = usize::from(area.right().saturating_sub(x));
            (x, _) = buf.set_stringn(x, area.y, piece, left, look.style(role));
        }
        let words = self.query.title();
        let subset = if self.state.in_subset() {
            "selection"
        } else {
            ""
        };
        let shown = [words.as_str(), subset]
            .into_iter()
            .filter(|w| !w.is_empty())
            .collect::<Vec<_>>()
            .join("  ");
        let (shown, role) = if shown.is_empty() {
            ("all items".into(), Role::Dim)
        } else {
            (shown, Role::Accent)
        };
        let order = query::order(&self.sort(), !self.query.filter.text.is_empty());
        let left = usize::from(end.saturating_sub(area.x)).saturating_sub(2);
        // If room is short, cut the order before the filter.
        let (x, _) = buf.set_stringn(
            area.x,
            area.y,
            text::fit(&shown, left),
            left,
            look.style(role),
        );
        let left = left.saturating_sub(usize::from(x - area.x) + 2);
        if !order.is_empty() && left >= 8 {
            buf.set_stringn(
                x + 2,
                area.y,
                text::fit(&order, left),
                left,
                look.style(Role::Dim),
            );
        }
    }
}
