//! Options that the question numbers: "1. cat", "2. dog".

use std::collections::HashMap;

use super::item::{Item, SEVERAL, What};
use super::numbered::{circled, value};
use super::options::{bare_numbers, words_at};
use super::tokens::{Kind, Text};
use super::words::NOUN;
use benchtop_model::Choice;

/// Words after the number of an option.
const COUNTERS: [&str; 4] = ["번", "番", "号", "號"];
/// Signs before or after a number that is an amount or a part of a formula.
const SIGNS: &str = "+<^×÷≈±√/%°€£@&~";

/// The text with "(1)" for ①.
pub(super) fn uncircled(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match circled(c) {
            Some(number) => out.push_str(&format!("({number})")),
            None => out.push(c),
        }
    }
    out
}

/// The options of a question that numbers them.
pub(super) struct Numbers {
    /// The first words of each option.
    words: Vec<Vec<String>>,
    /// The options by the numbers in them, if each is a number with a unit.
    own: HashMap<String, i32>,
}

/// A number that names an option.
#[derive(Clone, Copy)]
pub(super) struct Numbered {
    pub(super) option: i32,
    pub(super) enclosed: bool,
    /// Whether the option's text follows.
    pub(super) own: bool,
}

impl Numbers {
    pub(super) fn new(options: &[Choice]) -> Numbers {
        let words = |option: &Choice| {
            let text = Text::new(&option.text);
            let is_word = |at: &usize| text.tokens[*at].kind == Kind::Word;
            let all = (0..text.tokens.len()).filter(is_word);
            all.take(4).map(|at| text.at(at).to_string()).collect()
        };
        Numbers {
            words: options.iter().map(words).collect(),
            own: bare_numbers(options),
        }
    }

    /// Whether the text of an option begins at a token.
    fn begins(&self, text: &Text, at: usize, option: usize) -> bool {
        let Some(words) = self.words.get(option) else {
            return false;
        };
        let rest = text.tokens.get(at..).unwrap_or_default();
        let found = rest
            .iter()
            .take_while(|token| matches!(token.kind, Kind::Word | Kind::Mark))
            .filter(|token| token.kind == Kind::Word)
            .map(|token| text.word(token))
            .take(words.len());
        !words.is_empty() && found.eq(words)
    }

    /// The option that a token names by number; `out` are the items before it.
    pub(super) fn at(&self, text: &Text, at: usize, out: &[Item]) -> Option<Numbered> {
        let token = &text.tokens[at];
        let number = value(text.at(at)).filter(|number| *number > 0)?;
        let place = usize::try_from(number - 1)
            .ok()
            .filter(|place| *place < self.words.len())?;
        let kind = |at: usize| text.tokens.get(at).map(|token| token.kind);
        let is_mark =
            |at: usize, marks: &str| kind(at) == Some(Kind::Mark) && marks.contains(text.at(at));
        let before = at.checked_sub(1);
        let is_before = |marks: &str| before.is_some_and(|at| is_mark(at, marks));
        let boxed =
            before.and_then(kind) == Some(Kind::Opens) && kind(at + 1) == Some(Kind::Closes);
        let enclosed = token.marked
            || boxed
            || is_before("([{<") && is_mark(at + 1, ")]}>")
            || is_before("'") && is_mark(at + 1, "'");
        if !enclosed {
            let formula =
                is_before("=") && !(out.len() > 1 && out[out.len() - 2].what == What::Phrase);
            let joined = is_before("-.'") && text.is_joined(at);
            if formula
                || joined
                || is_before(SIGNS)
                || is_mark(at + 1, SIGNS)
                || is_mark(at + 1, "=")
            {
                // "x = 2", "2%"
                return None;
            }
        }
        let begins = out.last().is_none_or(|item| item.what == What::Line);
        let named = out.last().is_some_and(|item| item.is(NOUN));
        let label = is_mark(at + 1, ".):]-") && !text.tokens[at + 1].blank;
        // A text may follow the closing bracket or a mark.
        let mut behind = at
            + if label || enclosed && !token.marked {
                2
            } else {
                1
            };
        while behind < at + 4 && is_mark(behind, ".:-") {
            behind += 1;
        }
        let own = self.begins(text, behind, place);
        let follows = kind(behind) == Some(Kind::Word);
        if follows && !own {
            let hyphen = label && is_mark(at + 1, "-") && text.is_joined(at + 2);
            let counts = out.is_empty() && (number > 1 || !goes_on(text));
            let listed = label && begins && !counts;
            let told = words_at(text, behind) != 0 || named || COUNTERS.contains(&text.at(behind));
            if hyphen || listed || !label && !told {
                // "2-year", the number of a list, "2 apples"
                return None;
            }
        }
        let other = self.own.get(text.at(at)).copied().filter(|_| !own);
        let option = if other.is_some_and(|other| other != number - 1) {
            SEVERAL
        } else {
            number - 1
        };
        Some(Numbered {
            option,
            enclosed,
            own,
        })
    }
}

/// Whether a later line begins with the number 2.
fn goes_on(text: &Text) -> bool {
    let begins =
        |at: &usize| text.tokens[*at - 1].kind == Kind::Line && value(text.at(*at)) == Some(2);
    (1..text.tokens.len()).any(|at| begins(&at))
}
