//! A board as a table: models by measures, with ranks and prediction counts.

use std::collections::HashMap;

use crate::theme::Role;
use crate::widgets::table::{ColumnKind, Empty, LocalCell, LocalTable, Spec};
use crate::widgets::text;
use benchtop_metrics::statistics::p_text;
use benchtop_model::board::analysis::Rank;
use benchtop_model::board::{Board, Cell, Column, Counts, Row, Scale};

/// Cells with fewer units are dimmed and starred.
pub(super) const SMALL: u64 = 30;
/// The column of ranks.
pub(super) const RANK: usize = 1;
/// The first column of the board itself.
pub(super) const FIRST: usize = 2;

/// The columns after the board's own: counts of a model's predictions.
pub(super) const COUNTS: [(&str, &str); 6] = [
    ("used", "answers to the scored questions"),
    ("missing", "questions without an answer; count as wrong"),
    (
        "extra",
        "answers to unknown questions, in all files; not used",
    ),
    (
        "doubled",
        "duplicate rows, in all files; the first one counts",
    ),
    ("unparsed", "answers without a parsed value; count as wrong"),
    (
        "refused",
        "refusals in free text; count as wrong unless a refusal is right",
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

#[derive(Clone, Debug, Default)]
pub(super) struct Ranks {
    pub(super) column: String,
    pub(super) of: HashMap<String, Rank>,
    /// Whether any pair could be tested. Otherwise ranks are the plain order.
    pub(super) tested: bool,
    /// The position of each model in the order, from 1.
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

    /// The rank as text: `2`, `2-4` for a range, `(2)` if nothing was tested. The number sorts.
    pub(super) fn said(&self, model: &str) -> Option<(String, f64)> {
        let (rank, place) = (self.of.get(model)?, self.places.get(model)?);
        Some(match self.tested {
            // Among equal best ranks, the better worst rank comes first.
            true => (rank.said(), rank.rank as f64 + rank.high as f64 / 1e6),
            false => (format!("({place})"), *place as f64),
        })
    }
}

/// How a cell is shown.
#[derive(Clone, Copy)]
pub(super) struct Style {
    pub(super) decimals: usize,
    /// Whether it was published. Then it is dimmed.
    pub(super) reference: bool,
    pub(super) is_white_box: bool,
}

/// A value as a cell.
pub(super) fn cell_of(cell: Option<Cell>, scale: Scale, style: Style) -> LocalCell {
    let Style {
        decimals,
        reference,
        is_white_box,
    } = style;
    let Some((cell, value)) = cell.and_then(|c| Some((c, c.value()?))) else {
        return LocalCell::missing("- ");
    };
    let small = cell.n() < SMALL && !reference;
    // Reserve a place for the mark, so that the decimal points line up.
    let star = match (is_white_box, small) {
        (true, _) => 'w',
        (false, true) => '*',
        (false, false) => ' ',
    };
    let shown_text = match scale {
        Scale::Share => format!("{:.decimals$}{star}", value * 100.0),
        Scale::Points => format!("{value:+.decimals$}{star}"),
        // A noise-corrected variance may be below 0. Show 0.
        Scale::Squared => format!("{:.decimals$}{star}", value.max(0.0)),
        Scale::Spread => format!("{value:.decimals$}{star}"),
        Scale::P => format!("{}{star}", p_text(value)),
    };
    let mut shown = LocalCell {
        is_aside: reference,
        ..LocalCell::number(shown_text, Some(value))
    };
    if small || reference {
        shown.view.role = Role::Dim;
    } else if scale == Scale::Share {
        (shown.view.heat, shown.view.bar) = (Some(value as f32), true);
    }
    shown
}

/// The options for rows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shown<'a> {
    pub(super) decimals: usize,
    pub(super) ranks: Option<&'a Ranks>,
    /// The model marked for a comparison.
    pub(super) marked: Option<&'a str>,
}

pub(super) fn rows(board: &Board, shown: &Shown<'_>) -> Vec<Vec<LocalCell>> {
    let line = |row: &Row| {
        let reference = row.reference.is_some();
        let model = LocalCell::text(&row.model).role(match shown.marked {
            _ if reference => Role::Dim,
            Some(marked) if marked == row.model => Role::Flag,
            _ => Role::Text,
        });
        let rank = shown
            .ranks
            .filter(|_| !reference)
            .and_then(|ranks| ranks.said(&row.model));
        let rank = rank.map_or_else(
            || LocalCell::number("", None),
            |(text, at)| LocalCell::number(text, Some(at)),
        );
        let mut cells = vec![model, rank];
        let at = |i: usize| {
            cell_of(
                row.cells.get(i).copied().flatten(),
                board.columns[i].scale,
                Style {
                    decimals: shown.decimals,
                    reference,
                    is_white_box: row.is_white_box(&board.columns[i]),
                },
            )
        };
        cells.extend((0..board.columns.len()).map(at));
        cells.extend(counts(row.counts).map(|n| match reference {
            true => LocalCell::number("", None),
            false => LocalCell::count(n),
        }));
        cells
    };
    board.rows.iter().map(line).collect()
}

/// A column name without the prefix that its group shares, up to a dot.
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
        // A single column has no shared prefix.
        Some(at) if group.len() > 1 => column.name.get(at..).unwrap_or_default(),
        _ => "",
    }
}

/// The message for an empty board.
pub(super) fn nothing() -> Empty {
    Empty::Nothing("`benchtop import PATH` imports the answers of models".into())
}

/// The column widths: models by their names, numbers by the widest value.
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

/// The greatest width of names.
const NAMES: u16 = 26;

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

/// Sets the note below the table.
pub(super) fn note(table: &mut LocalTable, board: &Board) {
    let small = |c: &Option<Cell>| c.is_some_and(|c| c.n() > 0 && c.n() < SMALL);
    let any = board.rows.iter().any(|r| r.cells.iter().any(small));
    let mut notes = Vec::new();
    if any {
        notes.push(format!("* fewer than {SMALL} units"));
    }
    let is_marked = |row: &Row| board.columns.iter().any(|column| row.is_white_box(column));
    if board.rows.iter().any(is_marked) {
        notes.push("w white box".into());
    }
    table.set_note(notes.join("; "));
}
