//! The state of the pane: the requested and the shown board, its table, and the layers above it.

use std::collections::BTreeMap;

use super::drilldown::DrilldownView;
use super::layer::Layer;
use super::table::{self, FIRST, Ranks};
use crate::widgets::table::LocalTable;
use benchtop_model::board::analysis::CellInterval;
use benchtop_model::board::{AnswerDetail, Board, BoardQuery, Row};
use benchtop_protocol::wire::CommentOn;

/// Computes the 95 % interval of `k` of `n`, both ends in 0..=1.
pub type Interval = fn(k: u64, n: u64) -> (f64, f64);

#[derive(Debug)]
pub struct BoardPane {
    pub(super) interval: Interval,
    pub(super) decimals: usize,
    /// The requested board. Until the reply, the screen shows the board of `shown`.
    pub(super) ask: BoardQuery,
    pub(super) asked: Option<BoardQuery>,
    /// Whether something changed while a request was pending.
    pub(super) stale: bool,
    pub(super) shown: BoardQuery,
    pub(super) found: Option<Board>,
    /// The same board on all items, if the board has fewer.
    pub(super) whole: Option<(BoardQuery, Board)>,
    /// The error of the last request.
    pub(super) failed: Option<String>,
    pub(super) ranks: Option<Ranks>,
    /// The column of the last request for ranks.
    pub(super) ranked_by: Option<String>,
    /// Requested intervals, by model and column.
    pub(super) intervals: BTreeMap<(String, String), CellInterval>,
    /// The model marked for a comparison.
    pub(super) marked: Option<String>,
    /// The number of answers that the board's rule parses differently from each question's own
    /// rule.
    pub(super) read_otherwise: Option<u64>,
    pub(super) table: LocalTable,
    pub(super) layers: Vec<Box<dyn Layer>>,
    /// Error labels without a receipt.
    pub(super) labeling: Vec<CommentOn>,
}

impl Default for BoardPane {
    fn default() -> Self {
        let none = table::Shown {
            decimals: 1,
            ranks: None,
            marked: None,
        };
        BoardPane {
            interval: super::values::interval,
            decimals: 1,
            ask: BoardQuery::default(),
            asked: None,
            stale: false,
            shown: BoardQuery::default(),
            found: None,
            whole: None,
            failed: None,
            ranks: None,
            ranked_by: None,
            intervals: BTreeMap::new(),
            marked: None,
            read_otherwise: None,
            table: table::table(&Board::default(), &none),
            layers: Vec::new(),
            labeling: Vec::new(),
        }
    }
}

impl BoardPane {
    /// The answer under the cursor, while the answers behind a cell are shown.
    pub(super) fn behind(&self) -> Option<&AnswerDetail> {
        let mut layers = self.layers.iter().rev();
        layers.find_map(|layer| layer.of::<DrilldownView>()?.current())
    }

    /// The present board on all items, if the board has fewer.
    pub(super) fn whole(&self) -> Option<&Board> {
        self.whole
            .as_ref()
            .filter(|(of, _)| *of == self.shown)
            .map(|(_, board)| board)
    }

    pub(super) fn row(&self) -> Option<&Row> {
        let id = self.table.cursor_id()?;
        self.found.as_ref()?.rows.get(usize::try_from(id).ok()?)
    }

    /// The column under the cursor, if it is one of the board's.
    pub(super) fn column(&self) -> Option<&benchtop_model::board::Column> {
        let at = self.table.state().column().checked_sub(FIRST)?;
        self.found.as_ref()?.columns.get(at)
    }

    /// The table that gets the keys. `None` on a page.
    pub(super) fn top_table(&mut self) -> Option<&mut LocalTable> {
        match self.layers.last_mut() {
            None => Some(&mut self.table),
            Some(layer) => layer.table_mut(),
        }
    }

    /// Moves the cursor to a column of the topmost table.
    pub fn go_to_column(&mut self, column: usize) {
        if let Some(table) = self.top_table() {
            table.go_to_column(column);
        }
    }

    pub(super) fn push_layer(&mut self, layer: impl Layer) {
        self.layers.push(Box::new(layer));
    }
}
