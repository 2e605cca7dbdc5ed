//! The rounds pane: all rounds with their progress, "what if" for other rules, and the form of a
//! new round.
//!
//! | file | what it does |
//! |---|---|
//! | `pane` | the state of the pane |
//! | `effects` | the effects for the program to carry out |
//! | `actions` | actions, choices, and typed lines |
//! | `rows` | rounds as a table |
//! | `side` | details of the round under the cursor |
//! | `text` | rules in words; typed majorities and names |
//! | [`form`] | the form of a new round |

mod actions;
mod effects;
pub mod form;
mod pane;
mod rows;
mod side;
mod text;

use std::time::Duration;

use crossterm::event::KeyEvent;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

pub use effects::{ChoiceFor, ReplyFor, RoundsEffect, TextFor};
pub use pane::RoundsPane;

use super::metadata::edit_session::error_line;
use crate::theme::Look;
use crate::widgets::page::Page;
use crate::widgets::table::Empty;
use benchtop_model::Result;
use benchtop_model::round::Protocol;
use benchtop_model::round::protocol::WhatIf;
use benchtop_model::round::state::{GuidelinesText, RoundState};
use benchtop_protocol::wire::request;
use effects::refuse;
use form::Form;

/// The pause in typing before the form's preview is requested.
pub const PAUSE: Duration = Duration::from_millis(250);

use RoundsEffect as Effect;

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

impl RoundsPane {
    /// Receives the rounds.
    pub fn on_rounds(&mut self, rounds: Result<Vec<RoundState>>) {
        match rounds {
            Ok(rounds) => {
                let here = self.round().map(|r| r.name.clone());
                self.rounds = rounds;
                let [new, ..] = &self.keys;
                self.empty = Empty::Nothing {
                    hint: format!("No rounds yet. Press {new} to create one."),
                };
                self.fill();
                if let Some(name) = here {
                    self.go_to(&name);
                }
            }
            Err(problem) => {
                self.empty = Empty::Failed(error_line(&problem));
                self.rounds.clear();
                self.fill();
            }
        }
    }

    /// Receives the result of closing or reopening a round.
    pub fn on_closed(&mut self, name: &str, closed: bool, done: Result<()>) -> Vec<Effect> {
        match done {
            Ok(()) => {
                let what = if closed {
                    "closed; its verdicts still count"
                } else {
                    "open"
                };
                vec![
                    Effect::Done(format!("`{name}` is {what}")),
                    Effect::Ask(ReplyFor::Rounds, request::Rounds.into()),
                ]
            }
            Err(problem) => refuse(error_line(&problem)),
        }
    }

    /// Receives the result of "what if".
    pub fn on_what_if(&mut self, name: &str, rule: Protocol, found: Result<WhatIf>) {
        self.tried = Some((name.into(), rule, found));
    }

    /// Receives the guidelines of a round.
    pub fn on_guidelines(
        &self,
        name: &str,
        guidelines: Result<Option<GuidelinesText>>,
    ) -> Vec<Effect> {
        match guidelines {
            Ok(Some(guidelines)) => {
                vec![Effect::Page(Box::new(guidelines_page(name, &guidelines)))]
            }
            Ok(None) => refuse(format!("`{name}` has no guidelines")),
            Err(problem) => refuse(error_line(&problem)),
        }
    }

    /// Requests a preview of the form.
    pub fn preview(&mut self) -> Vec<Effect> {
        self.form
            .as_mut()
            .filter(|_| self.open)
            .map_or(Vec::new(), Form::preview)
    }

    /// Receives a preview of the form.
    pub fn on_preview(&mut self, edit: u64, would: Result<RoundState>) {
        if let Some(form) = &mut self.form {
            form.on_preview(edit, would);
        }
    }

    /// Receives the last preview and asks for confirmation.
    pub fn on_check(&mut self, edit: u64, would: Result<RoundState>) -> Vec<Effect> {
        self.form
            .as_mut()
            .filter(|_| self.open)
            .map_or(vec![], |form| form.on_check(edit, would))
    }

    /// Receives the result of deleting a round.
    pub fn on_deleted(&mut self, name: &str, done: Result<()>) -> Vec<Effect> {
        match done {
            Ok(()) => {
                vec![
                    Effect::Done(format!("deleted `{name}`")),
                    Effect::Ask(ReplyFor::Rounds, request::Rounds.into()),
                ]
            }
            Err(problem) => refuse(error_line(&problem)),
        }
    }

    /// Receives the result of changing the annotators of a round.
    pub fn on_people(
        &mut self,
        name: &str,
        (joined, left): (&[String], &[String]),
        done: Result<RoundState>,
    ) -> Vec<Effect> {
        if let Err(problem) = done {
            return refuse(error_line(&problem));
        }
        let mut parts = Vec::new();
        if !joined.is_empty() {
            parts.push(format!("added {}", joined.join(", ")));
        }
        if !left.is_empty() {
            parts.push(format!(
                "removed {} (their verdicts still count)",
                left.join(", ")
            ));
        }
        vec![
            Effect::Done(format!("`{name}`: {}", parts.join("; "))),
            Effect::Ask(ReplyFor::Rounds, request::Rounds.into()),
        ]
    }

    /// Receives the round just created.
    pub fn on_created(&mut self, made: Result<RoundState>) -> Vec<Effect> {
        let state = match (made, &mut self.form) {
            (Ok(state), _) => state,
            (Err(problem), Some(form)) => {
                let why = error_line(&problem);
                form.refused(problem);
                return refuse(why);
            }
            (Err(problem), None) => return refuse(error_line(&problem)),
        };
        (self.form, self.open) = (None, false);
        let work = &self.keys[1];
        let done = format!(
            "created `{}`: {} items, {} verdicts; {work} starts",
            state.name, state.items, state.wanted
        );
        let name = state.name.clone();
        self.notes = Some((name.clone(), state.notes.clone()));
        if !self.rounds.iter().any(|r| r.name == name) {
            self.rounds.push(state);
        }
        self.fill();
        self.go_to(&name);
        vec![
            Effect::Done(done),
            Effect::Ask(ReplyFor::Rounds, request::Rounds.into()),
        ]
    }

    /// Handles a key in the form.
    pub fn key(&mut self, key: KeyEvent) -> Vec<Effect> {
        self.form.as_mut().map_or(vec![], |form| form.key(key))
    }

    /// Pastes into the form.
    pub fn paste(&mut self, pasted: &str) -> Vec<Effect> {
        self.form.as_mut().map_or(vec![], |form| form.paste(pasted))
    }

    /// Draws the pane. Returns the position of the terminal's cursor while the form is open.
    pub fn draw(&mut self, area: Rect, buf: &mut Buffer, look: &Look) -> Option<Position> {
        if let Some(form) = self.form.as_ref().filter(|_| self.open) {
            return Some(form.draw(area, buf, look));
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
