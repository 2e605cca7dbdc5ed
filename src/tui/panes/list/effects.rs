//! What the item list asks of the program around it.

use crate::widgets::table::CopyWhat;
use benchtop_model::{Field, Filter, Sort};
use benchtop_protocol::wire::AnyRequest;

/// What an answer is wanted for; it comes back with the answer as it was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Want {
    /// Rows of the list. Several answers may come; all but the last are partial.
    Page {
        /// The question's.
        generation: u64,
    },
    /// How often each value of a column occurs, to be shown.
    Frequency {
        /// Which question.
        ticket: u64,
        /// Column of the list.
        column: usize,
    },
    /// The same, to pick one value to filter by.
    Values {
        /// Which question.
        ticket: u64,
        /// The field.
        field: Field,
    },
    /// What each column holds.
    Describe {
        /// Which question.
        ticket: u64,
    },
    /// Items to select, or to let go.
    Select {
        /// Select, or let go.
        on: bool,
    },
    /// The items with one value of a field that no filter names.
    Dive {
        /// Which question.
        ticket: u64,
        /// The value as messages name it.
        label: String,
    },
    /// Where an item stands in the list.
    Locate {
        /// Which question.
        ticket: u64,
        /// Item number, from 1.
        number: u32,
    },
    /// The order of the rows to copy.
    CopyOrder {
        /// Which question.
        ticket: u64,
    },
    /// Rows to copy.
    CopyItems {
        /// Which question.
        ticket: u64,
    },
}

/// What the pane asks of the program around it.
#[derive(Clone, Debug)]
pub enum ListEffect {
    /// Ask the owner, and bring the answer to [`ListPane::answer`]. No other pane may ask for pages over the same
    /// connection: the owner gives up a page for one of a higher generation.
    Ask(Want, AnyRequest),
    /// Give one verdict to all of these items.
    JudgeAll(Filter),
    /// Review this item, with the list as the queue.
    Open {
        /// Item number, from 1.
        number: u32,
        /// Which items the queue holds.
        filter: Filter,
        /// In which order.
        sort: Vec<Sort>,
    },
    /// Put this on the clipboard.
    Copy {
        /// The text.
        text: String,
        /// How many rows it holds.
        rows: usize,
    },
    /// Ask for a regular expression, then call [`ListPane::select_regex`].
    AskRegex {
        /// Column of the table on top.
        column: usize,
        /// Select, or let go.
        on: bool,
    },
    /// Ask which of these columns, then call [`ListPane::go_to_column`] with its index.
    AskColumn(Vec<String>),
    /// Ask for a format, then call [`ListPane::copy`].
    AskCopy(CopyWhat),
    /// Open the find prompt with these words in it and call [`ListPane::find`] on every change.
    AskFind(String),
    /// Let a person pick one of these values (empty text: has none), then call [`ListPane::filter_by`].
    AskValue {
        /// The field.
        field: Field,
        /// Values with their counts, most frequent first.
        choices: Vec<(String, u64)>,
    },
    /// Good to know.
    Say(String),
    /// Why the key did nothing.
    Refuse(String),
    /// There is nothing left to go back to: leave the pane.
    Leave,
}
