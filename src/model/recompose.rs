//! Composing items again after a change of the metadata: the request and its report.

use serde::{Deserialize, Serialize};

use super::usage::Tally;

/// A term that goes by another name now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rename {
    /// Its vocabulary, or `style`.
    pub vocabulary: String,
    /// What items call it.
    pub old: String,
    /// What the vocabulary calls it.
    pub new: String,
}

/// What composing again does.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recomposed {
    /// Composed items looked at.
    pub composed: u64,
    /// Items that read differently, by the status they had: their verdicts no longer count.
    pub changed: Tally,
    /// Items that read the same from other templates: their verdicts count.
    pub kept: u64,
    /// Items that cannot be composed again, by their status; they stay as they are.
    pub gone: Tally,
    /// Those of them that lack nothing but a term for a slot: one can be drawn.
    pub missing: Tally,
    /// Items that a term was drawn for; they are among those that read differently.
    pub drawn: u64,
    /// Composed items that somebody edited by hand: they stay as they are.
    pub edited: u64,
    /// What is gone, with how many items it takes along, most first; at most 100.
    pub causes: Vec<(String, u64)>,
    /// Notes for a person.
    pub notes: Vec<String>,
}
