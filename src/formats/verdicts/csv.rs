//! Verdicts as comma-separated values (RFC 4180): a line of names, then one verdict a line, each ended by CR LF.
//!
//! A spreadsheet takes a cell that begins with `=`, `+`, `-` or `@` for a formula. Such a cell gets an apostrophe before it,
//! and so does one that begins with an apostrophe, a tab or a carriage return; a reader takes it off again where one
//! of these follows. A text that is there and empty is an apostrophe alone, one that is not there an empty cell. So nothing
//! is lost in between.

use std::borrow::Cow;
use std::io::{BufRead, Read, Write};

use serde::de::DeserializeOwned;

use super::line::Line;
use super::{Found, Meaning, Take, plain};
use crate::formats::records::RECORD_LIMIT;
use crate::formats::write::raw;
use crate::model::exchange::Exchanged;
use crate::model::{Kind, Problem, Result};

/// The names of the columns, in the order in which they are written.
pub const COLUMNS: [&str; 17] = [
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
];

/// Characters that a spreadsheet takes for the beginning of a formula, or drops there; and the apostrophe itself.
const GUARDED: [char; 7] = ['=', '+', '-', '@', '\t', '\r', '\''];

/// Writes the line of names.
///
/// # Errors
/// I/O problems as [`Problem::io`] classes them.
pub fn write_names(out: &mut dyn Write) -> Result<()> {
    raw(out, (COLUMNS.join(",") + "\r\n").as_bytes())
}

/// Writes the line of a verdict on item `number`.
///
/// # Errors
/// As [`write_names`].
pub fn write(number: u32, verdict: &Exchanged, out: &mut dyn Write) -> Result<()> {
    let line = Line::of(number, verdict);
    let text = |text: &str| Some(guarded(text).into_owned());
    let cells: [Option<String>; 17] = [
        line.number.map(|n| n.to_string()),
        text(&line.item),
        text(&line.who),
        Some(line.verdict),
        (!line.reasons.is_empty()).then(|| guarded(&line.reasons.join(";")).into_owned()),
        line.note.as_deref().and_then(text),
        line.ms.map(|n| n.to_string()),
        line.seen.and_then(plain),
        line.at,
        line.rev.map(|n| n.to_string()),
        line.uuid.map(|n| n.to_string()),
        line.answer.as_deref().and_then(text),
        line.round.as_deref().and_then(text),
        line.part.map(|p| p.name().to_string()),
        line.guidelines.as_deref().and_then(text),
        line.revealed.then(|| "true".into()),
        line.on.as_deref().and_then(text),
    ];
    let cells: Vec<String> = cells.into_iter().map(|cell| quoted(cell.unwrap_or_default())).collect();
    raw(out, (cells.join(",") + "\r\n").as_bytes())
}

/// A text as a cell that no spreadsheet takes for a formula.
fn guarded(text: &str) -> Cow<'_, str> {
    if text.is_empty() || text.starts_with(GUARDED) { Cow::Owned(format!("'{text}")) } else { Cow::Borrowed(text) }
}

/// The text of such a cell; none of an empty one.
fn text(cell: String) -> Option<String> {
    match cell.strip_prefix('\'') {
        _ if cell.is_empty() => None,
        Some(rest) if rest.is_empty() || rest.starts_with(GUARDED) => Some(rest.to_string()),
        _ => Some(cell),
    }
}

fn quoted(cell: String) -> String {
    if cell.contains([',', '"', '\r', '\n']) { format!("\"{}\"", cell.replace('"', "\"\"")) } else { cell }
}

