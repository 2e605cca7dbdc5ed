//! Requests of the leaderboard to the owner, and handling of the replies.

use super::compare::CompareView;
use super::drilldown::DrilldownView;
use super::pane::BoardPane;
use super::rules::RulesView;
use super::table::{self, FIRST, Ranks, Shown};
use crate::action::Action;
use crate::pane::Context;
use crate::panes::metadata::edit_session::error_line;
use benchtop_model::Result;
use benchtop_model::agreement::Bootstrap;
use benchtop_model::board::analysis::{ModelComparison, Rank};
use benchtop_model::board::{Board, BoardQuery, Curated, PublishedFigures, Scale};
use benchtop_protocol::wire::request;

/// A model, and the source of its row if it is a published one.
type RowName = (String, Option<String>);

/// The name of the default, where each question has its own rule.
pub(super) const OWN_RULE: &str = "each question's own rule";

impl BoardPane {
    /// Requests the board again after answers or items changed, or after reconnecting. The old one
    /// stays until the reply.
    pub(super) fn reload(&mut self, cx: &mut Context<'_>) {
        self.asked = None;
        self.ask(cx);
        self.request_stable_again(cx);
    }

    /// Marks the board as outdated while it is not on the screen.
    pub(super) fn outdated(&mut self) {
        self.stale = true;
        self.asked = None;
    }

    /// Requests the board again after verdicts, if they decide which items are scored.
    pub(super) fn on_verdicts(&mut self, cx: &mut Context<'_>) {
        if self.ask.curated == Curated::All && self.ask.filter.status.is_empty() {
            return;
        }
        match self.asked {
            Some(_) => self.stale = true,
            None => self.ask(cx),
        }
    }

    fn ask(&mut self, cx: &mut Context<'_>) {
        let ask = self.ask.clone();
        self.asked = Some(ask.clone());
        self.stale = false;
        let request = request::Board(Box::new(ask.clone()));
        cx.ask(request, move |pane: &mut Self, board, cx| {
            pane.on_board(&ask, board, cx);
        });
        if self.ask.curated == Curated::All {
            return;
        }
        let ask = self.ask.clone();
        let all = BoardQuery {
            curated: Curated::All,
            printed: PublishedFigures::Off,
            chance: false,
            ..self.ask.clone()
        };
        cx.ask(
            request::Board(Box::new(all)),
            move |pane: &mut Self, board, _| {
                pane.on_full_board(ask, board);
            },
        );
    }

    /// Requests another board.
    pub(super) fn request_board(&mut self, ask: BoardQuery, cx: &mut Context<'_>) {
        if self.ask != ask {
            self.ask = ask;
            self.ask(cx);
        }
    }

    /// Receives a board. Ignores one of an earlier request.
    pub(super) fn on_board(
        &mut self,
        ask: &BoardQuery,
        board: Result<Board>,
        cx: &mut Context<'_>,
    ) {
        if self.asked.as_ref() != Some(ask) {
            return;
        }
        self.asked = None;
        let board = match board {
            Ok(board) => board,
            Err(problem) => {
                // Keep the board on the screen and its request.
                if self.found.is_some() {
                    self.ask = self.shown.clone();
                    return cx.say(error_line(&problem));
                }
                self.failed = Some(error_line(&problem));
                return;
            }
        };
        self.take_board(ask, board);
        self.ask_ranks(cx);
        if ask.rule.is_some() && self.read_otherwise.is_none() {
            self.ask_disagreements(None, false, cx);
        }
        if self.stale {
            self.ask(cx);
        }
    }

    /// Shows a board.
    pub(super) fn take_board(&mut self, ask: &BoardQuery, mut board: Board) {
        board.put_empty_last();
        if *ask != self.shown {
            self.read_otherwise = None;
        }
        (self.shown, self.failed) = (ask.clone(), None);
        self.intervals.clear();
        self.show(board);
    }

