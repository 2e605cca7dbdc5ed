//! The options that an output named, and the reading that follows from them.

use crate::extract::question_parts::Asked;
use crate::extract::reading::Read;

/// The reason for a reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    Empty,
    Failed,
    Statement,
    Contradiction,
    Beyond,
    Refusal,
    RefusalOption,
    Mark,
    Mention,
    Mentions,
    Denied,
    Nothing,
    Judge,
}

/// The options that an output named: none, one, or several.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Votes {
    pub(super) one: Option<usize>,
    pub(super) several: bool,
}

/// A vote for two options at once.
pub(super) const SEVERAL: usize = usize::MAX;

impl Votes {
    pub(super) fn add(&mut self, at: usize) {
        self.several |= at == SEVERAL || self.one.is_some_and(|one| one != at);
        self.one = self.one.or(Some(at));
    }

    /// The result of these votes; `None` if there are none.
    pub(super) fn decide(self, asked: &Asked, why: Why) -> Option<(Read, Why)> {
        let at = self.one?;
        Some(if self.several {
            (Read::Unparsed, Why::Contradiction)
        } else if at >= asked.letters() {
            (Read::Unparsed, Why::Beyond)
        } else {
            (Read::Option(at), why)
        })
    }
}
