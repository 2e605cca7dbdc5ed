//! The answers of all models to one question, and where the tools that wrote the answers judged
//! them differently.

use super::board_data::BoardData;
use super::comparison::EXAMPLES;
use super::drilldown::{BEHIND_BYTES, UnitResult};
use benchtop_formats as formats;
use benchtop_metrics::extract::{Asked, Extractor};
use benchtop_metrics::score::parsed_answer::ParsedAnswer;
use benchtop_metrics::score::{ItemSelection, ModelAnswers, mark};
use benchtop_model::board::analysis::Disagreement;
use benchtop_model::board::{ItemAnswers, ModelAnswer};
use benchtop_model::cancel::Cancel;
use benchtop_model::{Error, ErrorKind, Result, ToolVerdict};

/// Number of rows whose answers are read together.
const TOGETHER: usize = 2048;

impl BoardData {
    /// The row of the question with this id, key, or number from 1.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NotFound`] if there is none, or if items cannot be read.
    pub fn row_named(&self, name: &str) -> Result<usize> {
        let all: Vec<u32> = (0..self.ruled.sheet().len() as u32).collect();
        let mut by_key = None;
        for rows in all.chunks(TOGETHER) {
            for (row, item) in rows.iter().zip(self.texts.items(rows)?) {
                if item.id == name {
                    return Ok(*row as usize);
                }
                if by_key.is_none() && item.key.to_string() == name {
                    by_key = Some(*row as usize);
                }
            }
        }
        let by_number = || {
            name.trim_start_matches('#')
                .parse::<usize>()
                .ok()?
                .checked_sub(1)
                .filter(|at| *at < all.len())
        };
        let none = || Error::new(ErrorKind::NotFound, format!("no question `{name}`"));
        by_key.or_else(by_number).ok_or_else(none)
    }

    /// The answers of all models to the question in `row` and its further option orders. Whether an
    /// answer is right depends on `column`, if given. Models without answers in the question's data
    /// set are left out.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NotFound`] if there is no such row or column, or if texts cannot be read.
    pub fn answers_to(&self, row: usize, column: Option<&str>) -> Result<ItemAnswers> {
        let column = column.map(|name| self.ruled.column(name)).transpose()?;
        let none = || Error::new(ErrorKind::NotFound, "no such question on the board");
        let number = u32::try_from(row + 1).map_err(|_| none())?;
        let item = match row < self.ruled.sheet().len() {
            true => self.texts.items(&[number - 1])?.pop().ok_or_else(none)?,
            false => return Err(none()),
        };
        let mut found = ItemAnswers {
            number,
            item: item.id.clone(),
            key: item.key.to_string(),
            question: item.question.clone(),
            options: item
                .options
                .iter()
                .map(|option| option.text.clone())
                .collect(),
            ..ItemAnswers::default()
        };
        // Further orders come after all models; here each follows its own model.
        let mut order: Vec<(String, usize)> = Vec::new();
        for at in 0..self.ruled.all_models().len() {
            let graded = self.ruled.answers(at);
            let base = graded
                .asked
                .as_ref()
                .map_or(&graded.model, |asked| &asked.base);
            if graded.was_asked(row) && self.ruled.is_scored(at, row) {
                order.push((base.clone(), at));
            }
        }
        order.sort();
        let (unit, mut bytes) = (format!("question {}", item.key), 0);
        for (_, at) in order {
            if bytes > BEHIND_BYTES {
                found.left_out += 1;
                continue;
            }
            let graded = self.ruled.answers(at);
            let order = self.ruled.order_name(at);
            let answer = self.answers(at, &[number - 1])?.pop().flatten();
            if answer.is_none() && order.is_some() {
                continue;
            }
            let right = column.map_or_else(
                || self.ruled.right(graded, row),
                |column| column.right(&self.ruled, at, row),
            );
            let answer =
                self.answer_detail(&item, answer, UnitResult::single(&unit, right), row, graded);
            bytes += [&answer.output, &answer.reasoning]
                .into_iter()
                .flatten()
                .map(String::len)
                .sum::<usize>();
            found.answers.push(ModelAnswer {
                model: graded.model.clone(),
                order,
                answer,
            });
        }
        found.gold = item
            .gold()
            .map_or_else(|| item.answer.to_lowercase(), benchtop_model::Item::letter);
        Ok(found)
    }

    /// Where the imported verdicts on answers differ from the board's, by model: a tool judged the
    /// answer differently or read another answer. Answers without a verdict do not count. `seen`
    /// returns whether the answer in a row may be shown.
    ///
    /// # Errors
    ///
    /// If texts cannot be read; [`ErrorKind::Cancelled`].
    pub fn against_tools(
        &self,
        chosen: &ItemSelection,
        (cancel, seen): (Cancel<'_>, &dyn Fn(u32) -> bool),
    ) -> Result<Vec<Disagreement>> {
        let sheet = self.ruled.sheet();
        let mut found = Vec::new();
        for (at, graded) in self.ruled.models().iter().enumerate() {
            let (mut told, mut examples) = (Disagreement::new(&graded.model), Vec::new());
            let given = |row: &u32| {
                let row = *row as usize;
                chosen.holds(row) && graded.mark(row) != ParsedAnswer::ABSENT && sheet.graded(row)
            };
            let rows: Vec<u32> = (0..sheet.len() as u32).filter(given).collect();
            for rows in rows.chunks(TOGETHER) {
                cancel.check()?;
                for (row, answer) in rows.iter().zip(self.answers(at, rows)?) {
                    let Some(tool) = answer
                        .map(|a| formats::tool_verdict(&a))
                        .filter(|tool| !tool.is_empty())
                    else {
                        continue;
                    };
                    let Some((differs, right)) = self.differs(graded, *row, &tool)? else {
                        continue;
                    };
                    told.answers += 1;
                    if !differs {
                        continue;
                    }
                    told.differ += 1;
                    told.first_right += u64::from(right == (true, false));
                    told.second_right += u64::from(right == (false, true));
                    if examples.len() < EXAMPLES && seen(*row) {
                        examples.push((*row, tool.extracted));
                    }
                }
            }
            if told.answers > 0 {
                let (rows, read): (Vec<u32>, Vec<_>) = examples.into_iter().unzip();
                told.examples = self
                    .answer_details(at, &rows)?
                    .into_iter()
                    .zip(read)
                    .collect();
                found.push(told);
            }
        }
        Ok(found)
    }

    /// Whether a tool judged the answer in a row differently or read another answer, and whether it
    /// is right for the board and for the tool. `None` if its verdict cannot be compared with the
    /// board's.
    fn differs(
        &self,
        graded: &ModelAnswers,
        row: u32,
        tool: &ToolVerdict,
    ) -> Result<Option<(bool, (bool, bool))>> {
        let at = row as usize;
        let own = (graded.mark(at), self.ruled.right(graded, at));
        let read = match &tool.extracted {
            None => None,
            Some(extracted) => {
                let item = self.texts.items(&[row])?.pop();
                let read = item
                    .map(|item| mark(Extractor::Strict.read(&Asked::from(&item), extracted, None)));
                read.filter(|mark| *mark != ParsedAnswer::UNPARSED)
            }
        };
        let by_reading = read.map(|mark| self.ruled.sheet().right(at, mark));
        Ok(tool.is_right().or(by_reading).map(|right| {
            let differs = right != own.1 || read.is_some_and(|mark| mark != own.0);
            (differs, (own.1, right))
        }))
    }
}
