//! The leaderboard: models by measures, with interval and counts of the cell under the cursor,
//! breakdowns, comparisons, and drilldown to the answers.
//!
//! | file | what it does |
//! |---|---|
//! | `pane` | the state of the pane and its layers |
//! | `layer` | what the views over the leaderboard implement |
//! | `replies`, `stability_replies` | requests to the owner, and its replies |
//! | `table_effects` | results of table actions; opening a cell |
//! | `table`, `values` | a board as a table; values with their units |
//! | `detail` | the lines below the table |
//! | `draw` | drawing |
//! | `menus` | menus |
//! | `kind`, `views` | what breakdowns are by; breakdowns of one model, or of several side by side |
//! | `breakdowns` | the choice of models and of a breakdown |
//! | `stability` | stability of scores over parts of the data |
//! | `compare`, `rules`, `drilldown` | two models, two rules, the answers behind a cell |
//! | `error_labels`, `label_target` | labels of errors in answers |
//! | `item_answers`, `item_answers_view` | all answers to one question: requests, and the view |

mod breakdowns;
mod compare;
mod detail;
mod draw;
mod drilldown;
mod error_labels;
mod item_answers;
mod item_answers_view;
mod kind;
mod label_target;
mod layer;
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

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

pub use pane::{BoardPane, Interval};
pub use values::interval;

use crate::action::{Action, Scope};
use crate::keymap::Keymap;
use crate::pane::{Context, Notice, Pane, Scene};
use benchtop_model::board::{Board, BoardQuery, Curated};

impl BoardPane {
    pub fn new(board: Board, interval: Interval) -> BoardPane {
        BoardPane::with_decimals(board, interval, 1)
    }

    /// A pane with one or two decimals in the cells. The detail line always has two.
    pub fn with_decimals(board: Board, interval: Interval, decimals: usize) -> BoardPane {
        let mut pane = BoardPane {
            interval,
            decimals: decimals.clamp(1, 2),
            ..BoardPane::default()
        };
        pane.take_board(&BoardQuery::default(), board);
        pane.ranked_by = pane.sorted_by();
        pane
    }

    /// Closes what was opened last.
    fn close(&mut self, cx: &mut Context<'_>) {
        if self.close_layer(cx) || self.table.surface() {
            return;
        }
        match self.marked {
            Some(_) => self.clear_mark(),
            None => cx.leave(),
        }
    }

    fn act_on_board(&mut self, action: Action, cx: &mut Context<'_>) {
        match action {
            Action::ChooseMeasure => self.ask_measure(cx),
            Action::Find => self.ask_find(cx),
            Action::BoardFilter => self.ask_filter(cx),
            Action::BoardCurated => self.ask_curated(cx),
            Action::BoardRule => self.ask_rule(cx),
            Action::BoardPrinted => self.ask_printed(cx),
            Action::CompareRules => self.ask_other(cx),
            Action::BoardViews => self.ask_view(cx),
            Action::CompareModels => self.compare(cx),
            Action::ShowInterval => self.ask_interval(cx),
            action => {
                for answer in self.table.act(action) {
                    self.carry_out(answer, cx);
                }
                self.rank(cx);
            }
        }
    }
}

impl Pane for BoardPane {
    fn scopes(&self) -> Option<&'static [Scope]> {
        self.layers.last().map(|layer| layer.scopes())
    }

    fn help(&self, keys: &Keymap) -> String {
        format!(
            "Models by measures; each cell is k of n. {} lists the answers behind a cell. {} and {} choose the items to \
             score, {} breaks a model down, or several that were selected, {} compares two. Models that share a rank (2=) do not differ significantly: exact \
             McNemar tests between neighbors, Holm-corrected.",
            keys.press(Action::Open),
            keys.press(Action::BoardFilter),
            keys.press(Action::BoardCurated),
            keys.press(Action::BoardViews),
            keys.press(Action::CompareModels)
        )
    }

    fn open(&mut self, cx: &mut Context<'_>) {
        if self.asked.is_none() && (self.found.is_none() || self.stale) {
            self.reload(cx);
        }
        self.request_answered_again(cx);
    }

    fn act(&mut self, action: Action, cx: &mut Context<'_>) {
        if matches!(
            action,
            Action::Back | Action::MenuCancel | Action::MenuConfirm
        ) {
            return self.close(cx);
        }
        match self.layers.last_mut() {
            None => self.act_on_board(action, cx),
            Some(layer) => {
                for effect in layer.act(action) {
                    self.carry_out_of_layer(effect, cx);
                }
            }
        }
    }

    fn on_notice(&mut self, notice: Notice<'_>, cx: &mut Context<'_>) {
        match notice {
            Notice::Resync | Notice::Items(_) | Notice::AnswersReparsed if cx.env.is_shown => {
                self.reload(cx);
            }
            Notice::Resync | Notice::Items(_) | Notice::AnswersReparsed => self.outdated(),
            Notice::Changed if cx.env.is_shown => self.on_verdicts(cx),
            Notice::Reconnected => self.resend_labels(cx),
            Notice::Comment { number, .. } => self.on_labeled(number, cx),
            _ => {}
        }
    }

    fn selected_item(&self) -> Option<&str> {
        Some(&self.behind()?.item)
    }

    fn filter_words(&self) -> Option<String> {
        let words = self.ask.filter.to_text();
        Some(match self.ask.curated {
            Curated::Accepted => format!("{words} status:accepted").trim().to_string(),
            Curated::All | Curated::Round(_) => words,
        })
    }

    fn is_empty(&self, _scene: &Scene<'_>) -> bool {
        let bare = |board: &Board| board.rows.is_empty();
        self.layers.is_empty()
            && self.ask.filter.is_empty()
            && self.found.as_ref().is_some_and(bare)
    }

    fn draw(&mut self, area: Rect, buf: &mut Buffer, scene: &Scene<'_>) -> Option<Position> {
        self.draw_parts(area, buf, scene);
        None
    }
}

#[cfg(test)]
mod tests;
