//! Reading a model's answers, one row of its files after the other.

use std::collections::HashMap;

use super::ModelAnswers;
use super::question_table::{ParsedAnswer, QuestionTable};
use crate::extract::{Asked, Extractor, Read};
use benchtop_model::{Choice, QuestionKind, Role};

/// What became of one row of a prediction file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It is the answer that counts.
    Used,
    /// Its question is not in the set.
    Extra,
    /// Its question has an answer already.
    Duplicate,
    /// Its question has an answer from an evaluated file, which goes before a plain one; this is no oddity.
    Superseded,
}

/// Which file of a model, and which of its rows, an answer is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Position among the model's files.
    pub file: u16,
    /// Row of the file, from 0.
    pub row: u32,
}

impl Place {
    /// No answer.
    pub const NONE: Place = Place {
        file: u16::MAX,
        row: u32::MAX,
    };
}

/// Reads a model's answers. Of several rows for one question the first counts, so a model's evaluated files come first.
pub struct Grader<'a> {
    sheet: &'a QuestionTable,
    rule: Option<Extractor>,
    graded: ModelAnswers,
    places: Vec<Place>,
    /// Whether each file so far was an evaluated one.
    evaluated: Vec<bool>,
    /// Keys outside the set, and whether an evaluated file had them.
    extra: HashMap<u64, bool>,
}

impl<'a> Grader<'a> {
    /// A model without answers yet; `rule` reads all of them, or else each question's own.
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

    /// The next rows are of another file.
    pub fn file(&mut self, evaluated: bool) {
        self.evaluated.push(evaluated);
    }

    fn again(&mut self, before: bool) -> Outcome {
        if before && !self.evaluated.last().copied().unwrap_or(false) {
            return Outcome::Superseded;
        }
        self.graded.counts.duplicate += 1;
        Outcome::Duplicate
    }

    /// An answer to a question that is not in the set; `key` is a hash of its id.
    pub fn extra(&mut self, key: u64) -> Outcome {
        let evaluated = self.evaluated.last().copied().unwrap_or(false);
        match self.extra.get(&key).copied() {
            Some(before) => self.again(before),
            None => {
                self.extra.insert(key, evaluated);
                self.graded.counts.extra += 1;
                Outcome::Extra
            }
        }
    }

    /// Whether the question in a row has an answer already: then the next one need not be read.
    pub fn has(&self, row: usize) -> bool {
        self.graded.mark(row) != ParsedAnswer::ABSENT
    }

    /// The answer in row `at` of the file to the question in `row`, which was asked as `asked` says.
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
            return self.again(self.evaluated.get(file).copied().unwrap_or(false));
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

    /// Whether the answer in a row cannot be read.
    pub fn is_unparsed(&self, row: usize) -> bool {
        self.graded.mark(row) == ParsedAnswer::UNPARSED
    }

    /// What a judge read of the answer in a row that could not be read.
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

    /// The marks, and where each answer is.
    pub fn finish(self) -> (ModelAnswers, Vec<Place>) {
        (self.graded, self.places)
    }
}

impl ModelAnswers {
    /// What an answer to the question in `row` says, by `rule` or else by the question's own.
    pub fn read(
        sheet: &QuestionTable,
        row: usize,
        rule: Option<Extractor>,
        asked: &Asked,
        output: &str,
        judge: Option<&str>,
    ) -> ParsedAnswer {
        match sheet.kind(row) {
            // Nothing is read out of free text: that there is one is what counts.
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

/// Whether what is read as declining chooses the option that declines: it is read as that option where declining is as good as any.
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

/// What was read, as a mark.
pub fn mark(read: Read) -> ParsedAnswer {
    match read {
        Read::Option(at) => ParsedAnswer::option(at),
        Read::Yes => ParsedAnswer::option(0),
        Read::No => ParsedAnswer::option(1),
        Read::Refused => ParsedAnswer::REFUSED,
        Read::Unparsed => ParsedAnswer::UNPARSED,
    }
}
