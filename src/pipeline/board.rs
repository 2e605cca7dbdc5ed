//! Leaderboards: from a folder of question and prediction files, or from what a project has loaded.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::formats::{self, Format, Found};
use crate::metrics::consensus;
use crate::metrics::score::{Answer, Graded, Outcome, Question, Sheet};
use crate::model::board::{Behind, Board, Row};
use crate::model::{Item, Key, Kind, Prediction, Problem, Result};

/// The rows of one prediction file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answers {
    /// The model, see [`model_name`].
    pub model: String,
    /// What the file is called in notes.
    pub source: String,
    /// The data set its keys belong to; when not known, the one that has most of them.
    pub dataset: Option<String>,
    /// Whether it is an evaluated file, which holds a judge's words and goes before a plain one.
    pub evaluated: bool,
    /// The rows in the order of the file.
    pub rows: Vec<Prediction>,
}

/// A board and what is behind it.
#[derive(Clone, Debug, Default)]
pub struct Scored {
    /// The board; its notes say what a reader should know.
    pub board: Board,
    /// Files that were passed over, with the reasons.
    pub skipped: Vec<Problem>,
    sheet: Sheet,
    models: Vec<Graded>,
    notes: Vec<String>,
    /// Models whose evaluated file went before a plain one.
    evaluated: BTreeSet<String>,
}

impl Scored {
    /// The board of these answers to these items. Items that no rule can grade (free-form) are left out.
    pub fn new<'a>(items: impl IntoIterator<Item = &'a Item>, mut answers: Vec<Answers>) -> Scored {
        let mut scored = Scored::of(Sheet::new(items.into_iter().filter_map(Question::of)));
        answers.sort_by_key(|a| !a.evaluated);
        answers.into_iter().for_each(|a| scored.add(a));
        scored.finish()
    }

    /// The models, in the order of [`outcomes`](Self::outcomes).
    pub fn models(&self) -> impl Iterator<Item = &str> {
        self.models.iter().map(|graded| graded.model.as_str())
    }

    /// What the models that `counts` names made of each item, by its id.
    pub fn outcomes<'s>(
        &'s self,
        counts: &'s dyn Fn(&str) -> bool,
    ) -> impl Iterator<Item = (&'s str, Vec<consensus::Outcome>)> + 's {
        let models: Vec<&Graded> = self.models.iter().filter(|m| counts(&m.model)).collect();
        self.sheet.questions().iter().enumerate().map(move |(at, question)| {
            (question.item.as_str(), models.iter().map(|model| self.sheet.outcome(model, at)).collect())
        })
    }

    fn of(sheet: Sheet) -> Scored {
        let mut scored = Scored { sheet, ..Scored::default() };
        if scored.sheet.doubled() > 0 {
            scored
                .notes
                .push(format!("{} given more than once; the first is used", count(scored.sheet.doubled(), "question")));
        }
        scored
    }

    /// Adds the rows of a file. Evaluated files must come first.
    fn add(&mut self, answers: Answers) {
        let Answers { model, source, dataset, evaluated, rows } = answers;
        let at = match self.models.iter().position(|m| m.model == model) {
            Some(at) => at,
            None => {
                self.models.push(self.sheet.model(model.clone()));
                self.models.len() - 1
            }
        };
        let dataset = self.sheet.dataset_for(dataset.as_deref(), rows.iter().map(|r| &r.key));
        let (mut used, mut extra, mut duplicate, mut superseded) = (0, 0, 0, 0);
        let mut drifted: BTreeSet<Key> = BTreeSet::new();
        let empty = rows.is_empty();
        for row in rows {
            let asked = dataset.and_then(|d| self.sheet.question(d, &row.key));
            if asked.is_some_and(|q| formats::text_of(&row).is_some_and(|text| text != q.text)) {
                drifted.insert(row.key.clone());
            }
            let answer = Answer { key: row.key, output: row.output, judge: row.judge };
            match self.sheet.grade(&mut self.models[at], dataset, answer, evaluated) {
                Outcome::Used => used += 1,
                Outcome::Extra => extra += 1,
                Outcome::Duplicate => duplicate += 1,
                Outcome::Superseded => superseded += 1,
            }
        }
        let mut note = |text: String| self.notes.push(format!("{model}: {text}"));
        if dataset.is_none() && !empty {
            note(format!("no question of {source} is in the set"));
        } else if extra > 0 {
            note(format!("{} of {source} to questions that are not in the set", count(extra, "answer")));
        }
        if duplicate > 0 {
            note(format!(
                "{} of {source} for questions that have an answer already; the first is used",
                count(duplicate, "row")
            ));
        }
        if let Some(first) = drifted.first() {
            let many = count(drifted.len() as u64, "question");
            note(format!("{many} with another text in {source} (first: {first}); the text of the data set counts"));
        }
        if superseded > 0 && used > 0 {
            note(format!("{} of {source} used where the evaluated file has none", count(used, "answer")));
        }
        if superseded > 0 {
            self.evaluated.insert(model);
        }
    }

    fn finish(mut self) -> Scored {
        self.board = self.sheet.board(&self.models);
        let mut notes = std::mem::take(&mut self.notes);
        for Row { model, counts, .. } in &self.board.rows {
            if counts.missing > 0 {
                notes.push(format!(
                    "{model}: {} without an answer, counted as wrong",
                    count(counts.missing, "question")
                ));
            }
            if counts.unparsed > 0 {
                notes.push(format!(
                    "{model}: {} that no rule could read, counted as wrong",
                    count(counts.unparsed, "answer")
                ));
            }
        }
        if !self.evaluated.is_empty() {
            let models: Vec<String> = std::mem::take(&mut self.evaluated).into_iter().collect();
            notes.push(format!(
                "evaluated files, which hold a judge's words, are used before plain ones: {}",
                models.join(", ")
            ));
        }
        self.board.notes = notes;
        self
    }

    /// The answers behind a cell, unit by unit in the order of the data set.
    ///
    /// # Errors
    /// [`Kind::NotFound`] when there is no such model or column.
    pub fn behind(&self, model: &str, column: &str) -> Result<Vec<Behind>> {
        let found = self.models.iter().find(|m| m.model == model).ok_or_else(|| {
            let names: Vec<&str> = self.board.rows.iter().map(|r| r.model.as_str()).collect();
            Problem::new(Kind::NotFound, format!("no model `{model}`")).help(format!("there are: {}", names.join(", ")))
        })?;
        self.sheet.behind(found, column)
    }
}

