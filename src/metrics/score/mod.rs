//! Builds boards: [`QuestionTable`] holds the questions, [`ModelAnswers`] a model's parsed answers,
//! and [`BoardEngine`] computes the columns and cells.
//!
//! A metric is one file and one row of [`METRICS`]. It declares its columns, and a [`Column`] makes
//! a model's cell from the counts of [`bitmap_index`]. Its [`basis`] says what is resampled and
//! tested. `strata` and `tallies` have what most metrics count.

mod answer_counts;
mod asked;
mod basis;
pub mod bitmap_index;
mod bootstrap;
mod build;
mod chance;
mod cluster_bits;
mod column;
mod columns;
mod confidence;
mod drilldown;
mod engine;
mod grade;
mod item_selection;
mod model_answers;
mod model_bitmaps;
mod orders;
mod paired_comparison;
pub mod parsed_answer;
pub mod question_table;
mod recent_boards;
mod strata;
mod tallies;
pub mod term_codes;
mod unit;

pub use self::basis::Estimate;
pub use self::bootstrap::ClusterBootstrap;
pub use self::column::{BoardColumn, Column, Metric};
pub use self::columns::METRICS;
pub use self::engine::BoardEngine;
pub use self::grade::{Grader, Outcome, Place, mark};
pub use self::item_selection::ItemSelection;
pub use self::model_answers::{Asked, ModelAnswers};
pub use self::paired_comparison::{Paired, Tested};
pub use self::strata::is_base;
pub use self::unit::{Unit, Units};

use std::sync::Arc;

use self::column::{BoardScores, ModelScores};
use benchtop_model::board::{Board, Row};

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
        let board = BoardScores::new(self, chosen);
        self.columns.0.iter().for_each(|c| c.prepare(&board));
        let models: Vec<usize> = (0..self.models().len()).collect();
        let rows = bitmap_index::each(&models, |at| {
            let of = ModelScores::new(&board, *at);
            let cells = self
                .columns
                .0
                .iter()
                .map(|column| column.cell(&of))
                .collect();
            let lack = |(n, given): (&u32, &u32)| u64::from(n.saturating_sub(*given));
            let missing = of.n.iter().zip(&of.given).map(lack).sum();
            Row {
                model: of.answers().model.clone(),
                cells,
                counts: self.answer_counts(*at, &of.chosen, (missing, &of.given)),
                reference: None,
                white_box: Vec::new(),
            }
        });
        let grouped = self
            .grouped
            .iter()
            .filter(|row| chosen.holds(**row as usize))
            .count();
        let questions = board.n.iter().map(|n| u64::from(*n)).sum::<u64>() + grouped as u64;
        Board {
            questions,
            columns: self.columns().cloned().collect(),
            rows,
            notes: Vec::new(),
            drafts: 0,
        }
    }
}

#[cfg(test)]
mod tests;
