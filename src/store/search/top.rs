//! The best rows seen so far.

use std::cmp::Reverse;

/// What workers gather.
pub(super) struct Found {
    /// The best rows; a row may be there twice, with different estimates.
    pub(super) top: Top,
    /// Rows with every word in one piece at a beginning, as far as they were looked for.
    pub(super) heads: u64,
    /// Rows that match.
    pub(super) count: u64,
    /// The rows themselves, where all are wanted.
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

    /// An empty one to gather a part in, which passes over what this one would pass over.
    pub(super) fn beside(&self) -> Found {
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

    /// The best `n` rows with their better estimate, best first, each once.
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

/// Best first: the higher score, then the earlier row, so that the outcome does not hang on which thread was quicker.
fn rank(&(score, row): &(i32, u32)) -> (Reverse<i32>, u32) {
    (Reverse(score), row)
}

/// The best `keep` of the rows pushed, and up to a quarter more.
pub(super) struct Top {
    keep: usize,
    rows: Vec<(i32, u32)>,
    /// The worst row worth keeping, once there are enough.
    floor: Option<(i32, u32)>,
}

impl Top {
    /// The least score still worth pushing.
    pub(super) fn floor(&self) -> i32 {
        self.floor.map_or(i32::MIN, |floor| floor.0)
    }

    /// How many have been kept.
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
    fn the_best_are_kept_each_once_whatever_the_order() {
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
