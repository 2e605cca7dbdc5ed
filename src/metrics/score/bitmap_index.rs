//! Counts answers by the properties of their questions. The rows of each combination of properties
//! are contiguous in bitmaps, so a board over millions of answers only counts bits.

use std::collections::HashMap;
use std::ops::Range;

use rayon::prelude::*;

use super::parsed_answer::ParsedAnswer;
use super::question_table::{NAMED, QuestionTable};
use benchtop_model::QuestionKind;

/// A stack: questions that agree in every property that has board columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stratum {
    /// Codes of the properties in [`NAMED`].
    pub codes: [u16; NAMED.len()],
    pub kind: QuestionKind,
    /// The first row. Its data set and rule are those of all rows.
    pub first: u32,
    /// The stack's words in a bitmap.
    words: Range<usize>,
}

/// The questions in stacks.
#[derive(Clone, Debug, Default)]
pub struct BitmapIndex {
    stacks: Vec<Stratum>,
    /// The bit of each row in a bitmap; `u32::MAX` for rows that are not in the index.
    bit: Vec<u32>,
    /// The row of each bit; `u32::MAX` between two stacks.
    row: Vec<u32>,
}

/// The stack number of each combination of properties: a table if there are few combinations,
/// otherwise a map.
struct Numbers {
    sizes: [usize; NAMED.len()],
    table: Vec<u32>,
    map: HashMap<([u16; NAMED.len()], u8), u32>,
}

/// Maximum number of table entries.
const TABLE: usize = 1 << 22;

impl Numbers {
    fn new(sheet: &QuestionTable) -> Numbers {
        let sizes: [usize; NAMED.len()] = std::array::from_fn(|p| sheet.names[p].len().max(1));
        let all = sizes
            .iter()
            .try_fold(QuestionKind::ALL.len(), |all, n| all.checked_mul(*n))
            .filter(|n| *n <= TABLE);
        Numbers {
            sizes,
            table: vec![u32::MAX; all.unwrap_or(0)],
            map: HashMap::new(),
        }
    }

    fn of(&mut self, codes: [u16; NAMED.len()], kind: u8, new: impl FnOnce() -> u32) -> u32 {
        let at = codes
            .iter()
            .zip(self.sizes)
            .fold(usize::from(kind), |at, (code, n)| {
                at * n + usize::from(*code)
            });
        match self.table.get_mut(at) {
            Some(stack) if *stack == u32::MAX => {
                *stack = new();
                *stack
            }
            Some(stack) => *stack,
            None => *self.map.entry((codes, kind)).or_insert_with(new),
        }
    }
}

/// One bit per question. Bits between two stacks are 0.
pub type Bitmap = Vec<u64>;

impl BitmapIndex {
    /// Indexes the rows for which `counts` holds.
    pub fn new(sheet: &QuestionTable, counts: impl Fn(usize) -> bool) -> BitmapIndex {
        let mut numbers = Numbers::new(sheet);
        let mut stacks: Vec<Stratum> = Vec::new();
        let mut sizes: Vec<usize> = Vec::new();
        let mut place = vec![(u32::MAX, 0); sheet.len()];
        for (row, place) in place.iter_mut().enumerate().filter(|(row, _)| counts(*row)) {
            let codes = std::array::from_fn(|p| sheet.codes[p].get(row).copied().unwrap_or(0));
            let stack = numbers.of(codes, sheet.kind[row], || {
                stacks.push(Stratum {
                    codes,
                    kind: sheet.kind(row),
                    first: row as u32,
                    words: 0..0,
                });
                sizes.push(0);
                stacks.len() as u32 - 1
            });
            *place = (stack, sizes[stack as usize] as u32);
            sizes[stack as usize] += 1;
        }
        let mut words = 0;
        for (stack, size) in stacks.iter_mut().zip(sizes) {
            stack.words = words..words + size.div_ceil(64);
            words = stack.words.end;
        }
        let bit = |(stack, at): (u32, u32)| {
            stacks
                .get(stack as usize)
                .map_or(u32::MAX, |s| s.words.start as u32 * 64 + at)
        };
        let bit: Vec<u32> = place.into_iter().map(bit).collect();
        let mut row = vec![u32::MAX; words * 64];
        for (at, bit) in (0u32..).zip(&bit).filter(|(_, bit)| **bit != u32::MAX) {
            row[*bit as usize] = at;
        }
        BitmapIndex { bit, row, stacks }
    }

    pub fn strata(&self) -> &[Stratum] {
        &self.stacks
    }

