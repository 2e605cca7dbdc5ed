//! What is left open of an option and says nothing of an answer that stands.

use super::context::{Left, NEAR, Right};
use super::items::{Item, What};
use super::reader::{Aside, Reader};
use super::words::{BUT, CUE, HEDGE, IF, LINK, REASON, RIGHT, YES};

impl Reader<'_> {
    /// "If B were asked for", "Option B may be useful", "The dog may be tired".
    pub(super) fn aside(
        &self,
        k: usize,
        (start, end): (usize, usize),
        condition: bool,
        (left, right): (Left, Right),
    ) -> Aside {
        if condition && !self.items[start..k].iter().any(|i| i.is_mark(",")) {
            return Aside::OfOthers;
        }
        let begins = matches!(left, Left::Start | Left::Other | Left::Named | Left::Comma);
        if right != Right::Hedge || !begins {
            return Aside::No;
        }
        let ends = |i: &Item| i.what == What::Line || i.is_mark(",") || i.is(BUT);
        let behind = &self.items[k + 1..end.min(k + NEAR).max(k + 1)];
        let stop = behind.iter().position(ends).unwrap_or(behind.len());
        let clause = &behind[..stop];
        if clause.iter().any(|i| i.is(RIGHT | CUE)) {
            return Aside::No;
        }
        // What it may be is said of a thing.
        if self.items[k].what == What::Text && clause.iter().any(|i| i.what == What::Word) {
            return Aside::OfAny;
        }
        Aside::OfOthers
    }

    /// Whether a sentence begins with a condition.
    pub(super) fn is_conditional(&self, start: usize) -> bool {
        let is_if = |i: &Item| i.is(IF) && !i.is(LINK | REASON | HEDGE | YES);
        let stop = self.items.len().min(start + 2);
        self.items[start..stop].iter().any(is_if)
    }
}
