//! Answers that `strict` cannot read, as read by judges, and the grades of free-form answers.

use std::sync::Arc;

use super::board_data::BoardData;
use super::rows::as_asked;
use benchtop_metrics::extract::judge_extraction::read;
use benchtop_metrics::extract::{Asked, Extractor, Read, judge_grading};
use benchtop_metrics::score::parsed_answer::ParsedAnswer;
use benchtop_model::free_form::FreeForm;
use benchtop_model::vlm::Finish;
use benchtop_model::{Item, Prediction, Result};
use benchtop_store::judge_cache::{JudgeExtractions, Reading, about};

/// Maximum length of a judge's output in a trace, in characters.
const SAID: usize = 60;

/// How to read answers: by one rule or each question's own, with the readings of judges.
#[derive(Clone, Copy)]
pub(super) struct Ruling<'a> {
    pub(super) rule: Option<Extractor>,
    pub(super) readings: &'a JudgeExtractions,
}

impl Ruling<'_> {
    /// The part of a cache key besides answers and rule. Changes with new readings.
    pub(super) fn digest(&self) -> &str {
        if self.rule.is_some_and(Extractor::is_of_project) {
            &self.readings.digest
        } else {
            ""
        }
    }

    /// A judge's reading of an output that the rule cannot read. The item is given by id and
    /// question.
    pub(super) fn judged(&self, item: (&str, &str), asked: &Asked, output: &str) -> Option<Read> {
        let rule = self.rule.filter(|rule| rule.is_of_project());
        reading(self.readings, rule?, item, asked, output)
            .and_then(|reading| read(asked, reading.read.as_deref()?))
    }
}

/// The last reading of this output to this question, if the rule uses readings.
fn reading<'r>(
    readings: &'r JudgeExtractions,
    rule: Extractor,
    (id, question): (&str, &str),
    asked: &Asked,
    output: &str,
) -> Option<&'r Reading> {
    let is_wanted = rule.is_of_project();
    let options = asked.options.iter().map(|option| option.text.as_str());
    is_wanted
        .then(|| about(id, question, options, output))
        .and_then(|about| readings.last(&about))
}

/// The judge and its reply, in a trace.
fn said(reading: &Reading) -> String {
    let words: Vec<&str> = reading.said.split_whitespace().collect();
    let said: String = words.join(" ").chars().take(SAID).collect();
    format!(
        "judge `{}` ({}) said `{said}`",
        reading.judge, reading.instruction
    )
}

impl BoardData {
    /// Sets the readings that [`Extractor::StrictJudge`] uses, with a note about their judges.
    pub(super) fn with_readings(mut self, readings: Arc<JudgeExtractions>) -> BoardData {
        if let Some(rule) = self.rule.filter(|rule| rule.is_of_project()) {
            let judges = |grades: bool| -> Vec<String> {
                let all = readings.judges().into_iter();
                all.filter(|(_, words)| (*words == judge_grading::INSTRUCTION) == grades)
                    .map(|(judge, words)| format!("{judge} ({words})"))
                    .collect()
            };
            let mut say = |judges: Vec<String>, what: &str, none: &str| {
                let by = match judges.is_empty() {
                    true => none.to_string(),
                    false => format!("{what} by {}", judges.join(", ")),
                };
                self.board_notes.say(format!("{}: {by}", rule.name()));
            };
            say(
                judges(false),
                "answers that strict cannot read are read",
                "no judge was asked yet; run `benchtop eval judge`",
            );
            if rule.grades() {
                say(
                    judges(true),
                    "free-form answers are graded",
                    "no judge has graded yet; run `benchtop eval judge --grade`",
                );
            }
        }
        self.readings = readings;
        self
    }

    /// The answer read for the question in `row`, and how.
    pub(super) fn read(&self, item: &Item, row: usize, answer: &Prediction) -> (Read, String) {
        let (asked, rule) = (
            as_asked(item, answer),
            self.rule.unwrap_or_else(|| self.ruled.sheet().rule(row)),
        );
        let (output, judge) = (answer.output.as_str(), answer.judge.as_deref());
        let (by_rule, mut trace) = (
            rule.read(&asked, output, judge),
            rule.trace(&asked, output, judge),
        );
        if by_rule != Read::Unparsed || !rule.is_of_project() {
            return (by_rule, trace);
        }
        let Some(reading) = reading(
            &self.readings,
            rule,
            (&item.id, &item.question),
            &asked,
            output,
        ) else {
            trace.push_str("; no judge was asked about it");
            return (by_rule, trace);
        };
        let found = reading
            .read
            .as_deref()
            .and_then(|replied| read(&asked, replied));
        trace.push_str(&format!("; {}", said(reading)));
        trace.push_str(&match found {
            Some(Read::Refused) => ", refused".to_string(),
            Some(read) => format!(", read as `{}`", read.answer().unwrap_or_default()),
            None => ", which names no option".to_string(),
        });
        (found.unwrap_or(by_rule), trace)
    }

    /// How a free-form answer was graded, if the rule uses grades.
    pub(super) fn grading(&self, item: &Item, output: &str) -> Option<String> {
        self.rule.filter(|rule| rule.grades())?;
        if !judge_grading::can_grade(output) {
            return Some("empty, so its grade is 0.0".into());
        }
        let reference = FreeForm::default().reference(item)?;
        let key = about(&item.id, &item.question, [reference], output);
        let Some(reading) = self.readings.last_with(&key, judge_grading::INSTRUCTION) else {
            return Some("not graded yet; run `benchtop eval judge --grade`".into());
        };
        let said = said(reading);
        Some(match &reading.read {
            Some(grade) => format!("grade {grade}: {said}"),
            None if reading.finish == Finish::Refused => {
                format!("without a grade: {said}, refused")
            }
            None => format!("without a grade: {said}, which is no grade from 0.0 to 1.0"),
        })
    }

    /// The rows with unparsed answers of the model at this index of
    /// [`BoardEngine::answering`](benchtop_metrics::score::BoardEngine::answering).
    pub fn unparsed(&self, at: usize) -> Vec<u32> {
        let marks = self
            .ruled
            .all_models()
            .get(at)
            .map_or(&[][..], |graded| &graded.marks);
        let rows = (0u32..)
            .zip(marks)
            .filter(|(_, mark)| **mark == ParsedAnswer::UNPARSED);
        rows.map(|(row, _)| row).collect()
    }

    /// The answered ones of these rows for the model at this index, each with item and answer.
    ///
    /// # Errors
    ///
    /// If they cannot be read.
    pub fn answered(&self, at: usize, rows: &[u32]) -> Result<Vec<(u32, Item, Prediction)>> {
        let (items, answers) = (self.texts.items(rows)?, self.answers(at, rows)?);
        let all = rows.iter().zip(items).zip(answers);
        Ok(all
            .filter_map(|((row, item), answer)| Some((*row, item, answer?)))
            .collect())
    }
}
