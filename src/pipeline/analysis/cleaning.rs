//! The effect of removing items on the score of each model (Dysca, Table 9).

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::{Wanted, check_canceled, column, is_low_good, shown, unit};
use crate::board::BoardData;
use benchtop_metrics::score::ItemSelection;
use benchtop_model::agreement::{Bootstrap, Interval};
use benchtop_model::board::{Board, Scale};
use benchtop_model::{Error, Result};

/// The items that remain.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Kept {
    /// Items accepted by people.
    #[default]
    Accepted,
    /// Items accepted by the protocol of this round.
    Round(String),
    /// All items that were not rejected.
    NotRejected,
}

/// A request for the effect of removing items.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Cleaning {
    /// The column; by default the board's leading one.
    pub column: Option<String>,
    pub kept: Kept,
    /// Settings of the bootstrap intervals.
    pub plan: Bootstrap,
}

/// One model before and after.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModelCleaned {
    pub model: String,
    /// Score on all items, shares in percent.
    pub before: Option<f64>,
    /// Score on the remaining items.
    pub after: Option<f64>,
    /// Units or answers behind `before`.
    pub n_before: u64,
    /// Units or answers behind `after`.
    pub n_after: u64,
    /// Share of removed units in percent, for columns of shares only.
    pub removed: Option<f64>,
    /// `after` minus `before`, in points (squared points for SQ and SC).
    pub delta: Option<f64>,
    /// The 95 % interval of `delta`.
    pub interval: Option<Interval>,
    /// Why there is no interval.
    pub no_interval: Option<String>,
    /// Rank before, from 1. Equal numbers share a rank.
    pub rank_before: Option<u64>,
    /// Rank after.
    pub rank_after: Option<u64>,
}

/// All models before and after.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cleaned {
    pub column: String,
    /// The kind of its numbers.
    pub scale: Scale,
    /// Questions before.
    pub questions_before: u64,
    /// Remaining questions.
    pub questions_after: u64,
    /// Number of resamples and seed of the intervals.
    pub plan: Bootstrap,
    /// One entry per model, in the order of the ranks before.
    pub models: Vec<ModelCleaned>,
}

pub(super) fn cleaned(
    scored: &BoardData,
    (before, after): (&ItemSelection, &ItemSelection),
    ask: &Cleaning,
    wanted: Wanted<'_>,
) -> Result<Cleaned> {
    let ruled = scored.ruled();
    let left = ruled.choose(Some(&|row| before.holds(row) && after.holds(row)));
    let boards = [ruled.board(before), ruled.board(&left)];
    let (at, of) = column(&boards[0], ask.column.as_deref())?;
    let (name, scale) = (of.name.clone(), of.scale);
    if boards[1].questions == 0 {
        return Err(Error::input("no scored questions remain")
            .help("judge items first, or name another round"));
    }
    let numbers = |board: &Board| -> Vec<Option<f64>> {
        board
            .rows
            .iter()
            .map(|row| shown(row.cells.get(at).copied().flatten(), scale))
            .collect()
    };
    let n = |board: &Board, row: usize| board.rows[row].cells[at].map_or(0, |cell| cell.n());
    let [was, is] = boards.each_ref().map(numbers);
    let (places, now) = (places(&was, scale), self::places(&is, scale));
    let one = |row: usize| -> Result<ModelCleaned> {
        check_canceled(wanted)?;
        let drawn = ruled
            .again(at, &[(row, before), (row, &left)])
            .and_then(|again| again.apart_interval(ask.plan, (1, 0)));
        let scaled = |i: Interval| {
            let by = unit(scale);
            Interval {
                low: by * i.low,
                high: by * i.high,
                standard_error: by * i.standard_error,
                ..i
            }
        };
        let removed = ruled
            .cleaned(row, at, before, &left)
            .and_then(|c| c.removed.percent().value);
        Ok(ModelCleaned {
            model: boards[0].rows[row].model.clone(),
            before: was[row],
            after: is[row],
            n_before: n(&boards[0], row),
            n_after: n(&boards[1], row),
            removed,
            delta: was[row].zip(is[row]).map(|(was, is)| is - was),
            interval: drawn.ok().map(scaled),
            no_interval: drawn.err().map(str::to_string),
            rank_before: places[row],
            rank_after: now[row],
        })
    };
    let mut models = (0..was.len())
        .into_par_iter()
        .map(one)
        .collect::<Result<Vec<_>>>()?;
    models.sort_by_key(|m| (m.rank_before.unwrap_or(u64::MAX), m.model.clone()));
    Ok(Cleaned {
        column: name,
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
