//! Builds boards: [`QuestionTable`] holds the questions, [`ModelAnswers`] a model's parsed answers,
//! and [`BoardEngine`] computes the columns and cells. Each group of columns adds its methods to the
//! engine in a file of its own.
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
mod engine;
mod grade;
mod item_selection;
pub mod measure;
mod model_answers;
mod model_bitmaps;
mod order_cells;
mod orders;
mod paired_comparison;
mod paired_variants;
pub mod parsed_answer;
pub mod question_table;
mod recent_boards;
mod self_awareness;

pub use self::bootstrap::ClusterBootstrap;
pub use self::confidence::Estimate;
pub use self::engine::BoardEngine;
pub use self::grade::{Grader, Outcome, Place, mark};
pub use self::item_selection::ItemSelection;
pub use self::model_answers::{Asked, ModelAnswers};
pub use self::paired_comparison::{Paired, Tested};

use std::borrow::Cow;
use std::sync::Arc;

use self::accuracy_columns::Counted;
use self::engine::number;
use self::measure::Measure;
use self::model_bitmaps::Bitmaps;
use benchtop_model::board::{Board, Cell, Row};

impl BoardEngine {
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

    fn group_cell(&self, model: usize, measure: &Measure, chosen: &ItemSelection) -> Option<Cell> {
        let (mut k, mut n) = (0, 0);
        for unit in self.units([model], measure, chosen) {
            n += 1;
            k += u64::from(self.unit_right(model, unit));
        }
        (n > 0).then_some(Cell::Share { k, n })
    }
}

#[cfg(test)]
mod tests;
