//! What a file is, told by its first record and never by its name.

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use super::predictions::OUTPUT;
use super::records::{Record, Records};
use super::rows::{self, Container, json, object::Object};
use super::tools::inspect;
use super::{Format, third_party};
use crate::input::open;
use benchtop_model::mapping::{Mapping, guess};
use benchtop_model::{Error, ErrorKind, Result};

/// A file that can be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Where it is.
    pub path: PathBuf,
    /// What it holds.
    pub format: Format,
}

/// What lies at a path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recognised {
    /// Files that can be read, sorted by path.
    pub files: Vec<Found>,
    /// Files that cannot, each with the reason (the path is in it), sorted by path.
    pub unknown: Vec<Error>,
    /// How many pictures were passed.
    pub pictures: u64,
}

/// Recognises a file, or every file below a folder: sorted, hidden ones skipped, links followed only to files that lie inside
/// the folder.
///
/// # Errors
/// [`Error::io`] when the path itself cannot be read; [`ErrorKind::Input`] when it is a file of unknown form. Files found in a
/// folder never fail the whole: they are listed in [`Recognised::unknown`].
pub fn recognise(path: &Path) -> Result<Recognised> {
    let mut found = Recognised::default();
    let kind = std::fs::metadata(path).map_err(|e| Error::io(&e, "cannot open", path))?;
    if !kind.is_dir() {
        found.files.push(Found {
            path: path.to_path_buf(),
            format: one(path)?,
        });
        return Ok(found);
    }
    let root = path
        .canonicalize()
        .map_err(|e| Error::io(&e, "cannot open", path))?;
    let mut folders = vec![path.to_path_buf()];
    while let Some(folder) = folders.pop() {
        let entries = match std::fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(e) if folder == path => return Err(Error::io(&e, "cannot list", path)),
            Err(e) => {
                found.unknown.push(Error::io(&e, "cannot list", &folder));
                continue;
            }
        };
        for entry in entries.flatten() {
            let path = entry.path();
            if entry.file_name().as_encoded_bytes().starts_with(b".") {
                continue;
            }
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => folders.push(path),
                Ok(kind) if kind.is_symlink() && !inside(&path, &root) => {
                    found.unknown.push(
                        Error::input("a link that leads to a folder, outside, or nowhere")
                            .file(path),
                    );
                }
                _ if is_picture(&path) => found.pictures += 1,
                _ => match one(&path) {
                    Ok(format) => found.files.push(Found { path, format }),
                    Err(p) => found.unknown.push(p),
                },
            }
        }
    }
    found.files.sort_by(|a, b| a.path.cmp(&b.path));
    found
        .unknown
        .sort_by(|a, b| a.place.file.cmp(&b.place.file));
    Ok(found)
}

/// Whether a link leads to a regular file below `root`.
fn inside(link: &Path, root: &Path) -> bool {
    link.canonicalize()
        .is_ok_and(|target| target.starts_with(root) && target.is_file())
}

/// A file that is one of the tables `mapping` is meant for.
///
/// # Errors
/// [`ErrorKind::Input`] for what is no table, and for a column that is not there.
pub fn recognise_mapped(path: &Path, mapping: &Mapping) -> Result<Found> {
    mapping
        .check(&third_party::columns(path)?)
        .map_err(|p| p.file(path))?;
    let format = match (mapping.question.is_some(), mapping.output.is_some()) {
        (true, true) => Format::TableBoth,
        (true, false) => Format::Table,
        _ => Format::TablePredictions,
    };
    Ok(Found {
        path: path.to_path_buf(),
        format,
    })
}

fn one(path: &Path) -> Result<Format> {
    let found = match rows::container(path)? {
        Container::Json => by_members(path).unwrap_or_else(|| recognise_reader(&mut open(path)?)),
        Container::Zip if inspect::is_log(path)? => Ok(Format::InspectEval),
        Container::Zip => Err(Error::input("an archive that is no log of Inspect AI")
            .help("unpack it and name what is in it")),
        Container::Text(_) | Container::Xlsx | Container::Parquet => {
            let names = third_party::columns(path)?;
            by_columns(&names).unwrap_or_else(|| Err(unknown(&names, "a table of an unknown form")))
        }
    };
    found.map_err(|p| p.file(path))
}

fn unknown(names: &[String], what: &str) -> Error {
    let some: Vec<&str> = names.iter().take(12).map(String::as_str).collect();
    Error::new(
        ErrorKind::Input,
        format!("{what}, with the columns: {}", some.join(", ")),
    )
    .help(
        "benchtop import FILE --guess writes a mapping.toml, in which you say which column is what",
    )
}

/// Bytes of a file looked at to learn the members of the object that it is.
const MEMBERS: u64 = 64 << 20;

