//! Boards of files, without a project.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use super::board_data::BoardData;
use super::dataset_resolver::Origin;
use super::in_memory::{Answers, Questions, from_questions};
use crate::sources::{self, Orders, Reach, ReadOptions, Source, Unreadable};
use benchtop_formats::{self as formats, Detected, DetectedFile};
use benchtop_metrics::extract::Extractor;
use benchtop_model::mapping::Mapping;
use benchtop_model::{Error, ErrorKind, Item, Key, Prediction, Result};

/// The board of the question and prediction files at these paths (files or folders). `rule` reads
/// all answers; by default each question has its own rule.
///
/// A question file is a data set named by its stem, or as [`sources`] finds. If a model has a plain
/// and an evaluated file for the same questions, the evaluated one is used.
///
/// # Errors
///
/// [`ErrorKind::Usage`] for a rule that needs a project. [`ErrorKind::Input`] for the first bad
/// record of a question file, with file and line, or if all answer files are damaged (otherwise see
/// [`BoardData::damaged`]). [`ErrorKind::NotFound`] without questions or predictions. [`Error::io`]
/// if a path cannot be read.
pub fn from_paths(paths: &[PathBuf], rule: Option<Extractor>) -> Result<BoardData> {
    from_paths_by(paths, rule, None)
}

/// Like [`from_paths`], with the columns of tables named by `mapping`.
///
/// # Errors
///
/// As for [`from_paths`]; [`ErrorKind::Input`] for a missing column.
pub fn from_paths_by(
    paths: &[PathBuf],
    rule: Option<Extractor>,
    mapping: Option<&Mapping>,
) -> Result<BoardData> {
    if let Some(rule) = rule.filter(|rule| rule.is_of_project()) {
        return Err(Error::new(
            ErrorKind::Usage,
            format!("`{}` needs the readings of a judge, which files do not contain", rule.name()),
        )
        .help("import the files into a project (`benchtop import`) and ask a judge (`benchtop eval judge`)"));
    }
    let mut files: BTreeMap<PathBuf, (DetectedFile, PathBuf)> = BTreeMap::new();
    let mut skipped = Vec::new();
    for path in paths {
        let found = match mapping.filter(|_| path.is_file()) {
            Some(mapping) => Detected {
                files: vec![formats::detect_mapped(path, mapping)?],
                ..Detected::default()
            },
            None => formats::detect_files(path)?,
        };
        skipped.extend(found.unknown);
        for file in found.files {
            let real = file
                .path
                .canonicalize()
                .unwrap_or_else(|_| file.path.clone());
            files.entry(real).or_insert((file, path.clone()));
        }
    }
    let said = ReadOptions {
        mapping,
        ..ReadOptions::default()
    };
    let mut plan = sources::plan(files.into_values().collect(), &BTreeSet::new(), said)?;
    let nothing = |what: &str| {
        Err(Error::new(
            ErrorKind::NotFound,
            format!("no {what} file in the given paths"),
        )
        .help("give the files or folders of both questions and predictions"))
    };
    let is_none = plan.answers.is_empty() && plan.undecided.is_empty();
    if is_none && plan.questions.is_empty() {
        return nothing("question");
    }
    if is_none {
        return nothing("prediction");
    }
    let counted = plan.answers.iter().any(|s| s.positions);
    let mut read = Read {
        said,
        orders: counted.then(Orders::default),
        ..Read::default()
    };
    for source in &plan.questions {
        read.questions(source)?;
    }
    let joined = read.beside(&plan.recorded_questions)?;
    if read.items.is_empty() {
        return nothing("question");
    }
    let named = |source: &Source| {
        joined
            .get(&source.found.path)
            .map(|(name, _)| name)
            .or(source.dataset.as_ref())
            .cloned()
    };
    let mut damaged: Vec<Error> = Vec::new();
    plan.decide(&named, &mut |source| match read.reach(source) {
        Err(problem) if is_of_file(&problem) => {
            damaged.push(at(problem, source));
            Ok(Reach::default())
        }
        reach => reach,
    })?;
    skipped.extend(
        plan.skipped
            .into_iter()
            .map(|(path, why)| Error::input(why).file(path)),
    );
    read.notes.splice(0..0, plan.notes);
    let mut sets = Vec::new();
    for source in &plan.answers {
        match read.answers(source, joined.get(&source.found.path)) {
            Ok(found) => sets.extend(found),
            Err(problem) if is_of_file(&problem) => damaged.push(at(problem, source)),
            Err(problem) => return Err(problem),
        }
    }
    damaged.dedup_by(|a, b| a.place.file == b.place.file);
    if sets.is_empty()
        && let Some(problem) = damaged.pop()
    {
        return Err(problem);
    }
    let mut scored = from_questions(read.items, sets, rule)?;
    read.notes
        .into_iter()
        .for_each(|note| scored.board_notes.say(note));
    scored.skipped = skipped;
    for problem in &damaged {
        scored.board_notes.say(format!(
            "left out with all its answers because it is damaged: {problem}"
        ));
    }
    scored.damaged = damaged;
    Ok(scored)
}