    /// Replaces the board. Cursor, sorting, and hidden columns stay where possible.
    fn show(&mut self, board: Board) {
        let same = self
            .found
            .as_ref()
            .is_some_and(|before| before.columns == board.columns && !before.rows.is_empty());
        let at = self.current_row_name();
        let column = self.column().map(|c| c.name.clone());
        self.found = Some(board);
        if same {
            self.fill(at);
            return;
        }
        self.ranks = None;
        self.layers.clear();
        let Some(board) = &self.found else { return };
        let shown = Shown {
            decimals: self.decimals,
            ranks: None,
            marked: self.marked.as_deref(),
        };
        self.table = table::table(board, &shown);
        // Sort by the leading column, so that the best model is on top.
        if let Some(overall) = board.leading().filter(|_| board.rows.len() > 1) {
            self.table.go_to_group(FIRST + overall);
            self.table.act(Action::SortDescending);
            self.table.go_to_column(0);
        }
        if let Some(at) = column.and_then(|name| board.columns.iter().position(|c| c.name == name))
        {
            self.table.go_to_column(FIRST + at);
        }
    }

    /// An identity of the row under the cursor that does not change with the board.
    fn current_row_name(&self) -> Option<RowName> {
        self.row()
            .map(|row| (row.model.clone(), row.reference.clone()))
    }

    /// Fills the rows again and moves the cursor to this row.
    pub(super) fn fill(&mut self, at: Option<RowName>) {
        let Some(board) = &self.found else { return };
        let selected: Vec<u64> = self.table.state().selected().iter().copied().collect();
        let shown = Shown {
            decimals: self.decimals,
            ranks: self.ranks.as_ref(),
            marked: self.marked.as_deref(),
        };
        let rows = table::rows(board, &shown);
        self.table.let_room_go();
        let widths = table::widths(self.table.columns(), &rows);
        self.table.set_rows(rows, table::nothing());
        self.table.set_widths(&widths);
        table::note(&mut self.table, board);
        self.table.mark(selected);
        let is = |(model, reference): RowName| {
            board
                .rows
                .iter()
                .position(|row| row.model == model && row.reference == reference)
        };
        let at = at.and_then(is);
        if let Some(at) = at {
            self.table.go_to_id(at as u64);
        }
    }

    /// The board column of the first sort key.
    pub(super) fn sorted_by(&self) -> Option<String> {
        let at = self
            .table
            .state()
            .sort()
            .first()?
            .column
            .checked_sub(FIRST)?;
        self.found.as_ref()?.columns.get(at).map(|c| c.name.clone())
    }

    /// Requests ranks if the sort column changed.
    pub(super) fn rank(&mut self, cx: &mut Context<'_>) {
        if self.ranked_by != self.sorted_by() {
            self.ask_ranks(cx);
        }
    }

    fn ask_ranks(&mut self, cx: &mut Context<'_>) {
        self.ranked_by = self.sorted_by();
        if self
            .ranks
            .as_ref()
            .is_some_and(|ranks| Some(&ranks.column) != self.ranked_by.as_ref())
        {
            self.ranks = None;
            let at = self.current_row_name();
            self.fill(at);
        }
        let Some(column) = self.ranked_by.clone() else {
            return;
        };
        let (of, by) = (self.shown.clone(), column.clone());
        let ask = Box::new(of.clone());
        cx.ask(
            request::Ranks { ask, column },
            move |pane: &mut Self, ranks, cx| {
                if let Some(ranks) = cx.ok_or_show(ranks) {
                    pane.on_ranks(&of, by, ranks);
                }
            },
        );
    }

    /// Receives ranks.
    fn on_ranks(&mut self, ask: &BoardQuery, column: String, ranks: Vec<(String, Rank)>) {
        if *ask != self.shown || self.sorted_by().as_ref() != Some(&column) {
            return;
        }
        self.ranks = Some(Ranks::new(column, ranks));
        let at = self.current_row_name();
        self.fill(at);
    }

    /// Receives the board on all items.
    fn on_full_board(&mut self, ask: BoardQuery, board: Result<Board>) {
        if ask == self.ask {
            self.whole = board.ok().map(|board| (ask, board));
        }
    }

    /// Requests the interval of the cell under the cursor. The detail line shows it.
    pub(super) fn ask_interval(&mut self, cx: &mut Context<'_>) {
        let (Some(row), Some(column)) = (self.row(), self.column()) else {
            return cx.say("move to a number first");
        };
        if row.reference.is_some() {
            return cx.say("a published number has no answers to resample");
        }
        let ask = request::CellInterval {
            ask: Box::new(self.shown.clone()),
            model: row.model.clone(),
            column: column.name.clone(),
            plan: Bootstrap::default(),
        };
        let (of, cell) = (self.shown.clone(), (ask.model.clone(), ask.column.clone()));
        cx.ask(ask, move |pane: &mut Self, interval, cx| {
            if let Some(interval) = cx.ok_or_show(interval).filter(|_| of == pane.shown) {
                pane.intervals.insert(cell, interval);
            }
        });
    }

