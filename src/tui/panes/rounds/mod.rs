//! The rounds pane: all rounds with their progress, "what if" for other rules, and the form of a
//! new round.
//!
//! | file | what it does |
//! |---|---|
//! | `pane` | the state of the pane |
//! | `actions` | actions with their menus, prompts, and replies |
//! | `rows` | rounds as a table |
//! | `side` | details of the round under the cursor |
//! | `text` | rules in words; typed majorities and names |
//! | `form` | the form of a new round |

mod actions;
mod form;
mod pane;
mod rows;
mod side;
mod text;

pub use text::progress;

use crossterm::event::KeyEvent;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

pub use pane::RoundsPane;

use crate::action::{Action, Scope};
use crate::keymap::Keymap;
use crate::pane::{Context, Notice, Pane, Scene};
use crate::widgets::page::Page;
use crate::widgets::table::Empty;
use benchtop_model::round::state::GuidelinesText;

/// Interval of progress updates while people judge.
const REFRESH_MS: u64 = 500;

/// The page of a round's guidelines.
pub fn guidelines_page(round: &str, guidelines: &GuidelinesText) -> Page {
    let title = format!(
        "guidelines of {round}: {}, version {}",
        guidelines.path, guidelines.version
    );
    let mut page = Page::new(title);
    if guidelines.made != guidelines.version {
        let note = format!(
            "They changed since the round was created with version {}.",
            guidelines.made
        );
        page = page.paragraph(note).paragraph("");
    }
    guidelines
        .text
        .lines()
        .fold(page, |page, line| page.paragraph(line))
}

impl Pane for RoundsPane {
    fn scopes(&self) -> Option<&'static [Scope]> {
        self.open.then_some(&[Scope::Form])
    }

    fn help(&self, keys: &Keymap) -> String {
        format!(
            "Rounds of verification. {} works on one, item by item. Unless the round is open, you see the verdicts of \
             others only after your own. {} creates a round, {} tries another protocol.",
            keys.press(Action::Open),
            keys.press(Action::NewRound),
            keys.press(Action::WhatIf)
        )
    }

    fn open(&mut self, cx: &mut Context<'_>) {
        self.refresh_at.stop();
        self.ask_rounds(cx);
    }

    fn act(&mut self, action: Action, cx: &mut Context<'_>) {
        self.run(action, cx);
    }

    fn typing(&self) -> bool {
        self.open
    }

    fn key(&mut self, key: KeyEvent, cx: &mut Context<'_>) {
        let changed = self.form.as_mut().is_some_and(|form| form.key(key));
        self.form_changed(changed, cx);
    }

    fn paste(&mut self, pasted: &str, cx: &mut Context<'_>) {
        let changed = self.form.as_mut().is_some_and(|form| form.paste(pasted));
        self.form_changed(changed, cx);
    }

    fn on_notice(&mut self, notice: Notice<'_>, cx: &mut Context<'_>) {
        match notice {
            Notice::Rounds if cx.env.is_shown => self.open(cx),
            Notice::Resync | Notice::Changed if cx.env.is_shown => {
                self.refresh_at.start(cx.env.now + REFRESH_MS);
            }
            _ => {}
        }
    }

    fn due(&self) -> Option<u64> {
        [self.refresh_at, self.preview_at]
            .into_iter()
            .filter_map(|timer| timer.due())
            .min()
    }

    fn tick(&mut self, cx: &mut Context<'_>) {
        if self.refresh_at.is_over(cx.env.now) && cx.env.is_shown {
            self.ask_rounds(cx);
        }
        if self.preview_at.is_over(cx.env.now) && cx.env.is_shown {
            self.preview(cx);
        }
    }

    fn unsaved(&self) -> Vec<String> {
        let edited = self.form.as_ref().filter(|form| form.edit() > 0);
        edited
            .map(|_| "form of a new round".into())
            .into_iter()
            .collect()
    }

    fn save_unsaved(&mut self, cx: &mut Context<'_>) {
        self.run(Action::NewRound, cx);
    }

    fn is_empty(&self, _scene: &Scene<'_>) -> bool {
        !self.open && self.rounds.is_empty() && matches!(self.empty, Empty::Nothing(_))
    }

    fn draw(&mut self, area: Rect, buf: &mut Buffer, scene: &Scene<'_>) -> Option<Position> {
        let look = scene.look;
        if let Some(form) = self.form.as_ref().filter(|_| self.open) {
            return Some(form.draw(area, buf, look, scene.program));
        }
        if self.made != Some(look.accessible) {
            self.made = Some(look.accessible);
            self.fill();
        }
        if self.rounds.is_empty() {
            self.table.draw(area, buf, look);
            return None;
        }
        let (table, side) = side::layout(area, self.rounds.len());
        self.table.draw(table, buf, look);
        self.draw_side(side, buf, look);
        None
    }
}

#[cfg(test)]
mod tests;
