//! The phrases that the rule goes by, and where one begins.

use std::collections::{BTreeMap, HashMap};
use std::sync::OnceLock;

use super::tokens::{Kind, Text};

/// The phrases of all languages, as `phrases.toml` has them.
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
    PLAIN "plain", YES_WORD "yes_word", NO_WORD "no_word",
}

/// All phrases, by their words.
#[derive(Default)]
pub(super) struct Words {
    ids: HashMap<Box<str>, u32>,
    next: HashMap<(u32, u32), u32>,
    masks: Vec<u32>,
}

/// The table as it is written: phrases by class, by language. Empty where it cannot be read, which a test excludes.
pub(super) fn table() -> BTreeMap<String, BTreeMap<String, Vec<String>>> {
    toml::from_str(PHRASES).unwrap_or_default()
}

pub(super) fn words() -> &'static Words {
    static WORDS: OnceLock<Words> = OnceLock::new();
    WORDS.get_or_init(Words::new)
}

impl Words {
    fn new() -> Words {
        let mut words = Words { masks: vec![0], ..Words::default() };
        for classes in table().values() {
            for (class, phrases) in classes {
                let bit = CLASSES.iter().position(|c| c == class).map_or(0, |at| 1 << at);
                phrases.iter().for_each(|phrase| words.add(phrase, bit));
            }
        }
        words
    }

    fn add(&mut self, phrase: &str, bit: u32) {
        let text = Text::new(phrase);
        let mut node = 0;
        for token in &text.tokens {
            let known = self.ids.len() as u32;
            let id = *self.ids.entry(text.word(token).into()).or_insert(known);
            let fresh = self.masks.len() as u32;
            let next = *self.next.entry((node, id)).or_insert(fresh);
            if next == fresh {
                self.masks.push(0);
            }
            node = next;
        }
        // "Certainly not" denies too.
        let denies = if bit == NO && text.tokens.len() > 1 { NOT } else { 0 };
        self.masks[node as usize] |= bit | denies;
    }

    /// The longest phrase that begins at a token: where it ends, and its classes.
    pub(super) fn phrase(&self, text: &Text, at: usize) -> (usize, u32) {
        let (mut node, mut end, mut mask, mut k) = (0, at, 0, at);
        while let Some(token) = text.tokens.get(k).filter(|token| matches!(token.kind, Kind::Word | Kind::Mark)) {
            let next = self.ids.get(text.word(token)).and_then(|id| self.next.get(&(node, *id)));
            let Some(next) = next else { break };
            node = *next;
            k += 1;
            if self.masks[node as usize] != 0 {
                (end, mask) = (k, self.masks[node as usize]);
            }
        }
        // One letter is a word only where it is a small one.
        if end == at + 1 && text.tokens[at].raw.is_some_and(|raw| !raw.to_lowercase().eq([raw])) {
            return (at, 0);
        }
        (end, mask)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_can_be_read_and_names_no_other_class() {
        let table: BTreeMap<String, BTreeMap<String, Vec<String>>> = toml::from_str(PHRASES).unwrap();
        assert!(table.len() >= 20, "{}", table.len());
        for (language, classes) in &table {
            for (class, phrases) in classes {
                assert!(CLASSES.contains(&class.as_str()), "{language}: {class}");
                for phrase in phrases {
                    assert!(!Text::new(phrase).tokens.is_empty(), "{language}.{class}: `{phrase}`");
                }
            }
        }
    }
}
