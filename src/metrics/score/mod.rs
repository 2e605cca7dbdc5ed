//! Builds boards: [`QuestionTable`] holds the questions, [`ModelAnswers`] a model's parsed answers,
//! and [`BoardEngine`] computes the columns and cells.
//!
//! [`measure`] counts groups that must be all right. [`bitmap_index`] counts answers by the
//! properties of their questions; `accuracy_columns` turns these counts into columns.
//! `paired_variants` has the columns that need more than right and wrong answers.

mod accuracy_columns;
mod answer_counts;
pub mod bitmap_index;
mod bootstrap;
mod by_style;
mod cluster_bits;
mod confidence;
mod drilldown;
mod grade;
pub mod measure;
mod orders;
mod paired_comparison;
mod paired_variants;
pub mod question_table;
mod recent_boards;
mod self_awareness;

pub use self::bootstrap::ClusterBootstrap;
pub use self::confidence::Estimate;
pub use self::grade::{Grader, Outcome, Place, mark};
pub use self::orders::Asked;
pub use self::paired_comparison::{Paired, Tested};

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::{Arc, OnceLock};

use self::accuracy_columns::{AccuracyColumns, Counted};
use self::bitmap_index::{Bitmap, BitmapIndex};
use self::by_style::ByStyle;
use self::measure::Measure;
use self::orders::Orders;
use self::paired_comparison::ByCluster;
use self::paired_variants::VariantColumns;
use self::question_table::{ParsedAnswer, QuestionTable};
use self::recent_boards::RecentBoards;
use super::consensus;
use benchtop_model::board::analysis::ScEstimate;
use benchtop_model::board::{Board, Cell, Column, Counts, Row};
use benchtop_model::{Error, ErrorKind, QuestionKind, Result};

/// A model's parsed answers, one per question.
#[derive(Clone, Debug, Default)]
pub struct ModelAnswers {
    pub model: String,
    /// By row.
    pub marks: Vec<ParsedAnswer>,
    /// Counts over all questions. `missing` and `uncompared` depend on the selection and are 0
    /// here.
    pub counts: Counts,
    /// Similarity of each free-form answer to its reference by row, from 0 to 1. NaN for other
    /// rows. Empty if it was not computed.
    pub similarity: Vec<f32>,
    /// What an evaluation asked, which may be a few questions only. `None` if all questions were
    /// asked.
    pub asked: Option<Asked>,
}

impl ModelAnswers {
    /// The parsed answer in a row.
    pub fn mark(&self, row: usize) -> ParsedAnswer {
        self.marks.get(row).copied().unwrap_or(ParsedAnswer::ABSENT)
    }

    /// Similarity of the free-form answer in a row to its reference, 0 without an answer. `None` if
    /// they were not compared.
    fn likeness(&self, row: usize) -> Option<f64> {
        let compared = self
            .similarity
            .get(row)
            .copied()
            .filter(|similarity| similarity.is_finite());
        compared
            .map(f64::from)
            .or((self.mark(row) == ParsedAnswer::ABSENT).then_some(0.0))
    }

    /// Whether the question in a row was asked. A missing answer counts as wrong only then.
    pub fn was_asked(&self, row: usize) -> bool {
        self.mark(row) != ParsedAnswer::ABSENT
            || self.asked.as_ref().is_none_or(|asked| asked.lacks(row))
    }
}

/// A model's answers as bitmaps.
struct Bitmaps {
    right: Bitmap,
    given: Bitmap,
    unparsed: Bitmap,
    refused: Bitmap,
    /// Free-form answers that were not compared, if any.
    uncompared: Option<Bitmap>,
    /// The questions that were asked, if not all were.
    asked: Option<Bitmap>,
    /// Scopes in which the model has or owes an answer. It is not scored in others.
    scopes: HashSet<u32>,
    /// Whether the model is scored in each stack.
    scored: Vec<bool>,
}

