//! A record of a file of verdicts and comments, and how its values map to the project.

use super::comment_line::CommentLine;
use super::line::Line;
use benchtop_model::Result;
use benchtop_model::config::Reason;
use benchtop_model::verdict_interchange::{Exchanged, NameMapping};

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

/// A record of a file.
#[derive(Debug)]
pub struct Found {
    /// The record's place: `line 4`, `task 3 (line 40), annotation 2`.
    pub place: String,
    /// Id of the item, as far as the file states it.
    pub item: String,
    /// The annotator as named in the file.
    pub who: String,
    /// The verdict or comment, or the error.
    pub content: Result<Exchanged>,
}

impl Found {
    /// A flat record in line `number`.
    pub(super) fn in_line(number: u64, line: Result<Line>, meaning: Meaning<'_>) -> Found {
        let of = |line: &Line| (line.item.clone(), line.who.clone());
        let (item, who) = line.as_ref().map(of).unwrap_or_default();
        Found {
            place: format!("line {number}"),
            item,
            who,
            content: line.and_then(|line| {
                let verdict = line.exchanged(meaning)?;
                Ok(Exchanged::Verdict(Box::new(verdict)))
            }),
        }
    }

    /// A comment at a place.
    pub(super) fn comment(place: String, line: Result<CommentLine>, meaning: Meaning<'_>) -> Found {
        let of = |line: &CommentLine| (line.item.clone(), line.who.clone());
        let (item, who) = line.as_ref().map(of).unwrap_or_default();
        Found {
            place,
            item,
            who,
            content: line.and_then(|line| {
                let comment = line.exchanged(meaning)?;
                Ok(Exchanged::Comment(Box::new(comment)))
            }),
        }
    }
}

/// Takes a record. Returns whether to continue.
pub type Take<'t> = &'t mut dyn FnMut(Found) -> bool;

/// Help for an unknown word.
pub(super) fn unmapped(word: &str, means: &str) -> String {
    format!("map it, for example with --choice \"{word}={means}\"")
}
