//! From a cell to the answers behind it.

use std::collections::HashSet;

use super::engine::BoardEngine;
use super::item_selection::ItemSelection;
use super::measure::Unit;
use super::model_bitmaps::Bitmaps;

impl BoardEngine {
    /// The units behind a cell, in data set order: the kind of unit, and each unit's rows and
    /// whether it is right.
    pub fn units_behind(
        &self,
        model: usize,
        column: usize,
        chosen: &ItemSelection,
    ) -> (Unit, Vec<(Vec<u32>, bool)>) {
        if let Some(measure) = self.measures.get(column) {
            let units = self.units([model], measure, chosen);
            return (
                measure.unit,
                units
                    .map(|unit| (unit.to_vec(), self.unit_right(model, unit)))
                    .collect(),
            );
        }
        if let Some(at) = self.of_orders(column) {
            return (Unit::Orders, self.units_of_orders(model, at, chosen));
        }
        let chosen = &*self.narrowed(&[model], chosen);
        let rows = self.rows_of(model, column - self.measures.len(), chosen);
        let scored = |row: &u32| self.is_scored(model, *row as usize);
        let unit = |row: u32| (vec![row], self.right_in(model, column, row as usize));
        (
            Unit::Answer,
            rows.into_iter().filter(scored).map(unit).collect(),
        )
    }

    /// Whether a model is scored on a row, which means that it answers the question's data set at
    /// all. `answerer` is an index into [`answering`](Self::answering).
    pub fn is_scored(&self, answerer: usize, row: usize) -> bool {
        match self.index.holds(row).then(|| self.index.stratum_of(row)) {
            Some(stack) => self.bitmaps[answerer].scored[stack],
            None => self.bitmaps[answerer]
                .scopes
                .contains(&self.sheet.scope(row)),
        }
    }

    /// Whether a column counts an answer as right. For self-awareness, declining is right where it
    /// should be. `answerer` comes from [`answerers`](Self::answerers).
    pub fn right_in(&self, answerer: usize, column: usize, row: usize) -> bool {
        let special = column.checked_sub(self.measures.len() + self.accuracy_columns.columns.len());
        let right = special.and_then(|at| {
            self.variant_columns
                .right(&self.sheet, at, &self.models[answerer], row)
        });
        right.unwrap_or_else(|| self.right(&self.models[answerer], row))
    }

    /// For each row, whether it is behind a column's cell of any of these models.
    pub fn rows_behind_any(
        &self,
        models: impl IntoIterator<Item = usize>,
        column: usize,
        chosen: &ItemSelection,
    ) -> Vec<bool> {
        let mut behind = vec![false; self.sheet.len()];
        let mut seen: Vec<&HashSet<u32>> = Vec::new();
        for model in models {
            let Bitmaps { asked, scopes, .. } = &self.bitmaps[model];
            // Models that were asked everything in the same scopes have the same rows behind a
            // cell, except in columns that need more than right and wrong.
            if asked.is_none() && column < self.measures.len() + self.accuracy_columns.columns.len()
            {
                if seen.contains(&scopes) {
                    continue;
                }
                seen.push(scopes);
            }
            let units = self.units_behind(model, column, chosen).1;
            units
                .iter()
                .flat_map(|(rows, _)| rows)
                .for_each(|row| behind[*row as usize] = true);
        }
        behind
    }

    /// The rows behind a column. Empty for group columns.
    fn rows_of(&self, model: usize, plain: usize, chosen: &ItemSelection) -> Vec<u32> {
        if let Some(special) = plain.checked_sub(self.accuracy_columns.columns.len()) {
            return self
                .variant_columns
                .behind(&self.sheet, special, &self.models[model], chosen);
        }
        let stacks = self.accuracy_columns.behind(plain);
        let mut wanted = vec![false; self.index.strata().len()];
        stacks.into_iter().for_each(|at| wanted[at as usize] = true);
        let rows = (0..self.sheet.len()).filter(|row| {
            self.index.holds(*row) && chosen.holds(*row) && wanted[self.index.stratum_of(*row)]
        });
        rows.map(|row| row as u32).collect()
    }
}
