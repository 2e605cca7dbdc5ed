//! Confidence intervals of columns.

use rayon::prelude::*;

use super::columns::{Steps, column};
use crate::board::BoardData;
use benchtop_metrics::score::ItemSelection;
use benchtop_metrics::statistics::{Z95, wilson};
use benchtop_model::Result;
use benchtop_model::analysis::{Intervals, ScoreInterval};
use benchtop_model::board::{Cell, Column, Row};
use benchtop_model::cancel::ProgressSink;

pub(super) fn confidence_intervals(
    scored: &BoardData,
    chosen: &ItemSelection,
    ask: &Intervals,
    watch: ProgressSink<'_>,
) -> Result<Vec<ScoreInterval>> {
    let ruled = scored.engine();
    let board = ruled.board(chosen);
    let columns = match ask.columns.is_empty() {
        true => vec![column(&board, None)?],
        false => ask
            .columns
            .iter()
            .map(|c| column(&board, Some(c)))
            .collect::<Result<Vec<_>>>()?,
    };
    let rows = || board.rows.iter().enumerate();
    let cells = columns
        .iter()
        .flat_map(|c| rows().map(move |row| (*c, row)));
    let cells: Vec<(&Column, (usize, &Row), Cell, f64)> = cells
        .filter_map(|(column, row)| {
            let cell = board.cell(row.1, &column.name)?;
            Some((column, row, cell, cell.value()?))
        })
        .collect();
    let steps = Steps::new("intervals", cells.len(), watch);
    let one =
        |(column, (at, row), cell, value): &(&Column, (usize, &Row), Cell, f64)| -> Result<ScoreInterval> {
            steps.next()?;
            let by = column.scale.unit();
            let of = ruled.column(&column.name)?;
            let estimate = ruled.estimate(*at, of, chosen, ask.plan, watch.cancel)?;
            let (clusters, drawn) = (estimate.clusters, estimate.interval);
            let independent = cell
                .k()
                .and_then(|k| wilson(k, cell.n(), Z95))
                .map(|(low, high)| (by * low, by * high));
            Ok(ScoreInterval {
                column: column.name.clone(),
                scale: column.scale,
                model: row.model.clone(),
                value: by * value,
                k: cell.k(),
                n: cell.n(),
                wilson: independent,
                interval: drawn.ok().map(|i| i.scaled(by)),
                no_interval: drawn.err().map(str::to_string),
                clusters,
                sc: estimate.sc,
            })
        };
    cells.par_iter().map(one).collect()
}
