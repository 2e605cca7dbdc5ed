//! Imports the answers of files. Files are read in parallel; their answers become part of the
//! import in the order of the files.

use std::collections::hash_map::{DefaultHasher, Entry};
use std::collections::{BTreeMap, HashMap};
use std::hash::Hasher;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, channel};

use super::{Import, cancelled, ends_import, hash_file, overrides, rows_already_imported, tick};
use crate::board::dataset_resolver::{Assignment, DatasetResolver, Origin, Tally};
use crate::sources::{self, Reach, Source};
use benchtop_files::project::Project;
use benchtop_formats as formats;
use benchtop_model::cancel::{ProgressSink, canceled};
use benchtop_model::import::ImportRequest;
use benchtop_model::{Error, ErrorKind, Key, Prediction, Result};
use benchtop_store::Catalog;
use benchtop_store::manifest::{Content, Manifest};
use benchtop_store::segment::Writer;

/// The answers of one model in a file, while they are written.
struct AnswerSet {
    holds: Content,
    writer: Writer,
    /// The model's answers in the project by id hash, each with whether it names its data set as
    /// these do.
    there: HashMap<u64, (Prediction, bool)>,
    /// Whether some answer the same questions but do not name it likewise. Then this is another run
    /// and must not fill gaps.
    apart: bool,
    seen: Seen,
    duplicates: u64,
    differing: u64,
}

/// The digests of the answers so far, by key.
#[derive(Default)]
struct Seen {
    /// Numbers that were in ascending order, as in most files.
    ascending: Vec<(i64, u64)>,
    others: HashMap<Key, u64>,
}

impl Seen {
    /// Adds an answer, or returns the digest of the first one with its key.
    fn first(&mut self, key: &Key, digest: u64) -> Option<u64> {
        if let Key::Int(number) = key {
            match self.ascending.last() {
                Some((last, _)) if last >= number => {
                    let found = self.ascending.binary_search_by_key(number, |(n, _)| *n);
                    if let Ok(at) = found {
                        return Some(self.ascending[at].1);
                    }
                }
                _ if self.others.is_empty() => {
                    self.ascending.push((*number, digest));
                    return None;
                }
                _ => {}
            }
        }
        match self.others.entry(key.clone()) {
            Entry::Occupied(first) => Some(*first.get()),
            Entry::Vacant(slot) => {
                slot.insert(digest);
                None
            }
        }
    }
}

/// What is known before answers are read. Threads share it.
pub(super) struct Known<'a> {
    project: &'a Project,
    catalog: &'a Catalog,
    ask: &'a ImportRequest,
    manifest: Arc<Manifest>,
    /// Items of this import by id hash.
    seen: HashMap<u64, super::FirstRead>,
    joined: BTreeMap<PathBuf, (String, Vec<Key>)>,
    /// The data sets of the project and of this import.
    resolver: DatasetResolver,
}

/// The answers of a file.
#[derive(Default)]
struct FileAnswers {
    source_blake3: String,
    sets: Vec<AnswerSet>,
    notes: Vec<String>,
    /// Records that are skipped. The last one may end the import.
    problems: Vec<Error>,
    /// Number of answers that the project has.
    already: u64,
    /// Whether the project has this very file.
    is_imported: bool,
}

/// The answers of the file at an index.
type Read = (usize, Result<FileAnswers>);

impl<'a> Import<'a> {
    /// Collects what is known once all questions are read.
    pub(super) fn known(&mut self) -> Known<'a> {
        let fresh = self
            .made
            .fresh
            .iter()
            .map(|f| &f.part)
            .filter(|part| matches!(part.holds, Content::Items { .. }));
        let resolver = DatasetResolver::new(&self.columns, self.catalog.item_parts().chain(fresh));
        Known {
            project: self.project,
            catalog: self.catalog,
            ask: self.ask,
            manifest: self.manifest.clone(),
            seen: std::mem::take(&mut self.seen),
            joined: std::mem::take(&mut self.joined),
            resolver,
        }
    }

    /// Imports the answers of these files.
    pub(super) fn answers(
        &mut self,
        known: &Known<'_>,
        list: &[Source],
        watch: ProgressSink<'_>,
    ) -> Result<()> {
        let (next, is_over) = (AtomicUsize::new(0), AtomicBool::new(false));
        let readers = std::thread::available_parallelism().map_or(1, usize::from);
        let (sender, read) = channel();
        std::thread::scope(|scope| {
            for _ in 0..readers.min(list.len()) {
                let (sender, next, is_over) = (sender.clone(), &next, &is_over);
                scope.spawn(move || {
                    while let Some((at, source)) = take(next, list) {
                        let read = known.read(source, watch, is_over);
                        if sender.send((at, read)).is_err() {
                            break;
                        }
                    }
                });
            }
            drop(sender);
            let added = self.collect(list, &read);
            is_over.store(true, Ordering::Relaxed);
            added
        })
    }

    /// Adds the answers of files in order, while others are read.
    fn collect(&mut self, list: &[Source], read: &Receiver<Read>) -> Result<()> {
        let (mut ready, mut at) = (BTreeMap::new(), 0);
        while at < list.len() {
            let (file, answers) = read.recv().map_err(|_| cancelled(canceled()))?;
            ready.insert(file, answers);
            while let Some(answers) = ready.remove(&at) {
                self.add(&list[at], answers?)?;
                at += 1;
            }
        }
        Ok(())
    }

    /// Adds the answers of a file.
    fn add(&mut self, source: &Source, read: FileAnswers) -> Result<()> {
        self.report.already += read.already;
        if read.is_imported {
            self.report_file(source, "already imported", 0);
            return Ok(());
        }
        read.problems.into_iter().try_for_each(|p| self.skip(p))?;
        self.note(source, read.notes);
        let mut added = 0;
        for set in read.sets {
            let AnswerSet {
                duplicates,
                differing,
                ..
            } = set;
            if duplicates > 0 {
                self.report.duplicates += duplicates;
                let differ = if differing > 0 {
                    format!(", {differing} of them with a different answer")
                } else {
                    String::new()
                };
                let name = source.name();
                self.report.notes.push(format!(
                    "{name}: {duplicates} rows appear more than once{differ}; the first of each is used"
                ));
            }
            let rows = set.writer.rows();
            self.report.predictions += rows;
            self.keep(
                set.writer,
                set.holds,
                duplicates,
                source,
                &read.source_blake3,
            )?;
            added += rows;
        }
        self.report_file(source, source.found.format.name, added);
        Ok(())
    }
}

