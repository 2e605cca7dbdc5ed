//! Reads rows from JSON, delimited text, spreadsheets, and Parquet. Every row is a record with its
//! columns in order. Memory holds one row at a time.

pub mod delimited;
pub mod json;
pub mod object;
pub mod parquet;
pub mod sheet;
mod source;

pub use self::source::{Rows, Tally, bounded};

use std::io::Read;
use std::path::Path;

use crate::input::open;
use benchtop_model::{Error, Result};

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
