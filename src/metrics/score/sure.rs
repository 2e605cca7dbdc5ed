//! How sure a cell is, and how sure the difference of two models is: by drawing whole clusters again.

use super::plain::draws::Draw;
use super::{Chosen, Graded, Ruled};
use crate::metrics::statistics::{ClusterSums, Clusters};
use crate::model::agreement::{Bootstrap, Interval};
use crate::model::board::Cell;
use crate::model::{Kind, Problem, QuestionKind, Result};

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

/// Who waits for it.
pub type Wanted<'a> = &'a dyn Fn() -> bool;

fn cancelled() -> Problem {
    Problem::new(Kind::Cancelled, "nobody waits for it any more")
}

/// A number of a column that is not drawn again.
fn not_drawn(value: Option<f64>) -> Drawn {
    Drawn { value, interval: Err("this column is not drawn again"), clusters: 0, cluster: "question" }
}

impl Ruled {
    /// Whether a column is one of those that follow from more than whether answers are right, which are not drawn again.
    fn is_special(&self, column: usize) -> bool {
        column >= self.measures.len() + self.plain.columns.len()
    }

    fn drawn_by(&self, column: usize) -> Draw {
        let plain = column.checked_sub(self.measures.len());
        plain.and_then(|plain| self.plain.draw(plain)).unwrap_or_else(Draw::share)
    }

    /// Adds what a model earned behind a column to the sums of the clusters, from the sum `from` on.
    fn earned(
        &self,
        (model, from): (usize, usize),
        column: usize,
        chosen: &Chosen,
        draw: &Draw,
        sums: &mut ClusterSums<u64>,
    ) {
        let graded = &self.models[model];
        let mut add = |row: usize, slot: usize, right: bool| {
            let Some(points) = points(&self.sheet, graded, row, right) else { return };
            let (key, chance) = (self.cluster(row).1, f64::from(self.sheet.chance[row]));
            sums.add(key, from + slot, points);
            sums.add(key, from + slot + 1, 1.0);
            sums.add(key, from + slot + 2, if chance.is_finite() { chance } else { 0.0 });
        };
        if column < self.measures.len() {
            for (rows, right) in self.behind(model, column, chosen).1 {
                if let Some(first) = rows.first() {
                    add(*first as usize, 0, right);
                }
            }
            return;
        }
        // Not only the answers behind the cell: a drop follows from those in the clean scenario too.
        let slots: Vec<Option<usize>> = (0..self.cube.stacks().len())
            .map(|stack| draw.slot(stack).filter(|_| self.planes[model].scored[stack]))
            .collect();
        for row in (0..self.sheet.len()).filter(|row| self.cube.holds(*row) && chosen.holds(*row)) {
            if let Some(slot) = slots[self.cube.stack_of(row)] {
                add(row, slot, self.right(graded, row));
            }
        }
    }

    /// What a row's cluster is, and which one: questions about one picture, or one pair of pictures, are not independent.
    fn cluster(&self, row: usize) -> (&'static str, u64) {
        match (self.sheet.pair.get(row), self.sheet.image.get(row)) {
            (0, 0) => ("question", row as u64),
            (0, image) => ("image", image),
            (pair, _) => ("image pair", pair),
        }
    }

    fn cluster_name(&self, model: usize, column: usize, chosen: &Chosen) -> &'static str {
        let (_, units) = self.behind(model, column, chosen);
        let first = units.first().and_then(|(rows, _)| rows.first());
        first.map_or("question", |row| self.cluster(*row as usize).0)
    }

    /// The sums behind a column by cluster.
    pub fn clusters(&self, model: usize, column: usize, chosen: &Chosen) -> Clusters {
        let draw = self.drawn_by(column);
        let mut sums = ClusterSums::new(draw.width());
        self.earned((model, 0), column, chosen, &draw, &mut sums);
        sums.finish()
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
        if self.is_special(column) {
            let cells = self.special.cells(&self.sheet, &self.models[model], chosen);
            let at = column - self.measures.len() - self.plain.columns.len();
            return Ok(not_drawn(cells.get(at).copied().flatten().and_then(Cell::value)));
        }
        let draw = self.drawn_by(column);
        let clusters = self.clusters(model, column, chosen);
        if !wanted() {
            return Err(cancelled());
        }
        let interval = clusters.interval(plan, |sums| draw.value(sums));
        let cluster = self.cluster_name(model, column, chosen);
        Ok(Drawn { value: draw.value(&clusters.sums()), interval, clusters: clusters.len(), cluster })
    }

    /// The first model's cell less the second's, with the interval of the difference: both are drawn together, since they answer the
    /// same questions.
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
        if self.is_special(column) {
            let of = |model| self.sure(model, column, chosen, plan, wanted).map(|drawn| drawn.value);
            return Ok(not_drawn(of(a)?.zip(of(b)?).map(|(a, b)| a - b)));
        }
        let draw = self.drawn_by(column);
        let width = draw.width();
        let mut sums = ClusterSums::new(2 * width);
        self.earned((a, 0), column, chosen, &draw, &mut sums);
        self.earned((b, width), column, chosen, &draw, &mut sums);
        let clusters = sums.finish();
        if !wanted() {
            return Err(cancelled());
        }
        let apart = |sums: &[f64]| {
            let (first, second) = sums.split_at_checked(width)?;
            Some(draw.value(first)? - draw.value(second)?)
        };
        let interval = clusters.interval(plan, apart);
        let cluster = self.cluster_name(a, column, chosen);
        Ok(Drawn { value: apart(&clusters.sums()), interval, clusters: clusters.len(), cluster })
    }

    /// The units behind a column by which of two models got them right; `None` where a column has no units that are right or wrong,
    /// or the two share none.
    pub fn paired(&self, (a, b): (usize, usize), column: usize, chosen: &Chosen) -> Option<Paired> {
        if let Some(plain) = column.checked_sub(self.measures.len()) {
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

/// What an answer earns; `None` for a free-form one whose similarity was not computed.
fn points(sheet: &super::sheet::Sheet, graded: &Graded, row: usize, right: bool) -> Option<f64> {
    if sheet.kind(row) != QuestionKind::FreeForm {
        return Some(f64::from(u8::from(right)));
    }
    let similarity = graded.similarity.get(row).copied();
    match similarity {
        None if graded.similarity.is_empty() => None,
        similarity => Some(similarity.filter(|s| s.is_finite()).map_or(0.0, f64::from)),
    }
}
