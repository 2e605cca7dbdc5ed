//! The leaderboard: models by measures, with interval and counts of the cell under the cursor,
//! breakdowns, comparisons, and drilldown to the answers.
//!
//! | file | what it does |
//! |---|---|
//! | `effects` | the effects for the program to carry out |
//! | `responses` | requests to the owner, and its replies |
//! | `table_effects` | results of table actions; opening a cell |
//! | `table` | a board as a table |
//! | `detail` | the lines below the table |
//! | `draw` | drawing |
//! | `choices` | menus |
//! | `views` | breakdowns of one model |
//! | `stable` | stability of scores over parts of the data |
//! | `compare`, `rules`, `drilldown` | two models, two rules, the answers behind a cell |
//! | `answer`, `answered` | all answers to one question |

mod answer;
mod compare;
mod detail;
mod draw;
mod drilldown;
mod effects;
mod item_answers;
mod menus;
mod responses;
mod rules;
mod stability;
mod table;
mod table_effects;
mod views;

use std::collections::BTreeMap;

pub use answer::AnswerView;
pub use drilldown::DrilldownView;
pub use effects::{BoardEffect, ChoiceFor, ReplyFor};
pub use views::Kind as Breakdown;

use answer::AnswerEffect;
use compare::{CompareEffect, CompareView};
use drilldown::BehindEffect;
use rules::{RulesEffect, RulesView};
use stability::{StableEffect, StableView};
use table::{FIRST, Ranks};
use views::{View, ViewEffect};

use crate::action::{Action, Scope};
use crate::widgets::page::Page;
use crate::widgets::table::{
    CopyFormat, CopyWhat, DescribeView, FrequencyView, LocalTable, TableEffect,
};
use benchtop_model::Result;
use benchtop_model::board::analysis::CellInterval;
use benchtop_model::board::{AnswerDetail, Board, BoardQuery, Row};

/// Cells with fewer units are dimmed and starred.
pub const SMALL: u64 = 30;

/// Computes the 95 % interval of `k` of `n`, both ends in 0..=1.
pub type Interval = fn(k: u64, n: u64) -> (f64, f64);

/// A layer on top of the leaderboard.
#[derive(Debug)]
enum Layer {
    Frequency(FrequencyView),
    Describe(DescribeView),
    Drilldown(DrilldownView),
    Answer(Box<AnswerView>),
    View(View),
    Compare(CompareView),
    Rules(RulesView),
    Stable(StableView),
    Page(Page),
}

impl Layer {
    /// The table that gets the keys. `None` on a page.
    fn table_mut(&mut self) -> Option<&mut LocalTable> {
        match self {
            Layer::Frequency(view) => Some(view.table_mut()),
            Layer::Describe(view) => Some(view.table_mut()),
            Layer::Drilldown(view) => Some(view.table_mut()),
            Layer::Answer(view) => Some(view.table_mut()),
            Layer::View(view) => Some(view.table_mut()),
            Layer::Compare(view) => Some(view.table_mut()),
            Layer::Rules(view) => Some(view.table_mut()),
            Layer::Stable(view) => Some(view.table_mut()),
            Layer::Page(_) => None,
        }
    }
}

#[derive(Debug)]
pub struct BoardPane {
    interval: Interval,
    decimals: usize,
    /// The requested board. Until the reply, the screen shows the board of `shown`.
    ask: BoardQuery,
    asked: Option<BoardQuery>,
    /// Whether something changed while a request was pending.
    stale: bool,
    shown: BoardQuery,
    found: Option<Board>,
    /// The same board on all items, if the board has fewer.
    whole: Option<(BoardQuery, Board)>,
    /// The error of the last request.
    failed: Option<String>,
    ranks: Option<Ranks>,
    /// The column of the last request for ranks.
    ranked_by: Option<String>,
    /// Requested intervals, by model and column.
    intervals: BTreeMap<(String, String), CellInterval>,
    /// The model marked for a comparison.
    marked: Option<String>,
    /// The number of answers that the board's rule parses differently from each question's own
    /// rule.
    read_otherwise: Option<u64>,
    table: LocalTable,
    layers: Vec<Layer>,
}

