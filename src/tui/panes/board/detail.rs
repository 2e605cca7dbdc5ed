//! The lines below the table, and the page about a model.

use super::table::{COUNTS, FIRST, RANK, counts};
use super::{BoardPane, SMALL};
use crate::theme::Role;
use crate::widgets::page::Page;
use crate::widgets::text;
use benchtop_metrics::statistics::p_text;
use benchtop_model::board::analysis::{Rank, ScEstimate, Sure, untested};
use benchtop_model::board::model_names::same;
use benchtop_model::board::{Board, Cell, Column, Row, Scale};

/// A number in its column's unit.
pub(super) fn said(value: f64, scale: Scale) -> String {
    match scale {
        Scale::Share => format!("{:.2} %", value * 100.0),
        Scale::Points => format!("{value:+.2} points"),
        Scale::Spread => format!("{value:.2} points"),
        Scale::Squared => format!("{:.2} squared points", value.max(0.0)),
        Scale::P => format!("p {}", p_text(value)),
    }
}

/// A difference in its column's unit.
pub(super) fn apart(value: f64, scale: Scale) -> String {
    match scale {
        Scale::Share => format!("{:+.2} points", value * 100.0),
        Scale::Points | Scale::Spread => format!("{value:+.2} points"),
        Scale::Squared => format!("{value:+.2} squared points"),
        Scale::P => format!("{value:+.4}"),
    }
}

/// Both ends of an interval, without the unit.
pub(super) fn range(low: f64, high: f64, scale: Scale) -> String {
    let by = if scale == Scale::Share { 100.0 } else { 1.0 };
    format!("{:.1} to {:.1}", low * by, high * by)
}

impl BoardPane {
    pub(super) fn notes(&self, most: usize) -> Vec<(String, Role)> {
        let Some(board) = &self.found else {
            return vec![];
        };
        let all = board.notes.len();
        let line =
            |(i, note): (usize, &String)| (format!("note {}/{all}: {note}", i + 1), Role::Warn);
        board
            .notes
            .iter()
            .take(most)
            .enumerate()
            .map(line)
            .collect()
    }

    /// Three lines: the cell, what its column means, and what was odd about the model's files. Fields keep their
    /// places from row to row, so that moving the cursor changes few characters.
    pub(super) fn detail(&self) -> Vec<(String, Role)> {
        let (Some(board), Some(row)) = (&self.found, self.row()) else {
            return vec![];
        };
        let at = self.table.state().column();
        let column = at.checked_sub(FIRST).and_then(|i| board.columns.get(i));
        if row.reference.is_some() {
            return self.printed(row);
        }
        let (cell, help) = match (column, at.checked_sub(FIRST + board.columns.len())) {
            (Some(column), _) => {
                let cell = row.cells.get(at - FIRST).copied().flatten();
                let more = self.more(row, column, cell);
                (
                    self.in_words(row, column, cell),
                    if more.is_empty() {
                        column.help.clone()
                    } else {
                        more
                    },
                )
            }
            (None, Some(i)) => {
                let name = COUNTS.get(i).copied().unwrap_or_default();
                let n = counts(row.counts).get(i).copied().unwrap_or(0);
                (
                    format!("{}: {}", name.0, text::grouped(n)),
                    name.1.to_string(),
                )
            }
            (None, None) if at == RANK => self.rank_in_words(row),
            (None, None) => (
                row.model.clone(),
                "what is known of this model's files, and every note".into(),
            ),
        };
        let c = row.counts;
        let line = format!(
            "used {:>7}  missing {:>3}  extra {:>3}  doubled {:>5}  unparsed {:>3}  refused {:>3}",
            text::grouped(c.used),
            text::grouped(c.missing),
            text::grouped(c.extra),
            text::grouped(c.duplicate),
            text::grouped(c.unparsed),
            text::grouped(c.refused),
        );
        vec![(cell, Role::Text), (help, Role::Dim), (line, Role::Text)]
    }

    /// The same three lines of a printed row: the number, what it is here where that model was scored, and the table.
    fn printed(&self, row: &Row) -> Vec<(String, Role)> {
        let printed = row.reference.as_deref().unwrap_or_default();
        let value =
            |row: &Row, at: usize| row.cells.get(at).copied().flatten().and_then(Cell::value);
        let lines = match self
            .column()
            .zip(self.table.state().column().checked_sub(FIRST))
        {
            None => (row.model.clone(), "the name that the paper uses".into()),
            Some((column, at)) => match value(row, at) {
                None => (format!("{}: not printed", column.name), column.help.clone()),
                Some(own) => {
                    let rows = self.found.iter().flat_map(|board| &board.rows);
                    let mut here =
                        rows.filter(|r| r.reference.is_none() && same(&r.model, &row.model));
                    let here = here.find_map(|r| Some((&r.model, value(r, at)?))).map(
                        |(model, scored)| {
                            format!(
                                "{model} here: {} ({})",
                                said(scored, column.scale),
                                apart(scored - own, column.scale)
                            )
                        },
                    );
                    (
                        format!("{}: {}", column.name, said(own, column.scale)),
                        here.unwrap_or_else(|| column.help.clone()),
                    )
                }
            },
        };
        let from = format!("printed in {printed}; not scored here");
        [lines.0, lines.1, from]
            .map(|line| (line, Role::Dim))
            .to_vec()
    }

