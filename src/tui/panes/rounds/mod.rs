//! The rounds pane: all rounds with their progress, "what if" for other rules, and the form of a
//! new round.
//!
//! | file | what it does |
//! |---|---|
//! | `act` | actions, choices, and typed lines |
//! | `rows` | rounds as a table |
//! | `side` | details of the round under the cursor |
//! | [`form`] | the form of a new round |

mod actions;
pub mod form;
mod rows;
mod side;

use std::time::Duration;

use crossterm::event::KeyEvent;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::metadata::edit_session::error_line;
use crate::action::{Action, Scope};
use crate::theme::Look;
use crate::widgets::page::Page;
use crate::widgets::table::{Empty, LocalTable};
use benchtop_model::Result;
use benchtop_model::round::Protocol;
use benchtop_model::round::protocol::WhatIf;
use benchtop_model::round::state::{GuidelinesText, RoundState};
use benchtop_protocol::wire::{AnyRequest, request};
use form::Form;

/// The pause in typing before the form's preview is requested.
pub const PAUSE: Duration = Duration::from_millis(250);

/// The receiver of an owner's reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReplyFor {
    /// [`RoundsPane::take_rounds`].
    Rounds,
    /// [`RoundsPane::take_closed`]: the round, and whether it was closed or reopened.
    Closed(String, bool),
    /// [`RoundsPane::take_what_if`]: the round and the rule.
    WhatIf(String, Protocol),
    /// [`RoundsPane::take_guidelines`], for this round.
    Guidelines(String),
    /// [`RoundsPane::take_preview`]: the form's edit number.
    Preview(u64),
    /// [`RoundsPane::take_look`]: the form's edit number.
    Look(u64),
    /// [`RoundsPane::take_made`].
    Made,
    /// [`RoundsPane::take_deleted`], for this round.
    Deleted(String),
    /// [`RoundsPane::take_people`]: the round, who joins, and who leaves.
    People(String, Vec<String>, Vec<String>),
}

/// The purpose of a text prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TextFor {
    /// The majority to try on this round.
    Majority(String),
    /// The annotators of this round.
    People(String),
}

/// The purpose of a choice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChoiceFor {
    /// Whether to close (or reopen) this round.
    Close(String, bool),
    /// The rule to try on this round.
    Rule(String),
    /// Whether to create the round of the form.
    Make,
    /// Whether to delete this round.
    Delete(String),
}

impl ChoiceFor {
    /// The initial line of the menu: the safe one where there is no undo.
    pub fn begins(&self) -> usize {
        usize::from(matches!(self, ChoiceFor::Make | ChoiceFor::Delete(_)))
    }
}

/// An effect of the rounds pane.
#[derive(Clone, Debug)]
pub enum RoundsEffect {
    /// Send a request to the owner. `Want` names the receiver of the reply.
    Ask(ReplyFor, AnyRequest),
    /// Ask for a line of text.
    AskText {
        purpose: TextFor,
        label: String,
        /// The initial text.
        text: String,
    },
    /// Ask for a choice.
    AskChoice {
        purpose: ChoiceFor,
        title: String,
        /// The options, each with a detail.
        lines: Vec<(String, String)>,
    },
    Work(Box<RoundState>),
    Page(Box<Page>),
    /// The form changed. Call [`RoundsPane::preview`] after [`PAUSE`] without typing.
    Changed,
    /// Report success.
    Done(String),
    /// Report something worth knowing.
    Say(String),
    /// Report why the action did nothing.
    Refuse(String),
    Leave,
}

use RoundsEffect as Effect;

fn refuse(why: impl Into<String>) -> Vec<Effect> {
    vec![Effect::Refuse(why.into())]
}

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

#[derive(Debug)]
pub struct RoundsPane {
    who: String,
    rounds: Vec<RoundState>,
    table: LocalTable,
    /// The text of an empty table.
    empty: Empty,
    /// Whether the rows were built with plain-text bars.
    made: Option<bool>,
    /// The result of "what if": round, rule, and counts.
    tried: Option<(String, Protocol, Result<WhatIf>)>,
    /// The owner's notes on the round just created.
    notes: Option<(String, Vec<String>)>,
    form: Option<Form>,
    /// Whether the form is open.
    open: bool,
    /// Key names for hints: new, work, what if.
    keys: [String; 3],
}

impl RoundsPane {
    pub fn new(who: impl Into<String>) -> RoundsPane {
        RoundsPane {
            who: who.into(),
            rounds: Vec::new(),
            table: LocalTable::new(rows::columns(), Vec::new(), 1, Empty::Loading),
            empty: Empty::Loading,
            made: None,
            tried: None,
            notes: None,
            form: None,
            open: false,
            keys: Default::default(),
        }
    }

    /// The scopes with live keys, nearest first. While the form is open, [`key`](Self::key) gets
    /// the keys that the scope does not claim.
    pub fn scopes(&self) -> &'static [Scope] {
        if self.open {
            &[Scope::Form]
        } else {
            &[Scope::Rounds, Scope::Table, Scope::Global]
        }
    }

    /// Whether keys type text.
    pub fn typing(&self) -> bool {
        self.open
    }

    /// Opens the pane or reloads it. `key` names the key of an action.
    pub fn start(&mut self, key: impl Fn(Action) -> String) -> Vec<Effect> {
        self.keys = [
            key(Action::NewRound),
            key(Action::Open),
            key(Action::WhatIf),
        ];
        vec![Effect::Ask(ReplyFor::Rounds, request::Rounds.into())]
    }

    fn round(&self) -> Option<&RoundState> {
        self.rounds
            .get(usize::try_from(self.table.cursor_id()?).ok()?)
    }

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

    fn fill(&mut self) {
        let plain = self.made.unwrap_or(false);
        let rows = self
            .rounds
            .iter()
            .map(|round| rows::row(round, &self.who, plain))
            .collect();
        self.table.set_rows(rows, self.empty.clone());
    }

    fn go_to(&mut self, name: &str) {
        if let Some(at) = self.rounds.iter().position(|r| r.name == name) {
            self.table.go_to_id(at as u64);
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
