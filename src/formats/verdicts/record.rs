//! A record of a file of verdicts and comments.

use super::comment_line::CommentLine;
use super::line::Line;
use super::meaning::Meaning;
use benchtop_model::Result;
use benchtop_model::verdict_interchange::Exchanged;

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
