//! Confidence intervals of a cell, comparisons of two models, and disagreements of two extraction
//! rules.

use super::board_data::BoardData;
use super::drilldown::UnitResult;
use benchtop_metrics::score::parsed_answer::ParsedAnswer;
use benchtop_metrics::score::{Estimate, ItemSelection};
use benchtop_metrics::statistics::{Z95, wilson};
use benchtop_model::agreement::Bootstrap;
use benchtop_model::board::analysis::{
    BootstrapResult, CellInterval, Disagreement, ModelComparison, Table,
};
use benchtop_model::board::{AnswerDetail, Cell};
use benchtop_model::cancel::Cancel;
use benchtop_model::{Item, Prediction, QuestionKind, Result};

/// Maximum number of items per side that a comparison lists.
pub const ITEMS: usize = 5000;

/// Maximum number of examples per model.
pub const EXAMPLES: usize = 50;

fn redrawn(drawn: Estimate, plan: Bootstrap) -> BootstrapResult {
    BootstrapResult {
        why_not: drawn.interval.err().map(str::to_string),
        interval: drawn.interval.ok(),
        cluster: drawn.cluster.into(),
        clusters: drawn.clusters,
        plan,
    }
}

impl BoardData {
    fn cell(&self, model: usize, column: &str, chosen: &ItemSelection) -> Option<Cell> {
        let board = self.ruled.board(chosen);
        board.cell(board.rows.get(model)?, column)
    }

    /// The confidence intervals of a cell.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NotFound`] if there is no such model or column, [`ErrorKind::Cancelled`].
    pub fn confidence_intervals(
        &self,
        model: &str,
        column: &str,
        chosen: &ItemSelection,
        plan: Bootstrap,
        cancel: Cancel<'_>,
    ) -> Result<CellInterval> {
        let (model, of) = (self.ruled.model(model)?, self.ruled.column(column)?);
        let wilson = match self.cell(model, column, chosen) {
            Some(Cell::Share { k, n }) => wilson(k, n, Z95),
            _ => None,
        };
        let drawn = self.ruled.estimate(model, of, chosen, plan, cancel)?;
        let sc = drawn.sc;
        Ok(CellInterval {
            wilson,
            redrawn: redrawn(drawn, plan),
            sc,
        })
    }

