//! Evaluations: what they asked, and the columns of evaluations that showed the options in several
//! orders.
//!
//! A model's answers to its shuffles or rotations share one board row. The columns here and
//! MM-SAP's cover all orders; all other columns cover the first order only.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::question_table::QuestionTable;
use super::{BoardEngine, ItemSelection, ModelAnswers};
use crate::statistics::{mean, variance};
use benchtop_model::board::{Cell, Column, Scale};
use benchtop_model::evaluation;

/// The questions and option orders of an evaluation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    /// The name that all answers of the run share.
    pub base: String,
    /// The orders in which options were shown.
    pub orders: evaluation::OptionOrders,
    /// The number of this order, from 1; 0 if options were not reordered.
    pub order: u16,
    /// Rows that were asked and have no answer, ascending.
    pub lacking: Vec<u32>,
}

impl Asked {
    /// Whether the question in a row was asked but not answered.
    pub fn lacks(&self, row: usize) -> bool {
        u32::try_from(row).is_ok_and(|row| self.lacking.binary_search(&row).is_ok())
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Source {
    /// The mean accuracy over the orders.
    Mean,
    /// The standard deviation of the accuracy over the orders.
    Spread,
    /// Right in every rotation.
    Circular,
}

/// Which models are orders of one another, and their columns.
#[derive(Default)]
pub struct Orders {
    pub columns: Vec<Column>,
    sources: Vec<Source>,
    /// For each model with a row, the indices of its orders, its own first.
    families: Vec<Vec<usize>>,
    /// The accuracy column whose mean over orders is taken.
    accuracy: Option<usize>,
}

impl Orders {
    /// Sorts the models: first those that have a row, by name, then their further option orders.
    pub fn new(models: &mut Vec<Arc<ModelAnswers>>) -> Orders {
        models.sort_by(|a, b| a.model.cmp(&b.model));
        let mut of: BTreeMap<(String, u16), Vec<Arc<ModelAnswers>>> = BTreeMap::new();
        for model in models.drain(..) {
            let orders = model.asked.as_ref().filter(|asked| asked.order > 0);
            // Run names are unique, so a file without an order is a family of its own.
            let key = orders.map_or((model.model.clone(), 0), |asked| (asked.base.clone(), 1));
            of.entry(key).or_default().push(model);
        }
        let mut families: Vec<Vec<Arc<ModelAnswers>>> = of.into_values().collect();
        for family in &mut families {
            family.sort_by_key(|model| model.asked.as_ref().map_or(0, |asked| asked.order));
        }
        families.sort_by(|a, b| a[0].model.cmp(&b[0].model));
        let mut places = Vec::with_capacity(families.len());
        let mut next = families.len();
        for (at, family) in families.iter().enumerate() {
            places.push(
                std::iter::once(at)
                    .chain(next..next + family.len() - 1)
                    .collect(),
            );
            next += family.len() - 1;
        }
        let further = families
            .iter()
            .flat_map(|family| &family[1..])
            .cloned()
            .collect::<Vec<_>>();
        models.extend(
            families
                .iter()
                .map(|family| family[0].clone())
                .chain(further),
        );
        Orders {
            families: places,
            ..Orders::default()
        }
    }

    /// Adds the columns for these models. `accuracy` is the column of overall accuracy.
    pub fn name_columns(&mut self, models: &[Arc<ModelAnswers>], accuracy: Option<usize>) {
        self.accuracy = accuracy;
        let several = || self.families.iter().filter(|family| family.len() > 1);
        let mut found = Vec::new();
        if several().any(|family| is_circular(&models[family[0]])) {
            let help = "CircularEval over the rotations that an evaluation asked: a question is right if all rotations are right";
            found.push((
                Source::Circular,
                Column::share("CircularEval", "Circular", help),
            ));
        }
        if accuracy.is_some() && several().next().is_some() {
            let help = "mean accuracy over the option orders of an evaluation, on questions asked in every order";
            found.push((
                Source::Mean,
                Column::share("Acc.orders", "over orders", help),
            ));
            let help =
                "population standard deviation of the accuracy over the option orders, in points";
            let spread = Column {
                scale: Scale::Spread,
                ..Column::share("Acc.orders.sd", "over orders", help)
            };
            found.push((Source::Spread, spread));
        }
        (self.sources, self.columns) = found.into_iter().unzip();
    }

    /// Number of models that have a row.
    pub fn rows(&self) -> usize {
        self.families.len()
    }

    /// The indices of a model's orders, its own first. `None` if there is only one.
    fn family(&self, model: usize) -> Option<&[usize]> {
        self.families
            .get(model)
            .map(Vec::as_slice)
            .filter(|family| family.len() > 1)
    }
}

fn is_circular(model: &ModelAnswers) -> bool {
    model
        .asked
        .as_ref()
        .is_some_and(|asked| asked.orders == evaluation::OptionOrders::Circular)
}

/// Number of rotations of a question's options; 0 without options.
fn rotations(sheet: &QuestionTable, row: usize) -> usize {
    sheet.options.get(row).copied().map_or(0, usize::from)
}

impl BoardEngine {
    /// The models that have a row, then their further option orders, each with its own answers.
    pub fn all_models(&self) -> &[Arc<ModelAnswers>] {
        &self.models
    }

    /// The index of a column among the order columns, if it is one.
    pub(super) fn of_orders(&self, column: usize) -> Option<usize> {
        column.checked_sub(
            self.measures.len()
                + self.accuracy_columns.columns.len()
                + self.variant_columns.columns.len(),
        )
    }

    /// Whether a column counts questions that are right in every rotation.
    pub(super) fn is_circular(&self, column: usize) -> bool {
        self.of_orders(column)
            .is_some_and(|at| self.orders.sources.get(at) == Some(&Source::Circular))
    }

    /// The models whose answers are behind a cell: the model itself and, if the column covers all
    /// orders, its further orders.
    pub fn answerers(&self, model: usize, column: usize) -> Vec<usize> {
        let special = column.checked_sub(self.measures.len() + self.accuracy_columns.columns.len());
        let is_of_all = self.of_orders(column).is_some()
            || self.shuffles(model).is_some()
                && special.is_some_and(|at| self.variant_columns.is_of_refusals(at));
        self.orders
            .family(model)
            .filter(|_| is_of_all)
            .map_or_else(|| vec![model], <[usize]>::to_vec)
    }

    /// Whether a column counts an answer: a knowledge quadrant counts the answers in it, other
    /// columns count all. `answerer` comes from [`answerers`](Self::answerers).
    pub fn counts(&self, answerer: usize, column: usize, row: usize) -> bool {
        let special = column.checked_sub(self.measures.len() + self.accuracy_columns.columns.len());
        let counts = |at| {
            self.variant_columns
                .counts(&self.sheet, at, &self.models[answerer], row)
        };
        special.is_none_or(counts)
    }

    /// Number of option orders in which an evaluation asked a model.
    pub fn orders_of(&self, model: usize) -> usize {
        self.orders.family(model).map_or(1, <[usize]>::len)
    }

    /// The name of a model's option order, such as `rotation 2`. `None` if it has only one order.
    pub fn order_name(&self, model: usize) -> Option<String> {
        let asked = self
            .models
            .get(model)?
            .asked
            .as_ref()
            .filter(|asked| asked.order > 0)?;
        let what = if is_circular(&self.models[model]) {
            "rotation"
        } else {
            "shuffle"
        };
        Some(format!("{what} {}", asked.order))
    }

    /// A model's shuffles, if it has several: the number and the answers of each.
    fn shuffles(&self, model: usize) -> Option<Vec<(u32, &ModelAnswers)>> {
        let family = self.orders.family(model)?;
        let order = |at: &usize| {
            let model = &self.models[*at];
            let asked = model
                .asked
                .as_ref()
                .filter(|a| matches!(a.orders, evaluation::OptionOrders::Shuffles(_)))?;
            Some((u32::from(asked.order), &**model))
        };
        family.iter().map(order).collect()
    }

    /// The cells of the columns in `paired_variants`. `chosen` are questions that the model was
    /// asked.
    pub(super) fn special_cells(&self, model: usize, chosen: &ItemSelection) -> Vec<Option<Cell>> {
        let shuffles = self.shuffles(model);
        let all = self.narrowed(
            self.orders
                .family(model)
                .filter(|_| shuffles.is_some())
                .unwrap_or_default(),
            chosen,
        );
        let shuffles = shuffles.as_deref().map(|shuffles| (shuffles, &*all));
        let scored = (&*self.models[model], &self.bitmaps[model].scopes);
        self.variant_columns
            .cells(&self.sheet, scored, chosen, shuffles)
    }

    /// The cells of the order columns. `chosen` are questions that the model was asked.
    pub(super) fn order_cells(&self, model: usize, chosen: &ItemSelection) -> Vec<Option<Cell>> {
        let Some(family) = self.orders.family(model) else {
            return vec![None; self.orders.columns.len()];
        };
        let shares = self.shares(family, chosen);
        let cell = |(at, source): (usize, &Source)| match source {
            Source::Circular => {
                let units = self.units_of_orders(model, at, chosen);
                let k = units.iter().filter(|(_, right)| *right).count() as u64;
                (!units.is_empty()).then_some(Cell::Share {
                    k,
                    n: units.len() as u64,
                })
            }
            Source::Mean => shares.as_ref().and_then(|(of, n)| {
                Some(Cell::Mean {
                    value: mean(of)?,
                    n: *n,
                })
            }),
            Source::Spread => {
                let spread = |of: &[f64]| variance(of).map(|variance| 100.0 * variance.sqrt());
                shares.as_ref().and_then(|(of, n)| {
                    Some(Cell::Number {
                        value: spread(of)?,
                        n: *n,
                    })
                })
            }
        };
        self.orders.sources.iter().enumerate().map(cell).collect()
    }

    /// The accuracy in each order, on the questions that were asked in all orders, and the number
    /// of these questions.
    fn shares(&self, family: &[usize], chosen: &ItemSelection) -> Option<(Vec<f64>, u64)> {
        let stacks = self.accuracy_columns.stacks_of(self.orders.accuracy?)?;
        let chosen = self.narrowed(family, chosen);
        let of = |counts: Vec<u32>| {
            stacks
                .iter()
                .map(|at| u64::from(counts[*at as usize]))
                .sum::<u64>()
        };
        let n = of(self.index.count(&self.all, &chosen.plane));
        let right = |model: &usize| {
            of(self.index.count(&self.bitmaps[*model].right, &chosen.plane)) as f64 / n as f64
        };
        (n > 0).then(|| (family.iter().map(right).collect(), n))
    }

    /// The questions behind a cell of an order column, and whether each is right in all orders.
    pub(super) fn units_of_orders(
        &self,
        model: usize,
        at: usize,
        chosen: &ItemSelection,
    ) -> Vec<(Vec<u32>, bool)> {
        let (Some(source), Some(family)) = (self.orders.sources.get(at), self.orders.family(model))
        else {
            return Vec::new();
        };
        let right =
            |of: &[usize], row: usize| of.iter().all(|model| self.right(&self.models[*model], row));
        let rows = (0..self.sheet.len()).filter(|row| self.sheet.graded(*row));
        if *source != Source::Circular {
            let all = self.narrowed(family, chosen);
            let stacks = self
                .orders
                .accuracy
                .and_then(|at| self.accuracy_columns.stacks_of(at))
                .unwrap_or_default();
            let counts = |row: &usize| {
                all.holds(*row)
                    && self.index.holds(*row)
                    && stacks.contains(&(self.index.stratum_of(*row) as u32))
            };
            return rows
                .filter(counts)
                .map(|row| (vec![row as u32], right(family, row)))
                .collect();
        }
        let whole = |(at, model): (usize, &usize)| {
            let asked = self.models[*model].asked.as_ref();
            is_circular(&self.models[*model])
                && asked.is_some_and(|asked| usize::from(asked.order) == at + 1)
        };
        let family = &family[..family
            .iter()
            .enumerate()
            .take_while(|of| whole(*of))
            .count()];
        let unit = |row: usize| {
            let of = family
                .get(..rotations(&self.sheet, row))
                .filter(|of| of.len() > 1)?;
            let asked = of.iter().all(|model| self.models[*model].was_asked(row));
            asked.then(|| (vec![row as u32], right(of, row)))
        };
        // A question that is a rotation itself was asked once.
        rows.filter(|row| chosen.holds(*row) && self.sheet.rotation[*row] == 0)
            .filter_map(unit)
            .collect()
    }

    /// How many of the selected questions in the model's data sets it was asked, and how many there
    /// are. `None` if it was asked all.
    pub fn asked_of(&self, model: usize, chosen: &ItemSelection) -> Option<(u64, u64)> {
        self.bitmaps.get(model)?.asked.as_ref()?;
        let scopes = &self.bitmaps[model].scopes;
        let of = |row: &usize| {
            (self.index.holds(*row) || self.sheet.graded(*row))
                && scopes.contains(&self.sheet.scope(*row))
        };
        let rows = (0..self.sheet.len())
            .filter(|row| chosen.holds(*row))
            .filter(of);
        let (mut asked, mut all) = (0, 0);
        rows.for_each(|row| {
            all += 1;
            asked += u64::from(self.models[model].was_asked(row));
        });
        (asked < all).then_some((asked, all))
    }
}