fn count(n: u64, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") }
}

/// The model a prediction file is of: its stem without the prefix `mcq_` and the suffix `_evaluated`.
pub fn model_name(path: &Path) -> String {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let name = stem.strip_prefix("mcq_").unwrap_or(&stem);
    name.strip_suffix("_evaluated").unwrap_or(name).to_string()
}

/// The board of the question and prediction files at these paths, files or folders, without a project.
///
/// A question file is a data set named by its stem. Where a model has a plain and an evaluated file for the same questions, the
/// evaluated one is used.
///
/// # Errors
/// [`Kind::Input`] for the first bad record, with file and line; [`Kind::NotFound`] when there are no questions or no predictions;
/// [`Problem::io`] when a path cannot be read.
pub fn from_paths(paths: &[PathBuf]) -> Result<Scored> {
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
    let (mut answers, questions): (Vec<Found>, Vec<Found>) =
        files.into_values().partition(|f| f.format.is_predictions());
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
    let mut all = Vec::new();
    for file in &questions {
        let dataset = file.path.file_stem().unwrap_or_default().to_string_lossy();
        for (_, item) in formats::items(&file.path, file.format, &dataset)? {
            all.extend(Question::of(&item?));
        }
    }
    let mut scored = Scored::of(Sheet::new(all));
    answers.sort_by_key(|f| f.format != Format::MvpEvaluated);
    for file in &answers {
        let rows = formats::predictions(&file.path, file.format)?.map(|(_, row)| row).collect::<Result<_>>()?;
        scored.add(Answers {
            model: model_name(&file.path),
            source: file.path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            dataset: None,
            evaluated: file.format == Format::MvpEvaluated,
            rows,
        });
    }
    scored.skipped = skipped;
    Ok(scored.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_are_named_by_their_files() {
        for (file, name) in [
            ("a/GPT4o.jsonl", "GPT4o"),
            ("mcq_llava_v1.5_13b.jsonl", "llava_v1.5_13b"),
            ("MiniCPM-V-2_evaluated.jsonl", "MiniCPM-V-2"),
        ] {
            assert_eq!(model_name(Path::new(file)), name);
        }
    }
}
