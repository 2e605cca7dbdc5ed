//! Finds overlapping terms of a vocabulary without comparing all pairs.
//!
//! [`Words::near`] decides; the lookups here only propose pairs. An edit distance of 1 is found by
//! deletion neighborhoods: two such words become equal after at most one deletion in each (Mor and
//! Fraenkel, "A hash code method for detecting and correcting spelling errors", 1982).

use std::collections::HashMap;

use crate::ambiguity::{ComparableTerm, Overlap, TermKind};

/// Maximum number of earlier terms with the same key to compare with. A thousand terms with one
/// head noun would be half a million pairs.
const LOOK: usize = 64;
/// Maximum number of words of a contained term.
const INSIDE_WORDS: usize = 8;
/// Maximum total size of the terms in bytes for the edit distance check. No vocabulary for people
/// is as long.
const LETTERS: usize = 1 << 19;
/// Base of the polynomial hash: an odd number with well-mixed bits.
const BASE: u64 = 0x0100_0000_01B3_9E37;

/// The overlapping pairs of `words` as `(later, earlier, how)`, sorted. Words to be read (`read`)
/// overlap only if they are equal.
pub(super) fn pairs(
    words: &[ComparableTerm],
    terms: TermKind,
    read: bool,
) -> Vec<(u32, u32, Overlap)> {
    let mut found = Vec::new();
    let mut ask = |a: u32, b: u32| {
        let (Some(one), Some(other)) = (words.get(a as usize), words.get(b as usize)) else {
            return;
        };
        if let Some(near) = one
            .overlap(other)
            .filter(|n| a != b && (!read || *n == Overlap::Same))
        {
            found.push((a.max(b), a.min(b), near));
        }
    };
    let letters: usize = words.iter().map(|w| w.folded().len()).sum();
    let mut keys = Vec::with_capacity(letters.min(LETTERS) + words.len());
    for (at, word) in words.iter().enumerate() {
        let bytes = word.folded().as_bytes();
        if read || letters > LETTERS {
            keys.push((hash(bytes), at as u32));
        } else {
            deletions(bytes, |key| keys.push((key, at as u32)));
        }
    }
    buckets(&mut keys, &mut ask);
    if terms == TermKind::Nouns && !read {
        keys.clear();
        for (at, word) in words.iter().enumerate() {
            if let Some((_, head)) = word.folded().rsplit_once(' ') {
                keys.push((hash(head.as_bytes()), at as u32));
            }
        }
        buckets(&mut keys, &mut ask);
        inside(words, &mut ask);
    }
    found.sort_unstable_by_key(|(later, earlier, _)| (*later, *earlier));
    found.dedup_by_key(|(later, earlier, _)| (*later, *earlier));
    found
}

/// Proposes terms that contain another term.
fn inside(words: &[ComparableTerm], ask: &mut impl FnMut(u32, u32)) {
    let whole: HashMap<&str, u32> = words
        .iter()
        .enumerate()
        .map(|(i, w)| (w.folded(), i as u32))
        .collect();
    for (at, word) in words
        .iter()
        .enumerate()
        .filter(|(_, w)| w.folded().contains(' '))
    {
        for part in parts(word.folded()) {
            if let Some(other) = whole.get(part) {
                ask(at as u32, *other);
            }
        }
    }
}

/// The parts of a text that start and end at word boundaries.
pub(super) fn parts(text: &str) -> Vec<&str> {
    let mut starts = Vec::new();
    let mut ends = Vec::new();
    let mut before = false;
    for (at, c) in text.char_indices() {
        let letter = c.is_alphanumeric();
        // The same boundaries as in `ambiguity::holds`: no letter on the other side.
        if !before {
            starts.push(at);
        }
        if at > 0 && !letter {
            ends.push(at);
        }
        before = letter;
    }
    ends.push(text.len());
    let mut parts = Vec::new();
    for start in starts {
        let first = ends.partition_point(|end| *end <= start);
        let last = ends.len().min(first + 2 * INSIDE_WORDS);
        parts.extend(
            ends[first..last]
                .iter()
                .filter_map(|end| text.get(start..*end)),
        );
    }
    parts
}

/// Proposes pairs that share a key.
fn buckets(keys: &mut [(u64, u32)], ask: &mut impl FnMut(u32, u32)) {
    keys.sort_unstable();
    for bucket in keys.chunk_by(|a, b| a.0 == b.0) {
        for (i, (_, later)) in bucket.iter().enumerate().skip(1) {
            for (_, earlier) in &bucket[i.saturating_sub(LOOK)..i] {
                ask(*later, *earlier);
            }
        }
    }
}

fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0, |hash, byte| step(hash, *byte))
}

fn step(hash: u64, byte: u8) -> u64 {
    hash.wrapping_mul(BASE).wrapping_add(u64::from(byte) + 1)
}

/// Hashes `bytes`, and `bytes` without each single byte.
fn deletions(bytes: &[u8], mut give: impl FnMut(u64)) {
    let whole = hash(bytes);
    give(whole);
    // hash(ab) = hash(a) * BASE^len(b) + hash(b), so both parts follow from the prefix hashes.
    let (mut power, mut before) = (1_u64, Vec::with_capacity(bytes.len()));
    let mut so_far = 0;
    for byte in bytes {
        before.push(so_far);
        so_far = step(so_far, *byte);
    }
    for (at, byte) in bytes.iter().enumerate().rev() {
        let with = step(before[at], *byte);
        let rest = whole.wrapping_sub(with.wrapping_mul(power));
        give(before[at].wrapping_mul(power).wrapping_add(rest));
        power = power.wrapping_mul(BASE);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn each_with_each(words: &[ComparableTerm], read: bool) -> Vec<(u32, u32)> {
        let mut found = Vec::new();
        for later in 0..words.len() {
            for earlier in 0..later {
                let near = words[later].overlap(&words[earlier]);
                if near.is_some_and(|n| !read || n == Overlap::Same) {
                    found.push((later as u32, earlier as u32));
                }
            }
        }
        found
    }

    #[test]
    fn deletion_hashes_match() {
        let mut keys = Vec::new();
        deletions(b"sparrow", |key| keys.push(key));
        let mut other = Vec::new();
        deletions(b"sparow", |key| other.push(key));
        assert_eq!(keys.len(), 8);
        assert!(
            keys.contains(&hash(b"sparow"))
                && keys.contains(&hash(b"parrow"))
                && keys.contains(&hash(b"sparro"))
        );
        assert_eq!(other[0], hash(b"sparow"));
    }

    proptest! {
        #[test]
        fn lookups_find_all_pairs(
            terms in proptest::collection::vec("[ab]{0,3}[abc]{3,5}( [ab]{1,2}){0,3}|[a-cÉé'. -]{1,9}", 0..40),
            nouns: bool,
            read: bool,
        ) {
            let kind = if nouns { TermKind::Nouns } else { TermKind::Phrases };
            let mut words: Vec<_> = terms.iter().map(|t| ComparableTerm::new(t, kind)).collect();
            // One of two equal terms represents both.
            let mut seen = std::collections::BTreeSet::new();
            words.retain(|w| seen.insert(w.folded().to_string()) || read);
            let found: Vec<_> = pairs(&words, kind, read).into_iter().map(|(a, b, _)| (a, b)).collect();
            prop_assert_eq!(found, each_with_each(&words, read));
        }
    }
}
