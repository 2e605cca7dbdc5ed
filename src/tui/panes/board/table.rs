//! A board as a table: models by columns, with ranks, and what was odd about each model's files.

use std::collections::HashMap;

use super::SMALL;
use crate::theme::Role;
use crate::widgets::table::{ColumnKind, Empty, LocalCell, LocalTable, Spec};
use crate::widgets::text;
use benchtop_metrics::statistics::p_text;
use benchtop_model::board::analysis::Rank;
use benchtop_model::board::{Board, Cell, Column, Counts, Row, Scale};

/// The column of ranks.
pub(super) const RANK: usize = 1;
/// Where the board's own columns begin.
pub(super) const FIRST: usize = 2;

/// Columns after the board's own: what was odd about a model's files.
pub(super) const COUNTS: [(&str, &str); 6] = [
    ("used", "answers to the questions scored"),
    (
        "missing",
        "questions without an answer; they count as wrong",
    ),
    (
        "extra",
        "answers to questions that are not in the set, in all files; not used",
    ),
    (
        "doubled",
        "rows given more than once, in all files; the first is used",
    ),
    (
        "unparsed",
        "answers that no rule could read; they count as wrong",
    ),
    (
        "refused",
        "answers that decline in words; they count as wrong, unless declining is right",
    ),
];

pub(super) fn counts(c: Counts) -> [u64; 6] {
    [
        c.used,
        c.missing,
        c.extra,
        c.duplicate,
        c.unparsed,
        c.refused,
    ]
}

/// The ranks by a column.
#[derive(Clone, Debug, Default)]
pub(super) struct Ranks {
    /// The column's name.
    pub(super) column: String,
    /// By model.
    pub(super) of: HashMap<String, Rank>,
    /// Whether any two could be compared; else ranks are the bare order.
    pub(super) tested: bool,
    /// The place of each model in that order, from 1.
    places: HashMap<String, usize>,
}

impl Ranks {
    pub(super) fn new(column: String, ranks: Vec<(String, Rank)>) -> Ranks {
        let tested = ranks.iter().any(|(_, rank)| rank.tested > 0);
        let places = ranks
            .iter()
            .enumerate()
            .map(|(at, (model, _))| (model.clone(), at + 1))
            .collect();
        Ranks {
            column,
            of: ranks.into_iter().collect(),
            tested,
            places,
        }
    }

    /// The rank in words: `2`, `2-4` where it may be any of these, `(2)` where nothing was tested.
    pub(super) fn said(&self, model: &str) -> Option<(String, f64)> {
        let (rank, place) = (self.of.get(model)?, self.places.get(model)?);
        Some(match self.tested {
            // Where models may have the same best rank, the one that may have the better worst rank comes first.
            true => (rank.said(), rank.rank as f64 + rank.high as f64 / 1e6),
            false => (format!("({place})"), *place as f64),
        })
    }
}

fn cell_of(cell: Option<Cell>, scale: Scale, decimals: usize, reference: bool) -> LocalCell {
    let Some((cell, value)) = cell.and_then(|c| Some((c, c.value()?))) else {
        let mut none = LocalCell::number("- ", None);
        none.view.role = Role::Dim;
        return none;
    };
    let small = cell.n() < SMALL && !reference;
    // A place after the digits is kept for the star, so that the decimal points stay below each other.
    let star = if small { '*' } else { ' ' };
    let said = match scale {
        Scale::Share => format!("{:.decimals$}{star}", value * 100.0),
        Scale::Points => format!("{value:+.decimals$}{star}"),
        // Without its noise a variance may be below 0, which no variance is.
        Scale::Squared => format!("{:.decimals$}{star}", value.max(0.0)),
        Scale::Spread => format!("{value:.decimals$}{star}"),
        Scale::P => format!("{}{star}", p_text(value)),
    };
    let mut shown = LocalCell {
        is_aside: reference,
        ..LocalCell::number(said, Some(value))
    };
    if small || reference {
        shown.view.role = Role::Dim;
    } else if scale == Scale::Share {
        (shown.view.heat, shown.view.bar) = (Some(value as f32), true);
    }
    shown
}

/// How the rows are to be shown.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shown<'a> {
    pub(super) decimals: usize,
    pub(super) ranks: Option<&'a Ranks>,
    /// The model that is to be compared with another.
    pub(super) marked: Option<&'a str>,
}

