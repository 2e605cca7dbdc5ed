//! Statements in the question's words that name an option: "The first year is 2018", "Only D shows
//! a reptile".

use std::sync::Arc;

use super::asking::{asking_sentence, first_line};
use super::bare_words::{has, is_same, units, without, words};
use super::items::{Item, LONG, What};
use super::lists::{self, DENIES, INVERSE, Lists, NAMES, PLACE, STOP};
use super::reader::Reader;
use super::tokens::Text;
use super::words::{
    CUE, FALSE, FINAL, HEDGE, IF, IS, LEAN, LINK, NEAREST, NO, NOT, NOUN, OPEN, OR, REASON, RIGHT,
    SO, THOUGH, TRUE, YES, words as table,
};
use benchtop_model::Choice;

/// Maximum length, in words and marks, of a text whose sentences are compared with the question.
const LONGEST: usize = 2000;
/// Maximum length, in characters, of a question that asks for a name.
const NAMING: usize = 150;
/// Beginnings of words that leave an answer open even if the question contains them.
const OPENINGS: [&str; 6] = ["can", "could", "may", "might", "perhaps", "poss"];

/// The relevant parts of a question.
pub(super) struct Question {
    pub(super) plain: String,
    /// Word lists of the languages in use.
    pub(super) lists: Arc<Lists>,
    words: Vec<String>,
    /// Letters for things in the picture: "the angle at B".
    points: Vec<char>,
    /// The question asks for the false statement.
    pub(super) inverse: bool,
    /// The question asks for something that is not in the picture.
    pub(super) denies: bool,
    /// The question asks what something is called.
    pub(super) asks_name: bool,
}

impl Question {
    pub(super) fn new(instruction: &str, options: &[Choice], languages: Option<u64>) -> Question {
        let plain = words(first_line(instruction));
        let lists = lists::of(languages);
        let line = instruction.split('\n').next().unwrap_or_default();
        let end = line.char_indices().rev().nth(399).map_or(0, |(at, _)| at);
        let inverse = has(&plain, &lists[INVERSE]) || has(&words(&line[end..]), &lists[INVERSE]);
        // A word that denies in one language is an article in another.
        let first = Text::new(first_line(instruction));
        let nearest = lists::of(table().likely(&[&first], 1, NEAREST));
        let denies = nearest[DENIES]
            .iter()
            .filter(|word| !matches!(word.trim(), "no" | "non" | "n"));
        let asking = words(asking_sentence(instruction));
        let main = [" even though ", " although "]
            .iter()
            .fold(asking.as_str(), |main, word| {
                main.split_once(word).map_or(main, |(main, _)| main)
            });
        let denies = !inverse && has(main, denies);
        let named: Vec<String> = options
            .iter()
            .flat_map(|option| units(&words(&option.text)))
            .collect();
        let mut own: Vec<String> = Vec::new();
        for word in units(&without(&without(&plain, &lists[PLACE]), &lists[STOP])) {
            if !named.contains(&word) && !own.contains(&word) {
                own.push(word);
            }
        }
        let letters = |text: &Text| {
            text.tokens
                .iter()
                .filter_map(|token| token.raw)
                .collect::<Vec<char>>()
        };
        let mut points = letters(&first);
        points.retain(|letter| ('B'..='H').contains(letter));
        if !points.is_empty() {
            let lettered: Vec<char> = options
                .iter()
                .flat_map(|option| letters(&Text::new(&option.text)))
                .collect();
            points.retain(|letter| !lettered.contains(letter));
        }
        Question {
            words: own,
            points,
            inverse,
            denies,
            asks_name: asking.chars().count() < NAMING && has(&asking, &lists[NAMES]),
            lists,
            plain,
        }
    }

    /// Whether any of these words is one of the question.
    pub(super) fn echoes(&self, said: &[String]) -> bool {
        let is_said = |word: &String| said.iter().any(|other| is_same(word, other));
        self.words.iter().any(is_said)
    }

