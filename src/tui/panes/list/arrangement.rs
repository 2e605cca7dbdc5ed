//! The default column layout: hides empty columns, and on narrow screens those that would leave no
//! room for the question.

use std::collections::BTreeSet;

use super::rows;
use crate::widgets::table::Spec;
use crate::widgets::table::state::GUTTER;
use benchtop_model::Field;
use benchtop_model::sorting::sort_by_key;

/// The least width of the question.
const QUESTION: u16 = 20;

/// The automatically hidden columns.
#[derive(Debug, Default)]
pub(super) struct Arrangement {
    /// Columns that were empty in all rows so far. `None` before the first rows.
    pub(super) uninformative: Option<Vec<usize>>,
    pub(super) hidden: BTreeSet<usize>,
    /// Columns that the annotator went to. They stay.
    kept: BTreeSet<usize>,
    /// Whether the annotator chose to show all columns.
    pub(super) off: bool,
    /// Width of the terminal; 0 before the first frame.
    pub(super) width: u16,
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
    pub(super) fn to_hide(&self, columns: &[Spec], present: &BTreeSet<usize>) -> BTreeSet<usize> {
        let mut out: BTreeSet<usize> = self.uninformative.iter().flatten().copied().collect();
        out.retain(|c| present.contains(c) && !self.kept.contains(c));
        let question = rows::column(Field::Question);
        let width = |c: &usize| columns.get(*c).map_or(0, |s| s.width + 1);
        let others = present
            .iter()
            .filter(|c| !out.contains(c) && **c != question);
        let mut used = GUTTER + others.map(width).sum::<u16>() + QUESTION;
        let mut hides: Vec<Field> = Field::ALL
            .into_iter()
            .filter(|f| f.row().hides > 0)
            .collect();
        sort_by_key(&mut hides, |field| field.row().hides);
        for column in hides.into_iter().map(rows::column) {
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
