//! How an answer is stated.

use super::context::{Left, NEAR, Right};
use super::items::{Item, What};
use super::options::number;
use super::reader::{Event, Reader, Stated};
use super::words::{CUE, FINAL, HEDGE, IF, IS, LINK, MILD, NOT, NOUN, OPEN, OR, REASON, RIGHT, SO};

/// Words of one thing among several.
const ORDINALS: [&str; 18] = [
    "first",
    "second",
    "third",
    "fourth",
    "next",
    "last",
    "other",
    "another",
    "primera",
    "segunda",
    "primeiro",
    "segundo",
    "première",
    "deuxième",
    "erste",
    "zweite",
    "prima",
    "seconda",
];

/// The options that are stated at least so.
pub(super) fn stated(events: &[Event], least: Stated) -> Vec<i32> {
    let option = |event: &Event| match event {
        Event::Commits { option, stated, .. } if *stated >= least => Some(*option),
        _ => None,
    };
    let mut found: Vec<i32> = events.iter().filter_map(option).collect();
    found.sort_unstable();
    found.dedup();
    found
}

impl Reader<'_> {
    /// Whether a letter with its mark is what a subject is: "The most likely diagnosis is B.
    /// Measles".
    pub(super) fn is_presented(&self, k: usize, start: usize) -> bool {
        let item = &self.items[k];
        let marked = item.label || item.sure;
        if item.what != What::Letter || item.low || !marked || item.digit && !item.own {
            return false;
        }
        let (mut j, mut colon) = (k.saturating_sub(1), false);
        while j > start && (self.items[j].what == What::Line || self.items[j].is_mark("(:")) {
            colon |= self.items[j].is_mark(":");
            j -= 1;
        }
        if k == 0 || j < start + 2 || !self.items[j].is(IS) || self.items[j].is(NOT | CUE) {
            return false;
        }
        let subject = &self.items[start.max(j.saturating_sub(NEAR))..j];
        let names = |i: &Item| {
            i.is_answer()
                || matches!(i.what, What::Opens | What::Closes)
                || i.what == What::Word && ORDINALS.contains(&self.text.at(i.token))
        };
        let open = |i: &Item| i.is(NOT | HEDGE | IF | OPEN | OR) && !i.is(LINK | REASON);
        !subject.iter().any(names)
            && (subject.len() > 4 || !subject.iter().any(|i| i.is(NOUN)))
            && !self.is_listed(k)
            && (colon || !subject.iter().any(open))
    }

    /// Whether the next line begins with the next letter.
    fn is_listed(&self, k: usize) -> bool {
        let behind = &self.items[k + 1..self.items.len().min(k + NEAR)];
        let Some(line) = behind.iter().position(|i| i.what == What::Line) else {
            return false;
        };
        let line = k + 1 + line;
        self.items[line..self.items.len().min(line + 4)]
            .iter()
            .find(|i| !matches!(i.what, What::Mark | What::Line))
            .is_some_and(|i| {
                i.what == What::Letter && i.label && i.option == self.items[k].option + 1
            })
    }

    pub(super) fn how_stated(
        &self,
        k: usize,
        (start, end): (usize, usize),
        (left, at): (Left, usize),
        (right, last): (Right, usize),
        listed: bool,
    ) -> Stated {
        if !self.is_explicit(k, (start, end), (left, at), (right, last), listed) {
            return Stated::Loosely;
        }
        let cued = |i: &Item| i.is(CUE | FINAL) && !i.is(MILD);
        let told = if self.items[k].what == What::Letter {
            left == Left::Cued || start == 0
        } else {
            left == Left::Cued && self.items[at..k].iter().any(cued)
        };
        if told {
            Stated::AsAnswer
        } else {
            Stated::ForItself
        }
    }

    /// Whether a letter or text is stated to be the answer: "The answer is B", "Answer: B", or a line
    /// that is "B" alone.
    fn is_explicit(
        &self,
        k: usize,
        (start, end): (usize, usize),
        (left, at): (Left, usize),
        (right, last): (Right, usize),
        listed: bool,
    ) -> bool {
        let item = &self.items[k];
        if item.what != What::Letter {
            // A number may be an intermediate result.
            let word = self.text.at(item.token);
            let counts = number(word).is_some()
                && !(self.is_wide(k) && word.starts_with(char::is_alphabetic));
            let opens = right == Right::Comma && start == 0 && left == Left::Start;
            return (matches!(right, Right::End | Right::Reason) || opens) && !counts;
        }
        if left == Left::Start && listed {
            // "B. dog" as the first line, above what is said of it.
            let next = self.items[end..]
                .iter()
                .find(|i| !matches!(i.what, What::Mark | What::Line));
            return start == 0
                && item.option > 0
                && self.is_whole(k, start, end)
                && next.is_some_and(|i| i.what != What::Letter);
        }
        if left == Left::Start {
            return right == Right::End && self.is_whole(k, start, end);
        }
        if left != Left::Cued {
            return false;
        }
        let some = &self.items[at..k];
        let joins = some
            .iter()
            .any(|i| i.what == What::Line || i.is_mark(":=") || i.is(IS));
        let comma = self.items.get(last + 1).filter(|_| last + 1 < end);
        let closes = matches!(right, Right::End | Right::Reason)
            || right == Right::Comma && comma.is_some_and(|i| i.what == What::Mark)
            || item.label;
        let states = |(at, i): (usize, &Item)| {
            let dense = self.text.tokens[i.token].script == 3;
            let so = i.is(SO) && !dense && self.is_wide(at);
            (i.is(CUE | FINAL) || i.is(RIGHT) && joins || so) && !i.is(MILD)
        };
        (closes || right == Right::After && joins) && (at..).zip(some).any(states)
    }
}
