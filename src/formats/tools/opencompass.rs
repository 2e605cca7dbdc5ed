//! OpenCompass: `predictions/<model>/<dataset>.json`, one object with a member per question, named
//! by its position from 0; or parts `<dataset>_0.json`, `<dataset>_1.json`, in each of which
//! positions start again.
//!
//! Source: opencompass/openicl/icl_inferencer/icl_base_inferencer.py, commit a5acc4b.

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{About, folder, list_or_null, row, stem};
use crate::choices::taken_apart;
use crate::format::Format;
use crate::head::Head;
use crate::input::open;
use crate::records::Record;
use crate::rows::object::Object;
use crate::rows::{Rows, Tally};
use crate::third_party::Mapped;
use benchtop_model::Result;

/// The answers of a model.
pub static PREDICTIONS: Format = Format {
    name: "opencompass-predictions",
    title: "OpenCompass predictions",
    recognized_by: "first member `\"0\"` with a `prediction`",
    named_in: "folder, file",
    detect: |head| {
        let is_first = head.begins_with("0");
        let answer = match head {
            Head::Members(members) if is_first => members.value(),
            _ => None,
        };
        answer
            .is_some_and(|row| row.get("prediction").is_some())
            .into()
    },
    about: |path, _| Ok(about(path)),
    rows: Some(|path, _| rows(path).map(Mapped::flat)),
    ..Format::ASKED
};

struct Members<R> {
    object: Object<R>,
    before: u64,
    at: u64,
    done: bool,
    tally: Tally,
}

impl<R: std::io::BufRead + Send> Rows for Members<R> {
    fn next_row(&mut self) -> Result<Option<(u64, Record)>> {
        if self.done {
            return Ok(None);
        }
        self.done = true;
        let Some(name) = self.object.next_name()? else {
            return Ok(None);
        };
        let (line, record) = self.object.record(&mut self.tally)?;
        self.done = false;
        let position = self.before + name.parse::<u64>().unwrap_or(self.at);
        self.at += 1;
        Ok(Some((line, flat(position, record))))
    }

    fn tally(&self) -> Tally {
        self.tally.clone()
    }
}

fn flat(position: u64, record: Record) -> Record {
    let prompt = match record.get("origin_prompt") {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(turns)) => {
            let of = |turn: &Value| Some(turn.get("prompt")?.as_str()?.to_string());
            turns
                .iter()
                .filter(|turn| turn.get("role").is_none_or(|r| r == "HUMAN"))
                .filter_map(of)
                .collect::<Vec<_>>()
                .join("\n")
        }
        _ => String::new(),
    };
    let (question, options) = taken_apart(&prompt);
    let output = record.get("prediction").map(|value| match value {
        Value::Array(list) => list.first().cloned().unwrap_or_default(),
        other => other.clone(),
    });
    let mut flat = row([
        ("id", position.into()),
        ("question", question.into()),
        ("options", list_or_null(options)),
        ("answer", record.get("gold").cloned().unwrap_or_default()),
        ("output", output.unwrap_or_default()),
    ]);
    flat.insert("input".into(), prompt.into());
    flat
}

/// The answers of a file as rows.
///
/// # Errors
/// If the beginning of the file, or an earlier part, cannot be read.
fn rows(path: &Path) -> Result<Box<dyn Rows>> {
    let mut before = 0;
    for part in parts_before(path) {
        let mut object = Object::new(BufReader::new(open(&part)?)).map_err(|p| p.file(&part))?;
        while object.next_name().map_err(|p| p.file(&part))?.is_some() {
            object.skip().map_err(|p| p.file(&part))?;
            before += 1;
        }
    }
    Ok(Box::new(Members {
        object: Object::new(open(path)?)?,
        before,
        at: 0,
        done: false,
        tally: Tally::default(),
    }))
}

/// The data set's name and the part's number, if the file is a part.
fn part(path: &Path) -> Option<(String, u32)> {
    let name = stem(path);
    let (dataset, number) = name.rsplit_once('_')?;
    let number: u32 = number.parse().ok()?;
    // A data set's name may end with a number. A part has the first part next to it.
    let first = path.with_file_name(format!("{dataset}_0.json"));
    (number < 10_000 && File::open(first).is_ok()).then(|| (dataset.to_string(), number))
}

fn parts_before(path: &Path) -> Vec<PathBuf> {
    let Some((dataset, number)) = part(path) else {
        return Vec::new();
    };
    (0..number)
        .map(|n| path.with_file_name(format!("{dataset}_{n}.json")))
        .filter(|p| p.is_file())
        .collect()
}

/// The data set, the model, and the time from the name and folders of a file.
fn about(path: &Path) -> About {
    let part = part(path);
    let dataset = part
        .as_ref()
        .map_or_else(|| stem(path), |(dataset, _)| dataset.clone());
    let part_of = part.map(|(dataset, _)| path.with_file_name(dataset));
    // outputs/<config>/<time>/predictions/<model>/<dataset>.json
    let written = path
        .ancestors()
        .nth(3)
        .and_then(|p| Some(p.file_name()?.to_string_lossy().into_owned()));
    let written = written.filter(|name| name.starts_with("20"));
    About {
        dataset: Some(dataset),
        model: folder(path),
        written,
        part_of,
        positions: true,
        ..About::default()
    }
}
