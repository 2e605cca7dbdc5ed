//! How far annotators agree, as plain data; [`benchtop_metrics::agreement`] fills it.

pub mod analysis;

use std::fmt;

use serde::{Deserialize, Serialize};

use super::error::{Error, Result as Checked};

/// Most categories of a [`Scale`].
pub const MOST_CATEGORIES: u8 = 16;

/// The category of "skipped", "flagged", "unsure" or "not judged": kept with the item, counted apart, and never agreement.
pub const UNKNOWN: u8 = u8::MAX;

/// What could be said of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scale {
    /// Categories are the numbers below this one, whether they were used or not.
    pub categories: u8,
    /// Which of two categories is the positive one (such as "accept"); of no meaning where there are more.
    pub positive: u8,
}

impl Scale {
    /// A scale of 1 to [`MOST_CATEGORIES`] categories, of which `positive` must be one.
    pub fn new(categories: u8, positive: u8) -> Checked<Scale> {
        if categories == 0 || categories > MOST_CATEGORIES {
            let what = format!(
                "a scale of {categories} categories: 1 to {MOST_CATEGORIES} can be compared"
            );
            return Err(Error::input(what)
                .field("categories")
                .help("merge categories that mean the same"));
        }
        if positive >= categories {
            let what = format!("category {positive} is not on a scale of {categories}");
            return Err(Error::input(what)
                .field("positive")
                .help(format!("name one below {categories}")));
        }
        Ok(Scale {
            categories,
            positive,
        })
    }
}

/// Why a number is not there. No number is ever replaced by 0 or by one that is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Undefined {
    /// Nothing was rated.
    NoItems,
    /// No item has two ratings.
    NoDoubles,
    /// One item has them, and no more.
    OneItem,
    /// Every rating is this one category: agreement by chance is 1, and the measure would be 0 / 0.
    OneCategory(u8),
    /// The scale itself has one category.
    OneOnScale,
    /// Nobody used this category on an item with two ratings.
    Unused(u8),
    /// Positive and negative need two categories; the scale has this many.
    NotTwoCategories(u8),
    /// It compares two people, and these are all of them.
    PairsOnly,
    /// No draws were made yet.
    NotDrawn,
    /// Draws in which the measure is not defined itself are too many: `defined` of `draws` are left.
    FewDraws {
        /// Draws that gave a number.
        defined: u32,
        /// Draws that were made.
        draws: u32,
    },
    /// All draws gave the same number.
    NoSpread,
}

impl Undefined {
    /// Why, in words that call categories by these names; one that has none is called by its number.
    pub fn named<S: AsRef<str>>(self, categories: &[S]) -> String {
        let name = |c: u8| match categories.get(usize::from(c)) {
            Some(name) => format!("\"{}\"", name.as_ref()),
            None => format!("category {c}"),
        };
        match self {
            Self::NoItems => "nothing has been rated yet".into(),
            Self::NoDoubles => "no item has two ratings yet".into(),
            Self::OneItem => "only one item has two ratings, which says nothing of chance".into(),
            Self::OneCategory(c) => {
                format!(
                    "every rating is {}, so that agreement by chance alone would be complete",
                    name(c)
                )
            }
            Self::OneOnScale => {
                "with a single category to choose, everybody agrees by chance".into()
            }
            Self::Unused(c) => format!("nobody used {} on an item with two ratings", name(c)),
            Self::NotTwoCategories(k) => {
                format!("positive and negative need two categories, and there are {k}")
            }
            Self::PairsOnly => "it compares two people; look at the pairs".into(),
            Self::NotDrawn => "the bootstrap has not been run yet".into(),
            Self::FewDraws { defined, draws } => {
                format!(
                    "only {defined} of {draws} bootstrap draws give a number; more disagreement must be seen first"
                )
            }
            Self::NoSpread => {
                "all bootstrap draws give the same number, so that they say nothing of its error"
                    .into()
            }
        }
    }
}

