//! Answers that `strict` cannot read, as judges read them.

use std::sync::Arc;

use super::BoardData;
use benchtop_metrics::extract::judge_extraction::read;
use benchtop_metrics::extract::{Asked, Extractor, Read};
use benchtop_metrics::score::question_table::ParsedAnswer;
use benchtop_model::{Item, Prediction, Result};
use benchtop_store::judge_cache::{JudgeExtractions, Reading, about};

/// Characters of what a judge said in a trace, at most.
const SAID: usize = 60;

/// How answers are read: by one rule or each question's own, and what judges read.
#[derive(Clone, Copy)]
pub(super) struct Ruling<'a> {
    pub(super) rule: Option<Extractor>,
    pub(super) readings: &'a JudgeExtractions,
}

impl Ruling<'_> {
    /// What marks by this rule follow from beside answers and rule: other words once there are more readings.
    pub(super) fn digest(&self) -> &str {
        if self.rule.is_some_and(Extractor::is_of_project) {
            self.readings.digest()
        } else {
            ""
        }
    }

    /// What a judge read of an output that the rule cannot read; the item is its id and its question.
    pub(super) fn judged(&self, item: (&str, &str), asked: &Asked, output: &str) -> Option<Read> {
        let rule = self.rule.filter(|rule| rule.is_of_project());
        reading(self.readings, rule?, item, asked, output)
            .and_then(|reading| read(asked, reading.read.as_deref()?))
    }
}

/// The last reading of this output to this question, where the rule goes by readings.
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

impl BoardData {
    /// With what judges read, which [`Extractor::StrictJudge`] goes by; a note says whose readings these are.
    pub(super) fn with_readings(mut self, readings: Arc<JudgeExtractions>) -> BoardData {
        if let Some(rule) = self.rule.filter(|rule| rule.is_of_project()) {
            let judges: Vec<String> = readings
                .judges()
                .iter()
                .map(|(judge, words)| format!("{judge} ({words})"))
                .collect();
            let by = match judges.is_empty() {
                true => "no judge was asked yet: `benchtop eval judge` does".to_string(),
                false => format!(
                    "what strict cannot read is as read by {}",
                    judges.join(", ")
                ),
            };
            self.odd.say(format!("{}: {by}", rule.name()));
        }
        self.readings = readings;
        self
    }

    /// What an answer to the question in `row` is read as, and how.
    pub(super) fn read(&self, item: &Item, row: usize, answer: &Prediction) -> (Read, String) {
        let (asked, rule) = (
            Asked::from(item),
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
        let words: Vec<&str> = reading.said.split_whitespace().collect();
        let said: String = words.join(" ").chars().take(SAID).collect();
        trace.push_str(&format!(
            "; judge `{}` ({}) said `{said}`",
            reading.judge, reading.instruction
        ));
        trace.push_str(&match found {
            Some(Read::Refused) => ", refused".to_string(),
            Some(read) => format!(", read as `{}`", read.answer().unwrap_or_default()),
            None => ", which names no option".to_string(),
        });
        (found.unwrap_or(by_rule), trace)
    }

    /// The rows whose answer cannot be read, of the model at this place of [`Ruled::answering`](benchtop_metrics::score::BoardEngine::answering).
    pub fn unparsed(&self, at: usize) -> Vec<u32> {
        let marks = self
            .ruled
            .answering()
            .get(at)
            .map_or(&[][..], |graded| &graded.marks);
        let rows = (0u32..)
            .zip(marks)
            .filter(|(_, mark)| **mark == ParsedAnswer::UNPARSED);
        rows.map(|(row, _)| row).collect()
    }

    /// These rows that the model at this place answered, each with its item and the answer.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn answered(&self, at: usize, rows: &[u32]) -> Result<Vec<(u32, Item, Prediction)>> {
        let (items, answers) = (self.texts.items(rows)?, self.answers(at, rows)?);
        let all = rows.iter().zip(items).zip(answers);
        Ok(all
            .filter_map(|((row, item), answer)| Some((*row, item, answer?)))
            .collect())
    }
}
