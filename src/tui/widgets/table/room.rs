//! How wide the columns of a local table are, and where there is room for bars beside numbers.

use super::local::LocalTable;
use super::{ColumnKind, Spec};

/// A page of so many columns of the terminal has room for a bar beside the numbers that rows are sorted by.
const WIDE: u16 = 100;

impl LocalTable {
    /// Gives columns these widths; room for bars is made anew.
    pub fn set_widths(&mut self, widths: &[u16]) {
        self.let_room_go();
        for (column, width) in self.columns.iter_mut().zip(widths) {
            column.width = *width;
        }
    }

    /// Takes the room for bars back; it is given anew by [`make_room`](Self::make_room).
    pub fn let_room_go(&mut self) {
        for (column, roomy) in self.columns.iter_mut().zip(self.roomy.drain(..)) {
            column.width = column.width.saturating_sub(roomy);
        }
    }

    /// Gives columns of shares room for a bar of this width beside their numbers: all of them where they then still fit into `width`, else the
    /// one that rows are sorted by first, where a page is so wide that this hides little.
    pub fn make_room(&mut self, bar: u16, width: u16) {
        self.let_room_go();
        let shares = self.columns.iter().filter(|c| c.kind == ColumnKind::Share).count();
        let own: usize = self.columns.iter().map(|c| usize::from(c.width) + 2).sum();
        let fits = own + shares * usize::from(bar) + usize::from(super::state::GUTTER) <= usize::from(width);
        let sorted = self.state.sort().first().map(|key| key.column).filter(|_| width >= WIDE);
        let roomy = |(at, column): (usize, &Spec)| match column.kind {
            ColumnKind::Share if fits || Some(at) == sorted => bar,
            _ => 0,
        };
        self.roomy = self.columns.iter().enumerate().map(roomy).collect();
        for (column, roomy) in self.columns.iter_mut().zip(&self.roomy) {
            column.width += roomy;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::action::Action;
    use crate::tui::widgets::table::{Empty, LocalCell};

    #[test]
    fn bars_have_room_in_all_columns_or_in_the_one_that_is_sorted_by() {
        let share = |name: &str| Spec::number(name, "", ColumnKind::Share, 6);
        let columns = vec![Spec::text("model", 10), share("a"), share("b")];
        let own: Vec<u16> = columns.iter().map(|c| c.width).collect();
        let row = vec![LocalCell::text("m"), LocalCell::number("1.0", Some(1.0)), LocalCell::number("2.0", Some(2.0))];
        let mut table = LocalTable::new(columns, vec![row], 1, Empty::Loading);
        let widths = |table: &LocalTable| table.columns().iter().map(|c| c.width).collect::<Vec<_>>();
        let wider = |by: [u16; 3]| own.iter().zip(by).map(|(own, by)| own + by).collect::<Vec<_>>();
        table.make_room(7, 120);
        table.make_room(7, 120);
        assert_eq!(widths(&table), wider([0, 7, 7]), "asked twice, given once");
        table.make_room(7, 30);
        assert_eq!(widths(&table), own);
        table.go_to_column(2);
        table.act(Action::SortDescending);
        table.make_room(50, 120);
        assert_eq!(widths(&table), wider([0, 0, 50]));
        table.make_room(50, 80);
        assert_eq!(widths(&table), own, "a narrow page would lose columns by it");
        table.make_room(7, 120);
        table.set_widths(&[20, 9, 9]);
        assert_eq!(widths(&table), [20, 9, 9]);
    }
}
