//! The state of the pane, and its table.

use super::form::RoundForm;
use super::rows;
use crate::action::Action;
use crate::pane::{Context, Timer};
use crate::panes::metadata::edit_session::error_line;
use crate::widgets::form::Form;
use crate::widgets::table::{Empty, LocalTable};
use benchtop_model::Result;
use benchtop_model::round::Protocol;
use benchtop_model::round::protocol::WhatIf;
use benchtop_model::round::state::RoundState;
use benchtop_protocol::wire::request;

#[derive(Debug)]
pub struct RoundsPane {
    /// The annotator who looks.
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
    pub(super) form: Option<Form<RoundForm>>,
    /// Whether the form is open.
    pub(super) open: bool,
    /// When to request the rounds again.
    pub(super) refresh_at: Timer,
    /// When to request a preview of the form.
    pub(super) preview_at: Timer,
}

impl Default for RoundsPane {
    fn default() -> Self {
        RoundsPane {
            who: String::new(),
            rounds: Vec::new(),
            table: LocalTable::new(rows::columns(), Vec::new(), 1, Empty::Loading),
            empty: Empty::Loading,
            made: None,
            tried: None,
            notes: None,
            form: None,
            open: false,
            refresh_at: Timer::default(),
            preview_at: Timer::default(),
        }
    }
}

impl RoundsPane {
    /// Requests the progress of the rounds.
    pub(super) fn ask_rounds(&mut self, cx: &mut Context<'_>) {
        self.who = cx.env.who.to_string();
        cx.ask(request::Rounds, Self::on_rounds);
    }

    fn on_rounds(&mut self, rounds: Result<Vec<RoundState>>, cx: &mut Context<'_>) {
        match rounds {
            Ok(rounds) => {
                let here = self.round().map(|r| r.name.clone());
                self.rounds = rounds;
                let new = cx.key(Action::NewRound);
                self.empty = Empty::Nothing(format!("No rounds yet. Press {new} to create one."));
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
