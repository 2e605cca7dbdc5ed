//! Cells of evaluations that showed the options in several orders.

use std::sync::Arc;

use super::engine::BoardEngine;
use super::item_selection::ItemSelection;
use super::model_answers::ModelAnswers;
use super::orders::{Source, is_circular, rotations};
use crate::statistics::{mean, variance};
use benchtop_model::board::Cell;
use benchtop_model::evaluation;

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
