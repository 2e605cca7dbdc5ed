//! What each sentence says of the options.

use std::collections::HashMap;

use super::around::{Left, NEAR, Right};
use super::items::{Item, SEVERAL, What};
use super::tokens::Text;
use super::words::{BUT, CUE, FINAL, HEDGE, IF, IS, LINK, NOT, NOUN, OPEN, OR, REASON, RIGHT, SO, WAIT, WEAK, YES};

/// What is said, in order.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Event {
    /// It commits itself to an option; how strongly, and whether it is a letter with a text behind it, as a list of options has them.
    Commits {
        option: i32,
        strength: u8,
        listed: bool,
    },
    /// It leaves open which of these; whether an option's text is merely mentioned.
    Leaves {
        options: Vec<i32>,
        mentions: bool,
    },
    Denies(i32),
    Asks,
    /// What was said before is taken back.
    TakesBack,
    /// What follows may stand in place of what was said before.
    Turns,
    /// A letter marked as an option; whether something is denied beside it.
    Marks {
        option: i32,
        denied: bool,
    },
    /// The text of an option; whether something is denied beside it.
    Mentions {
        option: i32,
        denied: bool,
    },
    /// A letter with a text behind it.
    Labels(i32),
}

/// The strength of a boxed number: above all that stands before it, and below what follows.
pub(super) const NUMBER: u8 = 4;

