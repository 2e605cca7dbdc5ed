//! Detects the format of a file from its first record, never from its name.

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

/// A readable file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DetectedFile {
    pub path: PathBuf,
    pub format: Format,
}

/// The result of examining a path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Detected {
    /// Readable files, sorted by path.
    pub files: Vec<DetectedFile>,
    /// Other files with the reason (which includes the path), sorted by path.
    pub unknown: Vec<Error>,
    /// Number of pictures that were skipped.
    pub pictures: u64,
}

/// Detects the format of a file, or of every file in a folder. Files are sorted, hidden ones are
/// skipped, and links are followed only to files inside the folder.
///
/// # Errors
/// [`Error::io`] if the path itself cannot be read; [`ErrorKind::Input`] if it is a file of an
/// unknown format. Unreadable files in a folder are not errors; they are listed in
/// [`Detected::unknown`].
pub fn detect_files(path: &Path) -> Result<Detected> {
    let mut found = Detected::default();
    let kind = std::fs::metadata(path).map_err(|e| Error::io(&e, "cannot open", path))?;
    if !kind.is_dir() {
        found.files.push(DetectedFile {
            path: path.to_path_buf(),
            format: detect(path)?,
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
                        Error::input("the link does not lead to a file inside the folder")
                            .file(path),
                    );
                }
                _ if is_picture(&path) => found.pictures += 1,
                _ => match detect(&path) {
                    Ok(format) => found.files.push(DetectedFile { path, format }),
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

/// Checks that a file is a table that `mapping` fits.
///
/// # Errors
/// [`ErrorKind::Input`] if it is not a table, or if a mapped column does not exist.
pub fn detect_mapped(path: &Path, mapping: &Mapping) -> Result<DetectedFile> {
    mapping
        .check(&third_party::columns(path)?)
        .map_err(|p| p.file(path))?;
    let format = match (mapping.question.is_some(), mapping.output.is_some()) {
        (true, true) => Format::TableBoth,
        (true, false) => Format::Table,
        _ => Format::TablePredictions,
    };
    Ok(DetectedFile {
        path: path.to_path_buf(),
        format,
    })
}

fn detect(path: &Path) -> Result<Format> {
    let found = match rows::container(path)? {
        Container::Json => by_members(path).unwrap_or_else(|| detect_format(&mut open(path)?)),
        Container::Zip if inspect::is_log(path)? => Ok(Format::InspectEval),
        Container::Zip => Err(Error::input("the archive is not a log of Inspect AI")
            .help("unpack it and import its files")),
        Container::Text(_) | Container::Xlsx | Container::Parquet => {
            let names = third_party::columns(path)?;
            by_columns(&names).unwrap_or_else(|| Err(unknown(&names, "unknown table format")))
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
    .help("run `benchtop import FILE --guess` to write a mapping.toml, and map the columns there")
}

/// Number of bytes that are searched for the members of an object that is a whole file.
const MEMBERS: u64 = 64 << 20;

/// The format of an object that is a whole file, from the names of its members. `None` if it is one
/// record of many.
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
                        "COCO annotations without captions (boxes, masks) have no questions",
                        "import COCO captions, or put your own questions in a table",
                    ),
                };
            }
            _ if has(&["results", "configs"]) || has(&["results", "group_subtasks"]) => {
                return refused(
                    "the file has lmms-eval's scores and no answers",
                    "import the samples next to it; benchtop reads the model's name from this file",
                );
            }
            _ if has(&["time", "results"]) => {
                return refused(
                    "the file describes models of the Open VLM leaderboard and has neither questions nor answers",
                    "import the folder of predictions",
                );
            }
            _ => {}
        }
        object.skip().ok()?;
    }
    None
}

/// The format of a table with these columns.
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
        let what = "the file has VLMEvalKit's scores; benchtop scores the answers itself";
        return Some(Err(
            Error::input(what).help("import the file of predictions next to it")
        ));
    }
    if has(&["instance_id", "stats"]) {
        let what =
            "the file has HELM's scores, which are only read together with scenario_state.json";
        return Some(Err(Error::input(what).help("import scenario_state.json")));
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

/// Detects the format from the first record of `input`. Nothing after it is read.
///
/// # Errors
/// [`ErrorKind::Input`] with the reason, or [`ErrorKind::Io`]. The caller adds the file name.
pub fn detect_format(input: &mut dyn BufRead) -> Result<Format> {
    let mut records = Records::new(input);
    let Some(raw) = records.next_record()? else {
        return Err(Error::input("the file has no records"));
    };
    let record = match json::lenient(raw, &mut rows::Tally::default()) {
        // Only `{` on the first line: a single indented object, which no format here uses.
        Err(_) if raw.bytes.trim_ascii() == b"{" => {
            return Err(Error::input(
                "the file is a single indented JSON object, not a list of records",
            )
            .line(raw.line));
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
        Err(Error::new(ErrorKind::Input, format!("unknown record format, with the fields: {}", some.join(", "))).help(
            "see docs/formats.md for the known formats, or run `benchtop import FILE --guess` to write a mapping.toml",
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

/// Whether a file starts like a PNG, JPEG, GIF, WebP, or BMP picture.
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

    fn of(text: &str) -> Result<Format> {
        detect_format(&mut text.as_bytes())
    }

    #[test]
    fn format_is_detected_from_content() {
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
    fn unknown_files_have_a_reason() {
        for (text, line) in [
            ("", None),
            ("{\n \"a\": 1\n}", Some(1)),
            ("{\"a\": 1", Some(1)),
            ("\u{1}\u{2}", Some(1)),
        ] {
            let error = of(text).unwrap_err();
            assert_eq!(
                (error.kind, error.place.line),
                (ErrorKind::Input, line),
                "{error}"
            );
        }
        let error = of("{\"a\": 1, \"b\": 2}").unwrap_err();
        assert!(error.what.ends_with("a, b"), "{error}");
    }

    #[test]
    fn folders_are_walked_in_order_without_leaving_them() {
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
        let found = detect_files(&root).unwrap();
        let names: Vec<_> = found
            .files
            .iter()
            .map(|f| f.path.strip_prefix(&root).unwrap().to_str().unwrap())
            .collect();
        assert_eq!(names, ["b/a.json", "inner.jsonl", "z.jsonl"]);
        assert_eq!((found.unknown.len(), found.pictures), (3, 1));
        assert_eq!(
            detect_files(&root.join("notes.txt")).unwrap_err().kind,
            ErrorKind::Input
        );
        assert_eq!(
            detect_files(&root.join("nothing")).unwrap_err().kind,
            ErrorKind::NotFound
        );
    }
}
