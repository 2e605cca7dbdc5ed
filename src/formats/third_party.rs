//! Reads the files of other tools: their rows, and the meaning of their columns.

use std::collections::VecDeque;
use std::path::Path;

use super::cells::Inline;
use super::format::Format;
use super::mapped::{ItemReader, PredictionReader};
use super::reader::{Items, Predictions, Reader, ValueSource};
use super::records::Record;
use super::rows::{self, Rows, Tally};
use super::tools;
use benchtop_model::mapping::{Mapping, guess};
use benchtop_model::{Error, Item, Prediction, Result};

/// Number of rows that are read ahead to find the columns, because JSON records may omit some.
const PEEK: usize = 64;

/// Rows with known columns.
struct Peeked {
    rows: Box<dyn Rows>,
    ready: VecDeque<(u64, Record)>,
    failed: Option<Error>,
}

impl Peeked {
    /// Reads the first rows and returns their columns.
    fn new(mut rows: Box<dyn Rows>) -> Result<(Peeked, Vec<String>)> {
        let (mut ready, mut names, mut failed) = (VecDeque::new(), rows.columns(), None);
        while ready.len() < PEEK && failed.is_none() {
            match rows.next_row() {
                Ok(None) => break,
                Ok(Some((line, record))) => {
                    let fresh: Vec<String> = record
                        .keys()
                        .filter(|name| !names.contains(name))
                        .cloned()
                        .collect();
                    names.extend(fresh);
                    ready.push_back((line, record));
                }
                Err(p) if names.is_empty() => return Err(p),
                Err(p) => failed = Some(p),
            }
        }
        Ok((
            Peeked {
                rows,
                ready,
                failed,
            },
            names,
        ))
    }
}

impl Rows for Peeked {
    fn next_row(&mut self) -> Result<Option<(u64, Record)>> {
        match (self.ready.pop_front(), self.failed.take()) {
            (Some(row), failed) => {
                self.failed = failed;
                Ok(Some(row))
            }
            (None, Some(problem)) => Err(problem),
            (None, None) => self.rows.next_row(),
        }
    }

    fn tally(&self) -> Tally {
        self.rows.tally()
    }
}

/// The columns of a table, from its first rows.
///
/// # Errors
/// If the beginning of the file cannot be read.
pub fn columns(path: &Path) -> Result<Vec<String>> {
    Ok(Peeked::new(rows::of(path).map_err(|p| p.file(path))?)
        .map_err(|p| p.file(path))?
        .1)
}

/// The rows of a file, and the meaning of their columns.
pub struct Mapped {
    rows: Box<dyn Rows>,
    mapping: Mapping,
}

impl Mapped {
    /// The rows of the file at `path`.
    fn of(path: &Path, format: &Format, mapping: Option<&Mapping>) -> Result<Mapped> {
        let Some(rows) = format.rows else {
            let what = format!("cannot stream questions from the format {}", format.name);
            return Err(Error::input(what).file(path));
        };
        rows(path, mapping).map_err(|p| p.file(path))
    }

    /// Rows with benchtop's own field names.
    pub(super) fn flat(rows: Box<dyn Rows>) -> Mapped {
        let mapping = tools::flat();
        Mapped { rows, mapping }
    }

    /// A table, by `mapping` or else by the names of its columns.
    ///
    /// # Errors
    /// If the beginning of the file cannot be read, or a mapped column does not exist.
    pub(super) fn table(path: &Path, mapping: Option<&Mapping>) -> Result<Mapped> {
        let (rows, names) = Peeked::new(rows::of(path)?)?;
        let mapping = mapping.cloned().unwrap_or_else(|| guess(&names));
        mapping.check(&names)?;
        let rows = Box::new(rows);
        Ok(Mapped { rows, mapping })
    }
}

/// Reads the items of a file.
///
/// # Errors
/// If the beginning of the file cannot be read.
pub(super) fn items(
    path: &Path,
    format: &Format,
    dataset: &str,
    mapping: Option<&Mapping>,
) -> Result<Items> {
    let Mapped { rows, mapping } = Mapped::of(path, format, mapping)?;
    let by_row = format.pictures_by_row;
    let reader = ItemReader::new(mapping, dataset.to_string(), by_row);
    Ok(Reader::new(
        Box::new(ItemRows {
            rows,
            reader,
            carried: Vec::new(),
        }),
        path,
    ))
}

struct ItemRows {
    rows: Box<dyn Rows>,
    reader: ItemReader,
    carried: Vec<Inline>,
}

impl ValueSource<Item> for ItemRows {
    fn next(&mut self) -> Option<(u64, Result<Item>)> {
        match self.rows.next_row() {
            Ok(None) => None,
            Ok(Some((line, record))) => {
                let made = self.reader.item(&record).map(|(item, carried)| {
                    self.carried = carried;
                    item
                });
                Some((line, made))
            }
            Err(p) => Some((p.place.line.unwrap_or(0), Err(p))),
        }
    }

    fn pictures(&mut self) -> Vec<Inline> {
        std::mem::take(&mut self.carried)
    }

    fn notes(&self) -> Vec<String> {
        notes(self.reader.tally(), &*self.rows)
    }
}

/// The notes on values, then those on rows.
fn notes(values: &Tally, rows: &dyn Rows) -> Vec<String> {
    values.notes().chain(rows.tally().notes()).collect()
}

/// Reads the predictions of a file.
///
/// # Errors
/// If the beginning of the file, or the file of verdicts next to it, cannot be read.
pub(super) fn predictions(
    path: &Path,
    format: &Format,
    mapping: Option<&Mapping>,
) -> Result<Predictions> {
    let Mapped { rows, mapping } = Mapped::of(path, format, mapping)?;
    let verdicts = (format.verdicts)(path)?;
    Ok(Reader::new(
        Box::new(PredictionRows {
            rows,
            reader: PredictionReader::new(mapping, verdicts),
        }),
        path,
    ))
}

struct PredictionRows {
    rows: Box<dyn Rows>,
    reader: PredictionReader,
}

impl ValueSource<Prediction> for PredictionRows {
    fn next(&mut self) -> Option<(u64, Result<Prediction>)> {
        loop {
            match self.rows.next_row() {
                Ok(None) => return None,
                Ok(Some((line, record))) => match self.reader.prediction(record) {
                    Ok(None) => {}
                    Ok(Some(prediction)) => return Some((line, Ok(prediction))),
                    Err(p) => return Some((line, Err(p))),
                },
                Err(p) => return Some((p.place.line.unwrap_or(0), Err(p))),
            }
        }
    }

    fn notes(&self) -> Vec<String> {
        notes(self.reader.tally(), &*self.rows)
    }
}
