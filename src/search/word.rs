//! Matches one word of a query against one row and scores the match.
//!
//! Scores estimate those of fuzzy-matcher's `SkimMatcherV2` on the same scale: 16 per character, a
//! bonus for beginnings (16 at the start of the row, 8 after a space or bracket, 7 after other
//! punctuation), 4 for a character that directly follows its predecessor, and -3 plus -1 per byte
//! for a gap. A substring match at a beginning gets exactly Skim's score. For scattered characters,
//! only likely alignments are tried, in a tenth of the time.

use memchr::memmem::Finder;
use memchr::{memchr, memmem, memrchr};

use crate::arena;

const MATCH: i32 = 16;
const START: i32 = -1;
const CONSECUTIVE: i32 = 4;
const GAP_START: i32 = -3;
/// Bonus after a space, slash, or bracket.
pub(super) const HEAD: i32 = 8;
const BREAK: i32 = 7;
/// Maximum number of starts per row, and of alternatives per gap.
const MAX_STARTS: usize = 24;
const LOOK_AHEAD: usize = 4;
/// Blocks of sixteen bytes that are compared before `memchr` is called.
const BLOCKS: usize = 4;

/// A word in lower case, without spaces.
pub(super) struct Word {
    pub(super) text: String,
    /// Offset and length in bytes of each character in `text`.
    units: Vec<(usize, usize)>,
    pub(super) mask: u64,
    /// Whether the word is one character with its own mask bit, so that the mask alone decides.
    mask_decides: bool,
    /// Maximum score of a character after the first.
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
            mask_decides: units.len() == 1 && text.chars().all(arena::has_own_bit),
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

    /// Number of characters.
    pub(super) fn len(&self) -> usize {
        self.units.len()
    }

    /// The first byte at or after `from` where the whole word occurs in `hay`.
    pub(super) fn find(&self, hay: &[u8], from: usize) -> Option<usize> {
        let rest = hay.get(from..)?;
        let at = if self.text.len() == 1 {
            memchr(self.text.as_bytes()[0], rest)
        } else {
            self.finder.find(rest)
        };
        at.map(|at| at + from)
    }

    /// Whether the characters of the word occur in `row` in order. The row's mask must contain the
    /// word's mask.
    pub(super) fn within(&self, row: &[u8]) -> bool {
        self.mask_decides
            || self
                .units
                .iter()
                .try_fold(0, |from, &u| self.next(row, u, from).map(|at| at + u.1))
                .is_some()
    }

    /// Score of the word as a substring, first found at byte `at`. With `probe`, searches for its
    /// best position.
    pub(super) fn substring(&self, row: &[u8], mut at: usize, probe: bool) -> SubstringMatch {
        let mut best = bonus(row, at);
        while probe && best < HEAD {
            let Some(next) = self.find(row, at + 1) else {
                break;
            };
            at = next;
            best = best.max(bonus(row, at));
        }
        let n = self.units.len() as i32;
        SubstringMatch {
            score: START + n * MATCH + best + (n - 1) * CONSECUTIVE,
            head: best >= HEAD,
        }
    }

    /// Score of a good alignment of the word's characters, or `None` if it is below `floor`. With
    /// `floor` at `i32::MIN`, every matching row gets a score.
    pub(super) fn scattered(&self, row: &[u8], floor: i32) -> Option<i32> {
        let start = self.next(row, *self.units.first()?, 0)?;
        let Some(at) = self.find(row, start) else {
            return self.apart(row, floor);
        };
        let found = self.substring(row, at, true);
        // Only a match of the first character at the start of the row can be better.
        if found.head && (at == 0 || start > 0) {
            return Some(found.score).filter(|score| *score >= floor);
        }
        self.aligned(row, start, Some(found.score), floor)
    }

    /// As [`scattered`](Self::scattered), in a row where the whole word does not occur.
    pub(super) fn apart(&self, row: &[u8], floor: i32) -> Option<i32> {
        let (&first, rest) = self.units.split_first()?;
        let start = self.next(row, first, 0)?;
        let best = match floor {
            i32::MIN => Some(self.align(row, start, rest, 1, floor)?),
            _ => None,
        };
        self.aligned(row, start, best, floor)
    }

