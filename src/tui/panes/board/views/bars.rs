//! A group of columns as bars: what a radar chart shows, in lines that can be compared.

use super::{DRAWN, View, cell_of, drawn, number};
use crate::model::board::{Board, Cell, Row, Scale};
use crate::tui::widgets::meter::bar;
use crate::tui::widgets::table::{ColumnKind, LocalCell, Spec};
use crate::tui::widgets::text;

const WIDTH: usize = 24;

pub(super) fn view(board: &Board, row: &Row, group: &str) -> Option<View> {
    let columns: Vec<_> = board.columns.iter().filter(|c| c.group == group).collect();
    let value = |row: &Row, name: &str| cell_of(board, row, name).and_then(Cell::value);
    // A scenario is shown with how far it is from the clean one.
    let drop = |name: &str| {
        let drops = format!("{group} drop");
        let column = board.columns.iter().find(|c| c.group == drops && c.name.strip_suffix("-clean") == Some(name))?;
        value(row, &column.name)
    };
    let dropped = columns.iter().any(|c| drop(&c.name).is_some());
    let by = |scale| if scale == Scale::Share { 100.0 } else { 1.0 };
    let line = |column: &&crate::model::board::Column| {
        let cell = cell_of(board, row, &column.name)?;
        let own = cell.value()?;
        let others = board.rows.iter().filter(|r| r.reference.is_none()).filter_map(|r| value(r, &column.name));
        let best = match column.scale {
            Scale::Squared | Scale::Spread => others.reduce(f64::min),
            _ => others.reduce(f64::max),
        };
        let scale = by(column.scale);
        let label = super::super::table::short(board, column);
        let mut cells = vec![LocalCell::text(if label.is_empty() { &column.name } else { label })];
        cells.push(number(Some(own), |v| format!("{:.1}", v * scale)));
        cells.push(LocalCell::number(text::grouped(cell.n()), Some(cell.n() as f64)));
        cells.push(number(best, |v| format!("{:.1}", v * scale)));
        cells.push(number(best.map(|best| own - best), |v| format!("{:+.1}", v * scale)));
        if dropped {
            cells.push(number(drop(&column.name), |v| format!("{v:+.1}")));
        }
        let share = if column.scale == Scale::Share { own } else { own.abs() / most(board, group) };
        cells.push(drawn(bar(share, WIDTH, false)));
        Some((column.name.clone(), cells))
    };
    let rows: Vec<_> = columns.iter().filter_map(line).collect();
    let widest = rows.iter().map(|(_, cells)| text::width(cells[0].value())).max().unwrap_or(8).clamp(8, 24);
    let mut specs = vec![Spec::text("column", u16::try_from(widest).unwrap_or(24))];
    let wide = |name: &str| Spec::number(name, "", ColumnKind::Number, 6);
    specs.extend([wide("value"), wide("n"), wide("best"), wide("gap")]);
    if dropped {
        specs.push(wide("drop"));
    }
    specs.push(Spec::text(DRAWN, WIDTH as u16));
    let notes = vec![columns.first().map_or(String::new(), |c| format!("{group}: {}", c.help))];
    View::of(&row.model, format!("{} by {group}", row.model), notes, specs, rows)
}

/// The largest number of a group whose columns are no shares.
fn most(board: &Board, group: &str) -> f64 {
    let at: Vec<usize> = (0..board.columns.len()).filter(|at| board.columns[*at].group == group).collect();
    let values = board
        .rows
        .iter()
        .filter(|r| r.reference.is_none())
        .flat_map(|r| at.iter().filter_map(|at| r.cells.get(*at).copied().flatten()?.value()));
    values.map(f64::abs).fold(f64::MIN_POSITIVE, f64::max)
}