/// Reads such lines; the columns may stand in any order, and only `item`, `who` and `verdict` must be there.
///
/// # Errors
/// As [`super::read`].
pub fn read(input: impl BufRead, meaning: Meaning<'_>, take: Take<'_>) -> Result<Vec<String>> {
    let mut rows = Rows { input, line: 1, begun: false };
    let Some((line, names)) = rows.next()? else {
        return Err(Problem::input("the file is empty").help("the first line names the columns"));
    };
    let names = cells(&names).map_err(|p| p.line(line))?;
    let of = |name: &str| COLUMNS.iter().position(|column| *column == name.trim());
    let columns: Vec<Option<usize>> = names.iter().map(|name| of(name)).collect();
    for needed in ["item", "who", "verdict"] {
        if !names.iter().any(|name| name.trim() == needed) {
            return Err(Problem::input("there is no such column")
                .field(needed)
                .line(line)
                .help(format!("the first line names the columns: {}", COLUMNS.join(","))));
        }
    }
    let other: Vec<&str> = names.iter().zip(&columns).filter(|(_, at)| at.is_none()).map(|(n, _)| n.trim()).collect();
    let mut notes = Vec::new();
    if !other.is_empty() {
        notes.push(format!("columns that verdicts do not have were not read: {}", other.join(", ")));
    }
    while let Some((number, row)) = rows.next()? {
        let line = cells(&row).and_then(|cells| record(cells, &columns));
        let (item, who) = line.as_ref().map(|l| (l.item.clone(), l.who.clone())).unwrap_or_default();
        let verdict = line.and_then(|line| line.exchanged(meaning));
        if !take(Found { place: format!("line {number}"), item, who, verdict }) {
            break;
        }
    }
    Ok(notes)
}

/// Any such table: the line each row begins on, from 1, and its cells; the first row has the names. Empty lines are left out.
///
/// # Errors
/// When the file is not UTF-8 or its quotes do not fit, and where a row has more or fewer cells than there are names; with the line.
pub fn table(input: impl BufRead) -> Result<Vec<(u64, Vec<String>)>> {
    let mut rows = Rows { input, line: 1, begun: false };
    let mut found: Vec<(u64, Vec<String>)> = Vec::new();
    while let Some((line, row)) = rows.next()? {
        let cells = cells(&row).map_err(|p| p.line(line))?;
        if let Some((_, names)) = found.first()
            && names.len() != cells.len()
        {
            let what = format!("{} cells under {} names", cells.len(), names.len());
            return Err(Problem::input(what).line(line).help(QUOTES));
        }
        found.push((line, cells));
    }
    Ok(found)
}

/// The flat record of a line's cells.
fn record(cells: Vec<String>, columns: &[Option<usize>]) -> Result<Line> {
    if cells.len() != columns.len() {
        let what = format!("{} cells under {} names", cells.len(), columns.len());
        return Err(Problem::input(what).help(QUOTES));
    }
    let mut found: [Option<String>; 17] = Default::default();
    for (cell, column) in cells.into_iter().zip(columns) {
        if let Some(slot) = column.and_then(|at| found.get_mut(at)) {
            *slot = text(cell);
        }
    }
    let [
        number,
        item,
        who,
        verdict,
        reasons,
        note,
        ms,
        seen,
        at,
        rev,
        uuid,
        answer,
        round,
        part,
        guidelines,
        revealed,
        on,
    ] = found;
    let reasons = reasons.unwrap_or_default();
    let reasons = reasons.split(';').map(str::trim).filter(|reason| !reason.is_empty()).map(str::to_string);
    Ok(Line {
        number: whole(number, "number")?,
        item: item.unwrap_or_default(),
        who: who.unwrap_or_default(),
        verdict: verdict.unwrap_or_default(),
        reasons: reasons.collect(),
        note,
        ms: whole(ms, "ms")?,
        seen: word(seen, "seen")?,
        at,
        rev: whole(rev, "rev")?,
        uuid: word(uuid, "uuid")?,
        answer,
        round,
        part: word(part, "part")?,
        guidelines,
        revealed: match revealed.as_deref() {
            None | Some("false") => false,
            Some("true") => true,
            Some(other) => {
                return Err(Problem::input(format!("`{other}` is neither true nor false")).field("revealed"));
            }
        },
        on,
    })
}

