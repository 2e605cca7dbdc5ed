//! Items as sent to clients: pages of the list, single items in full, and lines in bulk.

use serde::{Deserialize, Serialize};

use benchtop_model::field::Source;
use benchtop_model::scoring::queries::MatchingRule;
use benchtop_model::verdict::EffectiveVerdict;
use benchtop_model::{Field, Filter, Item, Sort, Status};

/// Request for a page of the item list.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PageRequest {
    /// Rises with every list request of this client.
    pub generation: u64,
    pub filter: Filter,
    /// Sort order. If empty: by number, or by score if the filter contains text.
    pub sort: Vec<Sort>,
    /// First position, from 0.
    pub offset: u64,
    /// Number of rows.
    pub count: u32,
}

/// A page of the item list.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Page {
    /// Generation of the request.
    pub generation: u64,
    /// First position, from 0.
    pub offset: u64,
    pub rows: Vec<Row>,
    /// Number of items that match the filter; a lower bound if `partial`.
    pub total: u64,
    /// Number of items in the project.
    pub of: u64,
    /// Whether the search continues and another page follows.
    pub partial: bool,
}

/// One row of the item list.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Row {
    /// Item number, from 1.
    pub number: u32,
    pub status: Status,
    /// The value of each field, in the order of [`Field::ALL`]. The question is cut to
    /// [`QUESTION_CHARS`] characters in a page of the list.
    pub cells: Vec<String>,
    /// Positions of the question's characters that the search text matched.
    pub marks: Vec<u32>,
}

/// Maximum length of a question in a list row, in characters.
pub const QUESTION_CHARS: usize = 400;

impl Row {
    /// Makes a row with the full question. The caller gives the time of the verdict, because an
    /// item does not contain it. The number of comments is empty.
    pub fn of(number: u32, item: &Item, status: Status, judged: &str) -> Row {
        let cell = |field: Field| match field.row().source {
            Source::Number => number.to_string(),
            Source::Status => status.name().into(),
            Source::Judged => judged.into(),
            Source::Comments => String::new(),
            Source::Type | Source::Name(_) | Source::Names(_) | Source::Text(_) => {
                field.of(item).into()
            }
        };
        Row {
            number,
            status,
            cells: Field::ALL.map(cell).into(),
            marks: Vec::new(),
        }
    }

    /// Sets the value of a field that an item does not contain.
    pub fn put(&mut self, field: Field, value: String) {
        if let Some(cell) = self.cells.get_mut(field.place()) {
            *cell = value;
        }
    }

    /// The value of a field.
    pub fn text(&self, field: Field) -> &str {
        self.cells.get(field.place()).map_or("", String::as_str)
    }
}

/// The item that another one is a variant of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OriginalItem {
    /// Item number, from 1.
    pub number: u32,
    pub question: String,
}

/// An item with everything known about it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ItemView {
    /// Item number, from 1.
    pub number: u32,
    /// The item as JSON, because postcard cannot carry its free fields.
    pub json: String,
    pub status: Status,
    /// Revision of the project at which the item last changed.
    pub rev: u64,
    /// Revision of the item's text or picture. In a round, a verdict applies to this revision,
    /// whoever else judged the item.
    pub text_rev: u64,
    /// Effective verdicts.
    pub standing: Vec<EffectiveVerdict>,
    /// Metadata or a source that changed (`stale: ...`), or metadata that disappeared (`gone: ...`),
    /// since the item was composed or derived.
    pub stale: Option<String>,
    /// The item that it is a variant of, if the project has it.
    pub original: Option<OriginalItem>,
    /// Rules that apply to the item.
    pub chips: Vec<MatchingRule>,
    /// Number of comments on the item.
    pub comments: u32,
}

/// Many items at once.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Lines {
    /// One JSON object per item, each followed by a newline.
    pub json: String,
    /// One status per item.
    pub statuses: Vec<Status>,
    /// Number of the next item; `None` at the end.
    pub next: Option<u32>,
}