/// Questions, models, and columns: everything that boards are computed from.
pub struct BoardEngine {
    sheet: Arc<QuestionTable>,
    /// Models with a row, followed by the further option orders of these models.
    models: Vec<Arc<ModelAnswers>>,
    orders: Orders,
    index: BitmapIndex,
    all: Bitmap,
    bitmaps: Vec<Bitmaps>,
    measures: Vec<Measure>,
    accuracy_columns: AccuracyColumns,
    variant_columns: VariantColumns,
    /// Stacks of free-form questions.
    free_form_stacks: Vec<usize>,
    /// The chance level of each stack, if it is the same for all of its questions.
    chance: Vec<Option<f64>>,
    /// Graded rows that only groups count.
    grouped: Vec<u32>,
    /// Rows in no stack.
    unindexed: Vec<u32>,
    /// Computed on first use.
    by_style: OnceLock<ByStyle>,
    sc_of_all: OnceLock<Vec<Option<ScEstimate>>>,
    by_cluster: OnceLock<ByCluster>,
    recent: RecentBoards,
}

/// The number; 0 if it is missing or not finite.
fn number(of: Option<f64>) -> f64 {
    of.filter(|of| of.is_finite()).unwrap_or(0.0)
}

/// The questions that a board is scored on.
#[derive(Clone)]
pub struct ItemSelection {
    plane: Bitmap,
    rows: Option<Arc<Vec<bool>>>,
    /// Only questions that all of these models were asked.
    asked: Vec<Arc<ModelAnswers>>,
}

impl ItemSelection {
    /// Whether all questions are selected.
    pub(super) fn is_all(&self) -> bool {
        self.rows.is_none() && self.asked.is_empty()
    }

    /// Whether both select the same questions.
    fn is_same(&self, other: &ItemSelection) -> bool {
        let asked = self.asked.iter().zip(&other.asked);
        self.rows == other.rows
            && self.asked.len() == other.asked.len()
            && asked.into_iter().all(|(a, b)| Arc::ptr_eq(a, b))
    }

    /// Whether a row is selected.
    pub fn holds(&self, row: usize) -> bool {
        self.rows
            .as_ref()
            .is_none_or(|rows| rows.get(row).copied().unwrap_or(false))
            && self.asked.iter().all(|model| model.was_asked(row))
    }
}

impl BoardEngine {
    /// Prepares boards of these models. If one evaluation asked several option orders, its answers
    /// share one row, that of the first order.
    pub fn new(sheet: Arc<QuestionTable>, mut models: Vec<Arc<ModelAnswers>>) -> BoardEngine {
        let mut orders = Orders::new(&mut models);
        // Rotations after the first repeat the question; only CircularEval counts them.
        let plain = |row: usize| {
            let free = sheet.kind(row) == QuestionKind::FreeForm;
            sheet.pair.get(row) == 0 && sheet.rotation[row] <= 1 && (free || sheet.graded(row))
        };
        let cube = BitmapIndex::new(&sheet, plain);
        let mut measures = super::mvp::measures(&sheet);
        measures.extend(measure::circular(&sheet));
        let plain = AccuracyColumns::new(&sheet, cube.strata());
        let special = VariantColumns::new(&sheet);
        orders.name_columns(&models, plain.columns.iter().position(|c| c.name == "Acc"));
        let in_groups = |row: &usize| sheet.graded(*row) && !cube.holds(*row);
        let grouped: Vec<u32> = (0..sheet.len())
            .filter(in_groups)
            .map(|row| row as u32)
            .collect();
        let want = |row: usize| {
            if sheet.graded(row) {
                ParsedAnswer::option(usize::from(sheet.gold[row]))
            } else {
                NEVER
            }
        };
        let wanted = cube.by_bit(want, NEVER);
        let free = |at: &usize| cube.strata()[*at].kind == QuestionKind::FreeForm;
        let free: Vec<usize> = (0..cube.strata().len()).filter(free).collect();
        let planes = bitmap_index::each(&models, |model| {
            planes(&sheet, &cube, (&grouped, &wanted, &free), model)
        });
        let all = cube.plane(|_| true);
        let loose = (0..sheet.len())
            .filter(|row| !cube.holds(*row))
            .map(|row| row as u32)
            .collect();
        let chance = |at: usize| {
            let mut of = cube
                .rows(at, &all)
                .map(|row| number(sheet.chance.get(row).copied()));
            let first = of.next()?;
            of.all(|chance| chance == first).then_some(first)
        };
        let chance = (0..cube.strata().len()).map(chance).collect();
        BoardEngine {
            sheet,
            models,
            orders,
            index: cube,
            all,
            bitmaps: planes,
            measures,
            accuracy_columns: plain,
            variant_columns: special,
            free_form_stacks: free,
            chance,
            grouped,
            unindexed: loose,
            by_style: OnceLock::new(),
            sc_of_all: OnceLock::new(),
            by_cluster: OnceLock::new(),
            recent: RecentBoards::default(),
        }
    }

