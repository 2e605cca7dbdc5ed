//! Ranks of the models by a column.

use std::collections::HashMap;

use super::board_data::BoardData;
use benchtop_metrics::score::ItemSelection;
use benchtop_metrics::statistics::{Test, ranks};
use benchtop_model::Result;
use benchtop_model::board::analysis::Rank;
use benchtop_model::board::{Better, Cell, Row};
use benchtop_model::sorting::sort_by;

/// Family-wise significance level for comparing all pairs of models.
pub const ALPHA: f64 = 0.05;

impl BoardData {
    /// The models ordered by a column, best first, with the ranks that each may have given the
    /// tests of all pairs (see [`ranks`]). Models without a number are left out.
    ///
    /// # Errors
    ///
    /// [`benchtop_model::ErrorKind::NotFound`] if there is no such column.
    pub fn ranks(&self, column: &str, chosen: &ItemSelection) -> Result<Vec<(String, Rank)>> {
        let of = self.ruled.column(column)?;
        let board = self.ruled.board(chosen);
        let value = |row: &Row| board.cell(row, column).and_then(Cell::value);
        let mut order: Vec<(usize, f64)> = board
            .rows
            .iter()
            .enumerate()
            .filter_map(|(i, r)| Some((i, value(r)?)))
            .collect();
        // Lower variance is better.
        let less = of.head.scale.better() == Better::Less;
        sort_by(&mut order, |a, b| {
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
            self.ruled.tests(&models, of, chosen).into_iter().collect();
        Ok(names
            .zip(ranks(models.len(), ALPHA, |a, b| {
                tests.get(&(a, b)).copied()
            }))
            .collect())
    }
}
