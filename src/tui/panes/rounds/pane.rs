//! The state of the pane, and its table.

use super::effects::{ReplyFor, RoundsEffect};
use super::form::Form;
use super::rows;
use crate::action::{Action, Scope};
use crate::widgets::table::{Empty, LocalTable};
use benchtop_model::Result;
use benchtop_model::round::Protocol;
use benchtop_model::round::protocol::WhatIf;
use benchtop_model::round::state::RoundState;
use benchtop_protocol::wire::request;

#[derive(Debug)]
pub struct RoundsPane {
    pub(super) who: String,
    pub(super) rounds: Vec<RoundState>,
    pub(super) table: LocalTable,
    /// The text of an empty table.
    pub(super) empty: Empty,
    /// Whether the rows were built with plain-text bars.
    pub(super) made: Option<bool>,
    /// The result of "what if": round, rule, and counts.
    pub(super) tried: Option<(String, Protocol, Result<WhatIf>)>,
    /// The owner's notes on the round just created.
    pub(super) notes: Option<(String, Vec<String>)>,
    pub(super) form: Option<Form>,
    /// Whether the form is open.
    pub(super) open: bool,
    /// Key names for hints: new, work, what if.
    pub(super) keys: [String; 3],
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
    pub fn start(&mut self, key: impl Fn(Action) -> String) -> Vec<RoundsEffect> {
        self.keys = [
            key(Action::NewRound),
            key(Action::Open),
            key(Action::WhatIf),
        ];
        vec![RoundsEffect::Ask(ReplyFor::Rounds, request::Rounds.into())]
    }

    pub(super) fn round(&self) -> Option<&RoundState> {
        self.rounds
            .get(usize::try_from(self.table.cursor_id()?).ok()?)
    }

    pub(super) fn fill(&mut self) {
        let plain = self.made.unwrap_or(false);
        let rows = self
            .rounds
            .iter()
            .map(|round| rows::row(round, &self.who, plain))
            .collect();
        self.table.set_rows(rows, self.empty.clone());
    }

    pub(super) fn go_to(&mut self, name: &str) {
        if let Some(at) = self.rounds.iter().position(|r| r.name == name) {
            self.table.go_to_id(at as u64);
        }
    }
}
