//! Answers that begin by an option in other forms, or by the question's own words: "The car should
//! save the girl".

use super::asking::{above_options, beginning, ending};
use super::bare_words::{is_same, words};
use super::items::{Item, What};
use super::lists::MIDDLE;
use super::options::{ARTICLES, ELIDED, number};
use super::restatement::Question;
use super::tokens::{Kind, Text};
use super::words::{CUE, HEDGE, IF, LINK, NOT, OR};
use benchtop_model::Choice;

/// Maximum length, in words and marks, of a first sentence that is compared with the options.
const OPENING: usize = 8;
/// Maximum length, in characters, of the end of a question, and of an answer's beginning.
const END: usize = 2000;
const BEGINNING: usize = 300;
/// Words for two that are known.
const PAIR: [&str; 7] = [
    "both", "beide", "beiden", "ambos", "ambas", "entrambi", "entrambe",
];

/// The words of a question that its answer completes, and its last two.
pub(super) struct Stem {
    words: Vec<String>,
    tail: String,
}

impl Stem {
    pub(super) fn of(question: &str) -> Option<Stem> {
        let stem = above_options(question).trim_end_matches([' ', '\n', ':', '_', '…', '-']);
        if stem.ends_with(['.', '!', '?', '？', '؟', '。', ')']) {
            return None;
        }
        let all = words(ending(stem, END));
        let words: Vec<String> = all.split_whitespace().map(str::to_string).collect();
        let [_, .., one, other] = words.as_slice() else {
            return None;
        };
        let tail = format!("{one} {other} ");
        Some(Stem { words, tail })
    }

    /// The text behind the last words of the question, if it begins with words of the question
    /// only.
    pub(super) fn completion<'a>(&self, text: &'a str) -> Option<&'a str> {
        let head = beginning(text, BEGINNING).to_ascii_lowercase();
        let at = head.find(&self.tail).filter(|at| *at > 0)?;
        let before = &text[..at];
        let is_own = |word: &str| self.words.iter().any(|own| own == word);
        (!before.contains(['.', '!', '?', '\n']) && words(before).split_whitespace().all(is_own))
            .then(|| &text[at + self.tail.len()..])
    }
}

/// Makes a short first sentence that is one option in other forms of its words that option: "Die
/// zwei älteren Frauen." for "zwei ältere Frauen".
pub(super) fn open(found: &mut Vec<Item>, question: &Question, options: &[Choice], text: &Text) {
    let ends = |i: &Item| i.what == What::Line || i.is_mark(".;。");
    let near = &found[..found.len().min(OPENING + 1)];
    let Some(end) = near.iter().position(ends).filter(|end| *end > 0) else {
        return;
    };
    let first = &found[..end];
    let joins = |i: &Item| {
        matches!(i.what, What::Word | What::Text)
            || i.is(LINK) && !i.is(NOT | HEDGE | IF | OR | CUE)
            || i.what == What::Mark && text.at(i.token) == "'"
    };
    let is_word = |i: &Item| i.what == What::Word;
    if end + 1 >= found.len() || !first.iter().any(is_word) || !first.iter().all(joins) {
        return;
    }
    let says = |word: &&str| !ARTICLES.contains(word) && !PAIR.contains(word);
    let spans = first
        .iter()
        .enumerate()
        .filter(|(_, i)| matches!(i.what, What::Word | What::Text));
    let said: Vec<&str> = spans
        .flat_map(|(k, i)| i.token..found[k + 1].token)
        .filter(|at| text.tokens[*at].kind == Kind::Word)
        .map(|at| text.at(at))
        .filter(says)
        .collect();
    if said.is_empty() {
        return;
    }
    let counted = said.iter().any(|word| number(word).is_some());
    let middle = |word: &str| question.lists[MIDDLE].contains(&format!(" {word} "));
    let fits = |option: &Choice| {
        let option = Text::new(&option.text);
        let words = option
            .tokens
            .iter()
            .filter(|token| token.kind == Kind::Word);
        let mut left: Vec<&str> = words
            .map(|token| option.word(token))
            .filter(|word| !ARTICLES.contains(word) && !ELIDED.contains(word) && !middle(word))
            .filter(|word| counted || number(word).is_none())
            .collect();
        let takes = |word: &&str| {
            let at = left.iter().position(|other| is_same(other, word));
            at.map(|at| left.remove(at)).is_some()
        };
        said.iter().all(takes) && left.is_empty()
    };
    let mut fitting = (0i32..).zip(options).filter(|(_, option)| fits(option));
    if let (Some((option, _)), None) = (fitting.next(), fitting.next()) {
        let token = found[0].token;
        let one = Item {
            option,
            ..Item::new(What::Text, token)
        };
        found.splice(..end, [one]);
    }
}
