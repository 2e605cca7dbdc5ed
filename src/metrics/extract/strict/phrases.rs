//! Phrases that decline to answer, and words that deny.

use crate::extract::text::{alphanumeric_before, begins, places};

/// Phrases that decline to answer. They are long enough to mean nothing else.
const REFUSALS: [&str; 26] = [
    "i cannot",
    "i can't",
    "i can not",
    "i am unable to",
    "i'm unable to",
    "i am not able to",
    "i'm not able to",
    "i don't know",
    "i do not know",
    "i'm not sure",
    "i am not sure",
    "i won't",
    "i will not",
    "cannot be determined",
    "can't be determined",
    "can not be determined",
    "cannot determine",
    "can't determine",
    "unable to determine",
    "impossible to determine",
    "impossible to tell",
    "not possible to determine",
    "not enough information",
    "insufficient information",
    "as an ai",
    "i must decline",
];

pub(super) fn refuses(text: &str) -> bool {
    let starts = text.char_indices().filter(|(at, c)| {
        matches!(c, 'i' | 'I' | 'c' | 'C' | 'u' | 'U' | 'n' | 'N' | 'a' | 'A')
            && !alphanumeric_before(text, *at)
    });
    starts
        .map(|(at, _)| &text[at..])
        .any(|rest| REFUSALS.iter().any(|phrase| begins(rest, phrase).is_some()))
}

/// Whether the text contains a negation.
pub(super) fn denies(text: &str) -> bool {
    const WORDS: [&str; 8] = [
        "not", "no", "never", "neither", "nor", "without", "cannot", "none",
    ];
    let short = |t: &str| t.contains("n't") || t.contains("n\u{2019}t") || t.contains("N'T");
    short(text) || WORDS.iter().any(|word| places(text, word).next().is_some())
}