    /// Whether a row is in the index.
    pub fn holds(&self, row: usize) -> bool {
        self.bit.get(row).is_some_and(|bit| *bit != u32::MAX)
    }

    /// The stack of a row in the index.
    pub fn stratum_of(&self, row: usize) -> usize {
        let word = self
            .bit
            .get(row)
            .map_or(usize::MAX, |bit| *bit as usize / 64);
        self.stacks.partition_point(|s| s.words.end <= word)
    }

    /// The bitmap of the rows for which `is` holds.
    pub fn plane(&self, is: impl Fn(usize) -> bool) -> Bitmap {
        let word = |rows: &[u32]| {
            let bit =
                |(at, row): (usize, &u32)| u64::from(*row != u32::MAX && is(*row as usize)) << at;
            rows.iter()
                .enumerate()
                .map(bit)
                .fold(0, |word, bit| word | bit)
        };
        self.row.chunks(64).map(word).collect()
    }

    /// Bitmaps of the rows whose answer equals `wanted`, of those with an answer, of unparsed ones,
    /// and of free-text refusals. `wanted` is indexed by bit, see [`by_bit`](Self::by_bit).
    pub fn marked(&self, marks: &[ParsedAnswer], wanted: &[ParsedAnswer]) -> [Bitmap; 4] {
        let mut planes: [Bitmap; 4] =
            std::array::from_fn(|_| Vec::with_capacity(self.row.len() / 64));
        for (rows, wanted) in self.row.chunks(64).zip(wanted.chunks(64)) {
            let mut words = [0; 4];
            for (at, (row, wanted)) in rows.iter().zip(wanted).enumerate() {
                let mark = marks
                    .get(*row as usize)
                    .copied()
                    .unwrap_or(ParsedAnswer::ABSENT);
                let is = [
                    mark == *wanted,
                    mark != ParsedAnswer::ABSENT,
                    mark == ParsedAnswer::UNPARSED,
                    mark == ParsedAnswer::REFUSED,
                ];
                words
                    .iter_mut()
                    .zip(is)
                    .for_each(|(word, is)| *word |= u64::from(is) << at);
            }
            planes
                .iter_mut()
                .zip(words)
                .for_each(|(plane, word)| plane.push(word));
        }
        planes
    }

    /// A value for each row in bit order; `none` between two stacks.
    pub fn by_bit<T: Clone>(&self, of: impl Fn(usize) -> T, none: T) -> Vec<T> {
        self.row
            .iter()
            .map(|row| {
                if *row == u32::MAX {
                    none.clone()
                } else {
                    of(*row as usize)
                }
            })
            .collect()
    }

    /// For each stack, the number of bits that are set in both bitmaps.
    pub fn count(&self, plane: &[u64], only: &[u64]) -> Vec<u32> {
        self.each(|at| plane[at] & only[at])
    }

    /// The sum of `value` over a stack's rows in `only`.
    pub fn sum(&self, stack: usize, only: &[u64], value: impl Fn(usize) -> f64) -> f64 {
        self.rows(stack, only).map(value).sum()
    }

    /// A stack's rows in `only`.
    pub fn rows<'s>(&'s self, stack: usize, only: &'s [u64]) -> impl Iterator<Item = usize> + 's {
        self.bits(stack, only).map(|(.., row)| row)
    }

    /// A stack's rows in `only`, each as word, bit in the word, and row.
    pub fn bits<'s>(
        &'s self,
        stack: usize,
        only: &'s [u64],
    ) -> impl Iterator<Item = (usize, usize, usize)> + 's {
        let words = self.stacks.get(stack).map_or(0..0, |s| s.words.clone());
        words.flat_map(move |word| {
            let mut bits = only[word];
            std::iter::from_fn(move || {
                let bit = (bits != 0).then(|| bits.trailing_zeros() as usize)?;
                bits &= bits - 1;
                Some((word, bit, self.row[word * 64 + bit] as usize))
            })
        })
    }

    fn each(&self, word: impl Fn(usize) -> u64) -> Vec<u32> {
        self.stacks
            .iter()
            .map(|s| s.words.clone().map(|at| word(at).count_ones()).sum())
            .collect()
    }
}

/// The bits that are set in both bitmaps.
pub(super) fn and(a: &[u64], b: &[u64]) -> Bitmap {
    a.iter().zip(b).map(|(a, b)| a & b).collect()
}

/// Maps `make` over the slice on all cores.
pub(super) fn each<T: Sync, R: Send>(of: &[T], make: impl Fn(&T) -> R + Sync + Send) -> Vec<R> {
    of.par_iter().map(make).collect()
}
