//! Answers counted by what their questions are: the rows of each combination of properties lie together in bit planes, so that
//! a board over millions of answers is a matter of counting bits.

use std::collections::HashMap;
use std::ops::Range;

use rayon::prelude::*;

use super::sheet::{NAMED, Sheet};
use crate::model::QuestionKind;

/// Questions that are alike in every property a board has columns by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stack {
    /// Codes of [`NAMED`].
    pub codes: [u16; NAMED.len()],
    /// How they are answered.
    pub kind: QuestionKind,
    /// The first of its rows: data set and rule are those of all.
    pub first: u32,
    /// Their words in a plane.
    words: Range<usize>,
}

/// The questions by what they are.
#[derive(Clone, Debug, Default)]
pub struct Cube {
    stacks: Vec<Stack>,
    /// The bit of each row in a plane; `u32::MAX` for rows that are not counted here.
    bit: Vec<u32>,
    words: usize,
}

/// One bit a question. Bits between two stacks are 0.
pub type Plane = Vec<u64>;

impl Cube {
    /// The rows for which `counts` holds.
    pub fn new(sheet: &Sheet, counts: impl Fn(usize) -> bool) -> Cube {
        type Of = ([u16; NAMED.len()], u8);
        let mut at: HashMap<Of, u32> = HashMap::new();
        let mut stacks: Vec<Stack> = Vec::new();
        let mut sizes: Vec<usize> = Vec::new();
        let mut place = vec![(u32::MAX, 0); sheet.len()];
        let mut last: Option<(Of, u32)> = None;
        for (row, place) in place.iter_mut().enumerate().filter(|(row, _)| counts(*row)) {
            let of = (std::array::from_fn(|p| sheet.codes[p].get(row).copied().unwrap_or(0)), sheet.kind[row]);
            let stack = match last {
                Some((before, stack)) if before == of => stack,
                _ => *at.entry(of).or_insert_with(|| {
                    stacks.push(Stack { codes: of.0, kind: sheet.kind(row), first: row as u32, words: 0..0 });
                    sizes.push(0);
                    stacks.len() as u32 - 1
                }),
            };
            last = Some((of, stack));
            *place = (stack, sizes[stack as usize] as u32);
            sizes[stack as usize] += 1;
        }
        let mut words = 0;
        for (stack, size) in stacks.iter_mut().zip(sizes) {
            stack.words = words..words + size.div_ceil(64);
            words = stack.words.end;
        }
        let bit =
            |(stack, at): (u32, u32)| stacks.get(stack as usize).map_or(u32::MAX, |s| s.words.start as u32 * 64 + at);
        Cube { bit: place.into_iter().map(bit).collect(), stacks, words }
    }

    /// The stacks.
    pub fn stacks(&self) -> &[Stack] {
        &self.stacks
    }

    /// Whether a row is counted here.
    pub fn holds(&self, row: usize) -> bool {
        self.bit.get(row).is_some_and(|bit| *bit != u32::MAX)
    }

    /// The stack of a row that is counted here.
    pub fn stack_of(&self, row: usize) -> usize {
        let word = self.bit.get(row).map_or(usize::MAX, |bit| *bit as usize / 64);
        self.stacks.partition_point(|s| s.words.end <= word)
    }

    /// The plane of the rows for which `is` holds.
    pub fn plane(&self, is: impl Fn(usize) -> bool) -> Plane {
        let mut plane = vec![0u64; self.words];
        for (row, bit) in self.bit.iter().enumerate().filter(|(_, bit)| **bit != u32::MAX) {
            plane[*bit as usize / 64] |= u64::from(is(row)) << (bit % 64);
        }
        plane
    }

    /// The bits of each stack that are set in both planes.
    pub fn count(&self, plane: &[u64], only: &[u64]) -> Vec<u32> {
        self.each(|at| plane[at] & only[at])
    }

    /// Of the stacks in `of`: the bits set in `a` and not in `b`, and those in `b` and not in `a`, within `only`.
    pub fn differ(&self, of: &[u32], (a, b): (&[u64], &[u64]), only: &[u64]) -> (u64, u64) {
        let mut found = (0, 0);
        for at in of.iter().filter_map(|at| self.stacks.get(*at as usize)).flat_map(|stack| stack.words.clone()) {
            found.0 += u64::from((a[at] & !b[at] & only[at]).count_ones());
            found.1 += u64::from((b[at] & !a[at] & only[at]).count_ones());
        }
        found
    }

    /// The sum of `value` over the rows of each stack that are in `only`.
    pub fn sums(&self, only: &[u64], value: impl Fn(usize) -> f64) -> Vec<f64> {
        let mut sums = vec![0.0; self.stacks.len()];
        for (row, bit) in self.bit.iter().enumerate().filter(|(_, bit)| **bit != u32::MAX) {
            if only[*bit as usize / 64] >> (bit % 64) & 1 == 1 {
                sums[self.stack_of(row)] += value(row);
            }
        }
        sums
    }

    fn each(&self, word: impl Fn(usize) -> u64) -> Vec<u32> {
        self.stacks.iter().map(|s| s.words.clone().map(|at| word(at).count_ones()).sum()).collect()
    }
}

/// Does something for each of many, on all cores.
pub(super) fn each<T: Sync, R: Send>(of: &[T], make: impl Fn(&T) -> R + Sync + Send) -> Vec<R> {
    of.par_iter().map(make).collect()
}
