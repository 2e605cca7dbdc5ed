//! Moves between groups of columns.

use super::Spec;
use super::state::TableState;

impl TableState {
    /// The first column of the next group, wrapping around.
    pub(super) fn next_group(
        &self,
        columns: &[Spec],
        order: &[usize],
        at: usize,
    ) -> std::result::Result<usize, &'static str> {
        let group = |c: &usize| columns.get(*c).map_or("", |s| s.group.as_str());
        let here = order.get(at).map_or("", group);
        let after = order.iter().skip(at).find(|c| group(c) != here);
        let around = order
            .iter()
            .take(at)
            .find(|c| !group(c).is_empty() && group(c) != here);
        after.or(around).copied().ok_or("no other group of columns")
    }

    /// The first column of the previous group, or of the current group from within it.
    pub(super) fn previous_group(
        &self,
        columns: &[Spec],
        order: &[usize],
        at: usize,
    ) -> std::result::Result<usize, &'static str> {
        let group = |i: usize| {
            order
                .get(i)
                .and_then(|c| columns.get(*c))
                .map_or("", |s| s.group.as_str())
        };
        let begins = |i: &usize| !group(*i).is_empty() && (*i == 0 || group(*i - 1) != group(*i));
        let before = (0..at)
            .rev()
            .find(begins)
            .or((at + 1..order.len()).rev().find(begins));
        before
            .and_then(|i| order.get(i).copied())
            .ok_or("no other group of columns")
    }

    /// Scrolls so that the cursor's group starts at the left, unless it is fully visible.
    pub(super) fn begin_with(&mut self, columns: &[Spec], order: &[usize]) {
        let group = |c: usize| columns.get(c).map_or("", |s| s.group.as_str());
        let Some(at) = order.iter().position(|c| *c == self.column) else {
            return;
        };
        let last = order
            .iter()
            .skip(at)
            .take_while(|c| group(**c) == group(self.column))
            .last();
        let shown = self.placed(columns);
        let whole = [Some(&self.column), last]
            .into_iter()
            .flatten()
            .all(|c| shown.iter().any(|p| p.column == *c));
        let pinned = order.iter().filter(|c| self.pinned.contains(c)).count();
        if let (false, Some(position)) = (whole, at.checked_sub(pinned)) {
            self.scrolled = position;
        }
    }

    /// Like [`go_to_column`](Self::go_to_column), and scrolls the column's group to the left unless
    /// it is fully visible.
    pub fn go_to_group(&mut self, column: usize, columns: &[Spec]) {
        self.hidden.remove(&column);
        self.column = column;
        let order = self.order(columns);
        self.begin_with(columns, &order);
        self.follow_column(columns);
    }
}