    pub fn sheet(&self) -> &QuestionTable {
        &self.sheet
    }

    /// The models that have a row, sorted by name.
    pub fn models(&self) -> &[Arc<ModelAnswers>] {
        &self.models[..self.orders.rows()]
    }

    /// Selects the questions for which `is` holds; all if it is `None`.
    pub fn choose(&self, is: Option<&dyn Fn(usize) -> bool>) -> ItemSelection {
        match is {
            None => ItemSelection {
                plane: self.all.clone(),
                rows: None,
                asked: Vec::new(),
            },
            Some(is) => {
                let rows: Vec<bool> = (0..self.sheet.len()).map(is).collect();
                ItemSelection {
                    plane: self.index.plane(|row| rows[row]),
                    rows: Some(Arc::new(rows)),
                    asked: Vec::new(),
                }
            }
        }
    }

    /// Narrows a selection to the questions that all of these models were asked.
    fn narrowed<'c>(&self, models: &[usize], chosen: &'c ItemSelection) -> Cow<'c, ItemSelection> {
        let mut own = Cow::Borrowed(chosen);
        for model in models {
            let Some(asked) = &self.bitmaps[*model].asked else {
                continue;
            };
            let own = own.to_mut();
            own.plane
                .iter_mut()
                .zip(asked)
                .for_each(|(word, asked)| *word &= asked);
            own.asked.push(self.models[*model].clone());
        }
        own
    }

    /// All columns; those of groups come first.
    pub fn columns(&self) -> impl Iterator<Item = &Column> {
        let of_answers = self
            .measures
            .iter()
            .map(|m| &m.column)
            .chain(&self.accuracy_columns.columns);
        of_answers
            .chain(&self.variant_columns.columns)
            .chain(&self.orders.columns)
    }

    /// The board on the selected questions, computed once while the selection is one of the most
    /// recent ones.
    pub fn board(&self, chosen: &ItemSelection) -> Arc<Board> {
        self.recent.get(chosen, || self.count(chosen))
    }

    /// Computes the board on the selected questions. A question without an answer counts as wrong
    /// in every scope in which the model has answers; in other scopes, and for questions that an
    /// evaluation did not ask, it is not counted. A group counts if all of its questions are
    /// selected.
    pub fn count(&self, chosen: &ItemSelection) -> Board {
        let n = self.index.count(&self.all, &chosen.plane);
        let chance = self.chances(&n, &chosen.plane);
        let sc = self.sc_estimates(chosen);
        let of: Vec<(usize, (&Arc<ModelAnswers>, &Bitmaps))> = self
            .models()
            .iter()
            .zip(&self.bitmaps)
            .enumerate()
            .collect();
        let rows = bitmap_index::each(&of, |(at, (model, planes))| {
            let chosen = &*self.narrowed(&[*at], chosen);
            let (mut n, mut chance) = (Cow::Borrowed(&n), Cow::Borrowed(&chance));
            if planes.asked.is_some() {
                n = Cow::Owned(self.index.count(&self.all, &chosen.plane));
                chance = Cow::Owned(self.chances(&n, &chosen.plane));
            }
            let right = self.index.count(&planes.right, &chosen.plane);
            let given = self.index.count(&planes.given, &chosen.plane);
            let n: Vec<u32> = n
                .iter()
                .zip(&planes.scored)
                .map(|(n, scored)| if *scored { *n } else { 0 })
                .collect();
            let points =
                (!self.free_form_stacks.is_empty() && !model.similarity.is_empty()).then(|| {
                    // One answer that was not compared makes the sum NaN.
                    let points = |row: usize| model.likeness(row).unwrap_or(f64::NAN);
                    let mut sums = vec![0.0; n.len()];
                    self.free_form_stacks
                        .iter()
                        .for_each(|at| sums[*at] = self.index.sum(*at, &chosen.plane, points));
                    sums
                });
            let counted = Counted {
                right: &right,
                n: &n,
                points: points.as_deref(),
                chance: &chance,
                sc: sc[*at].as_ref(),
            };
            let mut cells: Vec<Option<Cell>> = self
                .measures
                .iter()
                .map(|m| self.group_cell(*at, m, chosen))
                .collect();
            cells.extend(self.accuracy_columns.cells(&counted));
            cells.extend(self.special_cells(*at, chosen));
            cells.extend(self.order_cells(*at, chosen));
            let missing = n
                .iter()
                .zip(&given)
                .map(|(n, given)| u64::from(n.saturating_sub(*given)))
                .sum();
            let counts = self.answer_counts(*at, chosen, (missing, &given));
            Row {
                model: model.model.clone(),
                cells,
                counts,
                reference: None,
            }
        });
        let grouped = self
            .grouped
            .iter()
            .filter(|row| chosen.holds(**row as usize))
            .count();
        let questions = n.iter().map(|n| u64::from(*n)).sum::<u64>() + grouped as u64;
        Board {
            questions,
            columns: self.columns().cloned().collect(),
            rows,
            notes: Vec::new(),
            drafts: 0,
        }
    }

    /// The sum of the chance levels of each stack's questions.
    fn chances(&self, n: &[u32], only: &[u64]) -> Vec<f64> {
        let sum = |(at, n): (usize, &u32)| match self.chance[at] {
            Some(chance) => chance * f64::from(*n),
            None => self
                .index
                .sum(at, only, |row| number(self.sheet.chance.get(row).copied())),
        };
        n.iter().enumerate().map(sum).collect()
    }

    /// The units of a measure that count for all of these models.
    fn units<'s, const N: usize>(
        &'s self,
        models: [usize; N],
        measure: &'s Measure,
        chosen: &'s ItemSelection,
    ) -> impl Iterator<Item = &'s [u32]> + 's {
        let asked = move |unit: &[u32]| {
            unit.iter().all(|row| {
                models
                    .iter()
                    .all(|m| self.models[*m].was_asked(*row as usize))
            })
        };
        let counts = move |unit: &&[u32]| {
            let scope = unit.first().map(|row| self.sheet.scope(*row as usize));
            scope.is_some_and(|scope| {
                models
                    .iter()
                    .all(|m| self.bitmaps[*m].scopes.contains(&scope))
            }) && unit.iter().all(|row| chosen.holds(*row as usize))
                && asked(unit)
        };
        measure.units().filter(counts)
    }

    /// Whether a model got all answers of a unit right.
    fn unit_right(&self, model: usize, unit: &[u32]) -> bool {
        unit.iter()
            .all(|row| self.right(&self.models[model], *row as usize))
    }

    /// A model's parsed answers, or those of a further option order (see
    /// [`answerers`](Self::answerers)).
    pub fn answers(&self, at: usize) -> &ModelAnswers {
        &self.models[at]
    }

    /// Whether a model's answer to a question is right.
    pub fn right(&self, model: &ModelAnswers, row: usize) -> bool {
        self.sheet.right(row, model.mark(row))
    }

    fn group_cell(&self, model: usize, measure: &Measure, chosen: &ItemSelection) -> Option<Cell> {
        let (mut k, mut n) = (0, 0);
        for unit in self.units([model], measure, chosen) {
            n += 1;
            k += u64::from(self.unit_right(model, unit));
        }
        (n > 0).then_some(Cell::Share { k, n })
    }

    /// The outcome of a model on the question in a row; `None` if no rule grades it.
    pub fn outcome(&self, model: &ModelAnswers, row: usize) -> Option<consensus::Outcome> {
        use consensus::Outcome;
        if !self.sheet.graded(row) {
            return None;
        }
        Some(match model.mark(row) {
            ParsedAnswer::ABSENT => Outcome::Missing,
            ParsedAnswer::UNPARSED => Outcome::Unparsed,
            mark if self.sheet.right(row, mark) => Outcome::Right,
            mark if mark.declines() => Outcome::Refused,
            mark if mark.chosen() == Some(self.sheet.refusal[row]) => Outcome::NoneOfThese,
            _ => Outcome::Wrong,
        })
    }

    /// The index of a model that has a row.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`], with help that lists the models.
    pub fn model(&self, name: &str) -> Result<usize> {
        self.models()
            .iter()
            .position(|m| m.model == name)
            .ok_or_else(|| {
                let names: Vec<&str> = self.models().iter().map(|m| m.model.as_str()).collect();
                Error::new(ErrorKind::NotFound, format!("no model `{name}`"))
                    .help(format!("models: {}", names.join(", ")))
            })
    }

    /// The index of a column.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`], with help that lists the columns.
    pub fn column(&self, name: &str) -> Result<usize> {
        self.columns().position(|c| c.name == name).ok_or_else(|| {
            let names: Vec<&str> = self.columns().map(|c| c.name.as_str()).collect();
            Error::new(ErrorKind::NotFound, format!("no column `{name}`"))
                .help(format!("columns: {}", names.join(", ")))
        })
    }
}

