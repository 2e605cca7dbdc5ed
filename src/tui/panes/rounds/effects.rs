//! The effects that the rounds pane hands to the program.

use crate::widgets::page::Page;
use benchtop_model::round::Protocol;
use benchtop_model::round::state::RoundState;
use benchtop_protocol::wire::AnyRequest;

/// The receiver of an owner's reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReplyFor {
    /// [`RoundsPane::take_rounds`](super::RoundsPane::take_rounds).
    Rounds,
    /// [`RoundsPane::take_closed`](super::RoundsPane::take_closed): the round, and whether it was closed or reopened.
    Closed(String, bool),
    /// [`RoundsPane::take_what_if`](super::RoundsPane::take_what_if): the round and the rule.
    WhatIf(String, Protocol),
    /// [`RoundsPane::take_guidelines`](super::RoundsPane::take_guidelines), for this round.
    Guidelines(String),
    /// [`RoundsPane::take_preview`](super::RoundsPane::take_preview): the form's edit number.
    Preview(u64),
    /// [`RoundsPane::take_look`](super::RoundsPane::take_look): the form's edit number.
    Look(u64),
    /// [`RoundsPane::take_made`](super::RoundsPane::take_made).
    Made,
    /// [`RoundsPane::take_deleted`](super::RoundsPane::take_deleted), for this round.
    Deleted(String),
    /// [`RoundsPane::take_people`](super::RoundsPane::take_people): the round, who joins, and who leaves.
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
    /// The form changed. Call [`RoundsPane::preview`](super::RoundsPane::preview) after [`PAUSE`](super::PAUSE) without typing.
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
