//! The sums behind every agreement measure. All are integers, so removing a rating restores the
//! previous state exactly.

use std::collections::BTreeMap;

/// The number of an item's ratings in each category, as 16 bytes: category c in byte c.
pub(super) type Pattern = u128;

/// One rating of `category` as a pattern.
pub(super) fn one(category: u8) -> Pattern {
    1 << (8 * u32::from(category))
}

/// The categories of a pattern with their counts.
fn used(pattern: Pattern) -> impl Iterator<Item = (usize, u64)> {
    pattern
        .to_le_bytes()
        .into_iter()
        .enumerate()
        .filter(|(_, n)| *n > 0)
        .map(|(c, n)| (c, u64::from(n)))
}

/// Adds `n`, which may be negative, to a count.
pub(super) fn step(count: &mut u64, n: i64) {
    *count = count.saturating_add_signed(n);
}

/// Sums over the items that have the same number of ratings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Layer {
    pub items: u64,
    /// Ratings of each category.
    pub ratings: Vec<u64>,
    /// Ordered pairs of two ratings of one item, by category: k x k, row by row, symmetric.
    pub pairs: Vec<u64>,
}

/// Layers of items with one rating, two ratings, and so on. The last layer is never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Sums {
    k: usize,
    layers: Vec<Layer>,
}

impl Sums {
    /// Empty sums on a scale of `k` categories.
    pub fn new(k: u8) -> Sums {
        Sums {
            k: usize::from(k),
            layers: Vec::new(),
        }
    }

    /// Sums of two annotators, from a table with the categories of one as rows and of the other as
    /// columns.
    pub fn of_table(k: u8, table: &[u64]) -> Sums {
        let mut sums = Sums::new(k);
        let k = sums.k;
        for (at, n) in table.iter().enumerate().filter(|(_, n)| **n > 0) {
            sums.add(one((at / k) as u8) + one((at % k) as u8), *n as i64);
        }
        sums
    }

    /// Resets to empty and keeps the memory.
    pub fn clear(&mut self) {
        for layer in &mut self.layers {
            layer.items = 0;
            layer.ratings.fill(0);
            layer.pairs.fill(0);
        }
    }

    /// Adds `n` items with this pattern; a negative `n` removes them. O(k^2).
    pub fn add(&mut self, pattern: Pattern, n: i64) {
        let m: usize = used(pattern).map(|(_, count)| count as usize).sum();
        let k = self.k;
        if m == 0 {
            return;
        }
        if self.layers.len() < m {
            self.layers.resize_with(m, || Layer {
                items: 0,
                ratings: vec![0; k],
                pairs: vec![0; k * k],
            });
        }
        let layer = &mut self.layers[m - 1];
        step(&mut layer.items, n);
        for (a, of_a) in used(pattern) {
            step(&mut layer.ratings[a], n * of_a as i64);
            for (b, of_b) in used(pattern) {
                let met = if a == b {
                    of_a * (of_a - 1)
                } else {
                    of_a * of_b
                };
                step(&mut layer.pairs[a * k + b], n * met as i64);
            }
        }
        while n < 0 && self.layers.last().is_some_and(|last| last.items == 0) {
            self.layers.pop();
        }
    }

    /// Number of categories on the scale.
    pub fn categories(&self) -> usize {
        self.k
    }

    /// The items with `m` ratings, if any.
    pub fn layer(&self, m: u8) -> Option<&Layer> {
        self.layers
            .get(usize::from(m).checked_sub(1)?)
            .filter(|layer| layer.items > 0)
    }

    /// All layers that have items, with their numbers of ratings.
    pub fn layers(&self) -> impl Iterator<Item = (u64, &Layer)> {
        (1..).zip(&self.layers).filter(|(_, layer)| layer.items > 0)
    }

    /// The layers of items with at least two ratings.
    pub fn doubled(&self) -> impl Iterator<Item = (u64, &Layer)> {
        self.layers().filter(|(m, _)| *m > 1)
    }

    /// Number of items with a rating.
    pub fn items(&self) -> u64 {
        self.layers().map(|(_, layer)| layer.items).sum()
    }

    /// Number of items with at least two ratings.
    pub fn doubles(&self) -> u64 {
        self.doubled().map(|(_, layer)| layer.items).sum()
    }

    /// Ordered pairs of ratings by category, over all items.
    pub fn table(&self) -> Vec<u64> {
        let mut table = vec![0; self.k * self.k];
        for (_, layer) in self.doubled() {
            table
                .iter_mut()
                .zip(&layer.pairs)
                .for_each(|(sum, n)| *sum += n);
        }
        table
    }

    /// The most common number of ratings, of at least two; in a tie, the larger.
    pub fn commonest(&self) -> Option<u8> {
        self.doubled()
            .max_by_key(|(m, layer)| (layer.items, *m))
            .map(|(m, _)| m as u8)
    }
}

/// Number of items with each pattern.
pub(super) type Patterns = BTreeMap<Pattern, u64>;

/// Adds `n` items with this pattern; a negative `n` removes them. Patterns without items are
/// dropped.
pub(super) fn count(patterns: &mut Patterns, pattern: Pattern, n: i64) {
    if pattern == 0 {
        return;
    }
    let items = patterns.entry(pattern).or_default();
    step(items, n);
    if *items == 0 {
        patterns.remove(&pattern);
    }
}
