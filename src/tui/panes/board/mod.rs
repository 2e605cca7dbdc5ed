//! The leaderboard: models by columns, with the interval and the counts of the cell under the cursor, breakdowns of a model,
//! comparisons of two, and ways down to the answers.
//!
//! | file | what it does |
//! |---|---|
//! | `effects` | what the pane asks of the program around it |
//! | `responses` | what is asked of the owner, and what its answers do |
//! | `table_effects` | what answers of tables come to; opening a cell |
//! | `table` | a board as a table |
//! | `detail` | the lines below the table |
//! | `draw` | one frame |
//! | `choices` | groups, items, rules and breakdowns to choose from |
//! | `views` | breakdowns of one model |
//! | `stable` | how scores settle over parts of the data |
//! | `compare`, `rules`, `drilldown` | two models, two rules, the answers behind a cell |
//! | `answer`, `answered` | what every model answered to one question, and asking for it |

mod answer;
mod answered;
mod choices;
mod compare;
mod detail;
mod draw;
mod drilldown;
mod effects;
mod responses;
mod rules;
mod stable;
mod table;
mod table_effects;
mod views;

use std::collections::BTreeMap;

pub use answer::AnswerView;
pub use drilldown::BehindView;
pub use effects::{BoardEffect, ChoiceFor, Want};
pub use views::Kind as Breakdown;

use answer::AnswerEffect;
use compare::{CompareEffect, CompareView};
use drilldown::BehindEffect;
use rules::{RulesEffect, RulesView};
use stable::{StableEffect, StableView};
use table::{FIRST, Ranks};
use views::{View, ViewEffect};

use crate::action::{Action, Scope};
use crate::widgets::page::Page;
use crate::widgets::table::{
    CopyFormat, CopyWhat, DescribeView, FrequencyView, LocalTable, TableEffect,
};
use benchtop_model::Result;
use benchtop_model::board::analysis::Sure;
use benchtop_model::board::{AnswerDetail, Board, BoardAsk, Row};

/// Fewer units than this say little: the cell is dimmed and starred.
pub const SMALL: u64 = 30;

/// A 95 % interval for `k` of `n`, both ends in 0..=1.
pub type Interval = fn(k: u64, n: u64) -> (f64, f64);

/// What lies over the leaderboard, the last on top.
#[derive(Debug)]
enum Layer {
    Frequency(FrequencyView),
    Describe(DescribeView),
    Behind(BehindView),
    Answer(Box<AnswerView>),
    View(View),
    Compare(CompareView),
    Rules(RulesView),
    Stable(StableView),
    Page(Page),
}

impl Layer {
    /// The table that keys go to; `None` on a page.
    fn table_mut(&mut self) -> Option<&mut LocalTable> {
        match self {
            Layer::Frequency(view) => Some(view.table_mut()),
            Layer::Describe(view) => Some(view.table_mut()),
            Layer::Behind(view) => Some(view.table_mut()),
            Layer::Answer(view) => Some(view.table_mut()),
            Layer::View(view) => Some(view.table_mut()),
            Layer::Compare(view) => Some(view.table_mut()),
            Layer::Rules(view) => Some(view.table_mut()),
            Layer::Stable(view) => Some(view.table_mut()),
            Layer::Page(_) => None,
        }
    }
}

/// The leaderboard pane.
#[derive(Debug)]
pub struct BoardPane {
    interval: Interval,
    decimals: usize,
    /// What is looked at; the board on the screen is that of `shown` until the answer is there.
    ask: BoardAsk,
    asked: Option<BoardAsk>,
    /// Something changed while an answer was on its way.
    stale: bool,
    shown: BoardAsk,
    found: Option<Board>,
    /// The same board on all items, while fewer are scored, and of which one it is.
    whole: Option<(BoardAsk, Board)>,
    /// Why there is no board.
    failed: Option<String>,
    ranks: Option<Ranks>,
    /// The column that ranks were last asked for.
    ranked_by: Option<String>,
    /// Intervals asked for, by model and column.
    sure: BTreeMap<(String, String), Sure>,
    /// The model that is to be compared with another.
    marked: Option<String>,
    /// Answers that the board's rule reads as something else than each question's own.
    read_otherwise: Option<u64>,
    table: LocalTable,
    layers: Vec<Layer>,
}

impl BoardPane {
    /// A pane that has asked nothing yet; `interval` gives the 95 % interval of a cell.
    pub fn waiting(interval: Interval) -> BoardPane {
        let none = table::Shown {
            decimals: 1,
            ranks: None,
            marked: None,
        };
        BoardPane {
            interval,
            decimals: 1,
            ask: BoardAsk::default(),
            asked: None,
            stale: false,
            shown: BoardAsk::default(),
            found: None,
            whole: None,
            failed: None,
            ranks: None,
            ranked_by: None,
            sure: BTreeMap::new(),
            marked: None,
            read_otherwise: None,
            table: table::table(&Board::default(), &none),
            layers: Vec::new(),
        }
    }

