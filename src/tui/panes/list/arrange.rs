//! The default column layout: hides empty columns, and on narrow screens those that would leave no
//! room for the question.

use std::collections::BTreeSet;

use super::{ListPane, rows};
use crate::action::Action;
use crate::widgets::table::{Extent, Spec};
use benchtop_model::Field;

/// The least width of the question.
const QUESTION: u16 = 20;
/// Columns to hide on narrow screens, in this order.
const GIVE_WAY: [Field; 6] = [
    Field::Dataset,
    Field::Judged,
    Field::Side,
    Field::Variant,
    Field::Style,
    Field::Level,
];

/// The automatically hidden columns.
#[derive(Debug, Default)]
pub(super) struct Arrangement {
    /// Columns that were empty in all rows so far. `None` before the first rows.
    uninformative: Option<Vec<usize>>,
    hidden: BTreeSet<usize>,
    /// Columns that the annotator went to. They stay.
    kept: BTreeSet<usize>,
    /// Whether the annotator chose to show all columns.
    off: bool,
    /// Width of the terminal; 0 before the first frame.
    width: u16,
}

impl Arrangement {
    /// Stops hiding columns.
    pub(super) fn show_all(&mut self) {
        *self = Arrangement {
            off: true,
            uninformative: self.uninformative.take(),
            width: self.width,
            ..Arrangement::default()
        };
    }

    /// Keeps a column visible.
    pub(super) fn keep(&mut self, column: usize) {
        self.kept.insert(column);
        self.hidden.remove(&column);
    }

    /// The columns of `present` to hide.
    fn to_hide(&self, columns: &[Spec], present: &BTreeSet<usize>) -> BTreeSet<usize> {
        let mut out: BTreeSet<usize> = self.uninformative.iter().flatten().copied().collect();
        out.retain(|c| present.contains(c) && !self.kept.contains(c));
        let question = rows::column(Field::Question);
        let width = |c: &usize| columns.get(*c).map_or(0, |s| s.width + 1);
        let others = present
            .iter()
            .filter(|c| !out.contains(c) && **c != question);
        let mut used =
            crate::widgets::table::state::GUTTER + others.map(width).sum::<u16>() + QUESTION;
        for column in GIVE_WAY.map(rows::column) {
            if self.width == 0 || used <= self.width {
                break;
            }
            if present.contains(&column) && !self.kept.contains(&column) && out.insert(column) {
                used -= width(&column);
            }
        }
        out
    }
}

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
