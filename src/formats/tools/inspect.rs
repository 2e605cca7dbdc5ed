//! Inspect AI's logs: `.eval` (a zip archive with one JSON file per sample; deflate, or Zstandard
//! in newer versions) and `.json`.
//!
//! A truncated log has no `header.json`; the evaluation is then described in `_journal/start.json`.
//! Of duplicate members, the last counts. Long texts and pictures are in `attachments`. Source:
//! inspect_ai, log/_recorders/eval.py.

use std::fs::File;
use std::path::Path;

use serde_json::{Map, Value};
use zip::ZipArchive;

use super::{About, each, list_or_null, row};
use crate::cells;
use crate::format::Format;
use crate::head::{Detection, Head};
use crate::input::open;
use crate::records::{Raw, Record};
use crate::rows::json::lenient;
use crate::rows::object::{MemberRows, Object};
use crate::rows::sheet::broken;
use crate::rows::{Rows, Tally, bounded};
use crate::third_party::Mapped;
use benchtop_model::{Error, Result};

/// Maximum unpacked size of a sample: 64 MiB.
const SAMPLE_LIMIT: u64 = 64 << 20;
const FAILED: &str = "samples that ended with an error";

fn archive(path: &Path) -> Result<ZipArchive<File>> {
    let file = File::open(path).map_err(|e| Error::io(&e, "cannot open", path))?;
    ZipArchive::new(file).map_err(|e| broken(&e).file(path))
}

/// The log as a zip archive.
pub static EVAL_LOG: Format = Format {
    name: "inspect-eval",
    title: "Inspect AI `.eval`",
    recognized_by: "a zip with `header.json` or `_journal/start.json`",
    named_in: "inside",
    detect: |head| match head {
        Head::Archive(path) => is_log(path).map_or_else(Detection::Refused, Detection::from),
        _ => Detection::No,
    },
    about: |path, _| about(path, true),
    rows: Some(|path, _| rows(path, true).map(Mapped::flat)),
    ..Format::ASKED
};

/// The log as JSON.
pub static JSON_LOG: Format = Format {
    name: "inspect-json",
    title: "Inspect AI `.json`",
    recognized_by: "members `version`, `status`, `eval`",
    named_in: "inside",
    detect: |head| head.has_members(&["version", "status", "eval"]).into(),
    about: |path, _| about(path, false),
    rows: Some(|path, _| rows(path, false).map(Mapped::flat)),
    ..Format::ASKED
};

/// Whether the archive at `path` is a log.
///
/// # Errors
/// If it cannot be opened.
fn is_log(path: &Path) -> Result<bool> {
    let archive = archive(path)?;
    Ok(HEADERS
        .iter()
        .any(|name| archive.index_for_name(name).is_some()))
}

const HEADERS: [&str; 2] = ["header.json", "_journal/start.json"];

fn member(archive: &mut ZipArchive<File>, name: &str) -> Result<Vec<u8>> {
    let member = archive
        .by_name(name)
        .map_err(|e| broken(&format!("{name}: {e}")))?;
    bounded(member, SAMPLE_LIMIT, name)
}

struct Samples {
    archive: ZipArchive<File>,
    names: std::vec::IntoIter<String>,
    at: u64,
    tally: Tally,
}

impl Rows for Samples {
    fn next_row(&mut self) -> Result<Option<(u64, Record)>> {
        let Some(name) = self.names.next() else {
            return Ok(None);
        };
        self.at += 1;
        let place = |p: Error| p.line(self.at);
        let bytes = member(&mut self.archive, &name).map_err(place)?;
        let raw = Raw {
            line: self.at,
            bytes: &bytes,
        };
        let record = lenient(raw, &mut self.tally).map_err(|p| {
            place(Error::input(format!(
                "{name} is not valid JSON: {}",
                p.what
            )))
        })?;
        Ok(Some((self.at, record)))
    }

    fn tally(&self) -> Tally {
        self.tally.clone()
    }
}

/// The samples of a log as rows. The number of a row is that of its sample in the log.
///
/// # Errors
/// [`benchtop_model::ErrorKind::Input`] for a truncated archive, and I/O errors.
fn rows(path: &Path, zipped: bool) -> Result<Box<dyn Rows>> {
    let samples: Box<dyn Rows> = if zipped {
        let archive = archive(path)?;
        let mut names: Vec<String> = archive
            .file_names()
            .filter_map(|name| Some(name.ok()?.into_owned()))
            .collect();
        names.retain(|name| name.starts_with("samples/") && name.ends_with(".json"));
        Box::new(Samples {
            archive,
            names: names.into_iter(),
            at: 0,
            tally: Tally::default(),
        })
    } else {
        Box::new(MemberRows::new(open(path)?, "samples")?)
    };
    Ok(Box::new(Counted {
        rows: each(samples, |sample| Ok(vec![flat(sample)])),
        tally: Tally::default(),
    }))
}

