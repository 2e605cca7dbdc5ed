//! What a file is, told by its first record and never by its name.

use std::io::BufRead;
use std::path::{Path, PathBuf};

use super::predictions::OUTPUT;
use super::records::{Record, Records};
use super::{Format, open};
use crate::model::{Kind, Problem, Result};

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
    pub unknown: Vec<Problem>,
    /// How many pictures were passed.
    pub pictures: u64,
}

/// Recognises a file, or every file below a folder: sorted, hidden ones skipped, links followed only to files that lie inside
/// the folder.
///
/// # Errors
/// [`Problem::io`] when the path itself cannot be read; [`Kind::Input`] when it is a file of unknown form. Files found in a
/// folder never fail the whole: they are listed in [`Recognised::unknown`].
pub fn recognise(path: &Path) -> Result<Recognised> {
    let mut found = Recognised::default();
    let kind = std::fs::metadata(path).map_err(|e| Problem::io(&e, "cannot open", path))?;
    if !kind.is_dir() {
        found.files.push(Found { path: path.to_path_buf(), format: one(path)? });
        return Ok(found);
    }
    let root = path.canonicalize().map_err(|e| Problem::io(&e, "cannot open", path))?;
    let mut folders = vec![path.to_path_buf()];
    while let Some(folder) = folders.pop() {
        let entries = match std::fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(e) if folder == path => return Err(Problem::io(&e, "cannot list", path)),
            Err(e) => {
                found.unknown.push(Problem::io(&e, "cannot list", &folder));
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
                    found.unknown.push(Problem::input("a link that leads to a folder, outside, or nowhere").file(path));
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
    found.unknown.sort_by(|a, b| a.place.file.cmp(&b.place.file));
    Ok(found)
}

/// Whether a link leads to a regular file below `root`.
fn inside(link: &Path, root: &Path) -> bool {
    link.canonicalize().is_ok_and(|target| target.starts_with(root) && target.is_file())
}

fn one(path: &Path) -> Result<Format> {
    recognise_reader(&mut open(path)?).map_err(|p| p.file(path))
}

/// Recognises by the first record of `input`, which is read no further.
///
/// # Errors
/// [`Kind::Input`] with the reason, [`Kind::Io`]; the file's name is the caller's to add.
pub fn recognise_reader(input: &mut dyn BufRead) -> Result<Format> {
    let mut records = Records::new(input);
    let Some(raw) = records.next_record()? else {
        return Err(Problem::input("the file holds no records"));
    };
    let record = match raw.parse() {
        // `{` and nothing closed on the first line: one indented object, which no form here is.
        Err(_) if raw.bytes.trim_ascii() == b"{" => {
            return Err(Problem::input("one indented JSON object, not records").line(raw.line));
        }
        parsed => parsed?,
    };
    let line = raw.line;
    by_fields(&record).ok_or_else(|| {
        let names: Vec<&str> = record.keys().take(6).map(String::as_str).collect();
        Problem::new(Kind::Input, format!("records of an unknown form, with the fields: {}", names.join(", ")))
            .line(line)
            .help("known are Dysca's and MVP-Bench's questions, MVP-Bench's predictions, and benchtop's own JSONL")
    })
}

fn by_fields(record: &Record) -> Option<Format> {
    let has = |names: &[&str]| names.iter().all(|n| record.contains_key(*n));
    if has(&["dataset", "key", "form", "kind"]) {
        return Some(Format::BenchtopJsonl);
    }
    if has(&["q_a"]) {
        return Some(Format::DyscaNested);
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
            let circular =
                record.get("question_id").and_then(|v| v.as_str()).is_some_and(|id| id.split("__").count() == 3);
            return Some(if circular { Format::MvpCircularPredictions } else { Format::MvpPredictions });
        }
        return has(&["question", "answer"]).then_some(Format::MvpQuestions);
    }
    has(&["question_type", "answer"]).then_some(Format::DyscaJson)
}

/// Whether a file begins like a PNG, JPEG, GIF, WebP or BMP picture.
fn is_picture(path: &Path) -> bool {
    let Ok(mut input) = open(path) else { return false };
    let Ok(head) = input.fill_buf() else { return false };
    [&b"\x89PNG"[..], b"\xFF\xD8\xFF", b"GIF8", b"BM"].iter().any(|magic| head.starts_with(magic))
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
        assert_eq!(of(r#"[{"id": 1, "question_type": "x", "answer": "y"}]"#), Ok(Format::DyscaJson));
        assert_eq!(of(r#"{"id": 1, "q_a": []}"#), Ok(Format::DyscaNested));
        assert_eq!(of(r#"{"question_id": 1, "question": "q", "answer": "a", "type": "t"}"#), Ok(Format::MvpQuestions));
        assert_eq!(of(r#"[{"question_id": 1, "question": "q", "answer": "a", "mcq_id": 1}]"#), Ok(Format::MvpCircular));
        assert_eq!(of(r#"{"question_id": 1, "output": "q"}"#), Ok(Format::MvpPredictions));
        assert_eq!(of(r#"{"question_id": "1__1__0", "output": "q"}"#), Ok(Format::MvpCircularPredictions));
        assert_eq!(
            of(r#"{"question_id": 1, "question": "q", "answer": "a", "prediction": "p"}"#),
            Ok(Format::MvpEvaluated)
        );
    }

    #[test]
    fn the_reason_is_told() {
        assert!(of("").unwrap_err().contains("no records"));
        assert!(of("{\n \"a\": 1\n}").unwrap_err().contains("one indented JSON object"));
        assert!(of("{\"a\": 1").unwrap_err().contains("line 1: the record is cut off"));
        assert!(of("{\"a\": 1, \"b\": 2}").unwrap_err().contains("with the fields: a, b"));
        assert!(of("\u{1}\u{2}").unwrap_err().contains("something that is not JSON"));
    }

    #[test]
    fn folders_are_walked_in_order_and_never_left() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("root");
        std::fs::create_dir_all(root.join("b/.hidden")).unwrap();
        let row = "{\"question_id\": 1, \"output\": \"q\"}\n";
        for name in ["root/z.jsonl", "root/b/a.json", "root/.secret", "root/b/.hidden/x.jsonl", "outside.jsonl"] {
            std::fs::write(dir.path().join(name), row).unwrap();
        }
        std::fs::write(root.join("notes.txt"), "hello").unwrap();
        std::fs::write(root.join("a.png"), b"\x89PNG\r\n").unwrap();
        std::os::unix::fs::symlink(dir.path().join("outside.jsonl"), root.join("link.jsonl")).unwrap();
        std::os::unix::fs::symlink(root.join("z.jsonl"), root.join("inner.jsonl")).unwrap();
        std::os::unix::fs::symlink(&root, root.join("b/loop")).unwrap();
        let found = recognise(&root).unwrap();
        let names: Vec<_> = found.files.iter().map(|f| f.path.strip_prefix(&root).unwrap().to_str().unwrap()).collect();
        assert_eq!(names, ["b/a.json", "inner.jsonl", "z.jsonl"]);
        assert_eq!((found.unknown.len(), found.pictures), (3, 1));
        assert_eq!(recognise(&root.join("notes.txt")).unwrap_err().kind, Kind::Input);
        assert_eq!(recognise(&root.join("nothing")).unwrap_err().kind, Kind::NotFound);
    }
}
