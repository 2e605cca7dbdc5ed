//! Verdicts as comma-separated values (RFC 4180): a header line, then one verdict per line, all
//! ended by CR LF.
//!
//! Spreadsheets take a cell that begins with `=`, `+`, `-`, or `@` for a formula. The writer puts
//! an apostrophe before such a cell, and also before one that begins with an apostrophe, a tab, or
//! a carriage return. The reader removes an apostrophe before any of these characters. An empty
//! text is a single apostrophe, and a missing text is an empty cell. So nothing is lost.

use std::borrow::Cow;
use std::io::{BufRead, Write};
use std::str::FromStr;

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::comments_csv;
use super::line::Line;
use super::meaning::Meaning;
use super::record::{Found, Take};
use crate::delimited::{Lines, uneven};
use crate::python_json::raw;
use benchtop_model::verdict_interchange::ExchangedVerdict;
use benchtop_model::{Error, Mark, PictureSeen, Result};

/// Column names in the order in which they are written.
pub const COLUMNS: [&str; 20] = [
    "number",
    "item",
    "who",
    "verdict",
    "reasons",
    "note",
    "ms",
    "seen",
    "at",
    "rev",
    "uuid",
    "answer",
    "round",
    "part",
    "guidelines",
    "revealed",
    "on",
    "pictures",
    "tags",
    "marks",
];

/// Characters that spreadsheets take for the start of a formula or drop at the start of a cell, and
/// the apostrophe.
const GUARDED: [char; 7] = ['=', '+', '-', '@', '\t', '\r', '\''];

/// Writes the header line.
pub fn write_names(out: &mut dyn Write) -> Result<()> {
    raw(out, (COLUMNS.join(",") + "\r\n").as_bytes())
}

/// Writes the line of a verdict on item `number`.
pub fn write(number: u32, verdict: &ExchangedVerdict, out: &mut dyn Write) -> Result<()> {
    let cannot = |e| Error::input(format!("cannot write the verdict as CSV: {e}"));
    let line = serde_json::to_value(Line::of(number, verdict)).map_err(cannot)?;
    let cells = COLUMNS.map(|name| quoted(cell(name, &line[name])));
    raw(out, (cells.join(",") + "\r\n").as_bytes())
}

/// The cell of a field: empty for a missing value, an empty list, and false.
pub(super) fn cell(name: &str, value: &Value) -> String {
    match value {
        Value::Null | Value::Bool(false) => String::new(),
        // A time before the year 0 begins with a minus sign.
        Value::String(text) if name == "at" => text.clone(),
        Value::String(text) => guarded(text).into_owned(),
        Value::Array(list) if list.is_empty() => String::new(),
        // The form of JSON Lines: a label may contain any character.
        Value::Array(_) if name == "marks" => value.to_string(),
        Value::Array(list) => {
            let words: Vec<&str> = list.iter().filter_map(Value::as_str).collect();
            guarded(&words.join(";")).into_owned()
        }
        plain => plain.to_string(),
    }
}

/// A text as a cell that spreadsheets do not take for a formula.
fn guarded(text: &str) -> Cow<'_, str> {
    if text.is_empty() || text.starts_with(GUARDED) {
        Cow::Owned(format!("'{text}"))
    } else {
        Cow::Borrowed(text)
    }
}

/// The text of a guarded cell; `None` if the cell is empty.
pub(super) fn text(cell: String) -> Option<String> {
    match cell.strip_prefix('\'') {
        _ if cell.is_empty() => None,
        Some(rest) if rest.is_empty() || rest.starts_with(GUARDED) => Some(rest.to_string()),
        _ => Some(cell),
    }
}

pub(super) fn quoted(cell: String) -> String {
    if cell.contains([',', '"', '\r', '\n']) {
        format!("\"{}\"", cell.replace('"', "\"\""))
    } else {
        cell
    }
}