/// Counts failed samples.
struct Counted {
    rows: Box<dyn Rows>,
    tally: Tally,
}

impl Rows for Counted {
    fn next_row(&mut self) -> Result<Option<(u64, Record)>> {
        let row = self.rows.next_row()?;
        if row
            .as_ref()
            .is_some_and(|(_, record)| record.contains_key("error"))
        {
            self.tally.add(FAILED);
        }
        Ok(row)
    }

    fn tally(&self) -> Tally {
        self.rows.tally().and(&self.tally)
    }
}

fn flat(mut sample: Record) -> Record {
    let attachments = match sample.remove("attachments") {
        Some(Value::Object(attachments)) => attachments,
        _ => Map::new(),
    };
    let whole = |text: &str| match text
        .strip_prefix("attachment://")
        .and_then(|id| attachments.get(id))
    {
        Some(Value::String(attached)) => attached.clone(),
        _ => text.to_string(),
    };
    let (mut texts, mut images) = (Vec::new(), Vec::new());
    match sample.get("input") {
        Some(Value::String(text)) => texts.push(whole(text)),
        Some(Value::Array(messages)) => {
            for content in messages
                .iter()
                .filter(|m| m.get("role").is_none_or(|r| r == "user"))
                .filter_map(|m| m.get("content"))
            {
                parts(content, &whole, &mut texts, &mut images);
            }
        }
        _ => {}
    }
    let metadata = sample.get("metadata").cloned().unwrap_or_default();
    let of = |name: &str| metadata.get(name).cloned().unwrap_or_default();
    if images.is_empty() {
        // For logs without pictures, a field of the data set often names the file.
        images.extend(
            ["image", "image_file", "image_path"]
                .iter()
                .find_map(|name| metadata.get(*name).cloned()),
        );
        texts.retain(|text| text != "(Image)");
    }
    let score = sample
        .get("scores")
        .and_then(Value::as_object)
        .and_then(|scores| scores.values().next());
    let right = score.and_then(|score| match score.get("value")? {
        Value::String(letter) => match letter.as_str() {
            "C" => Some(1.0),
            "P" => Some(0.5),
            "I" | "N" => Some(0.0),
            _ => None,
        },
        Value::Bool(right) => Some(f64::from(u8::from(*right))),
        other => other.as_f64(),
    });
    let failed = sample
        .get("error")
        .filter(|e| !e.is_null())
        .and_then(|e| e.get("message").or(Some(e)))
        .cloned();
    let thought = sample
        .get("output")
        .and_then(|output| reasoning(output, &whole));
    let output = if failed.is_some() {
        None
    } else {
        sample.get("output").and_then(|o| completion(o, &whole))
    };
    row([
        ("id", sample.get("id").cloned().unwrap_or_default()),
        ("epoch", sample.get("epoch").cloned().unwrap_or_default()),
        ("question", texts.join("\n").into()),
        ("images", list_or_null(images)),
        (
            "options",
            sample
                .get("choices")
                .filter(|c| c.as_array().is_some_and(|c| !c.is_empty()))
                .cloned()
                .unwrap_or_default(),
        ),
        ("answer", sample.get("target").cloned().unwrap_or_default()),
        ("output", output.map_or(Value::Null, Value::from)),
        ("reasoning", thought.map_or(Value::Null, Value::from)),
        ("right", right.map_or(Value::Null, Value::from)),
        (
            "extracted",
            score
                .and_then(|s| s.get("answer"))
                .cloned()
                .unwrap_or_default(),
        ),
        ("subtask", of("category")),
        ("level", of("level")),
        ("style", of("style")),
        ("error", failed.unwrap_or_default()),
    ])
}

/// The texts and pictures of a message.
fn parts(
    content: &Value,
    whole: &dyn Fn(&str) -> String,
    texts: &mut Vec<String>,
    images: &mut Vec<Value>,
) {
    match content {
        Value::String(text) => texts.push(whole(text)),
        Value::Array(list) => {
            for part in list {
                let field = |name: &str| part.get(name).and_then(Value::as_str).map(whole);
                match part.get("type").and_then(Value::as_str) {
                    Some("image") => images.extend(field("image").map(Value::from)),
                    Some("text") => texts.extend(field("text")),
                    _ => {}
                }
            }
        }
        _ => {}
    }
}

