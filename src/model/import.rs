//! An import: the request, its progress, and its report.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::error::{Error, Result};
use super::mapping::Mapping;

/// A request to import files.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ImportRequest {
    /// Absolute paths of files or folders.
    pub paths: Vec<PathBuf>,
    /// Link pictures instead of copying them.
    pub link: bool,
    /// Skip bad records and report them.
    pub keep_going: bool,
    /// Name of the data set [default: the file's stem].
    pub dataset: Option<String>,
    /// Name of the model [default: as stated in the file].
    pub model: Option<String>,
    /// The columns of a table [default: guessed by name].
    pub mapping: Option<Box<Mapping>>,
    /// The questions are variants of those of a data set.
    pub variant_of: Option<VariantOf>,
}

/// What imported questions are variants of. They are joined by key.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct VariantOf {
    /// Name of the variant.
    pub variant: String,
    /// The data set of the originals.
    pub dataset: String,
}

impl VariantOf {
    /// The data set of variants that name none themselves.
    pub fn own_dataset(&self) -> String {
        format!("{}-{}", self.dataset, self.variant.replace('/', "_"))
    }

    /// Checks the names.
    ///
    /// # Errors
    /// [`Error::usage`] with the field.
    pub fn check(&self) -> Result<()> {
        for (field, name) in [("variant", &self.variant), ("of", &self.dataset)] {
            let is_bad = name.trim().is_empty() || name.len() > VARIANT_LIMIT;
            if is_bad || name.chars().any(char::is_control) {
                let what = format!(
                    "invalid name: it is empty, longer than {VARIANT_LIMIT} bytes, or has control characters"
                );
                return Err(Error::usage(what).field(field));
            }
        }
        Ok(())
    }
}

/// Longest name of a variant, in bytes.
const VARIANT_LIMIT: usize = 200;

/// The progress of a long command.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Progress {
    /// The current step.
    pub what: String,
    pub done: u64,
    /// Total number of units, if known.
    pub of: Option<u64>,
}

/// The result of an import.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    pub items: u64,
    pub predictions: u64,
    /// Records that already existed.
    pub already: u64,
    /// Records dropped as duplicates within a file.
    pub duplicates: u64,
    /// Pictures copied or linked.
    pub pictures: u64,
    /// Pictures that records name but that were not found.
    pub missing_pictures: u64,
    /// The recognized format of each file.
    pub files: Vec<FileReport>,
    /// Skipped records (with `keep_going`), with line and field.
    pub skipped: Vec<Error>,
    /// Number of skipped records beyond those listed.
    pub skipped_more: u64,
    /// Other notes for the user.
    pub notes: Vec<String>,
    /// Imported pictures that cannot be shown: not an image, too large, or damaged.
    pub unreadable_pictures: u64,
    /// Names and reasons of the first of them.
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
