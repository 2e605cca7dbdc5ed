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

crate::named!(TextField {
    Any: "text",
    Id: "id",
    Question: "question",
    Prompt: "prompt",
    Option: "option",
    Answer: "answer",
});

impl TextField {
    /// The fields with a filter word of their own.
    pub fn words() -> impl Iterator<Item = TextField> {
        let is_word = |field: &TextField| *field != TextField::Any;
        Self::ALL.into_iter().filter(is_word)
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
