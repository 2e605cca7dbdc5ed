//! Prepares the bitmaps and columns of a board.

use std::sync::{Arc, OnceLock};

use super::bitmap_index::{self, BitmapIndex};
use super::column::{Columns, Data, Memo};
use super::columns::METRICS;
use super::engine::{BoardEngine, number};
use super::model_answers::ModelAnswers;
use super::model_bitmaps::planes;
use super::orders::Orders;
use super::question_table::{NEVER, QuestionTable};
use super::recent_boards::RecentBoards;
use super::strata::Strata;
use benchtop_model::QuestionKind;

impl BoardEngine {
    /// Prepares boards of these models. If one evaluation asked several option orders, its answers
    /// share one row, that of the first order.
    pub fn new(sheet: Arc<QuestionTable>, mut models: Vec<Arc<ModelAnswers>>) -> BoardEngine {
        let orders = Orders::new(&mut models);
        // Rotations after the first repeat the question; only CircularEval counts them.
        let plain = |row: usize| {
            let free = sheet.kind(row) == QuestionKind::FreeForm;
            sheet.pair.get(row) == 0 && sheet.rotation[row] <= 1 && (free || sheet.graded(row))
        };
        let cube = BitmapIndex::new(&sheet, plain);
        let strata = Strata::new(&sheet, cube.strata());
        let data = Data {
            sheet: &sheet,
            strata: &strata,
            models: &models,
            orders: &orders,
        };
        let mut columns = Columns::default();
        for metric in METRICS {
            (metric.columns)(&data, &mut columns);
        }
        let in_no_stack = |row: &u32| !cube.holds(*row as usize);
        let loose: Vec<u32> = (0..sheet.len() as u32).filter(in_no_stack).collect();
        let mut grouped = loose.clone();
        grouped.retain(|row| sheet.graded(*row as usize));
        let wanted = cube.by_bit(|row| sheet.wanted(row), NEVER);
        let free = |at: &usize| cube.strata()[*at].kind == QuestionKind::FreeForm;
        let free: Vec<usize> = (0..cube.strata().len()).filter(free).collect();
        let planes = bitmap_index::each(&models, |model| {
            planes(&sheet, &cube, (&grouped, &wanted, &free), model)
        });
        let all = cube.plane(|_| true);
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
            strata,
            columns,
            free_form_stacks: free,
            chance,
            grouped,
            unindexed: loose,
            by_cluster: OnceLock::new(),
            memo: Memo::default(),
            recent: RecentBoards::default(),
        }
    }
}
