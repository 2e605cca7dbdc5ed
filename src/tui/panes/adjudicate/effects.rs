//! The effects that the adjudication pane hands to the program.

use uuid::Uuid;

use crate::widgets::page::Page;
use benchtop_protocol::wire::AnyRequest;

/// The receiver of an owner's reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReplyFor {
    /// [`on_rounds`](super::AdjudicatePane::on_rounds).
    Rounds,
    /// [`on_disputes`](super::AdjudicatePane::on_disputes), for this round.
    Disputes(String),
    /// [`on_context`](super::AdjudicatePane::on_context), for this round, and whether to show
    /// verdicts under earlier guidelines.
    About(String, bool),
    /// [`on_item`](super::AdjudicatePane::on_item).
    Item(u32),
    /// The receipt of a verdict.
    Settled(Uuid),
}

/// The purpose of a choice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChoiceFor {
    /// The round to adjudicate.
    Round(Vec<String>),
}

/// An effect of the adjudication pane.
#[derive(Clone, Debug)]
pub enum AdjudicateEffect {
    /// Send a request to the owner. `ReplyFor` names the receiver of the reply.
    Ask(ReplyFor, AnyRequest),
    /// Ask for a choice.
    AskChoice {
        purpose: ChoiceFor,
        title: String,
        /// The options, each with a detail.
        lines: Vec<(String, String)>,
    },
    /// Open this file of the project in `$EDITOR`.
    Edit(String),
    /// Review this item.
    Item(u32),
    Show(Box<Page>),
    /// Report something worth knowing.
    Say(String),
    /// Report why the action did nothing.
    Refuse(String),
    Leave,
}
