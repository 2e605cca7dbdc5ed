//! Letters and numbers that name options.

use std::collections::HashSet;

use super::numbers::{Numbers, is_numbered};
use super::options::{UNCLEAR, words_at};
use super::tokens::{Kind, Text, Token};
use super::words::IS;
use crate::extract::question_parts::Asked;

/// Option letters in other scripts, in order. `?` if another alphabet has the letter in another
/// place.
const ALPHABETS: [&str; 12] = [
    "АБ?Г??",
    "аб?г??",
    "ΑΒΓΔΕ",
    "αβγδε",
    "ابجده",
    "कखगघङ",
    "কখগঘঙ",
    "אבגדה",
    "アイウエオ",
    "가나다라마",
    "กขคง",
    "甲乙丙丁戊",
];
const CYRILLIC: [&str; 2] = ["АБВГДЕЖЗ", "абвгдежз"];

/// How the options of a question are named.
#[derive(Default)]
pub(super) struct Labels {
    /// Number of letters that stand for options.
    pub(super) count: i32,
    /// Whether the question letters its options А, Б, В.
    cyrillic: bool,
    /// The options, if the question numbers them.
    pub(super) numbers: Option<Numbers>,
    /// The letters in brackets in the options' texts, each with the word before it: "f(A)".
    symbols: HashSet<(String, String)>,
}

impl Labels {
    pub(super) fn new(asked: &Asked) -> Labels {
        let numbered = is_numbered(asked.instruction, asked.options);
        let mut symbols = HashSet::new();
        for option in asked
            .options
            .iter()
            .filter(|o| o.text.contains(['(', '（']))
        {
            let text = Text::new(&option.text);
            for at in 2..text.tokens.len().saturating_sub(1) {
                let [word, open, letter, close] =
                    [at - 2, at - 1, at, at + 1].map(|at| text.at(at));
                if open == "(" && close == ")" && letter.chars().nth(1).is_none() {
                    symbols.insert((word.to_string(), letter.to_string()));
                }
            }
        }
        Labels {
            count: i32::try_from(asked.letters()).unwrap_or(i32::MAX),
            cyrillic: is_cyrillic(asked.instruction),
            numbers: numbered.then(|| Numbers::new(asked.options)),
            symbols,
        }
    }

    /// Whether a letter is a symbol in the options' texts: "f(A)".
    fn is_symbol(&self, text: &Text, at: usize) -> bool {
        let key = |at: usize| (text.at(at - 2).to_string(), text.at(at).to_string());
        at > 1
            && !self.symbols.is_empty()
            && text.at(at - 1) == "("
            && self.symbols.contains(&key(at))
    }
}

/// Whether the question letters its options А, Б, В.
fn is_cyrillic(instruction: &str) -> bool {
    let line = |line: &str| {
        let mut chars = line.trim().trim_start_matches('(').chars();
        matches!(
            (chars.next(), chars.next()),
            (Some('Б' | 'б'), Some('.' | ')' | ':'))
        )
    };
    instruction.lines().any(line)
}

/// The option that a token names by letter, whether it is enclosed, and whether it is lowercase or
/// of another script.
pub(super) fn letter(text: &Text, at: usize, labels: &Labels) -> Option<(i32, bool, bool)> {
    let (count, cyrillic) = (labels.count, labels.cyrillic);
    if labels.is_symbol(text, at) {
        return None;
    }
    let token = &text.tokens[at];
    let raw = token.raw?;
    let place = |row: &&str| row.chars().position(|c| c == raw).map(|at| at as i32);
    let (option, weak) = if raw.is_ascii() {
        let option = raw
            .is_ascii_alphabetic()
            .then(|| raw.to_ascii_uppercase() as i32 - 'A' as i32)?;
        let is_pronoun = raw == 'I' && count <= 8 && !token.marked;
        if is_pronoun
            && text
                .tokens
                .get(at + 1)
                .is_some_and(|next| next.kind == Kind::Word)
        {
            return None;
        }
        (
            if cyrillic && option > 0 {
                UNCLEAR
            } else {
                option
            },
            raw.is_ascii_lowercase(),
        )
    } else {
        let own = CYRILLIC.iter().find_map(place).filter(|_| cyrillic);
        let other = || match raw {
            'С' | 'с' => Some(2),
            'В' | 'Д' | 'Е' | 'в' | 'д' | 'е' => Some(UNCLEAR),
            _ => ALPHABETS.iter().find_map(place),
        };
        (own.or_else(other)?, true)
    };
    if option > 9 && count <= 8 && !token.marked && raw.is_ascii() {
        // "The first letter is an S."
        return None;
    }
    let (before, after) = (
        at.checked_sub(1).map(|at| &text.tokens[at]),
        text.tokens.get(at + 1),
    );
    let (word_before, word_after) = (
        at.checked_sub(1).map_or("", |at| text.at(at)),
        text.at(at + 1),
    );
    let kind = |token: Option<&Token>| token.map(|token| token.kind);
    let low = raw.is_ascii() && weak;
    if word_before == "^"
        || word_after == "^"
        || low && matches!(word_after, "=" | "{") && kind(after) == Some(Kind::Mark)
    {
        // "b^2", "a = 7"
        return None;
    }
    let is_amount =
        word_before.ends_with(|c: char| c.is_ascii_digit()) && word_before.contains(['.', ',']);
    if is_amount && raw.is_ascii() && !token.marked {
        // "0.02 A"
        return None;
    }
    let variable = text
        .tokens
        .get(at + 2)
        .and_then(|token| token.raw)
        .is_some_and(char::is_lowercase);
    if text.is_joined(at + 1) && word_after == "(" && variable && text.at(at + 3) == ")" {
        // "E(u)"
        return None;
    }
    let enclosed = token.marked
        || kind(before) == Some(Kind::Mark)
            && kind(after) == Some(Kind::Mark)
            && ["(", "[", "{", "<"].contains(&word_before)
            && [")", "]", "}", ">"].contains(&word_after)
        || kind(before) == Some(Kind::Opens) && kind(after) == Some(Kind::Closes)
        || word_before == "'" && word_after == "'";
    if enclosed {
        return Some((option, true, weak));
    }
    let one_before = at.checked_sub(2).and_then(|at| text.tokens[at].raw);
    let is_word = |at: usize| text.tokens.get(at).is_some_and(|t| t.kind == Kind::Word);
    if text.is_joined(at) {
        let belongs = match word_before {
            "'" | "°" | "@" | "+" | "%" | "\\" | "∠" | "△" => true,
            "&" | "/" => one_before.is_none(),
            "-" => at > 1 && text.is_joined(at - 1) && is_word(at - 2),
            "." => one_before.is_some_and(char::is_alphabetic),
            _ => token.script == 3 && is_word(at - 1),
        };
        if belongs {
            return None;
        }
    }
    if text.is_joined(at + 1) {
        let goes_on =
            text.is_joined(at + 2) && is_word(at + 2) && text.tokens[at + 2].script == token.script;
        let belongs = match word_after {
            "+" | "%" | "°" | "@" => true,
            "'" => words_at(text, at + 1) & IS == 0,
            "." | "-" => goes_on,
            _ => token.script == 3 && is_word(at + 1),
        };
        if belongs {
            return None;
        }
    }
    Some((option, false, weak))
}
