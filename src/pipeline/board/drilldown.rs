//! From a cell to the texts behind it.

use super::board_data::BoardData;
use benchtop_formats as formats;
use benchtop_metrics::extract::Read;
use benchtop_metrics::score::{ItemSelection, ModelAnswers};
use benchtop_model::board::{AnswerDetail, DrilldownPage};
use benchtop_model::{Item, Prediction, QuestionKind, Result};

/// Number of answers behind a cell to fetch at once, enough for a person to look through. Further
/// pages have [`DRILLDOWN_FURTHER_PAGE`].
pub const DRILLDOWN_PAGE: u64 = 2000;

/// See [`DRILLDOWN_PAGE`].
pub const DRILLDOWN_FURTHER_PAGE: u64 = 10_000;

/// Bytes of text after which a page ends, so that it fits into a message.
pub(super) const BEHIND_BYTES: usize = 6 << 20;

/// Fields with a model's reasoning in answer files. The first is that of an evaluation's journal.
const REASONING: [&str; 4] = ["reasoning", "reasoning_content", "thinking", "thought"];

/// The model's reasoning, if its file or evaluation journal has it.
fn reasoning(answer: &Prediction) -> Option<String> {
    let said = |name: &&str| {
        answer
            .extra
            .get(*name)?
            .as_str()
            .filter(|text| !text.trim().is_empty())
    };
    REASONING.iter().find_map(said).map(str::to_string)
}

/// An answer's unit, with the results of both.
pub(super) struct UnitResult<'a> {
    name: &'a str,
    is_unit_right: bool,
    is_right: bool,
}

impl<'a> UnitResult<'a> {
    /// A unit of one question.
    pub(super) fn single(name: &'a str, is_right: bool) -> UnitResult<'a> {
        UnitResult {
            name,
            is_unit_right: is_right,
            is_right,
        }
    }
}

impl BoardData {
    /// The answers behind a cell, unit by unit in data set order. Returns a page of at most `most`
    /// answers, fewer if they are long, but at least one unit. `from` is 0 or the `next` of the
    /// previous page.
    ///
    /// # Errors
    ///
    /// [`benchtop_model::ErrorKind::NotFound`] if there is no such model or column, or if texts
    /// cannot be read.
    pub fn drilldown(
        &self,
        model: &str,
        column: &str,
        chosen: &ItemSelection,
        (from, most): (u64, u64),
    ) -> Result<DrilldownPage> {
        let (at, column) = (self.ruled.model(model)?, self.ruled.column(column)?);
        let (ruled, unit) = (&self.ruled, column.unit());
        let units = column.units(ruled, at, chosen);
        let answerers = column.answerers(ruled, at);
        let counts = |model: &usize, row: u32| column.counts(ruled, *model, row as usize);
        let counted = |rows: &[u32]| {
            rows.iter()
                .map(|row| answerers.iter().filter(|model| counts(model, *row)).count() as u64)
                .sum::<u64>()
        };
        let (mut all, mut next, mut page) = (0, None, Vec::new());
        for (rows, right) in units {
            let (begins, n) = (all, counted(&rows));
            all += n;
            if n == 0 || begins < from || next.is_some() {
                continue;
            }
            match begins == from || all - from <= most {
                true => page.push((rows, right, begins)),
                false => next = Some(begins),
            }
        }
        let rows: Vec<u32> = page
            .iter()
            .flat_map(|(rows, ..)| rows.iter().copied())
            .collect();
        let items = self.texts.items(&rows)?;
        let answers: Vec<Vec<Option<Prediction>>> = answerers
            .iter()
            .map(|at| self.answers(*at, &rows))
            .collect::<Result<_>>()?;
        let mut answers: Vec<_> = answers.into_iter().map(Vec::into_iter).collect();
        let names = page.iter().flat_map(|(rows, right, begins)| {
            rows.iter().map(move |_| (rows.len(), *right, *begins))
        });
        let mut found: Vec<AnswerDetail> = Vec::with_capacity(rows.len() * answerers.len());
        let (mut left, mut bytes) = (0, 0);
        let mut name = String::new();
        for ((row, item), (size, unit_right, begins)) in rows.iter().zip(&items).zip(names) {
            if left == 0 {
                if bytes > BEHIND_BYTES {
                    next = Some(begins);
                    break;
                }
                (left, name) = (size, unit.name(item));
            }
            left -= 1;
            let row = *row as usize;
            for (model, answers) in answerers.iter().zip(&mut answers) {
                // A question with fewer options has fewer rotations.
                let (answer, graded) = (answers.next().flatten(), self.ruled.answers(*model));
                if !counts(model, row as u32) || answer.is_none() && !graded.was_asked(row) {
                    continue;
                }
                let unit = UnitResult {
                    name: &name,
                    is_unit_right: unit_right,
                    is_right: column.right(ruled, *model, row),
                };
                let mut one = self.answer_detail(item, answer, unit, row, graded);
                if let Some(order) = self
                    .ruled
                    .order_name(*model)
                    .filter(|_| answerers.len() > 1)
                {
                    one.trace = format!("{order}: {}", one.trace);
                }
                let said = one.output.as_ref().map_or(0, String::len)
                    + one.reasoning.as_ref().map_or(0, String::len);
                bytes += one.question.len() + said + one.trace.len();
                found.push(one);
            }
        }
        Ok(DrilldownPage {
            answers: found,
            all,
            next,
        })
    }

    pub(super) fn answer_detail(
        &self,
        item: &Item,
        answer: Option<Prediction>,
        unit: UnitResult<'_>,
        row: usize,
        graded: &ModelAnswers,
    ) -> AnswerDetail {
        let (read, mut trace) = answer
            .as_ref()
            .map(|answer| self.read(item, row, answer))
            .unzip();
        let is_free = item.kind == QuestionKind::FreeForm && answer.is_some();
        let similarity = graded
            .similarity
            .get(row)
            .copied()
            .filter(|s| is_free && s.is_finite());
        if is_free {
            let graded = answer.as_ref().and_then(|a| self.grading(item, &a.output));
            trace = graded.or_else(|| {
                Some(match similarity {
                    Some(s) => format!("semantic similarity to the reference: {s:.4}"),
                    None => {
                        "not compared with the reference; run `benchtop eval similarity`".into()
                    }
                })
            });
        }
        AnswerDetail {
            unit: unit.name.to_string(),
            unit_right: (!is_free).then_some(unit.is_unit_right),
            key: item.key.to_string(),
            item: item.id.clone(),
            question: item.instruction.as_ref().unwrap_or(&item.question).clone(),
            gold: item
                .gold()
                .map_or_else(|| item.answer.to_lowercase(), Item::letter),
            reasoning: answer.as_ref().and_then(reasoning),
            tool: answer
                .as_ref()
                .map(formats::tool_verdict)
                .filter(|tool| !tool.is_empty()),
            output: answer.map(|a| a.output),
            extracted: read.filter(|_| !is_free).and_then(Read::answer),
            declined: !is_free && read == Some(Read::Refused),
            trace: trace.unwrap_or_else(|| "no answer, counted as wrong".into()),
            right: (!is_free).then_some(unit.is_right),
            similarity,
        }
    }
}
