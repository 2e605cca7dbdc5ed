//! Cells drawn again by cluster, on one side or on two that are drawn together: how sure a number is, SQ and SC among them, how far two
//! models are apart, and how sure the change is that taking questions out makes.

use super::plain::draws::Draw;
use super::{Chosen, Graded, Ruled};
use crate::metrics::cleaning::{Cleaned, cleaned};
use crate::metrics::statistics::{ClusterSums, Clusters, Number};
use crate::metrics::tally::Tally;
use crate::model::QuestionKind;
use crate::model::agreement::{Bootstrap, Interval};

/// Why there is nothing to draw, in words.
type Why = &'static str;

const NOT_COMPARED: Why = "its free-form answers were not compared";

/// A model, by its place among those of the board, on a choice of questions.
pub type Side<'a> = (usize, &'a Chosen);

/// What a cell follows from, by cluster: the questions about an image pair, else about an image, else one question. Each side has sums of its
/// own, and all of them follow from the same draw of clusters.
pub struct Again {
    draw: Draw,
    clusters: Clusters,
    sides: usize,
}

impl Again {
    /// Clusters that are drawn.
    pub fn clusters(&self) -> u64 {
        self.clusters.len()
    }

    fn of(&self, sums: &[f64], side: usize) -> Option<f64> {
        let width = self.draw.width();
        self.draw.value(sums.get(side * width..(side + 1) * width)?)
    }

    fn less(&self, sums: &[f64], (side, other): (usize, usize)) -> Option<f64> {
        Some(self.of(sums, side)? - self.of(sums, other)?)
    }

    /// The number of each side, in the unit of the column's cells.
    pub fn values(&self) -> Vec<Option<f64>> {
        let sums = self.clusters.sums();
        (0..self.sides).map(|side| self.of(&sums, side)).collect()
    }

    /// The 95 % interval of the number of the first side.
    ///
    /// # Errors
    /// In words, as [`Clusters::interval`].
    pub fn interval(&self, plan: Bootstrap) -> Result<Interval, Why> {
        self.clusters.interval(plan, |sums| self.of(sums, 0))
    }

    /// One side's number less that of another one.
    pub fn apart(&self, sides: (usize, usize)) -> Option<f64> {
        self.less(&self.clusters.sums(), sides)
    }

    /// The 95 % interval of one side's number less that of another one.
    ///
    /// # Errors
    /// In words, as [`Clusters::interval`].
    pub fn apart_interval(&self, plan: Bootstrap, sides: (usize, usize)) -> Result<Interval, Why> {
        self.clusters.interval(plan, |sums| self.less(sums, sides))
    }
}

impl Ruled {
    /// What the cells of a column follow from, on each of these sides.
    ///
    /// # Errors
    /// In words: for a column whose numbers follow from more than sums over questions, and for free-form answers that were not compared.
    pub fn again(&self, column: usize, sides: &[Side<'_>]) -> Result<Again, Why> {
        let again = |draw: Draw, sums: ClusterSums<u64>| Again { draw, clusters: sums.finish(), sides: sides.len() };
        let Some(plain) = column.checked_sub(self.measures.len()).filter(|_| !self.is_circular(column)) else {
            let draw = Draw::share();
            let mut sums = ClusterSums::new(draw.width() * sides.len());
            for (at, (model, chosen)) in sides.iter().enumerate() {
                for (rows, right) in self.behind(*model, column, chosen).1 {
                    if let Some(first) = rows.first() {
                        self.add_points(*first as usize, f64::from(u8::from(right)), at * draw.width(), &mut sums);
                    }
                }
            }
            return Ok(again(draw, sums));
        };
        let draw = self.plain.draw(plain).ok_or("its numbers follow from more than sums over questions")?;
        let none_compared = |(model, _): &Side<'_>| self.models[*model].similarity.is_empty();
        if self.plain.counts_free_form(plain) && sides.iter().any(none_compared) {
            return Err(NOT_COMPARED);
        }
        let mut sums = ClusterSums::new(draw.width() * sides.len());
        // A drop follows from the questions of two scenarios, so that what counts is asked of every stack.
        let stacks = 0..self.cube.stacks().len();
        let slots: Vec<Option<usize>> = stacks.map(|stack| draw.slot(stack)).collect();
        for row in (0..self.sheet.len()).filter(|row| self.cube.holds(*row)) {
            let stack = self.cube.stack_of(row);
            let Some(slot) = slots[stack] else { continue };
            for (at, (model, _)) in sides.iter().enumerate().filter(|(_, (model, chosen))| {
                self.planes[*model].scored[stack] && chosen.holds(row) && self.models[*model].was_asked(row)
            }) {
                let points = self.points(&self.models[*model], row).ok_or(NOT_COMPARED)?;
                self.add_points(row, points, at * draw.width() + slot, &mut sums);
            }
        }
        Ok(again(draw, sums))
    }

    /// What a row's cluster is, and which one: questions about one picture, or one pair of pictures, are not independent.
    pub(super) fn cluster(&self, row: usize) -> (&'static str, u64) {
        match (self.sheet.pair.get(row), self.sheet.image.get(row)) {
            (0, 0) => ("question", row as u64),
            (0, image) => ("image", image),
            (pair, _) => ("image pair", pair),
        }
    }

    /// Adds what a row earned to the sums of its cluster, from the sum `at` on.
    fn add_points(&self, row: usize, points: f64, at: usize, sums: &mut ClusterSums<u64>) {
        let (_, key) = self.cluster(row);
        let chance = Number::of(f64::from(self.sheet.chance[row])).value.unwrap_or(0.0);
        [points, 1.0, chance].into_iter().enumerate().for_each(|(sum, amount)| sums.add(key, at + sum, amount));
    }

    /// What an answer earned; `None` of a free-form one that was not compared.
    fn points(&self, graded: &Graded, row: usize) -> Option<f64> {
        match self.sheet.kind(row) {
            QuestionKind::FreeForm => graded.likeness(row),
            _ => Some(f64::from(u8::from(self.right(graded, row)))),
        }
    }

    /// A model's share of a column with and without the units that are not wholly in `after`; `None` for a column that is no share, and
    /// while free-form answers of it were not compared.
    pub fn cleaned(&self, model: usize, column: usize, before: &Chosen, after: &Chosen) -> Option<Cleaned> {
        if let Some(plain) = column.checked_sub(self.measures.len()).filter(|_| !self.is_circular(column)) {
            self.plain.stacks_of(plain)?;
        }
        let graded = &self.models[model];
        let unit = |(rows, right): (Vec<u32>, bool)| {
            let free = rows.first().filter(|row| self.sheet.kind(**row as usize) == QuestionKind::FreeForm);
            let points = free.map_or(Some(f64::from(u8::from(right))), |row| self.points(graded, *row as usize))?;
            Some((Tally::one(points), rows.iter().all(|row| after.holds(*row as usize))))
        };
        let units: Option<Vec<_>> = self.behind(model, column, before).1.into_iter().map(unit).collect();
        units.map(cleaned)
    }
}
