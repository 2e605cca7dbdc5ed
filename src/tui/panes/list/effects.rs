//! The effects that the item list hands to the program.

use crate::widgets::table::CopyWhat;
use benchtop_model::{Field, Filter, Sort};
use benchtop_protocol::wire::AnyRequest;

/// The purpose of a request. It comes back with the reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReplyFor {
    /// Rows of the list. There may be several replies; all but the last are partial.
    Page { generation: u64 },
    /// Value frequencies of a column, to show them.
    Frequency { ticket: u64, column: usize },
    /// Value frequencies of a field, to choose a value to filter by.
    Values { ticket: u64, field: Field },
    /// A summary of each column.
    Describe { ticket: u64 },
    /// Items to select or unselect.
    Select {
        /// Whether to select or unselect.
        on: bool,
    },
    /// The items with a value that no filter can express.
    Dive {
        ticket: u64,
        /// The value for messages.
        label: String,
    },
    /// The position of an item in the list.
    Locate {
        ticket: u64,
        /// Item number, from 1.
        number: u32,
    },
    /// The order of the rows to copy.
    CopyOrder { ticket: u64 },
    /// Rows to copy.
    CopyItems { ticket: u64 },
}

/// An effect of the item list.
#[derive(Clone, Debug)]
pub enum ListEffect {
    /// Send a request to the owner and pass the reply to
    /// [`ListPane::answer`](super::ListPane::answer). No other pane may request pages on the same
    /// connection: the owner drops a page request for a newer generation.
    Ask(ReplyFor, AnyRequest),
    /// Give one verdict to all of these items.
    JudgeAll(Filter),
    /// Review this item, with the list as the queue.
    Open {
        /// Item number, from 1.
        number: u32,
        filter: Filter,
        sort: Vec<Sort>,
    },
    /// Copy text to the clipboard.
    Copy { text: String, rows: usize },
    /// Ask for a regular expression, then call
    /// [`ListPane::select_regex`](super::ListPane::select_regex).
    AskRegex {
        /// Column of the table on top.
        column: usize,
        /// Whether to select or unselect.
        on: bool,
    },
    /// Ask for one of these columns, then call
    /// [`ListPane::go_to_column`](super::ListPane::go_to_column) with its index.
    AskColumn(Vec<String>),
    /// Ask for a format, then call [`ListPane::copy`](super::ListPane::copy).
    AskCopy(CopyWhat),
    /// Open the find prompt with these words and call [`ListPane::find`](super::ListPane::find) on
    /// every change.
    AskFind(String),
    /// Ask for one of these values (empty text: no value), then call
    /// [`ListPane::filter_by`](super::ListPane::filter_by).
    AskValue {
        field: Field,
        /// Values with their counts, most frequent first.
        choices: Vec<(String, u64)>,
    },
    /// Report something worth knowing.
    Say(String),
    /// Report why the action did nothing.
    Refuse(String),
    /// Leave the pane: there is nothing to go back to.
    Leave,
}
