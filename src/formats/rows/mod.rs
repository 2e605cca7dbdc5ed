//! Rows out of whatever holds them: JSON, delimited text, spreadsheets, Parquet. Every row is a record with its columns in
//! their order, and one row at a time is held.

use std::collections::BTreeMap;
use std::io::{BufRead, Read};
use std::path::Path;

use super::records::Record;
use crate::input::open;
use benchtop_model::{Error, Result};

pub mod delimited;
pub mod json;
pub mod object;
pub mod parquet;
pub mod sheet;

/// What was met while reading and is worth telling, counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally(BTreeMap<&'static str, u64>);

impl Tally {
    /// Counts one more of `what`, which reads well after a number.
    pub fn add(&mut self, what: &'static str) {
        self.many(what, 1);
    }

    /// Counts `n` more of `what`.
    pub fn many(&mut self, what: &'static str, n: u64) {
        if n > 0 {
            *self.0.entry(what).or_default() += n;
        }
    }

    /// What was counted: `3 cells of exactly 32,767 characters, ...`.
    pub fn notes(&self) -> impl Iterator<Item = String> {
        self.0.iter().map(|(what, n)| format!("{n} {what}"))
    }
}

/// Rows of one file.
pub trait Rows: Send {
    /// The next row, with the line or the number of the row it begins on; `None` at the end.
    ///
    /// # Errors
    /// [`benchtop_model::ErrorKind::Input`] with the line. The next row follows where one record is bad, nothing where the file is.
    fn next_row(&mut self) -> Result<Option<(u64, Record)>>;

    /// What was met so far.
    fn tally(&self) -> Tally;

    /// The columns, where the file names them before its first row.
    fn columns(&self) -> Vec<String> {
        Vec::new()
    }
}

/// What a file is to the eye of a program that knows no tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Container {
    /// An array of objects, or one object a line.
    Json,
    /// Text with cells between commas or tabs, the first line naming them.
    Text(u8),
    /// A spreadsheet.
    Xlsx,
    /// Any other zip archive.
    Zip,
    /// A Parquet table.
    Parquet,
}

/// Bytes looked at to tell containers apart.
const HEAD: usize = 1 << 16;

/// What the file at `path` is, by its first bytes.
///
/// # Errors
/// As [`open`]; [`benchtop_model::ErrorKind::Input`] for what is never read, with the way out.
pub fn container(path: &Path) -> Result<Container> {
    let mut head = Vec::new();
    open(path)?
        .take(HEAD as u64)
        .read_to_end(&mut head)
        .map_err(|e| Error::io(&e, "cannot be read", path))?;
    let refuse = |what: &str, help: &str| Err(Error::input(what).file(path).help(help));
    if head.starts_with(b"PK\x03\x04") {
        return Ok(if sheet::is_sheet(path)? {
            Container::Xlsx
        } else {
            Container::Zip
        });
    }
    if head.starts_with(b"PAR1") {
        return Ok(Container::Parquet);
    }
    if head.starts_with(b"\xFF\xFF\xFF\xFF") || head.starts_with(b"ARROW1") {
        return refuse(
            "an Arrow file of `save_to_disk`, which is not read",
            "write it with `to_parquet` and import that",
        );
    }
    // Protocols 2 to 5 begin with 0x80 and the number; opening one can run anything.
    if matches!(head.get(..2), Some([0x80, 2..=5])) {
        return refuse(
            "a Python pickle, which is never opened",
            "export what it holds as JSON, CSV or Parquet",
        );
    }
    let text = head
        .strip_prefix(b"\xEF\xBB\xBF")
        .unwrap_or(&head)
        .trim_ascii_start();
    match text.first() {
        Some(b'{' | b'[') | None => Ok(Container::Json),
        Some(_) if text.contains(&0) => Ok(Container::Json),
        _ => {
            let line = &text[..memchr::memchr(b'\n', text).unwrap_or(text.len())];
            let tab = memchr::memchr(b'\t', line).is_some();
            let comma = memchr::memchr(b',', line).is_some();
            Ok(match (tab, comma) {
                (true, _) => Container::Text(b'\t'),
                (false, true) => Container::Text(b','),
                (false, false) => Container::Json,
            })
        }
    }
}

/// The rows of a file of records: JSON, delimited text, a spreadsheet's first sheet, or Parquet.
///
/// # Errors
/// As [`container`], and what is wrong with the beginning of the file.
pub fn of(path: &Path) -> Result<Box<dyn Rows>> {
    Ok(match container(path)? {
        Container::Json => Box::new(json::JsonRows::new(open(path)?)),
        Container::Text(separator) => Box::new(delimited::TextRows::new(open(path)?, separator)?),
        Container::Xlsx => Box::new(sheet::SheetRows::open(path)?),
        Container::Parquet => Box::new(parquet::ParquetRows::open(path)?),
        Container::Zip => return Err(Error::input("an archive, not a table").file(path)),
    })
}

/// The bytes of a reader that must not be longer than `limit`.
///
/// # Errors
/// [`benchtop_model::ErrorKind::Input`] when it is; `what` names it.
pub fn bounded(input: impl Read, limit: u64, what: &str) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = input.take(limit + 1).read_to_end(&mut bytes);
    read.map_err(|e| Error::input(format!("{what} cannot be unpacked: {e}")))?;
    if bytes.len() as u64 > limit {
        return Err(Error::input(format!(
            "{what} unpacks to more than {} MiB",
            limit >> 20
        )));
    }
    Ok(bytes)
}

/// The next byte, without taking it.
pub(super) fn peek(input: &mut dyn BufRead) -> Result<Option<u8>> {
    let chunk = input
        .fill_buf()
        .map_err(|e| Error::new(benchtop_model::ErrorKind::Io, format!("cannot read: {e}")))?;
    Ok(chunk.first().copied())
}
