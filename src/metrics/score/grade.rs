//! Reads a model's answers, row by row of its files.

use std::collections::HashMap;

use super::model_answers::ModelAnswers;
use super::parsed_answer::ParsedAnswer;
use super::question_table::QuestionTable;
use crate::extract::{Asked, Extractor, Read};
use benchtop_model::{Choice, QuestionKind, Role};

/// The result of one row of a prediction file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The row is the answer that counts.
    Used,
    /// The question is not in the set.
    Extra,
    /// The question already has an answer.
    Duplicate,
    /// The question already has an answer from an evaluated file, which takes precedence. This is
    /// not reported.
    Superseded,
}

/// The file and row of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Index among the model's files.
    pub file: u16,
    /// Row in the file, from 0.
    pub row: u32,
}

impl Place {
    pub const NONE: Place = Place {
        file: u16::MAX,
        row: u32::MAX,
    };
}

/// Reads a model's answers. The first of several rows for one question counts, so a model's
/// evaluated files come first.
pub struct Grader<'a> {
    sheet: &'a QuestionTable,
    rule: Option<Extractor>,
    graded: ModelAnswers,
    places: Vec<Place>,
    /// Whether each file so far is an evaluated one.
    evaluated: Vec<bool>,
    /// Keys outside the set, and whether an evaluated file has them.
    extra: HashMap<u64, bool>,
}

impl<'a> Grader<'a> {
    /// Starts a model without answers. `rule` reads all of its answers; `None` uses the rule of
    /// each question.
    pub fn new(
        sheet: &'a QuestionTable,
        model: impl Into<String>,
        rule: Option<Extractor>,
    ) -> Grader<'a> {
        let graded = ModelAnswers {
            model: model.into(),
            marks: vec![ParsedAnswer::ABSENT; sheet.len()],
            ..ModelAnswers::default()
        };
        let places = vec![Place::NONE; sheet.len()];
        Grader {
            sheet,
            rule,
            graded,
            places,
            evaluated: Vec::new(),
            extra: HashMap::new(),
        }
    }

    /// Starts the next file.
    pub fn file(&mut self, evaluated: bool) {
        self.evaluated.push(evaluated);
    }

    fn duplicate_outcome(&mut self, before: bool) -> Outcome {
        if before && !self.evaluated.last().copied().unwrap_or(false) {
            return Outcome::Superseded;
        }
        self.graded.counts.duplicate += 1;
        Outcome::Duplicate
    }

    /// Counts an answer to a question outside the set. `key` is a hash of its id.
    pub fn extra(&mut self, key: u64) -> Outcome {
        let evaluated = self.evaluated.last().copied().unwrap_or(false);
        match self.extra.get(&key).copied() {
            Some(before) => self.duplicate_outcome(before),
            None => {
                self.extra.insert(key, evaluated);
                self.graded.counts.extra += 1;
                Outcome::Extra
            }
        }
    }

    /// Whether the question in a row already has an answer. The next one then need not be read.
    pub fn has(&self, row: usize) -> bool {
        self.graded.mark(row) != ParsedAnswer::ABSENT
    }

    /// Reads the answer in row `at` of the file to the question in `row`. `asked` is the question
    /// as it was put to the model.
    pub fn answer(
        &mut self,
        row: usize,
        at: u32,
        asked: &Asked,
        output: &str,
        judge: Option<&str>,
    ) -> Outcome {
        if self.has(row) {
            let file = usize::from(self.places[row].file);
            return self.duplicate_outcome(self.evaluated.get(file).copied().unwrap_or(false));
        }
        let mark = ModelAnswers::read(self.sheet, row, self.rule, asked, output, judge);
        let counts = &mut self.graded.counts;
        counts.used += 1;
        counts.unparsed += u64::from(mark == ParsedAnswer::UNPARSED);
        counts.refused += u64::from(mark == ParsedAnswer::REFUSED);
        self.graded.marks[row] = mark;
        let file = u16::try_from(self.evaluated.len().saturating_sub(1)).unwrap_or(u16::MAX);
        self.places[row] = Place { file, row: at };
        Outcome::Used
    }

    /// Whether the answer in a row is unparsed.
    pub fn is_unparsed(&self, row: usize) -> bool {
        self.graded.mark(row) == ParsedAnswer::UNPARSED
    }

    /// Sets what a judge read in an unparsed answer.
    pub fn judged(&mut self, row: usize, read: Read) {
        if let Some(mark) = self
            .graded
            .marks
            .get_mut(row)
            .filter(|mark| **mark == ParsedAnswer::UNPARSED)
        {
            *mark = self::mark(read);
            self.graded.counts.unparsed -= u64::from(*mark != ParsedAnswer::UNPARSED);
            self.graded.counts.refused += u64::from(*mark == ParsedAnswer::REFUSED);
        }
    }

    /// The parsed answers, and the place of each.
    pub fn finish(self) -> (ModelAnswers, Vec<Place>) {
        (self.graded, self.places)
    }
}

impl ModelAnswers {
    /// Reads the answer to the question in `row`, by `rule` or else by the question's own rule.
    pub fn read(
        sheet: &QuestionTable,
        row: usize,
        rule: Option<Extractor>,
        asked: &Asked,
        output: &str,
        judge: Option<&str>,
    ) -> ParsedAnswer {
        match sheet.kind(row) {
            // Nothing is extracted from free text; it only matters that there is an answer.
            QuestionKind::FreeForm => ParsedAnswer::option(0),
            _ => {
                let rule = rule.unwrap_or_else(|| sheet.rule(row));
                match mark(rule.read(asked, output, judge)) {
                    ParsedAnswer::REFUSED
                        if chooses(asked, |as_any| rule.read(as_any, output, judge)) =>
                    {
                        ParsedAnswer::DECLINED
                    }
                    mark => mark,
                }
            }
        }
    }
}

/// Whether an answer that was read as declining picks the refusal option: reads it again as if that
/// option were an ordinary one.
fn chooses(asked: &Asked, read: impl Fn(&Asked) -> Read) -> bool {
    let declines = asked
        .options
        .iter()
        .position(|option| option.role == Role::Refusal);
    declines.is_some_and(|at| {
        let any = |option: &Choice| Choice {
            role: Role::Distractor,
            ..option.clone()
        };
        let options: Vec<Choice> = asked.options.iter().map(any).collect();
        read(&Asked {
            options: &options,
            ..*asked
        }) == Read::Option(at)
    })
}

/// A read as a parsed answer.
pub fn mark(read: Read) -> ParsedAnswer {
    match read {
        Read::Option(at) => ParsedAnswer::option(at),
        Read::Yes => ParsedAnswer::option(0),
        Read::No => ParsedAnswer::option(1),
        Read::Refused => ParsedAnswer::REFUSED,
        Read::Unparsed => ParsedAnswer::UNPARSED,
    }
}
