//! A short look at a path before an import: what it is, and what would come in.
//!
//! The look is bounded: a link is not followed, only regular files are opened, and at most
//! [`RECORDS`] records of a file and [`FILES`] files of a folder are read.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::format::{Format, Questions};
use super::{detect_files, items, predictions};
use benchtop_model::cancel::Cancel;
use benchtop_model::sorting::sort_by_key;
use benchtop_model::{Error, Result};

/// Most records of a file that are counted.
pub const RECORDS: u64 = 20_000;
/// Most files of a folder that are recognized.
pub const FILES: usize = 50;
/// Records that are shown.
const SHOWN: usize = 3;
/// The largest spreadsheet or archive that is opened: it is read as a whole.
const LARGEST_WHOLE: u64 = 32 << 20;
/// Records between two checks for cancellation.
const STEP: u64 = 64;

/// What is at a path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "is")]
pub enum Inspection {
    File(FileInspection),
    Folder(FolderInspection),
    /// A link, which is not followed.
    Link {
        to: PathBuf,
    },
    /// Nothing that an import reads.
    Unknown {
        why: String,
    },
}

/// What would come in from a file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct FileInspection {
    /// Name of the format.
    pub format: &'static str,
    /// Its name in the documentation.
    pub title: &'static str,
    pub items: u64,
    pub predictions: u64,
    /// Pictures that the items name, each once.
    pub pictures: u64,
    /// Records that cannot be read, and why the first of them cannot.
    pub unreadable: u64,
    pub first_problem: Option<String>,
    /// Whether there are more records than were counted.
    pub more: bool,
    /// The model and the data set that the file names.
    pub model: Option<String>,
    pub dataset: Option<String>,
    /// The first questions, or outputs.
    pub first: Vec<String>,
    pub notes: Vec<String>,
}

/// What is in a folder, without its subfolders.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct FolderInspection {
    /// Names of the recognized files, each with the title of its format.
    pub files: Vec<(String, &'static str)>,
    pub folders: u64,
    pub pictures: u64,
    /// Files that are not recognized.
    pub unknown: u64,
    /// Whether there are more entries than were looked at.
    pub more: bool,
}

/// Looks at a path. What cannot be read is a result too.
///
/// # Errors
/// Only cancellation.
pub fn inspect(path: &Path, cancel: Cancel<'_>) -> Result<Inspection> {
    let why = |problem: Error| Inspection::Unknown {
        why: problem.what
            + &problem
                .help
                .map_or(String::new(), |help| format!("; {help}")),
    };
    let found = match path.symlink_metadata() {
        Ok(found) => found,
        Err(e) => return Ok(why(Error::io(&e, "cannot open", path))),
    };
    if found.is_symlink() {
        let to = path.read_link().unwrap_or_default();
        return Ok(Inspection::Link { to });
    }
    let looked = if found.is_dir() {
        folder(path, cancel).map(Inspection::Folder)
    } else if found.is_file() {
        file(path, found.len(), cancel).map(Inspection::File)
    } else {
        Err(Error::input("not a regular file"))
    };
    cancel.check()?;
    Ok(looked.unwrap_or_else(why))
}

/// The format of a regular file.
fn format_of(path: &Path) -> Result<&'static Format> {
    let found = detect_files(path)?.files.into_iter().next();
    found
        .map(|found| found.format)
        .ok_or_else(|| Error::input("no known format"))
}

fn file(path: &Path, bytes: u64, cancel: Cancel<'_>) -> Result<FileInspection> {
    if bytes > LARGEST_WHOLE && is_archive(path) {
        return Err(Error::input(
            "too large to look into; an import reads it anyway",
        ));
    }
    let format = format_of(path)?;
    let about = (format.about)(path, &[]).unwrap_or_default();
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let mut found = FileInspection {
        format: format.name,
        title: format.title,
        model: about.model,
        dataset: about.dataset.clone(),
        ..FileInspection::default()
    };
    if format.questions != Questions::No {
        let dataset = about.dataset.as_deref().unwrap_or(&stem);
        let mut reader = items(path, format, dataset)?;
        let mut pictures = HashSet::new();
        let mut read = 0;
        for (_, item) in reader.by_ref() {
            if !found.counts(&mut read, cancel)? {
                break;
            }
            match item {
                Ok(item) => {
                    found.items += 1;
                    found.show(&item.question);
                    pictures.extend(item.images.into_iter().map(|image| image.name));
                }
                Err(problem) => found.fail(&problem),
            }
        }
        found.pictures = pictures.len() as u64;
        found.notes.extend(reader.notes());
    }
    if format.has_predictions {
        let mut reader = predictions(path, format)?;
        let mut read = 0;
        for (_, prediction) in reader.by_ref() {
            if !found.counts(&mut read, cancel)? {
                break;
            }
            match prediction {
                Ok(prediction) => {
                    found.predictions += 1;
                    if found.items == 0 {
                        found.show(&prediction.output);
                    }
                }
                // Its question was counted already.
                Err(_) if found.unreadable > 0 => {}
                Err(problem) => found.fail(&problem),
            }
        }
        for note in reader.notes() {
            if !found.notes.contains(&note) {
                found.notes.push(note);
            }
        }
    }
    Ok(found)
}

impl FileInspection {
    /// Counts a record that was read. False if no more are to be counted.
    fn counts(&mut self, read: &mut u64, cancel: Cancel<'_>) -> Result<bool> {
        if (*read).is_multiple_of(STEP) {
            cancel.check()?;
        }
        *read += 1;
        self.more |= *read > RECORDS;
        Ok(*read <= RECORDS)
    }

    fn show(&mut self, text: &str) {
        if self.first.len() < SHOWN {
            self.first.push(text.chars().take(300).collect());
        }
    }

