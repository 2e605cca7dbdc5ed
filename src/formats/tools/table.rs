//! Tables of any other origin, read by the usual names of columns or by a [`Mapping`].

use std::path::Path;

use super::{About, huggingface, stem};
use crate::format::Format;
use crate::head::Head;
use crate::third_party::Mapped;
use crate::{roundtrip_column, rows};
use benchtop_model::Result;
use benchtop_model::mapping::guess;

/// The data set's name in a table that benchtop wrote.
pub fn stored_dataset(path: &Path) -> Option<String> {
    roundtrip_column::dataset(&rows::of(path).ok()?.next_row().ok()??.1)
}

/// Whether columns with these names hold (questions, answers).
fn detect(head: &Head<'_>, wanted: (bool, bool)) -> bool {
    let Head::Columns(names) = head else {
        return false;
    };
    let found = guess(names);
    let answers = found.output.is_some() && found.id.is_some();
    (found.has_questions(), answers) == wanted
}

fn about(path: &Path) -> Result<About> {
    let dataset = stored_dataset(path).unwrap_or_else(|| huggingface::dataset(path));
    Ok(About::of(dataset))
}

/// A table of questions.
pub static QUESTIONS: Format = Format {
    name: "table",
    title: "a table of questions: CSV, TSV, JSON, JSONL, xlsx, Parquet",
    recognized_by: "columns with usual names, or a `mapping.toml`",
    named_in: "file, folder",
    detect: |head| detect(head, (true, false)).into(),
    about: |path, _| about(path),
    rows: Some(Mapped::table),
    ..Format::QUESTIONS
};

/// A table of answers.
pub static PREDICTIONS: Format = Format {
    name: "table-predictions",
    title: "a table of answers",
    recognized_by: "columns with usual names, or a `mapping.toml`",
    named_in: "file, a column",
    detect: |head| detect(head, (false, true)).into(),
    about: |path, _| {
        Ok(About {
            model: Some(stem(path)),
            ..About::default()
        })
    },
    rows: Some(Mapped::table),
    ..Format::ANSWERS
};

/// A table of questions with answers.
pub static BOTH: Format = Format {
    name: "table-with-predictions",
    title: "a table of questions with answers",
    recognized_by: "columns with usual names, or a `mapping.toml`",
    named_in: "file, folder, a column",
    has_predictions: true,
    detect: |head| detect(head, (true, true)).into(),
    about: |path, _| about(path),
    rows: Some(Mapped::table),
    ..Format::QUESTIONS
};
