//! Which terms of a vocabulary are near each other, without comparing each with each.
//!
//! [`Words::near`] decides; what is looked up here only says which pairs to ask it about. One letter apart is found by
//! deletion neighbourhoods: two words one edit apart have a word in common that one deletion, or none, makes of each
//! (Mor and Fraenkel, "A hash code method for detecting and correcting spelling errors", 1982).

use std::collections::HashMap;

use crate::ambiguity::{Overlap, Terms, Words};

/// Terms that share a key and are compared with one that comes after them, at most: a thousand terms with one head
/// noun would be half a million pairs, and say no more than the nearest ones do.
const LOOK: usize = 64;
/// Words of a term that is looked for inside another, at most.
const INSIDE_WORDS: usize = 8;
/// Bytes of all terms above which one letter apart is not looked for: no vocabulary that a person reads is as long.
const LETTERS: usize = 1 << 19;
/// Base of the hash over bytes: any odd number that spreads.
const BASE: u64 = 0x0100_0000_01B3_9E37;

/// The pairs of `words` that are near each other, as `(later, earlier, how)`, sorted. Words to be read (`read`) are
/// near only when they are the same.
pub(super) fn pairs(words: &[Words], terms: Terms, read: bool) -> Vec<(u32, u32, Overlap)> {
    let mut found = Vec::new();
    let mut ask = |a: u32, b: u32| {
        let (Some(one), Some(other)) = (words.get(a as usize), words.get(b as usize)) else {
            return;
        };
        if let Some(near) = one
            .near(other)
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
    if terms == Terms::Nouns && !read {
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

/// Asks about every term that stands inside another with words added.
fn inside(words: &[Words], ask: &mut impl FnMut(u32, u32)) {
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

/// The parts of a text that begin and end where its words do.
pub(super) fn parts(text: &str) -> Vec<&str> {
    let mut starts = Vec::new();
    let mut ends = Vec::new();
    let mut before = false;
    for (at, c) in text.char_indices() {
        let letter = c.is_alphanumeric();
        // What `near::holds` takes for an edge: no letter on the other side of it.
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

/// Calls `ask` for pairs that share a key.
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

/// Gives the hash of `bytes` and of `bytes` without any one of them.
fn deletions(bytes: &[u8], mut give: impl FnMut(u64)) {
    let whole = hash(bytes);
    give(whole);
    // hash(ab) = hash(a) * BASE^len(b) + hash(b), so both parts come from the hashes of the beginnings.
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

    fn each_with_each(words: &[Words], read: bool) -> Vec<(u32, u32)> {
        let mut found = Vec::new();
        for later in 0..words.len() {
            for earlier in 0..later {
                let near = words[later].near(&words[earlier]);
                if near.is_some_and(|n| !read || n == Overlap::Same) {
                    found.push((later as u32, earlier as u32));
                }
            }
        }
        found
    }

    #[test]
    fn the_hashes_are_those_of_the_words_that_are_left() {
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
        fn no_pair_is_missed(
            terms in proptest::collection::vec("[ab]{0,3}[abc]{3,5}( [ab]{1,2}){0,3}|[a-cÉé'. -]{1,9}", 0..40),
            nouns: bool,
            read: bool,
        ) {
            let kind = if nouns { Terms::Nouns } else { Terms::Phrases };
            let mut words: Vec<_> = terms.iter().map(|t| Words::new(t, kind)).collect();
            // One of two terms that are the same stands for both.
            let mut seen = std::collections::BTreeSet::new();
            words.retain(|w| seen.insert(w.folded().to_string()) || read);
            let found: Vec<_> = pairs(&words, kind, read).into_iter().map(|(a, b, _)| (a, b)).collect();
            prop_assert_eq!(found, each_with_each(&words, read));
        }
    }
}
