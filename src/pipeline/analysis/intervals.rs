//! Confidence intervals of columns.

use rayon::prelude::*;

use super::columns::{column, unit};
use crate::board::BoardData;
use benchtop_metrics::score::ItemSelection;
use benchtop_metrics::statistics::{Z95, wilson};
use benchtop_model::Result;
use benchtop_model::agreement::Interval;
use benchtop_model::analysis::{Intervals, Sure};
use benchtop_model::board::Cell;
use benchtop_model::cancel::Cancel;

pub(super) fn confidence_intervals(
    scored: &BoardData,
    chosen: &ItemSelection,
    ask: &Intervals,
    cancel: Cancel<'_>,
) -> Result<Vec<Sure>> {
    let ruled = scored.engine();
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
        cancel.check()?;
        let column = &board.columns[*at];
        let by = unit(column.scale);
        let sure = ruled.estimate(*row, *at, chosen, ask.plan, cancel)?;
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
