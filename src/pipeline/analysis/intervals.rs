//! Confidence intervals of columns.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::{Wanted, check_canceled, column, unit};
use crate::board::BoardData;
use benchtop_metrics::score::ItemSelection;
use benchtop_metrics::statistics::{Z95, wilson};
use benchtop_model::Result;
use benchtop_model::agreement::{Bootstrap, Interval};
use benchtop_model::board::analysis::ScEstimate;
use benchtop_model::board::{Cell, Scale};

/// A request for confidence intervals.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Intervals {
    /// Names of columns; by default the board's leading one.
    pub columns: Vec<String>,
    /// Number of resamples and seed.
    pub plan: Bootstrap,
}

/// A score with its confidence intervals.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sure {
    pub column: String,
    /// The kind of its numbers.
    pub scale: Scale,
    pub model: String,
    /// The score, shares in percent.
    pub value: f64,
    /// Right units, if units are right or wrong.
    pub k: Option<u64>,
    /// Units or answers behind the score.
    pub n: u64,
    /// Wilson interval, which assumes independent units.
    pub wilson: Option<(f64, f64)>,
    /// Cluster bootstrap interval over image pairs, images, or questions.
    pub interval: Option<Interval>,
    /// Why there is no bootstrap interval.
    pub no_interval: Option<String>,
    /// Number of clusters.
    pub clusters: u64,
    /// The part of SC that is not sampling noise, for SC columns.
    pub sc: Option<ScEstimate>,
}

pub(super) fn sure(
    scored: &BoardData,
    chosen: &ItemSelection,
    ask: &Intervals,
    wanted: Wanted<'_>,
) -> Result<Vec<Sure>> {
    let ruled = scored.ruled();
    let board = ruled.board(chosen);
    let columns = match ask.columns.is_empty() {
        true => vec![column(&board, None)?.0],
        false => ask
            .columns
            .iter()
            .map(|c| column(&board, Some(c)).map(|c| c.0))
            .collect::<Result<Vec<_>>>()?,
    };
    let cells = columns
        .iter()
        .flat_map(|at| (0..board.rows.len()).map(|row| (*at, row)));
    let cells: Vec<(usize, usize, Cell, f64)> = cells
        .filter_map(|(at, row)| {
            board.rows[row].cells[at].and_then(|cell| Some((at, row, cell, cell.value()?)))
        })
        .collect();
    let one = |(at, row, cell, value): &(usize, usize, Cell, f64)| -> Result<Sure> {
        check_canceled(wanted)?;
        let column = &board.columns[*at];
        let by = unit(column.scale);
        let sure = ruled.sure(*row, *at, chosen, ask.plan, &|| wanted())?;
        let (clusters, drawn) = (sure.clusters, sure.interval);
        let scaled = |i: Interval| Interval {
            low: by * i.low,
            high: by * i.high,
            standard_error: by * i.standard_error,
            ..i
        };
        let independent = cell
            .k()
            .and_then(|k| wilson(k, cell.n(), Z95))
            .map(|(low, high)| (by * low, by * high));
        Ok(Sure {
            column: column.name.clone(),
            scale: column.scale,
            model: board.rows[*row].model.clone(),
            value: by * value,
            k: cell.k(),
            n: cell.n(),
            wilson: independent,
            interval: drawn.ok().map(scaled),
            no_interval: drawn.err().map(str::to_string),
            clusters,
            sc: sure.sc,
        })
    };
    cells.par_iter().map(one).collect()
}
