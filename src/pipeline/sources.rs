//! Decides which files an import or a board reads, in which order, and with which model and data
//! set.
//!
//! Both use the same rules. A data set's own files come before questions recorded by tools, which
//! are used only if no data set of that name is available. Of several runs of one model on one data
//! set the newest is used, by the time stated in the file or folder, or else by the file's
//! modification time. The others are skipped with a note.

mod runs;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

pub use self::runs::Reach;
pub use super::board::model_name;
use benchtop_formats::{self as formats, DetectedFile, Items, MODEL, Predictions, Questions};
use benchtop_model::mapping::Mapping;
use benchtop_model::{Error, Form, Item, Key, Prediction, Result};

/// A file and how it is read.
#[derive(Clone, Debug)]
pub struct Source {
    pub found: DetectedFile,
    /// The given folder, where pictures are searched too.
    pub root: PathBuf,
    /// The data set of its questions or answers.
    pub dataset: Option<String>,
    /// The model. If not stated, [`model_name`] of the file.
    pub model: Option<String>,
    /// Whether the file states a model, so that runs can be distinguished.
    stated: bool,
    /// Whether its ids are positions in its data set.
    pub positions: bool,
    written: Option<String>,
    part_of: Option<PathBuf>,
}

/// The files to read and to skip.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// Files with questions of their own.
    pub questions: Vec<Source>,
    /// Answer files whose questions are used, because no data set of that name is available.
    pub recorded_questions: Vec<Source>,
    /// Answer files.
    pub answers: Vec<Source>,
    /// Answer files that name a model but no data set. [`Plan::decide`] chooses among them once the
    /// questions are known.
    pub undecided: Vec<Source>,
    /// Readable files that are skipped, with reasons.
    pub skipped: Vec<(PathBuf, String)>,
    /// Notes for the user.
    pub notes: Vec<String>,
}

/// Options of the command line that apply to all files.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReadOptions<'a> {
    pub dataset: Option<&'a str>,
    pub model: Option<&'a str>,
    /// The columns of tables.
    pub mapping: Option<&'a Mapping>,
}

/// Plans how to read `files`, each with the folder it was found in. `there` are the available data
/// sets.
///
/// # Errors
///
/// If the head of a file cannot be read.
pub fn plan(
    files: Vec<(DetectedFile, PathBuf)>,
    there: &BTreeSet<String>,
    said: ReadOptions<'_>,
) -> Result<Plan> {
    let mut plan = Plan::default();
    let mut known = there.clone();
    let (own, other): (Vec<_>, Vec<_>) = files
        .into_iter()
        .partition(|(f, _)| f.format.questions == Questions::Own);
    let paths: BTreeSet<PathBuf> = own
        .iter()
        .chain(&other)
        .map(|(f, _)| f.path.clone())
        .collect();
    let mut answers = Vec::new();
    for (found, root) in own {
        let source = Source::of(found, root, &[], said)?.0;
        known.extend(source.dataset.clone());
        if source.found.format.has_predictions {
            answers.push(source.clone());
        }
        plan.questions.push(source);
    }
    let names: Vec<String> = known.iter().cloned().collect();
    for (found, root) in other {
        let (source, verdicts_of) = Source::of(found, root, &names, said)?;
        if let Some(whole) = source.whole().filter(|whole| paths.contains(whole)) {
            let whole = file_name(&whole);
            plan.skipped.push((
                source.found.path,
                format!("its answers are part of {whole}"),
            ));
            continue;
        }
        match verdicts_of.filter(|plain| paths.contains(plain)) {
            Some(plain) => {
                let plain = file_name(&plain);
                plan.skipped.push((
                    source.found.path,
                    format!("its verdicts are read together with {plain}"),
                ));
            }
            None => answers.push(source),
        }
    }
    plan.choose(answers);
    let beside = plan
        .answers
        .iter()
        .filter(|s| s.found.format.questions == Questions::Beside);
    plan.recorded_questions = beside
        .filter(|s| {
            s.dataset
                .as_ref()
                .is_none_or(|d| !known.contains(d) || s.positions)
        })
        .cloned()
        .collect();
    Ok(plan)
}

