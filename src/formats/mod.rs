//! Floor 2: interchange formats, one file each, read and write, streaming.
//!
//! [`recognise`] tells by content what a file is; [`items`] and [`predictions`] read it record by record, each with the line
//! it begins on. Nothing here holds more than one record, and a record is at most [`RECORD_LIMIT`] bytes. What a record says
//! beyond the typed fields of [`Item`] is kept in `extra` and comes back on export; names that begin with `$` are benchtop's.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use crate::model::{Form, Item, Prediction, Problem, Result};

pub mod chart;
mod dysca;
mod dysca_nested;
mod fields;
pub mod jsonl;
mod mvp;
mod predictions;
pub mod published;
mod recognise;
mod records;
pub mod verdicts;
mod write;

pub use dysca::DyscaWriter;
pub use dysca_nested::NestedWriter;
pub use mvp::{CATEGORIES, category, write_question};
pub use predictions::{text_of, write_prediction};
pub use recognise::{Found, Recognised, recognise, recognise_reader};
pub use records::{RECORD_LIMIT, Raw, Record, Records, Shape};

/// What a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Format {
    /// Dysca's flat records (the paper's Listing 1).
    DyscaJson,
    /// Dysca's released sources: questions in `q_a` inside an image record.
    DyscaNested,
    /// MVP-Bench's `all_questions.json`.
    MvpQuestions,
    /// MVP-Bench's rotations, `mcq_questions.json`.
    MvpCircular,
    /// A model's answers to the questions: `MODEL.jsonl`.
    MvpPredictions,
    /// The same with extracted answers: `MODEL_evaluated.jsonl`.
    MvpEvaluated,
    /// A model's answers to the rotations: `mcq_MODEL.jsonl`.
    MvpCircularPredictions,
    /// benchtop's own: one [`Item`] a line.
    BenchtopJsonl,
}

impl Format {
    /// The name in messages and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Format::DyscaJson => "dysca",
            Format::DyscaNested => "dysca-nested",
            Format::MvpQuestions => "mvp-questions",
            Format::MvpCircular => "mvp-circular",
            Format::MvpPredictions => "mvp-predictions",
            Format::MvpEvaluated => "mvp-evaluated",
            Format::MvpCircularPredictions => "mvp-circular-predictions",
            Format::BenchtopJsonl => "benchtop-jsonl",
        }
    }

    /// Whether it holds predictions and not items.
    pub fn is_predictions(self) -> bool {
        matches!(self, Format::MvpPredictions | Format::MvpEvaluated | Format::MvpCircularPredictions)
    }
}

type Make<T> = Box<dyn Fn(Raw<'_>, &mut VecDeque<Result<T>>) + Send>;

/// Reads a file of `T`, one record after the other: `(line the record begins on, the value or what is wrong with it)`.
///
/// Every error names the file and the line, and the field where there is one. After an error inside a record the next one
/// follows; after an error of the file (cut off, unreadable) nothing follows. A record of several questions gives several values
/// with one line. Ids are not compared with each other here.
pub struct Reader<T> {
    records: Records<Box<dyn BufRead + Send>>,
    file: PathBuf,
    make: Make<T>,
    ready: VecDeque<Result<T>>,
    line: u64,
}

impl<T> Reader<T> {
    fn new(input: Box<dyn BufRead + Send>, file: &Path, make: Make<T>) -> Self {
        Reader { records: Records::new(input), file: file.to_path_buf(), make, ready: VecDeque::new(), line: 0 }
    }
}

impl<T> Iterator for Reader<T> {
    type Item = (u64, Result<T>);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(found) = self.ready.pop_front() {
                return Some((self.line, found.map_err(|p| p.line(self.line).file(&self.file))));
            }
            match self.records.next_record() {
                Ok(None) => return None,
                Ok(Some(raw)) => {
                    self.line = raw.line;
                    (self.make)(raw, &mut self.ready);
                }
                Err(p) => {
                    self.line = p.place.line.unwrap_or(self.line);
                    return Some((self.line, Err(p.file(&self.file))));
                }
            }
        }
    }
}

/// Reads items.
pub type Items = Reader<Item>;
/// Reads predictions.
pub type Predictions = Reader<Prediction>;

/// Opens `path` for reading through a buffer of 256 KiB.
///
/// # Errors
/// [`Problem::io`]; [`crate::model::Kind::Input`] when it is not a regular file (a pipe would never end).
pub fn open(path: &Path) -> Result<Box<dyn BufRead + Send>> {
    let found = std::fs::metadata(path).map_err(|e| Problem::io(&e, "cannot open", path))?;
    if !found.is_file() {
        return Err(Problem::input("not a regular file").file(path));
    }
    let file = File::open(path).map_err(|e| Problem::io(&e, "cannot open", path))?;
    Ok(Box::new(BufReader::with_capacity(1 << 18, file)))
}

/// The items of the file at `path`, which has that `format`; they get ids `<dataset>/<key>`.
///
/// # Errors
/// As [`open`]; [`crate::model::Kind::Input`] when the format holds no items.
pub fn items(path: &Path, format: Format, dataset: &str) -> Result<Items> {
    items_from(open(path)?, path, format, dataset)
}

/// The items that `input` holds; `name` stands for it in errors. benchtop's own form carries its data set itself.
///
/// # Errors
/// [`crate::model::Kind::Input`] when the format holds no items.
pub fn items_from(input: Box<dyn BufRead + Send>, name: &Path, format: Format, dataset: &str) -> Result<Items> {
    let dataset = dataset.to_string();
    let make: Make<Item> = match format {
        Format::DyscaJson => {
            Box::new(move |raw, out| out.push_back(raw.parse().and_then(|r| dysca::item(r, &dataset))))
        }
        Format::DyscaNested => Box::new(move |raw, out| {
            if let Err(p) = raw.parse().and_then(|r| dysca_nested::items(r, &dataset, out)) {
                out.push_back(Err(p));
            }
        }),
        Format::MvpQuestions | Format::MvpCircular => {
            let form = if format == Format::MvpCircular { Form::MvpCircular } else { Form::Mvp };
            Box::new(move |raw, out| out.push_back(raw.parse().and_then(|r| mvp::item(r, &dataset, form))))
        }
        Format::BenchtopJsonl => Box::new(|raw, out| out.push_back(jsonl::item(raw))),
        Format::MvpPredictions | Format::MvpEvaluated | Format::MvpCircularPredictions => {
            return Err(Problem::input(format!("{} holds answers and no questions", format.name())).file(name));
        }
    };
    Ok(Reader::new(input, name, make))
}

/// The predictions of the file at `path`, which has that `format`.
///
/// # Errors
/// As [`open`]; [`crate::model::Kind::Input`] when the format holds no predictions.
pub fn predictions(path: &Path, format: Format) -> Result<Predictions> {
    predictions_from(open(path)?, path, format)
}

/// The predictions that `input` holds; `name` stands for it in errors.
///
/// # Errors
/// [`crate::model::Kind::Input`] when the format holds no predictions.
pub fn predictions_from(input: Box<dyn BufRead + Send>, name: &Path, format: Format) -> Result<Predictions> {
    if !format.is_predictions() {
        return Err(Problem::input(format!("{} holds questions and no answers", format.name())).file(name));
    }
    let make: Make<Prediction> = Box::new(|raw, out| out.push_back(raw.parse().and_then(predictions::prediction)));
    Ok(Reader::new(input, name, make))
}