    /// Shows the first page of answers behind a cell.
    pub(super) fn ask_drilldown(&mut self, model: &str, column: &str, cx: &mut Context<'_>) {
        let (model, column) = (model.to_string(), column.to_string());
        let ask = request::Drilldown {
            ask: Box::new(self.shown.clone()),
            model: model.clone(),
            column: column.clone(),
            from: 0,
        };
        let of = self.shown.clone();
        cx.ask(ask, move |pane: &mut Self, page, cx| {
            if let Some(page) = cx.ok_or_show(page).filter(|_| of == pane.shown) {
                pane.push_layer(DrilldownView::new(&model, &column, page.answers, page.all));
            }
        });
    }

    /// Compares the selected models. Without a selection, marks the model under the cursor, or
    /// compares it with the marked one.
    pub(super) fn compare(&mut self, cx: &mut Context<'_>) {
        match <[String; 2]>::try_from(self.selected_models()) {
            Ok(models) => return self.compare_by_column(models, cx),
            Err(models) if models.len() > 2 => return self.ask_kind(models, cx),
            Err(_) => {}
        }
        let Some(row) = self.row() else {
            return cx.say("no model to compare");
        };
        if row.reference.is_some() {
            return cx.say("a published row has no answers to compare");
        }
        let model = row.model.clone();
        match self.marked.clone() {
            None => {
                self.marked = Some(model.clone());
                self.fill(Some((model, None)));
            }
            Some(marked) if marked == model => self.clear_mark(),
            Some(marked) => self.compare_by_column([marked, model], cx),
        }
    }

    fn compare_by_column(&self, models: [String; 2], cx: &mut Context<'_>) {
        let column = self.column().map(|c| c.name.clone());
        match column.or_else(|| self.sorted_by()) {
            Some(column) => self.ask_comparison(models, column, cx),
            None => cx.say("move to the column to compare by"),
        }
    }

    /// Requests the comparison of two models by a column.
    pub(super) fn ask_comparison(&self, models: [String; 2], column: String, cx: &mut Context<'_>) {
        let (of, plan) = (self.shown.clone(), Bootstrap::default());
        let ask = request::Compare {
            ask: Box::new(of.clone()),
            models,
            column,
            plan,
        };
        cx.ask(ask, move |pane: &mut Self, compared, cx| {
            if let Some(compared) = cx.ok_or_show(compared).filter(|_| of == pane.shown) {
                pane.on_comparison(compared);
            }
        });
    }

    /// Clears the mark.
    pub(super) fn clear_mark(&mut self) {
        self.marked = None;
        let at = self.current_row_name();
        self.fill(at);
    }

    fn on_comparison(&mut self, compared: ModelComparison) {
        let columns = self.found.as_ref().map_or(&[][..], |board| &board.columns);
        let scale = columns
            .iter()
            .find(|c| c.name == compared.column)
            .map_or(Scale::Share, |c| c.scale);
        self.push_layer(CompareView::new(compared, scale));
    }

    /// Requests the differences between the rule of the board and another one, to show or only
    /// count them.
    pub(super) fn ask_disagreements(
        &self,
        other: Option<String>,
        show: bool,
        cx: &mut Context<'_>,
    ) {
        let (of, second) = (self.shown.clone(), other.clone());
        let ask = Box::new(of.clone());
        let ask = request::Disagreements { ask, other };
        cx.ask(ask, move |pane: &mut Self, found, cx| {
            match cx.ok_or_show(found).filter(|_| of == pane.shown) {
                Some(found) if show => {
                    let first = pane.shown.rule.as_deref().unwrap_or(OWN_RULE);
                    let second = second.as_deref().unwrap_or(OWN_RULE);
                    let view = RulesView::new(first, second, found);
                    pane.push_layer(view);
                }
                Some(found) => {
                    pane.read_otherwise = Some(found.iter().map(|d| d.differ).sum());
                }
                None => {}
            }
        });
    }
}
