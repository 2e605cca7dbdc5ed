//! Detects the format of a file from its first record, never from its name.

use std::io::BufRead;
use std::path::{Path, PathBuf};

use super::format::Format;
use super::head::{Detection, Head, Members};
use super::records::Records;
use super::registry::FORMATS;
use super::rows::{self, Container, json};
use super::third_party;
use super::tools::table;
use crate::input::open;
use benchtop_model::mapping::Mapping;
use benchtop_model::sorting::sort_by;
use benchtop_model::{Error, ErrorKind, Result};

/// A readable file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DetectedFile {
    pub path: PathBuf,
    pub format: &'static Format,
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
    sort_by(&mut found.files, |a, b| a.path.cmp(&b.path));
    sort_by(&mut found.unknown, |a, b| a.place.file.cmp(&b.place.file));
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
        (true, true) => &table::BOTH,
        (true, false) => &table::QUESTIONS,
        _ => &table::PREDICTIONS,
    };
    Ok(DetectedFile {
        path: path.to_path_buf(),
        format,
    })
}

fn detect(path: &Path) -> Result<&'static Format> {
    let found = match rows::container(path)? {
        Container::Json => by_members(path).unwrap_or_else(|| detect_format(&mut open(path)?)),
        Container::Zip => asked(&mut Head::Archive(path)).unwrap_or_else(|| {
            Err(Error::input("the archive is not a log of Inspect AI")
                .help("unpack it and import its files"))
        }),
        Container::Text(_) | Container::Xlsx | Container::Parquet => {
            let names = third_party::columns(path)?;
            asked(&mut Head::Columns(&names))
                .unwrap_or_else(|| Err(unknown(&names, "unknown table format")))
        }
    };
    found.map_err(|p| p.file(path))
}

/// Asks every format about the beginning of a file. The first that is sure decides.
fn asked(head: &mut Head<'_>) -> Option<Result<&'static Format>> {
    let mut formats = FORMATS.iter();
    formats.find_map(|&format| match (format.detect)(head) {
        Detection::No => None,
        Detection::Sure => Some(Ok(format)),
        Detection::Refused(problem) => Some(Err(problem)),
    })
}

fn unknown(names: &[String], what: &str) -> Error {
    let some: Vec<&str> = names.iter().take(12).map(String::as_str).collect();
    Error::new(
        ErrorKind::Input,
        format!("{what}, with the columns: {}", some.join(", ")),
    )
    .help("run `benchtop import FILE --guess` to write a mapping.toml, and map the columns there")
}

/// The format of an object that is a whole file, from the names of its members. `None` if it is one
/// record of many.
fn by_members(path: &Path) -> Option<Result<&'static Format>> {
    let mut members = Members::open(path)?;
    while members.advance() {
        if let Some(found) = asked(&mut Head::Members(&mut members)) {
            return Some(found);
        }
    }
    None
}

/// Detects the format from the first record of `input`. Nothing after it is read.
///
/// # Errors
/// [`ErrorKind::Input`] with the reason, or [`ErrorKind::Io`]. The caller adds the file name.
pub fn detect_format(input: &mut dyn BufRead) -> Result<&'static Format> {
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
    let names: Vec<String> = record.keys().cloned().collect();
    asked(&mut Head::Record(&record))
        .or_else(|| asked(&mut Head::Columns(&names)))
        .unwrap_or_else(|| {
            let some: Vec<&str> = record.keys().take(6).map(String::as_str).collect();
            Err(Error::new(ErrorKind::Input, format!("unknown record format, with the fields: {}", some.join(", "))).help(
                "see docs/formats.md for the known formats, or run `benchtop import FILE --guess` to write a mapping.toml",
            ))
        })
        .map_err(|p| p.line(raw.line))
}

/// Whether a file starts like a PNG, JPEG, GIF, WebP, or BMP picture.
pub(crate) fn is_picture(path: &Path) -> bool {
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

    fn of(text: &str) -> Result<&'static str> {
        detect_format(&mut text.as_bytes()).map(|format| format.name)
    }

    #[test]
    fn format_is_detected_from_content() {
        assert_eq!(
            of(r#"[{"id": 1, "question_type": "x", "answer": "y"}]"#),
            Ok("dysca")
        );
        assert_eq!(of(r#"{"id": 1, "q_a": []}"#), Ok("dysca-nested"));
        assert_eq!(
            of(r#"{"question_id": 1, "question": "q", "answer": "a", "type": "t"}"#),
            Ok("mvp-questions")
        );
        assert_eq!(
            of(r#"[{"question_id": 1, "question": "q", "answer": "a", "mcq_id": 1}]"#),
            Ok("mvp-circular")
        );
        assert_eq!(
            of(r#"{"question_id": 1, "output": "q"}"#),
            Ok("mvp-predictions")
        );
        assert_eq!(
            of(r#"{"question_id": "1__1__0", "output": "q"}"#),
            Ok("mvp-circular-predictions")
        );
        assert_eq!(
            of(r#"{"question_id": 1, "question": "q", "answer": "a", "prediction": "p"}"#),
            Ok("mvp-evaluated")
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