fn whole<T: std::str::FromStr>(cell: Option<String>, name: &str) -> Result<Option<T>> {
    let number = |cell: String| {
        cell.trim().parse().map_err(|_| Problem::input(format!("`{cell}` is no whole number")).field(name))
    };
    cell.map(number).transpose()
}

fn word<T: DeserializeOwned>(cell: Option<String>, name: &str) -> Result<Option<T>> {
    let one = |cell: String| {
        serde_json::from_value(cell.trim().into()).map_err(|e| Problem::input(e.to_string()).field(name))
    };
    cell.map(one).transpose()
}

const QUOTES: &str = "a comma, a quote or a line break in a cell needs quotes around it";

/// Lines with their number; one that ends within quotes goes on in the next.
struct Rows<R> {
    input: R,
    line: u64,
    begun: bool,
}

impl<R: BufRead> Rows<R> {
    fn next(&mut self) -> Result<Option<(u64, String)>> {
        loop {
            let (begins, mut row) = (self.line, Vec::new());
            loop {
                let room = (RECORD_LIMIT - row.len()) as u64;
                let failed = |e: std::io::Error| Problem::new(Kind::Io, format!("cannot be read: {e}")).line(begins);
                let read = (&mut self.input).take(room).read_until(b'\n', &mut row).map_err(failed)?;
                self.line += u64::from(row.ends_with(b"\n"));
                let open = memchr::memchr_iter(b'"', &row).count() % 2 == 1;
                match read {
                    _ if row.len() >= RECORD_LIMIT => {
                        return Err(Problem::input(format!("a line of over {RECORD_LIMIT} bytes")).line(begins));
                    }
                    0 if open => {
                        return Err(Problem::input("the file ends within quotes").line(begins));
                    }
                    0 if row.is_empty() => return Ok(None),
                    0 => break,
                    _ if !open => break,
                    _ => {}
                }
            }
            let mut row = String::from_utf8(row)
                .map_err(|_| Problem::input("not valid UTF-8").line(begins).help("save the file as UTF-8"))?;
            if !std::mem::replace(&mut self.begun, true)
                && let Some(rest) = row.strip_prefix('\u{feff}')
            {
                row = rest.to_string();
            }
            if row.ends_with('\n') {
                row.pop();
            }
            if row.ends_with('\r') {
                row.pop();
            }
            if !row.is_empty() {
                return Ok(Some((begins, row)));
            }
        }
    }
}

/// The cells of a line.
fn cells(row: &str) -> Result<Vec<String>> {
    let mut out = Vec::new();
    let mut rest = row;
    loop {
        let (cell, after) = match rest.strip_prefix('"') {
            Some(inner) => in_quotes(inner)?,
            None => {
                let end = rest.find(',').unwrap_or(rest.len());
                let (cell, after) = rest.split_at(end);
                if cell.contains('"') {
                    return Err(Problem::input(format!("a quote within the cell `{cell}`"))
                        .help("a cell with quotes stands in quotes, its own doubled"));
                }
                (cell.to_string(), after)
            }
        };
        out.push(cell);
        match after.strip_prefix(',') {
            Some(more) => rest = more,
            None if after.is_empty() => return Ok(out),
            None => return Err(Problem::input("text after the quote that ends a cell")),
        }
    }
}

/// A cell in quotes from behind the first, and what follows the last.
fn in_quotes(mut inner: &str) -> Result<(String, &str)> {
    let mut cell = String::new();
    loop {
        let end = inner.find('"').ok_or_else(|| Problem::input("a quote that does not end"))?;
        cell.push_str(&inner[..end]);
        inner = &inner[end + 1..];
        match inner.strip_prefix('"') {
            Some(more) => {
                cell.push('"');
                inner = more;
            }
            None => return Ok((cell, inner)),
        }
    }
}
