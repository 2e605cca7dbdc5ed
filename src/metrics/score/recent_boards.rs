//! The boards that were counted last: ranks, intervals and comparisons read the cells of the board on screen.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use super::item_selection::ItemSelection;
use benchtop_model::board::Board;

/// Boards kept: the one on screen, and those of both sides of a comparison.
const KEPT: usize = 4;

/// Boards by selection, the one used last at the end.
#[derive(Default)]
pub(super) struct RecentBoards(Mutex<VecDeque<(ItemSelection, Arc<Board>)>>);

impl RecentBoards {
    /// The board on these questions. `count` runs without the lock: it uses threads that may ask for a board themselves.
    pub(super) fn get(&self, chosen: &ItemSelection, count: impl FnOnce() -> Board) -> Arc<Board> {
        let kept = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let found = {
            let mut kept = kept();
            let at = kept.iter().position(|(of, _)| of.is_same(chosen));
            at.and_then(|at| kept.remove(at))
        };
        let (of, board) = found.unwrap_or_else(|| (chosen.clone(), Arc::new(count())));
        let mut kept = kept();
        kept.push_back((of, board.clone()));
        if kept.len() > KEPT {
            kept.pop_front();
        }
        board
    }
}