impl Source {
    /// Inspects the file. Also returns the file whose answers it repeats.
    fn of(
        found: DetectedFile,
        root: PathBuf,
        known: &[String],
        said: ReadOptions<'_>,
    ) -> Result<(Source, Option<PathBuf>)> {
        let about = (found.format.about)(&found.path, known).map_err(|p| p.file(&found.path))?;
        let questions = found.format.questions;
        let stem = || {
            found
                .path
                .file_stem()
                .map(|s| s.to_string_lossy().into_owned())
        };
        let own = if questions == Questions::Own {
            stem()
        } else {
            None
        };
        let mapped = said.mapping.and_then(|m| m.dataset.clone());
        let dataset = said
            .dataset
            .map(str::to_string)
            .or(mapped)
            .or(about.dataset)
            .or(own);
        let mut model = said.model.map(str::to_string).or(about.model);
        // MVP-Bench's plain and evaluated answers are not two runs.
        let stated = model.is_some() && found.format.answers_to == Form::Plain;
        if said.model.is_none() && found.format.has_predictions {
            model = first_model(&found, said.mapping).or(model);
        }
        let source = Source {
            root,
            dataset,
            model,
            stated,
            positions: about.positions,
            written: about
                .written
                .map(|text| digits(&text))
                .filter(|text| !text.is_empty()),
            part_of: about.part_of,
            found,
        };
        Ok((source, about.verdicts_of))
    }

    /// The file name, for notes.
    pub fn name(&self) -> String {
        file_name(&self.found.path)
    }

    /// Notes on the file, with its name.
    pub fn notes(&self, notes: Vec<String>) -> impl Iterator<Item = String> {
        let name = self.name();
        notes.into_iter().map(move |note| format!("{name}: {note}"))
    }

    /// Its questions, as items of `dataset`.
    ///
    /// # Errors
    ///
    /// If the file cannot be opened.
    pub fn items(&self, dataset: &str, mapping: Option<&Mapping>) -> Result<Items> {
        formats::items_by(&self.found.path, self.found.format, dataset, mapping)
    }

    /// Its answers.
    ///
    /// # Errors
    ///
    /// If the file cannot be opened, or has no answers.
    pub fn predictions(&self, mapping: Option<&Mapping>) -> Result<Predictions> {
        formats::predictions_by(&self.found.path, self.found.format, mapping)
    }

    /// The path below the given folder. Runs often differ only by folder.
    fn below(&self) -> String {
        self.found
            .path
            .strip_prefix(&self.root)
            .map_or_else(|_| self.name(), |path| path.display().to_string())
    }

    /// The model of the rows that do not state one.
    pub fn file_model(&self) -> String {
        self.model
            .clone()
            .unwrap_or_else(|| model_name(&self.found.path))
    }

    /// The file with all answers, if this is one part of it. It need not exist.
    fn whole(&self) -> Option<PathBuf> {
        let mut whole = self.part_of.clone()?.into_os_string();
        whole.push(".json");
        Some(whole.into())
    }

    /// Files of one run share this path.
    fn run(&self) -> &Path {
        self.part_of.as_deref().unwrap_or(&self.found.path)
    }
}

/// Takes the model that a row states, if it counts.
pub fn stated_model(row: &mut Prediction, said: ReadOptions<'_>) -> Option<String> {
    let stated = row.extra.shift_remove(MODEL)?;
    let stated = stated.as_str().filter(|_| said.model.is_none())?;
    Some(stated.to_string())
}

/// The model in the first row of a table.
fn first_model(found: &DetectedFile, mapping: Option<&Mapping>) -> Option<String> {
    let (_, first) = formats::predictions_by(&found.path, found.format, mapping)
        .ok()?
        .next()?;
    first.ok()?.extra.get(MODEL)?.as_str().map(str::to_string)
}

/// The first 14 digits of a time, which sort chronologically whatever the punctuation.
fn digits(time: &str) -> String {
    let known = |c: &char| c.is_ascii_digit() || matches!(c, '-' | ':' | '_' | 'T' | ' ');
    time.chars()
        .take_while(known)
        .filter(char::is_ascii_digit)
        .take(14)
        .collect()
}

