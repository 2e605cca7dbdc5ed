//! lmms-eval: `<model>/<time>_samples_<task>.jsonl` next to `<time>_results.json`.
//!
//! A sample has no document: its text `input` is the prompt, and `doc_id` is the row of the data
//! set, from 0. Old files nest the answer in two lists, newer ones do not (lmms-eval,
//! evaluation_tracker.py, commit 75571cf).

use std::path::Path;

use serde_json::Value;

use super::{About, each, folder, list_or_null, row, stem};
use crate::cells;
use crate::choices::taken_apart;
use crate::format::Format;
use crate::head::Detection;
use crate::input::open;
use crate::records::{Record, text_in};
use crate::rows::json::JsonRows;
use crate::third_party::Mapped;

/// Fields of a sample that are not metrics.
const NOT_METRICS: [&str; 13] = [
    "doc_id",
    "target",
    "filtered_resps",
    "resps",
    "token_counts",
    "doc_hash",
    "prompt_hash",
    "target_hash",
    "input",
    "input_media",
    "doc",
    "arguments",
    "filter",
];

/// The samples of a task.
pub static SAMPLES: Format = Format {
    name: "lmms-eval-samples",
    title: "lmms-eval samples",
    recognized_by: "`doc_id`, `target`, `filtered_resps` or `resps`",
    named_in: "file, `*_results.json` beside it, folder",
    detect: |head| {
        if head.has_members(&["results", "configs"])
            || head.has_members(&["results", "group_subtasks"])
        {
            return Detection::refused(
                "the file has lmms-eval's scores and no answers",
                "import the samples next to it; benchtop reads the model's name from this file",
            );
        }
        let answered = |name| head.has_fields(&["doc_id", "target", name]);
        (answered("filtered_resps") || answered("resps")).into()
    },
    about: |path, _| Ok(about(path)),
    rows: Some(|path, _| {
        let samples = Box::new(JsonRows::new(open(path)?));
        Ok(Mapped::flat(each(samples, |record| {
            Ok(vec![sample(record)])
        })))
    }),
    ..Format::ASKED
};

fn sample(mut record: Record) -> Record {
    let input = text_in(&record, "input").unwrap_or_default().to_string();
    let (question, options) = taken_apart(&input);
    // The raw answer is present if the filtered one differs.
    let answered = record
        .get("resps")
        .and_then(first)
        .or_else(|| record.get("filtered_resps").and_then(first));
    let metrics = || {
        record
            .iter()
            .filter(|(name, _)| !NOT_METRICS.contains(&name.as_str()))
    };
    let score = |value: &Value| {
        value
            .as_f64()
            .or_else(|| value.as_bool().map(|b| f64::from(u8::from(b))))
    };
    let nested =
        |value: &Value, names: &[&str]| names.iter().find_map(|name| value.get(name).cloned());
    let right = metrics().find_map(|(_, value)| score(value)).or_else(|| {
        metrics().find_map(|(_, value)| nested(value, &["score"]).as_ref().and_then(score))
    });
    let extracted =
        metrics().find_map(|(_, value)| nested(value, &["pred", "parsed_pred", "pred_answer"]));
    let subtask = metrics().find_map(|(_, value)| nested(value, &["category", "sub_category"]));
    let mut flat = row([
        ("id", record.get("doc_id").cloned().unwrap_or_default()),
        ("question", question.into()),
        ("options", list_or_null(options)),
        ("answer", record.remove("target").unwrap_or_default()),
        ("output", answered.map_or(Value::Null, Value::from)),
        ("right", right.map_or(Value::Null, Value::from)),
        ("extracted", extracted.unwrap_or_default()),
        ("subtask", subtask.unwrap_or_default()),
    ]);
    flat.insert("input".into(), input.into());
    flat
}

/// The first text in nested lists.
fn first(value: &Value) -> Option<String> {
    match value {
        Value::Array(list) => list.first().and_then(first),
        other => cells::text(other),
    }
}

/// The model, data set, and time from the name and folder of a file of samples, and from the
/// results next to it.
fn about(path: &Path) -> About {
    let name = stem(path);
    let (written, task) = match name.split_once("_samples_") {
        Some((written, task)) => (Some(written.to_string()), Some(task.to_string())),
        None => (None, name.strip_prefix("samples_").map(str::to_string)),
    };
    let results = written
        .as_ref()
        .map(|when| path.with_file_name(format!("{when}_results.json")));
    let said = results.and_then(|path| std::fs::read(path).ok());
    let said: Option<Value> = said.and_then(|bytes| serde_json::from_slice(&bytes).ok());
    let model = said.and_then(|results| {
        let args = results["config"]["model_args"].as_str();
        let named = args
            .unwrap_or_default()
            .split(',')
            .find_map(|arg| arg.trim().strip_prefix("model_name=").map(str::to_string));
        named.or_else(|| {
            Some(results.get("model_name")?.as_str()?.to_string()).filter(|name| !name.is_empty())
        })
    });
    About {
        dataset: task,
        model: model.or_else(|| folder(path)),
        written,
        positions: true,
        ..About::default()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn old_and_new_shapes_of_an_answer_are_read() {
        for answer in [json!([["B"]]), json!(["B"]), json!("B")] {
            let value = json!({"doc_id": 3, "target": "B", "filtered_resps": answer, "input": "What?\nA. x\nB. y\nAnswer.",
                "mme": {"score": 1.0, "pred": "B", "category": "c"}});
            let row = sample(value.as_object().unwrap().clone());
            assert_eq!(
                (&row["id"], &row["output"], &row["right"]),
                (&json!(3), &json!("B"), &json!(1.0))
            );
            assert_eq!(
                (&row["question"], &row["options"]),
                (&json!("What?"), &json!(["x", "y"]))
            );
        }
        let none = sample(
            json!({"doc_id": 3, "target": "B", "resps": [], "exact_match": 0.0})
                .as_object()
                .unwrap()
                .clone(),
        );
        assert!(!none.contains_key("output") && none["right"] == json!(0.0));
    }
}
