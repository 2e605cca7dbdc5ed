//! A parsed answer as one byte.

use serde::{Deserialize, Serialize};

/// A parsed answer as one byte: absent, unparsed, refused, declined, or an option's index (0 for
/// yes, 1 for no). Correctness depends only on this and the question's key, so an edited key needs
/// no new extraction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ParsedAnswer(pub u8);

impl ParsedAnswer {
    pub const ABSENT: ParsedAnswer = ParsedAnswer(0);
    /// The rule could not read an answer.
    pub const UNPARSED: ParsedAnswer = ParsedAnswer(1);
    /// The model declined in free text.
    pub const REFUSED: ParsedAnswer = ParsedAnswer(2);
    /// The model chose the refusal option, and its rule reads that as declining.
    pub const DECLINED: ParsedAnswer = ParsedAnswer(253);

    /// The option with this index.
    pub fn option(index: usize) -> ParsedAnswer {
        u8::try_from(index)
            .ok()
            .filter(|i| *i < 250)
            .map_or(ParsedAnswer::UNPARSED, |i| ParsedAnswer(i + 3))
    }

    /// The chosen option. `None` if only declining is known.
    pub fn chosen(self) -> Option<u8> {
        self.0.checked_sub(3).filter(|at| *at < 250)
    }

    /// Whether the answer declines, in free text or with the refusal option.
    pub fn declines(self) -> bool {
        matches!(self, ParsedAnswer::REFUSED | ParsedAnswer::DECLINED)
    }
}
