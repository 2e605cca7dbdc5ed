//! Reads rows from JSON, delimited text, spreadsheets, and Parquet. Every row is a record with its
//! columns in order. Memory holds one row at a time.

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

/// Counts of things that the user should know about the data.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally(BTreeMap<&'static str, u64>);

impl Tally {
    /// Adds 1 to the count of `what`, which is worded to follow a number.
    pub fn add(&mut self, what: &'static str) {
        self.many(what, 1);
    }

    /// Adds `n` to the count of `what`.
    pub fn many(&mut self, what: &'static str, n: u64) {
        if n > 0 {
            *self.0.entry(what).or_default() += n;
        }
    }

    /// The counts as text: `3 cells of exactly 32,767 characters, ...`.
    pub fn notes(&self) -> impl Iterator<Item = String> {
        self.0.iter().map(|(what, n)| format!("{n} {what}"))
    }
}

/// The rows of one file.
pub trait Rows: Send {
    /// The next row, with the line or row number on which it begins; `None` at the end.
    ///
    /// # Errors
    /// [`benchtop_model::ErrorKind::Input`] with the line. After an invalid record, the next row
    /// follows; after an error of the file, nothing follows.
    fn next_row(&mut self) -> Result<Option<(u64, Record)>>;

    /// The counts so far.
    fn tally(&self) -> Tally;

    /// The columns, if the file names them before its first row.
    fn columns(&self) -> Vec<String> {
        Vec::new()
    }
}

/// The container format of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Container {
    /// An array of objects, or one object per line.
    Json,
    /// Comma- or tab-separated text with a header line.
    Text(u8),
    Xlsx,
    /// Any other zip archive.
    Zip,
    Parquet,
}

/// Number of bytes that are examined to detect the container.
const HEAD: usize = 1 << 16;

/// Detects the container of the file at `path` from its first bytes.
///
/// # Errors
/// See [`open`]; [`benchtop_model::ErrorKind::Input`], with a way out, for formats that are never
/// read.
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
            "Arrow files of `save_to_disk` are not supported",
            "write the data with `to_parquet` and import that file",
        );
    }
    // Protocols 2 to 5 begin with 0x80 and the number. Loading a pickle can run any code.
    if matches!(head.get(..2), Some([0x80, 2..=5])) {
        return refuse(
            "Python pickles are not supported, because loading one can run any code",
            "export the data as JSON, CSV, or Parquet",
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

/// The rows of a file: JSON, delimited text, a spreadsheet's first sheet, or Parquet.
///
/// # Errors
/// See [`container`]; also if the beginning of the file cannot be read.
pub fn of(path: &Path) -> Result<Box<dyn Rows>> {
    Ok(match container(path)? {
        Container::Json => Box::new(json::JsonRows::new(open(path)?)),
        Container::Text(separator) => Box::new(delimited::TextRows::new(open(path)?, separator)?),
        Container::Xlsx => Box::new(sheet::SheetRows::open(path)?),
        Container::Parquet => Box::new(parquet::ParquetRows::open(path)?),
        Container::Zip => {
            return Err(Error::input("the file is an archive, not a table").file(path));
        }
    })
}

/// Reads all bytes of a reader, up to `limit`. `what` names it in errors.
///
/// # Errors
/// [`benchtop_model::ErrorKind::Input`] if it is longer.
pub fn bounded(input: impl Read, limit: u64, what: &str) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = input.take(limit + 1).read_to_end(&mut bytes);
    read.map_err(|e| Error::input(format!("cannot unpack {what}: {e}")))?;
    if bytes.len() as u64 > limit {
        return Err(Error::input(format!(
            "{what} unpacks to more than {} MiB",
            limit >> 20
        )));
    }
    Ok(bytes)
}

/// The next byte, without consuming it.
pub(super) fn peek(input: &mut dyn BufRead) -> Result<Option<u8>> {
    let chunk = input
        .fill_buf()
        .map_err(|e| Error::new(benchtop_model::ErrorKind::Io, format!("cannot read: {e}")))?;
    Ok(chunk.first().copied())
}
