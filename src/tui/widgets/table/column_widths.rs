//! Column widths of a local table, and room for bars next to numbers.

use super::local::LocalTable;
use super::{ColumnKind, Spec};
use crate::widgets::text;

/// Width from which a page has room for a bar next to the sorted numbers.
const WIDE: u16 = 100;

impl LocalTable {
    /// Sets the column widths. Room for bars is assigned again.
    pub fn set_widths(&mut self, widths: &[u16]) {
        self.let_room_go();
        for (column, width) in self.columns.iter_mut().zip(widths) {
            column.width = *width;
        }
    }

    /// Removes the room for bars until the next [`make_room`](Self::make_room).
    pub fn let_room_go(&mut self) {
        for (column, roomy) in self.columns.iter_mut().zip(self.roomy.drain(..)) {
            column.width = column.width.saturating_sub(roomy);
        }
    }

    /// Widens text columns before the last one to fit their longest cells, within half of the space
    /// that `width` leaves. The last column takes the rest.
    pub fn widen(&mut self, width: u16) {
        self.let_room_go();
        let own: usize = self.columns.iter().map(|c| usize::from(c.width) + 2).sum();
        let spare = usize::from(width).saturating_sub(own + usize::from(super::state::GUTTER));
        let mut left = u16::try_from(spare / 2).unwrap_or(u16::MAX);
        let last = self.columns.len().saturating_sub(1);
        let wanted: Vec<u16> = self
            .columns
            .iter()
            .enumerate()
            .map(|(at, c)| match c.kind {
                ColumnKind::Text if at < last => self.longest(at).saturating_sub(c.width),
                _ => 0,
            })
            .collect();
        for (column, wanted) in self.columns.iter_mut().zip(wanted) {
            let more = wanted.min(left);
            left -= more;
            column.width += more;
            self.roomy.push(more);
        }
    }

    /// Width of the longest cell of a column.
    fn longest(&self, column: usize) -> u16 {
        let longest = self
            .rows
            .iter()
            .filter_map(|row| row.get(column))
            .map(|cell| text::width(&cell.view.text))
            .max();
        u16::try_from(longest.unwrap_or(0)).unwrap_or(u16::MAX)
    }

    /// Gives columns of shares room for a bar of this width next to their numbers: all of them if
    /// they then fit into `width`, or else only the first sort column if the page is wide.
    pub fn make_room(&mut self, bar: u16, width: u16) {
        self.let_room_go();
        let shares = self
            .columns
            .iter()
            .filter(|c| c.kind == ColumnKind::Share)
            .count();
        let own: usize = self.columns.iter().map(|c| usize::from(c.width) + 2).sum();
        let fits = own + shares * usize::from(bar) + usize::from(super::state::GUTTER)
            <= usize::from(width);
        let sorted = self
            .state
            .sort()
            .first()
            .map(|key| key.column)
            .filter(|_| width >= WIDE);
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
    use crate::action::Action;
    use crate::widgets::table::{Empty, LocalCell};

    #[test]
    fn text_columns_share_half_of_the_free_space() {
        let columns = vec![
            Spec::text("unit", 6),
            Spec::text("gold", 6),
            Spec::text("output", 10),
        ];
        let row = [
            "a unit of twenty two",
            "yes",
            "a very long output that takes what is left of the line",
        ];
        let mut table = LocalTable::new(
            columns,
            vec![row.map(LocalCell::text).into()],
            1,
            Empty::Loading,
        );
        let mut widths = |width: u16| {
            table.widen(width);
            table.columns().iter().map(|c| c.width).collect::<Vec<_>>()
        };
        assert_eq!(widths(120), [20, 6, 10]);
        assert_eq!(widths(120), [20, 6, 10], "the second call changes nothing");
        assert_eq!(widths(40)[1..], [6, 10]);
        assert!((7..20).contains(&widths(40)[0]), "half of what is left");
        assert_eq!(widths(20), [6, 6, 10]);
    }

    #[test]
    fn bars_appear_in_all_share_columns_or_the_sorted_one() {
        let share = |name: &str| Spec::number(name, "", ColumnKind::Share, 6);
        let columns = vec![Spec::text("model", 10), share("a"), share("b")];
        let own: Vec<u16> = columns.iter().map(|c| c.width).collect();
        let row = vec![
            LocalCell::text("m"),
            LocalCell::number("1.0", Some(1.0)),
            LocalCell::number("2.0", Some(2.0)),
        ];
        let mut table = LocalTable::new(columns, vec![row], 1, Empty::Loading);
        let widths =
            |table: &LocalTable| table.columns().iter().map(|c| c.width).collect::<Vec<_>>();
        let wider = |by: [u16; 3]| {
            own.iter()
                .zip(by)
                .map(|(own, by)| own + by)
                .collect::<Vec<_>>()
        };
        table.make_room(7, 120);
        table.make_room(7, 120);
        assert_eq!(
            widths(&table),
            wider([0, 7, 7]),
            "the second call changes nothing"
        );
        table.make_room(7, 30);
        assert_eq!(widths(&table), own);
        table.go_to_column(2);
        table.act(Action::SortDescending);
        table.make_room(50, 120);
        assert_eq!(widths(&table), wider([0, 0, 50]));
        table.make_room(50, 80);
        assert_eq!(
            widths(&table),
            own,
            "a narrow page would lose columns by it"
        );
        table.make_room(7, 120);
        table.set_widths(&[20, 9, 9]);
        assert_eq!(widths(&table), [20, 9, 9]);
    }
}