/// Reads verdicts from CSV, or comments if there is a column `text` and none `verdict`. Columns may be
/// in any order; only `item`, `who`, and one of these two are required.
///
/// # Errors
/// See [`super::read`].
pub fn read(input: impl BufRead, meaning: Meaning<'_>, take: Take<'_>) -> Result<Vec<String>> {
    let mut lines = Lines::strict(input, b',');
    let Some((line, names)) = lines.next_line()? else {
        return Err(
            Error::input("the file is empty").help("the first line must have the column names")
        );
    };
    let names = names?;
    let is_comments = comments_csv::is_header(&names);
    let (known, needed) = match is_comments {
        true => (&comments_csv::COLUMNS[..], comments_csv::NEEDED),
        false => (&COLUMNS[..], ["item", "who", "verdict"]),
    };
    let of = |name: &str| known.iter().position(|column| *column == name.trim());
    let columns: Vec<Option<usize>> = names.iter().map(|name| of(name)).collect();
    for needed in needed {
        if !names.iter().any(|name| name.trim() == needed) {
            return Err(Error::input("missing column")
                .field(needed)
                .line(line)
                .help(format!(
                    "the first line must have the column names: {}",
                    known.join(",")
                )));
        }
    }
    let other: Vec<&str> = names
        .iter()
        .zip(&columns)
        .filter(|(_, at)| at.is_none())
        .map(|(n, _)| n.trim())
        .collect();
    let mut notes = Vec::new();
    if !other.is_empty() {
        notes.push(format!(
            "unknown columns were ignored: {}",
            other.join(", ")
        ));
    }
    while let Some((number, cells)) = lines.next_line()? {
        let found = match is_comments {
            true => {
                let line = cells.and_then(|cells| comments_csv::record(cells, &columns));
                Found::comment(format!("line {number}"), line, meaning)
            }
            false => {
                let line = cells.and_then(|cells| record(cells, &columns));
                Found::in_line(number, line, meaning)
            }
        };
        if !take(found) {
            break;
        }
    }
    Ok(notes)
}

/// The flat record in a line's cells.
fn record(cells: Vec<String>, columns: &[Option<usize>]) -> Result<Line> {
    if cells.len() != columns.len() {
        return Err(uneven(cells.len(), columns.len()));
    }
    let mut found: [Option<String>; 20] = Default::default();
    for (cell, column) in cells.into_iter().zip(columns) {
        if let Some(slot) = column.and_then(|at| found.get_mut(at)) {
            *slot = text(cell);
        }
    }
    let mut cell = |name: &str| {
        let at = COLUMNS.iter().position(|column| *column == name)?;
        found[at].take()
    };
    let (reasons, tags) = (words(cell("reasons")), words(cell("tags")));
    Ok(Line {
        number: integer(cell("number"), "number")?,
        item: cell("item").unwrap_or_default(),
        who: cell("who").unwrap_or_default(),
        verdict: cell("verdict").unwrap_or_default(),
        reasons,
        tags,
        marks: marks(cell("marks"))?,
        note: cell("note"),
        ms: integer(cell("ms"), "ms")?,
        seen: word(cell("seen"), "seen")?,
        at: cell("at"),
        rev: integer(cell("rev"), "rev")?,
        uuid: word(cell("uuid"), "uuid")?,
        answer: cell("answer"),
        round: cell("round"),
        part: word(cell("part"), "part")?,
        guidelines: cell("guidelines"),
        revealed: match cell("revealed").as_deref() {
            None | Some("false") => false,
            Some("true") => true,
            Some(other) => {
                return Err(
                    Error::input(format!("`{other}` is neither true nor false")).field("revealed")
                );
            }
        },
        on: cell("on"),
        pictures: cell("pictures").map_or(Ok(Vec::new()), |cell| {
            cell.split(';').map(picture).collect()
        })?,
    })
}

/// The words of a list.
fn words(cell: Option<String>) -> Vec<String> {
    let cell = cell.unwrap_or_default();
    let words = cell.split(';').map(str::trim);
    let words = words.filter(|word| !word.is_empty());
    words.map(str::to_string).collect()
}

/// The marks in a cell, which have the form of JSON Lines.
pub(super) fn marks(cell: Option<String>) -> Result<Vec<Mark>> {
    let read = |cell: String| {
        serde_json::from_str(&cell).map_err(|e| Error::input(e.to_string()).field("marks"))
    };
    cell.map_or(Ok(Vec::new()), read)
}

fn picture(word: &str) -> Result<PictureSeen> {
    let known = || PictureSeen::ALL.map(PictureSeen::name).join(", ");
    PictureSeen::from_name(word.trim()).ok_or_else(|| {
        Error::input(format!("`{word}` is not one of {}", known())).field("pictures")
    })
}

pub(super) fn integer<T: FromStr>(cell: Option<String>, name: &str) -> Result<Option<T>> {
    let number = |cell: String| {
        cell.trim()
            .parse()
            .map_err(|_| Error::input(format!("`{cell}` is not a whole number")).field(name))
    };
    cell.map(number).transpose()
}

pub(super) fn word<T: DeserializeOwned>(cell: Option<String>, name: &str) -> Result<Option<T>> {
    let one = |cell: String| {
        serde_json::from_value(cell.trim().into())
            .map_err(|e| Error::input(e.to_string()).field(name))
    };
    cell.map(one).transpose()
}
