//! Analyses of whole boards: correlation, clustering, stability, cleaning, confidence intervals,
//! and published figures. Each is requested by a [`What`] and computed from a [`BoardData`] with
//! [`benchtop_metrics`].

mod alignment;
mod cleaning;
mod cluster;
mod correlate;
mod intervals;
mod stability;

pub use self::alignment::{Votes, aligned};

use super::board::BoardData;
use benchtop_formats::published_figures;
use benchtop_metrics::score::ItemSelection;
use benchtop_model::analysis::{Analysis, What};
use benchtop_model::board::{Better, Board, Cell, Column, PublishedFigures, Scale};
use benchtop_model::{Error, ErrorKind, Result};

/// Returns whether the result is still wanted.
pub type Wanted<'a> = &'a (dyn Fn() -> bool + Sync);

/// Analyzes the board on the questions in `chosen`. `after` are the remaining questions if items
/// are removed.
///
/// # Errors
///
/// [`ErrorKind::NotFound`] for an unknown column, [`ErrorKind::Input`] if there is too little data,
/// and [`ErrorKind::Cancelled`].
pub fn analyse(
    scored: &BoardData,
    chosen: &ItemSelection,
    after: Option<&ItemSelection>,
    what: &What,
    wanted: Wanted<'_>,
) -> Result<Analysis> {
    Ok(match what {
        What::Correlate(ask) => {
            Analysis::Correlated(Box::new(correlate::correlated(&scored.board(chosen), ask)?))
        }
        What::Cluster(ask) => Analysis::Clustered(cluster::clustered(&scored.board(chosen), ask)?),
        What::Stability(ask) => Analysis::Stable(stability::stable(scored, chosen, ask, wanted)?),
        What::Cleaning(ask) => {
            let after = after.ok_or_else(|| {
                Error::new(ErrorKind::Usage, "cleaning needs a project")
                    .help("run it in a project with judged items, without PATHs")
            })?;
            Analysis::Cleaned(cleaning::cleaned(scored, (chosen, after), ask, wanted)?)
        }
        What::Intervals(ask) => Analysis::Sure(intervals::confidence_intervals(
            scored, chosen, ask, wanted,
        )?),
        What::Published(paper) => {
            let mut board = scored.board(chosen);
            published_figures::beside(
                &mut board,
                &paper
                    .clone()
                    .map_or(PublishedFigures::All, PublishedFigures::Paper),
            )?;
            Analysis::Published(board)
        }
        What::Alignment(_) => {
            return Err(Error::new(ErrorKind::Usage, "alignment needs a project")
                .help("run it in a project with scored or judged pictures, without PATHs"));
        }
    })
}

/// Fails if the request was canceled.
fn check_canceled(wanted: Wanted<'_>) -> Result<()> {
    if wanted() {
        Ok(())
    } else {
        Err(Error::new(ErrorKind::Cancelled, "canceled"))
    }
}

/// The named column, or the board's leading one.
fn column<'b>(board: &'b Board, named: Option<&str>) -> Result<(usize, &'b Column)> {
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
fn shown(cell: Option<Cell>, scale: Scale) -> Option<f64> {
    cell.and_then(Cell::value).map(|value| value * unit(scale))
}

/// The factor from a cell's number to its displayed value.
fn unit(scale: Scale) -> f64 {
    if scale == Scale::Share { 100.0 } else { 1.0 }
}

/// Whether lower is better.
fn is_low_good(scale: Scale) -> bool {
    scale.better() == Better::Less
}
