//! What the analyses share: finding a column, its numbers as displayed, and progress.

use std::sync::atomic::{AtomicU64, Ordering};

use benchtop_model::board::{Better, Board, Cell, Column, Row, Scale};
use benchtop_model::cancel::ProgressSink;
use benchtop_model::{Error, ErrorKind, Result};

/// Steps of an analysis that run in parallel.
pub(super) struct Steps<'a> {
    name: &'static str,
    of: u64,
    begun: AtomicU64,
    watch: ProgressSink<'a>,
}

impl<'a> Steps<'a> {
    pub(super) fn new(name: &'static str, of: usize, watch: ProgressSink<'a>) -> Steps<'a> {
        Steps {
            name,
            of: of as u64,
            begun: AtomicU64::new(0),
            watch,
        }
    }

    /// Begins the next step.
    ///
    /// # Errors
    /// [`ErrorKind::Cancelled`] if the analysis was canceled.
    pub(super) fn next(&self) -> Result<()> {
        let done = self.begun.fetch_add(1, Ordering::Relaxed);
        self.watch.report(self.name, done, Some(self.of))
    }
}

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

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::sync::atomic::AtomicBool;

    use super::*;
    use benchtop_model::cancel::Cancel;

    #[test]
    fn steps_are_reported_until_the_analysis_is_canceled() {
        let (seen, canceled) = (Mutex::new(Vec::new()), AtomicBool::new(false));
        let tell = |progress: benchtop_model::import::Progress| {
            let mut seen = seen.lock().unwrap();
            seen.push((progress.done, progress.of));
            canceled.store(seen.len() >= 3, Ordering::Relaxed);
        };
        let watch = ProgressSink::new(&tell, Cancel::flag(&canceled));
        let steps = Steps::new("intervals", 9, watch);
        let ended: Vec<_> = (0..4).map(|_| steps.next().map_err(|e| e.kind)).collect();
        let stopped = Err(ErrorKind::Cancelled);
        assert_eq!(ended, [Ok(()), Ok(()), stopped, stopped]);
        assert_eq!(seen.lock().unwrap()[..3], [0, 1, 2].map(|n| (n, Some(9))));
    }
}
