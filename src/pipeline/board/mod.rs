//! Boards: their files and models, notes about problems, and the texts behind a cell.
//!
//! [`from_paths`] makes a board from files alone. A project's board is made from its catalog
//! (`owner`). [`benchtop_metrics::score`] does the counting.

mod cache;
mod changed_options;
mod comparison;
pub mod dataset_resolver;
mod diagnostics;
mod in_memory;
mod item_answers;
mod judge_readings;
mod paths;
mod project;
mod rows;
mod similarities;

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::Arc;

pub use self::cache::Places;
pub use self::diagnostics::{BoardNotes, FileOutcomes};
pub use self::in_memory::{Answers, from_items};
pub use self::paths::{from_paths, from_paths_by};
pub use self::project::{Watch, from_catalog};
pub use self::similarities::Similarities;

use benchtop_formats as formats;
use benchtop_metrics::consensus;
use benchtop_metrics::extract::{Extractor, Read};
use benchtop_metrics::score::{BoardEngine, ItemSelection, ModelAnswers, Place};
use benchtop_metrics::statistics::{Test, ranks};
use benchtop_model::board::analysis::Rank;
use benchtop_model::board::{AnswerDetail, Better, Board, DrilldownPage, Row};
use benchtop_model::{Error, Item, Prediction, QuestionKind, Result};
use benchtop_store::judge_cache::JudgeExtractions;

/// The source of question and answer texts.
pub trait Texts: Send + Sync {
    /// The items in these rows.
    ///
    /// # Errors
    ///
    /// If they cannot be read.
    fn items(&self, rows: &[u32]) -> Result<Vec<Item>>;

    /// A model's answers at these places. `None` where there is none.
    ///
    /// # Errors
    ///
    /// If they cannot be read.
    fn answers(&self, model: &str, places: &[Place]) -> Result<Vec<Option<Prediction>>>;
}

/// The data of a board.
pub struct BoardData {
    ruled: BoardEngine,
    /// Places of the answers by row, for each model.
    places: BTreeMap<String, Places>,
    texts: Box<dyn Texts>,
    board_notes: BoardNotes,
    rule: Option<Extractor>,
    /// Readings by judges of answers that a rule cannot read.
    readings: Arc<JudgeExtractions>,
    /// Rows with answers older than the question's present options, by model.
    changed: BTreeMap<String, Vec<u32>>,
    /// Skipped files, with the reasons.
    pub skipped: Vec<Error>,
    /// Damaged answer files, which are left out with all their answers.
    pub damaged: Vec<Error>,
}

impl std::fmt::Debug for BoardData {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{} models, {} questions",
            self.ruled.models().len(),
            self.ruled.sheet().len()
        )
    }
}

/// An answer's unit, with the results of both.
struct UnitResult<'a> {
    name: &'a str,
    is_unit_right: bool,
    is_right: bool,
}

impl<'a> UnitResult<'a> {
    /// A unit of one question.
    fn single(name: &'a str, is_right: bool) -> UnitResult<'a> {
        UnitResult {
            name,
            is_unit_right: is_right,
            is_right,
        }
    }
}

/// Number of answers behind a cell to fetch at once, enough for a person to look through. Further
/// pages have [`DRILLDOWN_FURTHER_PAGE`].
pub const DRILLDOWN_PAGE: u64 = 2000;
/// See [`BEHIND`].
pub const DRILLDOWN_FURTHER_PAGE: u64 = 10_000;
/// Bytes of text after which a page ends, so that it fits into a message.
const BEHIND_BYTES: usize = 6 << 20;

impl BoardData {
    /// Assembles a board.
    pub fn new(
        ruled: BoardEngine,
        places: BTreeMap<String, Places>,
        texts: Box<dyn Texts>,
        board_notes: BoardNotes,
        rule: Option<Extractor>,
    ) -> BoardData {
        BoardData {
            ruled,
            places,
            texts,
            board_notes,
            rule,
            readings: Arc::default(),
            changed: BTreeMap::new(),
            skipped: Vec::new(),
            damaged: Vec::new(),
        }
    }

    pub fn engine(&self) -> &BoardEngine {
        &self.ruled
    }

    /// The models, in the order of [`outcomes`](Self::outcomes).
    pub fn models(&self) -> impl Iterator<Item = &str> {
        self.ruled
            .models()
            .iter()
            .map(|graded| graded.model.as_str())
    }