    /// Compares two models on the same questions. `seen` returns whether a row may be named.
    ///
    /// # Errors
    ///
    /// As for [`confidence_intervals`](Self::confidence_intervals).
    pub fn compare(
        &self,
        (a, b): (&str, &str),
        column: &str,
        chosen: &ItemSelection,
        plan: Bootstrap,
        (cancel, seen): (Cancel<'_>, &dyn Fn(u32) -> bool),
    ) -> Result<ModelComparison> {
        let at = (self.ruled.model(a)?, self.ruled.model(b)?);
        let of = self.ruled.column(column)?;
        // Each of two evaluations may cover only some questions.
        let chosen = &self.ruled.both(at, chosen);
        let items = |units: &[Vec<u32>]| {
            let mut numbers: Vec<u32> = units
                .iter()
                .flatten()
                .copied()
                .filter(|row| seen(*row))
                .map(|row| row + 1)
                .collect();
            numbers.sort_unstable();
            numbers.dedup();
            numbers.truncate(ITEMS);
            numbers
        };
        let tested = self.ruled.tested(at, of, chosen);
        let table = self
            .ruled
            .paired(at, of, chosen)
            .zip(tested)
            .map(|(paired, tested)| {
                let (first, second) = (paired.first.len() as u64, paired.second.len() as u64);
                Table {
                    both: paired.both,
                    first,
                    second,
                    neither: paired.neither,
                    p: tested.test.p,
                    is_exact: tested.is_exact,
                    interval: tested.interval,
                    first_items: items(&paired.first),
                    second_items: items(&paired.second),
                }
            });
        let drawn = self.ruled.difference(at, of, chosen, plan, cancel)?;
        let cells =
            |chosen: &ItemSelection| [at.0, at.1].map(|model| self.cell(model, column, chosen));
        let (own, delta) = (cells(chosen), drawn.value);
        let mut redrawn = redrawn(drawn, plan);
        redrawn.why_not = match own {
            [Some(_), Some(_)] => redrawn.why_not,
            [None, None] => Some(format!("neither model has a score in {column}")),
            [first, _] => Some(format!(
                "{} has no score in {column}",
                if first.is_none() { a } else { b }
            )),
        };
        Ok(ModelComparison {
            models: [a.to_string(), b.to_string()],
            column: column.to_string(),
            cells: own,
            delta,
            redrawn,
            table,
            shared: cells(&self.ruled.shared(at, chosen)),
        })
    }

    /// Where another rule reads another answer, by model. `seen` returns whether the answer in a
    /// row may be shown.
    ///
    /// # Errors
    ///
    /// If texts cannot be read; [`ErrorKind::Cancelled`].
    pub fn disagreements(
        &self,
        other: &BoardData,
        chosen: &ItemSelection,
        (cancel, seen): (Cancel<'_>, &dyn Fn(u32) -> bool),
    ) -> Result<Vec<Disagreement>> {
        let sheet = self.ruled.sheet();
        let mut found = Vec::new();
        for graded in self.ruled.models() {
            cancel.check()?;
            let Some(second) = other
                .ruled
                .models()
                .iter()
                .find(|m| m.model == graded.model)
            else {
                continue;
            };
            let mut told = Disagreement::new(&graded.model);
            let mut rows = Vec::new();
            for row in (0..sheet.len())
                .filter(|row| chosen.holds(*row) && sheet.kind(*row) != QuestionKind::FreeForm)
            {
                let (one, two) = (graded.mark(row), second.mark(row));
                if one == ParsedAnswer::ABSENT || two == ParsedAnswer::ABSENT {
                    continue;
                }
                told.answers += 1;
                if one != two {
                    told.differ += 1;
                    let right = (sheet.right(row, one), sheet.right(row, two));
                    told.first_right += u64::from(right == (true, false));
                    told.second_right += u64::from(right == (false, true));
                    if rows.len() < EXAMPLES && seen(row as u32) {
                        rows.push(row as u32);
                    }
                }
            }
            told.examples = self.examples(other, &graded.model, &rows)?;
            found.push(told);
        }
        Ok(found)
    }

    fn examples(
        &self,
        other: &BoardData,
        model: &str,
        rows: &[u32],
    ) -> Result<Vec<(AnswerDetail, Option<String>)>> {
        let at = self.ruled.model(model)?;
        let (items, answers) = (self.texts.items(rows)?, self.answers(at, rows)?);
        let read = |((row, item), answer): ((&u32, &Item), &Option<Prediction>)| {
            answer
                .as_ref()
                .and_then(|answer| other.read(item, *row as usize, answer).0.answer())
        };
        let read: Vec<Option<String>> = rows.iter().zip(&items).zip(&answers).map(read).collect();
        Ok(self
            .answer_details(at, rows)?
            .into_iter()
            .zip(read)
            .collect())
    }

    /// The answers of a model in these rows, as read by the board.
    pub(super) fn answer_details(&self, at: usize, rows: &[u32]) -> Result<Vec<AnswerDetail>> {
        let (graded, items) = (self.ruled.answers(at), self.texts.items(rows)?);
        let all = rows.iter().zip(&items).zip(self.answers(at, rows)?);
        let one = |((row, item), answer): ((&u32, &Item), Option<Prediction>)| {
            let (row, name) = (*row as usize, format!("question {}", item.key));
            let right = self.ruled.right(graded, row);
            self.answer_detail(item, answer, UnitResult::single(&name, right), row, graded)
        };
        Ok(all.map(one).collect())
    }
}
