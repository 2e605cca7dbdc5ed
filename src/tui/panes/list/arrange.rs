//! Keeps the default column layout while rows and the width change.

use super::pane::ListPane;
use super::rows;
use crate::action::Action;
use crate::widgets::table::Extent;

impl ListPane {
    /// Updates the layout after the width changed.
    pub(super) fn arrange_for(&mut self, width: u16) {
        if self.arrangement.width != width {
            self.arrangement.width = width;
            self.arrange();
        }
    }

    /// Updates the layout for new rows. A column reappears as soon as a row has a value in it.
    pub(super) fn arrange_rows(&mut self) {
        let window = &self.pager.window;
        if !window.rows.is_empty() {
            // The first rows set the widths. Later ones only widen, so that columns do not move
            // while paging.
            let first = self.arrangement.uninformative.is_none();
            for (column, spec) in self.columns.iter_mut().enumerate() {
                if let Some(wanted) = rows::wanted_width(window, column) {
                    spec.width = if first {
                        wanted
                    } else {
                        spec.width.max(wanted)
                    };
                }
            }
            let now = rows::uninformative(window);
            match self.arrangement.uninformative.as_mut() {
                None => self.arrangement.uninformative = Some(now),
                Some(uninformative) => uninformative.retain(|c| now.contains(c)),
            }
            self.arrange();
        }
    }

    fn arrange(&mut self) {
        if self.arrangement.off {
            return;
        }
        let present = self
            .state
            .order(&self.columns)
            .into_iter()
            .chain(self.arrangement.hidden.iter().copied());
        let wanted = self.arrangement.to_hide(&self.columns, &present.collect());
        if wanted == self.arrangement.hidden {
            return;
        }
        let before = self.state.column();
        for column in self.arrangement.hidden.difference(&wanted) {
            self.state.go_to_column(*column, &self.columns);
        }
        let window = self.pager.without_rows();
        for column in wanted.difference(&self.arrangement.hidden) {
            self.state.go_to_column(*column, &self.columns);
            self.state.act(
                Action::Hide,
                &Extent {
                    columns: &self.columns,
                    window: &window,
                },
            );
        }
        self.arrangement.hidden = wanted;
        // Return to the earlier column, so that nothing ends up scrolled.
        let shown = self.state.order(&self.columns);
        for column in shown
            .iter()
            .rev()
            .chain(shown.iter().filter(|c| **c == before))
        {
            self.state.go_to_column(*column, &self.columns);
        }
    }
}