/// The next file to read.
fn take<'s>(next: &AtomicUsize, list: &'s [Source]) -> Option<(usize, &'s Source)> {
    let at = next.fetch_add(1, Ordering::Relaxed);
    list.get(at).map(|source| (at, source))
}

impl Known<'_> {
    /// Reads the answers of a file and writes them to temporary segments.
    fn read(
        &self,
        source: &Source,
        watch: ProgressSink<'_>,
        is_over: &AtomicBool,
    ) -> Result<FileAnswers> {
        let (found, said) = (&source.found, overrides(self.ask));
        let mut file = FileAnswers {
            source_blake3: hash_file(&found.path)?,
            ..FileAnswers::default()
        };
        let named = source.file_model();
        file.already = rows_already_imported(
            &self.manifest,
            &file.source_blake3,
            &|holds| matches!(holds, Content::Predictions { model, .. } if *model == named),
        );
        if file.already > 0 {
            file.is_imported = true;
            return Ok(file);
        }
        let joined = self.joined.get(&found.path);
        let dataset = self.named(source);
        // The data set assignment of a model's answers matters only if it has other answers.
        let (mut assignment, mut is_settled) = (
            dataset
                .as_deref()
                .map_or_else(Assignment::default, Assignment::one),
            dataset.is_some(),
        );
        let mut id = String::new();
        let mut sets: BTreeMap<String, AnswerSet> = BTreeMap::new();
        let mut records = 0;
        let mut reader =
            formats::predictions_by(&found.path, found.format, self.ask.mapping.as_deref())?;
        for (line, read) in reader.by_ref() {
            tick(source, &mut records, watch)?;
            if is_over.load(Ordering::Relaxed) {
                return Err(cancelled(canceled()));
            }
            let mut prediction = match read {
                Ok(prediction) => prediction,
                Err(problem) => {
                    let is_last = ends_import(self.ask, &problem);
                    file.problems.push(problem);
                    if is_last {
                        return Ok(file);
                    }
                    continue;
                }
            };
            if let Some((_, keys)) = joined {
                sources::rekey(&mut prediction, keys);
            }
            let stated = sources::stated_model(&mut prediction, said);
            let model = stated.as_deref().unwrap_or(&named);
            if !sets.contains_key(model) {
                if !is_settled && self.is_answered(model) {
                    (assignment, is_settled) = (self.assign(source, &self.keys(source)?), true);
                }
                let set = self.set(source, model.to_string(), &dataset, &assignment)?;
                sets.insert(model.to_string(), set);
            }
            let Some(set) = sets.get_mut(model) else {
                continue;
            };
            let digest = digest(&prediction.output);
            if let Some(first) = set.seen.first(&prediction.key, digest) {
                set.duplicates += 1;
                set.differing += u64::from(first != digest);
                continue;
            }
            if set.there.is_empty() && !set.apart {
                set.writer.push(&prediction)?;
                continue;
            }
            let key = &prediction.key;
            let what = match set.there.get(&self.belongs(&assignment, key, &mut id)) {
                None if !set.apart => {
                    set.writer.push(&prediction)?;
                    continue;
                }
                None => {
                    format!("`{key}` has no answer in the project's run of this model")
                }
                Some((old, same))
                    if if *same {
                        *old == prediction
                    } else {
                        old.output == prediction.output
                    } =>
                {
                    file.already += 1;
                    continue;
                }
                Some(_) => format!("the project has a different answer to `{key}`"),
            };
            let problem = Error::new(ErrorKind::Conflict, what)
                .line(line)
                .file(&found.path)
                .field("question_id")
                .help("give each run of a model its own name with --model NAME or the file name");
            let is_last = ends_import(self.ask, &problem);
            file.problems.push(problem);
            if is_last {
                return Ok(file);
            }
        }
        file.notes = reader.notes();
        file.sets = sets.into_values().collect();
        Ok(file)
    }

    /// Whether the project has answers of a model.
    fn is_answered(&self, name: &str) -> bool {
        let same =
            |holds: &Content| matches!(holds, Content::Predictions { model, .. } if model == name);
        self.catalog
            .answers()
            .iter()
            .any(|answers| same(&answers.part.holds))
    }

    /// The data set of a file's answers, if known.
    pub(super) fn named(&self, source: &Source) -> Option<String> {
        let joined = self
            .joined
            .get(&source.found.path)
            .map(|(dataset, _)| dataset);
        joined.or(source.dataset.as_ref()).cloned()
    }

    /// The questions covered by an answer file that names no data set.
    pub(super) fn reach(&self, source: &Source) -> Result<Reach> {
        let keys = self.keys(source)?;
        Ok(Reach::new(
            &self.assign(source, &keys),
            keys.iter(),
            &|hash| self.knows(hash),
        ))
    }

    /// Whether the project or this import has a question with this id hash.
    fn knows(&self, hash: u64) -> bool {
        self.seen.contains_key(&hash) || self.catalog.row_of_hash(hash).is_some()
    }

    /// The id hash that an answer belongs to.
    fn belongs(&self, assignment: &Assignment, key: &Key, id: &mut String) -> u64 {
        assignment
            .find(&key.to_string(), id, |hash| {
                self.knows(hash).then_some(hash)
            })
            .unwrap_or_else(|hash| hash)
    }

    /// The keys of the answers of a file.
    fn keys(&self, source: &Source) -> Result<Vec<Key>> {
        let rows = formats::predictions_by(
            &source.found.path,
            source.found.format,
            self.ask.mapping.as_deref(),
        )?;
        let joined = self.joined.get(&source.found.path);
        let key = |mut row: Prediction| {
            joined
                .into_iter()
                .for_each(|(_, keys)| sources::rekey(&mut row, keys));
            row.key
        };
        Ok(rows.filter_map(|(_, row)| row.ok().map(key)).collect())
    }

    fn assign(&self, source: &Source, keys: &[Key]) -> Assignment {
        let mut tally = Tally::default();
        keys.iter().for_each(|key| {
            self.resolver
                .count(&mut tally, &key.to_string(), &|hash| self.knows(hash))
        });
        self.resolver.assign(
            &tally,
            &Origin::of_import(self.manifest.next(), &source.found.path),
        )
    }

    /// Starts the answers of `model` in a file, for this data set and assignment.
    fn set(
        &self,
        source: &Source,
        model: String,
        dataset: &Option<String>,
        assignment: &Assignment,
    ) -> Result<AnswerSet> {
        let info = source.found.format;
        let (form, evaluated) = (info.answers_to, info.is_evaluated);
        let name = model.clone();
        let holds = Content::Predictions {
            model,
            form,
            evaluated,
            dataset: dataset.clone(),
            run: None,
        };
        let (mut there, mut id, mut apart) = (HashMap::new(), String::new(), false);
        for answers in self.catalog.answers() {
            let Content::Predictions {
                model,
                form: of,
                evaluated: is,
                dataset: to,
                ..
            } = &answers.part.holds
            else {
                continue;
            };
            let elsewhere = to.is_some() && dataset.is_some() && to != dataset;
            if *model != name || (*of, *is) != (form, evaluated) || elsewhere {
                continue;
            }
            let assignment = self
                .resolver
                .assign_part(answers, &|hash| self.knows(hash))?;
            let same = answers.part.holds == holds;
            apart |= !same;
            for old in answers.predictions()? {
                there
                    .entry(self.belongs(&assignment, &old.key, &mut id))
                    .or_insert((old, same));
            }
        }
        if apart {
            let keys = self.keys(source)?;
            let mut hashes = keys
                .iter()
                .map(|key| self.belongs(assignment, key, &mut id));
            apart = hashes.any(|hash| there.get(&hash).is_some_and(|(_, same)| !same));
        }
        let writer = Writer::create(&self.project.imports())?;
        Ok(AnswerSet {
            holds,
            writer,
            there,
            apart,
            seen: Seen::default(),
            duplicates: 0,
            differing: 0,
        })
    }
}

/// A digest that distinguishes answers.
fn digest(output: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(output.as_bytes());
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_answer_to_each_key_is_found_in_any_order() {
        let mut seen = Seen::default();
        let mut plain: HashMap<Key, u64> = HashMap::new();
        let keys = [1, 2, 5, 3, 2, 9, 10, 3, 4, 9, 1, 12, 12, 11, 11];
        let texts = ["a", "5", "a"].map(|text| Key::Text(text.into()));
        for (at, key) in keys.map(Key::Int).into_iter().chain(texts).enumerate() {
            let first = plain.get(&key).copied();
            plain.entry(key.clone()).or_insert(at as u64);
            assert_eq!(seen.first(&key, at as u64), first, "{key}");
        }
    }
}
