//! Lists of verdicts on the options: "B. dog: correct", "Saturn - rings ✓"; and "B? No."

use super::items::{Item, What};
use super::reader::{Event, Reader, Stated};
use super::words::{HEDGE, IF, NO, NOT, OPEN, OR, RIGHT, WAIT, YES};

impl Reader<'_> {
    /// Reads a sentence that is a verdict, or a question about one option. Returns whether it was
    /// either.
    pub(super) fn verdict(&mut self, start: usize, end: usize, question: bool) -> bool {
        let begins = self.items[start..end].iter().position(|i| !i.is_mark("-("));
        let Some(k) = begins.map(|at| start + at) else {
            return false;
        };
        let item = self.items[k];
        let closes = k + 1 >= end || matches!(self.items[k + 1].what, What::Mark | What::Line);
        if let Some(asked) = self.asked.take()
            && item.is(YES | NO)
            && item.is(YES) != item.is(NO)
            && !item.is(OPEN | HEDGE)
            && closes
        {
            self.events.pop();
            self.events.push(if item.is(YES) {
                commits(asked)
            } else {
                Event::Denies(asked)
            });
            return false;
        }
        let others = |item: &Item, i: &Item| i.is_answer() && i.option != item.option;
        if question {
            let one = item.is_answer() && !self.items[k..end].iter().any(|i| others(&item, i));
            if one {
                self.events.push(Event::Asks);
                self.asked = Some(item.option);
            }
            return one;
        }
        let bare = item.what == What::Letter && !item.label && !item.sure;
        let goes_on = k + 1 < end && matches!(self.items[k + 1].what, What::Word | What::Text);
        let names = |i: &Item| i.what == What::Text || i.what == What::Letter && (i.sure || !i.low);
        if !item.is_answer()
            || bare && goes_on
            || self.items[k..end]
                .iter()
                .any(|i| others(&item, i) && names(i))
        {
            return false;
        }
        self.passes(k, end)
    }

    /// Whether the last clause of a sentence about the option at `k` is only a verdict. Records it.
    fn passes(&mut self, k: usize, end: usize) -> bool {
        let option = self.items[k].option;
        let last = (k + 1..end)
            .rev()
            .find(|at| !self.items[*at].is_mark(")]"))
            .unwrap_or(k);
        let (mut mask, mut at) = (0, last);
        while at > k && self.items[at].what == What::Phrase {
            mask |= self.items[at].mask;
            if matches!(self.text.at(self.items[at].token), "✓" | "✗") {
                break;
            }
            at -= 1;
        }
        let sign = at > k && self.items[at].what == What::Phrase;
        let clause = sign || self.items[at].is_mark(",:-(") && at - k > 2;
        let has = |of: u32| mask & of != 0;
        if !clause || at == k || mask == 0 || has(HEDGE | IF | WAIT | OR) {
            return false;
        }
        if has(NOT | NO) {
            self.events.push(Event::Denies(option));
        } else if has(RIGHT | YES) {
            self.events.push(commits(option));
        } else {
            return false;
        }
        true
    }
}

fn commits(option: i32) -> Event {
    Event::Commits {
        option,
        strength: 2,
        listed: false,
        passing: false,
        stated: Stated::Loosely,
    }
}
