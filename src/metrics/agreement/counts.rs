//! Counts of ratings without the ratings themselves: enough for every measure and for the
//! bootstrap.

use std::collections::BTreeMap;

use super::measures::{self, Value};
use super::sums::{Pattern, Patterns, Sums, count, one, step};
use benchtop_model::agreement::{
    AgreementReport, Estimate, FleissItems, Measures, PairMeasures, RaterCounts, Scale, Table,
    UNKNOWN, Undefined,
};
use benchtop_model::error::{Error, Result};

/// One annotator's rating of an item, which may be [`UNKNOWN`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Rating {
    pub rater: u16,
    pub category: u8,
}

/// Checks that a category is [`UNKNOWN`] or on the scale.
pub(super) fn on_scale(scale: Scale, category: u8) -> Result<()> {
    let categories = scale.categories;
    if category < categories || category == UNKNOWN {
        return Ok(());
    }
    let what = format!("category {category} is not on a scale of {categories}");
    Err(Error::input(what)
        .field("category")
        .help("use `UNKNOWN` for an answer outside the scale"))
}

/// The counts of a round, a filter, or a bucket. They depend only on the ratings, not on their
/// order or on removed ratings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counts {
    pub(super) scale: Scale,
    pub(super) sums: Sums,
    pub(super) patterns: Patterns,
    pub(super) pairs: BTreeMap<(u16, u16), PairCounts>,
    raters: BTreeMap<u16, RaterCounts>,
}

/// The ratings of two annotators on their shared items.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PairCounts {
    /// k x k; the annotator with the lower number in rows.
    pub table: Vec<u64>,
    /// Items that at least one of them rated as unknown.
    pub unknown: u64,
}

impl Counts {
    /// Empty counts.
    pub fn new(scale: Scale) -> Counts {
        let (patterns, pairs, raters) = Default::default();
        Counts {
            scale,
            sums: Sums::new(scale.categories),
            patterns,
            pairs,
            raters,
        }
    }

    /// Adds `n` items with these ratings of different annotators.
    pub(super) fn add_items(&mut self, ratings: &[Rating], n: u64) {
        let n = n as i64;
        let pattern = pattern(ratings);
        self.sums.add(pattern, n);
        count(&mut self.patterns, pattern, n);
        for (at, rating) in ratings.iter().enumerate() {
            self.rater(*rating, n);
            self.meetings(&ratings[..at], *rating, n);
        }
    }

    /// Adds a rating of an item that already has the ratings `others`; `n` = -1 removes it. O(k^2 +
    /// others).
    pub(super) fn add_rating(&mut self, others: &[Rating], rating: Rating, n: i64) {
        let before = pattern(others);
        let after = before + pattern(&[rating]);
        if after != before {
            for (pattern, n) in [(before, -n), (after, n)] {
                self.sums.add(pattern, n);
                count(&mut self.patterns, pattern, n);
            }
        }
        self.rater(rating, n);
        self.meetings(others, rating, n);
    }

    fn rater(&mut self, Rating { rater, category }: Rating, n: i64) {
        let who = self.raters.entry(rater).or_insert(RaterCounts {
            rater,
            ratings: 0,
            unknown: 0,
        });
        step(
            if category == UNKNOWN {
                &mut who.unknown
            } else {
                &mut who.ratings
            },
            n,
        );
        if who.ratings + who.unknown == 0 {
            self.raters.remove(&rater);
        }
    }

    fn meetings(&mut self, others: &[Rating], rating: Rating, n: i64) {
        let k = usize::from(self.scale.categories);
        for other in others {
            let (a, b) = if other.rater < rating.rater {
                (*other, rating)
            } else {
                (rating, *other)
            };
            let pair = self.pairs.entry((a.rater, b.rater));
            let pair = pair.or_insert_with(|| PairCounts {
                table: vec![0; k * k],
                unknown: 0,
            });
            if a.category == UNKNOWN || b.category == UNKNOWN {
                step(&mut pair.unknown, n);
            } else {
                step(
                    &mut pair.table[usize::from(a.category) * k + usize::from(b.category)],
                    n,
                );
            }
            if n < 0 && pair.unknown == 0 && pair.table.iter().all(|n| *n == 0) {
                self.pairs.remove(&(a.rater, b.rater));
            }
        }
    }

    /// Drops the pairs unless there is only one. If only the overall measures are needed, this
    /// saves the draws for each pair.
    pub fn everybody(mut self) -> Counts {
        if self.pairs.len() > 1 {
            self.pairs.clear();
        }
        self
    }

    /// All measures, without intervals. O(k^2) overall and for each pair.
    pub fn report(&self) -> AgreementReport {
        let pairs = self
            .pairs
            .iter()
            .map(|(pair, counts)| self.of_pair(*pair, counts))
            .collect();
        let raters = self.raters.values().copied().collect();
        AgreementReport {
            scale: self.scale,
            raters,
            all: self.of_all(),
            pairs,
            bootstrap: None,
        }
    }

    fn of_all(&self) -> Measures {
        let table = Table {
            raters: None,
            categories: self.scale.categories,
            counts: self.sums.table(),
        };
        let unknown = self.raters.values().map(|rater| rater.unknown).sum();
        measured(
            &self.sums,
            unknown,
            table,
            measures::all(&self.sums, self.scale, None, self.sums.commonest()),
        )
    }

    fn of_pair(&self, (a, b): (u16, u16), counts: &PairCounts) -> PairMeasures {
        let k = self.scale.categories;
        let sums = Sums::of_table(k, &counts.table);
        let values = measures::all(&sums, self.scale, Some(&counts.table), Some(2));
        let table = Table {
            raters: Some((a, b)),
            categories: k,
            counts: counts.table.clone(),
        };
        PairMeasures {
            a,
            b,
            measures: measured(&sums, counts.unknown, table, values),
        }
    }
}

/// Number of ratings in each category, without [`UNKNOWN`].
fn pattern(ratings: &[Rating]) -> Pattern {
    ratings
        .iter()
        .filter(|r| r.category != UNKNOWN)
        .map(|r| one(r.category))
        .sum()
}

fn measured(sums: &Sums, unknown: u64, table: Table, values: Vec<Value>) -> Measures {
    let estimate = |value: &Value| {
        let not_drawn = value.err().unwrap_or(Undefined::NotDrawn);
        Estimate {
            value: *value,
            interval: Err(not_drawn),
            more_doubles: Err(not_drawn),
        }
    };
    let of = |at: usize| {
        values
            .get(at)
            .map_or_else(|| estimate(&Err(Undefined::NoItems)), estimate)
    };
    let fleiss_items = sums.commonest().map(|ratings| {
        let items = sums.layer(ratings).map_or(0, |layer| layer.items);
        FleissItems {
            ratings,
            items,
            left_out: sums.items() - items,
        }
    });
    Measures {
        items: sums.items(),
        doubles: sums.doubles(),
        unknown,
        table,
        raw: of(measures::RAW),
        cohen_kappa: of(measures::COHEN),
        fleiss_kappa: of(measures::FLEISS),
        krippendorff_alpha: of(measures::ALPHA),
        gwet_ac1: of(measures::AC1),
        positive_agreement: of(measures::POSITIVE),
        negative_agreement: of(measures::NEGATIVE),
        by_category: values
            .iter()
            .skip(measures::BY_CATEGORY)
            .map(estimate)
            .collect(),
        fleiss_items,
    }
}
