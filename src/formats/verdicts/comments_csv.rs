//! Comments as comma-separated values, with the rules of [`super::csv`]. A file of comments is told
//! from one of verdicts by its columns: it has `text` and no `verdict`.

use std::io::Write;

use super::comment_line::CommentLine;
use super::csv::{cell, integer, marks, quoted, text, word};
use crate::delimited::uneven;
use crate::python_json::raw;
use benchtop_model::verdict_interchange::ExchangedComment;
use benchtop_model::{Error, Result};

/// Column names in the order in which they are written.
pub const COLUMNS: [&str; 13] = [
    "number", "item", "uuid", "rev", "at", "who", "text", "reply_to", "marks", "edited",
    "resolved", "on", "imported",
];

/// Columns without which nothing can be read.
pub(super) const NEEDED: [&str; 3] = ["item", "who", "text"];

/// Writes the header line.
pub fn write_names(out: &mut dyn Write) -> Result<()> {
    raw(out, (COLUMNS.join(",") + "\r\n").as_bytes())
}

/// Writes the line of a comment on item `number`.
pub fn write(number: u32, comment: &ExchangedComment, out: &mut dyn Write) -> Result<()> {
    let cannot = |e| Error::input(format!("cannot write the comment as CSV: {e}"));
    let line = CommentLine::of(Some(number), comment);
    let line = serde_json::to_value(line).map_err(cannot)?;
    let cells = COLUMNS.map(|name| quoted(cell(name, &line[name])));
    raw(out, (cells.join(",") + "\r\n").as_bytes())
}

/// Whether these columns are those of comments.
pub(super) fn is_header(names: &[String]) -> bool {
    let has = |wanted: &str| names.iter().any(|name| name.trim() == wanted);
    has("text") && !has("verdict")
}

/// The flat record in a line's cells.
pub(super) fn record(cells: Vec<String>, columns: &[Option<usize>]) -> Result<CommentLine> {
    if cells.len() != columns.len() {
        return Err(uneven(cells.len(), columns.len()));
    }
    let mut found: [Option<String>; COLUMNS.len()] = Default::default();
    for (cell, column) in cells.into_iter().zip(columns) {
        if let Some(slot) = column.and_then(|at| found.get_mut(at)) {
            *slot = text(cell);
        }
    }
    let mut cell = |name: &str| {
        let at = COLUMNS.iter().position(|column| *column == name)?;
        found[at].take()
    };
    Ok(CommentLine {
        number: integer(cell("number"), "number")?,
        item: cell("item").unwrap_or_default(),
        uuid: word(cell("uuid"), "uuid")?,
        rev: integer(cell("rev"), "rev")?,
        at: cell("at"),
        who: cell("who").unwrap_or_default(),
        text: Some(cell("text").unwrap_or_default()),
        reply_to: word(cell("reply_to"), "reply_to")?,
        marks: marks(cell("marks"))?,
        edited: cell("edited"),
        resolved: cell("resolved"),
        on: cell("on"),
        imported: cell("imported").as_deref() == Some("true"),
    })
}
