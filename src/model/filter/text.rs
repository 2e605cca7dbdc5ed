//! Filter conditions on the texts of items.

use serde::{Deserialize, Serialize};

crate::named! {
    /// A text of an item that a filter searches.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum TextField {
        /// Any of the texts below.
        Any = "text",
        /// The id, `<dataset>/<key>`.
        Id = "id",
        Question = "question",
        /// The prompt of the picture.
        Prompt = "prompt",
        /// Any option.
        Option = "option",
        /// The answer key.
        Answer = "answer",
    }
}

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