/// A value that no answer is parsed as: the expected answer of a question that no rule grades.
const NEVER: ParsedAnswer = ParsedAnswer(u8::MAX);

/// A model's bitmaps. `wanted` is the right answer by bit.
fn planes(
    sheet: &QuestionTable,
    cube: &BitmapIndex,
    (grouped, wanted, free): (&[u32], &[ParsedAnswer], &[usize]),
    model: &ModelAnswers,
) -> Bitmaps {
    let [mut right, given, unparsed, refused] = cube.marked(&model.marks, wanted);
    let uncompared = answer_counts::uncompared(cube, free, &given, model);
    if sheet.may_decline() {
        // A free-text refusal is right if the refusal option is.
        right = cube.plane(|row| sheet.right(row, model.mark(row)));
    }
    let stacks = cube
        .strata()
        .iter()
        .zip(cube.count(&given, &given))
        .filter(|(_, n)| *n > 0);
    let mut scopes: HashSet<u32> = stacks
        .map(|(stack, _)| sheet.scope(stack.first as usize))
        .collect();
    let rows = grouped
        .iter()
        .map(|row| *row as usize)
        .filter(|row| model.mark(*row) != ParsedAnswer::ABSENT);
    scopes.extend(rows.map(|row| sheet.scope(row)));
    // Questions that an evaluation asked in vain count, even if the model has no answer at all.
    let lacking = model
        .asked
        .iter()
        .flat_map(|asked| &asked.lacking)
        .map(|row| *row as usize);
    scopes.extend(
        lacking
            .filter(|row| cube.holds(*row) || sheet.graded(*row))
            .map(|row| sheet.scope(row)),
    );
    let scored = cube
        .strata()
        .iter()
        .map(|s| scopes.contains(&sheet.scope(s.first as usize)))
        .collect();
    let asked = model
        .asked
        .is_some()
        .then(|| cube.plane(|row| model.was_asked(row)));
    Bitmaps {
        right,
        given,
        unparsed,
        refused,
        uncompared,
        asked,
        scopes,
        scored,
    }
}

#[cfg(test)]
mod tests;
