//! Parses the needed parts of an item's JSON, borrowing from the line.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};

use benchtop_compose::metadata::vocabulary::TERM_CHARS;
use benchtop_model::{QuestionKind, Role, Side};

/// A text that is borrowed unless it has escapes.
pub(super) struct Words<'a>(Cow<'a, str>);

impl std::ops::Deref for Words<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl AsRef<str> for Words<'_> {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Words<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Borrow;
        impl<'de> Visitor<'de> for Borrow {
            type Value = Cow<'de, str>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text")
            }

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(Cow::Borrowed(text))
            }

            fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
                Ok(Cow::Owned(text.to_string()))
            }
        }
        deserializer.deserialize_str(Borrow).map(Words)
    }
}

/// Terms by vocabulary.
#[derive(Default)]
pub(super) struct Pairs<'a>(pub(super) Vec<(Words<'a>, Words<'a>)>);

impl<'de: 'a, 'a> Deserialize<'de> for Pairs<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Map;
        impl<'de> Visitor<'de> for Map {
            type Value = Vec<(Words<'de>, Words<'de>)>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("terms by vocabulary")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut pairs = Vec::with_capacity(8);
                while let Some(pair) = map.next_entry()? {
                    pairs.push(pair);
                }
                Ok(pairs)
            }
        }
        deserializer.deserialize_map(Map).map(Pairs)
    }
}

#[derive(Deserialize)]
struct Choice<'a> {
    #[serde(borrow)]
    text: Words<'a>,
    role: Role,
}

/// The needed parts of the provenance.
#[derive(Deserialize)]
pub(super) struct From<'a> {
    #[serde(borrow)]
    pub(super) subject: Words<'a>,
    #[serde(default)]
    pub(super) wording: u32,
    #[serde(borrow)]
    pub(super) terms: Pairs<'a>,
    #[serde(borrow, default)]
    pub(super) second: Pairs<'a>,
    #[serde(borrow, default)]
    pub(super) claim: Option<Words<'a>>,
    #[serde(borrow)]
    pub(super) recipe: Words<'a>,
}

/// The part of a pair's membership that determines how a question is asked.
#[derive(Deserialize)]
struct Of {
    side: Side,
}

#[derive(Deserialize)]
pub(super) struct Line<'a> {
    pub(super) kind: QuestionKind,
    #[serde(borrow, default)]
    subtask: Option<Words<'a>>,
    #[serde(borrow, default)]
    style: Option<Words<'a>>,
    #[serde(borrow, default)]
    options: Vec<Choice<'a>>,
    #[serde(default)]
    pair: Option<Of>,
    #[serde(borrow, default)]
    pub(super) provenance: Option<From<'a>>,
}

/// How a question is asked, as far as its recipe depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Asked {
    /// Which of the options.
    Options,
    /// Which of the options, about one picture of a pair.
    PairOptions,
    /// Which of the options, one of them a refusal.
    Refusal,
    /// Which of the options, where refusing is right.
    Beyond,
    /// Whether a statement is true.
    Claim,
    /// Yes or no.
    YesNo,
    /// In free form.
    Free,
    /// Across two pictures.
    Cross,
}

impl Line<'_> {
    pub(super) fn subtask(&self) -> &str {
        self.subtask.as_deref().unwrap_or_default()
    }

    pub(super) fn style(&self) -> Option<&str> {
        self.style.as_deref().filter(|s| !s.is_empty())
    }

    pub(super) fn asked(&self) -> Asked {
        let has = |role: Role| self.options.iter().any(|o| o.role == role);
        match (self.kind, self.pair.as_ref().map(|p| p.side)) {
            (QuestionKind::FreeForm, _) => Asked::Free,
            (QuestionKind::YesNo, _) => Asked::YesNo,
            (QuestionKind::TrueFalse, _) => Asked::Claim,
            (QuestionKind::MultipleChoice, Some(Side::Cross)) => Asked::Cross,
            (QuestionKind::MultipleChoice, Some(Side::Natural | Side::Manipulated)) => {
                Asked::PairOptions
            }
            (QuestionKind::MultipleChoice, None) if !has(Role::Refusal) => Asked::Options,
            (QuestionKind::MultipleChoice, None) if has(Role::Correct) => Asked::Refusal,
            (QuestionKind::MultipleChoice, None) => Asked::Beyond,
        }
    }

    /// Whether the options are terms of the subtask's vocabulary.
    pub(super) fn offers_terms(&self) -> bool {
        matches!(
            self.asked(),
            Asked::Options | Asked::PairOptions | Asked::Refusal | Asked::Beyond
        )
    }

    /// The options that are not refusals.
    pub(super) fn offered(&self) -> impl Iterator<Item = &str> {
        self.options
            .iter()
            .filter(|o| o.role != Role::Refusal)
            .map(|o| &*o.text)
    }

    /// The right option of an imported question, if it can be a term.
    pub(super) fn right_term(&self) -> Option<&str> {
        if !self.offers_terms() || self.subtask().is_empty() {
            return None;
        }
        let right = self.options.iter().find(|o| o.role == Role::Correct)?;
        let text = right.text.trim();
        (!text.is_empty() && text.chars().nth(TERM_CHARS).is_none()).then_some(text)
    }
}
