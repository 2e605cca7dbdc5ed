//! Reads spreadsheets (.xlsx): the first sheet, with column names in its first row.
//!
//! Cells refer to a shared table of texts, so the sheet is read as a whole. Its unpacked size is
//! measured first and limited. Spreadsheets have no empty texts, so an empty cell is read as an
//! empty text.

use std::collections::VecDeque;
use std::io::{Cursor, Read};
use std::path::Path;

use calamine::{DataRef, Reader, Xlsx};
use serde_json::Value;
use zip::ZipArchive;

use super::source::{Rows, Tally, bounded};
use crate::input::open;
use crate::records::Record;
use benchtop_model::{Error, Result};

/// Maximum unpacked size of a member of the archive: 256 MiB.
const MEMBER_LIMIT: u64 = 256 << 20;
/// Maximum size of the archive: 256 MiB.
const FILE_LIMIT: u64 = 256 << 20;
/// Maximum number of characters in a cell. The program that wrote the file has truncated longer
/// texts.
pub const CELL_LIMIT: usize = 32_767;
const CUT: &str = "cells of exactly 32,767 characters, the limit of spreadsheets; the end of their text is probably lost";

/// Whether the archive at `path` is a spreadsheet.
///
/// # Errors
/// See [`open`]; also if the archive cannot be opened.
pub fn is_sheet(path: &Path) -> Result<bool> {
    let file = std::fs::File::open(path).map_err(|e| Error::io(&e, "cannot open", path))?;
    let archive = ZipArchive::new(file).map_err(|e| broken(&e).file(path))?;
    Ok(archive.index_for_name("xl/workbook.xml").is_some())
}

/// An error of the archive.
pub fn broken(err: &dyn std::fmt::Display) -> Error {
    Error::input(format!("cannot read the archive: {err}"))
        .help("it may be truncated; copy or write it again")
}

/// The rows of a spreadsheet.
pub struct SheetRows {
    names: Vec<String>,
    rows: VecDeque<(u64, Vec<Value>)>,
    tally: Tally,
}

impl SheetRows {
    /// Reads the first sheet of the file at `path`.
    ///
    /// # Errors
    /// See [`open`]; [`benchtop_model::ErrorKind::Input`] if it is not a spreadsheet or
    /// unpacks to too much.
    pub fn open(path: &Path) -> Result<SheetRows> {
        let bytes =
            bounded(open(path)?, FILE_LIMIT, "the spreadsheet").map_err(|p| p.file(path))?;
        Self::read(bytes).map_err(|p| p.file(path))
    }

    fn read(bytes: Vec<u8>) -> Result<SheetRows> {
        measure(&bytes)?;
        let not = |e: calamine::XlsxError| broken(&e);
        let mut book: Xlsx<_> = Xlsx::new(Cursor::new(bytes)).map_err(not)?;
        let Some(name) = book.sheet_names().into_iter().next() else {
            return Err(Error::input("the spreadsheet has no sheet"));
        };
        let mut cells = book.worksheet_cells_reader(&name).map_err(not)?;
        let (mut names, mut rows, mut tally) = (
            Vec::new(),
            VecDeque::<(u64, Vec<Value>)>::new(),
            Tally::default(),
        );
        while let Some(cell) = cells.next_cell().map_err(not)? {
            let ((row, column), value) = (cell.get_position(), value(cell.get_value()));
            let column = column as usize;
            if column >= 16_384 {
                return Err(
                    Error::input("a cell lies beyond the last column").line(u64::from(row) + 1)
                );
            }
            if value.as_str().is_some_and(|text| {
                text.encode_utf16().count() == CELL_LIMIT || text.chars().count() == CELL_LIMIT
            }) {
                tally.add(CUT);
            }
            if row == 0 {
                names.resize(names.len().max(column + 1), String::new());
                names[column] = plain(&value);
                continue;
            }
            let number = u64::from(row) + 1;
            if rows.back().is_none_or(|(last, _)| *last != number) {
                rows.push_back((number, vec![Value::String(String::new()); names.len()]));
            }
            if let Some(slot) = rows.back_mut().and_then(|(_, cells)| cells.get_mut(column)) {
                *slot = value;
            }
        }
        if names.is_empty() {
            return Err(Error::input("the first row of the sheet is empty")
                .help("put the column names in the first row"));
        }
        Ok(SheetRows { names, rows, tally })
    }
}

/// Rejects an archive with a member that unpacks to too much, whatever its header states.
fn measure(bytes: &[u8]) -> Result<()> {
    let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(|e| broken(&e))?;
    let mut left = MEMBER_LIMIT;
    for at in 0..archive.len() {
        let member = archive.by_index(at).map_err(|e| broken(&e))?;
        let name = member
            .name()
            .map(|name| name.into_owned())
            .unwrap_or_default();
        let size = std::io::copy(&mut member.take(left + 1), &mut std::io::sink());
        let size = size.map_err(|e| broken(&format!("{name}: {e}")))?;
        left = left.checked_sub(size).ok_or_else(|| {
            Error::input(format!(
                "the spreadsheet unpacks to more than {} MiB",
                MEMBER_LIMIT >> 20
            ))
            .help("write the predictions as TSV or JSON")
        })?;
    }
    Ok(())
}

fn value(cell: &DataRef<'_>) -> Value {
    match cell {
        DataRef::Int(n) => (*n).into(),
        // Integers are stored as counts: 7, not 7.0.
        DataRef::Float(n) if n.fract() == 0.0 && n.abs() < 9e15 => (*n as i64).into(),
        DataRef::Float(n) => (*n).into(),
        DataRef::String(text) | DataRef::DateTimeIso(text) | DataRef::DurationIso(text) => {
            text.as_str().into()
        }
        DataRef::SharedString(text) => (*text).into(),
        DataRef::Bool(flag) => (*flag).into(),
        DataRef::DateTime(when) => when.as_f64().into(),
        DataRef::Error(err) => err.to_string().into(),
        DataRef::Empty => "".into(),
    }
}

fn plain(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_string)
}

impl Rows for SheetRows {
    fn next_row(&mut self) -> Result<Option<(u64, Record)>> {
        let Some((row, cells)) = self.rows.pop_front() else {
            return Ok(None);
        };
        let named = self
            .names
            .iter()
            .zip(cells)
            .filter(|(name, _)| !name.is_empty());
        Ok(Some((
            row,
            named.map(|(name, cell)| (name.clone(), cell)).collect(),
        )))
    }

    fn tally(&self) -> Tally {
        self.tally.clone()
    }

    fn columns(&self) -> Vec<String> {
        self.names
            .iter()
            .filter(|name| !name.is_empty())
            .cloned()
            .collect()
    }
}