    fn fail(&mut self, problem: &Error) {
        self.unreadable += 1;
        if self.first_problem.is_none() {
            self.first_problem = Some(match problem.place.line {
                Some(line) => format!("line {line}: {}", problem.what),
                None => problem.what.clone(),
            });
        }
    }
}

/// Whether a file begins as a zip archive does.
fn is_archive(path: &Path) -> bool {
    use std::io::Read;
    let mut head = [0; 4];
    let read = std::fs::File::open(path).and_then(|mut file| file.read_exact(&mut head));
    read.is_ok() && head == *b"PK\x03\x04"
}

fn folder(path: &Path, cancel: Cancel<'_>) -> Result<FolderInspection> {
    let entries = std::fs::read_dir(path).map_err(|e| Error::io(&e, "cannot list", path))?;
    let mut names: Vec<_> = entries
        .flatten()
        .filter(|entry| !entry.file_name().as_encoded_bytes().starts_with(b"."))
        .take(FILES * 20)
        .collect();
    sort_by_key(&mut names, std::fs::DirEntry::file_name);
    let mut found = FolderInspection::default();
    let mut looked = 0;
    for entry in names {
        cancel.check()?;
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => found.folders += 1,
            Ok(kind) if kind.is_file() => {
                if looked == FILES {
                    found.more = true;
                    continue;
                }
                let path = entry.path();
                if super::detect::is_picture(&path) {
                    found.pictures += 1;
                    continue;
                }
                looked += 1;
                let is_large = entry.metadata().is_ok_and(|m| m.len() > LARGEST_WHOLE);
                match format_of(&path) {
                    _ if is_large && is_archive(&path) => found.unknown += 1,
                    Ok(format) => {
                        let name = entry.file_name().to_string_lossy().into_owned();
                        found.files.push((name, format.title));
                    }
                    Err(_) => found.unknown += 1,
                }
            }
            _ => found.unknown += 1,
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicBool;

    fn look(path: &Path) -> Inspection {
        inspect(path, Cancel::NEVER).unwrap()
    }

    fn file(path: &Path) -> FileInspection {
        match look(path) {
            Inspection::File(file) => file,
            other => panic!("{other:?}"),
        }
    }

    fn questions(n: u64) -> String {
        let row =
            |n| format!("{{\"id\": {n}, \"question\": \"Is it {n}?\", \"answer\": \"yes\"}}\n");
        (1..=n).map(row).collect()
    }

    #[test]
    fn a_file_says_what_would_come_in() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("kites.jsonl");
        std::fs::write(&path, questions(5) + "{\"id\": broken}\n").unwrap();
        let found = file(&path);
        assert_eq!(
            (found.format, found.items, found.unreadable),
            ("table", 5, 1)
        );
        assert_eq!(found.first, ["Is it 1?", "Is it 2?", "Is it 3?"]);
        assert!(found.first_problem.unwrap().starts_with("line 6"));
        let path = dir.path().join("answers.jsonl");
        std::fs::write(&path, "{\"question_id\": 1, \"output\": \"A\"}\n").unwrap();
        let found = file(&path);
        assert_eq!((found.items, found.predictions), (0, 1));
        assert_eq!(found.first, ["A"]);
    }

    #[test]
    fn a_long_file_is_counted_up_to_a_limit() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("long.jsonl");
        std::fs::write(&path, questions(RECORDS + 5)).unwrap();
        let found = file(&path);
        assert_eq!((found.items, found.more), (RECORDS, true));
        let canceled = AtomicBool::new(true);
        assert!(inspect(&path, Cancel::flag(&canceled)).is_err());
    }

    #[test]
    fn links_pipes_and_hostile_files_are_not_read() {
        let dir = tempfile::tempdir().unwrap();
        let path = |name: &str| dir.path().join(name);
        std::fs::write(path("real.jsonl"), questions(1)).unwrap();
        std::os::unix::fs::symlink(path("real.jsonl"), path("link.jsonl")).unwrap();
        let to = path("real.jsonl");
        assert_eq!(look(&path("link.jsonl")), Inspection::Link { to });
        let made = std::process::Command::new("mkfifo")
            .arg(path("pipe"))
            .status();
        assert!(made.unwrap().success());
        let hostile: [(&str, &[u8]); 4] = [
            ("deep.json", &[b'['; 100_000]),
            ("binary", &[0xff, 0, 1, 2]),
            ("empty.jsonl", b""),
            ("zip.xlsx", b"PK\x03\x04not really"),
        ];
        for (name, bytes) in hostile {
            std::fs::write(path(name), bytes).unwrap();
        }
        for name in [
            "pipe",
            "deep.json",
            "binary",
            "empty.jsonl",
            "zip.xlsx",
            "nothing",
        ] {
            assert!(
                matches!(look(&path(name)), Inspection::Unknown { .. }),
                "{name}"
            );
        }
    }

    #[test]
    fn a_folder_says_which_of_its_files_are_known() {
        let dir = tempfile::tempdir().unwrap();
        let path = |name: &str| dir.path().join(name);
        std::fs::create_dir(path("deeper")).unwrap();
        std::fs::write(path("b.jsonl"), questions(1)).unwrap();
        std::fs::write(path("notes.txt"), "hello").unwrap();
        std::fs::write(path("a.png"), b"\x89PNG\r\n").unwrap();
        std::fs::write(path(".hidden.jsonl"), questions(1)).unwrap();
        let Inspection::Folder(found) = look(dir.path()) else {
            panic!("no folder")
        };
        assert_eq!((found.folders, found.pictures, found.unknown), (1, 1, 1));
        assert_eq!(found.files.len(), 1);
        assert_eq!(found.files[0].0, "b.jsonl");
    }
}
