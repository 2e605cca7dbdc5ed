//! Splits a text into items (phrases, letters and texts of options, marks, other words) and
//! sentences.

use super::bare_words::is_hangul;
use super::letters::{Labels, letter};
use super::numbers::Place;
use super::options::{Options, SEVERAL, SHORT, UNCLEAR, words_at};
use super::tokens::{Kind, Text};
use super::words::{CUE, FINAL, IS, NO, NOUN, PLAIN, REFUSE, YES, words};

/// Maximum length, in words and marks, of an output whose mention of an option's text counts as an
/// answer, and of a sentence that is compared with the question.
pub(super) const LONG: usize = 60;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum What {
    /// A phrase of the table.
    Phrase,
    /// The letter of an option.
    Letter,
    /// The text of an option.
    Text,
    Word,
    Mark,
    Line,
    Opens,
    Closes,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Item {
    pub(super) what: What,
    /// Index of its first token.
    pub(super) token: usize,
    /// The classes of a phrase.
    pub(super) mask: u32,
    pub(super) option: i32,
    /// The character of a mark.
    pub(super) mark: char,
    /// A letter in brackets, quotes, or emphasis.
    pub(super) sure: bool,
    /// A lowercase letter, or one of another script.
    pub(super) low: bool,
    /// A letter followed by a full stop, bracket, or colon.
    pub(super) label: bool,
    /// A number.
    pub(super) digit: bool,
    /// A number followed by the text of its option.
    pub(super) own: bool,
    /// The option that the letter itself stands for.
    pub(super) place: i32,
}

impl Item {
    pub(super) fn new(what: What, token: usize) -> Item {
        Item {
            what,
            token,
            mask: 0,
            option: UNCLEAR,
            mark: ' ',
            sure: false,
            low: false,
            label: false,
            digit: false,
            own: false,
            place: UNCLEAR,
        }
    }

    pub(super) fn is_answer(&self) -> bool {
        matches!(self.what, What::Letter | What::Text)
    }

    /// Whether it is a phrase of one of these classes.
    pub(super) fn is(&self, mask: u32) -> bool {
        self.what == What::Phrase && self.mask & mask != 0
    }

    pub(super) fn is_mark(&self, marks: &str) -> bool {
        self.what == What::Mark && marks.contains(self.mark)
    }
}

pub(super) fn items(text: &Text, options: &Options, labels: &Labels) -> Vec<Item> {
    let count = labels.count;
    let (mut out, mut at, n): (Vec<Item>, usize, usize) = (Vec::new(), 0, text.tokens.len());
    while at < n {
        let token = &text.tokens[at];
        if token.kind != Kind::Word {
            if token.kind == Kind::Mark && text.at(at) == "'" {
                let (end, mask) = words().phrase(text, at);
                if mask != 0 {
                    out.push(Item {
                        mask,
                        ..Item::new(What::Phrase, at)
                    });
                }
                at = end.max(at + 1);
                continue;
            }
            let named = options
                .at(text, at)
                .filter(|(end, _)| token.kind == Kind::Mark && *end > at + 1);
            if let Some((text_end, option)) = named {
                out.push(Item {
                    option,
                    ..Item::new(What::Text, at)
                });
                at = text_end;
                continue;
            }
            let what = match token.kind {
                Kind::Line => What::Line,
                Kind::Opens => What::Opens,
                Kind::Closes => What::Closes,
                Kind::Mark | Kind::Word => What::Mark,
            };
            out.push(Item {
                mark: text.at(at).chars().next().unwrap_or(' '),
                ..Item::new(what, at)
            });
            at += 1;
            continue;
        }
        let (mut end, mut mask) = words().phrase(text, at);
        let before = |back: usize| out.len().checked_sub(back).map(|at| &out[at]);
        let place = Place {
            first: out.is_empty(),
            begins: before(1).is_none_or(|item| item.what == What::Line),
            named: before(1).is_some_and(|item| item.is(NOUN)),
            after_phrase: before(2).is_some_and(|item| item.what == What::Phrase),
        };
        let numbers = labels.numbers.as_ref();
        let number = numbers.and_then(|numbers| numbers.at(text, at, place));
        let mut found = number
            .map(|n| (n.option, n.enclosed, !n.own))
            .or_else(|| letter(text, at, labels));
        let place = found.map(|(option, ..)| option);
        let after = text.tokens.get(at + 1);
        let mut of_text = options.at(text, at);
        let in_word = token.script == 3 && text.is_joined(at) && text.tokens[at - 1].script == 3;
        let is_part = |end: usize| end - at < 2 || text.at(at).starts_with(is_hangul);
        if in_word
            && out.last().is_some_and(|i| i.what == What::Word)
            && of_text.is_some_and(|(end, _)| is_part(end))
        {
            of_text = None;
        }
        if number.is_some_and(|n| n.own) && of_text.is_some_and(|(end, _)| end == at + 1) {
            of_text = None;
        }
        if let (Some((text_end, option)), Some(letter)) = (of_text, &mut found)
            && text_end == at + 1
        {
            // A text of one letter is read as a letter, unless it names another option.
            if letter.0 >= count {
                (letter.0, letter.1) = (option, true);
            } else {
                letter.0 = if letter.0 == option { option } else { SEVERAL };
            }
            of_text = None;
        }
        if of_text.is_some_and(|(end, _)| end == at + 1)
            && n > SHORT
            && is_list_number(text, at, out.last())
        {
            of_text = None;
        }
        if let Some((text_end, option)) = of_text.filter(|(text_end, _)| *text_end >= end) {
            out.push(Item {
                option,
                ..Item::new(What::Text, at)
            });
            at = text_end;
            continue;
        }
        let of_option = |k: usize| {
            options
                .at(text, k)
                .is_some_and(|(text_end, _)| text_end >= end)
        };
        if mask == PLAIN && (at + 1..end).any(of_option) {
            // "to the right", where "right of the plate" is an option.
            (end, mask) = (at, 0);
        }
        let label = after.is_some_and(|a| a.kind == Kind::Mark && !a.blank)
            && [".", ")", ":", "]"].contains(&text.at(at + 1));
        if let Some((option, sure, low)) = found {
            let begins = out.last().is_none_or(|item| item.what == What::Line);
            let alone = n == 1 || low && mask != 0 && label && begins;
            let told = out.last().is_some_and(|i| i.is_mark(":"))
                && after.is_none_or(|a| a.kind == Kind::Line);
            if (sure || mask == 0 || alone || told) && (mask == 0 || end == at + 1 || sure) {
                out.push(Item {
                    option,
                    sure,
                    low,
                    label,
                    digit: number.is_some(),
                    own: number.is_some_and(|n| n.own),
                    place: place.unwrap_or(option),
                    ..Item::new(What::Letter, at)
                });
                at += 1;
                continue;
            }
        }
        if end == at + 1 && (is_within(text, options, at, out.last()) || begins_word(text, at)) {
            mask = 0;
        }
        if mask != 0 {
            out.push(Item {
                mask,
                ..Item::new(What::Phrase, at)
            });
            at = end;
        } else {
            out.push(Item::new(What::Word, at));
            at += 1;
        }
    }
    while out.last().is_some_and(|item| item.what == What::Line) {
        out.pop();
    }
    clear(&mut out);
    out
}

/// Whether a number belongs to a list: "1. The man on the left".
fn is_list_number(text: &Text, at: usize, before: Option<&Item>) -> bool {
    let after = text
        .tokens
        .get(at + 1)
        .filter(|a| a.kind == Kind::Mark && !a.blank && matches!(text.at(at + 1), "." | ")"));
    text.at(at).bytes().all(|b| b.is_ascii_digit())
        && before.is_none_or(|item| item.what == What::Line)
        && after.is_some()
        && text
            .tokens
            .get(at + 2)
            .is_some_and(|token| token.kind == Kind::Word)
}

/// Whether a Hiragana character is inside a word.
fn is_within(text: &Text, options: &Options, at: usize, before: Option<&Item>) -> bool {
    let is_dense = |at: usize| text.tokens.get(at).is_some_and(|token| token.script == 3);
    text.at(at)
        .starts_with(|c| ('\u{3041}'..='\u{309f}').contains(&c))
        && before.is_some_and(|item| item.what == What::Word)
        && text.is_joined(at)
        && is_dense(at - 1)
        && text.is_joined(at + 1)
        && is_dense(at + 1)
        && words_at(text, at + 1) == 0
        && options.at(text, at + 1).is_none()
}

/// Whether か begins a word, as in かつお.
fn begins_word(text: &Text, at: usize) -> bool {
    let follows = |c: char| ('\u{3041}'..='\u{309f}').contains(&c) && !"もな".contains(c);
    text.at(at) == "か" && text.is_joined(at + 1) && text.at(at + 1).starts_with(follows)
}

/// "В. зелёный": the text determines the alphabet of the letter.
fn clear(all: &mut [Item]) {
    for at in 0..all.len() {
        if all[at].what == What::Letter && all[at].option == UNCLEAR {
            let marks = all[at + 1..]
                .iter()
                .take(3)
                .take_while(|i| i.is_mark(")].:-("))
                .count();
            if let Some(text) = all
                .get(at + 1 + marks)
                .filter(|i| marks > 0 && i.what == What::Text)
            {
                all[at].option = text.option;
            }
        }
    }
}

/// The ranges of sentences, and whether each is a question.
pub(super) fn sentences(all: &[Item]) -> Vec<(usize, usize, bool)> {
    let (mut out, mut start) = (Vec::new(), 0);
    for (at, item) in all.iter().enumerate() {
        let stops = match item.what {
            What::Line => {
                let before = all[start.max(at.saturating_sub(3)).min(at)..at]
                    .iter()
                    .rev()
                    .find(|i| !i.is_mark(")]}"));
                let goes_on = before
                    .is_some_and(|i| i.is_mark(":=") || i.is(CUE | FINAL | IS) && !i.is(YES | NO));
                // A heading above the answer is read with it, once.
                let is_second = all[start.max(at.saturating_sub(8)).min(at)..at]
                    .iter()
                    .any(|i| i.what == What::Line);
                !goes_on || is_second
            }
            What::Mark if "!?;…。".contains(item.mark) => true,
            What::Mark if item.mark == '.' => {
                let before = all
                    .get(at.wrapping_sub(1))
                    .filter(|i| at > start && i.what == What::Letter);
                let is_label = before.zip(all.get(at + 1)).is_some_and(|(letter, after)| {
                    after.what != What::Line
                        && (at - 1 - start <= 1
                            || (after.what == What::Text || letter.own) && !letter.low)
                });
                !is_label
            }
            _ => false,
        };
        if stops {
            if at > start {
                out.push((start, at, item.is_mark("?")));
            }
            start = at + 1;
        }
    }
    if start < all.len() {
        out.push((start, all.len(), false));
    }
    out
}

/// Whether an output declines to answer.
pub(super) fn refuses(all: &[Item]) -> bool {
    all.iter().any(|item| item.is(REFUSE))
}