    /// A pane that shows `board`.
    pub fn new(board: Board, interval: Interval) -> BoardPane {
        BoardPane::with_decimals(board, interval, 1)
    }

    /// The same with one or two decimals in the cells (the detail line always has two).
    pub fn with_decimals(board: Board, interval: Interval, decimals: usize) -> BoardPane {
        let mut pane = BoardPane {
            decimals: decimals.clamp(1, 2),
            ..BoardPane::waiting(interval)
        };
        pane.asked = Some(BoardAsk::default());
        pane.take_board(&BoardAsk::default(), Ok(board));
        pane
    }

    /// Scopes whose keys are live now, the nearest first.
    pub fn scopes(&self) -> &'static [Scope] {
        match self.layers.last() {
            None => &[Scope::Board, Scope::Table, Scope::Global],
            Some(Layer::Page(_)) => &[Scope::Overlay, Scope::Table, Scope::Global],
            Some(Layer::Behind(_)) => &[Scope::Behind, Scope::Table, Scope::Global],
            Some(Layer::Answer(_)) => &[Scope::Answer, Scope::Behind, Scope::Table, Scope::Global],
            Some(_) => &[Scope::Table, Scope::Global],
        }
    }

    /// The answer under the cursor, while the answers behind a cell are shown.
    pub fn behind(&self) -> Option<&AnswerDetail> {
        self.layers.iter().rev().find_map(|l| {
            if let Layer::Behind(view) = l {
                view.current()
            } else {
                None
            }
        })
    }

    /// The board on the screen as it is on all items, while fewer are scored.
    fn whole(&self) -> Option<&Board> {
        self.whole
            .as_ref()
            .filter(|(of, _)| *of == self.shown)
            .map(|(_, board)| board)
    }

    /// The model under the cursor.
    fn row(&self) -> Option<&Row> {
        let id = self.table.cursor_id()?;
        self.found.as_ref()?.rows.get(usize::try_from(id).ok()?)
    }

    /// The column under the cursor, where it is one of the board.
    fn column(&self) -> Option<&benchtop_model::board::Column> {
        let at = self.table.state().column().checked_sub(FIRST)?;
        self.found.as_ref()?.columns.get(at)
    }

    /// The table that keys go to; `None` on a page.
    fn top_table(&mut self) -> Option<&mut LocalTable> {
        match self.layers.last_mut() {
            None => Some(&mut self.table),
            Some(layer) => layer.table_mut(),
        }
    }

    /// Selects the rows that match what a person typed, or lets them go.
    ///
    /// # Errors
    /// [`Kind::Usage`](benchtop_model::ErrorKind::Usage) says what is wrong with the pattern.
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

    /// Puts the cursor on a column of the table on top.
    pub fn go_to_column(&mut self, column: usize) {
        if let Some(table) = self.top_table() {
            table.go_to_column(column);
        }
    }

    /// Copies rows of the table on top.
    pub fn copy(&mut self, what: CopyWhat, format: CopyFormat) -> Vec<BoardEffect> {
        let answer = self
            .top_table()
            .and_then(|t| t.answer(TableEffect::Copy(what, format)));
        answer.map(|a| self.carry_out(a)).unwrap_or_default()
    }

    /// Does an action.
    pub fn act(&mut self, action: Action) -> Vec<BoardEffect> {
        let closes = matches!(action, Action::Back | Action::MenuCancel);
        if closes || action == Action::MenuOk {
            return match self.layers.pop() {
                Some(layer) => BoardPane::closed(&layer),
                None if self.table.surface() => vec![],
                None if self.marked.is_some() => self.let_go(),
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
            Some(Layer::Behind(view)) => {
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
                    RulesEffect::Show(view) => pane.lay(Layer::Behind(*view)),
                    RulesEffect::Table(answer) => pane.carry_out(answer),
                };
                effects.into_iter().flat_map(|e| after(self, e)).collect()
            }
        }
    }

    fn lay(&mut self, layer: Layer) -> Vec<BoardEffect> {
        self.layers.push(layer);
        vec![]
    }

    fn act_on_board(&mut self, action: Action) -> Vec<BoardEffect> {
        match action {
            Action::ChooseMeasure => self.ask_measure(),
            Action::Find => self.ask_find(),
            Action::BoardFilter => vec![BoardEffect::AskFilter(self.ask.filter.words())],
            Action::BoardCurated => self.ask_curated(),
            Action::BoardRule => self.ask_rule(),
            Action::BoardPrinted => self.ask_printed(),
            Action::RulesDiffer => self.ask_other(),
            Action::BoardViews => self.ask_view(),
            Action::CompareModels => self.compare(),
            Action::HowSure => self.how_sure(),
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
