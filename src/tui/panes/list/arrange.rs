//! Which columns are hidden before anybody hides one: those with nothing to say, and on a narrow screen those that
//! would leave no room for the question.

use std::collections::BTreeSet;

use super::{ListPane, rows};
use crate::action::Action;
use crate::widgets::table::{Extent, Spec};
use benchtop_model::Field;

/// Columns of the terminal that the question is to have.
const QUESTION: u16 = 20;
/// Columns that give way to it, the first one first.
const GIVE_WAY: [Field; 6] = [
    Field::Dataset,
    Field::Judged,
    Field::Side,
    Field::Variant,
    Field::Style,
    Field::Level,
];

/// What was hidden without being asked to.
#[derive(Debug, Default)]
pub(super) struct Arrangement {
    /// Columns in which no row so far had anything to say; `None` before the first rows.
    silent: Option<Vec<usize>>,
    hidden: BTreeSet<usize>,
    /// Columns that a person went to, so that they stay.
    kept: BTreeSet<usize>,
    /// A person showed every column: they all stay.
    off: bool,
    /// Columns of the terminal; 0 before the first drawing.
    width: u16,
}

impl Arrangement {
    /// A person wants every column.
    pub(super) fn show_all(&mut self) {
        *self = Arrangement {
            off: true,
            silent: self.silent.take(),
            width: self.width,
            ..Arrangement::default()
        };
    }

    /// A person wants this column.
    pub(super) fn keep(&mut self, column: usize) {
        self.kept.insert(column);
        self.hidden.remove(&column);
    }

    /// The columns to be hidden, of those in `present`.
    fn unwanted(&self, columns: &[Spec], present: &BTreeSet<usize>) -> BTreeSet<usize> {
        let mut out: BTreeSet<usize> = self.silent.iter().flatten().copied().collect();
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
    /// Takes note of the screen's width.
    pub(super) fn arrange_for(&mut self, width: u16) {
        if self.arrangement.width != width {
            self.arrangement.width = width;
            self.arrange();
        }
    }

    /// Takes note of the rows at hand: a column comes back as soon as a row says something in it.
    pub(super) fn arrange_rows(&mut self) {
        let window = &self.pager.window;
        if !window.rows.is_empty() {
            // The first rows set the widths; later ones only widen, so that columns stand still while paging.
            let first = self.arrangement.silent.is_none();
            for (column, spec) in self.columns.iter_mut().enumerate() {
                if let Some(wanted) = rows::wanted_width(window, column) {
                    spec.width = if first {
                        wanted
                    } else {
                        spec.width.max(wanted)
                    };
                }
            }
            let now = rows::silent(window);
            match self.arrangement.silent.as_mut() {
                None => self.arrangement.silent = Some(now),
                Some(silent) => silent.retain(|c| now.contains(c)),
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
        let wanted = self.arrangement.unwanted(&self.columns, &present.collect());
        if wanted == self.arrangement.hidden {
            return;
        }
        let before = self.state.column();
        for column in self.arrangement.hidden.difference(&wanted) {
            self.state.go_to_column(*column, &self.columns);
        }
        let window = self.pager.hollow();
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
        // Back to the first column on the way, so that the going about leaves nothing scrolled.
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
