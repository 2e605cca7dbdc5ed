//! Imports the answers of a file.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};

use super::{Import, hash_file, tick};
use crate::board::dataset_resolver::{Assignment, DatasetResolver, Origin, Tally};
use crate::sources::{self, Reach, Source};
use benchtop_formats::{self as formats, Format};
use benchtop_model::cancel::ProgressSink;
use benchtop_model::{Error, ErrorKind, Form, Key, Prediction, Result};
use benchtop_store::manifest::Content;
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
    /// Keys with the first answer.
    seen: HashMap<Key, [u8; 8]>,
    duplicates: u64,
    differing: u64,
}

impl Import<'_> {
    /// Imports the answers of a file.
    pub(super) fn answers(&mut self, source: &Source, watch: ProgressSink<'_>) -> Result<()> {
        let (found, said) = (&source.found, super::overrides(self.ask));
        let source_blake3 = hash_file(&found.path)?;
        let named = source
            .model
            .clone()
            .unwrap_or_else(|| sources::model_name(&found.path));
        let rows = self.rows_already_imported(
            &source_blake3,
            &|holds| matches!(holds, Content::Predictions { model, .. } if *model == named),
        );
        if rows > 0 {
            self.report.already += rows;
            self.report_file(source, "already imported", 0);
            return Ok(());
        }
        let joined = self.joined.get(&found.path).cloned();
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
            let mut prediction = match read {
                Ok(prediction) => prediction,
                Err(problem) => {
                    self.skip(problem)?;
                    continue;
                }
            };
            if let Some((_, keys)) = &joined {
                sources::rekey(&mut prediction, keys);
            }
            let model = source.model_of(&mut prediction, said);
            let set = match sets.entry(model) {
                std::collections::btree_map::Entry::Occupied(set) => set.into_mut(),
                std::collections::btree_map::Entry::Vacant(slot) => {
                    if !is_settled && self.is_answered(slot.key()) {
                        (assignment, is_settled) = (self.assign(source, &self.keys(source)?), true);
                    }
                    let set = self.set(source, slot.key().clone(), &dataset, &assignment)?;
                    slot.insert(set)
                }
            };
            let digest = digest(&prediction.output);
            match set.seen.entry(prediction.key.clone()) {
                Entry::Occupied(first) => {
                    set.duplicates += 1;
                    set.differing += u64::from(*first.get() != digest);
                    continue;
                }
                Entry::Vacant(slot) => drop(slot.insert(digest)),
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
                    self.report.already += 1;
                    continue;
                }
                Some(_) => format!("the project has a different answer to `{key}`"),
            };
            let problem = Error::new(ErrorKind::Conflict, what)
                .line(line)
                .file(&found.path)
                .field("question_id");
            self.skip(
                problem.help(
                    "give each run of a model its own name with --model NAME or the file name",
                ),
            )?;
        }
        self.note(source, reader.notes());
        let mut added = 0;
        for set in sets.into_values() {
            added += self.close(source, set, &source_blake3)?;
        }
        self.report_file(source, found.format.name(), added);
        Ok(())
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

    /// Collects the data sets of the project and of this import.
    pub(super) fn collect_datasets(&mut self) {
        let fresh = self
            .made
            .fresh
            .iter()
            .map(|f| &f.part)
            .filter(|part| matches!(part.holds, Content::Items { .. }));
        self.resolver = DatasetResolver::new(&self.columns, self.catalog.item_parts().chain(fresh));
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
        let format = source.found.format;
        let form = match format {
            Format::MvpCircularPredictions => Form::MvpCircular,
            Format::MvpPredictions | Format::MvpEvaluated => Form::Mvp,
            _ => Form::Plain,
        };
        let evaluated = format == Format::MvpEvaluated;
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
            seen: HashMap::new(),
            duplicates: 0,
            differing: 0,
        })
    }

    fn close(&mut self, source: &Source, set: AnswerSet, source_blake3: &str) -> Result<u64> {
        let AnswerSet {
            holds,
            writer,
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
        let rows = writer.rows();
        self.report.predictions += rows;
        self.keep(writer, holds, duplicates, source, source_blake3)?;
        Ok(rows)
    }
}

/// A digest that distinguishes answers.
fn digest(output: &str) -> [u8; 8] {
    let mut first = [0; 8];
    first.copy_from_slice(&blake3::hash(output.as_bytes()).as_bytes()[..8]);
    first
}
