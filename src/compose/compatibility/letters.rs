//! Words within an edit distance range of each other.

use std::sync::OnceLock;

/// Maximum length of a word in bytes. Longer words have no neighbors.
const LONGEST: usize = 64;

/// For each word of a list, the words within a range of edits. Computed on first use.
#[derive(Debug)]
pub struct Letters {
    least: usize,
    most: usize,
    /// Words in lowercase with the set of their letters.
    words: Vec<(Box<[u8]>, u32)>,
    near: Vec<OnceLock<Box<[u32]>>>,
}

impl Letters {
    /// Finds neighbors of `words` from `least` to `most` edits away.
    pub fn new<'w>(words: impl Iterator<Item = &'w str>, (least, most): (u8, u8)) -> Letters {
        let words: Vec<_> = words
            .map(|w| (Box::<[u8]>::from(w.as_bytes()), letters(w.as_bytes())))
            .collect();
        let near = words.iter().map(|_| OnceLock::new()).collect();
        Letters {
            least: usize::from(least),
            most: usize::from(most),
            words,
            near,
        }
    }

    /// Positions of the neighbors of `word`, ascending.
    pub fn near(&self, word: u32) -> &[u32] {
        let (Some(near), Some((own, set))) =
            (self.near.get(word as usize), self.words.get(word as usize))
        else {
            return &[];
        };
        near.get_or_init(|| {
            // One edit changes at most two letters of the set.
            let far = 2 * self.most as u32;
            let within = |(at, (other, letters)): (usize, &(Box<[u8]>, u32))| {
                let possible = (set ^ letters).count_ones() <= far
                    && own.len().abs_diff(other.len()) <= self.most;
                let edits = if possible {
                    edits(own, other, self.most)?
                } else {
                    return None;
                };
                (edits >= self.least && at != word as usize).then_some(at as u32)
            };
            self.words.iter().enumerate().filter_map(within).collect()
        })
    }
}

fn letters(word: &[u8]) -> u32 {
    word.iter().fold(0, |set, b| set | 1 << (b % 32))
}

/// Levenshtein distance of two words, if it is at most `most`.
fn edits(a: &[u8], b: &[u8], most: usize) -> Option<usize> {
    if a.len() > LONGEST || b.len() > LONGEST {
        return None;
    }
    let mut row = [0_u8; LONGEST + 1];
    (0..=b.len()).for_each(|at| row[at] = at as u8);
    for (i, one) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i as u8 + 1;
        let mut least = row[0];
        for (j, other) in b.iter().enumerate() {
            let changed = diagonal + u8::from(one != other);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(diagonal + 1).min(row[j] + 1);
            least = least.min(row[j + 1]);
        }
        if usize::from(least) > most {
            return None;
        }
    }
    Some(usize::from(row[b.len()])).filter(|n| *n <= most)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn edits_agree_with_strsim(a in "[a-d]{0,8}", b in "[a-d]{0,8}", most in 0_usize..5) {
            let wanted = Some(strsim::levenshtein(&a, &b)).filter(|n| *n <= most);
            prop_assert_eq!(edits(a.as_bytes(), b.as_bytes(), most), wanted);
        }
    }

    #[test]
    fn neighbors_are_within_range_and_exclude_the_word() {
        let words = [
            "sparrow", "sparow", "arrow", "spare", "narrow", "wallow", "sparrow",
        ];
        let letters = Letters::new(words.into_iter(), (2, 3));
        assert_eq!(letters.near(0), [2, 3, 4]);
        assert_eq!(letters.near(9), [] as [u32; 0]);
        let long = "x".repeat(LONGEST + 1);
        assert_eq!(
            Letters::new([long.as_str(), "xx"].into_iter(), (1, 16)).near(0),
            [] as [u32; 0]
        );
    }
}
