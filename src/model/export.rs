//! Exports: the request, the formats as data, what an export would write, and its report.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::error::Error;

/// A request to export items.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExportRequest {
    /// Name of the format.
    pub format: String,
    /// File or folder; `None` for a stream.
    pub out: Option<PathBuf>,
    /// Filter words; empty for all items.
    pub filter: String,
    /// Copy the pictures next to the file.
    pub images: bool,
    /// Include items that show a draft.
    pub drafts: bool,
    /// Export the answers of models as well.
    pub with_predictions: bool,
}

/// A format that exports have.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExportFormat {
    pub name: &'static str,
    /// Its line in the help.
    pub summary: &'static str,
    /// Whether it writes one file. Otherwise it writes a folder.
    pub is_file: bool,
    /// Whether it always includes the pictures.
    pub has_pictures: bool,
    /// Whether it can include the answers of models.
    pub takes_answers: bool,
}

/// What an export would write.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ExportPlan {
    /// Items that match the filter.
    pub items: u64,
    /// Items of a form that the format does not hold.
    pub left_out: u64,
    /// Pictures that would be written, each once.
    pub pictures: u64,
    /// Pictures without a recorded file.
    pub without_file: u64,
    /// Data sets of the items.
    pub datasets: Vec<String>,
    /// Answers of models that would be written.
    pub answer_sets: u64,
    /// The file or folder that would be written.
    pub out: Option<PathBuf>,
    /// What is there already.
    pub existing: Existing,
    /// Files beside the named one, such as those of further scenarios.
    pub more_files: Vec<PathBuf>,
    /// How many of them exist and are replaced.
    pub more_replaced: u64,
}

/// What is at the path of an export.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Existing {
    #[default]
    Nothing,
    /// A file of this many bytes, which is replaced.
    File(u64),
    /// A folder with entries. Files of the same names are replaced.
    Folder,
}

/// What an export wrote.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ExportReport {
    pub items: u64,
    /// Items that the format cannot hold.
    pub left_out: u64,
    /// Files beside the named one, such as those of further scenarios.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub more_files: Vec<PathBuf>,
    /// Why the first of those that the format includes was left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_problem: Option<String>,
    /// Answers of models; `None` if they were not asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answers: Option<u64>,
    /// Answers to items that were not exported.
    pub unused_answers: u64,
    /// Items written without a picture.
    pub without_picture: u64,
    /// What the tool of the format does with them.
    #[serde(skip)]
    pub then: &'static str,
    /// Items that were set aside because of damaged or missing pictures.
    pub set_aside: u64,
    /// The first of them.
    pub aside: Vec<(String, Error)>,
}

impl ExportRequest {
    /// The arguments of the command line that does the same, after the name of the program.
    pub fn arguments(&self) -> Vec<String> {
        let mut all = vec!["export".to_string(), "--format".into(), self.format.clone()];
        if !self.filter.is_empty() {
            all.extend(["--filter".into(), self.filter.clone()]);
        }
        if let Some(out) = &self.out {
            all.extend(["--out".into(), out.to_string_lossy().into_owned()]);
        }
        let flags = [
            (self.images, "--pictures"),
            (self.drafts, "--drafts"),
            (self.with_predictions, "--with-predictions"),
        ];
        let set = flags.into_iter().filter(|(is_set, _)| *is_set);
        all.extend(set.map(|(_, flag)| flag.to_string()));
        all
    }
}
