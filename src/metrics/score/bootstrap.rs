//! Cells drawn again by cluster, on one side or on two that are drawn together: how sure a number is, SQ among them, how far two
//! models are apart, and how sure the change is that taking questions out makes.

use std::collections::HashMap;

use super::accuracy_columns::draws::Draw;
use super::{BoardEngine, ItemSelection, ModelAnswers};
use crate::cleaning::{Cleaned, cleaned};
use crate::statistics::{ClusterSums, Clusters, Number, Z95};
use crate::tally::Tally;
use benchtop_model::QuestionKind;
use benchtop_model::Side as PictureSide;
use benchtop_model::agreement::{Bootstrap, Interval};

/// Why there is nothing to draw, in words.
type Why = &'static str;

const NOT_COMPARED: Why = "its free-form answers were not compared";
const OF_SC: Why = "drawing again adds sampling noise to a variance once more";

/// A model, by its place among those of the board, on a choice of questions.
pub type Side<'a> = (usize, &'a ItemSelection);

/// What a cell follows from, by cluster: the questions about an image pair, else about an image, else one question. Each side has sums of its
/// own, and all of them follow from the same draw of clusters.
pub struct ClusterBootstrap {
    draw: Draw,
    clusters: Clusters,
    sides: usize,
    cluster: &'static str,
}

/// What the clusters are called: image pairs only where questions are about both images of one.
#[derive(Default)]
struct Called {
    first: Option<&'static str>,
    images: HashMap<u64, u64>,
    is_of_two: bool,
}

impl Called {
    fn name(&self) -> &'static str {
        match self.first {
            Some("image pair") if !self.is_of_two => "image",
            first => first.unwrap_or("question"),
        }
    }
}

impl ClusterBootstrap {
    /// What a cluster is: `image pair`, `image` or `question`.
    pub fn cluster(&self) -> &'static str {
        self.cluster
    }

    /// Clusters that are drawn.
    pub fn clusters(&self) -> u64 {
        self.clusters.len()
    }

    /// What is drawn of a side: the number itself, or of SQ its root.
    fn root(&self, sums: &[f64], side: usize) -> Option<f64> {
        let width = self.draw.width();
        self.draw.value(sums.get(side * width..(side + 1) * width)?)
    }

    fn of(&self, sums: &[f64], side: usize) -> Option<f64> {
        self.root(sums, side).map(|value| {
            if self.draw.is_root() {
                value * value
            } else {
                value
            }
        })
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
    /// Draws of a square lie above it where its root is near 0. So it is the root that is drawn, and the interval is that of the squares of what
    /// its interval holds, from 0 on where the root may be 0.
    ///
    /// # Errors
    /// In words, as [`Clusters::interval`].
    pub fn interval(&self, plan: Bootstrap) -> Result<Interval, Why> {
        let drawn = self.clusters.interval(plan, |sums| self.of(sums, 0))?;
        if !self.draw.is_root() {
            let wide = self.widened(self.of(&self.clusters.sums(), 0), drawn);
            return Ok(match self.draw.is_share() {
                true => Interval {
                    low: wide.low.max(0.0),
                    high: wide.high.min(1.0),
                    ..wide
                },
                false => wide,
            });
        }
        let root = self.clusters.interval(plan, |sums| self.root(sums, 0))?;
        let root = self.widened(self.root(&self.clusters.sums(), 0), root);
        let (low, high) = (root.low.powi(2), root.high.powi(2));
        let least = if root.low <= 0.0 && root.high >= 0.0 {
            0.0
        } else {
            low.min(high)
        };
        Ok(Interval {
            low: least,
            high: low.max(high),
            ..drawn
        })
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
        let drawn = self
            .clusters
            .interval(plan, |sums| self.less(sums, sides))?;
        Ok(self.widened(self.apart(sides), drawn))
    }

    /// An interval with its ends farther from the number, as few clusters need it: by the t distribution's 97.5 % point over the normal one's, and
    /// since draws from `n` clusters vary by `(n - 1) / n` of what the clusters do.
    ///
    /// Source: Hesterberg, "What teachers should know about the bootstrap", The American Statistician 69 (2015), section 4: the expanded
    /// percentile interval. With 16 clusters it is 12 % wider, with 100 2 %.
    fn widened(&self, value: Option<f64>, drawn: Interval) -> Interval {
        let n = self.clusters.len() as f64;
        let Some(value) = value.filter(|_| n > 1.0) else {
            return drawn;
        };
        let (z, freedom) = (Z95, n - 1.0);
        // The t distribution's point by the first terms of its expansion (Fisher 1925).
        let t = z
            + (z.powi(3) + z) / (4.0 * freedom)
            + (5.0 * z.powi(5) + 16.0 * z.powi(3) + 3.0 * z) / (96.0 * freedom.powi(2));
        let by = t / z * (n / freedom).sqrt();
        let ends = (
            value + by * (drawn.low - value).min(0.0),
            value + by * (drawn.high - value).max(0.0),
        );
        Interval {
            low: ends.0.min(drawn.low),
            high: ends.1.max(drawn.high),
            ..drawn
        }
    }
}

