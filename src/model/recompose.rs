//! Composing items again after a change of the metadata: the request and its report.

use serde::{Deserialize, Serialize};

use super::usage::Tally;

/// A renamed term.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rename {
    /// Its vocabulary, or `style`.
    pub vocabulary: String,
    /// The name in items.
    pub old: String,
    /// The name in the vocabulary.
    pub new: String,
}

/// The result of recomposing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recomposed {
    /// Composed items examined.
    pub composed: u64,
    /// Items whose text changes, by their previous status. Their verdicts no longer count.
    pub changed: Tally,
    /// Items with the same text but other templates. Their verdicts count.
    pub kept: u64,
    /// Items that cannot be recomposed, by status. They stay unchanged.
    pub gone: Tally,
    /// Those of them that only lack a term for a slot, which can be drawn.
    pub missing: Tally,
    /// Items with a newly drawn term. They are included in `changed`.
    pub drawn: u64,
    /// Composed items that were edited by hand. They stay unchanged.
    pub edited: u64,
    /// What is gone, with the number of affected items, most first; at most 100.
    pub causes: Vec<(String, u64)>,
    /// Notes for the user.
    pub notes: Vec<String>,
}
