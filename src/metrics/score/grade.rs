//! Reading a model's answers, one row of its files after the other.

use std::collections::HashMap;

use super::Graded;
use super::sheet::{Mark, Sheet};
use crate::metrics::extract::{Asked, Extractor, Read};
use crate::model::{Choice, QuestionKind, Role};

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
    pub const NONE: Place = Place { file: u16::MAX, row: u32::MAX };
}

/// Reads a model's answers. Of several rows for one question the first counts, so a model's evaluated files come first.
pub struct Grader<'a> {
    sheet: &'a Sheet,
    rule: Option<Extractor>,
    graded: Graded,
    places: Vec<Place>,
    /// Whether each file so far was an evaluated one.
    evaluated: Vec<bool>,
    /// Keys outside the set, and whether an evaluated file had them.
    extra: HashMap<u64, bool>,
}

impl<'a> Grader<'a> {
    /// A model without answers yet; `rule` reads all of them, or else each question's own.
    pub fn new(sheet: &'a Sheet, model: impl Into<String>, rule: Option<Extractor>) -> Grader<'a> {
        let graded = Graded { model: model.into(), marks: vec![Mark::ABSENT; sheet.len()], ..Graded::default() };
        let places = vec![Place::NONE; sheet.len()];
        Grader { sheet, rule, graded, places, evaluated: Vec::new(), extra: HashMap::new() }
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
        self.graded.mark(row) != Mark::ABSENT
    }

    /// The answer in row `at` of the file to the question in `row`, which was asked as `asked` says.
    pub fn answer(&mut self, row: usize, at: u32, asked: &Asked, output: &str, judge: Option<&str>) -> Outcome {
        if self.has(row) {
            let file = usize::from(self.places[row].file);
            return self.again(self.evaluated.get(file).copied().unwrap_or(false));
        }
        let mark = Graded::read(self.sheet, row, self.rule, asked, output, judge);
        let counts = &mut self.graded.counts;
        counts.used += 1;
        counts.unparsed += u64::from(mark == Mark::UNPARSED);
        counts.refused += u64::from(mark == Mark::REFUSED);
        self.graded.marks[row] = mark;
        let file = u16::try_from(self.evaluated.len().saturating_sub(1)).unwrap_or(u16::MAX);
        self.places[row] = Place { file, row: at };
        Outcome::Used
    }

    /// Whether the answer in a row cannot be read.
    pub fn is_unparsed(&self, row: usize) -> bool {
        self.graded.mark(row) == Mark::UNPARSED
    }

    /// What a judge read of the answer in a row that could not be read.
    pub fn judged(&mut self, row: usize, read: Read) {
        if let Some(mark) = self.graded.marks.get_mut(row).filter(|mark| **mark == Mark::UNPARSED) {
            *mark = self::mark(read);
            self.graded.counts.unparsed -= u64::from(*mark != Mark::UNPARSED);
            self.graded.counts.refused += u64::from(*mark == Mark::REFUSED);
        }
    }

    /// The marks, and where each answer is.
    pub fn finish(self) -> (Graded, Vec<Place>) {
        (self.graded, self.places)
    }
}

impl Graded {
    /// What an answer to the question in `row` says, by `rule` or else by the question's own.
    pub fn read(
        sheet: &Sheet,
        row: usize,
        rule: Option<Extractor>,
        asked: &Asked,
        output: &str,
        judge: Option<&str>,
    ) -> Mark {
        match sheet.kind(row) {
            // Nothing is read out of free text: that there is one is what counts.
            QuestionKind::FreeForm => Mark::option(0),
            _ => {
                let rule = rule.unwrap_or_else(|| sheet.rule(row));
                match mark(rule.read(asked, output, judge)) {
                    Mark::REFUSED if chooses(asked, |as_any| rule.read(as_any, output, judge)) => Mark::DECLINED,
                    mark => mark,
                }
            }
        }
    }
}

/// Whether what is read as declining chooses the option that declines: it is read as that option where declining is as good as any.
fn chooses(asked: &Asked, read: impl Fn(&Asked) -> Read) -> bool {
    let declines = asked.options.iter().position(|option| option.role == Role::Refusal);
    declines.is_some_and(|at| {
        let any = |option: &Choice| Choice { role: Role::Distractor, ..option.clone() };
        let options: Vec<Choice> = asked.options.iter().map(any).collect();
        read(&Asked { options: &options, ..*asked }) == Read::Option(at)
    })
}

/// What was read, as a mark.
pub fn mark(read: Read) -> Mark {
    match read {
        Read::Option(at) => Mark::option(at),
        Read::Yes => Mark::option(0),
        Read::No => Mark::option(1),
        Read::Refused => Mark::REFUSED,
        Read::Unparsed => Mark::UNPARSED,
    }
}