    fn rank_in_words(&self, row: &Row) -> (String, String) {
        let Some(ranks) = &self.ranks else {
            return (
                "rank: sort by a column".into(),
                "where the data cannot tell models apart, it is a range".into(),
            );
        };
        let board = self.found.iter();
        let mut column = board.flat_map(|b| b.columns.iter().enumerate().map(move |of| (b, of)));
        let help = match (
            ranks.tested,
            column.find(|(_, (_, column))| column.name == ranks.column),
        ) {
            (false, Some((board, (at, column)))) => {
                let cells = board
                    .rows
                    .iter()
                    .filter_map(|row| row.cells.get(at).copied().flatten());
                untested(ranks.of.len(), column, cells)
            }
            _ => "from 1 + models surely better to all - surely worse; all pairs, Holm-corrected",
        };
        let next = |rank: &Rank| match (rank.discordant, rank.p, rank.corrected) {
            (Some((a, b)), Some(p), Some(corrected)) => {
                format!(
                    "; against the next one {a} to {b}, p {}, corrected {}",
                    p_text(p),
                    p_text(corrected)
                )
            }
            _ => String::new(),
        };
        let said = match ranks.of.get(&row.model) {
            Some(rank) => {
                let shown = ranks
                    .said(&row.model)
                    .map_or(String::new(), |(said, _)| said);
                format!("rank by {}: {}{}", ranks.column, shown.trim(), next(rank))
            }
            None => format!("rank by {}: none", ranks.column),
        };
        (said, help.into())
    }

    /// What was asked of a cell, and what it is on all items: in place of the column's meaning.
    fn more(&self, row: &Row, column: &Column, cell: Option<Cell>) -> String {
        let Some(value) = cell.and_then(Cell::value) else {
            return String::new();
        };
        let sure = self
            .sure
            .get(&(row.model.clone(), column.name.clone()))
            .map(|sure| {
                let (drawn, plan) = (&sure.redrawn, sure.redrawn.plan);
                if let Some(sc) = sure.sc {
                    return of_sc(sure, sc, column);
                }
                match drawn.interval {
                    Some(interval) => format!(
                        "95 % {} by {}, {} draws, seed {}",
                        range(interval.low, interval.high, column.scale),
                        drawn.cluster,
                        text::grouped(u64::from(plan.draws)),
                        plan.seed
                    ),
                    None => format!(
                        "no interval: {}",
                        drawn.why_not.as_deref().unwrap_or("not defined")
                    ),
                }
            });
        let all = self.of_all(&row.model, &column.name).map(|all| {
            format!(
                "all items {} ({})",
                said(all, column.scale),
                apart(value - all, column.scale)
            )
        });
        [all, sure]
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
            .join("  ")
    }

    fn in_words(&self, row: &Row, column: &Column, cell: Option<Cell>) -> String {
        let Some((cell, value)) = cell.and_then(|c| Some((c, c.value()?))) else {
            return format!("{}: {}", column.name, nothing(row, column));
        };
        let Cell::Share { k, n } = cell else {
            return format!(
                "{}: {}  of {} answers",
                column.name,
                said(value, column.scale),
                text::grouped(cell.n())
            );
        };
        let (low, high) = (self.interval)(k, n);
        let small = if n < SMALL {
            format!("  n < {SMALL}: too few to rank")
        } else {
            String::new()
        };
        let width = text::grouped(n).len();
        format!(
            "{}: {:>6.2} % = {:>width$}/{}  95 % {:.1}-{:.1} (Wilson){small}",
            column.name,
            value * 100.0,
            text::grouped(k),
            text::grouped(n),
            low * 100.0,
            high * 100.0,
        )
    }

    /// The value of the same cell on all items, while fewer are scored.
    fn of_all(&self, model: &str, column: &str) -> Option<f64> {
        let board = self.whole()?;
        let at = board.columns.iter().position(|c| c.name == column)?;
        let row = board.rows.iter().find(|r| r.model == model)?;
        row.cells.get(at).copied().flatten()?.value()
    }
}

/// What is known of SC: the interval of the true one, and what chance does.
fn of_sc(sure: &Sure, sc: ScEstimate, column: &Column) -> String {
    let interval = match sure.redrawn.interval {
        Some(i) => format!("true SC 95 % {}", range(i.low, i.high, column.scale)),
        None => "no interval".into(),
    };
    format!(
        "{interval}; without noise {:.1}, equal styles {:.1}, p {}; {} styles, {} {}s",
        sc.corrected.max(0.0),
        sc.noise,
        p_text(sc.p),
        sc.styles,
        text::grouped(sure.redrawn.clusters),
        sure.redrawn.cluster
    )
}

/// Why a model has no number in a column.
pub(super) fn nothing(row: &Row, column: &Column) -> String {
    let answers = match row.counts.uncompared {
        1 => "1 answer".to_string(),
        many => format!("{} answers", text::grouped(many)),
    };
    match row.counts.uncompared {
        1.. if column.is_of_free_form() => {
            format!("{answers} not compared yet: benchtop eval similarity")
        }
        _ => "no answers".into(),
    }
}

/// What is known of one model's files, every note of the board, and what each column counts.
pub(super) fn about(board: &Board, row: &Row) -> Page {
    let mut page = Page::new(row.model.clone()).heading("Predictions");
    for ((name, help), n) in COUNTS.iter().zip(counts(row.counts)) {
        page = page.entry(
            *name,
            12,
            format!("{:>9}  {help}", text::grouped(n)),
            Role::Text,
        );
    }
    if !board.notes.is_empty() {
        page = board
            .notes
            .iter()
            .fold(page.heading("Notes"), |page, note| {
                page.say(format!("- {note}"))
            });
    }
    page = page.heading("Columns");
    for column in &board.columns {
        page = page.entry(&column.name, 22, column.help.clone(), Role::Text);
    }
    page
}
