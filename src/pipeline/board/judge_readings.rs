//! Answers that `strict` cannot read, as read by judges.

use std::sync::Arc;

use super::board_data::BoardData;
use super::rows::as_asked;
use benchtop_metrics::extract::judge_extraction::read;
use benchtop_metrics::extract::{Asked, Extractor, Read};
use benchtop_metrics::score::parsed_answer::ParsedAnswer;
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

impl BoardData {
    /// Sets the readings that [`Extractor::StrictJudge`] uses, with a note about their judges.
    pub(super) fn with_readings(mut self, readings: Arc<JudgeExtractions>) -> BoardData {
        if let Some(rule) = self.rule.filter(|rule| rule.is_of_project()) {
            let judges: Vec<String> = readings
                .judges()
                .iter()
                .map(|(judge, words)| format!("{judge} ({words})"))
                .collect();
            let by = match judges.is_empty() {
                true => "no judge was asked yet; run `benchtop eval judge`".to_string(),
                false => format!(
                    "answers that strict cannot read are read by {}",
                    judges.join(", ")
                ),
            };
            self.board_notes.say(format!("{}: {by}", rule.name()));
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
