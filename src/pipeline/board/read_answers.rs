//! Reads the answers of several models together, so that each question is unpacked and parsed once
//! for all of them.

use std::borrow::Cow;

use super::cache::{CachedAnswers, Places};
use super::dataset_resolver::{Assignment, DatasetResolver};
use super::diagnostics::FileOutcomes;
use super::judge_readings::Ruling;
use super::rows::{Window, key_text, rows};
use benchtop_metrics::score::question_table::QuestionTable;
use benchtop_metrics::score::{Grader, Outcome};
use benchtop_model::Result;
use benchtop_model::cancel::Cancel;
use benchtop_store::Catalog;
use benchtop_store::catalog::PredictionSegment;
use benchtop_store::manifest::Content;

/// Maximum number of models that are read together. Each needs memory for all of its answers.
pub(super) const TOGETHER: usize = 8;

/// A model and the indices of its answer files.
#[derive(Clone, Copy)]
pub(super) struct ModelFiles<'a> {
    pub(super) model: &'a str,
    pub(super) files: &'a [usize],
}

/// What all models have in common.
#[derive(Clone, Copy)]
pub(super) struct Reading<'a> {
    pub(super) catalog: &'a Catalog,
    pub(super) resolver: &'a DatasetResolver,
    pub(super) sheet: &'a QuestionTable,
    pub(super) ruling: Ruling<'a>,
    pub(super) cancel: Cancel<'a>,
}

/// Reads the files of these models. The one that is behind the others is read next.
pub(super) fn read_models(
    reading: Reading<'_>,
    models: &[ModelFiles<'_>],
) -> Result<Vec<CachedAnswers>> {
    let mut window = Window::new(reading.catalog);
    let mut readers: Vec<ModelReader<'_>> = models
        .iter()
        .map(|of| ModelReader::new(reading, *of))
        .collect();
    while let Some(reader) = readers
        .iter_mut()
        .filter(|reader| !reader.is_done)
        .min_by_key(|reader| reader.expected)
    {
        reader.step(&mut window)?;
    }
    Ok(readers.into_iter().map(ModelReader::finish).collect())
}

/// Reads one model's files, frame by frame.
struct ModelReader<'a> {
    reading: Reading<'a>,
    files: std::slice::Iter<'a, usize>,
    file: Option<OpenFile<'a>>,
    grader: Grader<'a>,
    told: Vec<(String, FileOutcomes)>,
    /// The row of the question that the next answer probably belongs to.
    expected: usize,
    is_done: bool,
}

struct OpenFile<'a> {
    answers: &'a PredictionSegment,
    assignment: Assignment,
    outcomes: FileOutcomes,
    frame: usize,
    line: u32,
}

impl<'a> ModelReader<'a> {
    fn new(reading: Reading<'a>, of: ModelFiles<'a>) -> ModelReader<'a> {
        ModelReader {
            reading,
            files: of.files.iter(),
            file: None,
            grader: Grader::new(reading.sheet, of.model, reading.ruling.rule),
            told: Vec::new(),
            expected: 0,
            is_done: false,
        }
    }

    /// Reads the next frame, or opens the next file.
    fn step(&mut self, window: &mut Window<'_>) -> Result<()> {
        let Some(file) = &mut self.file else {
            return self.open();
        };
        let Some(text) = file.answers.lines(file.frame)? else {
            let source = file.answers.part.source.clone();
            let outcomes = self.file.take().map(|file| file.outcomes);
            self.told.extend(outcomes.map(|of| (source, of)));
            return Ok(());
        };
        let Reading {
            catalog, ruling, ..
        } = self.reading;
        let hashes = &catalog.columns().id_hash;
        let mut id = String::new();
        for row in rows(&text) {
            let row = row?;
            let key = key_text(row.key);
            // Most files have the order of the questions.
            let expected = self.expected;
            let find = |hash| match hashes.get(expected) {
                Some(next) if *next == hash => Some(expected),
                _ => catalog.row_of_hash(hash).map(|row| row as usize),
            };
            match file.assignment.find(&key, &mut id, find) {
                Err(hash) => file.outcomes.count(self.grader.extra(hash)),
                Ok(place) => {
                    (self.expected, file.outcomes.known) = (place + 1, true);
                    let question = window.question(place)?;
                    let said = row.extra.as_ref().and_then(|e| e.question.or(e.prompt));
                    let said: Option<Cow<'_, str>> =
                        said.and_then(|raw| serde_json::from_str(raw.get()).ok());
                    if said.is_some_and(|said| !question.is_text(&said)) {
                        file.outcomes.drifted.insert(key.into_owned());
                    }
                    let asked = question.asked(row.extra.as_ref());
                    let judge = row.judge.as_deref();
                    let outcome = self
                        .grader
                        .answer(place, file.line, &asked, &row.output, judge);
                    if outcome == Outcome::Used
                        && self.grader.is_unparsed(place)
                        && let Some(read) =
                            ruling.judged((&id, &question.question), &asked, &row.output)
                    {
                        self.grader.judged(place, read);
                    }
                    file.outcomes.count(outcome);
                }
            }
            file.line += 1;
        }
        file.frame += 1;
        self.reading.cancel.check()
    }

    fn open(&mut self) -> Result<()> {
        let Some(at) = self.files.next() else {
            self.is_done = true;
            return Ok(());
        };
        let Reading {
            catalog, resolver, ..
        } = self.reading;
        let answers = &catalog.answers()[*at];
        self.grader.file(evaluated(answers));
        let assignment =
            resolver.assign_part(answers, &|hash| catalog.row_of_hash(hash).is_some())?;
        let named =
            names_its_dataset(answers) && assignment.names.iter().any(|name| resolver.has(name));
        self.expected = 0;
        self.file = Some(OpenFile {
            answers,
            outcomes: FileOutcomes::new(named, assignment.shared.clone()),
            assignment,
            frame: 0,
            line: 0,
        });
        Ok(())
    }

    fn finish(self) -> CachedAnswers {
        let (graded, places) = self.grader.finish();
        CachedAnswers {
            graded,
            places: Places::pack(&places),
            files: self.told,
            revisions: 0,
        }
    }
}

pub(super) fn evaluated(answers: &PredictionSegment) -> bool {
    matches!(
        answers.part.holds,
        Content::Predictions {
            evaluated: true,
            ..
        }
    )
}

pub(super) fn names_its_dataset(answers: &PredictionSegment) -> bool {
    matches!(
        answers.part.holds,
        Content::Predictions {
            dataset: Some(_),
            ..
        }
    )
}
