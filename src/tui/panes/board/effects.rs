//! What the leaderboard asks of the program around it.

use crate::widgets::table::CopyWhat;
use benchtop_model::board::{BoardAsk, Curated, Printed};
use benchtop_protocol::wire::AnyRequest;

use super::views::Kind;

/// What an answer of the owner is for. Every one names the board that it is of: answers to an earlier one are passed over.
#[derive(Clone, Debug, PartialEq)]
pub enum Want {
    /// [`take_board`](super::BoardPane::take_board).
    Board(Box<BoardAsk>),
    /// [`take_whole`](super::BoardPane::take_whole): the same on all items.
    Whole(Box<BoardAsk>),
    /// [`take_rounds`](super::BoardPane::take_rounds).
    Rounds,
    /// [`take_ranks`](super::BoardPane::take_ranks), by this column.
    Ranks(Box<BoardAsk>, String),
    /// [`take_sure`](super::BoardPane::take_sure), of this model and column.
    Sure(Box<BoardAsk>, String, String),
    /// [`take_compared`](super::BoardPane::take_compared).
    Compared(Box<BoardAsk>),
    /// [`take_behind`](super::BoardPane::take_behind), of this model and column.
    Behind(Box<BoardAsk>, String, String),
    /// [`take_answered`](super::BoardPane::take_answered), the cursor on this model; whether it replaces an open page.
    Answered(Box<BoardAsk>, String, bool),
    /// [`take_item`](super::BoardPane::take_item), of this number.
    Item(u32),
    /// [`take_stable`](super::BoardPane::take_stable), by this column.
    Stable(Box<BoardAsk>, String),
    /// [`take_disagreements`](super::BoardPane::take_disagreements), with this rule; shown as a table, or only counted.
    Disagreements {
        /// Of which board.
        ask: Box<BoardAsk>,
        /// The other rule.
        other: Option<String>,
        /// They are to be shown.
        show: bool,
    },
}

/// What a choice decides.
#[derive(Clone, Debug, PartialEq)]
pub enum ChoiceFor {
    /// Which items are scored.
    Curated(Vec<Curated>),
    /// What papers printed.
    Printed(Vec<Printed>),
    /// Which rule reads answers.
    Rule(Vec<Option<String>>),
    /// Which rule is held against the one of the board.
    Other(Vec<Option<String>>),
    /// A column to go to: that of a group, or one found by name.
    Column(Vec<usize>),
    /// A column or a model to go to: columns first, then rows by id.
    Find(Vec<usize>, Vec<u64>),
    /// A breakdown of a model.
    View(Vec<Kind>),
}

/// What the pane asks of the program around it.
#[derive(Clone, Debug)]
pub enum BoardEffect {
    /// Ask the owner; the answer is for `Want`.
    Ask(Want, AnyRequest),
    /// Nobody waits any more for what was asked for this.
    Cancel(Want),
    /// Ask which.
    AskChoice {
        /// What for.
        purpose: ChoiceFor,
        /// The question.
        title: String,
        /// The answers, each with a word about it.
        lines: Vec<(String, String)>,
    },
    /// Ask for a filter, which is these words so far; then call [`BoardPane::filter`](super::BoardPane::filter).
    AskFilter(String),
    /// Open the item list with these words as its filter.
    Items(String),
    /// Review the item of this number, and come back from there.
    Item(u32),
    /// Put this on the clipboard; it holds so many rows.
    Copy {
        /// The text.
        text: String,
        /// How many rows it holds.
        rows: usize,
    },
    /// Ask for a regular expression, then call [`BoardPane::select_regex`](super::BoardPane::select_regex).
    AskRegex {
        /// Column of the table on top.
        column: usize,
        /// Select, or let go.
        on: bool,
    },
    /// Ask which of these columns, then call [`BoardPane::go_to_column`](super::BoardPane::go_to_column) with its index.
    AskColumn(Vec<String>),
    /// Ask for a format, then call [`BoardPane::copy`](super::BoardPane::copy).
    AskCopy(CopyWhat),
    /// Good to know.
    Say(String),
    /// Why the key did nothing.
    Refuse(String),
    /// There is nothing left to close: leave the pane.
    Leave,
}
