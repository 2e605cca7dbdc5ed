//! The effects that the leaderboard hands to the program.

use crate::widgets::table::CopyWhat;
use benchtop_model::board::{BoardQuery, Curated, PublishedFigures};
use benchtop_protocol::wire::AnyRequest;

use super::views::Kind;

/// The receiver of an owner's reply, with the board that it belongs to. Replies for an earlier
/// board are ignored.
#[derive(Clone, Debug, PartialEq)]
pub enum ReplyFor {
    /// [`take_board`](super::BoardPane::take_board).
    Board(Box<BoardQuery>),
    /// [`take_whole`](super::BoardPane::take_whole): the same board on all items.
    Whole(Box<BoardQuery>),
    /// [`take_rounds`](super::BoardPane::take_rounds).
    Rounds,
    /// [`take_ranks`](super::BoardPane::take_ranks), by this column.
    Ranks(Box<BoardQuery>, String),
    /// [`take_sure`](super::BoardPane::take_sure): the interval for this model and column.
    Sure(Box<BoardQuery>, String, String),
    /// [`take_compared`](super::BoardPane::take_compared).
    Compared(Box<BoardQuery>),
    /// [`take_behind`](super::BoardPane::take_behind), for this model and column.
    Behind(Box<BoardQuery>, String, String),
    /// [`take_answered`](super::BoardPane::take_answered): the model for the cursor, and whether it
    /// replaces an open view.
    Answered(Box<BoardQuery>, String, bool),
    /// [`take_item`](super::BoardPane::take_item), for this number.
    Item(u32),
    /// [`take_stable`](super::BoardPane::take_stable), by this column.
    Stable(Box<BoardQuery>, String),
    /// [`take_disagreements`](super::BoardPane::take_disagreements), with another rule.
    Disagreements {
        ask: Box<BoardQuery>,
        other: Option<String>,
        /// Whether to show them or only count them.
        show: bool,
    },
}

/// The purpose of a choice.
#[derive(Clone, Debug, PartialEq)]
pub enum ChoiceFor {
    /// The items to score.
    Curated(Vec<Curated>),
    /// The published rows to show.
    Printed(Vec<PublishedFigures>),
    /// The extraction rule.
    Rule(Vec<Option<String>>),
    /// The rule to compare with the board's rule.
    Other(Vec<Option<String>>),
    /// A column to go to.
    Column(Vec<usize>),
    /// A column or a model to go to: columns first, then rows by id.
    Find(Vec<usize>, Vec<u64>),
    /// A breakdown of a model.
    View(Vec<Kind>),
}

/// An effect of the leaderboard.
#[derive(Clone, Debug)]
pub enum BoardEffect {
    /// Send a request to the owner. `Want` names the receiver of the reply.
    Ask(ReplyFor, AnyRequest),
    /// Cancel this request.
    Cancel(ReplyFor),
    /// Ask for a choice.
    AskChoice {
        purpose: ChoiceFor,
        title: String,
        /// The options, each with a detail.
        lines: Vec<(String, String)>,
    },
    /// Ask for a filter, starting with this text, then call
    /// [`BoardPane::filter`](super::BoardPane::filter).
    AskFilter(String),
    /// Open the item list with this filter.
    Items(String),
    /// Review this item and return afterwards.
    Item(u32),
    /// Copy text to the clipboard.
    Copy { text: String, rows: usize },
    /// Ask for a regular expression, then call
    /// [`BoardPane::select_regex`](super::BoardPane::select_regex).
    AskRegex {
        /// Column of the table on top.
        column: usize,
        /// Whether to select or unselect.
        on: bool,
    },
    /// Ask for one of these columns, then call
    /// [`BoardPane::go_to_column`](super::BoardPane::go_to_column) with its index.
    AskColumn(Vec<String>),
    /// Ask for a format, then call [`BoardPane::copy`](super::BoardPane::copy).
    AskCopy(CopyWhat),
    /// Report something worth knowing.
    Say(String),
    /// Report why the action did nothing.
    Refuse(String),
    /// Leave the pane: there is nothing left to close.
    Leave,
}
