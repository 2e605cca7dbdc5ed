//! Two models on the questions that both are scored on.

use std::sync::Arc;

use super::{Chosen, Ruled};
use crate::model::QuestionKind;

/// Units that two models are both scored on, by which of them got it right.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Paired {
    /// Units that both got right.
    pub both: u64,
    /// The rows of the units that only the first got right.
    pub first: Vec<Vec<u32>>,
    /// The rows of those that only the second got right.
    pub second: Vec<Vec<u32>>,
    /// Units that neither got right.
    pub neither: u64,
}

impl Ruled {
    /// Of some questions, those that both models were asked.
    pub fn both(&self, (a, b): (usize, usize), chosen: &Chosen) -> Chosen {
        self.own(&[a, b], chosen).into_owned()
    }

    /// Of some questions, those that both models are scored on: that both were asked, in data sets that both answer.
    pub fn shared(&self, (a, b): (usize, usize), chosen: &Chosen) -> Chosen {
        let mut shared = self.both((a, b), chosen);
        let (first, second) = (&self.planes[a].scopes, &self.planes[b].scopes);
        if first != second {
            let scored = |scope: u32| first.contains(&scope) && second.contains(&scope);
            let rows: Vec<bool> =
                (0..self.sheet.len()).map(|row| chosen.holds(row) && scored(self.sheet.scope(row))).collect();
            let plane = self.cube.plane(|row| rows[row]);
            shared.plane.iter_mut().zip(&plane).for_each(|(word, scored)| *word &= scored);
            shared.rows = Some(Arc::new(rows));
        }
        shared
    }

    /// Units of a column that only the one model gets right, and only the other, of those that both are scored on; `None` where a column has
    /// no units that are right or wrong, or the two have none in common.
    pub fn discordant(&self, (a, b): (usize, usize), column: usize, chosen: &Chosen) -> Option<(u64, u64)> {
        if self.of_orders(column).is_some() {
            let paired = self.is_circular(column).then(|| self.paired((a, b), column, chosen)).flatten()?;
            return Some((paired.first.len() as u64, paired.second.len() as u64));
        }
        let chosen = &*self.own(&[a, b], chosen);
        if let Some(measure) = self.measures.get(column) {
            let mut found = None;
            for unit in self.units([a, b], measure, chosen) {
                let (first, second): &mut (u64, u64) = found.get_or_insert_default();
                let right = (self.unit_right(a, unit), self.unit_right(b, unit));
                *first += u64::from(right == (true, false));
                *second += u64::from(right == (false, true));
            }
            return found;
        }
        let mut stacks = self.plain.stacks_of(column - self.measures.len())?;
        if stacks.iter().any(|at| self.cube.stacks()[*at as usize].kind == QuestionKind::FreeForm) {
            return None;
        }
        stacks.retain(|at| self.planes[a].scored[*at as usize] && self.planes[b].scored[*at as usize]);
        self.cube.differ(&stacks, (&self.planes[a].right, &self.planes[b].right), &chosen.plane)
    }

    /// The units behind a column by which of two models got them right; `None` where a column has no units that are right or wrong,
    /// or the two share none.
    pub fn paired(&self, (a, b): (usize, usize), column: usize, chosen: &Chosen) -> Option<Paired> {
        if let Some(plain) = column.checked_sub(self.measures.len()).filter(|_| !self.is_circular(column)) {
            self.plain.stacks_of(plain)?;
            if self.plain.counts_free_form(plain) {
                return None;
            }
        }
        let first = |rows: &[u32]| rows.first().copied();
        let other: std::collections::HashMap<Option<u32>, bool> =
            self.behind(b, column, chosen).1.into_iter().map(|(rows, right)| (first(&rows), right)).collect();
        let mut found = Paired::default();
        for (rows, right) in self.behind(a, column, chosen).1 {
            match (right, other.get(&first(&rows))) {
                (_, None) => {}
                (true, Some(true)) => found.both += 1,
                (true, Some(false)) => found.first.push(rows),
                (false, Some(true)) => found.second.push(rows),
                (false, Some(false)) => found.neither += 1,
            }
        }
        let shared = found.both + found.neither + (found.first.len() + found.second.len()) as u64;
        (shared > 0).then_some(found)
    }
}
