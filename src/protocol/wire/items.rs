//! Items as sent to clients: pages of the list, single items in full, and lines in bulk.

use serde::{Deserialize, Serialize};

use benchtop_model::scoring::bench::MatchingRule;
use benchtop_model::verdict::EffectiveVerdict;
use benchtop_model::{Filter, Item, QuestionKind, Sort, Status};

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
    pub id: String,
    pub dataset: String,
    pub subtask: String,
    pub kind: QuestionKind,
    pub level: String,
    pub style: String,
    /// Side of the image pair; empty for other items.
    pub side: String,
    /// Name of the variant; empty for an original item.
    pub variant: String,
    pub status: Status,
    /// Time of the last verdict; empty if there is none.
    pub judged: String,
    /// Question, cut to [`QUESTION_CHARS`] characters in a page of the list.
    pub question: String,
    /// Positions of the question's characters that the search text matched.
    pub marks: Vec<u32>,
}

/// Maximum length of a question in a list row, in characters.
pub const QUESTION_CHARS: usize = 400;

impl Row {
    /// Makes a row with the full question. The caller gives the time of the verdict, because an
    /// item does not contain it.
    pub fn of(number: u32, item: Item, status: Status, judged: String) -> Row {
        Row {
            number,
            id: item.id,
            dataset: item.dataset,
            subtask: item.subtask.unwrap_or_default(),
            kind: item.kind,
            level: item.level.unwrap_or_default(),
            style: item.style.unwrap_or_default(),
            side: item.pair.map_or("", |p| p.side.name()).into(),
            variant: item.variant.map_or(String::new(), |v| v.name),
            status,
            judged,
            question: item.question,
            marks: Vec::new(),
        }
    }
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
    /// Metadata that changed (`stale: ...`) or disappeared (`gone: ...`) since the item was
    /// composed.
    pub stale: Option<String>,
    /// Rules that apply to the item.
    pub chips: Vec<MatchingRule>,
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
