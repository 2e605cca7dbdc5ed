//! Reads the files of other tools, one module per tool: converts records to flat rows, and finds
//! the model and data set in files and folder names.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::records::Record;
use super::rows::{Rows, Tally};
use benchtop_model::Result;
use benchtop_model::mapping::Mapping;

pub mod coco;
pub mod fiftyone;
pub mod helm;
pub mod huggingface;
pub mod inspect;
pub mod label_studio;
pub mod lmms;
pub mod opencompass;
pub mod openvlm;
pub mod table;
pub mod vlmevalkit;

/// The description of a file, from its content or its name and folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct About {
    /// The data set of its questions or answers.
    pub dataset: Option<String>,
    /// The model that answered.
    pub model: Option<String>,
    /// The time of writing, as a sortable text.
    pub written: Option<String>,
    /// Files with the same value are parts of one run.
    pub part_of: Option<PathBuf>,
    /// Whether the ids are positions of the questions in their data set, from 0.
    pub positions: bool,
    /// The file whose answers this file repeats with verdicts. That file reads the verdicts from
    /// here.
    pub verdicts_of: Option<PathBuf>,
}

impl About {
    /// A file of this data set.
    pub(super) fn of(dataset: impl Into<String>) -> About {
        About {
            dataset: Some(dataset.into()),
            ..About::default()
        }
    }
}

type Flat = Box<dyn FnMut(Record) -> Result<Vec<Record>> + Send>;

/// Rows that are made from the rows of a tool, any number from each.
struct Each {
    rows: Box<dyn Rows>,
    flat: Flat,
    ready: VecDeque<Record>,
    line: u64,
}

/// Passes every row of `rows` through `flat`.
pub(super) fn each(
    rows: Box<dyn Rows>,
    flat: impl FnMut(Record) -> Result<Vec<Record>> + Send + 'static,
) -> Box<dyn Rows> {
    Box::new(Each {
        rows,
        flat: Box::new(flat),
        ready: VecDeque::new(),
        line: 0,
    })
}

impl Rows for Each {
    fn next_row(&mut self) -> Result<Option<(u64, Record)>> {
        while self.ready.is_empty() {
            let Some((line, record)) = self.rows.next_row()? else {
                return Ok(None);
            };
            self.line = line;
            self.ready
                .extend((self.flat)(record).map_err(|p| p.line(line))?);
        }
        Ok(self.ready.pop_front().map(|record| (self.line, record)))
    }

    fn tally(&self) -> Tally {
        self.rows.tally()
    }
}

/// The mapping of rows with benchtop's own field names.
pub(super) fn flat() -> Mapping {
    let own = |name: &str| Some(name.to_string());
    Mapping {
        id: own("id"),
        images: vec!["images".into()],
        question: own("question"),
        options: vec!["options".into()],
        answer: own("answer"),
        subtask: own("subtask"),
        level: own("level"),
        style: own("style"),
        model: own("model"),
        output: own("output"),
        epoch: own("epoch"),
        right: own("right"),
        extracted: own("extracted"),
        ..Mapping::default()
    }
}

/// A list as a cell; null if it is empty.
pub(super) fn list_or_null(list: Vec<impl Into<Value>>) -> Value {
    match list.is_empty() {
        true => Value::Null,
        false => list.into(),
    }
}

/// A row of these fields, without nulls.
pub(super) fn row<const N: usize>(fields: [(&str, Value); N]) -> Record {
    fields
        .into_iter()
        .filter(|(_, value)| !value.is_null())
        .map(|(name, value)| (name.to_string(), value))
        .collect()
}

/// The mapped fields of `record` under benchtop's own names. Other fields are dropped.
pub(super) fn renamed(mapping: &Mapping, mut record: Record) -> Record {
    let named: Vec<(String, String)> = mapping
        .named()
        .map(|(f, c)| (f.to_string(), c.to_string()))
        .collect();
    let mut out = Record::new();
    let options: Vec<Value> = mapping
        .options
        .iter()
        .filter_map(|c| record.get(c).cloned())
        .collect();
    for (field, column) in named {
        if field == "options" {
            continue;
        }
        if let Some(value) = record.remove(&column) {
            out.insert(field, value);
        }
    }
    match options.len() {
        0 => {}
        1 => drop(out.insert(
            "options".into(),
            options.into_iter().next().unwrap_or_default(),
        )),
        _ => drop(out.insert("options".into(), options.into())),
    }
    out
}

/// The name of the folder that contains a file.
pub(super) fn folder(path: &Path) -> Option<String> {
    Some(path.parent()?.file_name()?.to_string_lossy().into_owned()).filter(|name| !name.is_empty())
}

/// The stem of a file name.
pub(super) fn stem(path: &Path) -> String {
    path.file_stem()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}
