//! Whether an answer stands on its own, and what it is.

use super::context::{Left, NEAR, Right};
use super::items::{Item, What};
use super::reader::Reader;
use super::words::{
    BUT, CUE, HEDGE, IF, IS, LINK, NOT, NOUN, OPEN, REASON, RIGHT, SO, WAIT, WEAK, YES,
};

impl Reader<'_> {
    /// Whether a letter may also be a word.
    pub(super) fn is_article(&self, item: &Item) -> bool {
        let raw = self.text.tokens[item.token].raw;
        item.what == What::Letter && raw.is_some_and(|raw| "AIEOYaieoyАИОУВСКЯ".contains(raw))
    }

    /// Whether only the text of another option follows a letter: "(B) cat".
    fn contradicts(&self, k: usize) -> bool {
        let rest = &self.items[k + 1..];
        let text = rest
            .iter()
            .position(|i| !i.is_mark(")]}.:-"))
            .unwrap_or(rest.len());
        rest.get(text + 1)
            .is_none_or(|i| matches!(i.what, What::Line | What::Closes) || i.is_mark(".!?;,)"))
    }

    pub(super) fn is_reason(&self, k: usize, end: usize) -> bool {
        self.items
            .get(k)
            .is_some_and(|item| k < end && item.is(REASON) && !item.is(LINK))
    }

    /// The letter of another option in parentheses after a text.
    pub(super) fn other_letter(&self, k: usize, end: usize) -> Option<i32> {
        let [text, open, letter, close] = self.items.get(k..(k + 4).min(end))? else {
            return None;
        };
        let is_pair = text.what == What::Text && open.is_mark("(") && close.is_mark(")");
        (is_pair
            && letter.what == What::Letter
            && letter.sure
            && !letter.low
            && letter.option != text.option)
            .then_some(letter.option)
    }

    /// Where the first option text with its own letter in parentheses ends.
    pub(super) fn pair(&self, start: usize, end: usize) -> Option<usize> {
        let k = (start..end).find(|k| self.items[*k].what == What::Text)?;
        let part = &self.items[k + 1..end.min(k + 5)];
        let (open, rest) = part.split_first()?;
        let rest = if part.len() > 2 && rest[0].is(NOUN) {
            &rest[1..]
        } else {
            rest
        };
        let [letter, close, ..] = rest else {
            return None;
        };
        let own = letter.what == What::Letter && letter.option == self.items[k].option;
        (open.is_mark("(") && own && close.is_mark(")")).then_some(k + 4)
    }

    /// The other option whose text follows a letter, alone or in parentheses, and its place.
    pub(super) fn other_text(&self, k: usize, end: usize) -> Option<(usize, i32)> {
        let item = &self.items[k];
        let bare = self.is_article(item) && !item.sure && !item.label;
        if item.what != What::Letter || item.low || bare {
            return None;
        }
        let at = (k + 1..end).find(|at| !self.items[*at].is_mark(")]-:("))?;
        let text =
            Some(&self.items[at]).filter(|i| i.what == What::Text && i.option != item.option)?;
        let closes = |i: &Item| matches!(i.what, What::Line | What::Closes) || i.is_mark(".!?;,)");
        self.items
            .get(at + 1)
            .is_none_or(closes)
            .then_some((at, text.option))
    }

    /// Whether a letter with its text is followed by the next letter: "A. a bird B. a mouse".
    pub(super) fn lists(&self, k: usize, end: usize) -> bool {
        let option = self.items[k].option;
        let own = |i: &&Item| i.is_mark(")].:-(") || i.what == What::Text && i.option == option;
        let next = k + 1 + self.items[k + 1..end].iter().take_while(own).count();
        let after = self.items.get(next).filter(|_| next > k + 2 && next < end);
        after.is_some_and(|i| i.what == What::Letter && i.label && i.option != option)
    }

    /// Whether a text follows a letter. With `of_option`: an option's text, after a mark.
    pub(super) fn has_text(&self, k: usize, end: usize, of_option: bool) -> bool {
        let rest = &self.items[k + 1..end.max(k + 1)];
        let marks = rest.iter().take_while(|i| i.is_mark(")]}.:-")).count();
        if of_option {
            return marks > 0 && rest.get(marks).is_some_and(|i| i.what == What::Text);
        }
        rest.get(marks)
            .is_some_and(|i| !matches!(i.what, What::Mark | What::Line) && !i.is(WAIT | WEAK))
    }

    pub(super) fn is_negated(&self, start: usize, end: usize) -> bool {
        let some = &self.items[start..end.min(start + 200)];
        some.iter()
            .any(|i| i.is(NOT | HEDGE | IF | OPEN) && !i.is(LINK | REASON))
    }

    pub(super) fn is_first(&self, k: usize, start: usize) -> bool {
        k - start <= NEAR && self.items[start..k].iter().all(|i| i.what != What::Word)
    }

    /// Whether a sentence is only one answer.
    pub(super) fn is_whole(&self, k: usize, start: usize, end: usize) -> bool {
        let option = self.items[k].option;
        let mut joins = false;
        for i in &self.items[k + 1..end] {
            // "A is a bear" states what A is, not that A is right.
            joins = joins || i.is(IS);
            if joins && (i.what == What::Text || i.is(NOUN) && !i.is(RIGHT)) {
                return false;
            }
        }
        self.items[start..end].iter().all(|i| match i.what {
            What::Word | What::Opens | What::Closes => false,
            What::Letter | What::Text => i.option == option,
            What::Mark => "()[]{}<>.:-=,".contains(i.mark),
            What::Phrase => i.is(LINK | NOUN | IS | RIGHT | CUE | SO | WAIT | WEAK | BUT | YES),
            What::Line => true,
        })
    }

    /// Whether a letter is an answer and not a word of the sentence.
    pub(super) fn stands(&self, k: usize, left: Left, right: Right) -> bool {
        let item = &self.items[k];
        if item.what == What::Text {
            return true;
        }
        if right == Right::Text && (!item.sure || self.contradicts(k)) {
            return false;
        }
        if item.sure {
            return true;
        }
        if item.low {
            let labelled =
                item.label && (left == Left::Start || right == Right::End && left == Left::Cued);
            let told = matches!(right, Right::End | Right::Comma | Right::After)
                && matches!(left, Left::Cued | Left::Named | Left::Back);
            let alone = right == Right::After
                && left == Left::Start
                && !self.is_article(item)
                && self.text.tokens[item.token].script == 1;
            let leads = item.digit
                && k < 2
                && left == Left::Start
                && matches!(right, Right::Comma | Right::Reason);
            return leads
                || alone
                || labelled
                || told
                || right == Right::End && left == Left::Start;
        }
        !(right == Right::Word && self.is_article(item)) || left == Left::Named || item.label
    }
}
