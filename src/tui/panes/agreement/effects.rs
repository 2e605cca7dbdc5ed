//! What the agreement pane asks of the program around it.

use crate::widgets::table::CopyWhat;
use benchtop_model::agreement::analysis::AgreementAsk;
use benchtop_protocol::wire::AnyRequest;

/// What an answer of the owner is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Want {
    /// [`take_rounds`](super::AgreementPane::take_rounds).
    Rounds,
    /// [`take_agreed`](super::AgreementPane::take_agreed), of this question.
    Agreed(AgreementAsk),
}

/// What a choice decides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChoiceFor {
    /// Which round is looked at; none stands for what was judged outside of rounds.
    Round(Vec<Option<String>>),
    /// In which format rows are copied.
    Format(CopyWhat),
}

/// What the pane asks of the program around it.
#[derive(Clone, Debug)]
pub enum AgreementEffect {
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
    /// Put text into the clipboard.
    Copy {
        /// The text.
        text: String,
        /// What it is, for the message.
        what: String,
    },
    /// Open the item list with these words as its filter.
    Filter(String),
    /// Good to know.
    Say(String),
    /// Why the key did nothing.
    Refuse(String),
    /// Leave the pane.
    Leave,
}
