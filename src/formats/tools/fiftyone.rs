//! FiftyOne's `samples.json`: an object with the samples of a data set, each a picture with its own
//! fields.
//!
//! A `Classification` field other than the ground truth is the answer of a model with the field's
//! name.

use std::path::Path;

use serde_json::Value;

use super::{About, each, folder, renamed};
use crate::format::Format;
use crate::input::open;
use crate::records::Record;
use crate::rows::Rows;
use crate::rows::object::MemberRows;
use crate::third_party::Mapped;
use benchtop_model::Result;
use benchtop_model::mapping::guess;

const TRUTH: &str = "ground_truth";

/// The samples of a data set.
pub static SAMPLES: Format = Format {
    name: "fiftyone",
    title: "FiftyOne `samples.json`",
    recognized_by: "first member `samples`",
    named_in: "folder, the field's name",
    has_predictions: true,
    detect: |head| head.begins_with("samples").into(),
    about: |path, _| Ok(about(path)),
    rows: Some(|path, _| rows(path).map(Mapped::flat)),
    ..Format::QUESTIONS
};

/// The samples as rows.
///
/// # Errors
/// If the beginning of the file cannot be read.
fn rows(path: &Path) -> Result<Box<dyn Rows>> {
    Ok(each(
        Box::new(MemberRows::new(open(path)?, "samples")?),
        |sample| Ok(vec![flat(sample)]),
    ))
}

fn flat(sample: Record) -> Record {
    let label = |value: &Value| {
        let class = value["_cls"].as_str();
        let is_class = class.is_some_and(|class| class.starts_with("Classification"));
        value.get("label").filter(|_| is_class).cloned()
    };
    let truth = sample.get(TRUTH).and_then(label);
    let said = sample
        .iter()
        .filter(|(name, _)| *name != TRUTH)
        .find_map(|(name, value)| Some((name.clone(), label(value)?)));
    let id = sample.get("_id").and_then(|id| id.get("$oid")).cloned();
    let plain: Record = sample
        .into_iter()
        .filter(|(name, value)| !name.starts_with('_') && !value.is_object())
        .collect();
    let names: Vec<String> = plain.keys().cloned().collect();
    let mut row = renamed(&guess(&names), plain);
    if let (false, Some(id)) = (row.contains_key("id"), id) {
        row.insert("id".into(), id);
    }
    if let (false, Some(truth)) = (row.contains_key("answer"), truth) {
        row.insert("answer".into(), truth);
    }
    if let Some((model, label)) = said {
        if !row.contains_key("output") {
            row.insert("output".into(), label.clone());
        }
        row.insert("extracted".into(), label);
        row.insert("model".into(), model.into());
    }
    row
}

/// Number of samples that are searched for the model's name, because samples without an answer lack
/// the field.
const LOOKED_AT: usize = 1000;

/// The data set is the name of the export's folder, and the model is the field of the first answer.
fn about(path: &Path) -> About {
    let mut samples = rows(path).ok();
    let next = || samples.as_mut()?.next_row().ok().flatten();
    let said =
        |(_, row): (u64, Record)| row.get("model").and_then(Value::as_str).map(str::to_string);
    let model = std::iter::from_fn(next).take(LOOKED_AT).find_map(said);
    About {
        dataset: folder(path),
        model,
        ..About::default()
    }
}
