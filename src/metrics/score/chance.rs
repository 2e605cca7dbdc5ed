//! The row of chance levels: what guessing gets in each column.

use super::basis::{Basis, SUMS};
use super::column::BoardColumn;
use super::engine::BoardEngine;
use super::item_selection::ItemSelection;
use benchtop_model::board::{CHANCE, CHANCE_ROW, Cell, Counts, Row};

/// The sums of a stack: its selected questions, and their chance levels if all of them have one.
type StackSums = (f64, Option<f64>);

impl BoardEngine {
    /// The chance levels of the selected questions, in every column of shares of answers. Each
    /// question has the chance level of its present options. A column without one, or with
    /// questions without one, has no cell.
    pub fn chance_row(&self, chosen: &ItemSelection) -> Row {
        let stacks: Vec<StackSums> = (0..self.index.strata().len())
            .map(|at| self.stack_chance(at, chosen))
            .collect();
        let columns = self.columns.0.iter();
        Row {
            model: CHANCE_ROW.into(),
            cells: columns.map(|of| self.chance_of(of, &stacks)).collect(),
            counts: Counts::default(),
            reference: Some(CHANCE.into()),
            white_box: Vec::new(),
        }
    }

    fn stack_chance(&self, at: usize, chosen: &ItemSelection) -> StackSums {
        let rows = self.index.rows(at, &chosen.plane);
        let level = |row: usize| self.sheet.chance.get(row).copied();
        rows.fold((0.0, Some(0.0)), |(n, sum), row| {
            let level = level(row).filter(|level| level.is_finite());
            (n + 1.0, sum.zip(level).map(|(sum, level)| sum + level))
        })
    }

    fn chance_of(&self, column: &BoardColumn, stacks: &[StackSums]) -> Option<Cell> {
        let Basis::Sums(draw) = column.basis(self) else {
            return None;
        };
        if !draw.is_share() || draw.free_form {
            return None;
        }
        let (mut sums, mut all) = (vec![0.0; draw.width()], 0.0);
        for (at, (n, chance)) in stacks.iter().enumerate().filter(|(_, (n, _))| *n > 0.0) {
            let Some(slot) = draw.slot(at) else { continue };
            let of: &mut [f64] = sums.get_mut(slot..slot + SUMS)?;
            let chance = (*chance)?;
            // Guessing gets the chance level as its points.
            [chance, *n, chance]
                .into_iter()
                .zip(of)
                .for_each(|(amount, sum)| *sum += amount);
            all += n;
        }
        let value = draw.value(&sums)?;
        Some(Cell::Mean {
            value,
            n: all as u64,
        })
    }
}