/// What an object that is a whole file holds, by the names of its members; `None` when it is a record of many.
fn by_members(path: &Path) -> Option<Result<Format>> {
    let mut object = Object::new(BufReader::new(open(path).ok()?.take(MEMBERS))).ok()?;
    let mut names: Vec<String> = Vec::new();
    while let Ok(Some(name)) = object.next_name() {
        names.push(name);
        let has = |list: &[&str]| list.iter().all(|n| names.iter().any(|name| name == n));
        let refused = |what: &str, help: &str| Some(Err(Error::input(what).help(help)));
        match names.last().map(String::as_str) {
            Some("0") if names.len() == 1 => {
                let first = object.take().ok()?;
                return first.get("prediction").map(|_| Ok(Format::OpenCompass));
            }
            Some("samples") if names.len() == 1 => return Some(Ok(Format::FiftyOne)),
            _ if has(&["version", "status", "eval"]) => return Some(Ok(Format::InspectJson)),
            _ if has(&["adapter_spec", "request_states"]) => return Some(Ok(Format::HelmState)),
            Some("annotations") if object.enter(b'[').ok()? => {
                let (_, first) = object.element(&mut rows::Tally::default()).ok()??;
                first.get("image_id")?;
                return match first.contains_key("caption") {
                    true => Some(Ok(Format::Coco)),
                    false => refused(
                        "COCO annotations without captions (boxes, masks), which ask nothing",
                        "captions are read; a question of your own needs a table",
                    ),
                };
            }
            _ if has(&["results", "configs"]) || has(&["results", "group_subtasks"]) => {
                return refused(
                    "lmms-eval's own scores, which are not read as answers",
                    "the samples beside it are; it gives them the model's name",
                );
            }
            _ if has(&["time", "results"]) => {
                return refused(
                    "what the Open VLM leaderboard says of models, which is no set of questions or answers",
                    "name the folder of predictions",
                );
            }
            _ => {}
        }
        object.skip().ok()?;
    }
    None
}

/// What a table of these columns holds.
fn by_columns(names: &[String]) -> Option<Result<Format>> {
    let has = |list: &[&str]| list.iter().all(|n| names.iter().any(|name| name == n));
    if has(&["index", "question", "prediction"]) {
        let judged = has(&["hit"]) || has(&["extracted", "score"]);
        return Some(Ok(if judged {
            Format::VlmResults
        } else {
            Format::VlmPredictions
        }));
    }
    if has(&["index", "question"]) {
        return Some(Ok(Format::VlmDataset));
    }
    if has(&["Overall"]) {
        let what = "VLMEvalKit's own scores; the answers are scored here instead";
        return Some(Err(
            Error::input(what).help("name the file of predictions beside it")
        ));
    }
    if has(&["instance_id", "stats"]) {
        let what = "HELM's own scores, which are read beside scenario_state.json and not alone";
        return Some(Err(Error::input(what).help("name scenario_state.json")));
    }
    if has(&["annotation_id", "lead_time"]) {
        return Some(Ok(Format::LabelStudioTable));
    }
    let found = guess(names);
    match (
        found.has_questions(),
        found.output.is_some() && found.id.is_some(),
    ) {
        (true, true) => Some(Ok(Format::TableBoth)),
        (true, false) => Some(Ok(Format::Table)),
        (false, true) => Some(Ok(Format::TablePredictions)),
        (false, false) => None,
    }
}

/// Recognises by the first record of `input`, which is read no further.
///
/// # Errors
/// [`ErrorKind::Input`] with the reason, [`ErrorKind::Io`]; the file's name is the caller's to add.
pub fn recognise_reader(input: &mut dyn BufRead) -> Result<Format> {
    let mut records = Records::new(input);
    let Some(raw) = records.next_record()? else {
        return Err(Error::input("the file holds no records"));
    };
    let record = match json::lenient(raw, &mut rows::Tally::default()) {
        // `{` and nothing closed on the first line: one indented object, which no form here is.
        Err(_) if raw.bytes.trim_ascii() == b"{" => {
            return Err(Error::input("one indented JSON object, not records").line(raw.line));
        }
        parsed => parsed?,
    };
    let line = raw.line;
    if let Some(format) = by_fields(&record) {
        return Ok(format);
    }
    let names: Vec<String> = record.keys().cloned().collect();
    by_columns(&names).unwrap_or_else(|| {
        let some: Vec<&str> = record.keys().take(6).map(String::as_str).collect();
        Err(Error::new(ErrorKind::Input, format!("records of an unknown form, with the fields: {}", some.join(", "))).help(
            "docs/formats.md lists what is known; benchtop import FILE --guess writes a mapping.toml for anything else",
        ))
    })
    .map_err(|p| p.line(line))
}