    /// Score of a good alignment that begins at byte `start` or later, or `best`.
    fn aligned(&self, row: &[u8], start: usize, mut best: Option<i32>, floor: i32) -> Option<i32> {
        let (&first, rest) = self.units.split_first()?;
        // The last start at which the rest of the word still fits.
        let last = self
            .units
            .iter()
            .rev()
            .try_fold(row.len(), |end, &u| self.previous(row, u, end))?;
        let mut at = start;
        for tried in 0..MAX_STARTS {
            if best.is_some_and(|best| best >= self.ceiling()) {
                break;
            }
            // Later starts inside words rarely win, so only the first few are tried.
            if tried < 3 || bonus(row, at) > 0 {
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

    /// Maximum score, except for a match at the start of the row.
    fn ceiling(&self) -> i32 {
        START + MATCH + HEAD + (self.units.len() as i32 - 1) * self.step
    }

    /// Maximum score.
    pub(super) fn limit(&self) -> i32 {
        self.ceiling() + HEAD
    }

    /// Score of the alignment that starts at byte `start`. At each gap, takes the most promising of
    /// the next `choices` occurrences. `None` if it fails or falls below `floor`.
    fn align(
        &self,
        row: &[u8],
        start: usize,
        rest: &[(usize, usize)],
        choices: usize,
        floor: i32,
    ) -> Option<i32> {
        let mut score = START + MATCH + bonus(row, start);
        let mut at = start + self.units[0].1;
        for (i, &unit) in rest.iter().enumerate() {
            let bytes = self.bytes(unit);
            if is_at(row, at, bytes) {
                score += MATCH + CONSECUTIVE.max(bonus(row, at));
                at += unit.1;
                continue;
            }
            let mut found = self.next(row, unit, at)?;
            let (mut chosen, mut value) = (found, i32::MIN);
            for _ in 0..choices {
                let gain = bonus(row, found) + GAP_START - (found - at) as i32;
                let follows = rest
                    .get(i + 1)
                    .is_some_and(|&u| is_at(row, found + unit.1, self.bytes(u)));
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
            score += MATCH + bonus(row, chosen) + GAP_START - (chosen - at) as i32;
            at = chosen + unit.1;
            if score.saturating_add((rest.len() - i - 1) as i32 * self.step) < floor {
                return None;
            }
        }
        Some(score)
    }

    /// Byte offsets of the characters of the whole word, or else of their first occurrences in
    /// order.
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

/// Whether `bytes`, which are a character, are in `row` at `at`.
#[inline]
fn is_at(row: &[u8], at: usize, bytes: &[u8]) -> bool {
    match bytes {
        [one] => row.get(at) == Some(one),
        more => row.get(at..).is_some_and(|rest| rest.starts_with(more)),
    }
}

/// Like `memchr`, for bytes that are likely close. Compares sixteen bytes at once, without a call.
#[inline]
fn near(byte: u8, hay: &[u8]) -> Option<usize> {
    const ONES: u64 = u64::MAX / 255;
    let (blocks, _) = hay.as_chunks::<16>();
    for (i, block) in blocks.iter().take(BLOCKS).enumerate() {
        // One instruction compares them all, if nothing depends on the place.
        if !block
            .iter()
            .fold(false, |any, found| any | (*found == byte))
        {
            continue;
        }
        let (eights, _) = block.as_chunks::<8>();
        for (half, &eight) in eights.iter().enumerate() {
            // An equal byte becomes zero, and the lowest zero byte is the lowest that borrows into its
            // top bit.
            let same = u64::from_le_bytes(eight) ^ (u64::from(byte) * ONES);
            let zeros = same.wrapping_sub(ONES) & !same & (ONES << 7);
            if zeros != 0 {
                return Some(i * 16 + half * 8 + zeros.trailing_zeros() as usize / 8);
            }
        }
    }
    let seen = blocks.len().min(BLOCKS) * 16;
    memchr(byte, &hay[seen..]).map(|at| at + seen)
}

/// A word that was found as a substring of a row.
pub(super) struct SubstringMatch {
    pub(super) score: i32,
    /// Whether it is at the start of the row, or after a space or bracket.
    pub(super) head: bool,
}

/// The bonus of the character at byte `at`.
fn bonus(row: &[u8], at: usize) -> i32 {
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
    fn a_substring_match_has_skims_score() {
        for (row, word) in [
            ("owl on a lawn", "owl"),
            ("an owl", "owl"),
            ("an \"owl", "owl"),
            ("growls", "owl"),
        ] {
            let word = Word::new(word);
            let at = word.find(row.as_bytes(), 0).unwrap();
            assert_eq!(
                Some(word.substring(row.as_bytes(), at, true).score),
                skim(row, &word.text),
                "{row}"
            );
            assert_eq!(
                word.scattered(row.as_bytes(), i32::MIN),
                skim(row, &word.text),
                "{row}"
            );
        }
    }

    #[test]
    fn a_scattered_word_scores_at_most_like_skim() {
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
    fn near_agrees_with_memchr() {
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
    fn multibyte_characters_match_as_a_whole() {
        // \u{e9} is c3 a9; \u{e3} \u{a9} contain the same two bytes, but not adjacent.
        let word = Word::new("\u{e9}t");
        assert!(!word.within("\u{e3}\u{a9}t".as_bytes()));
        assert_eq!(word.scattered("\u{e3}\u{a9}t".as_bytes(), i32::MIN), None);
        assert!(word.within("caf\u{e9} t".as_bytes()));
        assert_eq!(word.places("caf\u{e9} t".as_bytes()), Some(vec![3, 6]));
    }
}
