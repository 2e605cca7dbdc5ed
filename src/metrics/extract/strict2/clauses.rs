//! The clause before an answer.

use super::context::{Left, NEAR};
use super::items::What;
use super::reader::Reader;
use super::words::{AND, BUT, CUE, HEDGE, IF, IS, LEAN, LINK, NOT, OR, REASON, REFUSE, SO};

impl Reader<'_> {
    /// Whether an answer precedes a phrase, as before "ではなく".
    pub(super) fn follows(&self, k: usize, start: usize) -> bool {
        let Some(mut k) = k.checked_sub(1) else {
            return false;
        };
        if k > start && self.items[k].is(IS | LINK) {
            k -= 1;
        }
        k >= start && self.items[k].is_answer()
    }

    /// Other context before a cue in its clause: denial, hedge, condition.
    pub(super) fn clause(&self, from: usize, start: usize) -> Option<Left> {
        if self
            .items
            .get(from)
            .is_some_and(|item| item.is(SO) && !item.is(CUE))
        {
            return None;
        }
        let least = start.max(from.saturating_sub(NEAR));
        for (at, item) in self.items.get(least..from)?.iter().enumerate().rev() {
            let ends = item.is_mark(",:-()")
                || item.is_answer()
                || matches!(item.what, What::Line | What::Opens | What::Closes);
            if ends {
                return None;
            }
            if item.is(NOT) && item.is(BUT) && self.follows(least + at, start) {
                return None;
            }
            let plainly = |mask: u32| item.is(mask) && !item.is(LINK | REASON);
            if plainly(NOT | REFUSE) {
                return Some(Left::Denied);
            }
            if item.is(SO) || item.is(BUT) && !item.is(CUE) {
                return None;
            }
            if item.is(OR) && !item.is(LINK | REASON | AND | BUT) {
                return Some(Left::Hedged);
            }
            if plainly(HEDGE) {
                return Some(if item.is(LEAN) {
                    Left::Leaned
                } else {
                    Left::Hedged
                });
            }
            if plainly(IF) {
                return Some(Left::Condition);
            }
        }
        None
    }

    /// Whether a word is there that begins with a digit.
    pub(super) fn is_number(&self, k: usize, end: usize) -> bool {
        let word = self
            .items
            .get(k)
            .filter(|i| k < end && i.what == What::Word);
        word.is_some_and(|i| {
            self.text
                .at(i.token)
                .starts_with(|c: char| c.is_ascii_digit())
        })
    }
}
