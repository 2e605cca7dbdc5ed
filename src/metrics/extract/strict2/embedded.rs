//! Texts that name an option in other words, and evidence against texts that merely name one.

use super::bare_words::{is_same, units, without};
use super::items::{LONG, What};
use super::lists::{CONTRAST, MIDDLE, PLACE, STOP};
use super::options::{ARTICLES, number};
use super::reader::{Event, Reader};
use super::restatement::Question;
use super::tokens::{Kind, Text};
use super::words::{BUT, CUE, IS, LINK};
use benchtop_model::Choice;

/// Maximum length, in words and marks, of an output in which a letter next to another option's text
/// is not an answer.
const SHORT: usize = 24;

impl Question {
    /// The content words of a text, with numbers unchanged.
    fn content(&self, text: &str, places: bool) -> Vec<String> {
        let text = if places {
            without(text, &self.lists[PLACE])
        } else {
            text.to_string()
        };
        let is_number = |word: &str| word.starts_with(|c: char| c.is_ascii_digit());
        let split = |word: &str| {
            if is_number(word) {
                vec![word.to_string()]
            } else {
                units(word)
            }
        };
        let mut words: Vec<String> = without(&text, &self.lists[STOP])
            .split_whitespace()
            .flat_map(split)
            .collect();
        let says = |word: &str| {
            !ARTICLES.contains(&word) && !self.lists[MIDDLE].contains(&format!(" {word} "))
        };
        words.retain(|word| says(word));
        words
    }
}

/// The words of a text with a space around each.
fn spaced<'a>(words: impl Iterator<Item = &'a str>) -> String {
    format!(" {} ", words.collect::<Vec<_>>().join(" "))
}

fn words_from(text: &Text, at: usize) -> String {
    spaced(
        text.tokens[at..]
            .iter()
            .filter(|token| token.kind == Kind::Word)
            .map(|token| text.word(token)),
    )
}

/// Whether an option's word appears in another form: "south" as "southward".
fn is_told(word: &str, other: &str) -> bool {
    let longer = || other.chars().count().saturating_sub(word.chars().count());
    let is_dense = || {
        word.chars()
            .next()
            .is_some_and(|c| super::fold_characters::script(c) == 3)
    };
    is_same(word, other)
        || word.chars().count() > 4 && other.starts_with(word) && longer() < 5 && !is_dense()
}

