//! Boards of files, without a project.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::{Answers, Scored, from_items, model_name};
use crate::formats::{self, Format, Found};
use crate::metrics::extract::Extractor;
use crate::model::{Kind, Problem, Result};

/// The board of the question and prediction files at these paths, files or folders, without a project. `rule` reads all answers, or else
/// each question's own.
///
/// A question file is a data set named by its stem. Where a model has a plain and an evaluated file for the same questions, the
/// evaluated one is used.
///
/// # Errors
/// [`Kind::Input`] for the first bad record, with file and line; [`Kind::NotFound`] when there are no questions or no predictions;
/// [`Problem::io`] when a path cannot be read.
pub fn from_paths(paths: &[PathBuf], rule: Option<Extractor>) -> Result<Scored> {
    let mut files: BTreeMap<PathBuf, Found> = BTreeMap::new();
    let mut skipped = Vec::new();
    for path in paths {
        let found = formats::recognise(path)?;
        skipped.extend(found.unknown);
        for file in found.files {
            let real = file.path.canonicalize().unwrap_or_else(|_| file.path.clone());
            files.entry(real).or_insert(file);
        }
    }
    let (answers, questions): (Vec<Found>, Vec<Found>) = files.into_values().partition(|f| f.format.is_predictions());
    let nothing = |what: &str| {
        Err(Problem::new(Kind::NotFound, format!("no {what} file among the paths given"))
            .help("name the folder or files of the questions and of the predictions"))
    };
    if questions.is_empty() {
        return nothing("question");
    }
    if answers.is_empty() {
        return nothing("prediction");
    }
    let mut items = Vec::new();
    for file in &questions {
        let dataset = file.path.file_stem().unwrap_or_default().to_string_lossy();
        for (_, item) in formats::items(&file.path, file.format, &dataset)? {
            items.push(item?);
        }
    }
    let mut sets = Vec::new();
    for file in &answers {
        let rows = formats::predictions(&file.path, file.format)?.map(|(_, row)| row).collect::<Result<_>>()?;
        sets.push(Answers {
            model: model_name(&file.path),
            source: file.path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            dataset: None,
            evaluated: file.format == Format::MvpEvaluated,
            rows,
        });
    }
    let mut scored = from_items(items, sets, rule)?;
    scored.skipped = skipped;
    Ok(scored)
}
