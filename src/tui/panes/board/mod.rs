//! The leaderboard: models by columns, with the interval and the counts of the cell under the cursor, breakdowns of a model,
//! comparisons of two, and ways down to the answers.
//!
//! | file | what it does |
//! |---|---|
//! | `effects` | what the pane asks of the program around it |
//! | `take` | what is asked of the owner, and what its answers do |
//! | `table` | a board as a table |
//! | `detail` | the lines below the table |
//! | `draw` | one frame |
//! | `choices` | groups, items, rules and breakdowns to choose from |
//! | `views` | breakdowns of one model |
//! | `compare`, `rules`, `behind` | two models, two rules, the answers behind a cell |

mod behind;
mod choices;
mod compare;
mod detail;
mod draw;
mod effects;
mod rules;
mod table;
mod take;
mod views;

use std::collections::BTreeMap;

pub use behind::BehindView;
pub use effects::{BoardEffect, ChoiceFor, Want};
pub use views::Kind as Breakdown;

use behind::BehindEffect;
use compare::{CompareEffect, CompareView};
use rules::{RulesEffect, RulesView};
use table::{FIRST, Ranks};
use views::{View, ViewEffect};

use crate::model::Result;
use crate::model::board::looks::Sure;
use crate::model::board::{Behind, Board, BoardAsk, Row};
use crate::tui::action::{Action, Scope};
use crate::tui::widgets::page::Page;
use crate::tui::widgets::table::{
    Answer, CopyFormat, CopyWhat, DescribeView, FrequencyEffect, FrequencyView, LocalTable, TableEffect,
};

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
    View(View),
    Compare(CompareView),
    Rules(RulesView),
    Page(Page),
}

impl Layer {
    /// The table that keys go to; `None` on a page.
    fn table_mut(&mut self) -> Option<&mut LocalTable> {
        match self {
            Layer::Frequency(view) => Some(view.table_mut()),
            Layer::Describe(view) => Some(view.table_mut()),
            Layer::Behind(view) => Some(view.table_mut()),
            Layer::View(view) => Some(view.table_mut()),
            Layer::Compare(view) => Some(view.table_mut()),
            Layer::Rules(view) => Some(view.table_mut()),
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
        let none = table::Shown { decimals: 1, ranks: None, marked: None };
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
        let mut pane = BoardPane { decimals: decimals.clamp(1, 2), ..BoardPane::waiting(interval) };
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
            Some(_) => &[Scope::Table, Scope::Global],
        }
    }

    /// The answer under the cursor, while the answers behind a cell are shown.
    pub fn behind(&self) -> Option<&Behind> {
        self.layers.iter().rev().find_map(|l| if let Layer::Behind(view) = l { view.current() } else { None })
    }

    /// The board on the screen as it is on all items, while fewer are scored.
    fn whole(&self) -> Option<&Board> {
        self.whole.as_ref().filter(|(of, _)| *of == self.shown).map(|(_, board)| board)
    }

    /// The model under the cursor.
    fn row(&self) -> Option<&Row> {
        let id = self.table.cursor_id()?;
        self.found.as_ref()?.rows.get(usize::try_from(id).ok()?)
    }

