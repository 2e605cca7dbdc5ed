//! The leaderboard: models by measures, with interval and counts of the cell under the cursor,
//! breakdowns, comparisons, and drilldown to the answers.
//!
//! | file | what it does |
//! |---|---|
//! | `pane` | the state of the pane and its layers |
//! | `effects` | the effects for the program to carry out |
//! | `replies`, `stability_replies` | requests to the owner, and its replies |
//! | `table_effects` | results of table actions; opening a cell |
//! | `table`, `values` | a board as a table; values with their units |
//! | `detail` | the lines below the table |
//! | `draw` | drawing |
//! | `menus` | menus |
//! | `views` | breakdowns of one model |
//! | `stability` | stability of scores over parts of the data |
//! | `compare`, `rules`, `drilldown` | two models, two rules, the answers behind a cell |
//! | `item_answers`, `item_answers_view` | all answers to one question: requests, and the view |

mod compare;
mod detail;
mod draw;
mod drilldown;
mod effects;
mod item_answers;
mod item_answers_view;
mod menus;
mod pane;
mod replies;
mod rules;
mod stability;
mod stability_replies;
mod table;
mod table_effects;
mod values;
mod views;

pub use drilldown::DrilldownView;
pub use effects::{BoardEffect, ChoiceFor, ReplyFor};
pub use item_answers_view::AnswerView;
pub use pane::{BoardPane, Interval};
pub use views::Kind as Breakdown;

use compare::CompareEffect;
use drilldown::BehindEffect;
use item_answers_view::AnswerEffect;
use pane::Layer;
use rules::RulesEffect;
use stability::StableEffect;
use views::ViewEffect;

use crate::action::Action;
use crate::widgets::table::{CopyFormat, CopyWhat, TableEffect};
use benchtop_model::Result;
use benchtop_model::board::{Board, BoardQuery};

impl BoardPane {
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
