//! One table for the item list (a window of rows from the owner) and for what is wholly in memory (the leaderboard,
//! what lies behind a cell, frequencies).
//!
//! [`TableState`] knows where the cursor is and how the columns stand, never the rows. An action changes it and yields
//! [`TableEffect`]s, which the holder of the rows carries out: the owner's client for the list, [`LocalTable`] for the
//! rest. [`TableView`] draws one page.

mod column_widths;
pub mod copy;
pub mod draw;
mod groups;
pub mod local;
pub mod state;
pub mod views;

pub use copy::CopyFormat;
pub use draw::TableView;
pub use local::{Answer, LocalCell, LocalTable};
pub use state::TableState;
pub use views::{DescribeView, FrequencyEffect, FrequencyView};

use super::text;
use crate::theme::Role;
use benchtop_model::board::Better;

/// On which side a column's text stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Align {
    /// Text begins at the left edge.
    #[default]
    Left,
    /// Text ends at the right edge.
    Right,
}

/// What a column holds, which decides how it is compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ColumnKind {
    /// Words: compared without case.
    #[default]
    Text,
    /// A number in any unit.
    Number,
    /// A share in 0..=1, shown in percent.
    Share,
}

/// One column.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spec {
    /// Full name, unique in its table: what copies and menus say.
    pub name: String,
    /// Heading that it shares with its neighbours; empty for none. A name `group.rest` is shown as `rest` below it.
    pub group: String,
    /// What the heading line says instead, where neighbours' names begin alike; empty for the name.
    pub short: String,
    /// Width in columns of the terminal, unless the person widens it.
    pub width: u16,
    /// Side.
    pub align: Align,
    /// What it holds.
    pub kind: ColumnKind,
    /// Which of its numbers are better.
    pub better: Better,
}

impl Spec {
    /// A text column of `width`.
    pub fn text(name: impl Into<String>, width: u16) -> Spec {
        Spec {
            name: name.into(),
            width,
            ..Spec::default()
        }
    }

    /// A right-aligned column of numbers, wide enough for its name and a sort arrow.
    pub fn number(
        name: impl Into<String>,
        group: impl Into<String>,
        kind: ColumnKind,
        width: u16,
    ) -> Spec {
        let (name, group) = (name.into(), group.into());
        let mut spec = Spec {
            name,
            group,
            short: String::new(),
            width,
            align: Align::Right,
            kind,
            better: Better::Neither,
        };
        spec.width = width.max(u16::try_from(text::width(spec.label()) + 2).unwrap_or(u16::MAX));
        spec
    }

    /// The same with another heading than its name.
    pub fn called(mut self, short: impl Into<String>, width: u16) -> Spec {
        self.short = short.into();
        self.width = width.max(u16::try_from(text::width(self.label()) + 2).unwrap_or(u16::MAX));
        self
    }

    /// The name as the heading line shows it: without its group's.
    pub fn label(&self) -> &str {
        if !self.short.is_empty() {
            return &self.short;
        }
        self.name
            .strip_prefix(&self.group)
            .and_then(|rest| rest.strip_prefix('.'))
            .unwrap_or(&self.name)
    }
}

/// One cell as it is shown.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CellView {
    /// Its text; line breaks are shown as spaces.
    pub text: String,
    /// Indices of the characters a search found, rising.
    pub highlights: Vec<usize>,
    /// How it looks.
    pub role: Role,
    /// A share in 0..=1 to colour its ground by.
    pub heat: Option<f32>,
    /// Whether that share is drawn as a bar too, where the column leaves room.
    pub bar: bool,
}

impl From<String> for CellView {
    fn from(text: String) -> Self {
        CellView {
            text,
            ..CellView::default()
        }
    }
}

impl From<&str> for CellView {
    fn from(text: &str) -> Self {
        text.to_string().into()
    }
}

/// One row as it is shown.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RowView {
    /// Identifies the row through sorting and filtering; selections hold it.
    pub id: u64,
    /// Cells, one a column.
    pub cells: Vec<CellView>,
}

/// The rows at hand. All counts are exact.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Window {
    /// Position of the first of `rows` in the table as filtered and sorted, from 0.
    pub first: u64,
    /// Consecutive rows.
    pub rows: Vec<RowView>,
    /// Rows that pass the filter.
    pub total: u64,
    /// Rows there are without it.
    pub of: u64,
}

impl Window {
    /// The row at a position of the table, if it is at hand.
    pub fn row(&self, position: u64) -> Option<&RowView> {
        self.rows
            .get(usize::try_from(position.checked_sub(self.first)?).ok()?)
    }
}

/// What an action needs to know of the table it is done to.
#[derive(Clone, Copy, Debug)]
pub struct Extent<'a> {
    /// All columns, hidden ones too.
    pub columns: &'a [Spec],
    /// The rows at hand.
    pub window: &'a Window,
}

/// Why a table is empty, with the way out; each is drawn differently.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Empty {
    /// There are no rows yet; the hint names the key that makes some.
    Nothing {
        /// What to press.
        hint: String,
    },
    /// A filter lets none through; the hint names the key that clears it.
    Filtered {
        /// What to press.
        hint: String,
    },
    /// They are on their way.
    Loading,
    /// They could not be read: why.
    Failed(String),
}

/// One sort key; earlier keys win.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SortKey {
    /// Index of the column.
    pub column: usize,
    /// Largest first.
    pub descending: bool,
}

/// Which rows to copy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CopyWhat {
    /// The row with this id.
    Row(u64),
    /// The rows with these ids, in the table's order.
    Selected(Vec<u64>),
    /// All rows in the table's order.
    All,
    /// The rows at these positions: the page on the screen.
    Page {
        /// First position, from 0.
        first: u64,
        /// How many.
        count: u64,
    },
}

/// What the holder of the rows must do after an action. Columns are indices into the [`Spec`]s.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TableEffect {
    /// Read these positions into the window; the newest request wins.
    NeedRows {
        /// First position, from 0.
        first: u64,
        /// How many: a page.
        count: u64,
    },
    /// Sort by these keys; none means the natural order. A `NeedRows` follows.
    Sort(Vec<SortKey>),
    /// Count the values of a column, then show a [`FrequencyView`].
    Frequency(usize),
    /// Summarise every column, then show a [`DescribeView`].
    Describe,
    /// Ask for a regular expression, then call [`TableState::regex`].
    AskRegex {
        /// Column.
        column: usize,
        /// Select, or let go.
        on: bool,
    },
    /// Select (or let go of) the rows whose cell matches; answer with [`TableState::mark`].
    SelectRegex {
        /// Column.
        column: usize,
        /// A valid regular expression.
        pattern: String,
        /// Select, or let go.
        on: bool,
    },
    /// Select the rows whose cell in `column` is that of row `id`; answer with [`TableState::mark`].
    SelectLike {
        /// Column.
        column: usize,
        /// The row whose value is meant.
        id: u64,
    },
    /// Only these rows, or all again. A `NeedRows` follows.
    Subset(Option<Vec<u64>>),
    /// Ask for a format, then [`Copy`](TableEffect::Copy) in it.
    AskCopy(CopyWhat),
    /// Copy rows: the columns of [`TableState::order`], in that order.
    Copy(CopyWhat, CopyFormat),
    /// Ask for a column by name, then call [`TableState::go_to_column`].
    AskColumn,
    /// Open what is under the cursor.
    Open {
        /// The row's id.
        id: u64,
        /// Its position.
        row: u64,
        /// The column under the cursor.
        column: usize,
    },
    /// The key does nothing now; say why.
    Refuse(String),
}
