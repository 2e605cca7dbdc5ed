//! Which items, and in which order: the same words in the list pane, in `--filter` and on the wire.

mod lexer;
mod parse;
mod said;
mod text;
mod words;

use serde::{Deserialize, Serialize};

pub use said::{Judged, Said};
pub use text::{Contains, TextField};

use super::generated_image::PictureState;
use super::item::QuestionKind;
use super::scoring::Outcome;
use super::scoring::rules::Condition;
use super::status::Status;
use super::usage::Freshness;

/// A property of an item that can be shown, filtered by and sorted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Field {
    /// Position in the project, from 1: the `#1423` of receipts.
    Number,
    /// `<dataset>/<key>`.
    Id,
    /// Data set.
    Dataset,
    /// Subtask.
    Subtask,
    /// Question type.
    Type,
    /// Level or difficulty.
    Level,
    /// Style of the image.
    Style,
    /// Natural, manipulated or cross.
    Side,
    /// How it differs from its original: Dysca's scenario, VLB's strategies, MM-SAP's shuffle.
    Variant,
    /// Where it stands.
    Status,
    /// When it was last judged.
    Judged,
    /// The question's text.
    Question,
}

impl Field {
    /// All fields, in the order the list shows them.
    pub const ALL: [Field; 12] = [
        Self::Number,
        Self::Status,
        Self::Id,
        Self::Dataset,
        Self::Subtask,
        Self::Type,
        Self::Level,
        Self::Style,
        Self::Side,
        Self::Variant,
        Self::Judged,
        Self::Question,
    ];

    /// The name used in filters, tables and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Number => "number",
            Self::Id => "id",
            Self::Dataset => "dataset",
            Self::Subtask => "subtask",
            Self::Type => "type",
            Self::Level => "level",
            Self::Style => "style",
            Self::Side => "side",
            Self::Variant => "variant",
            Self::Status => "status",
            Self::Judged => "judged",
            Self::Question => "question",
        }
    }

    /// The field of that [`name`](Self::name).
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|f| f.name() == name)
    }

    /// Whether its values are names that many items share.
    pub fn is_named(self) -> bool {
        matches!(
            self,
            Self::Dataset | Self::Subtask | Self::Level | Self::Style | Self::Side | Self::Variant
        )
    }
}

/// The word that asks for stale items: `stale:yes`, `stale:gone`, `stale:no`.
pub const STALE: &str = "stale";
/// The word that asks for what a picture was composed to show as a whole: `subject:face`.
pub const SUBJECT: &str = "subject";
/// The word that asks for a term in the (first) picture: `shows:animal/fox`; `shows:animal/` for none of that vocabulary.
pub const SHOWS: &str = "shows";
/// The word that asks for a term in any picture or statement: `term:animal/fox`.
pub const TERM: &str = "term";

/// The word that asks for what items' pictures are: `picture:missing`, `picture:draft`, `picture:yes`, `picture:none`,
/// `picture:broken`.
pub const PICTURE: &str = "picture";

/// The word that asks for what the rules make of items: `filter:flagged`, `filter:parked`, `filter:kept`.
pub const OUTCOME: &str = "filter";
/// The word that asks for items by a score: `score:clip<25`, `score:safety>0`, `score:ocr=unparsed`.
pub const SCORE: &str = "score";
/// The word that asks for one rotation of a question: its position from 1, the name of its set, or `none`.
pub const ROTATION: &str = "rotation";
/// The word that ranks by fuzzy text: `fuzzy:herts`.
pub const FUZZY: &str = "fuzzy";

/// Which items. Values of one field are alternatives; fields are joined by "and".
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Filter {
    /// Statuses wanted; empty means any.
    pub status: Vec<Status>,
    /// Question types wanted; empty means any.
    pub kind: Vec<QuestionKind>,
    /// Values wanted of named columns (dataset, subtask, level, style, side); empty means any.
    /// An empty string stands for "has none".
    pub values: Vec<(Field, Vec<String>)>,
    /// Whether the metadata still makes them so; empty means any.
    pub fresh: Vec<Freshness>,
    /// Subjects wanted, empty means any; an empty string stands for items that were not composed.
    pub subjects: Vec<String>,
    /// Vocabulary and term wanted in the first picture; those of one vocabulary are alternatives. An empty term stands
    /// for none of that vocabulary.
    pub shows: Vec<(String, String)>,
    /// Vocabulary and term wanted in a picture or a statement; those of one vocabulary are alternatives.
    pub terms: Vec<(String, String)>,
    /// What their picture is; empty means any.
    pub picture: Vec<PictureState>,
    /// What the rules make of them; empty means any.
    pub outcome: Vec<Outcome>,
    /// Conditions on their scores; all must hold.
    pub scores: Vec<Condition>,
    /// When the item was last judged, as alternatives; empty means any time and never.
    pub judged: Vec<Judged>,
    /// Conditions that one verdict that counts must meet together.
    pub said: Said,
    /// Rotations wanted, see [`ROTATION`]; empty means any.
    pub rotation: Vec<String>,
    /// Texts that the item must contain; all of them must be there.
    pub contains: Vec<Contains>,
    /// Fuzzy text that prompt, question, options or id must match.
    pub text: String,
    /// Filters that must not pass.
    pub not: Vec<Filter>,
    /// Only these item numbers (sorted, from 1), when set: a selection as a subset.
    pub only: Option<Vec<u32>>,
}

/// One sort key; earlier keys win.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sort {
    /// What to sort by.
    pub field: Field,
    /// Largest first.
    pub descending: bool,
}

impl Filter {
    /// Adds wanted values of a named column.
    pub fn add(&mut self, field: Field, wanted: Vec<String>) {
        match self.values.iter_mut().find(|(f, _)| *f == field) {
            Some((_, values)) => values.extend(wanted),
            None => self.values.push((field, wanted)),
        }
    }

    /// This filter, and those that must not pass.
    pub fn all(&self) -> impl Iterator<Item = &Filter> {
        std::iter::once(self).chain(&self.not)
    }

    /// Whether something is asked that only the metadata, and how items use it, can answer.
    pub fn asks_metadata(&self) -> bool {
        let plain = |f: &Filter| {
            f.fresh.is_empty() && f.subjects.is_empty() && f.shows.is_empty() && f.terms.is_empty()
        };
        !self.all().all(plain)
    }

    /// Whether something is asked that only the scores can answer.
    pub fn asks_scores(&self) -> bool {
        self.all()
            .any(|f| !(f.outcome.is_empty() && f.scores.is_empty()))
    }

    /// Whether something is asked of the items' pictures.
    pub fn asks_pictures(&self) -> bool {
        self.all().any(|f| !f.picture.is_empty())
    }

    /// Whether it is asked whether the files of pictures are as they were recorded.
    pub fn asks_broken(&self) -> bool {
        self.all()
            .any(|f| f.picture.contains(&PictureState::Broken))
    }

    /// Whether something is asked of what people decided: status, time or verdicts.
    pub fn asks_verdicts(&self) -> bool {
        self.all()
            .any(|f| !(f.status.is_empty() && f.judged.is_empty() && f.said.is_empty()))
    }

    /// This filter with its fuzzy words as exact ones, for what acts on every item that passes.
    pub fn exact(mut self) -> Filter {
        let text = std::mem::take(&mut self.text);
        self.contains.extend(
            text.split_whitespace()
                .map(|word| Contains::any(word.into())),
        );
        self
    }

    /// Whether nothing is asked, so that every item passes.
    pub fn is_empty(&self) -> bool {
        *self == Filter::default()
    }
}
