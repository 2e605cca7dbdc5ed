//! Closer looks at whole boards: what goes together, what is alike, how scores settle, what cleaning did, how sure numbers are, and what papers
//! printed. Each is asked for by a [`What`] and answered from a [`BoardData`]; the numbers are those of [`benchtop_metrics`].

mod alignment;
mod cleaning;
mod cluster;
mod correlate;
mod intervals;
mod stability;

pub use self::alignment::{Votes, aligned};

use super::board::BoardData;
use benchtop_formats::printed;
use benchtop_metrics::score::ItemSelection;
use benchtop_model::analysis::{Analysis, What};
use benchtop_model::board::{Better, Board, Cell, Column, Printed, Scale};
use benchtop_model::{Error, ErrorKind, Result};

/// Whether somebody still waits for it.
pub type Wanted<'a> = &'a (dyn Fn() -> bool + Sync);

/// Analyses the board on the questions of `chosen`; `after` are the ones that are left where something is taken out.
///
/// # Errors
/// [`ErrorKind::NotFound`] for a column that is not there, [`ErrorKind::Input`] where there is too little to say anything, [`ErrorKind::Cancelled`] when
/// nobody waits for it any more.
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
                Error::new(
                    ErrorKind::Usage,
                    "what was taken out is known of a project only",
                )
                .help("without PATHs, in a project whose items were judged")
            })?;
            Analysis::Cleaned(cleaning::cleaned(scored, (chosen, after), ask, wanted)?)
        }
        What::Intervals(ask) => Analysis::Sure(intervals::sure(scored, chosen, ask, wanted)?),
        What::Published(paper) => {
            let mut board = scored.board(chosen);
            printed::beside(
                &mut board,
                &paper.clone().map_or(Printed::All, Printed::Paper),
            )?;
            Analysis::Published(board)
        }
        What::Alignment(_) => {
            return Err(Error::new(
                ErrorKind::Usage,
                "what is aligned is known of a project only",
            )
            .help("without PATHs, in a project whose pictures were scored or judged"));
        }
    })
}

/// Fails when nobody waits any more.
fn go_on(wanted: Wanted<'_>) -> Result<()> {
    if wanted() {
        Ok(())
    } else {
        Err(Error::new(
            ErrorKind::Cancelled,
            "nobody waits for it any more",
        ))
    }
}

/// The column that is meant, or the one that leads the board.
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
                .help("bring in questions and the predictions of models")
        }
        named => {
            let names: Vec<&str> = board.columns.iter().map(|c| c.name.as_str()).collect();
            Error::new(
                ErrorKind::NotFound,
                format!("no column `{}`", named.unwrap_or_default()),
            )
            .help(format!("there are: {}", names.join(", ")))
        }
    })
}

/// A cell's number as it is shown: shares in percent, others as they are.
fn shown(cell: Option<Cell>, scale: Scale) -> Option<f64> {
    cell.and_then(Cell::value).map(|value| value * unit(scale))
}

/// What a cell's number is multiplied by to be shown.
fn unit(scale: Scale) -> f64 {
    if scale == Scale::Share { 100.0 } else { 1.0 }
}

/// Whether less is better.
fn is_low_good(scale: Scale) -> bool {
    scale.better() == Better::Less
}
