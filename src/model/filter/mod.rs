//! Filters and sort orders, shared by the list pane, `--filter`, and the wire protocol.

mod lexer;
mod parse;
mod text;
mod to_text;
mod verdict_condition;

use serde::{Deserialize, Serialize};

pub use text::{Contains, TextField};
pub use verdict_condition::{JudgedTime, VerdictCondition};

use super::generated_image::PictureState;
use super::item::QuestionKind;
use super::scoring::Outcome;
use super::scoring::rules::Condition;
use super::status::Status;
use super::usage::Freshness;

/// A property of an item to show, filter, or sort by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Field {
    /// Position in the project, from 1, as in receipts: `#1423`.
    Number,
    /// `<dataset>/<key>`.
    Id,
    Dataset,
    Subtask,
    Type,
    /// Level.
    Level,
    /// Picture style.
    Style,
    /// Natural, manipulated, or cross.
    Side,
    /// Variant: Dysca's scenario, VLB's strategies, MM-SAP's shuffle.
    Variant,
    Status,
    /// Time of the last verdict.
    Judged,
    /// The question's text.
    Question,
}

impl Field {
    /// All fields, in the column order of the list.
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

    /// The name in filters, tables, and JSON.
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

    /// The field with this [`name`](Self::name).
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

/// Filter word for stale items: `stale:yes`, `stale:gone`, `stale:no`.
pub const STALE: &str = "stale";
/// Filter word for the subject of a composed picture: `subject:face`.
pub const SUBJECT: &str = "subject";
/// Filter word for a term in the first picture: `shows:animal/fox`. `shows:animal/` means no term
/// of that vocabulary.
pub const SHOWS: &str = "shows";
/// Filter word for a term in any picture or statement: `term:animal/fox`.
pub const TERM: &str = "term";

/// Filter word for the picture state: `picture:missing`, `picture:draft`, `picture:yes`,
/// `picture:none`, `picture:broken`.
pub const PICTURE: &str = "picture";

/// Filter word for the outcome of the rules: `filter:flagged`, `filter:parked`, `filter:kept`.
pub const OUTCOME: &str = "filter";
/// Filter word for a score: `score:clip<25`, `score:safety>0`, `score:ocr=unparsed`.
pub const SCORE: &str = "score";
/// Filter word for a rotation: a position from 1, the name of a set, or `none`.
pub const ROTATION: &str = "rotation";
/// Filter word for fuzzy search, which also ranks: `fuzzy:herts`.
pub const FUZZY: &str = "fuzzy";

/// Selects items. Values of one field are alternatives; all fields must match. An empty list
/// matches everything.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Filter {
    pub status: Vec<Status>,
    pub kind: Vec<QuestionKind>,
    /// Values of dataset, subtask, level, style, side, and variant. An empty string matches items
    /// without a value.
    pub values: Vec<(Field, Vec<String>)>,
    /// Freshness.
    pub fresh: Vec<Freshness>,
    /// Subjects. An empty string matches items that were not composed.
    pub subjects: Vec<String>,
    /// Vocabulary and term in the first picture; terms of one vocabulary are alternatives. An empty
    /// term matches pictures without a term of that vocabulary.
    pub shows: Vec<(String, String)>,
    /// Vocabulary and term in a picture or statement; terms of one vocabulary are alternatives.
    pub terms: Vec<(String, String)>,
    /// Picture states.
    pub picture: Vec<PictureState>,
    /// Outcomes of the rules.
    pub outcome: Vec<Outcome>,
    /// Conditions on scores. All must hold.
    pub scores: Vec<Condition>,
    /// Times of the last verdict.
    pub judged: Vec<JudgedTime>,
    /// Conditions that a single effective verdict must meet together.
    #[serde(rename = "said")]
    pub verdicts: VerdictCondition,
    /// Rotations, see [`ROTATION`].
    pub rotation: Vec<String>,
    /// Texts that the item must contain. All must match.
    pub contains: Vec<Contains>,
    /// Fuzzy text to find in the prompt, question, options, or id.
    pub text: String,
    /// Filters that must not match.
    pub not: Vec<Filter>,
    /// If set, only these item numbers (sorted, from 1).
    pub only: Option<Vec<u32>>,
}

/// One sort key. Earlier keys take precedence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sort {
    pub field: Field,
    /// Whether the largest value comes first.
    pub descending: bool,
}

impl Filter {
    /// Adds values for a named field.
    pub fn add(&mut self, field: Field, wanted: Vec<String>) {
        match self.values.iter_mut().find(|(f, _)| *f == field) {
            Some((_, values)) => values.extend(wanted),
            None => self.values.push((field, wanted)),
        }
    }

    /// This filter and its negated filters.
    pub fn all(&self) -> impl Iterator<Item = &Filter> {
        std::iter::once(self).chain(&self.not)
    }

    /// Whether matching needs the metadata and its usage.
    pub fn asks_metadata(&self) -> bool {
        let without_metadata = |f: &Filter| {
            f.fresh.is_empty() && f.subjects.is_empty() && f.shows.is_empty() && f.terms.is_empty()
        };
        !self.all().all(without_metadata)
    }

    /// Whether matching needs the scores.
    pub fn asks_scores(&self) -> bool {
        self.all()
            .any(|f| !(f.outcome.is_empty() && f.scores.is_empty()))
    }

    /// Whether matching needs the picture states.
    pub fn asks_pictures(&self) -> bool {
        self.all().any(|f| !f.picture.is_empty())
    }

    /// Whether matching needs a check of the picture files' hashes.
    pub fn asks_broken(&self) -> bool {
        self.all()
            .any(|f| f.picture.contains(&PictureState::Broken))
    }

    /// Whether matching needs status, time, or verdicts.
    pub fn asks_verdicts(&self) -> bool {
        self.all()
            .any(|f| !(f.status.is_empty() && f.judged.is_empty() && f.verdicts.is_empty()))
    }

    /// This filter with exact text instead of fuzzy text, for actions on all matching items.
    pub fn exact(mut self) -> Filter {
        let text = std::mem::take(&mut self.text);
        self.contains.extend(
            text.split_whitespace()
                .map(|word| Contains::any(word.into())),
        );
        self
    }

    /// Whether every item matches.
    pub fn is_empty(&self) -> bool {
        *self == Filter::default()
    }
}
