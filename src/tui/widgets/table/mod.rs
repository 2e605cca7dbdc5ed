//! The table of the item list (a window of rows from the owner) and of data in memory (the board,
//! answers, frequencies).
//!
//! [`TableState`] knows the cursor and the columns, but not the rows. An action changes it and
//! returns [`TableEffect`]s, which the holder of the rows carries out: the owner's client for the
//! list, [`LocalTable`] for the rest. [`TableView`] draws one page.

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
pub use views::{FrequencyEffect, FrequencyView, describe};

use super::purpose::Begin;
use super::text;
use crate::pane::id::Purpose;
use crate::theme::Role;
use benchtop_model::board::Better;

/// Alignment of a column's text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Align {
    #[default]
    Left,
    Right,
}

/// The content of a column, which determines how it is compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ColumnKind {
    /// Compared without case.
    #[default]
    Text,
    /// A number in any unit.
    Number,
    /// A share in 0..=1, shown in percent.
    Share,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spec {
    /// Full name, unique in its table, used in copies and menus.
    pub name: String,
    /// Heading shared with neighboring columns, or empty. A name `group.rest` is shown as `rest`
    /// below it.
    pub group: String,
    /// Shorter heading, for neighbors whose names start alike; empty to use the name.
    pub short: String,
    /// Width in terminal columns, unless the user widens it.
    pub width: u16,
    pub align: Align,
    pub kind: ColumnKind,
    /// Which numbers are better.
    pub better: Better,
}

impl Spec {
    /// A text column.
    pub fn text(name: impl Into<String>, width: u16) -> Spec {
        Spec {
            name: name.into(),
            width,
            ..Spec::default()
        }
    }

    /// A right-aligned number column, wide enough for its name and a sort arrow.
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

    /// Sets a shorter heading and the width.
    pub fn called(mut self, short: impl Into<String>, width: u16) -> Spec {
        self.short = short.into();
        self.width = width.max(u16::try_from(text::width(self.label()) + 2).unwrap_or(u16::MAX));
        self
    }

    /// The name without its group, for the heading line.
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

/// A cell as it is shown.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CellView {
    /// Line breaks are shown as spaces.
    pub text: String,
    /// Indices of the characters that match a search, ascending.
    pub highlights: Vec<usize>,
    pub role: Role,
    /// A share in 0..=1 that determines the background color.
    pub heat: Option<f32>,
    /// Whether to draw the share as a bar too, if the column has room.
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

/// A row as it is shown.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RowView {
    /// Identifies the row through sorting and filtering. Selections use it.
    pub id: u64,
    pub cells: Vec<CellView>,
}

/// The loaded rows. All counts are exact.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Window {
    /// Position of the first of `rows` in the filtered and sorted table, from 0.
    pub first: u64,
    /// Consecutive rows.
    pub rows: Vec<RowView>,
    /// Number of rows that match the filter.
    pub total: u64,
    /// Number of rows without the filter.
    pub of: u64,
}

impl Window {
    /// The row at this position of the table, if it is loaded.
    pub fn row(&self, position: u64) -> Option<&RowView> {
        self.rows
            .get(usize::try_from(position.checked_sub(self.first)?).ok()?)
    }
}

/// What an action needs to know about its table.
#[derive(Clone, Copy, Debug)]
pub struct Extent<'a> {
    /// All columns, including hidden ones.
    pub columns: &'a [Spec],
    pub window: &'a Window,
}

/// Why a table is empty, with a hint. Each is drawn differently.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Empty {
    /// There are no rows yet, and a key begins with some.
    Begin(&'static Purpose, Begin),
    /// There are no rows, and no key creates some here.
    Nothing(String),
    /// No rows match the filter. The hint names the key that clears it.
    Filtered(String),
    /// The rows are still loading.
    Loading,
    /// The rows could not be loaded, and why.
    Failed(String),
}

/// A sort key. Earlier keys take precedence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SortKey {
    /// Index of the column.
    pub column: usize,
    /// Largest first.
    pub descending: bool,
}

/// The rows to copy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CopyWhat {
    /// The row with this id.
    Row(u64),
    Selected(Vec<u64>),
    /// All rows in the table's order.
    All,
    /// The rows at these positions: the page on screen.
    Page {
        first: u64,
        count: u64,
    },
}

/// What the holder of the rows must do after an action. Columns are indices of [`Spec`]s.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TableEffect {
    /// Load these positions into the window. The latest request wins.
    NeedRows {
        first: u64,
        /// Number of rows: a page.
        count: u64,
    },
    /// Sort by these keys; an empty list means the natural order. A `NeedRows` follows.
    Sort(Vec<SortKey>),
    /// Count the values of a column, then show a [`FrequencyView`].
    Frequency(usize),
    /// Summarize each column, then show the table of [`describe`].
    Describe,
    /// Ask for a regular expression, then call [`TableState::regex`].
    AskRegex { column: usize, on: bool },
    /// Select or unselect the rows whose cell matches, then call [`TableState::mark`].
    SelectRegex {
        column: usize,
        pattern: String,
        on: bool,
    },
    /// Select the rows whose cell in `column` equals that of row `id`, then call
    /// [`TableState::mark`].
    SelectLike {
        column: usize,
        /// The row with the value.
        id: u64,
    },
    /// Show only these rows, or all rows. A `NeedRows` follows.
    Subset(Option<Vec<u64>>),
    /// Ask for a format, then [`Copy`](TableEffect::Copy).
    AskCopy(CopyWhat),
    /// Copy rows with the columns of [`TableState::order`], in that order.
    Copy(CopyWhat, CopyFormat),
    /// Ask for a column by name, then call [`TableState::go_to_column`].
    AskColumn,
    /// Open the row or cell under the cursor.
    Open { id: u64, row: u64, column: usize },
    /// The key does nothing, and why.
    Refuse(String),
}
