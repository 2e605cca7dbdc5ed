//! Spreadsheets (.xlsx): the first sheet, whose first row names the columns.
//!
//! A sheet points into a table of texts that must be at hand, so it is held whole; what it unpacks to is measured before and
//! bounded. A spreadsheet has no empty text: an empty cell is read as one.

use std::collections::VecDeque;
use std::io::{Cursor, Read};
use std::path::Path;

use calamine::{DataRef, Reader, Xlsx};
use serde_json::Value;
use zip::ZipArchive;

use super::{Rows, Tally, bounded};
use crate::records::Record;
use benchtop_model::{Error, Result};

/// What a member of the archive may unpack to: 256 MiB.
const MEMBER_LIMIT: u64 = 256 << 20;
/// What the archive itself may have: 256 MiB.
const FILE_LIMIT: u64 = 256 << 20;
/// Characters that a cell can hold; a longer text was cut there by whoever wrote it.
pub const CELL_LIMIT: usize = 32_767;
const CUT: &str =
    "cells of exactly 32,767 characters, where spreadsheets cut a text: its end is lost";

/// Whether the archive at `path` is a spreadsheet.
///
/// # Errors
/// As [`super::open`], and for an archive that cannot be opened.
pub fn is_sheet(path: &Path) -> Result<bool> {
    let file = std::fs::File::open(path).map_err(|e| Error::io(&e, "cannot open", path))?;
    let archive = ZipArchive::new(file).map_err(|e| broken(&e).file(path))?;
    Ok(archive.index_for_name("xl/workbook.xml").is_some())
}

/// What is wrong with an archive.
pub fn broken(err: &dyn std::fmt::Display) -> Error {
    Error::input(format!("the archive cannot be read: {err}"))
        .help("it may be cut off: copy or write it again")
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
    /// As [`super::open`]; [`benchtop_model::ErrorKind::Input`] for what is no spreadsheet and for one that unpacks to too much.
    pub fn open(path: &Path) -> Result<SheetRows> {
        let bytes =
            bounded(super::open(path)?, FILE_LIMIT, "the spreadsheet").map_err(|p| p.file(path))?;
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
                return Err(Error::input("a cell beyond the last column").line(u64::from(row) + 1));
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
            return Err(
                Error::input("the first row of the sheet is empty").help("it names the columns")
            );
        }
        Ok(SheetRows { names, rows, tally })
    }
}

/// Refuses an archive any member of which unpacks to too much, whatever it says of itself.
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
        // Whole numbers are stored as they are counted: 7, not 7.0.
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
