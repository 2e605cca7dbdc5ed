//! Keeps the best rows of a search.

use std::cmp::Reverse;

/// Results of a pass.
pub(super) struct Found {
    /// The best rows. A row can occur twice with different estimates.
    pub(super) top: Top,
    /// Number of rows found with every word at a beginning.
    pub(super) heads: u64,
    /// Number of matching rows.
    pub(super) count: u64,
    /// The matching rows, if all are requested.
    pub(super) rows: Vec<u32>,
}

impl Found {
    pub(super) fn new(keep: usize) -> Found {
        Found {
            top: Top {
                keep,
                rows: Vec::new(),
                floor: None,
            },
            heads: 0,
            count: 0,
            rows: Vec::new(),
        }
    }

    /// An empty result for a part of the rows, with the same floor.
    pub(super) fn new_part(&self) -> Found {
        let mut part = Found::new(self.top.keep);
        part.top.floor = self.top.floor;
        part
    }

    pub(super) fn absorb(&mut self, other: Found) {
        for (score, row) in other.top.rows {
            self.top.push(score, row);
        }
        self.heads += other.heads;
        self.count += other.count;
        self.rows.extend(other.rows);
    }

    /// The best `n` rows with their higher estimate, best first, without duplicates.
    pub(super) fn best(&self, n: usize) -> Vec<(u32, i32)> {
        let order = |&(score, row): &(i32, u32)| (row, Reverse(score));
        let mut rows = self.top.rows.clone();
        rows.sort_unstable_by_key(order);
        rows.dedup_by_key(|r| r.1);
        if rows.len() > n {
            rows.select_nth_unstable_by_key(n, rank);
            rows.truncate(n);
        }
        rows.sort_unstable_by_key(rank);
        rows.into_iter().map(|(score, row)| (row, score)).collect()
    }
}

/// Sort key: higher score first, then lower row, so that the result does not depend on thread
/// timing.
fn rank(&(score, row): &(i32, u32)) -> (Reverse<i32>, u32) {
    (Reverse(score), row)
}

/// The best `keep` of the pushed rows, and up to a quarter more.
pub(super) struct Top {
    keep: usize,
    rows: Vec<(i32, u32)>,
    /// The worst row worth keeping, once there are enough.
    floor: Option<(i32, u32)>,
}

impl Top {
    /// The lowest score that is still worth pushing.
    pub(super) fn floor(&self) -> i32 {
        self.floor.map_or(i32::MIN, |floor| floor.0)
    }

    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    pub(super) fn push(&mut self, score: i32, row: u32) {
        if self
            .floor
            .is_some_and(|floor| rank(&(score, row)) > rank(&floor))
        {
            return;
        }
        self.rows.push((score, row));
        if self.rows.len() > self.keep + self.keep / 4 {
            self.rows.select_nth_unstable_by_key(self.keep, rank);
            self.floor = self.rows.get(self.keep).copied();
            self.rows.truncate(self.keep);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn best_is_independent_of_order_and_without_duplicates() {
        let scores: Vec<(i32, u32)> = (0..5000u32)
            .map(|row| (((row * 7919) % 97) as i32, row))
            .collect();
        let mut want = scores.clone();
        want.sort_unstable_by_key(rank);
        let want: Vec<(u32, i32)> = want
            .iter()
            .take(100)
            .map(|&(score, row)| (row, score))
            .collect();
        let mut up = Found::new(200);
        let mut down = Found::new(200);
        for &(score, row) in &scores {
            up.top.push(score, row);
            up.top.push(score - 1, row);
        }
        for &(score, row) in scores.iter().rev() {
            down.top.push(score, row);
        }
        assert_eq!(up.best(100), want);
        assert_eq!(down.best(100), want);
    }
}
