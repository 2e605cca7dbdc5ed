//! From a cell to the answers behind it.

use std::collections::HashSet;

use super::column::BoardColumn;
use super::engine::BoardEngine;
use super::item_selection::ItemSelection;
use super::model_bitmaps::Bitmaps;

impl BoardEngine {
    /// Whether a model is scored on a row, which means that it answers the question's data set at
    /// all. `answerer` comes from [`answerers`](super::column::Column::answerers).
    pub fn is_scored(&self, answerer: usize, row: usize) -> bool {
        match self.index.holds(row).then(|| self.index.stratum_of(row)) {
            Some(stack) => self.bitmaps[answerer].scored[stack],
            None => self.bitmaps[answerer]
                .scopes
                .contains(&self.sheet.scope(row)),
        }
    }

    /// For each row, whether it is behind a column's cell of any of these models.
    pub fn rows_behind_any(
        &self,
        models: impl IntoIterator<Item = usize>,
        column: &BoardColumn,
        chosen: &ItemSelection,
    ) -> Vec<bool> {
        let mut behind = vec![false; self.sheet.len()];
        let mut seen: Vec<&HashSet<u32>> = Vec::new();
        for model in models {
            let Bitmaps { asked, scopes, .. } = &self.bitmaps[model];
            // Models that were asked everything in the same scopes have the same rows behind a cell.
            if asked.is_none() && !column.depends_on_answers() {
                if seen.contains(&scopes) {
                    continue;
                }
                seen.push(scopes);
            }
            for (rows, _) in column.units(self, model, chosen) {
                rows.iter().for_each(|row| behind[*row as usize] = true);
            }
        }
        behind
    }

    /// The selected rows in the stacks for which `is` holds.
    pub(super) fn rows_of(&self, is: impl Fn(usize) -> bool, chosen: &ItemSelection) -> Vec<u32> {
        let wanted: Vec<bool> = (0..self.index.strata().len()).map(is).collect();
        let rows = (0..self.sheet.len()).filter(|row| {
            self.index.holds(*row) && chosen.holds(*row) && wanted[self.index.stratum_of(*row)]
        });
        rows.map(|row| row as u32).collect()
    }
}
