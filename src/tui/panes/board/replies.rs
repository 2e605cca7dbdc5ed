//! Requests of the leaderboard to the owner, and handling of the replies.

use super::compare::CompareView;
use super::drilldown::DrilldownView;
use super::effects::{BoardEffect, ReplyFor};
use super::pane::{BoardPane, Layer};
use super::rules::RulesView;
use super::table::{self, FIRST, Ranks, Shown};
use crate::action::Action;
use crate::panes::metadata::edit_session::error_line;
use benchtop_model::agreement::Bootstrap;
use benchtop_model::board::analysis::{CellInterval, Disagreement, ModelComparison, Rank};
use benchtop_model::board::{Board, BoardQuery, Curated, DrilldownPage, PublishedFigures, Scale};
use benchtop_model::{Filter, Result};
use benchtop_protocol::wire::request;

/// A model, and the source of its row if it is a published one.
type RowName = (String, Option<String>);

/// The name of the default, where each question has its own rule.
pub(super) const OWN_RULE: &str = "each question's own rule";

impl BoardPane {
    /// Opens the pane: requests the board unless it is present or requested.
    pub fn start(&mut self) -> Vec<BoardEffect> {
        let mut effects = if self.asked.is_some() || self.found.is_some() && !self.stale {
            vec![]
        } else {
            self.reload()
        };
        effects.extend(self.request_answered_again());
        effects
    }

    /// Requests the board again after answers or items changed, or after reconnecting. The old one
    /// stays until the reply.
    pub fn reload(&mut self) -> Vec<BoardEffect> {
        self.asked = None;
        let mut effects = self.ask();
        effects.extend(self.request_stable_again());
        effects
    }

    /// Marks the board as outdated while it is not on the screen.
    pub fn outdated(&mut self) {
        self.stale = true;
        self.asked = None;
    }

    /// Requests the board again after verdicts, if they decide which items are scored.
    pub fn on_verdicts(&mut self) -> Vec<BoardEffect> {
        let follows = self.ask.curated != Curated::All || !self.ask.filter.status.is_empty();
        match (follows, self.asked.is_some()) {
            (false, _) => vec![],
            (true, true) => {
                self.stale = true;
                vec![]
            }
            (true, false) => self.ask(),
        }
    }

    fn ask(&mut self) -> Vec<BoardEffect> {
        let ask = Box::new(self.ask.clone());
        self.asked = Some(self.ask.clone());
        self.stale = false;
        let mut effects = vec![BoardEffect::Ask(
            ReplyFor::Board(ask.clone()),
            request::Board(ask.clone()).into(),
        )];
        if ask.curated != Curated::All {
            let all = BoardQuery {
                curated: Curated::All,
                printed: PublishedFigures::Off,
                ..self.ask.clone()
            };
            effects.push(BoardEffect::Ask(
                ReplyFor::Whole(ask),
                request::Board(Box::new(all)).into(),
            ));
        }
        effects
    }

    /// Requests another board.
    pub(super) fn request_board(&mut self, ask: BoardQuery) -> Vec<BoardEffect> {
        if self.ask == ask {
            return vec![];
        }
        self.ask = ask;
        self.ask()
    }

    /// Limits the scored questions to a filter. Fails with
    /// [`Kind::Usage`](benchtop_model::ErrorKind::Usage) if `words` is not a filter.
    pub fn filter(&mut self, words: &str) -> Result<Vec<BoardEffect>> {
        let filter = Filter::parse(words)?;
        Ok(self.request_board(BoardQuery {
            filter,
            ..self.ask.clone()
        }))
    }

    /// Receives a board. Ignores one of an earlier request.
    pub fn on_board(&mut self, ask: &BoardQuery, board: Result<Board>) -> Vec<BoardEffect> {
        if self.asked.as_ref() != Some(ask) {
            return vec![];
        }
        self.asked = None;
        let board = match board {
            Ok(board) => board,
            Err(problem) => {
                // Keep the board on the screen and its request.
                if self.found.is_some() {
                    self.ask = self.shown.clone();
                    return vec![BoardEffect::Refuse(error_line(&problem))];
                }
                self.failed = Some(error_line(&problem));
                return vec![];
            }
        };
        if *ask != self.shown {
            self.read_otherwise = None;
        }
        (self.shown, self.failed) = (ask.clone(), None);
        self.intervals.clear();
        self.show(board);
        let mut effects = self.ask_ranks();
        if ask.rule.is_some() && self.read_otherwise.is_none() {
            let ask = Box::new(ask.clone());
            let want = ReplyFor::Disagreements {
                ask: ask.clone(),
                other: None,
                show: false,
            };
            effects.push(BoardEffect::Ask(
                want,
                request::Disagreements { ask, other: None }.into(),
            ));
        }
        if self.stale {
            effects.extend(self.ask());
        }
        effects
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
    pub(super) fn rank(&mut self) -> Vec<BoardEffect> {
        if self.ranked_by == self.sorted_by() {
            vec![]
        } else {
            self.ask_ranks()
        }
    }

    fn ask_ranks(&mut self) -> Vec<BoardEffect> {
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
            return vec![];
        };
        let (ask, name) = (Box::new(self.shown.clone()), column.clone());
        vec![BoardEffect::Ask(
            ReplyFor::Ranks(ask.clone(), name),
            request::Ranks { ask, column }.into(),
        )]
    }

