//! Whether an output commits to an answer.

use super::context::{Left, Right};
use super::items::{Item, What};
use super::reader::{CurrentSentence, Event, Reader, Stated};
use super::words::{CUE, FINAL, HEDGE, IF, LINK, MILD, NOT, NOUN, REFUSE, RIGHT, WAIT};

impl Reader<'_> {
    /// Records whether the output commits to the answer at `k`, and returns that.
    pub(super) fn commits(
        &mut self,
        k: usize,
        here: &CurrentSentence,
        (left, at): (Left, usize),
        (right, last): (Right, usize),
    ) -> bool {
        let (start, end) = (here.start, here.end);
        let item = self.items[k];
        let option = item.option;
        let is_letter = item.what == What::Letter;
        let (mut commits, mut listed) = self.states(k, here, (left, at), (right, last));
        let shown = !commits && self.is_presented(k, start);
        if shown {
            (commits, listed) = (true, false);
        }
        let mut strength = if left == Left::Cued && self.items[at].is(FINAL) {
            3
        } else {
            2
        };
        if commits && is_letter && item.label && self.lists(k, end) {
            listed = true;
        }
        if commits && item.digit && !item.own && !self.is_led(k, start, (left, at)) {
            // "That gives 2."
            commits = false;
        }
        let tells = is_letter && (!item.digit || self.ends(k)) || here.turns;
        if !commits && right == Right::End && tells && self.is_told(k, start) {
            commits = true;
            listed = self.crosses(start, k) && self.has_text(k, end, false);
        }
        let loosely = !is_letter
            && matches!(right, Right::Word | Right::Comma | Right::Reason)
            && end - k < 5;
        let concluded = !commits
            && !item.digit
            && (right == Right::End || loosely)
            && self.is_concluded(k, start);
        if concluded {
            (commits, strength) = (true, 2);
        }
        if commits {
            // In a truncated text, neither a mere mention nor a list of options is an answer.
            let mild = !is_letter && left == Left::Cued && self.items[at].is(MILD) && strength != 3;
            let inline = !is_letter && start > 0 && self.items[start - 1].what == What::Mark;
            let passing =
                mild || concluded || start > 0 && left == Left::Start && (listed || inline);
            let stated = match shown {
                true => Stated::AsAnswer,
                false => self.how_stated(k, (start, end), (left, at), (right, last), listed),
            };
            self.events.push(Event::Commits {
                option,
                strength,
                listed,
                passing,
                stated,
            });
        } else if !is_letter {
            self.mentions(k, here);
        } else if item.sure
            || left == Left::Named
            || item.label && (!item.digit || item.own || left == Left::Start)
        {
            let closes = matches!(right, Right::End | Right::Comma | Right::Reason);
            let (denied, clear) = (
                self.is_negated(start, end),
                closes && self.is_clear(k, start, end),
            );
            self.events.push(Event::Marks {
                option,
                denied,
                clear,
            });
        }
        commits
    }

    /// Whether the output commits to the answer, and whether it is a letter with a text, as in a
    /// list of options.
    fn states(
        &mut self,
        k: usize,
        here: &CurrentSentence,
        (left, at): (Left, usize),
        (right, last): (Right, usize),
    ) -> (bool, bool) {
        let (start, end) = (here.start, here.end);
        let item = self.items[k];
        let is_letter = item.what == What::Letter;
        let closes = matches!(right, Right::End | Right::Comma | Right::Reason);
        match left {
            _ if right == Right::After => (true, false),
            Left::Cued => {
                let crosses = self.items[at..k].iter().any(|i| i.what == What::Line);
                (
                    is_letter || closes,
                    crosses && is_letter && self.has_text(k, end, false),
                )
            }
            Left::Back => (is_letter || closes, false),
            Left::Turned if here.turns || self.is_turned(&item, start, at) => (closes, false),
            Left::Start | Left::Named if left == Left::Start || self.is_first(k, start) => {
                let begins = (start == 0 || here.after_question) && k - start <= 2;
                let leads = item.label
                    || matches!(right, Right::Comma | Right::Reason)
                    || is_letter && right == Right::End && item.sure;
                if right == Right::End && self.is_whole(k, start, end) {
                    (true, is_letter && self.has_text(k, end, false))
                } else if begins && leads {
                    let article = is_letter && !item.label && !item.sure && self.is_article(&item);
                    let reasoned = right != Right::Reason
                        || if article {
                            self.is_reason(last + 1, end)
                        } else {
                            is_letter
                        };
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

    /// Whether there is a line end between two items.
    fn crosses(&self, start: usize, end: usize) -> bool {
        self.items[start..end].iter().any(|i| i.what == What::Line)
    }

    /// Whether only marks follow an answer.
    fn ends(&self, k: usize) -> bool {
        let is_mark = |i: &Item| matches!(i.what, What::Mark | What::Line);
        self.items[k + 1..].iter().all(is_mark)
    }

    /// Whether the words before a number say that it names an option, and do not only count.
    fn is_led(&self, k: usize, start: usize, (left, at): (Left, usize)) -> bool {
        let names = |i: &Item| i.is(FINAL | NOUN | RIGHT) || i.is(CUE) && !i.is(MILD);
        left != Left::Cued
            || self.items[k].sure
            || k - start <= 2
            || self.items[at..k].iter().any(names)
    }

    /// Whether an option's text is what the speaker does: "I agree", "I would agree".
    pub(super) fn is_first_person(&self, k: usize, start: usize) -> bool {
        let before = self.items[start..k].iter().rev();
        let mut before = before.take(2).enumerate();
        let one = before.find(|(at, i)| *at > 0 || k == start + 1 || !i.is(LINK));
        one.is_some_and(|(_, i)| {
            self.text.tokens[i.token].raw == Some('I')
                && i.what != What::Letter
                && !i.is(NOT | REFUSE | HEDGE | IF | WAIT)
        })
    }

    /// Whether a sentence is only letters above what is said of them, after an answer.
    pub(super) fn is_heading(&self, k: usize, last: usize, (start, end): (usize, usize)) -> bool {
        let commits = |e: &Event| matches!(e, Event::Commits { .. });
        let goes_on = self
            .items
            .get(end + 1)
            .is_some_and(|i| i.what != What::Line);
        self.items[k].what == What::Letter
            && k - start <= 1
            && last + 1 >= end
            && goes_on
            && self.items[end].is_mark(".")
            && self.events.iter().any(commits)
    }
}
