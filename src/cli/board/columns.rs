//! Sorting a board by a column, and choosing its columns.

use std::cmp::Ordering;

use benchtop_model::board::{Better, Board, Cell, Column, Row};
use benchtop_model::sorting::sort_by;
use benchtop_model::{Error, Result};

pub(super) fn unknown_column(board: &Board, what: String) -> Error {
    let names: Vec<&str> = board.columns.iter().map(|c| c.name.as_str()).collect();
    Error::not_found(what).help(format!("the columns: {}", names.join(", ")))
}

/// Sorts rows by a column, best first. Ties sort scored rows before published ones, then by name.
/// Rows without the cell come last.
///
/// # Errors
/// [`ErrorKind::NotFound`](benchtop_model::ErrorKind::NotFound) for an unknown column.
pub fn sort(board: &mut Board, by: &str) -> Result<()> {
    let (name, asked) = match by.rsplit_once(':') {
        Some((name, "asc")) => (name, Some(Better::Less)),
        Some((name, "desc")) => (name, Some(Better::More)),
        _ => (by, None),
    };
    if name == "model" {
        sort_by(&mut board.rows, |a, b| a.model.cmp(&b.model));
        return Ok(());
    }
    let Some(at) = board.columns.iter().position(|c| c.name == name) else {
        return Err(unknown_column(
            board,
            format!("cannot sort: no column `{name}`"),
        ));
    };
    let better = asked.unwrap_or_else(|| board.columns[at].scale.better());
    let value = |row: &Row| row.cells.get(at).copied().flatten().and_then(Cell::value);
    sort_by(&mut board.rows, |a, b| {
        let order = match (value(a), value(b)) {
            (Some(x), Some(y)) => better.order(x, y),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => Ordering::Equal,
        };
        order
            .then_with(|| (a.reference.is_some(), &a.model).cmp(&(b.reference.is_some(), &b.model)))
    });
    Ok(())
}

/// Keeps the columns that match one of the comma-separated globs.
///
/// # Errors
/// [`ErrorKind::NotFound`](benchtop_model::ErrorKind::NotFound) if no column matches.
pub fn choose(board: &mut Board, globs: &str) -> Result<()> {
    let is_named = |c: &Column| globs.split(',').any(|g| matches(g.trim(), &c.name));
    if !board.columns.iter().any(is_named) {
        return Err(unknown_column(
            board,
            format!("no column matches `{globs}`"),
        ));
    }
    board.retain(is_named);
    Ok(())
}

/// True if `glob` matches the whole text.
pub(super) fn matches(glob: &str, text: &str) -> bool {
    // reach[i]: the glob up to here matches the first i characters.
    let text: Vec<char> = text.chars().collect();
    let mut reach = vec![false; text.len() + 1];
    reach[0] = true;
    for mark in glob.chars() {
        if mark == '*' {
            let first = reach.iter().position(|r| *r).unwrap_or(reach.len());
            reach[first..].fill(true);
        } else {
            for at in (1..=text.len()).rev() {
                reach[at] = reach[at - 1] && (mark == '?' || mark == text[at - 1]);
            }
            reach[0] = false;
        }
    }
    reach[text.len()]
}
