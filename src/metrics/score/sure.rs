//! How sure a cell is, and how sure the difference of two models is: what [`again`](super::again) draws, for a reader.

use std::collections::HashMap;

use super::{Chosen, Ruled};
use crate::model::agreement::{Bootstrap, Interval};
use crate::model::board::Cell;
use crate::model::{Kind, Problem, Result, Side};

/// A number that was drawn again.
#[derive(Clone, Debug, PartialEq)]
pub struct Drawn {
    /// The number itself, in the unit of the column's cells; none where it is not defined.
    pub value: Option<f64>,
    /// Its 95 % interval, or in words why there is none.
    pub interval: std::result::Result<Interval, &'static str>,
    /// Clusters that were drawn from.
    pub clusters: u64,
    /// What a cluster is: `image pair`, `image` or `question`.
    pub cluster: &'static str,
}

/// Who waits for it.
pub type Wanted<'a> = &'a dyn Fn() -> bool;

fn cancelled() -> Problem {
    Problem::new(Kind::Cancelled, "nobody waits for it any more")
}

impl Drawn {
    /// A number that is not drawn again, and why.
    fn not(value: Option<f64>, why: &'static str) -> Drawn {
        Drawn { value, interval: Err(why), clusters: 0, cluster: "question" }
    }
}

impl Ruled {
    /// What the clusters behind a column are: image pairs only where questions are about both images of one.
    fn cluster_name(&self, model: usize, column: usize, chosen: &Chosen) -> &'static str {
        let (_, units) = self.behind(model, column, chosen);
        let mut rows = units.iter().flat_map(|(rows, _)| rows).map(|row| *row as usize);
        let Some(first) = rows.clone().next() else { return "question" };
        let mut images: HashMap<u64, u64> = HashMap::new();
        let is_of_one = |row: usize| {
            let (pair, image) = (self.sheet.pair.get(row), self.sheet.image.get(row));
            self.sheet.side(row) != Some(Side::Cross) && *images.entry(pair).or_insert(image) == image
        };
        match self.cluster(first).0 {
            "image pair" if rows.all(is_of_one) => "image",
            name => name,
        }
    }

    /// The number of a column that is not drawn again: of those that follow from more than whether answers are right.
    fn undrawn(&self, model: usize, column: usize, chosen: &Chosen) -> Option<f64> {
        let at = column.checked_sub(self.measures.len() + self.plain.columns.len())?;
        let own = self.own(&[model], chosen);
        let mut cells = self.special_cells(model, &own);
        cells.extend(self.order_cells(model, &own));
        cells.get(at).copied().flatten().and_then(Cell::value)
    }

    /// A cell with its interval.
    ///
    /// # Errors
    /// [`Kind::Cancelled`] when nobody waits for it any more.
    pub fn sure(
        &self,
        model: usize,
        column: usize,
        chosen: &Chosen,
        plan: Bootstrap,
        wanted: Wanted<'_>,
    ) -> Result<Drawn> {
        let again = match self.again(column, &[(model, chosen)]) {
            Ok(again) => again,
            Err(why) => return Ok(Drawn::not(self.undrawn(model, column, chosen), why)),
        };
        if !wanted() {
            return Err(cancelled());
        }
        let interval = again.interval(plan);
        let cluster = self.cluster_name(model, column, chosen);
        let value = again.values().first().copied().flatten();
        Ok(Drawn { value, interval, clusters: again.clusters(), cluster })
    }

    /// The first model's number less the second's on the questions that both are scored on, with the interval of the difference: both are
    /// drawn together, since they answer the same questions.
    ///
    /// # Errors
    /// [`Kind::Cancelled`] when nobody waits for it any more.
    pub fn difference(
        &self,
        (a, b): (usize, usize),
        column: usize,
        chosen: &Chosen,
        plan: Bootstrap,
        wanted: Wanted<'_>,
    ) -> Result<Drawn> {
        let chosen = &self.shared((a, b), chosen);
        if self.behind(a, column, chosen).1.is_empty() || self.behind(b, column, chosen).1.is_empty() {
            return Ok(Drawn::not(None, "the two models have no question in common"));
        }
        let again = match self.again(column, &[(a, chosen), (b, chosen)]) {
            Ok(again) => again,
            Err(why) => {
                let of = |model| self.undrawn(model, column, chosen);
                return Ok(Drawn::not(of(a).zip(of(b)).map(|(a, b)| a - b), why));
            }
        };
        if !wanted() {
            return Err(cancelled());
        }
        let value = again.apart((0, 1));
        if value.is_none() {
            return Ok(Drawn::not(None, "the questions that the two models have in common give no number"));
        }
        let interval = again.apart_interval(plan, (0, 1));
        let cluster = self.cluster_name(a, column, chosen);
        Ok(Drawn { value, interval, clusters: again.clusters(), cluster })
    }
}
