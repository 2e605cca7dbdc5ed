//! The effects that the leaderboard hands to the program.

use crate::widgets::table::CopyWhat;
use benchtop_model::board::{BoardQuery, Curated, PublishedFigures};
use benchtop_protocol::wire::AnyRequest;

use super::views::Kind;

/// The receiver of an owner's reply, with the board that it belongs to. Replies for an earlier
/// board are ignored.
#[derive(Clone, Debug, PartialEq)]
pub enum ReplyFor {
    /// [`on_board`](super::BoardPane::on_board).
    Board(Box<BoardQuery>),
    /// [`on_full_board`](super::BoardPane::on_full_board): the same board on all items.
    Whole(Box<BoardQuery>),
    /// [`on_rounds`](super::BoardPane::on_rounds).
    Rounds,
    /// [`on_ranks`](super::BoardPane::on_ranks), by this column.
    Ranks(Box<BoardQuery>, String),
    /// [`on_interval`](super::BoardPane::on_interval): the interval for this model and column.
    Sure(Box<BoardQuery>, String, String),
    /// [`on_comparison`](super::BoardPane::on_comparison).
    Compared(Box<BoardQuery>),
    /// [`on_drilldown`](super::BoardPane::on_drilldown), for this model and column.
    Behind(Box<BoardQuery>, String, String),
    /// [`on_item_answers`](super::BoardPane::on_item_answers): the model for the cursor, and
    /// whether it replaces an open view.
    Answered(Box<BoardQuery>, String, bool),
    /// [`on_item`](super::BoardPane::on_item), for this number.
    Item(u32),
    /// [`on_stability`](super::BoardPane::on_stability), by this column.
    Stable(Box<BoardQuery>, String),
    /// [`on_disagreements`](super::BoardPane::on_disagreements), with another rule.
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
    /// Send a request to the owner. `ReplyFor` names the receiver of the reply.
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
