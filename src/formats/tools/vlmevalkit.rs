//! VLMEvalKit: tables of questions with pictures in base64 (`LMUData/<dataset>.tsv`), predictions
//! (`<model>/[T<time>/]<model>_<dataset>.xlsx|tsv|json`), and predictions with verdicts
//! (`..._result.*`, `..._auxmatch.*`).
//!
//! Source: VLMEvalKit, vlmeval/smp/file.py and vlmeval/dataset/image_mcq.py, commit e8e78f0.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::{About, stem, table};
use crate::format::Format;
use crate::head::Detection;
use crate::mapped::verdict;
use crate::out::WITHOUT_OPTIONS;
use crate::third_party::Mapped;
use crate::{cells, rows};
use benchtop_model::mapping::guess;
use benchtop_model::sorting::sort_by_key;
use benchtop_model::{Key, Result, ToolVerdict};

/// File name suffixes of files with verdicts, longest first.
const ENDS_OF_RESULTS: [&str; 5] = [
    "_exact_matching_result",
    "_openai_result",
    "_auxmatch",
    "_result",
    "_judge",
];
const ENDINGS: [&str; 3] = ["xlsx", "tsv", "json"];

/// The table of questions.
pub static DATASET: Format = Format {
    name: "vlmevalkit",
    title: "VLMEvalKit table (TSV)",
    recognized_by: "columns `index`, `question`",
    pictures_by_row: true,
    detect: |head| {
        if head.has_columns(&["Overall"]) && !head.has_columns(&["index", "question"]) {
            let what = "the file has VLMEvalKit's scores; benchtop scores the answers itself";
            return Detection::refused(what, "import the file of predictions next to it");
        }
        if head.has_members(&["time", "results"]) {
            return Detection::refused(
                "the file describes models of the Open VLM leaderboard and has neither questions nor answers",
                "import the folder of predictions",
            );
        }
        head.has_columns(&["index", "question"]).into()
    },
    about: |path, _| {
        Ok(About {
            dataset: table::stored_dataset(path),
            ..About::default()
        })
    },
    rows: Some(|path, mapping| {
        // `hit` comes with the log of the match, `extracted` with the score. Categories are
        // subtasks, groups of categories are tasks.
        Mapped::table(path, mapping)
    }),
    ..Format::QUESTIONS
};

/// The answers of a model, with the questions.
pub static PREDICTIONS: Format = Format {
    name: "vlmevalkit-predictions",
    title: "VLMEvalKit predictions (xlsx, tsv, json)",
    recognized_by: "columns `index`, `question`, `prediction`",
    named_in: "file, folder",
    pictures_by_row: true,
    detect: |head| {
        head.has_columns(&["index", "question", "prediction"])
            .into()
    },
    about: |path, known| Ok(about(path, false, known)),
    rows: Some(Mapped::table),
    verdicts: |path| verdicts(path),
    ..Format::ASKED
};

/// The answers of a model, with verdicts.
pub static RESULTS: Format = Format {
    name: "vlmevalkit-results",
    title: "VLMEvalKit results",
    recognized_by: "columns of predictions with `hit`, or `extracted` and `score`",
    named_in: "file, folder; verdicts for the file they were made from",
    pictures_by_row: true,
    detect: |head| {
        let judged = head.has_columns(&["hit"]) || head.has_columns(&["extracted", "score"]);
        match judged {
            true => (PREDICTIONS.detect)(head),
            false => Detection::No,
        }
    },
    about: |path, known| Ok(about(path, true, known)),
    rows: Some(Mapped::table),
    ..Format::ASKED
};

