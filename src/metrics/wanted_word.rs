//! Whether the text that was read in a picture is the word that the picture was asked to show.
//!
//! The score is 1 - d / n with d the Levenshtein distance (insertions, deletions and substitutions; a swap of two letters is
//! two) of the words without their case, and n the length of the longer one, both in characters: the normalised edit
//! distance that is usual for text in pictures. Dysca and the like state no rule of their own.

use serde::{Deserialize, Serialize};
use strsim::levenshtein;

/// Goes up with every change of the score of the same text.
pub const VERSION: u32 = 1;

/// The best place for one wanted text in what was read.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WordMatch {
    /// It stands there as it was wanted.
    pub exact: bool,
    /// It stands there but for its case and the marks at the edges of its words.
    pub folded: bool,
    /// Levenshtein distance of the nearest text, without case, in characters.
    pub distance: usize,
    /// The nearest text, as it was read; empty where nothing was.
    pub best: String,
    /// From 0, nothing in common, to 1, all of it.
    pub score: f64,
}

/// The best match for `wanted`, one word or several, in the words that were `read`, in order; none where nothing is wanted.
///
/// As many words as are wanted are held against it, and one fewer or more, since readers take words apart and put them
/// together: blanks count as characters.
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

/// The match of every wanted text, and the score of all: the mean of theirs. None where nothing is wanted.
pub fn wanted_words(read: &[&str], wanted: &[&str]) -> Option<(Vec<WordMatch>, f64)> {
    let all: Vec<WordMatch> = wanted.iter().filter_map(|w| wanted_word(read, w)).collect();
    let sum: f64 = all.iter().map(|m| m.score).sum();
    (!all.is_empty()).then(|| {
        let mean = sum / all.len() as f64;
        (all, mean)
    })
}

/// Lower case, without marks at the edges of words.
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
    fn the_nearest_text_is_found() {
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
        // The one that stands as it was wanted, not the first that does but for its case.
        assert!(of(&["Winter", "winter"], "winter").0);
        // Taken apart and put together.
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
    fn nothing_read_is_no_match_and_nothing_wanted_no_question() {
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
