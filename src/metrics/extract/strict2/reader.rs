//! Reads the statements of each sentence about the options.

use std::collections::HashMap;

use super::context::{Left, NEAR, Right};
use super::items::{Item, What};
use super::options::SEVERAL;
use super::tokens::Text;
use super::words::{BUT, CUE, DEPENDS, FIRST, LEAN, LINK, NOT, OR, SO, THOUGH, WAIT, WEAK};

/// A statement, in text order.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Event {
    /// Commits to an option. `listed`: it is a letter followed by a text, as in a list of options.
    /// `passing`: a truncated text may say so in passing.
    Commits {
        option: i32,
        strength: u8,
        listed: bool,
        passing: bool,
        stated: Stated,
    },
    /// Leaves open which of these options it is. `mentions`: an option's text is only mentioned.
    Leaves {
        options: Vec<i32>,
        mentions: bool,
        aside: Aside,
    },
    /// "Perhaps it is": the answer if no other option is in view.
    Leans(i32),
    Denies(i32),
    Asks,
    /// Withdraws an earlier statement.
    TakesBack,
    /// The rest may replace an earlier statement.
    Turns,
    /// A letter marked as an option. `denied`: something next to it is denied. `clear`: its own
    /// clause is not affected.
    Marks {
        option: i32,
        denied: bool,
        clear: bool,
    },
    /// The text of an option; fields as in `Marks`.
    Mentions {
        option: i32,
        denied: bool,
        clear: bool,
    },
    /// A letter followed by a text.
    Labels(i32),
}

/// How an answer is stated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Stated {
    Loosely,
    /// A letter or text stands for itself.
    ForItself,
    /// A letter or text is said to be the answer.
    AsAnswer,
}

/// What an option that is left open says of an answer that stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Aside {
    No,
    /// It says nothing of another option.
    OfOthers,
    /// It says nothing of any option, nor of its own.
    OfAny,
}

impl Aside {
    /// Whether an answer stands though these options are left open.
    pub(super) fn spares(self, answer: i32, options: &[i32]) -> bool {
        match self {
            Aside::No => false,
            Aside::OfOthers => !options.contains(&answer),
            Aside::OfAny => true,
        }
    }
}

/// The strength of a boxed number: above everything before it, below what follows.
pub(super) const NUMBER: u8 = 4;

pub(super) struct Reader<'a> {
    pub(super) items: &'a [Item],
    pub(super) text: &'a Text,
    pub(super) events: Vec<Event>,
    pub(super) closes: HashMap<usize, usize>,
    /// The only option that the previous sentence asked about.
    pub(super) asked: Option<i32>,
    /// Whether the previous sentence was a question.
    questioned: bool,
    /// Where an answer is last withdrawn.
    pub(super) turns_at: Option<usize>,
    /// The options' numbers without their unit.
    pub(super) numbers: HashMap<String, i32>,
    /// Whether the question asks for something that is not there.
    pub(super) denies: bool,
}

