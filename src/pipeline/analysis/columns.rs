//! What the analyses share: finding a column, its numbers as displayed, and stopping when canceled.

use benchtop_model::board::{Better, Board, Cell, Column, Row, Scale};
use benchtop_model::{Error, ErrorKind, Result};

/// The named column, or the board's leading one.
pub(super) fn column<'b>(board: &'b Board, named: Option<&str>) -> Result<&'b Column> {
    let found = match named {
        Some(name) => board.column(name),
        None => board.leading().and_then(|at| board.columns.get(at)),
    };
    found.ok_or_else(|| match named {
        _ if board.columns.is_empty() => {
            Error::new(ErrorKind::NotFound, "the board has no columns")
                .help("import questions and predictions")
        }
        named => {
            let names: Vec<&str> = board.columns.iter().map(|c| c.name.as_str()).collect();
            Error::new(
                ErrorKind::NotFound,
                format!("no column `{}`", named.unwrap_or_default()),
            )
            .help(format!("available columns: {}", names.join(", ")))
        }
    })
}

/// A row's number in a column as displayed: shares in percent, others unchanged.
pub(super) fn shown(board: &Board, row: &Row, column: &Column) -> Option<f64> {
    let value = board.cell(row, &column.name).and_then(Cell::value);
    value.map(|value| value * column.scale.unit())
}

/// Whether lower is better.
pub(super) fn is_low_good(scale: Scale) -> bool {
    scale.better() == Better::Less
}
