//! An import: the request, its progress, and its report.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::error::Error;
use super::mapping::Mapping;

/// What to bring in.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ImportRequest {
    /// Absolute paths of files or folders.
    pub paths: Vec<PathBuf>,
    /// Refer to pictures where they are.
    pub link: bool,
    /// Take what is good and report the rest.
    pub keep_going: bool,
    /// Name of the data set; the file's stem otherwise.
    pub dataset: Option<String>,
    /// Name of the model; what the file says otherwise.
    pub model: Option<String>,
    /// Which column of a table is what; guessed by their names otherwise.
    pub mapping: Option<Box<Mapping>>,
}

/// How far a long command is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Progress {
    /// What is being done.
    pub what: String,
    /// Units done.
    pub done: u64,
    /// Units in all, when known.
    pub of: Option<u64>,
}

/// What an import did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// Items added.
    pub items: u64,
    /// Predictions added.
    pub predictions: u64,
    /// Records that were there already.
    pub already: u64,
    /// Records dropped because the same file holds them before.
    pub duplicates: u64,
    /// Pictures copied in or linked.
    pub pictures: u64,
    /// Pictures that records name and that were not there.
    pub missing_pictures: u64,
    /// What each file was taken for.
    pub files: Vec<FileReport>,
    /// Records skipped (with `keep_going`), with line and field.
    pub skipped: Vec<Error>,
    /// Skipped records beyond those listed.
    pub skipped_more: u64,
    /// What else a person should know.
    pub notes: Vec<String>,
    /// Pictures taken in that cannot be shown: no image, too large or damaged.
    pub unreadable_pictures: u64,
    /// The first of them by name, with the reason.
    pub unreadable: Vec<(String, String)>,
}

/// What one file was taken for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileReport {
    /// The file.
    pub path: PathBuf,
    /// Its format, or why it was passed over.
    pub format: String,
    /// Records added from it.
    pub added: u64,
}
