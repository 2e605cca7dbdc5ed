//! The options of a question by the words that name them.

use std::collections::HashMap;

use super::bare_words::is_hangul;
use super::tokens::{Kind, Text, Token};
use super::words::words;
use benchtop_model::Choice;

/// Maximum length, in words and marks, of an output in which "one" is option 1 and a number at the
/// start of a line is an answer.
pub(super) const SHORT: usize = 12;
/// Maximum length of an output in which "three" is option 3.
pub(super) const NUMBERED: usize = 30;
/// A letter that stands for different options in different alphabets.
pub(super) const UNCLEAR: i32 = -1;
/// Two options at once.
pub(super) const SEVERAL: i32 = -2;
/// Words for the numbers from 0 to 10 that have no other meaning.
const NUMBERS: [&str; 11] = [
    "zero cero ноль нуль 零",
    "one один",
    "two deux zwei dos due dois duas twee два две dwa dwie två iki 两 兩 二 dva dua दो",
    "three trois drei tres tre três drie три trzy üç 三 tři tiga तीन",
    "four quatre vier cuatro quattro quatro четыре cztery fyra dört 四 čtyři чотири empat चार",
    "five cinq fünf cinco cinque vijf пять pięć fem beş 五 pět lima पाँच 다섯",
    "six sechs seis zes шесть sześć altı 六 šest шість enam छह 여섯",
    "seven sept sieben siete sette sete zeven семь siedem yedi 七 sedm сім tujuh सात 일곱",
    "eight huit acht ocho otto oito восемь osiem sekiz 八 osm вісім delapan आठ 여덟",
    "nine neuf neun nueve nove negen девять dziewięć dokuz 九 devět sembilan नौ 아홉",
    "ten dix zehn diez dieci dez tien десять dziesięć 十 deset sepuluh दस",
];

/// The number above 0 in a word or in digits.
pub(super) fn number(word: &str) -> Option<&str> {
    const DIGITS: [&str; 11] = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10"];
    if word.bytes().all(|b| b.is_ascii_digit()) {
        return Some(word.trim_start_matches('0'));
    }
    let at = NUMBERS
        .iter()
        .position(|number| number.split(' ').any(|other| other == word));
    at.filter(|at| *at > 0).map(|at| DIGITS[at])
}

/// The options' numbers without their common unit.
pub(super) fn bare_numbers(options: &[Choice]) -> HashMap<String, i32> {
    let mut found = HashMap::new();
    for (at, option) in (0..).zip(options) {
        let text = Text::new(&option.text);
        let mut words = text
            .tokens
            .iter()
            .filter(|token| token.kind == Kind::Word)
            .map(|token| text.word(token));
        let first = words.next().filter(|word| {
            word.chars()
                .all(|c| c.is_ascii_digit() || ".,/".contains(c))
        });
        let mut rest = words.peekable();
        let is_unit = rest.peek().is_some()
            && !rest.any(|word| word.starts_with(|c: char| c.is_ascii_digit()));
        match first.filter(|_| is_unit) {
            Some(number) if !found.contains_key(number) => found.insert(number.to_string(), at),
            _ => return HashMap::new(),
        };
    }
    found
}

/// Words at the start of an option that a sentence may leave out.
pub(super) const ARTICLES: [&str; 27] = [
    "a", "an", "the", "un", "une", "ein", "eine", "einen", "una", "uno", "um", "uma", "een", "el",
    "la", "le", "der", "die", "das", "il", "lo", "het", "o", "os", "los", "las", "les",
];
/// The same before an apostrophe.
pub(super) const ELIDED: [&str; 4] = ["l", "un", "d", "qu"];
/// Pronouns at the start of an option: "It is closed".
const PRONOUNS: [&str; 27] = [
    "it", "he", "she", "they", "il", "elle", "ils", "er", "sie", "es", "ella", "él", "ele", "ela",
    "lui", "lei", "hij", "zij", "hun", "han", "hon", "он", "она", "они", "оно", "він", "вона",
];
/// Turkish suffixes that say what something is.
const COPULAS: [&str; 6] = ["dir", "dur", "dür", "tir", "tur", "tür"];

/// The options' texts by their first word. Texts of two options are left out.
#[derive(Default)]
pub(super) struct Options(HashMap<String, Vec<(Vec<String>, i32)>>);

impl Options {
    pub(super) fn new(options: &[Choice]) -> Options {
        let mut found: HashMap<Vec<String>, i32> = HashMap::new();
        for (at, option) in (0..).zip(options) {
            let text = Text::new(&option.text);
            let near = |token: &&Token| matches!(token.kind, Kind::Word | Kind::Mark);
            let mut words: Vec<String> = text
                .tokens
                .iter()
                .filter(near)
                .map(|t| text.word(t).to_string())
                .collect();
            while words
                .last()
                .is_some_and(|word| [".", "。", "!"].contains(&word.as_str()))
            {
                words.pop();
            }
            for form in names(words).into_iter().filter(|form| !form.is_empty()) {
                found
                    .entry(form)
                    .and_modify(|of| *of = if *of == at { at } else { SEVERAL })
                    .or_insert(at);
            }
        }
        let mut table: HashMap<String, Vec<(Vec<String>, i32)>> = HashMap::new();
        for (words, at) in found.into_iter().filter(|(_, at)| *at != SEVERAL) {
            table.entry(words[0].clone()).or_default().push((words, at));
        }
        table
            .values_mut()
            .for_each(|rows| rows.sort_by_key(|(words, at)| (std::cmp::Reverse(words.len()), *at)));
        Options(table)
    }