/// Whether the error concerns one file, so that the board can be made from the others.
fn is_of_file(problem: &Error) -> bool {
    matches!(
        problem.kind,
        ErrorKind::Input
            | ErrorKind::Corrupt
            | ErrorKind::Denied
            | ErrorKind::Io
            | ErrorKind::NotFound
    )
}

/// Adds the file to an error.
fn at(problem: Error, source: &Source) -> Error {
    if problem.place.file.is_some() {
        problem
    } else {
        problem.file(&source.found.path)
    }
}

/// The assignment of an answer file: its data set, and the keys by position if it counts rows.
type Joined = BTreeMap<PathBuf, (String, Vec<Key>)>;

/// The contents of a board's files.
#[derive(Default)]
struct Read<'a> {
    said: ReadOptions<'a>,
    items: Questions,
    datasets: BTreeSet<String>,
    /// Kept if answers count rows.
    orders: Option<Orders>,
    notes: Vec<String>,
}

impl Read<'_> {
    fn take(&mut self, item: Item, from: &Origin) {
        if let Some(orders) = &mut self.orders {
            orders.push(&item);
        }
        self.datasets.insert(item.dataset.clone());
        self.items.push(item, from);
    }

    fn questions(&mut self, source: &Source) -> Result<()> {
        let dataset = source.dataset.clone().unwrap_or_default();
        let mut items = source.items(&dataset, self.said.mapping)?;
        let from = Origin::of_file(&source.found.path);
        for (_, item) in items.by_ref() {
            self.take(item?, &from);
        }
        self.notes.extend(source.notes(items.notes()));
        Ok(())
    }

    /// Adds questions recorded by tools, if their data set is not available.
    fn beside(&mut self, list: &[Source]) -> Result<Joined> {
        let (own, mut joined) = (self.datasets.clone(), Joined::new());
        let mut seen = BTreeSet::new();
        for source in list {
            let orders = self.orders.as_ref().filter(|_| source.positions);
            if let Some(found) = orders
                .map(|o| o.of(source, self.said))
                .transpose()?
                .flatten()
            {
                joined.insert(source.found.path.clone(), found);
                continue;
            }
            let dataset = sources::apart(source, &own);
            joined.insert(source.found.path.clone(), (dataset.clone(), Vec::new()));
            let (from, mut unreadable) =
                (Origin::of_file(&source.found.path), Unreadable::default());
            for (_, item) in source.items(&dataset, self.said.mapping)? {
                match item {
                    Ok(item) if seen.insert(item.id.clone()) => self.take(item, &from),
                    Ok(_) => {}
                    Err(problem) => unreadable.add(problem),
                }
            }
            self.notes.extend(unreadable.note(&source.name()));
        }
        Ok(joined)
    }

    /// The questions covered by an answer file that names no data set.
    fn reach(&self, source: &Source) -> Result<Reach> {
        let rows = source.predictions(self.said.mapping)?;
        let keys: Vec<Key> = rows.filter_map(|(_, row)| Some(row.ok()?.key)).collect();
        let assignment = self.items.assign(keys.iter(), &source.found.path);
        Ok(Reach::new(&assignment, keys.iter(), &|hash| {
            self.items.holds(hash)
        }))
    }

    /// The answers of a file, by model.
    fn answers(
        &mut self,
        source: &Source,
        joined: Option<&(String, Vec<Key>)>,
    ) -> Result<Vec<Answers>> {
        let mut rows = source.predictions(self.said.mapping)?;
        let named = source.file_model();
        let mut sets: BTreeMap<String, Vec<Prediction>> = BTreeMap::new();
        for (_, row) in rows.by_ref() {
            let mut row = row?;
            if let Some((_, keys)) = joined {
                sources::rekey(&mut row, keys);
            }
            let stated = sources::stated_model(&mut row, self.said);
            sets.entry(stated.unwrap_or_else(|| named.clone()))
                .or_default()
                .push(row);
        }
        self.notes.extend(source.notes(rows.notes()));
        let named = joined
            .map(|(dataset, _)| dataset)
            .or(source.dataset.as_ref())
            .cloned();
        let named = named.filter(|name| self.datasets.contains(name));
        let set = |(model, rows)| Answers {
            model,
            source: source.found.path.display().to_string(),
            dataset: named.clone(),
            evaluated: source.found.format.is_evaluated,
            rows,
        };
        Ok(sets.into_iter().map(set).collect())
    }
}