impl Reader<'_> {
    /// The only option whose words a text contains, in other forms or among other words: "The dog
    /// is barking" for "it barks".
    pub(super) fn embedded(&self, question: &Question, options: &[Choice]) -> Option<usize> {
        let (first, last) = (self.items.first()?, self.items.last()?);
        let whole = (self.items.len() < 7 || last.what == What::Mark) && self.items.len() <= LONG;
        if question.denies
            || !whole
            || self.is_negated(0, self.items.len())
            || self.is_foreign(question)
        {
            return None;
        }
        let said = question.content(&words_from(self.text, first.token), false);
        let content =
            |option: &Choice| question.content(&words_from(&Text::new(&option.text), 0), true);
        let wanted: Vec<Vec<String>> = options.iter().map(content).collect();
        let mut found = None;
        for (at, words) in wanted.iter().enumerate() {
            let others = || {
                wanted
                    .iter()
                    .enumerate()
                    .filter(|(k, _)| *k != at)
                    .flat_map(|(_, words)| words)
            };
            let own: Vec<&String> = words
                .iter()
                .filter(|word| !others().any(|other| is_same(word, other)))
                .collect();
            let is_said = |word: &String| said.iter().any(|other| is_told(word, other));
            let had = own.iter().filter(|word| is_said(word)).count();
            if had == 0 {
                continue;
            }
            if found.is_some() {
                return None;
            }
            let is_number = |word: &String| word.starts_with(|c: char| c.is_ascii_digit());
            let numbers = own
                .iter()
                .filter(|word| is_number(word))
                .all(|word| is_said(word));
            let only = said
                .iter()
                .all(|other| words.iter().any(|word| is_told(word, other)));
            let told = words.iter().filter(|word| is_said(word)).count() * 3;
            let least = if own.iter().any(|word| is_number(word)) {
                1
            } else {
                2
            };
            let most = told >= words.len() * least && had * 3 >= own.len() * 2;
            found = Some((at, numbers && (only || most)));
        }
        found.filter(|(_, told)| *told).map(|(at, _)| at)
    }

    /// Whether the last sentence turns with a "but" to the first option in the text and leaves
    /// nothing open after it: "It could be a mix, but of these a husky is the closest."
    pub(super) fn turns_to(&self, sentences: &[(usize, usize, bool)]) -> bool {
        let Some((start, _, false)) = sentences.last() else {
            return false;
        };
        let turns = |at: &usize| self.items[*at].is(BUT) && !self.items[*at].is(CUE | LINK | IS);
        let Some(turn) = (*start..self.items.len()).rev().find(turns) else {
            return false;
        };
        let is_text = |at: usize| self.items[at].what == What::Text;
        !(0..turn).any(is_text)
            && (turn..self.items.len()).any(is_text)
            && !self.is_negated(turn + 1, self.items.len())
    }

    /// Whether a text with an equation ends with a number that is not an option: "The angle at A is
    /// 50°, so the other is 65°."
    pub(super) fn counts_on(&self) -> bool {
        let is_number = |at: usize| self.text.at(at).starts_with(|c: char| c.is_ascii_digit());
        let mut numbers = self.items.iter().rev();
        let last =
            numbers.find(|i| matches!(i.what, What::Text | What::Word) && is_number(i.token));
        self.items.iter().any(|i| i.is_mark("=")) && last.is_some_and(|i| i.what == What::Word)
    }

    /// Whether a text is about another subject than the question: the woman instead of the man.
    pub(super) fn is_foreign(&self, question: &Question) -> bool {
        let ends = |what: What| matches!(what, What::Text | What::Letter | What::Mark | What::Line);
        let subject = self.items.iter().take_while(|i| !ends(i.what) && !i.is(IS));
        let subject: Vec<&str> = subject
            .filter(|i| i.what == What::Word)
            .map(|i| self.text.at(i.token))
            .collect();
        if subject.is_empty() {
            return false;
        }
        let asked = units(&question.plain);
        let has = |word: &str| asked.iter().any(|other| other == word);
        question.lists[CONTRAST]
            .iter()
            .map(|group| units(group))
            .any(|group| {
                let other = |word: &&str| !has(word) && group.iter().any(|one| one == word);
                group.iter().any(|one| has(one)) && subject.iter().any(other)
            })
    }

    /// Whether a text continues after an option's text and ends without a mark.
    pub(super) fn breaks_off(&self) -> bool {
        let at = self
            .items
            .iter()
            .rposition(|i| i.what == What::Text)
            .unwrap_or(0);
        let last = self.text.tokens.len().saturating_sub(1);
        let thai = self
            .text
            .at(last)
            .starts_with(|c| ('\u{e00}'..='\u{e7f}').contains(&c));
        let open = self.items.last().is_some_and(|i| i.what != What::Mark);
        open && !thai && self.items.len() - at > 3 && self.items.len() > 8
    }

    /// Whether a short answer is a letter with the text of exactly one other option: "B. It shows a
    /// cat."
    pub(super) fn is_mismatched(&self, option: i32) -> bool {
        let texts = || self.items.iter().filter(|i| i.what == What::Text);
        let Some(first) = texts().next() else {
            return false;
        };
        let one = first.option != option && texts().all(|i| i.option == first.option);
        // A number may be an intermediate result.
        let counts = || texts().any(|i| number(self.text.at(i.token)).is_some());
        let denies = || self.events.iter().any(|e| matches!(e, Event::Denies(_)));
        let short = self.items.len() <= SHORT && self.turns_at.is_none();
        one && short && !counts() && !denies() && !self.is_negated(0, self.items.len())
    }
}
