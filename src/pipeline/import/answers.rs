//! Imports the answers of files. Files are read in parallel; their answers become part of the
//! import in the order of the files.

use std::collections::hash_map::{DefaultHasher, Entry};
use std::collections::{BTreeMap, HashMap};
use std::hash::Hasher;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::{Import, STEP, cancelled, hash_file, list, overrides, rows_already_imported, skip};
use crate::board::dataset_resolver::{Assignment, DatasetResolver, Origin, Tally};
use crate::in_order::Threads;
use crate::sources::{self, Reach, Source};
use benchtop_files::project::Project;
use benchtop_model::cancel::{Cancel, ProgressSink};
use benchtop_model::import::{ImportRequest, Report};
use benchtop_model::{Error, ErrorKind, Key, Prediction, Result};
use benchtop_store::Catalog;
use benchtop_store::manifest::{Content, Manifest};
use benchtop_store::segment::Writer;

/// Maximum number of files that are read at once. Each keeps files and buffers open.
const READERS: usize = 8;

/// The answers of one model in a file.
struct AnswerSet {
    holds: Content,
    writer: Writer,
    duplicates: u64,
    differing: u64,
}

/// What the answers of one model in a file are compared with, while they are read.
struct Compared {
    /// The model's answers in the project by id hash, each with whether it names its data set as
    /// these do.
    there: HashMap<u64, (Prediction, bool)>,
    /// Whether some answer the same questions but do not name it likewise. Then this is another run
    /// and must not fill gaps.
    apart: bool,
    seen: Seen,
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
    /// Number of answers that were read, for the progress.
    records: Mutex<u64>,
}

/// The answers of a file.
#[derive(Default)]
struct FileAnswers {
    source_blake3: String,
    sets: Vec<AnswerSet>,
    /// Skipped records, and the number of answers that the project has.
    report: Report,
    /// Whether the project has this very file.
    is_imported: bool,
}

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
            records: Mutex::new(0),
        }
    }

    /// Imports the answers of these files.
    pub(super) fn answers(
        &mut self,
        known: &Known<'_>,
        list: &[Source],
        watch: ProgressSink<'_>,
    ) -> Result<()> {
        let readers = std::thread::available_parallelism().map_or(1, usize::from);
        let threads = Threads {
            name: "import",
            threads: readers.min(READERS) as u64,
            ahead: 1,
        };
        let start = || |at, is_over: &AtomicBool| known.read(&list[at as usize], watch, is_over);
        threads.each(list.len() as u64, start, |at, answers| {
            self.add(&list[at as usize], answers)
        })
    }

    /// Adds the answers of a file.
    fn add(&mut self, source: &Source, read: FileAnswers) -> Result<()> {
        self.report.already += read.report.already;
        if read.is_imported {
            self.report_file(source, "already imported", 0);
            return Ok(());
        }
        let skipped = read.report.skipped.into_iter();
        skipped.for_each(|problem| list(&mut self.report, problem));
        self.report.skipped_more += read.report.skipped_more;
        self.note(source, read.report.notes);
        let mut added = 0;
        for set in read.sets {
            let (duplicates, differing) = (set.duplicates, set.differing);
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
            let rows = set.writer.rows;
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

impl Known<'_> {
    /// Reads the answers of a file and writes them to temporary segments.
    fn read(
        &self,
        source: &Source,
        watch: ProgressSink<'_>,
        is_over: &AtomicBool,
    ) -> Result<FileAnswers> {
        let (mut watch, user) = (watch, watch.cancel);
        let is_canceled = || user.is_canceled() || is_over.load(Ordering::Relaxed);
        watch.cancel = Cancel::when(&is_canceled);
        let (found, said) = (&source.found, overrides(self.ask));
        let mut file = FileAnswers {
            source_blake3: hash_file(&found.path, watch.cancel)?,
            ..FileAnswers::default()
        };
        let named = source.file_model();
        file.report.already = rows_already_imported(
            &self.manifest,
            &file.source_blake3,
            &|holds| matches!(holds, Content::Predictions { model, .. } if *model == named),
        );
        if file.report.already > 0 {
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
        let mut sets: BTreeMap<String, (AnswerSet, Compared)> = BTreeMap::new();
        let mut untold = 0;
        self.tell(&mut untold, watch)?;
        let mut reader = source.predictions(said.mapping)?;
        for (line, read) in reader.by_ref() {
            untold += 1;
            if untold == STEP {
                self.tell(&mut untold, watch)?;
            }
            let mut prediction = match read {
                Ok(prediction) => prediction,
                Err(problem) => {
                    skip(self.ask, &mut file.report, problem)?;
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
            let Some((set, compared)) = sets.get_mut(model) else {
                continue;
            };
            let digest = digest(&prediction.output);
            if let Some(first) = compared.seen.first(&prediction.key, digest) {
                set.duplicates += 1;
                set.differing += u64::from(first != digest);
                continue;
            }
            if compared.there.is_empty() && !compared.apart {
                set.writer.push(&prediction)?;
                continue;
            }
            let key = &prediction.key;
            let what = match compared.there.get(&self.belongs(&assignment, key, &mut id)) {
                None if !compared.apart => {
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
                    file.report.already += 1;
                    continue;
                }
                Some(_) => format!("the project has a different answer to `{key}`"),
            };
            let problem = Error::new(ErrorKind::Conflict, what)
                .line(line)
                .file(&found.path)
                .field("question_id")
                .help("give each run of a model its own name with --model NAME or the file name");
            skip(self.ask, &mut file.report, problem)?;
        }
        self.tell(&mut untold, watch)?;
        file.report.notes = reader.notes();
        file.sets = sets.into_values().map(|(set, _)| set).collect();
        Ok(file)
    }

    /// Reports the answers read from all files, with these further ones.
    fn tell(&self, further: &mut u64, watch: ProgressSink<'_>) -> Result<()> {
        let mut records = self.records.lock().unwrap_or_else(PoisonError::into_inner);
        *records += std::mem::take(further);
        watch.report("answers", *records, None).map_err(cancelled)
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
        let rows = source.predictions(self.ask.mapping.as_deref())?;
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
    ) -> Result<(AnswerSet, Compared)> {
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
        let set = AnswerSet {
            holds,
            writer,
            duplicates: 0,
            differing: 0,
        };
        let seen = Seen::default();
        Ok((set, Compared { there, apart, seen }))
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
