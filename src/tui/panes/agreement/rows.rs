//! Item groups, or pairs of annotators, as a table with one measure per column.

use crate::theme::Role;
use crate::widgets::table::{ColumnKind, Empty, LocalCell, LocalTable, Spec};
use crate::widgets::text;
use benchtop_model::agreement::Estimate;
use benchtop_model::agreement::analysis::{AgreementAnalysis, GroupBy, Measure, Row};

pub(super) fn table(by: GroupBy) -> LocalTable {
    LocalTable::new(columns(by, 16), Vec::new(), 1, Empty::Loading)
}

/// The columns. The most important come first, since there may be little room.
fn columns(by: GroupBy, name: u16) -> Vec<Spec> {
    let mut columns = vec![
        Spec::text(by.title(), name),
        Spec::number("doubled", "", ColumnKind::Number, 7),
    ];
    columns.extend(Measure::ALL.map(|measure| match measure {
        Measure::Raw | Measure::Positive | Measure::Negative => {
            Spec::number(measure.short(), "", ColumnKind::Share, 7)
        }
        _ => Spec::number(measure.short(), "", ColumnKind::Number, 5),
    }));
    // The interval of alpha, which handles any number of annotators and missing ratings.
    columns.push(Spec::number("alpha 95 %", "", ColumnKind::Number, 13));
    columns.push(Spec::number("more", "", ColumnKind::Number, 6));
    columns.push(Spec::number("items", "", ColumnKind::Number, 6));
    columns.push(Spec::number("unknown", "", ColumnKind::Number, 7));
    columns
}

/// Fills the table. The cursor stays on the row of the same name.
pub(super) fn fill(table: &mut LocalTable, found: &AgreementAnalysis) {
    let names = found.rows.iter().map(|row| text::width(row.label()));
    let widest = names
        .chain([text::width(found.by.title())])
        .max()
        .unwrap_or(0)
        .clamp(8, 24);
    let here = table
        .cursor_id()
        .and_then(|id| table.row(id))
        .and_then(|row| row.first())
        .map(|c| c.value().to_string());
    let rows = found
        .rows
        .iter()
        .enumerate()
        .map(|(at, row)| cells(row, at == 0))
        .collect();
    let columns = columns(found.by, widest as u16);
    let empty = Empty::Nothing(String::new());
    if table.columns() == &columns[..] {
        table.set_rows(rows, empty);
    } else {
        *table = LocalTable::new(columns, rows, 1, empty);
    }
    let is_here = |id: &u64| {
        let name = table
            .row(*id)
            .and_then(|row| row.first())
            .map(LocalCell::value);
        here.is_some() && name == here.as_deref()
    };
    if let Some(id) = (0..found.rows.len() as u64).find(is_here) {
        table.go_to_id(id);
    }
}

fn cells(row: &Row, is_all: bool) -> Vec<LocalCell> {
    let m = &row.measures;
    let role = if is_all { Role::Heading } else { Role::Text };
    let name = LocalCell::text(text::clean(row.label())).role(role);
    let mut cells = vec![name, LocalCell::count(m.doubles)];
    cells.extend(Measure::ALL.map(|measure| value(measure, measure.estimate(m))));
    let alpha = &m.krippendorff_alpha;
    cells.push(match alpha.interval {
        Ok(found) => LocalCell::number(
            Measure::Alpha.format_interval(found.low, found.high),
            Some(found.high - found.low),
        ),
        Err(_) => LocalCell::missing("-"),
    });
    let more = alpha.more_doubles;
    cells.push(more.map_or_else(|_| LocalCell::missing("-"), LocalCell::count));
    cells.extend([m.items, m.unknown].map(LocalCell::count));
    cells
}

fn value(measure: Measure, estimate: &Estimate) -> LocalCell {
    estimate.value.map_or_else(
        |_| LocalCell::missing("-"),
        |value| LocalCell::number(measure.format_value(value), Some(value)),
    )
}
