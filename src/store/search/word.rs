//! One word of a query against one row: does it occur, and how well.
//!
//! Scores estimate those of fuzzy-matcher's `SkimMatcherV2` and are on its scale: 16 a character, a bonus for
//! beginnings (of the row 16, after a blank or bracket 8, after other punctuation 7), 4 for a character that follows
//! its predecessor at once, -3 and -1 a byte for a gap. A word that lies together at a beginning gets the very score
//! Skim gives it; for scattered ones this looks at likely alignments only, in a tenth of the time.

use memchr::memmem::Finder;
use memchr::{memchr, memmem, memrchr};

use crate::arena;

const MATCH: i32 = 16;
const START: i32 = -1;
const CONSECUTIVE: i32 = 4;
const GAP_START: i32 = -3;
/// Bonus after a blank, slash or bracket.
pub(super) const HEAD: i32 = 8;
const BREAK: i32 = 7;
/// Starts tried in one row beyond the first few, and alternatives at one gap.
const STARTS: usize = 24;
const LOOK_AHEAD: usize = 4;

/// A word, lowered, without blanks.
pub(super) struct Word {
    text: String,
    /// Where each character's bytes lie in `text`.
    units: Vec<(usize, usize)>,
    mask: u64,
    /// One character whose presence the mask tells exactly.
    told_by_mask: bool,
    /// The most that a character after the first can add.
    step: i32,
    finder: Finder<'static>,
}