impl BoardPane {
    /// A pane without a board. `interval` computes the 95 % interval of a cell.
    pub fn waiting(interval: Interval) -> BoardPane {
        let none = table::Shown {
            decimals: 1,
            ranks: None,
            marked: None,
        };
        BoardPane {
            interval,
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
        }
    }

    pub fn new(board: Board, interval: Interval) -> BoardPane {
        BoardPane::with_decimals(board, interval, 1)
    }

    /// A pane with one or two decimals in the cells. The detail line always has two.
    pub fn with_decimals(board: Board, interval: Interval, decimals: usize) -> BoardPane {
        let mut pane = BoardPane {
            decimals: decimals.clamp(1, 2),
            ..BoardPane::waiting(interval)
        };
        pane.asked = Some(BoardQuery::default());
        pane.on_board(&BoardQuery::default(), Ok(board));
        pane
    }

    /// The scopes with live keys, nearest first.
    pub fn scopes(&self) -> &'static [Scope] {
        match self.layers.last() {
            None => &[Scope::Board, Scope::Table, Scope::Global],
            Some(Layer::Page(_)) => &[Scope::Overlay, Scope::Table, Scope::Global],
            Some(Layer::Drilldown(_)) => &[Scope::Behind, Scope::Table, Scope::Global],
            Some(Layer::Answer(_)) => &[Scope::Answer, Scope::Behind, Scope::Table, Scope::Global],
            Some(_) => &[Scope::Table, Scope::Global],
        }
    }

    /// The answer under the cursor, while the answers behind a cell are shown.
    pub fn behind(&self) -> Option<&AnswerDetail> {
        self.layers.iter().rev().find_map(|l| {
            if let Layer::Drilldown(view) = l {
                view.current()
            } else {
                None
            }
        })
    }

    /// The present board on all items, if the board has fewer.
    fn whole(&self) -> Option<&Board> {
        self.whole
            .as_ref()
            .filter(|(of, _)| *of == self.shown)
            .map(|(_, board)| board)
    }

    fn row(&self) -> Option<&Row> {
        let id = self.table.cursor_id()?;
        self.found.as_ref()?.rows.get(usize::try_from(id).ok()?)
    }

    /// The column under the cursor, if it is one of the board's.
    fn column(&self) -> Option<&benchtop_model::board::Column> {
        let at = self.table.state().column().checked_sub(FIRST)?;
        self.found.as_ref()?.columns.get(at)
    }

    /// The table that gets the keys. `None` on a page.
    fn top_table(&mut self) -> Option<&mut LocalTable> {
        match self.layers.last_mut() {
            None => Some(&mut self.table),
            Some(layer) => layer.table_mut(),
        }
    }

    /// Selects or unselects rows that match a pattern. Fails with
    /// [`Kind::Usage`](benchtop_model::ErrorKind::Usage) if the pattern is invalid.
    pub fn select_regex(
        &mut self,
        column: usize,
        pattern: &str,
        on: bool,
    ) -> Result<Vec<BoardEffect>> {
        let answer = self
            .top_table()
            .map(|t| t.select_regex(column, pattern, on))
            .transpose()?
            .flatten();
        Ok(answer.map(|a| self.carry_out(a)).unwrap_or_default())
    }

    /// Moves the cursor to a column of the topmost table.
    pub fn go_to_column(&mut self, column: usize) {
        if let Some(table) = self.top_table() {
            table.go_to_column(column);
        }
    }

    /// Copies rows of the topmost table.
    pub fn copy(&mut self, what: CopyWhat, format: CopyFormat) -> Vec<BoardEffect> {
        let answer = self
            .top_table()
            .and_then(|t| t.answer(TableEffect::Copy(what, format)));
        answer.map(|a| self.carry_out(a)).unwrap_or_default()
    }

    pub fn act(&mut self, action: Action) -> Vec<BoardEffect> {
        let closes = matches!(action, Action::Back | Action::MenuCancel);
        if closes || action == Action::MenuConfirm {
            return match self.layers.pop() {
                Some(layer) => BoardPane::closed(&layer),
                None if self.table.surface() => vec![],
                None if self.marked.is_some() => self.clear_mark(),
                None => vec![BoardEffect::Leave],
            };
        }
        match self.layers.last_mut() {
            None => self.act_on_board(action),
            Some(Layer::Page(page)) => {
                page.act(action);
                vec![]
            }
            Some(Layer::Frequency(view)) => {
                let effects = view.act(action);
                effects
                    .into_iter()
                    .flat_map(|e| self.after_frequency(e))
                    .collect()
            }
            Some(Layer::Describe(view)) => {
                let answers = view.act(action);
                answers
                    .into_iter()
                    .flat_map(|a| self.after_describe(a))
                    .collect()
            }
            Some(Layer::Drilldown(view)) => {
                let effects = view.act(action);
                let after = |pane: &mut BoardPane, effect| match effect {
                    BehindEffect::Show(item, model) => pane.ask_answered(item, model),
                    BehindEffect::Table(answer) => pane.carry_out(answer),
                };
                effects.into_iter().flat_map(|e| after(self, e)).collect()
            }
            Some(Layer::Answer(view)) => {
                let effects = view.act(action);
                let after = |pane: &mut BoardPane, effect| match effect {
                    AnswerEffect::Item(number) => vec![BoardEffect::Item(number)],
                    AnswerEffect::Step(forward) => pane.step_answer(forward),
                    AnswerEffect::Table(answer) => pane.carry_out(answer),
                };
                effects.into_iter().flat_map(|e| after(self, e)).collect()
            }
            Some(Layer::View(view)) => {
                let effects = view.act(action);
                let model = view.model.clone();
                let after = |pane: &mut BoardPane, effect| match effect {
                    ViewEffect::Behind(column) => pane.ask_behind(&model, &column),
                    ViewEffect::Table(answer) => pane.carry_out(answer),
                };
                effects.into_iter().flat_map(|e| after(self, e)).collect()
            }
            Some(Layer::Compare(view)) => {
                let effects = view.act(action);
                let after = |pane: &mut BoardPane, effect| match effect {
                    CompareEffect::Items(words) => vec![BoardEffect::Items(words)],
                    CompareEffect::Table(answer) => pane.carry_out(answer),
                };
                effects.into_iter().flat_map(|e| after(self, e)).collect()
            }
            Some(Layer::Stable(view)) => {
                let effects = view.act(action);
                let after = |pane: &mut BoardPane, effect| match effect {
                    StableEffect::Behind(model, column) => pane.ask_behind(&model, &column),
                    StableEffect::Table(answer) => pane.carry_out(answer),
                };
                effects.into_iter().flat_map(|e| after(self, e)).collect()
            }
            Some(Layer::Rules(view)) => {
                let effects = view.act(action);
                let after = |pane: &mut BoardPane, effect| match effect {
                    RulesEffect::Show(view) => pane.push_layer(Layer::Drilldown(*view)),
                    RulesEffect::Table(answer) => pane.carry_out(answer),
                };
                effects.into_iter().flat_map(|e| after(self, e)).collect()
            }
        }
    }

    fn push_layer(&mut self, layer: Layer) -> Vec<BoardEffect> {
        self.layers.push(layer);
        vec![]
    }

    fn act_on_board(&mut self, action: Action) -> Vec<BoardEffect> {
        match action {
            Action::ChooseMeasure => self.ask_measure(),
            Action::Find => self.ask_find(),
            Action::BoardFilter => vec![BoardEffect::AskFilter(self.ask.filter.to_text())],
            Action::BoardCurated => self.ask_curated(),
            Action::BoardRule => self.ask_rule(),
            Action::BoardPrinted => self.ask_printed(),
            Action::CompareRules => self.ask_other(),
            Action::BoardViews => self.ask_view(),
            Action::CompareModels => self.compare(),
            Action::ShowInterval => self.ask_interval(),
            action => {
                let answers = self.table.act(action);
                let mut effects: Vec<BoardEffect> = answers
                    .into_iter()
                    .flat_map(|a| self.carry_out(a))
                    .collect();
                effects.extend(self.rank());
                effects
            }
        }
    }
}

#[cfg(test)]
mod tests;