    /// Receives ranks.
    pub fn on_ranks(&mut self, ask: &BoardQuery, column: String, ranks: Vec<(String, Rank)>) {
        if *ask != self.shown || self.sorted_by().as_ref() != Some(&column) {
            return;
        }
        self.ranks = Some(Ranks::new(column, ranks));
        let at = self.current_row_name();
        self.fill(at);
    }

    /// Receives the board on all items.
    pub fn on_full_board(&mut self, ask: &BoardQuery, board: Result<Board>) {
        if *ask == self.ask {
            self.whole = board.ok().map(|board| (ask.clone(), board));
        }
    }

    /// Requests the interval of the cell under the cursor.
    pub(super) fn ask_interval(&mut self) -> Vec<BoardEffect> {
        let (Some(row), Some(column)) = (self.row(), self.column()) else {
            return vec![BoardEffect::Refuse("move to a number first".into())];
        };
        if row.reference.is_some() {
            return vec![BoardEffect::Refuse(
                "a published number has no answers to resample".into(),
            )];
        }
        let (model, column) = (row.model.clone(), column.name.clone());
        let ask = Box::new(self.shown.clone());
        let want = ReplyFor::Sure(ask.clone(), model.clone(), column.clone());
        vec![BoardEffect::Ask(
            want,
            request::CellInterval {
                ask,
                model,
                column,
                plan: Bootstrap::default(),
            }
            .into(),
        )]
    }

    /// Receives an interval. The detail line shows it.
    pub fn on_interval(
        &mut self,
        ask: &BoardQuery,
        model: String,
        column: String,
        sure: CellInterval,
    ) {
        if *ask == self.shown {
            self.intervals.insert((model, column), sure);
        }
    }

    pub(super) fn ask_behind(&mut self, model: &str, column: &str) -> Vec<BoardEffect> {
        let (model, column) = (model.to_string(), column.to_string());
        let ask = Box::new(self.shown.clone());
        let want = ReplyFor::Behind(ask.clone(), model.clone(), column.clone());
        vec![BoardEffect::Ask(
            want,
            request::Drilldown {
                ask,
                model,
                column,
                from: 0,
            }
            .into(),
        )]
    }

    /// Shows the first page of answers behind a cell.
    pub fn on_drilldown(
        &mut self,
        ask: &BoardQuery,
        (model, column): (&str, &str),
        page: DrilldownPage,
    ) {
        if *ask == self.shown {
            self.layers.push(Layer::Drilldown(DrilldownView::new(
                model,
                column,
                page.answers,
                page.all,
            )));
        }
    }

    /// Marks the model under the cursor, or compares it with the marked one.
    pub(super) fn compare(&mut self) -> Vec<BoardEffect> {
        let Some(row) = self.row() else {
            return vec![BoardEffect::Refuse("no model to compare".into())];
        };
        if row.reference.is_some() {
            return vec![BoardEffect::Refuse(
                "a published row has no answers to compare".into(),
            )];
        }
        let model = row.model.clone();
        match self.marked.clone() {
            None => {
                self.marked = Some(model.clone());
                self.fill(Some((model, None)));
                vec![]
            }
            Some(marked) if marked == model => self.clear_mark(),
            Some(marked) => {
                let Some(column) = self
                    .column()
                    .map(|c| c.name.clone())
                    .or_else(|| self.sorted_by())
                else {
                    return vec![BoardEffect::Refuse(
                        "move to the column to compare by".into(),
                    )];
                };
                let (ask, plan) = (Box::new(self.shown.clone()), Bootstrap::default());
                let compare = request::Compare {
                    ask: ask.clone(),
                    models: [marked, model],
                    column,
                    plan,
                }
                .into();
                vec![BoardEffect::Ask(ReplyFor::Compared(ask), compare)]
            }
        }
    }

    /// Clears the mark.
    pub(super) fn clear_mark(&mut self) -> Vec<BoardEffect> {
        self.marked = None;
        let at = self.current_row_name();
        self.fill(at);
        vec![]
    }

    pub fn on_comparison(&mut self, ask: &BoardQuery, compared: ModelComparison) {
        if *ask == self.shown {
            let columns = self.found.as_ref().map_or(&[][..], |board| &board.columns);
            let scale = columns
                .iter()
                .find(|c| c.name == compared.column)
                .map_or(Scale::Share, |c| c.scale);
            self.layers
                .push(Layer::Compare(CompareView::new(compared, scale)));
        }
    }

    /// Receives the differences between two rules, to show or only count them.
    pub fn on_disagreements(
        &mut self,
        ask: &BoardQuery,
        other: Option<&str>,
        show: bool,
        found: Vec<Disagreement>,
    ) {
        if *ask != self.shown {
            return;
        }
        if !show {
            self.read_otherwise = Some(found.iter().map(|d| d.differ).sum());
            return;
        }
        let first = self.shown.rule.as_deref().unwrap_or(OWN_RULE);
        self.layers.push(Layer::Rules(RulesView::new(
            first,
            other.unwrap_or(OWN_RULE),
            found,
        )));
    }
}
