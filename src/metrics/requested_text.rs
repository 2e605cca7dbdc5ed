//! Whether the text read in a picture is the text that the picture was asked to show.
//!
//! The score is the normalized edit distance that is usual for text in pictures: 1 - d / n. d is
//! the Levenshtein distance (insertions, deletions, and substitutions; swapping two letters costs
//! 2), ignoring case. n is the length of the longer text. Both count characters. Dysca and similar
//! papers state no rule of their own.

use serde::{Deserialize, Serialize};
use strsim::levenshtein;

/// Incremented whenever the same text would give another score.
pub const VERSION: u32 = 1;

/// The best match for one wanted text.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WordMatch {
    /// Whether the text matches exactly.
    pub exact: bool,
    /// Whether the text matches apart from case and punctuation at the edges of words.
    pub folded: bool,
    /// Levenshtein distance to the nearest text, ignoring case, in characters.
    pub distance: usize,
    /// The nearest text as it was read; empty if nothing was read.
    pub best: String,
    /// From 0 (nothing in common) to 1 (equal).
    pub score: f64,
}

/// The best match for `wanted`, one or several words, in the words that were `read`, in order.
/// `None` if `wanted` is empty.
///
/// It is compared with sequences of as many words, one fewer, and one more, because OCR splits and
/// joins words. Spaces count as characters.
pub fn wanted_word(read: &[&str], wanted: &str) -> Option<WordMatch> {
    let wanted: Vec<&str> = wanted.split_whitespace().collect();
    let target = fold(&wanted.join(" "));
    if target.is_empty() {
        return None;
    }
    let length = |text: &str| text.chars().count();
    let mut best = WordMatch {
        distance: length(&target),
        ..WordMatch::default()
    };
    for size in wanted.len().saturating_sub(1).max(1)..=wanted.len() + 1 {
        for window in read.windows(size) {
            let text = window.join(" ");
            let folded = fold(&text);
            let exact = text == wanted.join(" ");
            let distance = levenshtein(&folded, &target);
            let score = 1.0 - distance as f64 / length(&folded).max(length(&target)) as f64;
            if (exact, score) > (best.exact, best.score) {
                best = WordMatch {
                    exact,
                    folded: folded == target,
                    distance,
                    best: text,
                    score,
                };
            }
        }
    }
    Some(best)
}

/// The match of every wanted text, and the mean score. `None` if nothing is wanted.
pub fn wanted_words(read: &[&str], wanted: &[&str]) -> Option<(Vec<WordMatch>, f64)> {
    let all: Vec<WordMatch> = wanted.iter().filter_map(|w| wanted_word(read, w)).collect();
    let sum: f64 = all.iter().map(|m| m.score).sum();
    (!all.is_empty()).then(|| {
        let mean = sum / all.len() as f64;
        (all, mean)
    })
}

/// Lowercase, without punctuation at the edges of words.
fn fold(text: &str) -> String {
    let bare = |w: &str| {
        w.trim_matches(|c: char| !c.is_alphanumeric())
            .to_lowercase()
    };
    text.split_whitespace()
        .map(bare)
        .filter(|w| !w.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(read: &[&str], wanted: &str) -> (bool, bool, usize, String, f64) {
        let found = wanted_word(read, wanted).unwrap();
        (
            found.exact,
            found.folded,
            found.distance,
            found.best,
            (found.score * 1000.0).round() / 1000.0,
        )
    }

    #[test]
    fn nearest_text_is_found() {
        assert_eq!(
            of(&["a", "winter", "day"], "winter"),
            (true, true, 0, "winter".into(), 1.0)
        );
        assert_eq!(
            of(&["WINTER!"], "winter"),
            (false, true, 0, "WINTER!".into(), 1.0)
        );
        assert_eq!(
            of(&["wimter"], "winter"),
            (false, false, 1, "wimter".into(), 0.833)
        );
        assert_eq!(of(&["wni", "ter"], "winter").3, "wni ter");
        assert_eq!(
            of(&["w1nter", "wnter", "x"], "winter"),
            (false, false, 1, "w1nter".into(), 0.833)
        );
        // The exact match, not an earlier match with other case.
        assert!(of(&["Winter", "winter"], "winter").0);
        // Split and joined words.
        assert_eq!(
            of(&["but", "terfly"], "butterfly"),
            (false, false, 1, "but terfly".into(), 0.9)
        );
        assert_eq!(
            of(&["HAPPYBIRTHDAY"], "Happy Birthday"),
            (false, false, 1, "HAPPYBIRTHDAY".into(), 0.929)
        );
        assert_eq!(of(&["Happy", "Birthday", "Bob"], "Happy Birthday").4, 1.0);
        assert_eq!(
            of(&["Привет"], "привет"),
            (false, true, 0, "Привет".into(), 1.0)
        );
    }

    #[test]
    fn nothing_read_scores_zero_and_nothing_wanted_is_none() {
        assert_eq!(of(&[], "winter"), (false, false, 6, String::new(), 0.0));
        assert_eq!(of(&["xyz"], "winter").4, 0.0);
        assert_eq!(of(&["!!", "--"], "winter").4, 0.0);
        for wanted in ["", "  ", "!?"] {
            assert_eq!(wanted_word(&["winter"], wanted), None);
        }
        let (all, score) = wanted_words(&["open", "late"], &["open", "lane", " "]).unwrap();
        assert_eq!((all.len(), score), (2, 0.875));
        assert_eq!(wanted_words(&["open"], &[]), None);
    }
}
