//! The phrases of the rule, and how to find them in a text.

use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::OnceLock;

use super::lists::{self, STOP};
use super::tokens::{Kind, Text};

/// The phrases of all languages.
pub(super) const PHRASES: &str = include_str!("phrases.toml");

macro_rules! classes {
    ($($name:ident $word:literal),* $(,)?) => {
        /// What a phrase can be: a bit each. `phrases.toml` says what they mean.
        pub(super) const CLASSES: [&str; [$($word),*].len()] = [$($word),*];
        classes!(@ 0; $($name)*);
    };
    (@ $at:expr; $name:ident $($rest:ident)*) => {
        pub(super) const $name: u32 = 1 << ($at);
        classes!(@ $at + 1; $($rest)*);
    };
    (@ $at:expr;) => {};
}

classes! {
    CUE "cue", FINAL "final", SO "so", NOUN "noun", RIGHT "right", IS "is", LINK "link", NOT "not", HEDGE "hedge", OR "or",
    AND "and", IF "if", BUT "but", WAIT "wait", WEAK "weak", REASON "reason", REFUSE "refuse", YES "yes", NO "no", OPEN "open",
    PLAIN "plain", YES_WORD "yes_word", NO_WORD "no_word", OVER "over", LEAN "lean", MILD "mild", MID "mid", TRUE "true",
    FALSE "false", DEPENDS "depends", THOUGH "though", FIRST "first",
}

/// The table as it is written: phrases by class, by language.
pub(super) type Table = BTreeMap<String, BTreeMap<String, Vec<String>>>;

/// Factor between languages that count when each of them must be meant. English is then not
/// assumed.
pub(super) const NEAREST: u64 = 10;
/// Maximum length, in words and marks, of the part that is used to detect the language.
const LOOKED_AT: usize = 200;

/// A fast hash for tables that no input can extend.
#[derive(Default)]
struct TableHasher(u64);

impl TableHasher {
    fn add(&mut self, n: u64) {
        self.0 = (self.0.rotate_left(5) ^ n).wrapping_mul(0x517c_c1b7_2722_0a95);
    }
}

impl Hasher for TableHasher {
    fn write(&mut self, bytes: &[u8]) {
        for part in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..part.len()].copy_from_slice(part);
            self.add(u64::from_le_bytes(word));
        }
    }

    fn write_u8(&mut self, n: u8) {
        self.add(n.into());
    }

    fn write_u32(&mut self, n: u32) {
        self.add(n.into());
    }

    fn finish(&self) -> u64 {
        self.0.rotate_left(26)
    }
}

type Fixed<K, V> = HashMap<K, V, BuildHasherDefault<TableHasher>>;

/// All phrases, by their words.
#[derive(Default)]
pub(super) struct Words {
    ids: Fixed<Box<str>, u32>,
    next: Fixed<(u32, u32), u32>,
    /// The classes of phrases that end at each node, by language.
    ends: Vec<Vec<(u8, u32)>>,
    /// Function words, by language.
    stops: Fixed<String, Vec<u8>>,
    english: u64,
}

/// Empty if the table cannot be read; a test excludes that.
pub(super) fn table() -> Table {
    toml::from_str(PHRASES).unwrap_or_default()
}

pub(super) fn words() -> &'static Words {
    static WORDS: OnceLock<Words> = OnceLock::new();
    WORDS.get_or_init(Words::new)
}

impl Words {
    fn new() -> Words {
        let mut words = Words {
            ends: vec![Vec::new()],
            ..Words::default()
        };
        for (at, (language, classes)) in (0..).zip(table()) {
            if language == "en" {
                words.english = 1 << at;
            }
            for (class, phrases) in classes {
                let Some(bit) = CLASSES.iter().position(|c| *c == class).map(|at| 1 << at) else {
                    continue;
                };
                phrases.iter().for_each(|phrase| words.add(phrase, at, bit));
            }
        }
        for (at, of) in (0..).zip(lists::all()) {
            for word in &of[STOP] {
                words
                    .stops
                    .entry(word.trim().to_string())
                    .or_default()
                    .push(at);
            }
        }
        words
    }