/// The rows of a board.
pub(super) fn rows(board: &Board, shown: &Shown<'_>) -> Vec<Vec<LocalCell>> {
    let line = |row: &Row| {
        let reference = row.reference.is_some();
        let mut model = LocalCell::text(&row.model);
        if reference {
            model.view.role = Role::Dim;
        } else if shown.marked == Some(row.model.as_str()) {
            model.view.role = Role::Flag;
        }
        let rank = shown
            .ranks
            .filter(|_| !reference)
            .and_then(|ranks| ranks.said(&row.model));
        let rank = rank.map_or_else(
            || LocalCell::number("", None),
            |(said, at)| LocalCell::number(said, Some(at)),
        );
        let mut cells = vec![model, rank];
        let at = |i: usize| {
            cell_of(
                row.cells.get(i).copied().flatten(),
                board.columns[i].scale,
                shown.decimals,
                reference,
            )
        };
        cells.extend((0..board.columns.len()).map(at));
        cells.extend(counts(row.counts).map(|n| match reference {
            true => LocalCell::number("", None),
            false => LocalCell::number(text::grouped(n), Some(n as f64)),
        }));
        cells
    };
    board.rows.iter().map(line).collect()
}

/// What is left of a column's name without what all names of its group begin with, up to a dot.
pub(super) fn short<'c>(board: &Board, column: &'c Column) -> &'c str {
    let group: Vec<&str> = board
        .columns
        .iter()
        .filter(|c| c.group == column.group)
        .map(|c| c.name.as_str())
        .collect();
    let dots = column.name.match_indices('.').map(|(at, _)| at + 1);
    let shared = dots
        .filter(|at| {
            group
                .iter()
                .all(|name| name.starts_with(&column.name[..*at]))
        })
        .max();
    match shared {
        // One column alone begins like itself.
        Some(at) if group.len() > 1 => column.name.get(at..).unwrap_or_default(),
        _ => "",
    }
}

/// Why a board has no rows.
pub(super) fn nothing() -> Empty {
    Empty::Nothing {
        hint: "`benchtop import PATH` brings the answers of models in".into(),
    }
}

/// How wide the columns are: the models' by their names, numbers by the widest of them, so that none is cut.
pub(super) fn widths(columns: &[Spec], rows: &[Vec<LocalCell>]) -> Vec<u16> {
    let widest = |at: usize| {
        rows.iter()
            .filter_map(|row| row.get(at))
            .map(|cell| text::width(&cell.view.text))
            .max()
    };
    let of = |(at, spec): (usize, &Spec)| {
        let widest = u16::try_from(widest(at).unwrap_or(0)).unwrap_or(u16::MAX);
        if at == 0 {
            widest.clamp(8, NAMES)
        } else {
            spec.width.max(widest)
        }
    };
    columns.iter().enumerate().map(of).collect()
}

/// Columns of the terminal for the longest names.
const NAMES: u16 = 26;

/// A table for a board.
pub(super) fn table(board: &Board, shown: &Shown<'_>) -> LocalTable {
    let mut columns = vec![Spec::text("model", 8)];
    columns.push(Spec {
        width: 4,
        ..Spec::number("rank", "", ColumnKind::Number, 4)
    });
    let wide = u16::try_from(shown.decimals + 4).unwrap_or(6);
    let kind = |scale| {
        if scale == Scale::Share {
            ColumnKind::Share
        } else {
            ColumnKind::Number
        }
    };
    columns.extend(board.columns.iter().map(|c| {
        let wide = if c.scale == Scale::Share {
            wide
        } else {
            wide + 1
        };
        let spec = Spec {
            better: c.better(),
            ..Spec::number(&c.name, &c.group, kind(c.scale), wide)
        };
        match short(board, c) {
            "" => spec,
            short => spec.called(short, wide),
        }
    }));
    columns
        .extend(COUNTS.map(|(name, _)| Spec::number(name, "predictions", ColumnKind::Number, 7)));
    let rows = rows(board, shown);
    let widths = widths(&columns, &rows);
    let mut table = LocalTable::new(columns, rows, 2, nothing());
    table.set_widths(&widths);
    note(&mut table, board);
    table
}

/// What is said below the table.
pub(super) fn note(table: &mut LocalTable, board: &Board) {
    let small = |c: &Option<Cell>| c.is_some_and(|c| c.n() > 0 && c.n() < SMALL);
    let any = board.rows.iter().any(|r| r.cells.iter().any(small));
    table.set_note(if any {
        format!("* fewer than {SMALL} units")
    } else {
        String::new()
    });
}