/// The text of an output: `completion` in newer logs, the first choice's message in all.
fn completion(output: &Value, whole: &dyn Fn(&str) -> String) -> Option<String> {
    if let Some(text) = output.get("completion").and_then(Value::as_str) {
        return Some(whole(text));
    }
    let content = output.pointer("/choices/0/message/content")?;
    let mut texts = Vec::new();
    parts(content, whole, &mut texts, &mut Vec::new());
    Some(texts.join("\n"))
}

/// The model's reasoning, which is in separate parts of its message.
fn reasoning(output: &Value, whole: &dyn Fn(&str) -> String) -> Option<String> {
    let parts = output.pointer("/choices/0/message/content")?.as_array()?;
    let is = |part: &&Value| part.get("type").and_then(Value::as_str) == Some("reasoning");
    let text = |part: &Value| part.get("reasoning").and_then(Value::as_str).map(whole);
    let found: Vec<String> = parts
        .iter()
        .filter(is)
        .filter_map(text)
        .filter(|text| !text.is_empty())
        .collect();
    (!found.is_empty()).then(|| found.join("\n"))
}

/// The data set, the model, and the time of a log.
///
/// # Errors
/// See [`rows`].
fn about(path: &Path, zipped: bool) -> Result<About> {
    let eval = if zipped {
        let mut archive = archive(path)?;
        let name = HEADERS
            .into_iter()
            .find(|name| archive.index_for_name(name).is_some())
            .unwrap_or(HEADERS[1]);
        let header: Value = serde_json::from_slice(&member(&mut archive, name)?)
            .map_err(|e| Error::input(format!("{name} is not valid JSON: {e}")).file(path))?;
        header.get("eval").cloned().unwrap_or_default()
    } else {
        let mut object = Object::new(open(path)?)?;
        loop {
            match object.next_name()?.as_deref() {
                Some("eval") => break object.take()?,
                Some(_) => object.skip()?,
                None => break Value::Null,
            }
        }
    };
    let of = |pointer: &str| {
        eval.pointer(pointer)
            .and_then(cells::text)
            .filter(|text| !text.is_empty())
    };
    Ok(About {
        dataset: of("/dataset/name").or_else(|| of("/task")),
        model: of("/model"),
        written: of("/created"),
        ..About::default()
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn reasoning_is_separate_from_the_answer() {
        let said = json!([{"type": "reasoning", "reasoning": "A dog barks."}, {"type": "text", "text": "B"}]);
        let sample = json!({"id": 1, "input": "What is it?", "choices": ["cat", "dog"], "target": "B",
            "output": {"choices": [{"message": {"role": "assistant", "content": said}}]}});
        let row = flat(sample.as_object().unwrap().clone());
        assert_eq!(
            (&row["output"], &row["reasoning"]),
            (&json!("B"), &json!("A dog barks."))
        );
    }

    /// Python writes bare `NaN`s, which are read as missing, in both forms of a log.
    #[test]
    fn missing_values_and_failed_samples_are_counted() {
        let sample = r#"{"id": 1, "input": "What is it?", "target": "B", "scores": {"a": {"value": NaN}},
            "error": {"message": "out of memory"}}"#;
        let header = r#"{"version": 2, "status": "success", "eval": {"task": "t", "model": "m"}}"#;
        let dir = tempfile::tempdir().unwrap();
        let json = dir.path().join("log.json");
        let whole = format!(
            r#"{{"version": 2, "status": "success", "eval": {{}}, "samples": [{sample}]}}"#
        );
        std::fs::write(&json, whole).unwrap();
        let zip = dir.path().join("log.eval");
        let mut archive = zip::ZipWriter::new(File::create(&zip).unwrap());
        for (name, text) in [("header.json", header), ("samples/1_epoch_1.json", sample)] {
            let options = zip::write::SimpleFileOptions::default();
            archive.start_file(name, options).unwrap();
            std::io::Write::write_all(&mut archive, text.as_bytes()).unwrap();
        }
        archive.finish().unwrap();
        for (path, zipped) in [(&json, false), (&zip, true)] {
            let mut rows = rows(path, zipped).unwrap();
            let (_, record) = rows.next_row().unwrap().unwrap();
            assert_eq!(record["error"], json!("out of memory"));
            assert!(!record.contains_key("right"), "{record:?}");
            assert!(rows.next_row().unwrap().is_none());
            let notes: Vec<String> = rows.tally().notes().collect();
            assert_eq!(notes.len(), 2, "{path:?}: {notes:?}");
        }
    }
}
