//! Conditions on the texts of items.

use serde::{Deserialize, Serialize};

/// A text of an item in which a filter looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TextField {
    /// Any of the others.
    Any,
    /// The id, `<dataset>/<key>`.
    Id,
    /// The question.
    Question,
    /// The prompt of the picture.
    Prompt,
    /// One of the options.
    Option,
    /// The answer that is the key.
    Answer,
}

impl TextField {
    /// Those that have a word of their own.
    pub const NAMED: [TextField; 5] = [
        Self::Id,
        Self::Question,
        Self::Prompt,
        Self::Option,
        Self::Answer,
    ];

    /// The word before the colon.
    pub fn name(self) -> &'static str {
        match self {
            Self::Any => "text",
            Self::Id => "id",
            Self::Question => "question",
            Self::Prompt => "prompt",
            Self::Option => "option",
            Self::Answer => "answer",
        }
    }

    /// The field of that [`name`](Self::name).
    pub fn from_name(name: &str) -> Option<TextField> {
        Self::NAMED.into_iter().find(|f| f.name() == name)
    }
}

/// A text that must be contained, letter case aside.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Contains {
    /// Where.
    pub field: TextField,
    /// What, as alternatives; none is empty.
    pub needles: Vec<String>,
}

impl Contains {
    /// `needle` in any text.
    pub fn any(needle: String) -> Contains {
        Contains {
            field: TextField::Any,
            needles: vec![needle],
        }
    }
}