    /// The outcomes of the models selected by `counts`, for each row that can be graded.
    pub fn outcomes<'s>(
        &'s self,
        counts: &'s dyn Fn(&str) -> bool,
    ) -> impl Iterator<Item = (usize, Vec<consensus::Outcome>)> + 's {
        let models: Vec<&ModelAnswers> = self
            .ruled
            .models()
            .iter()
            .map(|m| &**m)
            .filter(|m| counts(&m.model))
            .collect();
        let of = move |row: usize| {
            models
                .iter()
                .map(|model| self.ruled.outcome(model, row))
                .collect::<Option<Vec<_>>>()
        };
        (0..self.ruled.sheet().len())
            .filter(|row| self.ruled.sheet().graded(*row))
            .filter_map(move |row| Some((row, of(row)?)))
    }

    /// The outcomes of the models selected by `counts` in `row`. `None` if it cannot be graded.
    pub fn outcome_of(
        &self,
        row: usize,
        counts: &dyn Fn(&str) -> bool,
    ) -> Option<Vec<consensus::Outcome>> {
        if row >= self.ruled.sheet().len() {
            return None;
        }
        self.ruled
            .models()
            .iter()
            .filter(|m| counts(&m.model))
            .map(|model| self.ruled.outcome(model, row))
            .collect()
    }

    /// The board on these questions, with notes.
    pub fn board(&self, chosen: &ItemSelection) -> Board {
        let mut board = Board::clone(&self.ruled.board(chosen));
        board.notes = self
            .board_notes
            .notes(&board.rows, self.ruled.sheet().may_decline());
        for (at, model) in board.rows.iter().map(|row| &row.model).enumerate() {
            if let Some((asked, all)) = self.ruled.asked_of(at, chosen) {
                board.notes.push(format!(
                    "{model}: asked {asked} of {}",
                    diagnostics::count(all, "question")
                ));
            }
            let changed = self.changed.get(model).into_iter().flatten();
            let changed = changed.filter(|row| chosen.holds(**row as usize)).count() as u64;
            if changed > 0 {
                board.notes.push(format!(
                    "{model}: {} are older than the present options",
                    diagnostics::count(changed, "answer")
                ));
            }
            let orders = self.ruled.orders_of(at);
            if orders > 1 {
                board.notes.push(format!(
                    "{model}: asked in {orders} orders; plain columns show the first"
                ));
            }
        }
        board
    }

    /// The board on all questions.
    pub fn full_board(&self) -> Board {
        self.board(&self.ruled.choose(None))
    }

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
        let (unit, units) = self.ruled.units_behind(at, column, chosen);
        let answerers = self.ruled.answerers(at, column);
        let counts = |model: &usize, row: u32| self.ruled.counts(*model, column, row as usize);
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
                    is_right: self.ruled.right_in(*model, column, row),
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

    /// The answers of a model, or of a further order of its options, in these rows.
    fn answers(&self, at: usize, rows: &[u32]) -> Result<Vec<Option<Prediction>>> {
        let model = &self.ruled.answers(at).model;
        let places = self
            .places
            .get(model)
            .map(Places::unpack)
            .unwrap_or_default();
        let places: Vec<Place> = rows
            .iter()
            .map(|r| places.get(*r as usize).copied().unwrap_or(Place::NONE))
            .collect();
        self.texts.answers(model, &places)
    }

    fn answer_detail(
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
            trace = Some(match similarity {
                Some(s) => format!("semantic similarity to the reference: {s:.4}"),
                None => "not compared with the reference; run `benchtop eval similarity`".into(),
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
            reasoning: answer.as_ref().and_then(item_answers::reasoning),
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

    /// The models ordered by a column, best first, with the ranks that each may have given the
    /// tests of all pairs (see [`ranks`]). Models without a number are left out.
    ///
    /// # Errors
    ///
    /// [`benchtop_model::ErrorKind::NotFound`] if there is no such column.
    pub fn ranks(&self, column: &str, chosen: &ItemSelection) -> Result<Vec<(String, Rank)>> {
        let at = self.ruled.column(column)?;
        let board = self.ruled.board(chosen);
        let value = |row: &Row| {
            row.cells
                .get(at)
                .copied()
                .flatten()
                .and_then(benchtop_model::board::Cell::value)
        };
        let mut order: Vec<(usize, f64)> = board
            .rows
            .iter()
            .enumerate()
            .filter_map(|(i, r)| Some((i, value(r)?)))
            .collect();
        // Lower variance is better.
        let less = self
            .ruled
            .columns()
            .nth(at)
            .is_some_and(|c| c.scale.better() == Better::Less);
        order.sort_by(|a, b| {
            if less {
                a.1.total_cmp(&b.1)
            } else {
                b.1.total_cmp(&a.1)
            }
        });
        let models: Vec<usize> = order.iter().map(|(at, _)| *at).collect();
        let names = models
            .iter()
            .map(|at| self.ruled.models()[*at].model.clone());
        let tests: HashMap<(usize, usize), Test> =
            self.ruled.tests(&models, at, chosen).into_iter().collect();
        Ok(names
            .zip(ranks(models.len(), ALPHA, |a, b| {
                tests.get(&(a, b)).copied()
            }))
            .collect())
    }
}

/// Family-wise significance level for comparing all pairs of models.
pub const ALPHA: f64 = 0.05;

/// The model of a prediction file: its stem without the prefix `mcq_` and the suffix `_evaluated`.
pub fn model_name(path: &Path) -> String {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let name = stem.strip_prefix("mcq_").unwrap_or(&stem);
    name.strip_suffix("_evaluated").unwrap_or(name).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_are_named_by_their_files() {
        for (file, name) in [
            ("a/GPT4o.jsonl", "GPT4o"),
            ("mcq_llava_v1.5_13b.jsonl", "llava_v1.5_13b"),
            ("MiniCPM-V-2_evaluated.jsonl", "MiniCPM-V-2"),
            ("mcq_GPT4o+vc-low.jsonl", "GPT4o+vc-low"),
            ("GPT4o+vc-low_evaluated.jsonl", "GPT4o+vc-low"),
        ] {
            assert_eq!(model_name(Path::new(file)), name);
        }
    }
}