    /// Adapts the meaning of phrases to this question.
    pub(super) fn bend(&self, all: &mut [Item], text: &Text) {
        if self.inverse {
            // "B is false" is the answer, and "A is true" rules out A.
            for item in all.iter_mut() {
                if item.is(FALSE) {
                    item.mask = item.mask & !(NOT | NO) | RIGHT;
                } else if item.is(TRUE) && !item.is(CUE) {
                    item.mask = item.mask & !(RIGHT | YES) | NOT;
                }
            }
        }
        for at in 0..all.len() {
            let raw = text.tokens[all[at].token].raw;
            let bare = all[at].what == What::Letter && !all[at].sure && !all[at].label;
            if bare && raw.is_some_and(|raw| self.points.contains(&raw)) {
                let before = all[at.saturating_sub(3)..at]
                    .iter()
                    .rev()
                    .find(|i| i.what != What::Line);
                let told =
                    |i: &Item| i.is(CUE | FINAL | SO | NOUN | IS | RIGHT) || i.is_mark(":([");
                if !before.is_some_and(told) {
                    all[at].what = What::Word;
                }
            }
        }
        for at in 0..all.len() {
            // A hedge from the question does not leave the answer open: "Which is partially
            // hidden?"
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

/// The option that sentences in the question's words name. A truncated text must contain all of
/// these words. If other options are only listed before, the last sentence counts.
pub(super) fn echoed(
    question: &Question,
    reader: &Reader<'_>,
    sentences: &[(usize, usize, bool)],
    cut: bool,
    listed: bool,
) -> Option<i32> {
    if question.words.is_empty() || reader.items.len() > LONGEST {
        return None;
    }
    let mut named: Vec<(i32, bool, usize)> = Vec::new();
    let mut passed: Vec<(i32, usize)> = Vec::new();
    for (at, (start, end, asks)) in sentences.iter().copied().enumerate() {
        let last = at + 1 == sentences.len();
        // "The arrow points to the heart (A), which": a text with its letter counts even if the
        // output is truncated after it.
        let pair = reader.pair(start, end).filter(|_| cut && !asks);
        let end = pair.unwrap_or(end);
        if asks || cut && last && pair.is_none() || listed && !last || end - start > LONG {
            continue;
        }
        match option_in_sentence(question, reader, (start, end), (last, cut, pair.is_some())) {
            Some((option, alike, true)) => named.push((option, last, alike)),
            Some((option, alike, false)) => passed.push((option, alike)),
            None => {}
        }
    }
    let (option, last, alike) = named.last().copied()?;
    if passed
        .iter()
        .any(|(one, other)| *one != option && *other >= alike)
    {
        return None;
    }
    named
        .iter()
        .all(|(one, _, other)| *one == option || last && *other < alike)
        .then_some(option)
}

/// The only option in a sentence in the question's words, how many of these words it has, and
/// whether that makes it an answer.
fn option_in_sentence(
    question: &Question,
    reader: &Reader<'_>,
    (start, end): (usize, usize),
    (last, cut, pair): (bool, bool, bool),
) -> Option<(i32, usize, bool)> {
    let all = reader.items;
    // The part after ", since" is a reason.
    let reasons =
        |at: usize| all[at].is_mark(",") && all[at + 1].is(REASON) && !all[at + 1].is(LINK);
    let first = all[start..end]
        .iter()
        .position(Item::is_answer)
        .map_or(end, |at| start + at);
    let end = (first + 1..end.saturating_sub(1))
        .find(|at| reasons(*at))
        .unwrap_or(end);
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
        let stop = all
            .get(k + 1)
            .map_or(reader.text.tokens.len(), |next| next.token);
        for token in item.token..stop {
            if reader.text.tokens[token].blank {
                text.push(' ');
            }
            text.push_str(reader.text.at(token));
        }
    }
    let (option, answer) = (found?, answer?);
    let own = units(&without(&words(&text), &question.lists[STOP]));
    let alike = question
        .words
        .iter()
        .filter(|word| own.iter().any(|other| is_same(word, other)))
        .count();
    // "The first year is 2018" at the end; "The sport is hockey (C)".
    let ends = is_at.is_some_and(|at| at < answer)
        && all[answer + 1..end].iter().all(|i| i.what == What::Mark);
    let paired = ends
        && all[answer].what == What::Letter
        && all[start..answer].iter().any(|i| i.what == What::Text);
    let closes = alike > 0 && (pair || paired || ends && last && !cut);
    let echoes = alike * 2 >= question.words.len() && (!cut || alike == question.words.len());
    (closes || echoes || alike > 0 && ends).then_some((option, alike, closes || echoes))
}
