//! The item list: pages of rows from the owner, with filtering, sorting, counting, selecting,
//! copying, and one verdict on many items.
//!
//! Rows stay on the screen until their replacements arrive.
//!
//! | file | what it does |
//! |---|---|
//! | `pane` | the state of the pane, and its requests for rows |
//! | `actions` | actions on rows |
//! | `filtering` | filters, and going back |
//! | `query` | the filter, and its description |
//! | `pager` | the loaded rows and the page requests |
//! | `layers` | tables of counts on top of the list |
//! | `copy`, `copying` | copying rows |
//! | `bulk` | one verdict on many items |
//! | `rows` | the columns, and items as rows |
//! | `arrangement`, `arrange` | the default column layout |
//! | `draw` | drawing |

mod actions;
mod arrange;
mod arrangement;
mod bulk;
mod copy;
mod copying;
mod draw;
mod filtering;
mod layers;
mod pager;
mod pane;
mod query;
mod rows;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

pub use pane::ListPane;

use crate::action::{Action, Scope};
use crate::keymap::Keymap;
use crate::pane::{Context, Notice, Pane, PaneId, Scene, Target};
use benchtop_model::Field;

impl Pane for ListPane {
    fn scopes(&self) -> Option<&'static [Scope]> {
        let layer = self.layer.as_ref();
        layer.map(|_| &[Scope::Table, Scope::Global][..])
    }

    fn help(&self, keys: &Keymap) -> String {
        format!(
            "All items. `{}` searches as you type; `field:value` filters, as do `filter:flagged`, `score:clip<25`, and \
             `picture:missing`. {} starts the review here.",
            keys.press(Action::Find),
            keys.press(Action::Open)
        )
    }

    fn open(&mut self, cx: &mut Context<'_>) {
        self.load(cx);
        if let (true, Some(number)) = (self.words().is_empty(), cx.env.item) {
            self.go_to(number, cx);
        }
    }

    fn show(&mut self, target: Target, _from: PaneId, cx: &mut Context<'_>) {
        match target {
            // The cursor stays where it was.
            Target::Back(_) => self.load(cx),
            Target::Items(words) => {
                self.open(cx);
                if let Err(problem) = self.find(&words, cx) {
                    cx.error(&problem);
                }
            }
            _ => self.open(cx),
        }
    }

    fn act(&mut self, action: Action, cx: &mut Context<'_>) {
        match action {
            Action::Back | Action::MenuCancel => self.back(cx),
            Action::Find => self.ask_find(cx),
            _ if self.layer.is_some() => self.act_on_layer(action, cx),
            Action::ClearFilter => self.clear(cx),
            Action::FilterStatus => self.ask_values(Field::Status, cx),
            Action::FilterSubtask => self.ask_values(Field::Subtask, cx),
            Action::FilterType => self.ask_values(Field::Type, cx),
            Action::JudgeAll => self.judge_all(cx),
            _ if action.scope() == Scope::Table => self.act_on_rows(action, cx),
            _ => {}
        }
    }

    fn on_notice(&mut self, notice: Notice<'_>, cx: &mut Context<'_>) {
        match notice {
            Notice::Resync if cx.env.is_shown => self.start(cx),
            // Replies to earlier requests no longer come.
            Notice::Resync => self.started = false,
            Notice::Changed if cx.env.is_shown => self.changed(cx),
            Notice::Resized if cx.env.is_shown => self.resized(cx),
            _ => {}
        }
    }

    fn filter_words(&self) -> Option<String> {
        Some(self.target().exact().to_text())
    }

    fn is_empty(&self, scene: &Scene<'_>) -> bool {
        scene.items == 0
    }

    fn draw(&mut self, area: Rect, buf: &mut Buffer, scene: &Scene<'_>) -> Option<Position> {
        self.draw_list(area, buf, scene.look);
        None
    }
}

#[cfg(test)]
mod tests;
