//! Cells drawn again by cluster, on one choice of questions or on two side by side: how sure a number is, SQ and SC among them, and how sure
//! the change is that taking questions out makes.

use super::plain::draws::Draw;
use super::{Chosen, Graded, Ruled};
use crate::metrics::cleaning::{Cleaned, cleaned};
use crate::metrics::statistics::{ClusterSums, Clusters, Number};
use crate::metrics::tally::Tally;
use crate::model::QuestionKind;
use crate::model::agreement::{Bootstrap, Interval};

/// Why there is nothing to draw, in words.
type Why = &'static str;

/// What a cell follows from, by cluster: the questions about an image pair, else about an image, else one question.
pub struct Again {
    draw: Draw,
    clusters: Clusters,
    sets: usize,
}

impl Again {
    /// Clusters that are drawn.
    pub fn clusters(&self) -> u64 {
        self.clusters.len()
    }

    fn of(&self, sums: &[f64], set: usize) -> Option<f64> {
        let width = self.draw.width();
        self.draw.value(sums.get(set * width..(set + 1) * width)?)
    }

    /// The number on each choice of questions, in the unit of the column's cells.
    pub fn values(&self) -> Vec<Option<f64>> {
        let sums = self.clusters.sums();
        (0..self.sets).map(|set| self.of(&sums, set)).collect()
    }

    /// The 95 % interval of the number on the first choice.
    ///
    /// # Errors
    /// In words, as [`Clusters::interval`].
    pub fn interval(&self, plan: Bootstrap) -> Result<Interval, Why> {
        self.clusters.interval(plan, |sums| self.of(sums, 0))
    }

    /// The 95 % interval of the number on the second choice less that on the first. Both follow from the same draw of clusters, since most
    /// questions are in both.
    ///
    /// # Errors
    /// In words, as [`Clusters::interval`].
    pub fn change(&self, plan: Bootstrap) -> Result<Interval, Why> {
        self.clusters.interval(plan, |sums| Some(self.of(sums, 1)? - self.of(sums, 0)?))
    }
}

impl Ruled {
    /// What a model's cell follows from, on each of these choices of questions.
    ///
    /// # Errors
    /// In words: for a column whose numbers follow from more than sums over questions, and for free-form answers that were not compared.
    pub fn again(&self, model: usize, column: usize, sets: &[&Chosen]) -> Result<Again, Why> {
        let graded = &self.models[model];
        let Some(plain) = column.checked_sub(self.measures.len()) else {
            let draw = Draw::share();
            let mut sums = ClusterSums::new(draw.width() * sets.len());
            for (set, chosen) in sets.iter().enumerate() {
                for (rows, right) in self.behind(model, column, chosen).1 {
                    if let Some(first) = rows.first() {
                        self.add_points(*first as usize, f64::from(u8::from(right)), set * draw.width(), &mut sums);
                    }
                }
            }
            return Ok(Again { draw, clusters: sums.finish(), sets: sets.len() });
        };
        let draw = self.plain.draw(plain).ok_or("its numbers follow from more than sums over questions")?;
        if self.plain.counts_free_form(plain) && graded.similarity.is_empty() {
            return Err("its free-form answers were not compared");
        }
        let mut sums = ClusterSums::new(draw.width() * sets.len());
        // A drop follows from the questions of two scenarios, so that what counts is asked of every stack.
        let slots: Vec<Option<usize>> = (0..self.cube.stacks().len())
            .map(|stack| draw.slot(stack).filter(|_| self.planes[model].scored[stack]))
            .collect();
        for row in (0..self.sheet.len()).filter(|row| self.cube.holds(*row)) {
            let Some(slot) = slots[self.cube.stack_of(row)] else { continue };
            for (set, _) in sets.iter().enumerate().filter(|(_, chosen)| chosen.holds(row)) {
                self.add_points(row, self.points(graded, row), set * draw.width() + slot, &mut sums);
            }
        }
        Ok(Again { draw, clusters: sums.finish(), sets: sets.len() })
    }

    /// Adds what a row earned to the sums of its cluster, from the sum `at` on.
    fn add_points(&self, row: usize, points: f64, at: usize, sums: &mut ClusterSums<u64>) {
        let hashes = [self.sheet.pair.get(row), self.sheet.image.get(row)];
        let key = hashes.into_iter().find(|hash| *hash != 0).unwrap_or(row as u64);
        let chance = Number::of(f64::from(self.sheet.chance[row])).value.unwrap_or(0.0);
        [points, 1.0, chance].into_iter().enumerate().for_each(|(sum, amount)| sums.add(key, at + sum, amount));
    }

    fn points(&self, graded: &Graded, row: usize) -> f64 {
        if self.sheet.kind(row) == QuestionKind::FreeForm {
            return super::number(graded.similarity.get(row).copied());
        }
        f64::from(u8::from(self.right(graded, row)))
    }

    /// A model's share of a column with and without the units that are not wholly in `after`; `None` for a column that is no share.
    pub fn cleaned(&self, model: usize, column: usize, before: &Chosen, after: &Chosen) -> Option<Cleaned> {
        if let Some(plain) = column.checked_sub(self.measures.len()) {
            self.plain.stacks_of(plain)?;
        }
        let graded = &self.models[model];
        let unit = |(rows, right): (Vec<u32>, bool)| {
            let free = rows.first().filter(|row| self.sheet.kind(**row as usize) == QuestionKind::FreeForm);
            let points = free.map_or_else(|| f64::from(u8::from(right)), |row| self.points(graded, *row as usize));
            (Tally::one(points), rows.iter().all(|row| after.holds(*row as usize)))
        };
        Some(cleaned(self.behind(model, column, before).1.into_iter().map(unit)))
    }
}
