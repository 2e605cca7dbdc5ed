//! Reads the files of other tools: their rows, and the meaning of their columns.

use std::collections::VecDeque;
use std::path::Path;

use super::cells::Inline;
use super::mapped::{ItemReader, PredictionReader};
use super::reader::{Items, Predictions, Reader, ValueSource};
use super::records::Record;
use super::rows::{self, Rows, Tally, json};
use super::tools::{
    self, About, fiftyone, helm, huggingface, inspect, label_studio, lmms, opencompass, vlmevalkit,
};
use super::{Format, roundtrip_column};
use crate::input::open;
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

/// The rows of a file, and the mapping of its columns.
fn rows_of(
    path: &Path,
    format: Format,
    mapping: Option<&Mapping>,
) -> Result<(Box<dyn Rows>, Mapping)> {
    let table = |meaning: &dyn Fn(&[String]) -> Mapping| -> Result<(Box<dyn Rows>, Mapping)> {
        let (rows, names) = Peeked::new(rows::of(path)?)?;
        let found = mapping.cloned().unwrap_or_else(|| meaning(&names));
        found.check(&names)?;
        Ok((Box::new(rows), found))
    };
    let flat = |rows: Box<dyn Rows>| Ok((rows, tools::flat()));
    match format {
        Format::VlmDataset | Format::VlmPredictions | Format::VlmResults => {
            table(&vlmevalkit::mapping)
        }
        Format::Table | Format::TablePredictions | Format::TableBoth => table(&guess),
        Format::LmmsSamples => flat(lmms::rows(Box::new(json::JsonRows::new(open(path)?)))),
        Format::InspectEval => flat(inspect::rows(path, true)?),
        Format::InspectJson => flat(inspect::rows(path, false)?),
        Format::HelmState => flat(helm::rows(path, true)?),
        Format::HelmInstances => flat(helm::rows(path, false)?),
        Format::OpenCompass => flat(opencompass::rows(path)?),
        Format::LabelStudio => flat(label_studio::rows(
            Box::new(json::JsonRows::new(open(path)?)),
            true,
        )),
        Format::LabelStudioTable => flat(label_studio::rows(rows::of(path)?, false)),
        Format::FiftyOne => flat(fiftyone::rows(path)?),
        Format::Coco => flat(tools::coco::rows(path)?),
        _ => Err(Error::input(format!(
            "the format {} is not a table",
            format.name()
        ))),
    }
}

/// Reads the items of a file.
///
/// # Errors
/// If the beginning of the file cannot be read.
pub(super) fn items(
    path: &Path,
    format: Format,
    dataset: &str,
    mapping: Option<&Mapping>,
) -> Result<Items> {
    let (rows, mapping) = rows_of(path, format, mapping).map_err(|p| p.file(path))?;
    let may_name_rows = matches!(
        format,
        Format::VlmDataset | Format::VlmPredictions | Format::VlmResults
    );
    let reader = ItemReader::new(mapping, dataset.to_string(), may_name_rows);
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
        self.reader
            .tally()
            .notes()
            .chain(self.rows.tally().notes())
            .collect()
    }
}

/// Reads the predictions of a file.
///
/// # Errors
/// If the beginning of the file, or the file of verdicts next to it, cannot be read.
pub(super) fn predictions(
    path: &Path,
    format: Format,
    mapping: Option<&Mapping>,
) -> Result<Predictions> {
    let (rows, mapping) = rows_of(path, format, mapping).map_err(|p| p.file(path))?;
    let verdicts = match format {
        Format::VlmPredictions => vlmevalkit::verdicts(path)?,
        Format::HelmState => helm::verdicts(path)?,
        _ => Default::default(),
    };
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
        self.reader
            .tally()
            .notes()
            .chain(self.rows.tally().notes())
            .collect()
    }
}

/// The data set's name in a table that benchtop wrote.
fn stored_dataset(path: &Path) -> Option<String> {
    roundtrip_column::dataset(&rows::of(path).ok()?.next_row().ok()??.1)
}

/// The model and data set that the file at `path` names. `known` are the names of existing data
/// sets.
///
/// # Errors
/// If the header cannot be read.
pub fn about(path: &Path, format: Format, known: &[String]) -> Result<About> {
    let named = |dataset: String| About {
        dataset: Some(dataset),
        ..About::default()
    };
    Ok(match format {
        Format::VlmPredictions => vlmevalkit::about(path, false, known),
        Format::VlmResults => vlmevalkit::about(path, true, known),
        Format::LmmsSamples => lmms::about(path),
        Format::InspectEval => inspect::about(path, true)?,
        Format::InspectJson => inspect::about(path, false)?,
        Format::HelmState => helm::about(path, true),
        Format::HelmInstances => helm::about(path, false),
        Format::OpenCompass => opencompass::about(path),
        Format::FiftyOne => fiftyone::about(path),
        Format::Table | Format::TableBoth => {
            named(stored_dataset(path).unwrap_or_else(|| huggingface::dataset(path)))
        }
        Format::VlmDataset => About {
            dataset: stored_dataset(path),
            ..About::default()
        },
        Format::TablePredictions => About {
            model: Some(tools::stem(path)),
            ..About::default()
        },
        Format::LabelStudioTable | Format::LabelStudio => {
            // DyscaA.min.json, DyscaA.all.json, and DyscaA.csv are exports of one project.
            named(
                tools::stem(path)
                    .split('.')
                    .next()
                    .unwrap_or_default()
                    .to_string(),
            )
        }
        _ => About::default(),
    })
}
