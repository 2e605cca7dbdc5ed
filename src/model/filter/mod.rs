//! Filters and sort orders, shared by the Items pane, `--filter`, and the wire protocol.

mod comment_condition;
mod lexer;
mod parse;
mod text;
mod to_text;
mod verdict_condition;
mod words;

use serde::{Deserialize, Serialize};

pub use comment_condition::CommentCondition;
pub use text::{Contains, TextField};
pub use verdict_condition::{JudgedTime, VerdictCondition};
pub use words::{WORDS, Word};

use super::error::Result;
use super::field::{Field, Source};
use super::generated_image::PictureState;
use super::item::QuestionKind;
use super::scoring::Outcome;
use super::scoring::rules::Condition;
use super::status::Status;
use super::usage::Freshness;

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
    /// Conditions on comments, marks, and error labels.
    pub comments: CommentCondition,
    /// Rotations: a position from 1, the name of a set, or `none`.
    pub rotation: Vec<String>,
    /// Releases by name.
    pub releases: Vec<String>,
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

impl Sort {
    /// The smallest value of `field` first.
    pub const fn by(field: Field) -> Sort {
        Sort {
            field,
            descending: false,
        }
    }
}

impl Filter {
    /// Adds values for a field, as its word in a filter text does.
    ///
    /// # Errors
    /// [`super::ErrorKind::Usage`] with the field, for a value that it cannot have.
    pub fn add(&mut self, field: Field, wanted: Vec<String>) -> Result<()> {
        words::add(self, field.name(), wanted)
    }

    /// Adds values for a field of names.
    fn add_names(&mut self, field: Field, wanted: Vec<String>) {
        match self.values.iter_mut().find(|(f, _)| *f == field) {
            Some((_, values)) => values.extend(wanted),
            None => self.values.push((field, wanted)),
        }
    }

    /// This filter without conditions on `field`.
    pub fn without(&self, field: Field) -> Filter {
        let mut out = self.clone();
        match field.row().source {
            Source::Status => out.status.clear(),
            Source::Type => out.kind.clear(),
            Source::Number => out.only = None,
            _ => out.values.retain(|(f, _)| *f != field),
        }
        out
    }

    /// This filter limited to one value of `field`. `None` if a filter cannot express that.
    pub fn with_value(&self, field: Field, value: &str) -> Option<Filter> {
        let mut out = self.without(field);
        match field.row().source {
            Source::Status => out.status = vec![Status::from_name(value)?],
            Source::Type => out.kind = vec![QuestionKind::from_name(value)?],
            Source::Number => out.only = Some(vec![value.parse().ok()?]),
            Source::Name(_) | Source::Names(_) => out.add_names(field, vec![value.into()]),
            Source::Text(_) | Source::Judged | Source::Comments => return None,
        }
        Some(out)
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

    /// Whether matching needs comments, marks, or error labels.
    pub fn asks_comments(&self) -> bool {
        self.all().any(|f| !f.comments.is_empty())
    }

    /// Whether matching needs the releases.
    pub fn asks_releases(&self) -> bool {
        self.all().any(|f| !f.releases.is_empty())
    }

    /// Whether what matches follows from verdicts, comments, scores, or releases.
    pub fn tells(&self) -> bool {
        self.asks_scores() || self.asks_verdicts() || self.asks_comments() || self.asks_releases()
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