    fn add(&mut self, phrase: &str, language: u8, bit: u32) {
        let text = Text::new(phrase);
        let mut node = 0;
        for token in &text.tokens {
            let known = self.ids.len() as u32;
            let id = *self.ids.entry(text.word(token).into()).or_insert(known);
            let fresh = self.ends.len() as u32;
            let next = *self.next.entry((node, id)).or_insert(fresh);
            if next == fresh {
                self.ends.push(Vec::new());
            }
            node = next;
        }
        // "Certainly not" also denies.
        let bit = if bit == NO && text.tokens.len() > 1 {
            bit | NOT
        } else {
            bit
        };
        let ends = &mut self.ends[node as usize];
        match ends.iter_mut().find(|(of, _)| *of == language) {
            Some((_, mask)) => *mask |= bit,
            None => ends.push((language, bit)),
        }
    }

    /// The languages of a question, if its words are enough to tell.
    pub(super) fn languages_of_question(&self, question: &Text) -> Option<u64> {
        self.likely(&[question], 120, 2)
    }

    /// The languages that a text may be in, as bits: those of its own words and those of the
    /// question, `asked`. `None` for all.
    pub(super) fn languages(
        &self,
        text: &Text,
        question: &Text,
        asked: Option<u64>,
    ) -> Option<u64> {
        let Some(asked) = asked else {
            return self.likely(&[text, question], 120, 2);
        };
        Some(asked | self.likely(&[text], 1, 2).unwrap_or_default())
    }

    /// The languages of texts, except those with less than one `part` of the score of the best
    /// language. `None` if no language reaches the score `least`.
    pub(super) fn likely(&self, texts: &[&Text], least: u64, part: u64) -> Option<u64> {
        let mut scores = [0u64; 64];
        for text in texts {
            for token in text
                .tokens
                .iter()
                .take(LOOKED_AT)
                .filter(|token| token.kind == Kind::Word)
            {
                let word = text.word(token);
                let node = self.ids.get(word).and_then(|id| self.next.get(&(0, *id)));
                let ends = node.map_or(&[][..], |node| &self.ends[*node as usize]);
                ends.iter()
                    .for_each(|(at, _)| scores[usize::from(*at)] += 60 / ends.len() as u64);
                let stops = self.stops.get(word).map_or(&[][..], Vec::as_slice);
                stops
                    .iter()
                    .for_each(|at| scores[usize::from(*at)] += 60 / stops.len() as u64);
            }
        }
        let best = scores.into_iter().max().filter(|best| *best >= least)?;
        let some = scores
            .iter()
            .enumerate()
            .filter(|(_, score)| **score * part >= best * (part - 1));
        let taken = if part < NEAREST { self.english } else { 0 };
        Some(some.fold(taken, |all, (at, _)| all | 1 << at))
    }

    /// The longest phrase that begins at a token: its end and its classes.
    pub(super) fn phrase(&self, text: &Text, at: usize) -> (usize, u32) {
        let (mut node, mut end, mut mask, mut k) = (0, at, 0, at);
        while let Some(token) = text
            .tokens
            .get(k)
            .filter(|token| matches!(token.kind, Kind::Word | Kind::Mark))
        {
            let next = self
                .ids
                .get(text.word(token))
                .and_then(|id| self.next.get(&(node, *id)));
            let Some(next) = next else { break };
            node = *next;
            k += 1;
            let here = |language: u8| {
                text.languages
                    .is_none_or(|some| some & (1 << language) != 0)
            };
            let of = self.ends[node as usize]
                .iter()
                .filter(|(l, _)| here(*l))
                .fold(0, |all, (_, mask)| all | mask);
            if of != 0 {
                (end, mask) = (k, of);
            }
        }
        // A single letter is a word only if it is lowercase. The same holds before an apostrophe.
        let short = end == at + 1 || end == at + 2 && text.at(at + 1) == "'";
        if short
            && text.tokens[at]
                .raw
                .is_some_and(|raw| !raw.to_lowercase().eq([raw]))
        {
            return (at, 0);
        }
        (end, mask)
    }
}

#[cfg(test)]
mod tests {
    use super::super::lists::LISTS;
    use super::*;

    #[test]
    fn table_is_readable_and_has_known_classes_only() {
        let table: Table = toml::from_str(PHRASES).unwrap();
        assert!((20..64).contains(&table.len()), "{}", table.len());
        for (language, classes) in &table {
            for (class, phrases) in classes {
                let known = CLASSES.contains(&class.as_str()) || LISTS.contains(&class.as_str());
                assert!(known, "{language}: {class}");
                for phrase in phrases {
                    assert!(
                        !Text::new(phrase).tokens.is_empty(),
                        "{language}.{class}: `{phrase}`"
                    );
                }
            }
        }
    }
}