/// The data set and model from the name and folder of a file of predictions or verdicts.
fn about(path: &Path, results: bool, known: &[String]) -> About {
    let own = stem(path);
    let verdicts_of = if results { plain_file(path) } else { None };
    let whole = match (&verdicts_of, results) {
        (Some(plain), _) => stem(plain),
        (None, true) => ENDS_OF_RESULTS
            .iter()
            .find_map(|end| own.strip_suffix(end))
            .unwrap_or(&own)
            .to_string(),
        (None, false) => own.clone(),
    };
    let folders: Vec<String> = path
        .ancestors()
        .skip(1)
        .take(2)
        .filter_map(|p| Some(p.file_name()?.to_string_lossy().into_owned()))
        .collect();
    let by_folder = folders.iter().find_map(|model| {
        let dataset = whole.strip_prefix(model.as_str())?.strip_prefix('_')?;
        Some((model.clone(), dataset.to_string()))
    });
    let by_dataset = || {
        let mut known: Vec<&String> = known
            .iter()
            .filter(|name| whole.ends_with(&format!("_{name}")))
            .collect();
        sort_by_key(&mut known, |name| name.len());
        let dataset = known.pop()?;
        Some((
            whole.get(..whole.len() - dataset.len() - 1)?.to_string(),
            dataset.clone(),
        ))
    };
    // A folder of the run: T20260818-101500, or the older T20250101_G<hash>.
    let when = |name: &&String| {
        name.strip_prefix('T')
            .is_some_and(|rest| rest.starts_with("20"))
    };
    let (model, dataset) = match by_folder.or_else(by_dataset) {
        Some((model, dataset)) => (
            Some(model),
            Some(
                dataset
                    .strip_suffix(WITHOUT_OPTIONS)
                    .unwrap_or(&dataset)
                    .to_string(),
            ),
        ),
        None => (Some(whole), None),
    };
    // Answers to questions without options belong to the run of the file next to them.
    let ending = path
        .extension()
        .map(|e| e.to_string_lossy().into_owned())
        .unwrap_or_default();
    let part_of = own
        .strip_suffix(WITHOUT_OPTIONS)
        .map(|whole| path.with_file_name(format!("{whole}.{ending}")));
    About {
        dataset,
        model,
        written: folders.iter().find(when).cloned(),
        verdicts_of,
        part_of,
        ..About::default()
    }
}

/// The file of plain predictions that a file with verdicts was made from: the longest name that its
/// name begins with.
fn plain_file(path: &Path) -> Option<PathBuf> {
    let own = stem(path);
    let beside = std::fs::read_dir(path.parent()?)
        .ok()?
        .flatten()
        .map(|entry| entry.path());
    let plain = beside.filter(|other| {
        let ending = other
            .extension()
            .is_some_and(|e| ENDINGS.iter().any(|known| e == *known));
        ending
            && own
                .strip_prefix(&stem(other))
                .is_some_and(|rest| rest.starts_with('_'))
    });
    plain.max_by_key(|other| (stem(other).len(), other.extension() == path.extension()))
}

/// The verdicts on a file's answers, from another file next to it.
///
/// # Errors
/// If that file cannot be read.
fn verdicts(path: &Path) -> Result<HashMap<Key, ToolVerdict>> {
    let mut found = HashMap::new();
    let own = stem(path);
    let Some(folder) = path.parent() else {
        return Ok(found);
    };
    let beside = std::fs::read_dir(folder)
        .map(|entries| entries.flatten().map(|e| e.path()).collect())
        .unwrap_or(Vec::new());
    let mut files: Vec<PathBuf> = beside
        .into_iter()
        .filter(|other| {
            let rest = stem(other)
                .strip_prefix(&own)
                .map(str::to_string)
                .unwrap_or_default();
            other.extension() == path.extension()
                && ENDS_OF_RESULTS
                    .iter()
                    .any(|end| rest.starts_with('_') && rest.ends_with(end))
        })
        .collect();
    files.sort();
    for file in files {
        let mut rows = rows::of(&file)?;
        while let Some((_, record)) = rows.next_row().map_err(|p| p.file(&file))? {
            let columns: Vec<String> = record.keys().cloned().collect();
            if let Some(key) = record.get("index").and_then(cells::key) {
                found.insert(key, verdict(&guess(&columns), &record));
            }
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn model_name_ends_at_the_folder_or_data_set() {
        let of = |path: &str, results, known: &[&str]| {
            let known: Vec<String> = known.iter().map(|s| (*s).to_string()).collect();
            let about = about(Path::new(path), results, &known);
            (about.model.unwrap(), about.dataset, about.written)
        };
        let some = |s: &str| Some(s.to_string());
        assert_eq!(
            of("o/a_b/a_b_MMB_en.xlsx", false, &[]),
            ("a_b".into(), some("MMB_en"), None)
        );
        assert_eq!(
            of("a_b/T20260818-101500/a_b_MMB.xlsx", false, &[]),
            ("a_b".into(), some("MMB"), some("T20260818-101500"))
        );
        assert_eq!(
            of("x/a_b_MMB_en.tsv", false, &["en", "MMB_en"]),
            ("a_b".into(), some("MMB_en"), None)
        );
        assert_eq!(
            of("x/a_b_MMB_exact_matching_result.tsv", true, &["MMB"]),
            ("a_b".into(), some("MMB"), None)
        );
        assert_eq!(of("x/a_b.tsv", false, &[]), ("a_b".into(), None, None));
    }
}
