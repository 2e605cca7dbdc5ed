//! Prints a board as a table, CSV, Markdown, LaTeX, or JSON.

use std::io::{self, Write};

use serde::Serialize;
use unicode_width::UnicodeWidthStr;

use super::args::Output;
use crate::agreement::table::{Words, escaped, markdown_with};
use crate::out::{json_text, tell};
use benchtop_metrics::statistics::p_text;
use benchtop_model::board::{Board, Cell, Column, Row, Scale};
use benchtop_model::{Error, Result, clean};
use benchtop_tui::widgets::table::CopyFormat;
use benchtop_tui::widgets::table::copy::{CopyCell, Heading, csv, rows_as};

/// Prints a board. `width` is the width in columns that a table must fit in.
pub fn print(board: &Board, format: Output, width: usize, out: &mut dyn Write) -> io::Result<()> {
    match format {
        Output::Table => table(board, width, out),
        Output::Md => markdown(board, out),
        Output::Latex => latex(board, out),
        Output::Csv => {
            // Only boards with published rows have the column `reference`.
            let printed = board.rows.iter().any(|row| row.reference.is_some());
            // And only boards with marked cells have the column `white_box`.
            let marked = board.rows.iter().any(|row| !row.white_box.is_empty());
            writeln!(
                out,
                "model,column,k,n,value{}{}",
                if printed { ",reference" } else { "" },
                if marked { ",white_box" } else { "" }
            )?;
            for (row, column, cell, value) in cells(board) {
                let k = cell.k().map_or(String::new(), |k| k.to_string());
                write!(
                    out,
                    "{},{},{k},{},{value}",
                    csv(&row.model),
                    csv(&column.name),
                    cell.n()
                )?;
                if printed {
                    write!(
                        out,
                        ",{}",
                        csv(row.reference.as_deref().unwrap_or_default())
                    )?;
                }
                if marked {
                    write!(out, ",{}", row.is_white_box(column))?;
                }
                writeln!(out)?;
            }
            notes_aside(board)
        }
        Output::Json => {
            for (row, column, cell, value) in cells(board) {
                let reference = row.reference.as_deref();
                let white_box = row.is_white_box(column);
                let (model, column, k, n) = (&*row.model, &*column.name, cell.k(), cell.n());
                let line = Line {
                    model,
                    column,
                    k,
                    n,
                    value,
                    reference,
                    drafts: board.drafts,
                    white_box,
                };
                out.write_all(json_text(&line).as_bytes())?;
            }
            notes_aside(board)
        }
    }
}

#[derive(Serialize)]
struct Line<'a> {
    model: &'a str,
    column: &'a str,
    k: Option<u64>,
    n: u64,
    value: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    reference: Option<&'a str>,
    /// Questions of the board with a draft picture.
    #[serde(skip_serializing_if = "benchtop_model::is_default")]
    drafts: u64,
    /// Whether the pictures were computed against the model's own vision encoder.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    white_box: bool,
}

/// The name of a row, with its source if it was published.
fn name(row: &Row) -> String {
    match &row.reference {
        Some(printed) => clean::line(&format!("{} ({printed})", row.model)).into_owned(),
        None => clean::line(&row.model).into_owned(),
    }
}

/// The mark after a number.
fn mark(row: &Row, column: &Column) -> &'static str {
    match row.is_white_box(column) {
        true => " w",
        false => "",
    }
}

/// A cell as text, with its mark.
fn marked(row: &Row, cell: Option<Cell>, column: &Column) -> String {
    match shown(cell, column) {
        missing if cell.and_then(Cell::value).is_none() => missing,
        text => text + mark(row, column),
    }
}

/// The cells with a value, row by row.
fn cells(board: &Board) -> impl Iterator<Item = (&Row, &Column, Cell, f64)> {
    board.rows.iter().flat_map(move |row| {
        board
            .columns
            .iter()
            .zip(&row.cells)
            .filter_map(move |(column, cell)| {
                let cell = (*cell)?;
                Some((row, column, cell, cell.value()?))
            })
    })
}

