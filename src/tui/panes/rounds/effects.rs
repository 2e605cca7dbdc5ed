//! The effects that the rounds pane hands to the program.

use crate::widgets::page::Page;
use benchtop_model::round::Protocol;
use benchtop_model::round::state::RoundState;
use benchtop_protocol::wire::AnyRequest;

/// The receiver of an owner's reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReplyFor {
    /// [`on_rounds`](super::RoundsPane::on_rounds).
    Rounds,
    /// [`on_closed`](super::RoundsPane::on_closed): the round, and whether it was closed or
    /// reopened.
    Closed(String, bool),
    /// [`on_what_if`](super::RoundsPane::on_what_if): the round and the rule.
    WhatIf(String, Protocol),
    /// [`on_guidelines`](super::RoundsPane::on_guidelines), for this round.
    Guidelines(String),
    /// [`on_preview`](super::RoundsPane::on_preview): the form's edit number.
    Preview(u64),
    /// [`on_check`](super::RoundsPane::on_check): the form's edit number.
    Look(u64),
    /// [`on_created`](super::RoundsPane::on_created).
    Made,
    /// [`on_deleted`](super::RoundsPane::on_deleted), for this round.
    Deleted(String),
    /// [`on_people`](super::RoundsPane::on_people): the round, who joins, and who leaves.
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
    /// Send a request to the owner. `ReplyFor` names the receiver of the reply.
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
    /// The form changed. Call [`preview`](super::RoundsPane::preview) after [`PAUSE`](super::PAUSE)
    /// without typing.
    Changed,
    /// Report success.
    Done(String),
    /// Report something worth knowing.
    Say(String),
    /// Report why the action did nothing.
    Refuse(String),
    Leave,
}

pub(super) fn refuse(why: impl Into<String>) -> Vec<RoundsEffect> {
    vec![RoundsEffect::Refuse(why.into())]
}
