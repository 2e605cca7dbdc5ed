//! A statement in the question's words that names an option: "The first year is 2018", "Only D shows a reptile".

use super::decide::LONG;
use super::items::{Item, What};
use super::lists::{self, DENIES, INVERSE, PLACE, STOP};
use super::plain::{has, is_same, units, without, words};
use super::reader::Reader;
use super::thoughts::first_line;
use super::tokens::Text;
use super::words::{FALSE, HEDGE, IF, IS, LEAN, LINK, NO, NOT, OPEN, OR, REASON, RIGHT, THOUGH, TRUE, YES};
use crate::model::Choice;

/// Longest text, in words and marks, whose sentences are held against the question.
const LONGEST: usize = 2000;
/// How a word begins that leaves an answer open also where the question has it.
const OPENINGS: [&str; 6] = ["can", "could", "may", "might", "perhaps", "poss"];

/// What matters of a question.
pub(super) struct Question {
    plain: String,
    /// Words that say nothing of it, in the languages that are looked at.
    stop: Vec<String>,
    words: Vec<String>,
    /// Which statement is false?
    inverse: bool,
    /// Which is not in the picture?
    pub(super) denies: bool,
}

impl Question {
    pub(super) fn new(instruction: &str, options: &[Choice], languages: Option<u64>) -> Question {
        let plain = words(first_line(instruction));
        let lists = lists::of(languages);
        let inverse = has(&plain, &lists[INVERSE]);
        let denies = lists[DENIES].iter().filter(|word| !matches!(word.trim(), "no" | "non" | "n"));
        let denies = !inverse && has(&plain, denies);
        let named: Vec<String> = options.iter().flat_map(|option| units(&words(&option.text))).collect();
        let mut own: Vec<String> = Vec::new();
        for word in units(&without(&without(&plain, &lists[PLACE]), &lists[STOP])) {
            if !named.contains(&word) && !own.contains(&word) {
                own.push(word);
            }
        }
        Question { stop: lists[STOP].clone(), words: own, inverse, denies, plain }
    }

    /// Makes of phrases what they mean to this question.
    pub(super) fn bend(&self, all: &mut [Item], text: &Text) {
        if self.inverse {
            // "B is false" is the answer, and "A is true" rules A out.
            for item in all.iter_mut() {
                if item.is(FALSE) {
                    item.mask = item.mask & !(NOT | NO) | RIGHT;
                } else if item.is(TRUE) && !item.is(super::words::CUE) {
                    item.mask = item.mask & !(RIGHT | YES) | NOT;
                }
            }
        }
        for at in 0..all.len() {
            // What the question itself leaves open does not make an answer open: "Which is partially hidden?"
            if all[at].is(HEDGE) && !all[at].is(NOT | OR) {
                let stop = all.get(at + 1).map_or(text.tokens.len(), |next| next.token);
                let phrase: Vec<&str> = (all[at].token..stop).map(|token| text.at(token)).collect();
                if self.has(&phrase.join(" ")) {
                    all[at].mask = all[at].mask & !(HEDGE | OPEN | LEAN) | LINK;
                }
            }
        }
    }

    fn has(&self, phrase: &str) -> bool {
        phrase.is_ascii()
            && !OPENINGS.iter().any(|word| phrase.starts_with(word))
            && self.plain.contains(&format!(" {phrase} "))
    }
}

/// The option that sentences in the question's words name; a text that is cut off has to have all of these words.
pub(super) fn echoed(
    question: &Question,
    reader: &Reader<'_>,
    sentences: &[(usize, usize, bool)],
    cut: bool,
) -> Option<i32> {
    if question.words.is_empty() || reader.items.len() > LONGEST {
        return None;
    }
    let mut named: Vec<(i32, bool, usize)> = Vec::new();
    for (at, (start, end, asks)) in sentences.iter().copied().enumerate() {
        let last = at + 1 == sentences.len();
        if !(asks || cut && last || end - start > LONG) {
            named.extend(said(question, reader, (start, end), last, cut).map(|(option, alike)| (option, last, alike)));
        }
    }
    let (option, last, alike) = named.last().copied()?;
    named.iter().all(|(one, _, other)| *one == option || last && *other < alike).then_some(option)
}

/// The one option of a sentence in the question's words, and how many of them it has.
fn said(
    question: &Question,
    reader: &Reader<'_>,
    (start, end): (usize, usize),
    last: bool,
    cut: bool,
) -> Option<(i32, usize)> {
    let all = reader.items;
    let open = |i: &Item| i.is(NOT | HEDGE | IF | OPEN | OR | THOUGH) && !i.is(LINK | REASON | IS);
    if all[start..end].iter().any(open) {
        return None;
    }
    let (mut text, mut found, mut answer, mut is_at) = (String::new(), None, None, None);
    for k in start..end {
        let item = &all[k];
        let goes_on = k + 1 < end && matches!(all[k + 1].what, What::Word | What::Text);
        if item.is_answer() && !(reader.is_article(item) && !item.sure && goes_on) {
            if found.is_some_and(|option| option != item.option) {
                return None;
            }
            (found, answer) = (Some(item.option), Some(k));
            text.push(' ');
            continue;
        }
        if item.is(IS) || item.is_mark("-") {
            is_at = Some(k);
        }
        let stop = all.get(k + 1).map_or(reader.text.tokens.len(), |next| next.token);
        for token in item.token..stop {
            if reader.text.tokens[token].blank {
                text.push(' ');
            }
            text.push_str(reader.text.at(token));
        }
    }
    let (option, answer) = (found?, answer?);
    let own = units(&without(&words(&text), &question.stop));
    let alike = question.words.iter().filter(|word| own.iter().any(|other| is_same(word, other))).count();
    // "The first year is 2018" at the end; "The sport is hockey (C)".
    let ends = is_at.is_some_and(|at| at < answer) && all[answer + 1..end].iter().all(|i| i.what == What::Mark);
    let paired = ends && all[answer].what == What::Letter && all[start..answer].iter().any(|i| i.what == What::Text);
    let closes = alike > 0 && (paired || ends && last && !cut);
    let echoes = alike * 2 >= question.words.len() && (!cut || alike == question.words.len());
    (closes || echoes).then_some((option, alike))
}
