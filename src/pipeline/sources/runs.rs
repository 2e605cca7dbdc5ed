//! Chooses the newest of several runs of one model over the same questions.

use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;

use super::{Plan, Source};
use crate::board::dataset_resolver::Assignment;
use benchtop_formats::Questions;
use benchtop_model::sorting::sort_by;
use benchtop_model::{Key, Result};

/// The questions covered by an answer file that names no data set.
#[derive(Clone, Debug, Default)]
pub struct Reach {
    assignment: Vec<String>,
    ids: HashSet<u64>,
}

impl Reach {
    /// The questions with these keys under `assignment`. `has` returns whether there is a
    /// question with this id hash.
    pub fn new<'k>(
        assignment: &Assignment,
        keys: impl Iterator<Item = &'k Key>,
        has: &dyn Fn(u64) -> bool,
    ) -> Reach {
        let mut id = String::new();
        let mut of = |key: &Key| {
            assignment.find(&key.to_string(), &mut id, |hash| has(hash).then_some(hash))
        };
        let ids = keys
            .map(|key| of(key).unwrap_or_else(|hash| hash))
            .collect();
        Reach {
            assignment: assignment.names.clone(),
            ids,
        }
    }
}

/// The files of one run.
struct Run {
    sources: Vec<Source>,
    /// The data set it names, or the questions it covers.
    over: std::result::Result<String, Reach>,
}

impl Run {
    /// Whether both cover the same questions. Runs that name their data set were separated before.
    fn clashes(&self, other: &Run) -> bool {
        match (&self.over, &other.over) {
            (Err(a), Err(b)) => !a.ids.is_disjoint(&b.ids),
            (Ok(name), Err(reach)) | (Err(reach), Ok(name)) => reach.assignment.contains(name),
            (Ok(_), Ok(_)) => false,
        }
    }
}

/// Sorts oldest first: by stated time if all have one, or else by modification time, or else by
/// path.
fn by_age(runs: &mut [Run]) {
    let timed = runs
        .iter()
        .flat_map(|run| &run.sources)
        .all(|s| s.written.is_some());
    let age = |run: &Run| {
        let written = |s: &Source| s.written.clone().filter(|_| timed);
        let changed = |s: &Source| {
            std::fs::metadata(&s.found.path)
                .and_then(|m| m.modified())
                .ok()
        };
        let newest = run.sources.iter().map(|s| (written(s), changed(s))).max();
        (
            newest,
            run.sources.iter().map(|s| s.found.path.clone()).max(),
        )
    };
    runs.sort_by_cached_key(age);
}

impl Plan {
    /// Keeps the newest run of each model on each data set. Files that name a model but no data set
    /// wait for [`decide`](Self::decide).
    pub(super) fn choose(&mut self, answers: Vec<Source>) {
        let mut runs: BTreeMap<(String, Option<String>), BTreeMap<PathBuf, Vec<Source>>> =
            BTreeMap::new();
        for source in answers {
            match source.model.clone().filter(|_| source.stated) {
                Some(_)
                    if source.dataset.is_none()
                        && source.found.format.questions == Questions::No =>
                {
                    self.undecided.push(source);
                }
                Some(model) => {
                    let group = runs.entry((model, source.dataset.clone())).or_default();
                    group
                        .entry(source.run().to_path_buf())
                        .or_default()
                        .push(source);
                }
                None => self.answers.push(source),
            }
        }
        for ((model, dataset), group) in runs {
            let over = dataset.clone().unwrap_or_default();
            let mut group: Vec<Run> = group
                .into_values()
                .map(|sources| Run {
                    sources,
                    over: Ok(over.clone()),
                })
                .collect();
            by_age(&mut group);
            let Some(newest) = group.pop() else { continue };
            self.keep(&model, dataset.as_deref(), newest, group);
        }
        sort_by(&mut self.answers, |a, b| a.found.path.cmp(&b.found.path));
    }

    /// Keeps the newest of the files that name a model but no data set and cover the same questions
    /// as each other or as a run with a data set. Files without a common question are not two runs
    /// and are all kept. `named` returns the data set of a file's answers, and `reach` the
    /// questions it covers; it is called if a model has several files.
    ///
    /// # Errors
    ///
    /// Errors of `reach`.
    pub fn decide(
        &mut self,
        named: &dyn Fn(&Source) -> Option<String>,
        reach: &mut dyn FnMut(&Source) -> Result<Reach>,
    ) -> Result<()> {
        let mut models: BTreeMap<String, Vec<Source>> = BTreeMap::new();
        for source in std::mem::take(&mut self.undecided) {
            models
                .entry(source.model.clone().unwrap_or_default())
                .or_default()
                .push(source);
        }
        for (model, sources) in models {
            let mut rivals: BTreeMap<(String, PathBuf), Vec<Source>> = BTreeMap::new();
            for source in std::mem::take(&mut self.answers) {
                match named(&source)
                    .filter(|_| source.stated && source.model.as_ref() == Some(&model))
                {
                    Some(name) => rivals
                        .entry((name, source.run().to_path_buf()))
                        .or_default()
                        .push(source),
                    None => self.answers.push(source),
                }
            }
            if sources.len() + rivals.len() == 1 {
                self.answers.extend(sources);
                continue;
            }
            let mut runs: Vec<Run> = rivals
                .into_iter()
                .map(|((name, _), sources)| Run {
                    sources,
                    over: Ok(name),
                })
                .collect();
            for source in sources {
                let over = Err(reach(&source)?);
                runs.push(Run {
                    sources: vec![source],
                    over,
                });
            }
            by_age(&mut runs);
            let mut kept: Vec<(Run, Vec<Run>)> = Vec::new();
            for run in runs.into_iter().rev() {
                match kept.iter_mut().find(|(newer, _)| newer.clashes(&run)) {
                    Some((_, older)) => older.insert(0, run),
                    None => kept.push((run, Vec::new())),
                }
            }
            kept.into_iter()
                .for_each(|(newest, older)| self.keep(&model, None, newest, older));
        }
        sort_by(&mut self.answers, |a, b| a.found.path.cmp(&b.found.path));
        Ok(())
    }

    /// Uses the newest run and skips the others with a note.
    fn keep(&mut self, model: &str, dataset: Option<&str>, newest: Run, older: Vec<Run>) {
        if !older.is_empty() {
            let names = |run: &Run| {
                run.sources
                    .iter()
                    .map(Source::below)
                    .collect::<Vec<_>>()
                    .join(", ")
            };
            let on = dataset.map_or(String::new(), |name| format!(" on {name}"));
            let (used, others) = (
                names(&newest),
                older.iter().map(names).collect::<Vec<_>>().join("; "),
            );
            let count = older.len() + 1;
            self.notes.push(format!(
                "{model}: {count} runs{on}; using the newest ({used}), not: {others}"
            ));
        }
        for source in older.into_iter().flat_map(|run| run.sources) {
            let reason = format!("not the newest run of {model}; give only this file to use it");
            self.skipped.push((source.found.path, reason));
        }
        self.answers.extend(newest.sources);
    }
}
