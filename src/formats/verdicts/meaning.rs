//! How the values of a file of verdicts and comments map to the project.

use benchtop_model::Result;
use benchtop_model::config::Reason;
use benchtop_model::verdict_interchange::NameMapping;

/// How the values of a file map to this project.
#[derive(Clone, Copy)]
pub struct Meaning<'m> {
    /// Mappings given by the user.
    pub words: &'m NameMapping,
    /// Reasons of this project.
    pub reasons: &'m [Reason],
    /// Tags of this project.
    pub tags: &'m [Reason],
    /// Finds the id of the item for a task with this key and question, or the reason why there is
    /// none.
    pub item: &'m dyn Fn(&str, Option<&str>) -> Result<String>,
}

/// Help for an unknown word.
pub(super) fn unmapped(word: &str, means: &str) -> String {
    format!("map it, for example with --choice \"{word}={means}\"")
}