    /// The column under the cursor, where it is one of the board.
    fn column(&self) -> Option<&crate::model::board::Column> {
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
    /// [`Kind::Usage`](crate::model::Kind::Usage) says what is wrong with the pattern.
    pub fn select_regex(&mut self, column: usize, pattern: &str, on: bool) -> Result<Vec<BoardEffect>> {
        let answer = self.top_table().map(|t| t.select_regex(column, pattern, on)).transpose()?.flatten();
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
        let answer = self.top_table().and_then(|t| t.answer(TableEffect::Copy(what, format)));
        answer.map(|a| self.carry_out(a)).unwrap_or_default()
    }

    /// Does an action.
    pub fn act(&mut self, action: Action) -> Vec<BoardEffect> {
        let closes = matches!(action, Action::Back | Action::MenuCancel);
        if closes || action == Action::MenuOk {
            return match self.layers.pop() {
                Some(_) => vec![],
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
                effects.into_iter().flat_map(|e| self.after_frequency(e)).collect()
            }
            Some(Layer::Describe(view)) => {
                let answers = view.act(action);
                answers.into_iter().flat_map(|a| self.after_describe(a)).collect()
            }
            Some(Layer::Behind(view)) => {
                let effects = view.act(action);
                let after = |pane: &mut BoardPane, effect| match effect {
                    BehindEffect::Show(page) => pane.lay(Layer::Page(page)),
                    BehindEffect::Table(answer) => pane.carry_out(answer),
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
                let mut effects: Vec<BoardEffect> = answers.into_iter().flat_map(|a| self.carry_out(a)).collect();
                effects.extend(self.rank());
                effects
            }
        }
    }

    /// Turns an answer into effects. `Open` is the leaderboard's own here; the layers take theirs before.
    fn carry_out(&mut self, answer: Answer) -> Vec<BoardEffect> {
        match answer {
            Answer::Effect(TableEffect::Open { id, column, .. }) => self.open(id, column),
            Answer::Effect(TableEffect::AskRegex { column, on }) => vec![BoardEffect::AskRegex { column, on }],
            Answer::Effect(TableEffect::AskColumn) => {
                let names = self.top_table().map(|t| t.columns().iter().map(|c| c.name.clone()).collect());
                vec![BoardEffect::AskColumn(names.unwrap_or_default())]
            }
            Answer::Effect(TableEffect::AskCopy(what)) => vec![BoardEffect::AskCopy(what)],
            Answer::Effect(TableEffect::Refuse(reason)) => vec![BoardEffect::Refuse(reason)],
            // The table answers every other effect itself.
            Answer::Effect(_) => vec![],
            Answer::Frequency(column, frequency) => self.lay(Layer::Frequency(FrequencyView::new(column, frequency))),
            Answer::Describe(summaries) => self.lay(Layer::Describe(DescribeView::new(summaries))),
            Answer::Copied(text, rows) => vec![BoardEffect::Copy { text, rows }],
            Answer::Said(text) => vec![BoardEffect::Say(text)],
        }
    }

    /// The table that the topmost frequency table or summary was made from.
    fn source(&mut self) -> &mut LocalTable {
        let below = self.layers.len().checked_sub(2).and_then(|i| self.layers.get_mut(i));
        below.and_then(Layer::table_mut).unwrap_or(&mut self.table)
    }

    fn after_frequency(&mut self, effect: FrequencyEffect) -> Vec<BoardEffect> {
        match effect {
            FrequencyEffect::Dive { column, value } => {
                self.source().dive(column, &value);
                self.layers.pop();
                let value = if value.is_empty() { "no value".into() } else { format!("`{value}`") };
                vec![BoardEffect::Say(format!("only the rows with {value}; back shows all"))]
            }
            FrequencyEffect::SelectValue { column, value, on } => {
                let said = self.source().select_value(column, &value, on);
                self.carry_out(said)
            }
            FrequencyEffect::Table(answer) => self.carry_out(answer),
        }
    }

    fn after_describe(&mut self, answer: Answer) -> Vec<BoardEffect> {
        if let Answer::Effect(TableEffect::Open { id, .. }) = answer {
            self.source().go_to_column(usize::try_from(id).unwrap_or(0));
            self.layers.pop();
            return vec![];
        }
        self.carry_out(answer)
    }

    fn open(&mut self, id: u64, column: usize) -> Vec<BoardEffect> {
        let Some(board) = &self.found else { return vec![] };
        let Some(row) = usize::try_from(id).ok().and_then(|i| board.rows.get(i)) else { return vec![] };
        if let Some(printed) = &row.reference {
            return vec![BoardEffect::Refuse(format!(
                "{} is printed in {printed}: its answers are not here",
                row.model
            ))];
        }
        let cell = column.checked_sub(FIRST).and_then(|i| Some((board.columns.get(i)?, row.cells.get(i)?)));
        match cell {
            Some((column, Some(_))) => {
                let breakdown = views::called_for(board, &column.name).and_then(|kind| View::new(&kind, board, row));
                match breakdown {
                    Some(view) => self.lay(Layer::View(view)),
                    None => {
                        let (model, column) = (row.model.clone(), column.name.clone());
                        self.ask_behind(&model, &column)
                    }
                }
            }
            Some((column, None)) => {
                vec![BoardEffect::Refuse(format!("{} has no answers for {}", row.model, column.name))]
            }
            None => {
                let page = detail::about(board, row);
                self.lay(Layer::Page(page))
            }
        }
    }
}

#[cfg(test)]
mod tests;
