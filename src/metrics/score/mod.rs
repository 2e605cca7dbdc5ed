//! From answers to a board: [`question_table`] says what the questions are, [`ModelAnswers`] what a model's answers were read as, [`BoardEngine`] which
//! columns there are and what every model's cells hold.
//!
//! [`measure`] counts groups that must be all right, [`bitmap_index`] answers by what their questions are, [`accuracy_columns`] makes columns of those, and
//! [`paired_variants`] of what papers ask beyond right and wrong.

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

/// A model's answers as they were read: a mark a question.
#[derive(Clone, Debug, Default)]
pub struct ModelAnswers {
    /// The model.
    pub model: String,
    /// By row.
    pub marks: Vec<ParsedAnswer>,
    /// What was odd of all questions; `missing` and `uncompared` follow from those scored and are 0 here.
    pub counts: Counts,
    /// Similarity of a free-form answer and its reference by row, from 0 to 1; NaN where there is none. Empty where it was not computed.
    pub similarity: Vec<f32>,
    /// What was asked, where that is known: of an evaluation, which may be of a few questions. Without it, all were.
    pub asked: Option<Asked>,
}

impl ModelAnswers {
    /// What was read in a row.
    pub fn mark(&self, row: usize) -> ParsedAnswer {
        self.marks.get(row).copied().unwrap_or(ParsedAnswer::ABSENT)
    }

    /// How alike the free-form answer in a row and its reference are, 0 without an answer; `None` while they were not compared.
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

    /// Whether the question in a row was asked: that it has no answer tells of the model only then.
    pub fn was_asked(&self, row: usize) -> bool {
        self.mark(row) != ParsedAnswer::ABSENT
            || self.asked.as_ref().is_none_or(|asked| asked.lacks(row))
    }
}

/// A model as bits.
struct Bitmaps {
    right: Bitmap,
    given: Bitmap,
    unparsed: Bitmap,
    refused: Bitmap,
    /// Free-form answers that were not compared, where there are any.
    uncompared: Option<Bitmap>,
    /// What was asked, where that is not all.
    asked: Option<Bitmap>,
    /// The data sets and rules that it answers at all, or was asked in vain: elsewhere it is not scored.
    scopes: HashSet<u32>,
    /// Whether it is scored in each stack.
    scored: Vec<bool>,
}

/// Questions, models and columns: everything a board is counted from.
pub struct BoardEngine {
    sheet: Arc<QuestionTable>,
    /// Those with a row first, then the further orders of options of these.
    models: Vec<Arc<ModelAnswers>>,
    orders: Orders,
    cube: BitmapIndex,
    all: Bitmap,
    planes: Vec<Bitmaps>,
    measures: Vec<Measure>,
    plain: AccuracyColumns,
    special: VariantColumns,
    /// Stacks of free-form questions.
    free: Vec<usize>,
    /// The chance level of each stack's questions, where it is that of all of them.
    chance: Vec<Option<f64>>,
    /// Rows that can be graded and are counted in groups alone.
    grouped: Vec<u32>,
    /// Rows that are in no stack.
    loose: Vec<u32>,
    /// Made when they are first needed.
    by_style: OnceLock<ByStyle>,
    sc_of_all: OnceLock<Vec<Option<ScEstimate>>>,
    by_cluster: OnceLock<ByCluster>,
    recent: RecentBoards,
}

/// A number, 0 where there is none.
fn number(of: Option<f64>) -> f64 {
    of.filter(|of| of.is_finite()).unwrap_or(0.0)
}

/// The questions that a board is scored on: a bit a row.
#[derive(Clone)]
pub struct ItemSelection {
    plane: Bitmap,
    rows: Option<Arc<Vec<bool>>>,
    /// Only what all of these were asked.
    asked: Vec<Arc<ModelAnswers>>,
}

impl ItemSelection {
    /// Whether every question is scored on.
    pub(super) fn is_all(&self) -> bool {
        self.rows.is_none() && self.asked.is_empty()
    }