/// Keys and question texts of data sets in order, for matching answers that count rows.
#[derive(Clone, Debug, Default)]
pub struct Orders {
    keys: BTreeMap<String, Vec<(Key, String)>>,
    /// Data sets that existed before this command.
    old: BTreeSet<String>,
}

impl Orders {
    /// Adds the next item of its data set.
    pub fn push(&mut self, item: &Item) {
        self.keys
            .entry(item.dataset.clone())
            .or_default()
            .push((item.key.clone(), plain(&item.question)));
    }

    /// Adds data sets of the project. Those of the given files come first.
    pub fn add(&mut self, other: Orders) {
        for (name, keys) in other.keys {
            if !self.keys.contains_key(&name) {
                self.old.insert(name.clone());
                self.keys.insert(name, keys);
            }
        }
    }

    /// The data set whose questions by position match those that `source` asked, and its keys by
    /// position. If several match: the one of its own name, or the only one among the given files.
    ///
    /// # Errors
    ///
    /// The first bad record of the file.
    pub fn of(&self, source: &Source, said: ReadOptions<'_>) -> Result<Option<(String, Vec<Key>)>> {
        let mut fits: Vec<&String> = self.keys.keys().collect();
        for (_, row) in source.predictions(said.mapping)? {
            let Ok(row) = row else { continue };
            let asked = row
                .extra
                .get("input")
                .and_then(|text| text.as_str())
                .map(plain)
                .unwrap_or_default();
            let Key::Int(at) = row.key else {
                return Ok(None);
            };
            fits.retain(|name| {
                let there = usize::try_from(at)
                    .ok()
                    .and_then(|at| self.keys.get(*name)?.get(at));
                there.is_some_and(|(_, question)| {
                    !question.is_empty() && asked.contains(question.as_str())
                })
            });
        }
        let named = fits
            .iter()
            .find(|name| Some(name.as_str()) == source.dataset.as_deref());
        let fresh: Vec<&&String> = fits
            .iter()
            .filter(|name| !self.old.contains(name.as_str()))
            .collect();
        let only = match (&fresh[..], &fits[..]) {
            ([one], _) => Some(*one),
            (_, [one]) => Some(one),
            _ => None,
        };
        let chosen = named.or(only);
        let keys = |name: &String| {
            self.keys
                .get(name)
                .map(|list| list.iter().map(|(key, _)| key.clone()).collect())
        };
        Ok(chosen.and_then(|name| Some(((*name).clone(), keys(name)?))))
    }
}

/// The name of a new data set for the questions of `source`: its own name, with the name of the
/// form if `taken` contains it.
pub fn apart(source: &Source, taken: &BTreeSet<String>) -> String {
    let name = source
        .dataset
        .clone()
        .unwrap_or_else(|| model_name(&source.found.path));
    if taken.contains(&name) {
        format!("{name}-{}", source.found.format.name)
    } else {
        name
    }
}

/// Gives an answer that counts rows the key of its question.
pub fn rekey(row: &mut Prediction, keys: &[Key]) {
    if let Key::Int(at) = row.key
        && let Some(key) = usize::try_from(at).ok().and_then(|at| keys.get(at))
    {
        row.key = key.clone();
    }
}

/// A text without white space, which prompts change.
/// The file name at the end of a path, for notes.
fn file_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

fn plain(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Unreadable questions recorded by a tool, reported once.
#[derive(Clone, Debug, Default)]
pub struct Unreadable {
    count: u64,
    first: Option<Error>,
}

impl Unreadable {
    /// Counts an unreadable question.
    pub fn add(&mut self, problem: Error) {
        self.count += 1;
        self.first.get_or_insert(problem);
    }

    /// The note on the questions of the file `name`.
    pub fn note(&self, name: &str) -> Option<String> {
        let first = self.first.as_ref()?;
        Some(format!(
            "{name}: cannot read {} of its questions; first error: {}",
            self.count, first.what
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_sort_with_any_punctuation() {
        assert_eq!(digits("2026-11-21T00:46:06+00:00"), "20261121004606");
        assert_eq!(digits("20261121_084241"), "20261121084241");
        assert_eq!(digits("T20260818-101500"), "20260818101500");
        assert_eq!(digits("T20250101_G4e5f"), "20250101");
    }
}