impl fmt::Display for Undefined {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.named::<&str>(&[]))
    }
}

/// A percentile bootstrap interval of 95 %.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// The 2.5 % point of the draws.
    pub low: f64,
    /// The 97.5 % point.
    pub high: f64,
    /// Standard deviation of the draws: the bootstrap's standard error.
    pub standard_error: f64,
    /// Draws that gave a number, of those that were made.
    pub draws: u32,
}

/// A measure, how sure it is, and what it would take to be surer.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// The measure.
    pub value: Result<f64, Undefined>,
    /// Its interval.
    pub interval: Result<Interval, Undefined>,
    /// How many more items two people must rate until the measure is known to within 0.1 either way; 0 where it is.
    pub more_doubles: Result<u64, Undefined>,
}

/// How often which categories met.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Table {
    /// Who rated along the rows and who along the columns. None for a table of everybody, which is symmetric: each pair of
    /// ratings of an item is in it once as (a, b) and once as (b, a).
    pub raters: Option<(u16, u16)>,
    /// Rows, and columns.
    pub categories: u8,
    /// Row after row.
    pub counts: Vec<u64>,
}

/// All measures of one pair of people, or of everybody.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measures {
    /// Items that count: for a pair those that both rated, for everybody those that somebody rated.
    pub items: u64,
    /// Items rated by two people or more.
    pub doubles: u64,
    /// For a pair: items that both had before them and one or both did not know. For everybody: answers "unknown".
    pub unknown: u64,
    /// Which categories met.
    pub table: Table,
    /// Share of pairs of ratings that are the same; the mean over items (so that each counts alike).
    pub raw: Estimate,
    /// Cohen's kappa, of pairs only.
    pub cohen_kappa: Estimate,
    /// Fleiss' kappa, over the items of [`Self::fleiss_items`].
    pub fleiss_kappa: Estimate,
    /// Krippendorff's alpha for nominal data.
    pub krippendorff_alpha: Estimate,
    /// Gwet's AC1.
    pub gwet_ac1: Estimate,
    /// Specific agreement on the positive one of two categories.
    pub positive_agreement: Estimate,
    /// Specific agreement on the other one.
    pub negative_agreement: Estimate,
    /// Specific agreement on each category.
    pub by_category: Vec<Estimate>,
    /// Which items Fleiss' kappa is of; none where no item has two ratings.
    pub fleiss_items: Option<FleissItems>,
}

/// Fleiss' kappa wants the same number of ratings on each item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FleissItems {
    /// Ratings an item: the number (2 or more) that most items have, the larger of two that as many have.
    pub ratings: u8,
    /// Items with that number.
    pub items: u64,
    /// Rated items with another number, which are left out.
    pub left_out: u64,
}

/// What one person contributed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RaterCounts {
    /// Who.
    pub rater: u16,
    /// Ratings with a category.
    pub ratings: u64,
    /// Answers "unknown".
    pub unknown: u64,
}

/// Two people.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PairMeasures {
    /// The one of the lower number: rows of the table.
    pub a: u16,
    /// The other one: columns.
    pub b: u16,
    /// What is known of both.
    pub measures: Measures,
}

/// How draws are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bootstrap {
    /// How many, from two to a million.
    pub draws: u32,
    /// The same seed gives the same draws.
    pub seed: u64,
}

impl Default for Bootstrap {
    fn default() -> Self {
        Bootstrap {
            draws: 1000,
            seed: 1,
        }
    }
}

/// Agreement within one round, filter or bucket.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AgreementReport {
    /// What could be said.
    pub scale: Scale,
    /// Who rated, by number.
    pub raters: Vec<RaterCounts>,
    /// Everybody together.
    pub all: Measures,
    /// Every two people who had an item in common, by number.
    pub pairs: Vec<PairMeasures>,
    /// Draws that intervals are from; none where none were made.
    pub bootstrap: Option<Bootstrap>,
}
