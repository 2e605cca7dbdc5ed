//! The effects that the agreement pane hands to the program.

use crate::widgets::table::CopyWhat;
use benchtop_model::agreement::analysis::AgreementQuery;
use benchtop_protocol::wire::AnyRequest;

/// The receiver of an owner's reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReplyFor {
    /// [`on_rounds`](super::AgreementPane::on_rounds).
    Rounds,
    /// [`on_agreement`](super::AgreementPane::on_agreement), for this request.
    Agreed(AgreementQuery),
}

/// The purpose of a choice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChoiceFor {
    /// The round to show. `None` stands for verdicts outside rounds.
    Round(Vec<Option<String>>),
    /// The format for copied rows.
    Format(CopyWhat),
}

/// An effect of the agreement pane.
#[derive(Clone, Debug)]
pub enum AgreementEffect {
    /// Send a request to the owner. `ReplyFor` names the receiver of the reply.
    Ask(ReplyFor, AnyRequest),
    /// Ask for a choice.
    AskChoice {
        purpose: ChoiceFor,
        title: String,
        /// The options, each with a detail.
        lines: Vec<(String, String)>,
    },
    /// Copy text to the clipboard.
    Copy {
        text: String,
        /// A name of the text, for the message.
        what: String,
    },
    /// Open the item list with this filter.
    Filter(String),
    /// Report something worth knowing.
    Say(String),
    /// Report why the action did nothing.
    Refuse(String),
    Leave,
}
