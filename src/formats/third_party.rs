//! Files of the tools of the field: their rows, and what their columns mean.

use std::collections::VecDeque;
use std::path::Path;

use super::cells::Inline;
use super::mapped::{ItemReader, PredictionReader};
use super::reader::{Items, Predictions, Reader, Source};
use super::records::Record;
use super::rows::{self, Rows, Tally, json};
use super::tools::{
    self, About, fiftyone, helm, huggingface, inspect, label_studio, lmms, opencompass, vlmevalkit,
};
use super::{Format, roundtrip_column};
use crate::input::open;
use benchtop_model::mapping::{Mapping, guess};
use benchtop_model::{Error, Item, Prediction, Result};

/// Rows looked at to learn which columns a table has: JSON records may leave some out.
const PEEK: usize = 64;

/// Rows whose columns are known before the first is taken.
struct Peeked {
    rows: Box<dyn Rows>,
    ready: VecDeque<(u64, Record)>,
    failed: Option<Error>,
}

impl Peeked {
    /// The rows, and the columns of the first of them.
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

/// The columns of a table, as far as its first rows have them.
///
/// # Errors
/// What is wrong with the beginning of the file.
pub fn columns(path: &Path) -> Result<Vec<String>> {
    Ok(Peeked::new(rows::of(path).map_err(|p| p.file(path))?)
        .map_err(|p| p.file(path))?
        .1)
}

/// The rows of a file and what its columns mean.
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
        _ => Err(Error::input(format!("{} is no table", format.name()))),
    }
}

/// The items of a file.
///
/// # Errors
/// What is wrong with its beginning.
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
    let asker = ItemReader::new(mapping, dataset.to_string(), may_name_rows);
    Ok(Reader::new(
        Box::new(Asked {
            rows,
            asker,
            carried: Vec::new(),
        }),
        path,
    ))
}

struct Asked {
    rows: Box<dyn Rows>,
    asker: ItemReader,
    carried: Vec<Inline>,
}

impl Source<Item> for Asked {
    fn next(&mut self) -> Option<(u64, Result<Item>)> {
        match self.rows.next_row() {
            Ok(None) => None,
            Ok(Some((line, record))) => {
                let made = self.asker.item(&record).map(|(item, carried)| {
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
        self.asker
            .tally()
            .notes()
            .chain(self.rows.tally().notes())
            .collect()
    }
}

/// The predictions of a file.
///
/// # Errors
/// What is wrong with its beginning, or with the file of verdicts beside it.
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
        Box::new(Answered {
            rows,
            answerer: PredictionReader::new(mapping, verdicts),
        }),
        path,
    ))
}

struct Answered {
    rows: Box<dyn Rows>,
    answerer: PredictionReader,
}

impl Source<Prediction> for Answered {
    fn next(&mut self) -> Option<(u64, Result<Prediction>)> {
        loop {
            match self.rows.next_row() {
                Ok(None) => return None,
                Ok(Some((line, record))) => match self.answerer.prediction(record) {
                    Ok(None) => {}
                    Ok(Some(prediction)) => return Some((line, Ok(prediction))),
                    Err(p) => return Some((line, Err(p))),
                },
                Err(p) => return Some((p.place.line.unwrap_or(0), Err(p))),
            }
        }
    }

    fn notes(&self) -> Vec<String> {
        self.answerer
            .tally()
            .notes()
            .chain(self.rows.tally().notes())
            .collect()
    }
}

/// The name that a table written by benchtop gives its data set.
fn noted(path: &Path) -> Option<String> {
    roundtrip_column::dataset(&rows::of(path).ok()?.next_row().ok()??.1)
}

/// What the file at `path` says of itself; `known` are the names of data sets that are at hand.
///
/// # Errors
/// When its header cannot be read.
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
            named(noted(path).unwrap_or_else(|| huggingface::dataset(path)))
        }
        Format::VlmDataset => About {
            dataset: noted(path),
            ..About::default()
        },
        Format::TablePredictions => About {
            model: Some(tools::stem(path)),
            ..About::default()
        },
        Format::LabelStudioTable | Format::LabelStudio => {
            // DyscaA.min.json, DyscaA.all.json and DyscaA.csv are exports of one project.
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
