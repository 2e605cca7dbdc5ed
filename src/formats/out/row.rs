//! Common parts of rows in all formats.

use serde_json::Value;

use crate::cells;
use crate::mapped::ItemReader;
use crate::records::Record;
use crate::roundtrip_column::{self, Carried};
use benchtop_model::mapping::guess;
use benchtop_model::{Item, Key, QuestionKind, Result};

use super::Survey;

/// Optional text columns. The last four are stored in `extra`.
pub(super) const TEXTS: [&str; 11] = [
    "task",
    "subtask",
    "granularity",
    "level",
    "style",
    "variant",
    "prompt",
    "hint",
    "split",
    "source",
    "draft",
];

/// The text of one of [`TEXTS`]; an empty text counts as missing.
pub(super) fn text<'a>(item: &'a Item, name: &str) -> Option<&'a str> {
    let found = match name {
        "task" => item.task.as_deref(),
        "subtask" => item.subtask.as_deref(),
        "granularity" => item.granularity.as_deref(),
        "level" => item.level.as_deref(),
        "style" => item.style.as_deref(),
        "variant" => item.variant.as_ref().map(|variant| variant.name.as_str()),
        "prompt" => item.prompt.as_deref(),
        _ => match item.extra.get(name) {
            Some(Value::String(text)) => Some(text.as_str()),
            Some(Value::Bool(true)) => Some("true"),
            _ => None,
        },
    };
    found.filter(|text| !text.is_empty())
}

/// The answer in the tools' notation: the letter of the right option, `Yes` or `No`, or the text.
pub(super) fn answer(item: &Item) -> String {
    match item.gold().and_then(|at| Some((at, item.options.get(at)?))) {
        Some((at, _)) if at < 26 => Item::letter(at),
        Some((_, option)) => option.text.clone(),
        None if item.kind == QuestionKind::YesNo => match item.answer.to_lowercase().as_str() {
            "yes" => "Yes".into(),
            "no" => "No".into(),
            _ => item.answer.clone(),
        },
        None => item.answer.clone(),
    }
}

/// Makes the `benchtop` column of a table's rows.
pub(super) struct Marker {
    reader: ItemReader,
    named: bool,
}

impl Marker {
    /// Creates the marker for a table with these columns.
    pub fn new(columns: &[String], dataset: &str) -> Marker {
        Marker {
            reader: ItemReader::new(guess(columns), dataset.to_string(), false),
            named: false,
        }
    }

    /// The `benchtop` cell of `item` for a row with these fields, without pictures. `id` is the id
    /// in the row.
    ///
    /// # Errors
    /// If the item cannot be written as JSON.
    pub fn mark(
        &mut self,
        row: &Record,
        id: Key,
        item: &Item,
        carried: &Carried,
    ) -> Result<String> {
        let first = !std::mem::replace(&mut self.named, true);
        let made = self.reader.asked(row, id).ok();
        roundtrip_column::cell_text(made.as_ref(), item, carried, first)
    }
}

/// The columns of Hugging Face's formats, except pictures.
pub(super) fn columns(survey: &Survey) -> Vec<String> {
    let mut columns: Vec<String> = vec!["id".into(), "question".into(), "type".into()];
    if survey.options > 0 {
        columns.push("options".into());
    }
    columns.push("answer".into());
    columns.extend(survey.texts().map(str::to_string));
    columns.push(roundtrip_column::COLUMN.into());
    columns
}

/// The row of an item in Hugging Face's formats. Missing values are empty texts, so that every
/// column has one type.
///
/// # Errors
/// If the item cannot be written as JSON.
pub(super) fn fields(
    marker: &mut Marker,
    survey: &Survey,
    item: &Item,
    carried: &Carried,
) -> Result<Record> {
    let mut row = Record::new();
    row.insert("id".into(), item.key.to_string().into());
    row.insert("question".into(), item.question.as_str().into());
    row.insert("type".into(), item.kind.name().into());
    if survey.options > 0 {
        row.insert(
            "options".into(),
            item.options.iter().map(|o| o.text.as_str()).collect(),
        );
    }
    row.insert("answer".into(), answer(item).into());
    for name in survey.texts() {
        row.insert(name.into(), text(item, name).unwrap_or_default().into());
    }
    let id = cells::key(&Value::from(item.key.to_string())).unwrap_or_else(|| item.key.clone());
    let mark = marker.mark(&row, id, item, carried)?;
    row.insert(roundtrip_column::COLUMN.into(), mark.into());
    Ok(row)
}
