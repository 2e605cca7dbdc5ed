//! The rounds pane: every round and how far it is, what it asks, what another rule would keep, and the form of a new one.
//!
//! | file | what it does |
//! |---|---|
//! | `act` | what keys, choices and typed lines do |
//! | `rows` | rounds as a table |
//! | `side` | the round under the cursor in words |
//! | [`form`] | the form of a new round |

mod act;
pub mod form;
mod rows;
mod side;

use std::time::Duration;

use crossterm::event::KeyEvent;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::metadata::edit_session::said;
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

/// How long nothing must be typed before what a form would draw is asked for.
pub const PAUSE: Duration = Duration::from_millis(250);

/// What an answer of the owner is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Want {
    /// [`RoundsPane::take_rounds`].
    Rounds,
    /// [`RoundsPane::take_closed`]: this round, closed or open again.
    Closed(String, bool),
    /// [`RoundsPane::take_what_if`]: of this round, under this rule.
    WhatIf(String, Protocol),
    /// [`RoundsPane::take_guidelines`], of this round.
    Guidelines(String),
    /// [`RoundsPane::take_preview`]: of the form as it was at this edit.
    Preview(u64),
    /// [`RoundsPane::take_look`]: of the form as it was at this edit.
    Look(u64),
    /// [`RoundsPane::take_made`].
    Made,
    /// [`RoundsPane::take_deleted`]: this round.
    Deleted(String),
    /// [`RoundsPane::take_people`]: of this round, who joins and who leaves.
    People(String, Vec<String>, Vec<String>),
}

/// What a line of text is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TextFor {
    /// The majority to try on this round.
    Majority(String),
    /// The people of this round from now on.
    People(String),
}

/// What a choice decides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChoiceFor {
    /// Whether this round is closed, or opened again.
    Close(String, bool),
    /// The rule to try on this round.
    Rule(String),
    /// Whether the round of the form is drawn.
    Make,
    /// Whether this round is deleted.
    Delete(String),
}

impl ChoiceFor {
    /// The line that the cursor begins on: what cannot be taken back is not done by a key too many.
    pub fn begins(&self) -> usize {
        usize::from(matches!(self, ChoiceFor::Make | ChoiceFor::Delete(_)))
    }
}

/// What the pane asks of the program around it.
#[derive(Clone, Debug)]
pub enum RoundsEffect {
    /// Ask the owner; the answer is for `Want`.
    Ask(Want, AnyRequest),
    /// Ask for a line of text.
    AskText {
        /// What for.
        purpose: TextFor,
        /// What the prompt says.
        label: String,
        /// What it begins with.
        text: String,
    },
    /// Ask which.
    AskChoice {
        /// What for.
        purpose: ChoiceFor,
        /// The question.
        title: String,
        /// The answers, each with a word about it.
        lines: Vec<(String, String)>,
    },
    /// Work on this round.
    Work(Box<RoundState>),
    /// Show a page.
    Page(Box<Page>),
    /// The form was changed: once nothing was typed for [`PAUSE`], ask with [`RoundsPane::preview`].
    Changed,
    /// Something was done.
    Done(String),
    /// Good to know.
    Say(String),
    /// Why the key did nothing.
    Refuse(String),
    /// Leave the pane.
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
        let said = format!(
            "They changed since the round was made; then they were version {}.",
            guidelines.made
        );
        page = page.say(said).say("");
    }
    guidelines
        .text
        .lines()
        .fold(page, |page, line| page.say(line))
}

/// The rounds pane.
#[derive(Debug)]
pub struct RoundsPane {
    who: String,
    rounds: Vec<RoundState>,
    table: LocalTable,
    /// Why the table is empty.
    empty: Empty,
    /// What the rows were made for: whether bars are drawn in words.
    made: Option<bool>,
    /// What another rule would make of a round's verdicts.
    tried: Option<(String, Protocol, Result<WhatIf>)>,
    /// What the owner said of the round that was just made.
    notes: Option<(String, Vec<String>)>,
    form: Option<Form>,
    /// The form is shown.
    open: bool,
    /// Keys as sentences name them: new, work, what if.
    keys: [String; 3],
}

impl RoundsPane {
    /// A pane of `who` that knows of no rounds yet.
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