impl BoardEngine {
    /// What the cells of a column follow from, on each of these sides.
    ///
    /// # Errors
    /// In words: for a column whose numbers follow from more than sums over questions, and for free-form answers that were not compared.
    pub fn again(&self, column: usize, sides: &[Side<'_>]) -> Result<ClusterBootstrap, Why> {
        let mut called = Called::default();
        let again = |draw: Draw, sums: ClusterSums<u64>, called: &Called| ClusterBootstrap {
            draw,
            clusters: sums.finish(),
            sides: sides.len(),
            cluster: called.name(),
        };
        let Some(plain) = column
            .checked_sub(self.measures.len())
            .filter(|_| !self.is_circular(column))
        else {
            let draw = Draw::share();
            let mut sums = ClusterSums::new(draw.width() * sides.len());
            for (at, (model, chosen)) in sides.iter().enumerate() {
                for (rows, right) in self.behind(*model, column, chosen).1 {
                    if at == 0 {
                        rows.iter()
                            .for_each(|row| self.call(*row as usize, &mut called));
                    }
                    if let Some(first) = rows.first() {
                        self.add_points(
                            *first as usize,
                            f64::from(u8::from(right)),
                            at * draw.width(),
                            &mut sums,
                        );
                    }
                }
            }
            return Ok(again(draw, sums, &called));
        };
        if self.plain.of_sc(plain).is_some() {
            return Err(OF_SC);
        }
        let draw = self
            .plain
            .draw(plain)
            .ok_or("its numbers follow from more than sums over questions")?;
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
                self.planes[*model].scored[stack]
                    && chosen.holds(row)
                    && self.models[*model].was_asked(row)
            }) {
                let points = self.points(&self.models[*model], row).ok_or(NOT_COMPARED)?;
                self.add_points(row, points, at * draw.width() + slot, &mut sums);
                if at == 0 {
                    self.call(row, &mut called);
                }
            }
        }
        Ok(again(draw, sums, &called))
    }

    /// Takes a row into account for what clusters are called.
    fn call(&self, row: usize, called: &mut Called) {
        let kind = *called.first.get_or_insert(self.cluster(row).0);
        if kind == "image pair" && !called.is_of_two {
            let (pair, image) = (self.sheet.pair.get(row), self.sheet.image.get(row));
            called.is_of_two = self.sheet.side(row) == Some(PictureSide::Cross)
                || *called.images.entry(pair).or_insert(image) != image;
        }
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
        let chance = Number::of(self.sheet.chance[row]).value.unwrap_or(0.0);
        [points, 1.0, chance]
            .into_iter()
            .enumerate()
            .for_each(|(sum, amount)| sums.add(key, at + sum, amount));
    }

    /// What an answer earned; `None` of a free-form one that was not compared.
    fn points(&self, graded: &ModelAnswers, row: usize) -> Option<f64> {
        match self.sheet.kind(row) {
            QuestionKind::FreeForm => graded.likeness(row),
            _ => Some(f64::from(u8::from(self.right(graded, row)))),
        }
    }

    /// A model's share of a column with and without the units that are not wholly in `after`; `None` for a column that is no share, and
    /// while free-form answers of it were not compared.
    pub fn cleaned(
        &self,
        model: usize,
        column: usize,
        before: &ItemSelection,
        after: &ItemSelection,
    ) -> Option<Cleaned> {
        if let Some(plain) = column
            .checked_sub(self.measures.len())
            .filter(|_| !self.is_circular(column))
        {
            self.plain.stacks_of(plain)?;
        }
        let graded = &self.models[model];
        let unit = |(rows, right): (Vec<u32>, bool)| {
            let free = rows
                .first()
                .filter(|row| self.sheet.kind(**row as usize) == QuestionKind::FreeForm);
            let points = free.map_or(Some(f64::from(u8::from(right))), |row| {
                self.points(graded, *row as usize)
            })?;
            Some((
                Tally::one(points),
                rows.iter().all(|row| after.holds(*row as usize)),
            ))
        };
        let units: Option<Vec<_>> = self
            .behind(model, column, before)
            .1
            .into_iter()
            .map(unit)
            .collect();
        units.map(cleaned)
    }
}
