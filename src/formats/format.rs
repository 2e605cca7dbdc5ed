//! What a file format is: its name, how it is detected, and how it is read.

use std::collections::{HashMap, VecDeque};
use std::path::Path;

use super::head::{Detection, Head};
use super::records::Raw;
use super::third_party::Mapped;
use super::tools::About;
use benchtop_model::mapping::Mapping;
use benchtop_model::{Form, Item, Key, Prediction, Result, ToolVerdict};

/// The questions in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Questions {
    /// The data set's own questions.
    Own,
    /// Questions as logged by the tool that asked them. They are used if the data set's own are
    /// missing.
    Beside,
    No,
}

/// Makes the items of a data set that a JSON record has.
type MakeItems = fn(Raw<'_>, &str, &mut VecDeque<Result<Item>>);
/// Opens a file as rows, with a mapping if the user stated one.
type OpenRows = fn(&Path, Option<&Mapping>) -> Result<Mapped>;

/// A file format.
pub struct Format {
    /// The name in messages and JSON.
    pub name: &'static str,
    /// The name in the documentation.
    pub title: &'static str,
    /// What it is recognized by, for the documentation.
    pub recognized_by: &'static str,
    /// Where its model and data set are named, for the documentation.
    pub named_in: &'static str,
    pub questions: Questions,
    /// Whether it has a model's answers.
    pub has_predictions: bool,
    /// The form of the items that its answers belong to.
    pub answers_to: Form,
    /// Whether its answers have verdicts, so that they precede those of a plain file.
    pub is_evaluated: bool,
    /// Whether each item names its data set.
    pub names_datasets: bool,
    /// Whether a picture cell may name another row.
    pub pictures_by_row: bool,
    /// Whether a file with this beginning has this format.
    pub detect: fn(&mut Head<'_>) -> Detection,
    /// The model and data set that the file at a path names, beside the names of existing data
    /// sets. Fails if the header cannot be read.
    pub about: fn(&Path, &[String]) -> Result<About>,
    /// Makes items of a data set from a JSON record, if that is how this format is read.
    pub items: Option<MakeItems>,
    /// Makes a prediction from a JSON record, if that is how this format is read.
    pub predictions: Option<fn(Raw<'_>) -> Result<Prediction>>,
    /// The rows of a file and the meaning of their columns, unless records are read. The mapping is
    /// the meaning that the user stated. Fails if the beginning of the file cannot be read, or if a
    /// mapped column does not exist.
    pub rows: Option<OpenRows>,
    /// The tool's verdicts on the answers of a file, from another file next to it.
    pub verdicts: fn(&Path) -> Result<HashMap<Key, ToolVerdict>>,
}

impl Format {
    /// A format of questions, named by the file.
    pub(super) const QUESTIONS: Format = Format {
        name: "",
        title: "",
        recognized_by: "",
        named_in: "file",
        questions: Questions::Own,
        has_predictions: false,
        answers_to: Form::Plain,
        is_evaluated: false,
        names_datasets: false,
        pictures_by_row: false,
        detect: |_| Detection::No,
        about: |_, _| Ok(About::default()),
        items: None,
        predictions: None,
        rows: None,
        verdicts: |_| Ok(HashMap::new()),
    };
    /// A format of answers without questions.
    pub(super) const ANSWERS: Format = Format {
        questions: Questions::No,
        has_predictions: true,
        ..Format::QUESTIONS
    };
    /// A format of answers with the questions that were asked.
    pub(super) const ASKED: Format = Format {
        questions: Questions::Beside,
        has_predictions: true,
        ..Format::QUESTIONS
    };
}

impl std::fmt::Debug for Format {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

impl PartialEq for Format {
    fn eq(&self, other: &Format) -> bool {
        self.name == other.name
    }
}

impl Eq for Format {}
