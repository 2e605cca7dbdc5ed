//! Verdicts that were given with one key.

use super::place::Place;
use benchtop_model::{Error, Result, Verdict};

/// Verdicts that were given with one key, until all of them are answered.
#[derive(Debug)]
pub struct Step {
    pub id: u64,
    pub verdict: Verdict,
    /// The sheet that they were given on.
    pub place: Place,
    /// The items.
    numbers: Vec<u32>,
    /// Verdicts without an answer.
    left: usize,
    /// Verdicts on disk.
    pub saved: u64,
    /// The first and the last revision of those on disk.
    pub revs: Option<(u64, u64)>,
    /// The items whose verdict was refused, with the reason.
    pub refused: Vec<(u32, Error)>,
}

impl Step {
    pub fn new(id: u64, verdict: Verdict, place: Place, numbers: Vec<u32>) -> Step {
        Step {
            id,
            verdict,
            place,
            left: numbers.len(),
            numbers,
            saved: 0,
            revs: None,
            refused: Vec::new(),
        }
    }

    /// Whether it is about several items, and so undone as one.
    pub fn is_bulk(&self) -> bool {
        self.numbers.len() > 1
    }

    /// Takes the answer to a verdict: its revision. Returns whether it is the last one.
    pub fn answered(&mut self, number: u32, answer: Result<u64>) -> bool {
        match answer {
            Ok(rev) => {
                self.saved += 1;
                let (first, last) = self.revs.unwrap_or((rev, rev));
                self.revs = Some((first.min(rev), last.max(rev)));
            }
            Err(problem) => self.refused.push((number, problem)),
        }
        self.left = self.left.saturating_sub(1);
        self.left == 0
    }

    /// The receipt to show; `None` if nothing is on disk.
    pub fn receipt(&self) -> Option<String> {
        match (self.saved, self.numbers.first()) {
            (0, _) | (_, None) => None,
            (1, Some(number)) if !self.is_bulk() => Some(format!("#{number} saved")),
            (n, _) => Some(format!("{n} saved")),
        }
    }
}
