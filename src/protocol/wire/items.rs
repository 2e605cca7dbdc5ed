//! Items as a client is shown them: pages of the list, one with all that is known of it, many as they are.

use serde::{Deserialize, Serialize};

use benchtop_model::scoring::bench::MatchingRule;
use benchtop_model::verdict::EffectiveVerdict;
use benchtop_model::{Filter, Item, QuestionKind, Sort, Status};

/// A page of the list.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PageAsk {
    /// Rises with every new question of this client.
    pub generation: u64,
    /// Which items.
    pub filter: Filter,
    /// In which order; empty means by number, or by score when there is text.
    pub sort: Vec<Sort>,
    /// First position, from 0.
    pub offset: u64,
    /// Rows wanted.
    pub count: u32,
}

/// A page of the list.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Page {
    /// The question's.
    pub generation: u64,
    /// First position, from 0.
    pub offset: u64,
    /// Its rows.
    pub rows: Vec<Row>,
    /// Items that pass the filter: exact unless `partial`.
    pub total: u64,
    /// Items in the project.
    pub of: u64,
    /// More is being found: another page follows.
    pub partial: bool,
}

/// One line of the list.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Row {
    /// Item number, from 1.
    pub number: u32,
    /// Its id.
    pub id: String,
    /// Data set.
    pub dataset: String,
    /// Subtask.
    pub subtask: String,
    /// Question type.
    pub kind: QuestionKind,
    /// Level.
    pub level: String,
    /// Style.
    pub style: String,
    /// Side of its pair.
    pub side: String,
    /// How it differs from its original; empty where it is one.
    pub variant: String,
    /// Where it stands.
    pub status: Status,
    /// When it was last judged; empty for never.
    pub judged: String,
    /// The question, cut to [`QUESTION_CHARS`] in a page of the list.
    pub question: String,
    /// Characters of the question that the fuzzy text matched.
    pub marks: Vec<u32>,
}

/// Characters after which the question of a list row is cut.
pub const QUESTION_CHARS: usize = 400;

impl Row {
    /// An item as a row, its question whole. When it was judged is not in an item, so that the caller gives it.
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

/// An item with everything that is known of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ItemView {
    /// Item number, from 1.
    pub number: u32,
    /// The item as JSON (postcard cannot carry its free fields).
    pub json: String,
    /// Where it stands.
    pub status: Status,
    /// Revision of the project when it last changed.
    pub rev: u64,
    /// Revision of its text or picture: what a verdict in a round is given to, whoever else has judged it.
    pub text_rev: u64,
    /// The verdicts that count.
    pub standing: Vec<EffectiveVerdict>,
    /// What of its metadata changed since it was composed (`stale: ...`) or is not there any more (`gone: ...`).
    pub stale: Option<String>,
    /// The rules that hold for it.
    pub chips: Vec<MatchingRule>,
}

/// Many items at once.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Lines {
    /// Item JSON, one a line, newline after each.
    pub json: String,
    /// Statuses, one an item.
    pub statuses: Vec<Status>,
    /// The number to go on from; `None` at the end.
    pub next: Option<u32>,
}