pub(super) struct Reader<'a> {
    pub(super) items: &'a [Item],
    pub(super) text: &'a Text,
    pub(super) events: Vec<Event>,
    closes: HashMap<usize, usize>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(items: &'a [Item], text: &'a Text) -> Reader<'a> {
        let (mut closes, mut opened) = (HashMap::new(), Vec::new());
        for (at, item) in items.iter().enumerate() {
            if item.what == What::Opens {
                opened.push(at);
            } else if item.what == What::Closes
                && let Some(open) = opened.pop()
            {
                closes.insert(open, at);
            }
        }
        Reader { items, text, events: Vec::new(), closes }
    }

    pub(super) fn sentence(&mut self, (start, end, question): (usize, usize, bool)) {
        let is_if = |i: &Item| i.is(IF) && !i.is(LINK | REASON | HEDGE | YES);
        let condition = self.items[start..end.min(start + 2)].iter().any(is_if);
        let (mut k, mut denied) = (start, false);
        while k < end {
            let item = self.items[k];
            k = match item.what {
                What::Opens => self.boxed(k, end),
                What::Phrase => self.phrase(k, (start, end)),
                What::Letter | What::Text => self.answer(k, (start, end), (question, condition), &mut denied),
                _ => k + 1,
            };
        }
    }

    /// A phrase that takes back what was said.
    fn phrase(&mut self, k: usize, (start, end): (usize, usize)) -> usize {
        let item = self.items[k];
        if item.is(WAIT | WEAK) {
            let begins = |i: &Item| {
                matches!(i.what, What::Mark | What::Line | What::Opens | What::Closes)
                    || i.is(WAIT | WEAK | NOT | BUT | SO | OR)
            };
            if k == start || begins(&self.items[k - 1]) {
                let rest = &self.items[k + 1..end.min(k + 3).max(k + 1)];
                let alone = k == start && rest.iter().all(|i| matches!(i.what, What::Mark | What::Line));
                self.events.push(if item.is(WAIT) || alone { Event::TakesBack } else { Event::Turns });
            }
        }
        k + 1
    }

    /// A letter or text of an option; where to go on.
    fn answer(
        &mut self,
        k: usize,
        (start, end): (usize, usize),
        (question, condition): (bool, bool),
        denied: &mut bool,
    ) -> usize {
        let item = self.items[k];
        let (group, last) = self.group(k, end);
        let option = item.option;
        let is_letter = item.what == What::Letter;
        let (left, at) = self.left(k, start);
        let right = self.right(last, end, option, is_letter && !item.sure && !item.label);
        let outer = match left {
            Left::Cued | Left::Named => self.clause(at, start),
            _ if right == Right::After => self.clause(k, start),
            _ => None,
        };
        let stands = self.stands(k, left, right);
        let open = condition
            || [left, outer.unwrap_or(Left::Other)].iter().any(|l| matches!(l, Left::Hedged | Left::Condition))
            || matches!(right, Right::Hedge | Right::Or | Right::If) && stands;
        let several = group.iter().any(|o| *o != option);
        let mentions = !is_letter && left == Left::Other;
        if question {
            self.events.push(Event::Asks);
        } else if left == Left::Denied || right == Right::Not || outer == Some(Left::Denied) {
            self.events.extend(group.iter().map(|o| Event::Denies(*o)));
            *denied = true;
        } else if several {
            self.events.push(Event::Leaves { options: group.clone(), mentions });
        } else if open {
            self.events.push(Event::Leaves { options: vec![option], mentions });
        } else if stands {
            let (commits, listed) = self.commits(k, (start, end), (left, at), (right, last), *denied);
            let strength = if left == Left::Cued && self.items[at].is(FINAL) { 3 } else { 2 };
            if commits {
                self.events.push(Event::Commits { option, strength, listed });
            } else if !is_letter {
                self.events.push(Event::Mentions { option, denied: self.is_negated(start, end) });
            } else if item.sure || left == Left::Named || item.label {
                self.events.push(Event::Marks { option, denied: self.is_negated(start, end) });
            }
        } else if !is_letter {
            self.events.push(Event::Mentions { option, denied: self.is_negated(start, end) });
        } else if right == Right::Text && (item.label || item.sure) {
            self.events.push(Event::Leaves { options: vec![option, SEVERAL], mentions: false });
        }
        if item.label && is_letter && self.has_text(k, end) {
            self.events.push(Event::Labels(option));
        }
        // The text of the letter that stands before it is no second answer.
        let again = |i: &Item| i.is_mark(")]}.:-(") || i.is_answer() && i.option == option && group.len() == 1;
        let mut next = last + 1;
        while next < end && again(&self.items[next]) {
            next += 1;
        }
        next
    }

    /// Whether the output commits itself to the answer, and whether that is a letter with a text, as lists of options have them.
    fn commits(
        &mut self,
        k: usize,
        (start, end): (usize, usize),
        (left, at): (Left, usize),
        (right, last): (Right, usize),
        denied: bool,
    ) -> (bool, bool) {
        let item = self.items[k];
        let is_letter = item.what == What::Letter;
        let closes = matches!(right, Right::End | Right::Comma | Right::Reason);
        match left {
            _ if right == Right::After => (true, false),
            Left::Cued => {
                let crosses = self.items[at..k].iter().any(|i| i.what == What::Line);
                (is_letter || closes, crosses && is_letter && self.has_text(k, end))
            }
            Left::Back => (is_letter || closes, false),
            Left::Turned if denied => (closes, false),
            Left::Start | Left::Named if left == Left::Start || self.is_first(k, start) => {
                let begins = start == 0 && k - start <= 2;
                let leads = item.label
                    || matches!(right, Right::Comma | Right::Reason)
                    || is_letter && right == Right::End && item.sure;
                if right == Right::End && self.is_whole(k, start, end) {
                    (true, is_letter && self.has_text(k, end))
                } else if begins && leads {
                    let article = is_letter && !item.label && !item.sure && self.is_article(&item);
                    let reasoned =
                        right != Right::Reason || if article { self.is_reason(last + 1, end) } else { is_letter };
                    (reasoned, item.label)
                } else {
                    if item.label && k - start <= 2 {
                        self.events.push(Event::Labels(item.option));
                    }
                    (false, false)
                }
            }
            _ => (false, false),
        }
    }

    /// Whether a letter can be a word of a sentence too.
    pub(super) fn is_article(&self, item: &Item) -> bool {
        let raw = self.text.tokens[item.token].raw;
        item.what == What::Letter && raw.is_some_and(|raw| "AIEOYaieoyАИОУВСКЯ".contains(raw))
    }

    /// Whether the text of another option stands alone behind a letter: "(B) cat".
    fn contradicts(&self, k: usize) -> bool {
        let rest = &self.items[k + 1..];
        let text = rest.iter().position(|i| !i.is_mark(")]}.:-")).unwrap_or(rest.len());
        rest.get(text + 1).is_none_or(|i| matches!(i.what, What::Line | What::Closes) || i.is_mark(".!?;,)"))
    }

    fn is_reason(&self, k: usize, end: usize) -> bool {
        self.items.get(k).is_some_and(|item| k < end && item.is(REASON) && !item.is(LINK))
    }

    /// Whether a text follows a letter.
    fn has_text(&self, k: usize, end: usize) -> bool {
        let next = self.items[k + 1..end.max(k + 1)].iter().find(|i| !i.is_mark(")]}.:-"));
        next.is_some_and(|i| !matches!(i.what, What::Mark | What::Line) && !i.is(WAIT | WEAK))
    }

    pub(super) fn is_negated(&self, start: usize, end: usize) -> bool {
        let some = &self.items[start..end.min(start + 200)];
        some.iter().any(|i| i.is(NOT | HEDGE | IF | OPEN) && !i.is(LINK | REASON))
    }

    fn is_first(&self, k: usize, start: usize) -> bool {
        k - start <= NEAR && self.items[start..k].iter().all(|i| i.what != What::Word)
    }

    /// Whether a sentence is one answer and nothing else.
    fn is_whole(&self, k: usize, start: usize, end: usize) -> bool {
        let option = self.items[k].option;
        let mut joins = false;
        for i in &self.items[k + 1..end] {
            // "A is a bear" says what A is, not that A is right.
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

    /// Whether a letter stands there as an answer, and is not a word of the sentence.
    fn stands(&self, k: usize, left: Left, right: Right) -> bool {
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
            let labelled = item.label && (left == Left::Start || right == Right::End && left == Left::Cued);
            let told = matches!(right, Right::End | Right::Comma | Right::After)
                && matches!(left, Left::Cued | Left::Named | Left::Back);
            return labelled || told || right == Right::End && left == Left::Start;
        }
        !(right == Right::Word && self.is_article(item)) || left == Left::Named || item.label
    }

    /// Reads what is boxed in: one answer and nothing else. Where to go on.
    fn boxed(&mut self, k: usize, end: usize) -> usize {
        let close = self.closes.get(&k).copied().unwrap_or_else(|| {
            let rest = &self.items[k + 1..end.min(k + 2 + NEAR)];
            k + 1 + rest.iter().position(|i| i.what == What::Line).unwrap_or(rest.len())
        });
        if close - k > NEAR {
            return k + 1;
        }
        let inner = &self.items[k + 1..close];
        let mut found: Vec<i32> = inner.iter().filter(|i| i.is_answer()).map(|i| i.option).collect();
        found.sort_unstable();
        found.dedup();
        let denies = |i: &Item| i.is(NOT | HEDGE | OR) && !i.is(LINK);
        let clear = !inner.iter().any(|i| i.what == What::Word || denies(i));
        if let ([first, second, ..], 2) = (inner, found.len())
            && first.what == What::Letter
            && self.text.tokens[first.token].raw == Some('A')
            && second.what == What::Text
        {
            found = vec![second.option];
        }
        let is_led =
            |i: &Item| i.what == What::Letter && (i.label || inner.get(1).is_some_and(|i| i.what == What::Mark));
        let led = inner.first().is_some_and(is_led) && !inner.iter().any(denies);
        if found.len() > 1 {
            self.events.push(Event::Leaves { options: found, mentions: false });
        } else if let Some(option) = found.first().copied().filter(|_| clear || led) {
            // A number may be boxed on the way to the answer: a letter that is stated later outweighs it.
            let is_digits = |i: &Item| self.text.at(i.token).chars().all(|c| c.is_ascii_digit());
            let number = matches!(inner, [one] if one.what == What::Text && is_digits(one));
            self.events.push(Event::Commits { option, strength: if number { NUMBER } else { 3 }, listed: false });
        }
        close.min(end)
    }
}
