//! Grounds for an answer without a cue: after a "but", a colon, or a "so".

use super::context::NEAR;
use super::items::{Item, What};
use super::reader::Reader;
use super::words::{AND, BUT, CUE, HEDGE, IF, LINK, NOT, NOUN, OPEN, OR, REASON, SO, THOUGH};

fn bounds(item: &Item) -> bool {
    matches!(item.what, What::Line | What::Opens | What::Closes)
}

fn plainly(item: &Item, mask: u32) -> bool {
    item.is(mask) && !item.is(LINK | REASON)
}

impl Reader<'_> {
    /// Whether a doubt or denial precedes the "but". Before the letter of the first option,
    /// anything may.
    pub(super) fn is_turned(&self, item: &Item, start: usize, at: usize) -> bool {
        let before = &self.items[start.max(at.saturating_sub(NEAR)).min(at)..at];
        item.what == What::Letter && !before.iter().any(Item::is_answer)
            || before.iter().any(|i| i.is(NOT | HEDGE))
    }

    /// Whether an answer follows a colon, and nothing before it denies it or leaves it open: "The
    /// bat settles it: C".
    pub(super) fn is_told(&self, k: usize, start: usize) -> bool {
        let item = &self.items[k];
        let heads = |i: &Item| item.what == What::Letter && (i.what == What::Line || i.is(NOUN));
        let Some(before) = self.items[start..k]
            .iter()
            .rposition(|i| !(i.is_mark("([{<") || heads(i)))
        else {
            return false;
        };
        if before == 0 || !self.items[start + before].is_mark(":") {
            return false;
        }
        let line = |i: &Item| i.what == What::Line;
        if self.items[start + before..k].iter().any(line) {
            // "Its name is:", "B. dog": the whole of a line.
            let next = self.items[k + 1..].iter().find(|i| i.what != What::Mark);
            let own = |i: &Item| i.what == What::Text && i.option == item.option;
            if !next.is_none_or(|i| line(i) || own(i)) {
                return false;
            }
        }
        let colon = start + before;
        for item in self.items[start.max(colon.saturating_sub(NEAR))..colon]
            .iter()
            .rev()
        {
            if item.is_mark(",") || bounds(item) {
                break;
            }
            if item.is_answer() || plainly(item, NOT | HEDGE | OR | IF | AND) {
                return false;
            }
        }
        true
    }

    /// Whether the answer is the only one at the end of a concluding clause: "So what differs is
    /// the dog".
    pub(super) fn is_concluded(&self, k: usize, start: usize) -> bool {
        let least = start.max(k.saturating_sub(NEAR));
        for at in (least..k).rev() {
            let item = &self.items[at];
            let begins = at == start || self.items[at - 1].is_mark(",");
            if item.is(SO) && !item.is(REASON) && (begins || !item.is(LINK)) {
                return at + 1 < k;
            }
            if item.what == What::Phrase && self.text.at(item.token) == "than" {
                return false;
            }
            let behind_so = at > least && self.items[at - 1].is(SO);
            let stops = item.is_answer() || bounds(item) || item.is_mark(",:") && !behind_so;
            if stops || plainly(item, NOT | HEDGE | OR | IF | THOUGH | OPEN) {
                return false;
            }
        }
        false
    }

    /// Whether nothing in the clause of an answer denies it or leaves it open.
    pub(super) fn is_clear(&self, k: usize, start: usize, end: usize) -> bool {
        let bound =
            |i: &Item| i.what == What::Line || i.is_mark(",:") || i.is(BUT) && !i.is(CUE | LINK);
        let near = &self.items[start.max((k + 1).saturating_sub(NEAR + 2))..k];
        let first = k - near
            .iter()
            .rev()
            .take(NEAR + 1)
            .take_while(|i| !bound(i))
            .count();
        let behind = &self.items[k + 1..end.min(k + 1 + NEAR)];
        let last = k + 1 + behind.iter().take_while(|i| !bound(i)).count();
        !self.is_negated(first, last)
    }
}
