//! Filter conditions on the texts of items.

use serde::{Deserialize, Serialize};

/// A text of an item that a filter searches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TextField {
    /// Any of the texts below.
    Any,
    /// The id, `<dataset>/<key>`.
    Id,
    Question,
    /// The prompt of the picture.
    Prompt,
    /// Any option.
    Option,
    /// The answer key.
    Answer,
}

impl TextField {
    /// The fields with a filter word of their own.
    pub const NAMED: [TextField; 5] = [
        Self::Id,
        Self::Question,
        Self::Prompt,
        Self::Option,
        Self::Answer,
    ];

    /// The filter word.
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

    /// The field with this [`name`](Self::name).
    pub fn from_name(name: &str) -> Option<TextField> {
        Self::NAMED.into_iter().find(|f| f.name() == name)
    }
}

/// A text that must occur, ignoring case.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Contains {
    pub field: TextField,
    /// Alternatives, none of them empty.
    pub needles: Vec<String>,
}

impl Contains {
    /// Matches `needle` in any text.
    pub fn any(needle: String) -> Contains {
        Contains {
            field: TextField::Any,
            needles: vec![needle],
        }
    }
}
