//! The answers of a file.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};

use super::{Import, Watch, hash_file, tick};
use crate::formats::{self, Format};
use crate::model::{Form, Key, Kind, Prediction, Problem, Result};
use crate::pipeline::sources::{self, Source};
use crate::store::manifest::Holds;
use crate::store::segment::Writer;

/// The answers of one model of a file, as they are written.
struct Set {
    holds: Holds,
    writer: Writer,
    there: HashMap<Key, Prediction>,
    /// Keys with the answer given first.
    seen: HashMap<Key, [u8; 8]>,
    duplicates: u64,
    differing: u64,
}

impl Import<'_> {
    /// Brings in the answers of a file.
    pub(super) fn answers(&mut self, source: &Source, watch: Watch<'_>) -> Result<()> {
        let (found, said) = (&source.found, self.ask.said());
        let source_blake3 = hash_file(&found.path)?;
        let named = source.model.clone().unwrap_or_else(|| sources::model_name(&found.path));
        let rows =
            self.there(&source_blake3, &|holds| matches!(holds, Holds::Predictions { model, .. } if *model == named));
        if rows > 0 {
            self.report.already += rows;
            self.told(source, "there already", 0);
            return Ok(());
        }
        let joined = self.joined.get(&found.path).cloned();
        let dataset = joined.as_ref().map(|(dataset, _)| dataset.clone()).or_else(|| source.dataset.clone());
        let mut sets: BTreeMap<String, Set> = BTreeMap::new();
        let mut records = 0;
        let mut reader = formats::predictions_by(&found.path, found.format, self.ask.mapping.as_deref())?;
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
                    let set = self.set(found.format, slot.key().clone(), dataset.clone())?;
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
            match set.there.get(&prediction.key) {
                None => set.writer.push(&prediction)?,
                Some(old) if *old == prediction => self.report.already += 1,
                Some(_) => self.skip(
                    Problem::new(Kind::Conflict, format!("another answer to `{}` is in the project", prediction.key))
                        .line(line)
                        .file(&found.path)
                        .field("question_id")
                        .help("two runs of one model need two names: --model NAME, or two file names"),
                )?,
            }
        }
        self.note(source, reader.notes());
        let mut added = 0;
        for set in sets.into_values() {
            added += self.close(source, set, &source_blake3)?;
        }
        self.told(source, found.format.name(), added);
        Ok(())
    }

    /// Begins the answers of `model`.
    fn set(&self, format: Format, model: String, dataset: Option<String>) -> Result<Set> {
        let form = match format {
            Format::MvpCircularPredictions => Form::MvpCircular,
            Format::MvpPredictions | Format::MvpEvaluated => Form::Mvp,
            _ => Form::Plain,
        };
        let holds = Holds::Predictions { model, form, evaluated: format == Format::MvpEvaluated, dataset, run: None };
        let mut there: HashMap<Key, Prediction> = HashMap::new();
        for answers in self.catalog.answers().iter().filter(|a| a.part.holds == holds) {
            there.extend(answers.predictions()?.into_iter().map(|p| (p.key.clone(), p)));
        }
        let writer = Writer::create(&self.project.imports())?;
        Ok(Set { holds, writer, there, seen: HashMap::new(), duplicates: 0, differing: 0 })
    }

    fn close(&mut self, source: &Source, set: Set, source_blake3: &str) -> Result<u64> {
        let Set { holds, writer, duplicates, differing, .. } = set;
        if duplicates > 0 {
            self.report.duplicates += duplicates;
            let differ =
                if differing > 0 { format!(", {differing} of them with another answer") } else { String::new() };
            let name = source.name();
            self.report
                .notes
                .push(format!("{name}: {duplicates} rows are given more than once{differ}; the first of each is used"));
        }
        let rows = writer.rows();
        self.report.predictions += rows;
        self.keep(writer, holds, duplicates, source, source_blake3)?;
        Ok(rows)
    }
}

/// What tells two answers apart.
fn digest(output: &str) -> [u8; 8] {
    let mut first = [0; 8];
    first.copy_from_slice(&blake3::hash(output.as_bytes()).as_bytes()[..8]);
    first
}