/// Writes the notes to standard error, since a program reads standard output.
fn notes_aside(board: &Board) -> io::Result<()> {
    for note in &board.notes {
        tell(format_args!("note: {}", clean::line(note)));
    }
    Ok(())
}

pub(super) fn shown(cell: Option<Cell>, column: &Column) -> String {
    match cell.and_then(|c| Some((c, c.value()?))) {
        Some((Cell::Share { k, n }, value)) => format!("{:.2} {k}/{n}", value * 100.0),
        Some((cell, value)) => {
            // Subtracting the noise can make the estimate of a variance negative. JSON and CSV keep
            // the raw number.
            let value = match column.scale {
                Scale::Share => value * 100.0,
                Scale::Squared => value.max(0.0),
                Scale::P => return p_text(value),
                _ => value,
            };
            let sign = if column.scale == Scale::Points && value > 0.0 {
                "+"
            } else {
                ""
            };
            // Published figures have no count.
            let n = if cell.n() > 0 {
                format!(" n={}", cell.n())
            } else {
                String::new()
            };
            format!("{sign}{value:.2}{n}")
        }
        None => "-".to_string(),
    }
}

fn markdown(board: &Board, out: &mut dyn Write) -> io::Result<()> {
    let heads: Vec<&str> = std::iter::once("model")
        .chain(board.columns.iter().map(|c| c.name.as_str()))
        .collect();
    let row = |row: &Row| {
        let cells = row.cells.iter().zip(&board.columns);
        let cells = cells.map(|(cell, of)| marked(row, *cell, of));
        std::iter::once(name(row)).chain(cells).collect()
    };
    let words = Words::new(&heads, board.rows.iter().map(row).collect());
    write!(out, "{}", markdown_with(&words, |at| at > 0))?;
    if !board.notes.is_empty() {
        writeln!(out)?;
    }
    let notes = board.notes.iter();
    notes
        .map(|n| escaped(n))
        .try_for_each(|n| writeln!(out, "- {n}"))
}

/// A LaTeX table. Counts that all models share get a row of their own.
fn latex(board: &Board, out: &mut dyn Write) -> io::Result<()> {
    let n_of = |at: usize| {
        let scored = board.rows.iter().filter(|row| row.reference.is_none());
        let mut n = scored.filter_map(|row| Some(row.cells.get(at).copied().flatten()?.n()));
        let first = n.next()?;
        n.all(|n| n == first).then_some(first)
    };
    let number = |(cell, of): (&Option<Cell>, &Column)| match cell.and_then(Cell::value) {
        Some(value) if of.scale == Scale::Share => format!("{:.2}", value * 100.0),
        Some(value) if of.scale == Scale::Points => format!("{value:+.2}"),
        Some(value) if of.scale == Scale::P => p_text(value),
        Some(value) if of.scale == Scale::Squared => format!("{:.2}", value.max(0.0)),
        Some(value) => format!("{value:.2}"),
        None => "-".into(),
    };
    let mut heads = vec![Heading::new("model", false)];
    heads.extend(board.columns.iter().map(|c| Heading {
        better: c.better(),
        ..Heading::new(&c.name, true)
    }));
    let counts =
        (0..board.columns.len()).map(|at| n_of(at).map_or(String::new(), |n| n.to_string()));
    let mut rows: Vec<Vec<CopyCell>> = vec![
        std::iter::once("n".to_string())
            .chain(counts)
            .map(CopyCell::from)
            .collect(),
    ];
    rows.extend(board.rows.iter().map(|row| {
        let cell = |(cell, of): (&Option<Cell>, &Column)| {
            let value = cell
                .and_then(Cell::value)
                .filter(|_| row.reference.is_none());
            let mark = cell.and_then(Cell::value).map_or("", |_| mark(row, of));
            CopyCell {
                text: number((cell, of)) + mark,
                number: value,
            }
        };
        let cells = row.cells.iter().zip(&board.columns).map(cell);
        std::iter::once(name(row).into()).chain(cells).collect()
    }));
    out.write_all(rows_as(&heads, &rows, CopyFormat::Latex).as_bytes())?;
    board
        .notes
        .iter()
        .try_for_each(|n| writeln!(out, "% {}", clean::line(n)))
}