/// The sentence that is being read.
pub(super) struct CurrentSentence {
    pub(super) start: usize,
    pub(super) end: usize,
    question: bool,
    /// Whether it begins with a condition.
    condition: bool,
    /// Whether it follows a question.
    pub(super) after_question: bool,
    /// Whether something in it has been denied or left open so far.
    pub(super) turns: bool,
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
        Reader {
            items,
            text,
            events: Vec::new(),
            closes,
            asked: None,
            questioned: false,
            turns_at: None,
            numbers: HashMap::new(),
            denies: false,
        }
    }

    pub(super) fn sentence(&mut self, (start, end, question): (usize, usize, bool)) {
        let after_question = std::mem::replace(&mut self.questioned, question);
        let condition = self.is_conditional(start)
            || self.items[start..end.min(start + 4)]
                .iter()
                .any(|i| i.is(DEPENDS));
        if self.verdict(start, end, question) {
            return;
        }
        let line = (start + 1..end.min(start + NEAR)).find(|j| self.items[*j].what == What::Line);
        if let Some(line) = line
            && line + 1 < end
            && self.items[line - 1].is_mark(":")
            && self.verdict(line + 1, end, question)
        {
            // "The other options:", "A. dog: wrong"
            return;
        }
        let mut here = CurrentSentence {
            start,
            end,
            question,
            condition,
            after_question,
            turns: false,
        };
        let mut k = self.conceded(&mut here);
        let first = self.items[start..end.min(start + NEAR)]
            .iter()
            .position(|i| i.is(FIRST))
            .map(|at| start + at);
        // "At first I thought of a dog, but it is a cat."
        let turn = first.and_then(|first| {
            let rest = &self.items[first..end.min(first + NEAR)];
            rest.iter()
                .position(|i| i.is(BUT) && !i.is(CUE | LINK | NOT))
                .map(|at| first..first + at)
        });
        while k < end {
            let item = self.items[k];
            k = match item.what {
                What::Opens => self.boxed(k, end),
                _ if item.is_answer()
                    && turn
                        .as_ref()
                        .is_some_and(|turn| turn.start < k && turn.contains(&k)) =>
                {
                    here.turns = true;
                    k + 1
                }
                What::Phrase => self.phrase(k, (start, end)),
                What::Letter | What::Text => self.answer(k, &mut here),
                _ => k + 1,
            };
        }
    }

    /// "Although it looks like a dog, it is a cat": the conceded option is denied. Returns where to
    /// continue.
    fn conceded(&mut self, here: &mut CurrentSentence) -> usize {
        if here.question || !self.items[here.start].is(THOUGH) {
            return here.start;
        }
        let clause = &self.items[here.start..here.end.min(here.start + NEAR)];
        let Some(comma) = clause.iter().position(|i| i.is_mark(",")) else {
            return here.start;
        };
        for i in &clause[..comma] {
            if i.what == What::Text || i.what == What::Letter && !self.is_article(i) {
                self.events.push(Event::Denies(i.option));
                here.turns = true;
            }
        }
        here.start + comma + 1
    }

    /// Reads a phrase that withdraws a statement. Returns where to continue.
    fn phrase(&mut self, k: usize, (start, end): (usize, usize)) -> usize {
        let item = self.items[k];
        if item.is(WAIT | WEAK) {
            let begins = |i: &Item| {
                matches!(i.what, What::Mark | What::Line | What::Opens | What::Closes)
                    || i.is(WAIT | WEAK | NOT | BUT | SO | OR)
            };
            if k == start || begins(&self.items[k - 1]) {
                let rest = &self.items[k + 1..end.min(k + 3).max(k + 1)];
                let alone = k == start
                    && rest
                        .iter()
                        .all(|i| matches!(i.what, What::Mark | What::Line));
                let says = |e: &Event| {
                    matches!(
                        e,
                        Event::Commits { .. } | Event::Mentions { .. } | Event::Marks { .. }
                    )
                };
                // "C, no B" denies B.
                let next = self.items.get(k + 1);
                let denies = item.is(NOT)
                    && next.is_some_and(|i| !matches!(i.what, What::Mark | What::Line));
                if !denies && self.events.iter().any(says) {
                    self.turns_at = Some(k);
                }
                self.events.push(if item.is(WAIT) || alone {
                    Event::TakesBack
                } else {
                    Event::Turns
                });
            }
        }
        k + 1
    }

    /// Reads a letter or text of an option. Returns where to continue.
    fn answer(&mut self, k: usize, here: &mut CurrentSentence) -> usize {
        let (start, end) = (here.start, here.end);
        let item = self.items[k];
        let option = item.option;
        let is_letter = item.what == What::Letter;
        let (mut group, mut last) = self.group(k, end);
        let several = group.iter().any(|o| *o != option);
        if !several {
            (group, last) = (vec![option], k);
        }
        let (left, at) = self.left(k, start);
        let right = self.right(last, end, option, is_letter && !item.sure && !item.label);
        let outer = match left {
            Left::Cued | Left::Named => self.clause(at, start),
            _ if right == Right::After => self.clause(k, start),
            _ => None,
        };
        let mentions = !is_letter && left == Left::Other;
        let is = |kind: Left| left == kind || outer == Some(kind);
        let leans = is(Left::Leaned)
            || left == Left::Hedged && right == Right::After && self.items[at].is(LEAN);
        let mut commits = false;
        if here.question {
            self.events.push(Event::Asks);
        } else if let Some((text, other)) = self.other_text(k, end) {
            // "B (dog)" or "B - dog", where the text is that of another option.
            self.events.push(Event::Leaves {
                options: vec![option, other],
                mentions: false,
                aside: Aside::No,
            });
            last = text;
        } else if let Some(other) = self.other_letter(k, end) {
            // "Flying a kite (B)", where the text is that of another option.
            self.events.push(Event::Leaves {
                options: vec![option, other],
                mentions: false,
                aside: Aside::No,
            });
            last = k + 2;
        } else if is(Left::Denied) || right == Right::Not {
            self.events.extend(group.iter().map(|o| Event::Denies(*o)));
            here.turns = true;
        } else if several && self.is_heading(k, last, (start, end)) {
            // "C and D. They are": a heading above what is said of them.
        } else if several {
            let or = self.items[k..last].iter().any(|i| i.is(OR) && !i.is(LINK));
            let beside = matches!(left, Left::Start | Left::Named | Left::Other | Left::Comma);
            let passing = right == Right::Word && beside && !or;
            self.events.push(Event::Leaves {
                options: group.clone(),
                mentions: mentions || passing,
                aside: if or { Aside::No } else { Aside::OfOthers },
            });
            here.turns = true;
        } else if leans && !here.condition {
            self.events.push(Event::Leans(option));
            here.turns = true;
        } else if here.condition
            || is(Left::Hedged)
            || is(Left::Condition)
            || matches!(right, Right::Hedge | Right::Or | Right::If) && self.stands(k, left, right)
        {
            let aside = self.aside(k, (start, end), here.condition, (left, right));
            self.events.push(Event::Leaves {
                options: vec![option],
                mentions,
                aside,
            });
            here.turns = true;
        } else if !is_letter && self.is_first_person(k, start) {
            // "I strongly disagree with it."
            self.events.push(Event::Commits {
                option,
                strength: 2,
                listed: false,
                passing: false,
                stated: Stated::Loosely,
            });
        } else if self.stands(k, left, right) {
            commits = self.commits(k, here, (left, at), (right, last));
        } else if !is_letter {
            self.mentions(k, here);
        } else if right == Right::Text {
            let joined = self
                .items
                .get(k + 1)
                .filter(|i| i.what == What::Phrase && self.text.tokens[i.token].script == 3);
            if item.label || item.sure {
                self.events.push(Event::Leaves {
                    options: vec![option, SEVERAL],
                    mentions: false,
                    aside: Aside::No,
                });
            } else if joined.is_some() {
                // "Aの駐車場", where the text is that of another option.
                self.events.push(Event::Leaves {
                    options: vec![option, SEVERAL],
                    mentions: false,
                    aside: Aside::No,
                });
                last = (k + 1..end)
                    .find(|j| self.items[*j].what == What::Text)
                    .unwrap_or(last);
            }
        }
        if item.label && is_letter && self.has_text(k, end, k - start > 2) {
            self.events.push(Event::Labels(option));
        }
        // The text of the preceding letter is not a second answer.
        let again = |i: &Item| {
            i.is_mark(")]}.:-(") || i.is_answer() && i.option == option && group.len() == 1
        };
        let mut next = last + 1;
        while next < end && (commits || is_letter) && again(&self.items[next]) {
            next += 1;
        }
        next
    }

    pub(super) fn mentions(&mut self, k: usize, here: &CurrentSentence) {
        let (denied, clear) = (
            self.is_negated(here.start, here.end),
            self.is_clear(k, here.start, here.end),
        );
        self.events.push(Event::Mentions {
            option: self.items[k].option,
            denied,
            clear,
        });
    }
}
