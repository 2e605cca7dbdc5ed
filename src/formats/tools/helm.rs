//! HELM's run folders: `scenario_state.json` (questions with answers), `instances.json`
//! (questions), and the scores in `per_instance_stats.json`, which are read together with the
//! first.
//!
//! Source: helm/benchmark/adaptation/scenario_state.py and metrics/metric.py, commit 63754d0.

use std::collections::HashMap;
use std::path::Path;

use serde_json::Value;

use super::{About, each, folder, list_or_null, row};
use crate::cells;
use crate::format::Format;
use crate::head::Detection;
use crate::input::open;
use crate::records::{Record, list_in};
use crate::rows::object::{MemberRows, Object};
use crate::rows::{Rows, json};
use crate::third_party::Mapped;
use benchtop_model::{Key, Result, ToolVerdict};

/// The file with the scores.
const STATS: &str = "per_instance_stats.json";
/// Stats that show whether an answer is right, in order of preference.
const RIGHT: [&str; 3] = ["exact_match", "quasi_exact_match", "prefix_exact_match"];

/// The questions of a run with a model's answers.
pub static STATE: Format = Format {
    name: "helm-scenario-state",
    title: "HELM `scenario_state.json`",
    recognized_by: "members `adapter_spec`, `request_states`",
    named_in: "inside, folder",
    detect: |head| head.has_members(&["adapter_spec", "request_states"]).into(),
    about: |path, _| Ok(about(path, true)),
    rows: Some(|path, _| rows(path, true).map(Mapped::flat)),
    verdicts: |path| verdicts(path),
    ..Format::ASKED
};

/// The questions of a run.
pub static INSTANCES: Format = Format {
    name: "helm-instances",
    title: "HELM `instances.json`",
    recognized_by: "`input`, `references`",
    named_in: "folder",
    detect: |head| {
        if head.has_columns(&["instance_id", "stats"]) {
            let what =
                "the file has HELM's scores, which are only read together with scenario_state.json";
            return Detection::refused(what, "import scenario_state.json");
        }
        head.has_fields(&["input", "references"]).into()
    },
    about: |path, _| Ok(about(path, false)),
    rows: Some(|path, _| rows(path, false).map(Mapped::flat)),
    ..Format::QUESTIONS
};

/// The requests of a run, or only its questions.
///
/// # Errors
/// If the beginning of the file cannot be read.
fn rows(path: &Path, state: bool) -> Result<Box<dyn Rows>> {
    if !state {
        let instances = Box::new(json::JsonRows::new(open(path)?));
        return Ok(each(instances, |instance| {
            Ok(vec![question(&Value::Object(instance))])
        }));
    }
    Ok(each(
        Box::new(MemberRows::new(open(path)?, "request_states")?),
        |state| {
            let mut row = question(state.get("instance").unwrap_or(&Value::Null));
            let trial = state.get("train_trial_index").filter(|t| !t.is_null());
            trial.map(|trial| row.insert("epoch".into(), trial.clone()));
            let result = state.get("result").unwrap_or(&Value::Null);
            let good = result["success"].as_bool() != Some(false);
            let text = result.pointer("/completions/0/text").filter(|_| good);
            let said = text.map(|text| ("output", text));
            if let Some((name, said)) = said.or_else(|| Some(("error", result.get("error")?))) {
                row.insert(name.into(), said.clone());
            }
            // Answers use these letters of the shuffled options.
            if let Some(Value::Object(letters)) = state.get("output_mapping") {
                row.insert("options".into(), letters.values().cloned().collect());
            }
            Ok(vec![row])
        },
    ))
}

/// The question of an instance.
fn question(instance: &Value) -> Record {
    let (mut texts, mut images) = (Vec::new(), Vec::new());
    texts.extend(
        instance
            .pointer("/input/text")
            .and_then(cells::text)
            .filter(|text| !text.is_empty()),
    );
    let media = instance
        .pointer("/input/multimedia_content/media_objects")
        .and_then(Value::as_array);
    for object in media.into_iter().flatten() {
        let kind = object["content_type"].as_str();
        let is_image = kind.is_some_and(|t| t.starts_with("image"));
        match is_image {
            true => images.extend(object.get("location").cloned()),
            false => texts.extend(object.get("text").and_then(cells::text)),
        }
    }
    let (mut options, mut answer) = (Vec::new(), Value::Null);
    for reference in instance["references"].as_array().into_iter().flatten() {
        let text = reference["output"]["text"].clone();
        let tags = reference["tags"].as_array();
        let correct = tags.is_some_and(|t| t.iter().any(|t| t == "correct"));
        if correct && answer.is_null() {
            answer = text.clone();
        }
        options.push(text);
    }
    row([
        ("id", instance.get("id").cloned().unwrap_or_default()),
        ("question", texts.join("\n").into()),
        ("images", list_or_null(images)),
        (
            "options",
            if options.len() > 1 {
                options.into()
            } else {
                Value::Null
            },
        ),
        ("answer", answer),
        ("split", instance.get("split").cloned().unwrap_or_default()),
    ])
}

/// The data set and model from the name of a run folder: `scenario:args,method=...,model=...`. A
/// state file names its model itself.
fn about(path: &Path, state: bool) -> About {
    let run = folder(path).unwrap_or_default();
    let named = run.split(',').find_map(|part| {
        part.split_once("model=")
            .map(|(_, model)| model.to_string())
    });
    let said = if state { model(path) } else { None };
    let dataset = run
        .split(',')
        .next()
        .map(|name| name.replace(':', "_"))
        .filter(|name| !name.is_empty());
    About {
        dataset,
        model: said.or(named),
        ..About::default()
    }
}

fn model(path: &Path) -> Option<String> {
    let mut object = Object::new(open(path).ok()?).ok()?;
    while let Some(name) = object.next_name().ok()? {
        if name == "adapter_spec" {
            return object.take().ok()?.get("model").and_then(cells::text);
        }
        object.skip().ok()?;
    }
    None
}

/// The verdicts in the scores file next to a state file.
///
/// # Errors
/// If that file cannot be read.
fn verdicts(path: &Path) -> Result<HashMap<Key, ToolVerdict>> {
    let (mut found, file) = (HashMap::new(), path.with_file_name(STATS));
    if !file.is_file() {
        return Ok(found);
    }
    let mut rows = json::JsonRows::new(open(&file)?);
    while let Some((_, record)) = rows.next_row().map_err(|p| p.file(&file))? {
        let Some(key) = record.get("instance_id").and_then(cells::key) else {
            continue;
        };
        let stats = list_in(&record, "stats");
        let of = |name: &&str| {
            stats
                .iter()
                .find(|s| s.pointer("/name/name").and_then(Value::as_str) == Some(name))
        };
        let right = RIGHT
            .iter()
            .find_map(of)
            .and_then(|stat| stat.get("mean")?.as_f64());
        found.insert(
            key,
            ToolVerdict {
                right,
                extracted: None,
            },
        );
    }
    Ok(found)
}
