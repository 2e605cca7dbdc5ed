//! What the analyses share: finding a column, its numbers as displayed, and stopping when canceled.

use benchtop_model::board::{Better, Board, Cell, Column, Scale};
use benchtop_model::{Error, ErrorKind, Result};

/// The named column, or the board's leading one.
pub(super) fn column<'b>(board: &'b Board, named: Option<&str>) -> Result<(usize, &'b Column)> {
    let at = |name: &str| board.columns.iter().position(|c| c.name == name);
    let found = match named {
        Some(name) => at(name),
        None => board.leading(),
    };
    let found = found.and_then(|at| Some((at, board.columns.get(at)?)));
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

/// A cell's number as displayed: shares in percent, others unchanged.
pub(super) fn shown(cell: Option<Cell>, scale: Scale) -> Option<f64> {
    cell.and_then(Cell::value).map(|value| value * unit(scale))
}

/// The factor from a cell's number to its displayed value.
pub(super) fn unit(scale: Scale) -> f64 {
    if scale == Scale::Share { 100.0 } else { 1.0 }
}

/// Whether lower is better.
pub(super) fn is_low_good(scale: Scale) -> bool {
    scale.better() == Better::Less
}