    /// Whether both hold the same questions.
    fn is_same(&self, other: &ItemSelection) -> bool {
        let asked = self.asked.iter().zip(&other.asked);
        self.rows == other.rows
            && self.asked.len() == other.asked.len()
            && asked.into_iter().all(|(a, b)| Arc::ptr_eq(a, b))
    }

    /// Whether a row is scored on.
    pub fn holds(&self, row: usize) -> bool {
        self.rows
            .as_ref()
            .is_none_or(|rows| rows.get(row).copied().unwrap_or(false))
            && self.asked.iter().all(|model| model.was_asked(row))
    }
}

impl BoardEngine {
    /// Prepares boards of these models. Answers of one evaluation to several orders of the options have one row, that of the first order.
    pub fn new(sheet: Arc<QuestionTable>, mut models: Vec<Arc<ModelAnswers>>) -> BoardEngine {
        let mut orders = Orders::new(&mut models);
        // Rotations beyond the first are the same question again: only CircularEval counts them.
        let plain = |row: usize| {
            let free = sheet.kind(row) == QuestionKind::FreeForm;
            sheet.pair.get(row) == 0 && sheet.turn[row] <= 1 && (free || sheet.graded(row))
        };
        let cube = BitmapIndex::new(&sheet, plain);
        let mut measures = super::mvp::measures(&sheet);
        measures.extend(measure::circular(&sheet));
        let plain = AccuracyColumns::new(&sheet, cube.stacks());
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
        let free = |at: &usize| cube.stacks()[*at].kind == QuestionKind::FreeForm;
        let free: Vec<usize> = (0..cube.stacks().len()).filter(free).collect();
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
        let chance = (0..cube.stacks().len()).map(chance).collect();
        BoardEngine {
            sheet,
            models,
            orders,
            cube,
            all,
            planes,
            measures,
            plain,
            special,
            free,
            chance,
            grouped,
            loose,
            by_style: OnceLock::new(),
            sc_of_all: OnceLock::new(),
            by_cluster: OnceLock::new(),
            recent: RecentBoards::default(),
        }
    }

    /// The questions.
    pub fn sheet(&self) -> &QuestionTable {
        &self.sheet
    }

    /// The models that have a row, by name.
    pub fn models(&self) -> &[Arc<ModelAnswers>] {
        &self.models[..self.orders.rows()]
    }