fn table(board: &Board, width: usize, out: &mut dyn Write) -> io::Result<()> {
    let heads: Vec<_> = board
        .columns
        .iter()
        .map(|column| clean::line(&column.name))
        .collect();
    let names = board
        .rows
        .iter()
        .map(|r| name(r).width())
        .chain([5])
        .max()
        .unwrap_or(5);
    let line = |r: &Row| {
        r.cells
            .iter()
            .zip(&board.columns)
            .map(|(c, of)| marked(r, *c, of))
            .collect()
    };
    let text: Vec<Vec<String>> = board.rows.iter().map(line).collect();
    let wide = |at: usize| {
        let cells = text.iter().filter_map(|row| row.get(at)).map(|t| t.width());
        cells.chain([heads[at].width()]).max().unwrap_or(0)
    };
    for (i, block) in blocks(board, width.saturating_sub(names), &wide)
        .into_iter()
        .enumerate()
    {
        if i > 0 {
            writeln!(out)?;
        }
        write!(out, "{}", pad("model", names, false))?;
        for at in block.clone() {
            write!(out, "  {}", pad(&heads[at], wide(at), true))?;
        }
        writeln!(out)?;
        for (row, cells) in board.rows.iter().zip(&text) {
            write!(out, "{}", pad(&name(row), names, false))?;
            for at in block.clone() {
                write!(
                    out,
                    "  {}",
                    pad(cells.get(at).map_or("-", String::as_str), wide(at), true)
                )?;
            }
            writeln!(out)?;
        }
    }
    if !board.notes.is_empty() {
        writeln!(out)?;
    }
    board
        .notes
        .iter()
        .try_for_each(|n| writeln!(out, "note: {}", clean::line(n)))
}

/// Splits the columns into blocks that fit beside the names. Groups stay together if they fit.
fn blocks(
    board: &Board,
    room: usize,
    wide: &dyn Fn(usize) -> usize,
) -> Vec<std::ops::Range<usize>> {
    let total = |range: std::ops::Range<usize>| range.map(|at| wide(at) + 2).sum::<usize>();
    let mut blocks: Vec<std::ops::Range<usize>> = Vec::new();
    let mut start = 0;
    while start < board.columns.len() {
        let group = &board.columns[start].group;
        let end = (start..board.columns.len()).find(|at| board.columns[*at].group != *group);
        let end = end.unwrap_or(board.columns.len());
        match blocks.last_mut() {
            Some(last) if total(last.start..end) <= room => last.end = end,
            _ => {
                let mut from = start;
                while from < end {
                    let mut to = from + 1;
                    while to < end && total(from..to + 1) <= room {
                        to += 1;
                    }
                    blocks.push(from..to);
                    from = to;
                }
            }
        }
        start = end;
    }
    blocks
}

pub(super) fn pad(text: &str, width: usize, right: bool) -> String {
    let space = " ".repeat(width.saturating_sub(text.width()));
    if right {
        format!("{space}{text}")
    } else {
        format!("{text}{space}")
    }
}

/// Writes a JSON line for a prediction file that was left out.
pub(super) fn damaged(problem: &benchtop_model::Error, out: &mut impl Write) -> io::Result<()> {
    let place = &problem.place;
    let line = serde_json::json!({"damaged": {
        "file": place.file, "line": place.line, "field": place.field, "what": problem.what,
    }});
    writeln!(out, "{line}")
}

/// The result of a write. A closed pipe is not an error.
pub(super) fn written(result: io::Result<()>) -> Result<()> {
    match result {
        Err(e) if e.kind() != io::ErrorKind::BrokenPipe => {
            let mut problem = Error::io(
                &e,
                "cannot write to standard output",
                std::path::Path::new(""),
            );
            problem.place.file = None;
            Err(problem)
        }
        _ => Ok(()),
    }
}