    /// Adds words for the options' numbers, if all options are numbers and none is above 10. Words
    /// that are also articles are added only with `ones`.
    pub(super) fn number_words(&mut self, options: &[Choice], ones: bool) {
        let number = |option: &Choice| {
            let text = option.text.trim();
            let digits = (1..3).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
            text.parse::<usize>()
                .ok()
                .filter(|number| digits && *number <= 10)
                .map(|number| (text.to_string(), number))
        };
        let Some(numbers) = options.iter().map(number).collect::<Option<Vec<_>>>() else {
            return;
        };
        if numbers
            .iter()
            .collect::<std::collections::HashSet<_>>()
            .len()
            < numbers.len()
        {
            return;
        }
        for (at, (_, number)) in (0..)
            .zip(&numbers)
            .filter(|(_, (_, number))| ones || *number != 1)
        {
            for word in NUMBERS[*number].split(' ') {
                self.0
                    .entry(word.to_string())
                    .or_insert_with(|| vec![(vec![word.to_string()], at)]);
            }
        }
    }

    /// The option whose text begins at a token, and its end. The longest match wins.
    pub(super) fn at(&self, text: &Text, at: usize) -> Option<(usize, i32)> {
        let matches = |at: usize, word: &String| forms(text.at(at)).any(|form| form == word);
        forms(text.at(at))
            .filter_map(|form| self.0.get(form))
            .flatten()
            .find_map(|(words, option)| {
                let end = at + words.len();
                if end > text.tokens.len()
                    || !words
                        .iter()
                        .enumerate()
                        .all(|(k, word)| matches(at + k, word))
                {
                    return None;
                }
                // In scripts without spaces, the word may continue.
                let goes_on = text.tokens[end - 1].script == 3
                    && text.is_joined(end)
                    && text.tokens[end].script == 3
                    && words_at(text, end) == 0
                    && (words.len() < 3 || text.at(end).starts_with(is_hangul));
                (!goes_on).then_some((end, *option))
            })
    }
}

/// The texts that may name an option: with and without its article, without a pronoun at its ends,
/// and the part before a comma.
fn names(words: Vec<String>) -> Vec<Vec<String>> {
    let mut all = Vec::new();
    let is = |at: usize, some: &[&str]| {
        words
            .get(at)
            .is_some_and(|word| some.contains(&word.as_str()))
    };
    let n = words.len();
    if n > 2 && is(0, &ELIDED) && is(1, &["'"]) {
        all.push(words[2..].to_vec());
    }
    if n > 1 && is(0, &ARTICLES) {
        all.push(words[1..].to_vec());
    }
    if n == 2 && is(0, &PRONOUNS) && words[1].chars().count() > 4 {
        all.push(words[1..].to_vec());
    }
    let comma = words
        .iter()
        .position(|word| word == "," || word == "(")
        .unwrap_or(0);
    if (1..4).contains(&comma) {
        all.push(words[..comma].to_vec());
    }
    if n > 2 && is(0, &PRONOUNS) {
        all.push(
            words[if n > 3 && is(1, &["is", "are", "was"]) {
                2
            } else {
                1
            }..]
                .to_vec(),
        );
    }
    if let Some(round) = words.last().and_then(|word| word.strip_suffix(".00")) {
        // "1,364 dollars" for "$1,364.00".
        all.push(vec![round.to_string()]);
    }
    if n > 1 && is(0, &["one"]) {
        all.push([&["a".to_string()], &words[1..]].concat());
    }
    if n > 1 && is(n - 1, &["it", "them", "him", "her"]) {
        all.push(words[..n - 1].to_vec());
    }
    all.push(words);
    all
}

/// A word, and its form without Turkish or Arabic affixes.
fn forms(word: &str) -> impl Iterator<Item = &str> {
    let count = word.chars().count();
    let copula = COPULAS
        .iter()
        .find_map(|copula| word.strip_suffix(copula))
        .filter(|_| count > 4);
    let arabic = word.starts_with(|c| ('\u{621}'..='\u{64a}').contains(&c));
    let article = word.strip_prefix("ال").filter(|_| arabic && count > 4);
    let ending = word.strip_suffix('ا').filter(|_| arabic && count > 3);
    [Some(word), copula, article, ending].into_iter().flatten()
}

pub(super) fn words_at(text: &Text, at: usize) -> u32 {
    words().phrase(text, at).1
}
