//! What the pane asks of the program around it.

use uuid::Uuid;

use crate::widgets::page::Page;
use benchtop_protocol::wire::AnyRequest;

/// What an answer of the owner is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Want {
    /// [`AdjudicatePane::take_rounds`].
    Rounds,
    /// [`AdjudicatePane::take_disputes`], of this round.
    Disputes(String),
    /// [`AdjudicatePane::take_about`], of this round; whether its earlier verdicts are to be shown.
    About(String, bool),
    /// [`AdjudicatePane::take_item`].
    Item(u32),
    /// The receipt of a verdict.
    Settled(Uuid),
}

/// What a choice decides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChoiceFor {
    /// Which of these rounds.
    Round(Vec<String>),
}

/// What the pane asks of the program around it.
#[derive(Clone, Debug)]
pub enum AdjudicateEffect {
    /// Ask the owner; the answer is for `Want`.
    Ask(Want, AnyRequest),
    /// Ask which.
    AskChoice {
        /// What for.
        purpose: ChoiceFor,
        /// The question.
        title: String,
        /// The answers, each with a word about it.
        lines: Vec<(String, String)>,
    },
    /// Open this file of the project in the person's editor.
    Edit(String),
    /// Review this item.
    Item(u32),
    /// Show a page.
    Show(Box<Page>),
    /// Good to know.
    Say(String),
    /// Why the key did nothing.
    Refuse(String),
    /// Leave the pane.
    Leave,
}
