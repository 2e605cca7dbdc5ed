//! The columns of the item list, and items as rows.

use crate::theme::Role;
use crate::widgets::table::{CellView, ColumnKind, RowView, Spec, Window};
use crate::widgets::text;
use benchtop_model::field::Source;
use benchtop_model::{Field, Status};
use benchtop_protocol::wire::{Page, Row};

/// The field of a column. Columns are in the order of [`Field::ALL`].
pub(super) fn field(column: usize) -> Option<Field> {
    Field::ALL.get(column).copied()
}

pub(super) fn column(field: Field) -> usize {
    field.place()
}

/// One column per field. The question is last and gets the remaining room.
pub(super) fn columns() -> Vec<Spec> {
    let spec = |field: Field| match (field.row().source, field.row().width) {
        (Source::Number, width) => Spec::number(field.name(), "", ColumnKind::Number, width),
        (_, width) => Spec::text(field.name(), width),
    };
    Field::ALL.into_iter().map(spec).collect()
}

/// The color of a status.
pub(super) fn role(status: Status) -> Role {
    match status {
        Status::Pending => Role::Pending,
        Status::Accepted => Role::Good,
        Status::Rejected => Role::Bad,
        Status::ToFix => Role::Warn,
        Status::Flagged => Role::Flag,
        Status::Skipped => Role::Dim,
    }
}

/// A page as loaded rows. A row's id is its item number.
pub(super) fn window(page: &Page) -> Window {
    let view = |row: &Row| {
        let cell = |field: Field| {
            let mut cell = CellView::from(row.text(field));
            match field {
                Field::Status => cell.role = role(row.status),
                Field::Judged | Field::Dataset => cell.role = Role::Dim,
                Field::Question => {
                    cell.highlights = row.marks.iter().map(|at| *at as usize).collect()
                }
                _ => {}
            }
            cell
        };
        RowView {
            id: u64::from(row.number),
            cells: Field::ALL.into_iter().map(cell).collect(),
        }
    };
    Window {
        first: page.offset,
        rows: page.rows.iter().map(view).collect(),
        total: page.total,
        of: page.of,
    }
}

/// Columns without information in these rows: empty ones, and the data set, which is part of the
/// id.
pub(super) fn uninformative(window: &Window) -> Vec<usize> {
    let is_uninformative =
        |c: &usize| field(*c) == Some(Field::Dataset) || cells(window, *c).all(str::is_empty);
    (0..Field::ALL.len()).filter(is_uninformative).collect()
}

/// The width that a column needs for these rows, within limits. `None` if it is fixed.
pub(super) fn wanted_width(window: &Window, column: usize) -> Option<u16> {
    let field = field(column)?;
    let widest = usize::from(field.row().widest);
    if widest == 0 {
        return None;
    }
    // The name and the sort mark.
    let least = field.name().len() + 2;
    let wanted = cells(window, column).map(text::width).max().unwrap_or(0);
    u16::try_from(wanted.clamp(least, widest.max(least))).ok()
}

fn cells(window: &Window, column: usize) -> impl Iterator<Item = &str> {
    window
        .rows
        .iter()
        .filter_map(move |r| r.cells.get(column))
        .map(|c| c.text.as_str())
}