    /// The questions for which `is` holds; all without it.
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
                    plane: self.cube.plane(|row| rows[row]),
                    rows: Some(Arc::new(rows)),
                    asked: Vec::new(),
                }
            }
        }
    }

    /// Of some questions, those that all of these models were asked.
    fn own<'c>(&self, models: &[usize], chosen: &'c ItemSelection) -> Cow<'c, ItemSelection> {
        let mut own = Cow::Borrowed(chosen);
        for model in models {
            let Some(asked) = &self.planes[*model].asked else {
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

    /// The columns there are, those of groups first.
    pub fn columns(&self) -> impl Iterator<Item = &Column> {
        let of_answers = self
            .measures
            .iter()
            .map(|m| &m.column)
            .chain(&self.plain.columns);
        of_answers
            .chain(&self.special.columns)
            .chain(&self.orders.columns)
    }

    /// The board on these questions, counted once while it is one of the last that were asked for.
    pub fn board(&self, chosen: &ItemSelection) -> Arc<Board> {
        self.recent.get(chosen, || self.count(chosen))
    }

    /// Counts the board on these questions. Questions without an answer count as wrong in every data set and kind of rule that the model answers at
    /// all; elsewhere it has no cell, nor for what an evaluation did not ask. A group counts when all of its questions are chosen.
    pub fn count(&self, chosen: &ItemSelection) -> Board {
        let n = self.cube.count(&self.all, &chosen.plane);
        let chance = self.chances(&n, &chosen.plane);
        let sc = self.sc_estimates(chosen);
        let of: Vec<(usize, (&Arc<ModelAnswers>, &Bitmaps))> =
            self.models().iter().zip(&self.planes).enumerate().collect();
        let rows = bitmap_index::each(&of, |(at, (model, planes))| {
            let chosen = &*self.own(&[*at], chosen);
            let (mut n, mut chance) = (Cow::Borrowed(&n), Cow::Borrowed(&chance));
            if planes.asked.is_some() {
                n = Cow::Owned(self.cube.count(&self.all, &chosen.plane));
                chance = Cow::Owned(self.chances(&n, &chosen.plane));
            }
            let right = self.cube.count(&planes.right, &chosen.plane);
            let given = self.cube.count(&planes.given, &chosen.plane);
            let n: Vec<u32> = n
                .iter()
                .zip(&planes.scored)
                .map(|(n, scored)| if *scored { *n } else { 0 })
                .collect();
            let points = (!self.free.is_empty() && !model.similarity.is_empty()).then(|| {
                // A sum with an answer that was not compared is no number, and nothing follows from it.
                let points = |row: usize| model.likeness(row).unwrap_or(f64::NAN);
                let mut sums = vec![0.0; n.len()];
                self.free
                    .iter()
                    .for_each(|at| sums[*at] = self.cube.sum(*at, &chosen.plane, points));
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
            cells.extend(self.plain.cells(&counted));
            cells.extend(self.special_cells(*at, chosen));
            cells.extend(self.order_cells(*at, chosen));
            let missing = n
                .iter()
                .zip(&given)
                .map(|(n, given)| u64::from(n.saturating_sub(*given)))
                .sum();
            let counts = self.oddities(*at, chosen, (missing, &given));
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
                .cube
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
                    .all(|m| self.planes[*m].scopes.contains(&scope))
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

    /// What a model's answers were read as, or those of a further order of its options (see [`answerers`](Self::answerers)).
    pub fn graded(&self, at: usize) -> &ModelAnswers {
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

    /// What a model made of the question in a row; nothing for one that no rule grades.
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

    /// The model of that name, which has a row.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`] with the names that there are.
    pub fn model(&self, name: &str) -> Result<usize> {
        self.models()
            .iter()
            .position(|m| m.model == name)
            .ok_or_else(|| {
                let names: Vec<&str> = self.models().iter().map(|m| m.model.as_str()).collect();
                Error::new(ErrorKind::NotFound, format!("no model `{name}`"))
                    .help(format!("there are: {}", names.join(", ")))
            })
    }

    /// The place of the column of that name.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`] with the names that there are.
    pub fn column(&self, name: &str) -> Result<usize> {
        self.columns().position(|c| c.name == name).ok_or_else(|| {
            let names: Vec<&str> = self.columns().map(|c| c.name.as_str()).collect();
            Error::new(ErrorKind::NotFound, format!("no column `{name}`"))
                .help(format!("there are: {}", names.join(", ")))
        })
    }
}

/// A mark that no answer is read as: what is wanted of a question that no rule grades.
const NEVER: ParsedAnswer = ParsedAnswer(u8::MAX);

/// A model's bits; `wanted` is the right mark by bit.
fn planes(
    sheet: &QuestionTable,
    cube: &BitmapIndex,
    (grouped, wanted, free): (&[u32], &[ParsedAnswer], &[usize]),
    model: &ModelAnswers,
) -> Bitmaps {
    let [mut right, given, unparsed, refused] = cube.marked(&model.marks, wanted);
    let uncompared = answer_counts::uncompared(cube, free, &given, model);
    if sheet.may_decline() {
        // Declining in words is right where the option that declines is.
        right = cube.plane(|row| sheet.right(row, model.mark(row)));
    }
    let stacks = cube
        .stacks()
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
    // What an evaluation asked in vain counts, also where no answer came at all.
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
        .stacks()
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
