//! The effect of removing items on the score of each model (Dysca, Table 9).

use rayon::prelude::*;

use super::columns::{Steps, column, is_low_good, shown};
use crate::board::BoardData;
use benchtop_metrics::score::ItemSelection;
use benchtop_model::analysis::{Cleaned, Cleaning, ModelCleaned};
use benchtop_model::board::{Board, Scale};
use benchtop_model::cancel::ProgressSink;
use benchtop_model::sorting::sort_by_key;
use benchtop_model::{Error, Result};

pub(super) fn cleaned(
    scored: &BoardData,
    (before, after): (&ItemSelection, &ItemSelection),
    ask: &Cleaning,
    watch: ProgressSink<'_>,
) -> Result<Cleaned> {
    let ruled = scored.engine();
    let left = ruled.choose(Some(&|row| before.holds(row) && after.holds(row)));
    let boards = [ruled.board(before), ruled.board(&left)];
    let column = column(&boards[0], ask.column.as_deref())?;
    let (of, scale) = (ruled.column(&column.name)?, column.scale);
    if boards[1].questions == 0 {
        return Err(Error::input("no scored questions remain")
            .help("judge items first, or name another round"));
    }
    let numbers = |board: &Board| -> Vec<Option<f64>> {
        let rows = board.rows.iter();
        rows.map(|row| shown(board, row, column)).collect()
    };
    let n = |board: &Board, row: usize| {
        let cell = board.cell(&board.rows[row], &column.name);
        cell.map_or(0, |cell| cell.n())
    };
    let [was, is] = boards.each_ref().map(|board| numbers(board));
    let (places, now) = (places(&was, scale), self::places(&is, scale));
    let steps = Steps::new("cleaning", was.len(), watch);
    let one = |row: usize| -> Result<ModelCleaned> {
        steps.next()?;
        let drawn = ruled
            .bootstrap(of, &[(row, before), (row, &left)])
            .and_then(|again| again.difference_interval(ask.plan, (1, 0)));
        let removed = ruled
            .cleaned(row, of, before, &left)
            .and_then(|c| c.removed.percent().value);
        Ok(ModelCleaned {
            model: boards[0].rows[row].model.clone(),
            before: was[row],
            after: is[row],
            n_before: n(&boards[0], row),
            n_after: n(&boards[1], row),
            removed,
            delta: was[row].zip(is[row]).map(|(was, is)| is - was),
            interval: drawn.ok().map(|i| i.scaled(scale.unit())),
            no_interval: drawn.err().map(str::to_string),
            rank_before: places[row],
            rank_after: now[row],
        })
    };
    let mut models = (0..was.len())
        .into_par_iter()
        .map(one)
        .collect::<Result<Vec<_>>>()?;
    sort_by_key(&mut models, |m| {
        (m.rank_before.unwrap_or(u64::MAX), m.model.clone())
    });
    Ok(Cleaned {
        column: column.name.clone(),
        scale,
        questions_before: boards[0].questions,
        questions_after: boards[1].questions,
        plan: ask.plan,
        models,
    })
}

/// The rank of each number from 1, best first. Equal numbers share a rank.
fn places(of: &[Option<f64>], scale: Scale) -> Vec<Option<u64>> {
    let better = |a: f64, b: f64| if is_low_good(scale) { a < b } else { a > b };
    let place = |own: f64| {
        1 + of
            .iter()
            .flatten()
            .filter(|other| better(**other, own))
            .count() as u64
    };
    of.iter().map(|own| own.map(place)).collect()
}
