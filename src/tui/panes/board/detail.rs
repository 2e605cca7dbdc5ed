//! The detail lines below the table, and the page about a model.

use super::pane::BoardPane;
use super::table::{COUNTS, FIRST, RANK, SMALL, counts};
use super::values::{apart, range, value_text};
use crate::theme::Role;
use crate::widgets::page::Page;
use crate::widgets::text;
use benchtop_metrics::statistics::p_text;
use benchtop_model::board::analysis::{CellInterval, Rank, ScEstimate, untested};
use benchtop_model::board::model_names::same;
use benchtop_model::board::{Board, Cell, Column, Row};

/// What the row of chance levels is.
const CHANCE_HELP: &str = "what guessing among the present options gets; never ranked";

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

    /// Three lines: the cell, the meaning of its column, and the counts of the model's predictions.
    /// Fields have fixed places, so that a move changes few characters.
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
                    self.cell_text(row, column, cell),
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
            (None, None) if at == RANK => self.rank_text(row),
            (None, None) => (row.model.clone(), "enter shows all counts and notes".into()),
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

    /// The lines of a published row: the value, the scored value of the same model if there is one,
    /// and the source.
    fn printed(&self, row: &Row) -> Vec<(String, Role)> {
        let printed = row.reference.as_deref().unwrap_or_default();
        let value =
            |row: &Row, at: usize| row.cells.get(at).copied().flatten().and_then(Cell::value);
        let lines = match self
            .column()
            .zip(self.table.state().column().checked_sub(FIRST))
        {
            None if row.is_chance() => (row.model.clone(), CHANCE_HELP.into()),
            None => (row.model.clone(), "the name used in the paper".into()),
            Some((column, at)) => match value(row, at) {
                None if row.is_chance() => (
                    format!("{}: no chance level", column.name),
                    column.help.clone(),
                ),
                None => (
                    format!("{}: not published", column.name),
                    column.help.clone(),
                ),
                Some(own) => {
                    let rows = self.found.iter().flat_map(|board| &board.rows);
                    let mut here =
                        rows.filter(|r| r.reference.is_none() && same(&r.model, &row.model));
                    let here = here.find_map(|r| Some((&r.model, value(r, at)?))).map(
                        |(model, scored)| {
                            format!(
                                "{model} here: {} ({})",
                                value_text(scored, column.scale),
                                apart(scored - own, column.scale)
                            )
                        },
                    );
                    (
                        format!("{}: {}", column.name, value_text(own, column.scale)),
                        here.unwrap_or_else(|| column.help.clone()),
                    )
                }
            },
        };
        let from = match row.is_chance() {
            true => "computed from the options; not a model".to_string(),
            false => format!("published in {printed}; not scored here"),
        };
        [lines.0, lines.1, from]
            .map(|line| (line, Role::Dim))
            .to_vec()
    }

    fn rank_text(&self, row: &Row) -> (String, String) {
        let Some(ranks) = &self.ranks else {
            return (
                "rank: sort by a column".into(),
                "a range if the models do not differ significantly".into(),
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
            _ => "ranks that all pairwise tests allow (Holm-corrected)",
        };
        let next = |rank: &Rank| match (rank.discordant, rank.p, rank.corrected) {
            (Some((a, b)), Some(p), Some(corrected)) => {
                format!(
                    "; vs next {a} to {b}, p {}, corrected {}",
                    p_text(p),
                    p_text(corrected)
                )
            }
            _ => String::new(),
        };
        let text = match ranks.of.get(&row.model) {
            Some(rank) => {
                let shown = ranks
                    .said(&row.model)
                    .map_or(String::new(), |(text, _)| text);
                format!("rank by {}: {}{}", ranks.column, shown.trim(), next(rank))
            }
            None => format!("rank by {}: none", ranks.column),
        };
        (text, help.into())
    }

    /// The requested interval of a cell and its value on all items, in place of the column's
    /// meaning.
    fn more(&self, row: &Row, column: &Column, cell: Option<Cell>) -> String {
        let Some(value) = cell.and_then(Cell::value) else {
            return String::new();
        };
        let interval_text = self
            .intervals
            .get(&(row.model.clone(), column.name.clone()))
            .map(|cell| {
                let (drawn, plan) = (&cell.redrawn, cell.redrawn.plan);
                if let Some(sc) = cell.sc {
                    return sc_text(cell, sc, column);
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
                        drawn.why_not.as_deref().unwrap_or("undefined")
                    ),
                }
            });
        let all = self
            .value_on_all_items(&row.model, &column.name)
            .map(|all| {
                format!(
                    "all items {} ({})",
                    value_text(all, column.scale),
                    apart(value - all, column.scale)
                )
            });
        [all, interval_text]
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
            .join("  ")
    }

    fn cell_text(&self, row: &Row, column: &Column, cell: Option<Cell>) -> String {
        let Some((cell, value)) = cell.and_then(|c| Some((c, c.value()?))) else {
            return format!("{}: {}", column.name, nothing(row, column));
        };
        let Cell::Share { k, n } = cell else {
            return format!(
                "{}: {}  over {} answers",
                column.name,
                value_text(value, column.scale),
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

    /// The value of the same cell on all items, if the board has fewer.
    fn value_on_all_items(&self, model: &str, column: &str) -> Option<f64> {
        let board = self.whole()?;
        let row = board.rows.iter().find(|r| r.model == model)?;
        board.cell(row, column)?.value()
    }
}

/// The interval of the true SC, and the SC that chance alone produces.
fn sc_text(cell: &CellInterval, sc: ScEstimate, column: &Column) -> String {
    let interval = match cell.redrawn.interval {
        Some(i) => format!("true SC 95 % {}", range(i.low, i.high, column.scale)),
        None => "no interval".into(),
    };
    format!(
        "{interval}; noise-corrected {:.1}, noise {:.1}, p {}; {} styles, {} {}s",
        sc.corrected.max(0.0),
        sc.noise,
        p_text(sc.p),
        sc.styles,
        text::grouped(cell.redrawn.clusters),
        cell.redrawn.cluster
    )
}

/// The reason why a model has no value in a column.
pub(super) fn nothing(row: &Row, column: &Column) -> String {
    let answers = text::counted(row.counts.uncompared, "answer");
    match row.counts.uncompared {
        1.. if column.free_form => {
            format!("{answers} not compared yet: `benchtop eval similarity`")
        }
        _ => "no answers".into(),
    }
}

/// The page about a model: prediction counts, all notes, and the meaning of each column.
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
                page.paragraph(format!("- {note}"))
            });
    }
    page = page.heading("Columns");
    for column in &board.columns {
        page = page.entry(&column.name, 22, column.help.clone(), Role::Text);
    }
    page
}
