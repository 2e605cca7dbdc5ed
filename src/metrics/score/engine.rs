//! Questions, models, and columns: everything that boards are computed from.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use super::accuracy_columns::AccuracyColumns;
use super::bitmap_index::{self, Bitmap, BitmapIndex};
use super::item_selection::ItemSelection;
use super::measure::{self, Measure};
use super::model_answers::ModelAnswers;
use super::model_bitmaps::{Bitmaps, ByCluster, ByStyle, NEVER, planes};
use super::orders::Orders;
use super::paired_variants::VariantColumns;
use super::parsed_answer::ParsedAnswer;
use super::question_table::QuestionTable;
use super::recent_boards::RecentBoards;
use crate::consensus;
use benchtop_model::board::Column;
use benchtop_model::board::analysis::ScEstimate;
use benchtop_model::{Error, ErrorKind, QuestionKind, Result};

/// Questions, models, and columns: everything that boards are computed from.
pub struct BoardEngine {
    pub(super) sheet: Arc<QuestionTable>,
    /// Models with a row, followed by the further option orders of these models.
    pub(super) models: Vec<Arc<ModelAnswers>>,
    pub(super) orders: Orders,
    pub(super) index: BitmapIndex,
    pub(super) all: Bitmap,
    pub(super) bitmaps: Vec<Bitmaps>,
    pub(super) measures: Vec<Measure>,
    pub(super) accuracy_columns: AccuracyColumns,
    pub(super) variant_columns: VariantColumns,
    /// Stacks of free-form questions.
    pub(super) free_form_stacks: Vec<usize>,
    /// The chance level of each stack, if it is the same for all of its questions.
    pub(super) chance: Vec<Option<f64>>,
    /// Graded rows that only groups count.
    pub(super) grouped: Vec<u32>,
    /// Rows in no stack.
    pub(super) unindexed: Vec<u32>,
    /// Computed on first use.
    pub(super) by_style: OnceLock<ByStyle>,
    pub(super) sc_of_all: OnceLock<Vec<Option<ScEstimate>>>,
    pub(super) by_cluster: OnceLock<ByCluster>,
    pub(super) recent: RecentBoards,
}

/// The number; 0 if it is missing or not finite.
pub(super) fn number(of: Option<f64>) -> f64 {
    of.filter(|of| of.is_finite()).unwrap_or(0.0)
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
        let mut measures = crate::mvp::measures(&sheet);
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
    pub(super) fn narrowed<'c>(
        &self,
        models: &[usize],
        chosen: &'c ItemSelection,
    ) -> Cow<'c, ItemSelection> {
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

    /// The units of a measure that count for all of these models.
    pub(super) fn units<'s, const N: usize>(
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
    pub(super) fn unit_right(&self, model: usize, unit: &[u32]) -> bool {
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