impl Word {
    pub(super) fn new(text: &str) -> Word {
        let units: Vec<_> = text
            .char_indices()
            .map(|(i, c)| (i, c.len_utf8()))
            .collect();
        Word {
            mask: arena::mask(text),
            told_by_mask: units.len() == 1 && text.chars().all(arena::has_own_bit),
            step: MATCH
                + if text.chars().all(char::is_alphanumeric) {
                    CONSECUTIVE
                } else {
                    HEAD
                },
            finder: Finder::new(text).into_owned(),
            text: text.to_string(),
            units,
        }
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// How many characters it has.
    pub(super) fn len(&self) -> usize {
        self.units.len()
    }

    pub(super) fn mask(&self) -> u64 {
        self.mask
    }

    /// The byte at which the word as a whole first occurs in `hay` at or after `from`.
    pub(super) fn find(&self, hay: &[u8], from: usize) -> Option<usize> {
        let rest = hay.get(from..)?;
        let at = if self.text.len() == 1 {
            memchr(self.text.as_bytes()[0], rest)
        } else {
            self.finder.find(rest)
        };
        at.map(|at| at + from)
    }

    /// Whether its characters occur in `row` in order; the row's mask has been found to hold the word's.
    pub(super) fn within(&self, row: &[u8]) -> bool {
        self.told_by_mask
            || self
                .units
                .iter()
                .try_fold(0, |from, &u| self.next(row, u, from).map(|at| at + u.1))
                .is_some()
    }

    /// Score of the word lying together, first found at byte `at`; with `probe` the best place in the row.
    pub(super) fn together(&self, row: &[u8], mut at: usize, probe: bool) -> Together {
        let mut best = place(row, at);
        while probe && best < HEAD {
            let Some(next) = self.find(row, at + 1) else {
                break;
            };
            at = next;
            best = best.max(place(row, at));
        }
        let n = self.units.len() as i32;
        Together {
            score: START + n * MATCH + best + (n - 1) * CONSECUTIVE,
            head: best >= HEAD,
        }
    }

    /// Score of a good alignment of the word's characters in order; `None` when there is none of `floor` or more.
    ///
    /// Rows that match get a score however poor while `floor` is `i32::MIN`.
    pub(super) fn scattered(&self, row: &[u8], floor: i32) -> Option<i32> {
        let (&first, rest) = self.units.split_first()?;
        let start = self.next(row, first, 0)?;
        let mut best = None;
        if let Some(at) = self.find(row, start) {
            let together = self.together(row, at, true);
            best = Some(together.score);
            // Nothing is better, but for a row that this word's first character begins.
            if together.head && (at == 0 || start > 0) {
                return best.filter(|score| *score >= floor);
            }
        } else if floor == i32::MIN {
            best = Some(self.align(row, start, rest, 1, floor)?);
        }
        // The last start from which the word's tail still fits.
        let last = self
            .units
            .iter()
            .rev()
            .try_fold(row.len(), |end, &u| self.previous(row, u, end))?;
        let mut at = start;
        for tried in 0..STARTS {
            if best.is_some_and(|best| best >= self.ceiling()) {
                break;
            }
            // Later starts inside words rarely win, so only the first few are tried.
            if tried < 3 || place(row, at) > 0 {
                best = best.max(self.align(
                    row,
                    at,
                    rest,
                    LOOK_AHEAD,
                    best.map_or(floor, |b| b.max(floor)),
                ));
            }
            match self.next(row, first, at + 1) {
                Some(next) if next <= last => at = next,
                _ => break,
            }
        }
        best.filter(|score| *score >= floor)
    }

    /// The best score there is, but for a row that the word begins.
    fn ceiling(&self) -> i32 {
        START + MATCH + HEAD + (self.units.len() as i32 - 1) * self.step
    }

    /// The best score there is.
    pub(super) fn limit(&self) -> i32 {
        self.ceiling() + HEAD
    }

    /// Score of the alignment that begins at byte `start` and, wherever the next character does not follow at once,
    /// takes the most promising of its next `choices` occurrences. `None` when that leads nowhere, or below `floor`.
    fn align(
        &self,
        row: &[u8],
        start: usize,
        rest: &[(usize, usize)],
        choices: usize,
        floor: i32,
    ) -> Option<i32> {
        let mut score = START + MATCH + place(row, start);
        let mut at = start + self.units[0].1;
        for (i, &unit) in rest.iter().enumerate() {
            let bytes = self.bytes(unit);
            if row[at..].starts_with(bytes) {
                score += MATCH + CONSECUTIVE.max(place(row, at));
                at += unit.1;
                continue;
            }
            let mut found = self.next(row, unit, at)?;
            let (mut chosen, mut value) = (found, i32::MIN);
            for _ in 0..choices {
                let gain = place(row, found) + GAP_START - (found - at) as i32;
                let follows = rest
                    .get(i + 1)
                    .is_some_and(|&u| row[found + unit.1..].starts_with(self.bytes(u)));
                let promise = if follows {
                    gain + CONSECUTIVE - GAP_START
                } else {
                    gain
                };
                if promise > value {
                    (chosen, value) = (found, promise);
                }
                match self.next(row, unit, found + 1) {
                    Some(next) if (next - at) as i32 <= HEAD - value => found = next,
                    _ => break,
                }
            }
            score += MATCH + place(row, chosen) + GAP_START - (chosen - at) as i32;
            at = chosen + unit.1;
            if score.saturating_add((rest.len() - i - 1) as i32 * self.step) < floor {
                return None;
            }
        }
        Some(score)
    }

    /// Bytes at which the characters lie when they are taken together, or else one after the other as they come.
    pub(super) fn places(&self, row: &[u8]) -> Option<Vec<usize>> {
        if let Some(at) = self.find(row, 0) {
            return Some(self.units.iter().map(|u| at + u.0).collect());
        }
        let mut from = 0;
        let mut places = Vec::with_capacity(self.units.len());
        for &unit in &self.units {
            let at = self.next(row, unit, from)?;
            places.push(at);
            from = at + unit.1;
        }
        Some(places)
    }

    fn bytes(&self, (start, len): (usize, usize)) -> &[u8] {
        &self.text.as_bytes()[start..start + len]
    }

    fn next(&self, row: &[u8], unit: (usize, usize), from: usize) -> Option<usize> {
        let rest = row.get(from..)?;
        let at = match self.bytes(unit) {
            [one] => near(*one, rest),
            more => memmem::find(rest, more),
        };
        at.map(|at| at + from)
    }

    fn previous(&self, row: &[u8], unit: (usize, usize), end: usize) -> Option<usize> {
        match self.bytes(unit) {
            [one] => memrchr(*one, row.get(..end)?),
            more => memmem::rfind(row.get(..end)?, more),
        }
    }
}

/// As `memchr`, for bytes that are likely to be close: eight are compared at once, without a call.
#[inline]
fn near(byte: u8, hay: &[u8]) -> Option<usize> {
    const ONES: u64 = u64::MAX / 255;
    let (eights, _) = hay.as_chunks::<8>();
    for (i, &eight) in eights.iter().take(4).enumerate() {
        // A byte that is equal becomes zero, and the lowest zero byte is the lowest to borrow into its top bit.
        let same = u64::from_le_bytes(eight) ^ (u64::from(byte) * ONES);
        let zeros = same.wrapping_sub(ONES) & !same & (ONES << 7);
        if zeros != 0 {
            return Some(i * 8 + zeros.trailing_zeros() as usize / 8);
        }
    }
    let seen = eights.len().min(4) * 8;
    memchr(byte, &hay[seen..]).map(|at| at + seen)
}

/// A word found in one piece.
pub(super) struct Together {
    pub(super) score: i32,
    /// It begins the row, or follows a blank or bracket.
    pub(super) head: bool,
}

/// The bonus of the character at byte `at`.
fn place(row: &[u8], at: usize) -> i32 {
    let Some(before) = at.checked_sub(1) else {
        return 2 * HEAD;
    };
    match row.get(before) {
        Some(b' ' | b'/' | b'\\' | b'|' | b'(' | b')' | b'[' | b']' | b'{' | b'}') => HEAD,
        Some(b'!'..=b'\'' | b'*'..=b'.' | b':'..=b'@' | b'^'..=b'`' | b'~') => BREAK,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use fuzzy_matcher::FuzzyMatcher;
    use fuzzy_matcher::skim::SkimMatcherV2;

    use super::*;

    fn skim(row: &str, word: &str) -> Option<i32> {
        SkimMatcherV2::default()
            .fuzzy_match(row, word)
            .map(|s| s as i32)
    }

    #[test]
    fn a_word_in_one_piece_scores_as_skim_does() {
        for (row, word) in [
            ("owl on a lawn", "owl"),
            ("an owl", "owl"),
            ("an \"owl", "owl"),
            ("growls", "owl"),
        ] {
            let word = Word::new(word);
            let at = word.find(row.as_bytes(), 0).unwrap();
            assert_eq!(
                Some(word.together(row.as_bytes(), at, true).score),
                skim(row, word.text()),
                "{row}"
            );
            assert_eq!(
                word.scattered(row.as_bytes(), i32::MIN),
                skim(row, word.text()),
                "{row}"
            );
        }
    }

    #[test]
    fn a_scattered_word_scores_at_most_as_skim_does_and_often_the_same() {
        let row = "1 blue color robot, tundra (snow), cubist painting, angular edges";
        let mut same = 0;
        let words = [
            "robtundr", "bcr", "cubedg", "cpaint", "blrob", "snowcub", "rt", "aedges", "tsc",
        ];
        for text in words {
            let (score, best) = (
                Word::new(text).scattered(row.as_bytes(), i32::MIN).unwrap(),
                skim(row, text).unwrap(),
            );
            assert!(score <= best, "{text}: {score} of {best}");
            assert_eq!(
                Word::new(text).scattered(row.as_bytes(), score),
                Some(score),
                "{text}"
            );
            assert_eq!(
                Word::new(text).scattered(row.as_bytes(), score + 1),
                None,
                "{text}"
            );
            assert!(score <= Word::new(text).limit());
            same += usize::from(score == best);
        }
        assert!(same >= 7, "{same} of {}", words.len());
        assert_eq!(Word::new("xq").scattered(row.as_bytes(), i32::MIN), None);
        assert!(!Word::new("angularx").within(row.as_bytes()));
    }

    #[test]
    fn near_bytes_are_found_as_far_ones_are() {
        let text: Vec<u8> = (0..97u8)
            .map(|i| i.wrapping_mul(i))
            .chain([0, 255, 128, 1, 127])
            .collect();
        for from in 0..text.len() {
            for to in from..text.len() {
                for byte in [0, 1, 4, 127, 128, 129, 225, 255] {
                    assert_eq!(near(byte, &text[from..to]), memchr(byte, &text[from..to]));
                }
            }
        }
    }

    #[test]
    fn characters_of_several_bytes_are_matched_whole() {
        // \u{e9} is c3 a9; \u{e3} \u{a9} hold the same two bytes apart.
        let word = Word::new("\u{e9}t");
        assert!(!word.within("\u{e3}\u{a9}t".as_bytes()));
        assert_eq!(word.scattered("\u{e3}\u{a9}t".as_bytes(), i32::MIN), None);
        assert!(word.within("caf\u{e9} t".as_bytes()));
        assert_eq!(word.places("caf\u{e9} t".as_bytes()), Some(vec![3, 6]));
    }
}