    /// Scopes whose keys are live now, the nearest first. While a form is filled in, keys that its scope does not have are
    /// for [`key`](Self::key).
    pub fn scopes(&self) -> &'static [Scope] {
        if self.open {
            &[Scope::Form]
        } else {
            &[Scope::Rounds, Scope::Table, Scope::Global]
        }
    }

    /// Whether keys are text now.
    pub fn typing(&self) -> bool {
        self.open
    }

    /// Shown, or something about rounds changed. `key` names the key of an action.
    pub fn start(&mut self, key: impl Fn(Action) -> String) -> Vec<Effect> {
        self.keys = [
            key(Action::NewRound),
            key(Action::Open),
            key(Action::WhatIf),
        ];
        vec![Effect::Ask(Want::Rounds, request::Rounds.into())]
    }

    /// The round under the cursor.
    fn round(&self) -> Option<&RoundState> {
        self.rounds
            .get(usize::try_from(self.table.cursor_id()?).ok()?)
    }

    /// Takes the rounds in.
    pub fn take_rounds(&mut self, rounds: Result<Vec<RoundState>>) {
        match rounds {
            Ok(rounds) => {
                let here = self.round().map(|r| r.name.clone());
                self.rounds = rounds;
                let [new, ..] = &self.keys;
                self.empty = Empty::Nothing {
                    hint: format!("No round has been drawn yet: {new} draws the first one."),
                };
                self.fill();
                if let Some(name) = here {
                    self.go_to(&name);
                }
            }
            Err(problem) => {
                self.empty = Empty::Failed(said(&problem));
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

    /// Takes in that a round was closed or opened again.
    pub fn take_closed(&mut self, name: &str, closed: bool, done: Result<()>) -> Vec<Effect> {
        match done {
            Ok(()) => {
                let what = if closed {
                    "closed; its verdicts go on counting"
                } else {
                    "open again"
                };
                vec![
                    Effect::Done(format!("`{name}` is {what}")),
                    Effect::Ask(Want::Rounds, request::Rounds.into()),
                ]
            }
            Err(problem) => refuse(said(&problem)),
        }
    }

    /// Takes in what another rule would keep.
    pub fn take_what_if(&mut self, name: &str, rule: Protocol, found: Result<WhatIf>) {
        self.tried = Some((name.into(), rule, found));
    }

    /// Takes the guidelines of a round in.
    pub fn take_guidelines(
        &self,
        name: &str,
        guidelines: Result<Option<GuidelinesText>>,
    ) -> Vec<Effect> {
        match guidelines {
            Ok(Some(guidelines)) => {
                vec![Effect::Page(Box::new(guidelines_page(name, &guidelines)))]
            }
            Ok(None) => refuse(format!("`{name}` was made without guidelines")),
            Err(problem) => refuse(said(&problem)),
        }
    }

    /// Asks what the form as it is now would draw, where it can be read.
    pub fn preview(&mut self) -> Vec<Effect> {
        self.form
            .as_mut()
            .filter(|_| self.open)
            .map_or(Vec::new(), Form::preview)
    }

    /// Takes in what the form as it was at that edit would draw.
    pub fn take_preview(&mut self, edit: u64, would: Result<RoundState>) {
        if let Some(form) = &mut self.form {
            form.take_preview(edit, would);
        }
    }

    /// Takes in what the form as it was at that edit would draw, and asks whether to.
    pub fn take_look(&mut self, edit: u64, would: Result<RoundState>) -> Vec<Effect> {
        self.form
            .as_mut()
            .filter(|_| self.open)
            .map_or(vec![], |form| form.take_look(edit, would))
    }

    /// Takes in that a round was deleted.
    pub fn take_deleted(&mut self, name: &str, done: Result<()>) -> Vec<Effect> {
        match done {
            Ok(()) => {
                vec![
                    Effect::Done(format!("`{name}` is deleted")),
                    Effect::Ask(Want::Rounds, request::Rounds.into()),
                ]
            }
            Err(problem) => refuse(said(&problem)),
        }
    }

    /// Takes in that people joined a round or left it.
    pub fn take_people(
        &mut self,
        name: &str,
        (joined, left): (&[String], &[String]),
        done: Result<RoundState>,
    ) -> Vec<Effect> {
        if let Err(problem) = done {
            return refuse(said(&problem));
        }
        let mut parts = Vec::new();
        if !joined.is_empty() {
            parts.push(format!("{} in", joined.join(", ")));
        }
        if !left.is_empty() {
            parts.push(format!(
                "{} out: their verdicts count, the others take what is left",
                left.join(", ")
            ));
        }
        vec![
            Effect::Done(format!("`{name}`: {}", parts.join("; "))),
            Effect::Ask(Want::Rounds, request::Rounds.into()),
        ]
    }

    /// Takes in the round that was made.
    pub fn take_made(&mut self, made: Result<RoundState>) -> Vec<Effect> {
        let state = match (made, &mut self.form) {
            (Ok(state), _) => state,
            (Err(problem), Some(form)) => {
                let why = said(&problem);
                form.refused(problem);
                return refuse(why);
            }
            (Err(problem), None) => return refuse(said(&problem)),
        };
        (self.form, self.open) = (None, false);
        let work = &self.keys[1];
        let done = format!(
            "`{}` is drawn: {} items, {} verdicts wanted; {work} works on it",
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
            Effect::Ask(Want::Rounds, request::Rounds.into()),
        ]
    }

    /// Gives the form a key.
    pub fn key(&mut self, key: KeyEvent) -> Vec<Effect> {
        self.form.as_mut().map_or(vec![], |form| form.key(key))
    }

    /// Pastes into the form.
    pub fn paste(&mut self, pasted: &str) -> Vec<Effect> {
        self.form.as_mut().map_or(vec![], |form| form.paste(pasted))
    }

    /// Draws the pane; gives where the terminal's cursor belongs while the form is filled in.
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