fn by_fields(record: &Record) -> Option<Format> {
    let has = |names: &[&str]| names.iter().all(|n| record.contains_key(*n));
    if has(&["dataset", "key", "form", "kind"]) {
        return Some(Format::BenchtopJsonl);
    }
    if has(&["q_a"]) {
        return Some(Format::DyscaNested);
    }
    if has(&["doc_id", "target"]) && (has(&["filtered_resps"]) || has(&["resps"])) {
        return Some(Format::LmmsSamples);
    }
    if has(&["input", "references"]) {
        return Some(Format::HelmInstances);
    }
    if record.get("data").is_some_and(|data| data.is_object())
        && (has(&["annotations"]) || has(&["predictions"]))
    {
        return Some(Format::LabelStudio);
    }
    if has(&["question_id"]) {
        if has(&["mcq_id", "question", "answer"]) {
            return Some(Format::MvpCircular);
        }
        if has(&["prediction"]) {
            return Some(Format::MvpEvaluated);
        }
        if OUTPUT.iter().any(|n| record.contains_key(*n)) {
            // Rotations are numbered question__set__rotation.
            let circular = record
                .get("question_id")
                .and_then(|v| v.as_str())
                .is_some_and(|id| id.split("__").count() == 3);
            return Some(if circular {
                Format::MvpCircularPredictions
            } else {
                Format::MvpPredictions
            });
        }
        return has(&["question", "answer"]).then_some(Format::MvpQuestions);
    }
    has(&["question_type", "answer"]).then_some(Format::DyscaJson)
}

/// Whether a file begins like a PNG, JPEG, GIF, WebP or BMP picture.
fn is_picture(path: &Path) -> bool {
    let Ok(mut input) = open(path) else {
        return false;
    };
    let Ok(head) = input.fill_buf() else {
        return false;
    };
    [&b"\x89PNG"[..], b"\xFF\xD8\xFF", b"GIF8", b"BM"]
        .iter()
        .any(|magic| head.starts_with(magic))
        || (head.starts_with(b"RIFF") && head.get(8..12) == Some(b"WEBP"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> std::result::Result<Format, String> {
        recognise_reader(&mut text.as_bytes()).map_err(|p| p.to_string())
    }

    #[test]
    fn content_decides() {
        assert_eq!(
            of(r#"[{"id": 1, "question_type": "x", "answer": "y"}]"#),
            Ok(Format::DyscaJson)
        );
        assert_eq!(of(r#"{"id": 1, "q_a": []}"#), Ok(Format::DyscaNested));
        assert_eq!(
            of(r#"{"question_id": 1, "question": "q", "answer": "a", "type": "t"}"#),
            Ok(Format::MvpQuestions)
        );
        assert_eq!(
            of(r#"[{"question_id": 1, "question": "q", "answer": "a", "mcq_id": 1}]"#),
            Ok(Format::MvpCircular)
        );
        assert_eq!(
            of(r#"{"question_id": 1, "output": "q"}"#),
            Ok(Format::MvpPredictions)
        );
        assert_eq!(
            of(r#"{"question_id": "1__1__0", "output": "q"}"#),
            Ok(Format::MvpCircularPredictions)
        );
        assert_eq!(
            of(r#"{"question_id": 1, "question": "q", "answer": "a", "prediction": "p"}"#),
            Ok(Format::MvpEvaluated)
        );
    }

    #[test]
    fn the_reason_is_told() {
        assert!(of("").unwrap_err().contains("no records"));
        assert!(
            of("{\n \"a\": 1\n}")
                .unwrap_err()
                .contains("one indented JSON object")
        );
        assert!(
            of("{\"a\": 1")
                .unwrap_err()
                .contains("line 1: the record is cut off")
        );
        assert!(
            of("{\"a\": 1, \"b\": 2}")
                .unwrap_err()
                .contains("with the fields: a, b")
        );
        assert!(
            of("\u{1}\u{2}")
                .unwrap_err()
                .contains("something that is not JSON")
        );
    }

    #[test]
    fn folders_are_walked_in_order_and_never_left() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("root");
        std::fs::create_dir_all(root.join("b/.hidden")).unwrap();
        let row = "{\"question_id\": 1, \"output\": \"q\"}\n";
        for name in [
            "root/z.jsonl",
            "root/b/a.json",
            "root/.secret",
            "root/b/.hidden/x.jsonl",
            "outside.jsonl",
        ] {
            std::fs::write(dir.path().join(name), row).unwrap();
        }
        std::fs::write(root.join("notes.txt"), "hello").unwrap();
        std::fs::write(root.join("a.png"), b"\x89PNG\r\n").unwrap();
        std::os::unix::fs::symlink(dir.path().join("outside.jsonl"), root.join("link.jsonl"))
            .unwrap();
        std::os::unix::fs::symlink(root.join("z.jsonl"), root.join("inner.jsonl")).unwrap();
        std::os::unix::fs::symlink(&root, root.join("b/loop")).unwrap();
        let found = recognise(&root).unwrap();
        let names: Vec<_> = found
            .files
            .iter()
            .map(|f| f.path.strip_prefix(&root).unwrap().to_str().unwrap())
            .collect();
        assert_eq!(names, ["b/a.json", "inner.jsonl", "z.jsonl"]);
        assert_eq!((found.unknown.len(), found.pictures), (3, 1));
        assert_eq!(
            recognise(&root.join("notes.txt")).unwrap_err().kind,
            ErrorKind::Input
        );
        assert_eq!(
            recognise(&root.join("nothing")).unwrap_err().kind,
            ErrorKind::NotFound
        );
    }
}
