//! The questions and model predictions in Label Studio's tasks. [`crate::verdicts::label_studio`]
//! reads the annotations in the same files as verdicts.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use super::{About, each, renamed, stem};
use crate::format::Format;
use crate::head::Head;
use crate::input::open;
use crate::records::{Record, list_in, text_in};
use crate::rows;
use crate::rows::json::JsonRows;
use crate::third_party::Mapped;
use benchtop_model::mapping::{Mapping, guess};

/// Fields of its tables besides the task's data. JSON-MIN has all but the last.
pub const OWN: [&str; 8] = [
    "id",
    "annotator",
    "annotation_id",
    "created_at",
    "updated_at",
    "lead_time",
    "agreement",
    "annotation_comment",
];

/// The key that [`Tasks`] gives to a task's question, and the question, from the task's data or
/// (with `table`) from a flat record of its tables. `id` is Label Studio's number of the task.
pub fn asked(mut data: Record, id: Option<Value>, table: bool) -> (Option<Value>, Option<String>) {
    if table {
        OWN.iter().for_each(|name| drop(data.remove(*name)));
    }
    let mut question = renamed(&mapping(&data), data);
    let text = text_in(&question, "question").map(str::to_string);
    (question.remove("id").or(id), text)
}

/// Tasks: one row per model with a prediction, and one for a task without any.
pub static TASKS: Format = Format {
    name: "label-studio",
    title: "Label Studio JSON",
    recognized_by: "`data` with `annotations` or `predictions`",
    named_in: "file, `model_version`",
    has_predictions: true,
    detect: |head| {
        let has_data = match head {
            Head::Record(record) => record.get("data").is_some_and(Value::is_object),
            _ => false,
        };
        (has_data && (head.has_fields(&["annotations"]) || head.has_fields(&["predictions"])))
            .into()
    },
    about: |path, _| Ok(about(path)),
    rows: Some(|path, _| {
        let records = Box::new(JsonRows::new(open(path)?));
        Ok(Mapped::flat(each(records, |record| Ok(task(record)))))
    }),
    ..Format::QUESTIONS
};

/// JSON-MIN, CSV, or TSV.
pub static TABLE: Format = Format {
    name: "label-studio-table",
    title: "Label Studio JSON-MIN, CSV, TSV",
    recognized_by: "`annotation_id`, `lead_time`",
    detect: |head| head.has_columns(&["annotation_id", "lead_time"]).into(),
    about: |path, _| Ok(about(path)),
    rows: Some(|path, _| {
        Ok(Mapped::flat(each(rows::of(path)?, |record| {
            Ok(vec![table_row(record)])
        })))
    }),
    ..Format::QUESTIONS
};

fn about(path: &Path) -> About {
    // DyscaA.min.json, DyscaA.all.json, and DyscaA.csv are exports of one project.
    About::of(stem(path).split('.').next().unwrap_or_default())
}

/// The mapping of a task's data, from its field names.
fn mapping(data: &Record) -> Mapping {
    let names: Vec<String> = data.keys().cloned().collect();
    let mut found = guess(&names);
    if data.contains_key("key") {
        // If there is a `key`, `answer` is a control for annotators.
        found.answer = Some("key".into());
    }
    found
}

fn task(mut record: Record) -> Vec<Record> {
    let id = record.get("id").cloned().unwrap_or_default();
    let predicted = predictions(&record);
    let Some(Value::Object(data)) = record.remove("data") else {
        return Vec::new();
    };
    let mut question = renamed(&mapping(&data), data);
    if !question.contains_key("id") {
        question.insert("id".into(), id);
    }
    question.remove("output");
    question.remove("model");
    if predicted.is_empty() {
        return vec![question];
    }
    let row = |(model, output): (String, String)| {
        let mut row = question.clone();
        row.insert("model".into(), model.into());
        row.insert("output".into(), output.into());
        row
    };
    predicted.into_iter().map(row).collect()
}

/// The prediction of each model: under `predictions`, or inside annotations that were made from
/// one.
fn predictions(record: &Record) -> BTreeMap<String, String> {
    let within = list_in(record, "annotations").iter();
    let within = within.filter_map(|annotation| annotation.get("prediction"));
    let all = list_in(record, "predictions").iter().chain(within);
    let mut found = BTreeMap::new();
    for prediction in all {
        let model = prediction["model_version"].as_str();
        let model = model.unwrap_or("model").to_string();
        if let Some(text) = prediction.get("result").and_then(chosen) {
            found.entry(model).or_insert(text);
        }
    }
    found
}

/// The choice or text of the first region that has one.
fn chosen(result: &Value) -> Option<String> {
    let of = |region: &Value| {
        let value = region.get("value")?;
        let text = value.get("choices").or_else(|| value.get("text"))?;
        text.get(0).unwrap_or(text).as_str().map(str::to_string)
    };
    result.as_array()?.iter().find_map(of)
}

fn table_row(mut record: Record) -> Record {
    let task = record.get("id").cloned();
    OWN.iter().for_each(|name| drop(record.remove(*name)));
    if record.contains_key("key") {
        record.remove("answer");
    }
    let mut row = renamed(&mapping(&record), record);
    if let (false, Some(task)) = (row.contains_key("id"), task) {
        row.insert("id".into(), task);
    }
    ["output", "model", "right", "extracted"]
        .iter()
        .for_each(|name| drop(row.remove(*name)));
    row
}
