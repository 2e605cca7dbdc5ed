//! Inter-annotator agreement as plain data. [`benchtop_metrics::agreement`] computes it.

pub mod analysis;

use std::fmt;

use serde::{Deserialize, Serialize};

use super::error::{Error, Result as Checked};

/// Maximum number of categories of a [`Scale`].
pub const MAX_CATEGORIES: u8 = 16;

/// Category of ratings that are not a category: skipped, flagged, unsure, or not judged. They are
/// counted apart and never count as agreement.
pub const UNKNOWN: u8 = u8::MAX;

/// The categories that an item can be rated with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scale {
    /// Number of categories. They are numbered from 0, whether used or not.
    pub categories: u8,
    /// The positive category of two, such as "accept". Ignored for scales with more categories.
    pub positive: u8,
}

impl Scale {
    /// A scale of 1 to [`MAX_CATEGORIES`] categories. `positive` must be one of them.
    pub fn new(categories: u8, positive: u8) -> Checked<Scale> {
        if categories == 0 || categories > MAX_CATEGORIES {
            let what =
                format!("cannot compare {categories} categories; the limit is {MAX_CATEGORIES}");
            return Err(Error::input(what)
                .field("categories")
                .help("merge categories that mean the same"));
        }
        if positive >= categories {
            let what = format!(
                "positive category {positive} is not on a scale of {categories} categories"
            );
            return Err(Error::input(what)
                .field("positive")
                .help(format!("choose a category below {categories}")));
        }
        Ok(Scale {
            categories,
            positive,
        })
    }
}

/// The reason that a measure has no value. No default such as 0 ever replaces a missing value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Undefined {
    NoItems,
    /// No item has two ratings.
    NoDoubles,
    OneItem,
    /// Every rating is this category. Expected agreement is 1, so the measure would be 0 / 0.
    OneCategory(u8),
    /// The scale itself has one category.
    OneOnScale,
    /// Nobody used this category on an item with two ratings.
    Unused(u8),
    /// Positive and negative agreement need two categories; the scale has this many.
    NotTwoCategories(u8),
    /// The measure compares two people, and these measures are for everybody.
    PairsOnly,
    /// The bootstrap has not run.
    NotDrawn,
    /// The measure is defined in too few bootstrap draws: `defined` of `draws`.
    FewDraws {
        defined: u32,
        draws: u32,
    },
    /// All bootstrap draws gave the same number.
    NoSpread,
}

impl Undefined {
    /// The reason in words. Categories without a name in `categories` appear by number.
    pub fn describe<S: AsRef<str>>(self, categories: &[S]) -> String {
        let name = |c: u8| match categories.get(usize::from(c)) {
            Some(name) => format!("\"{}\"", name.as_ref()),
            None => format!("category {c}"),
        };
        match self {
            Self::NoItems => "nothing has been rated yet".into(),
            Self::NoDoubles => "no item has two ratings yet".into(),
            Self::OneItem => "only one item has two ratings; chance agreement needs more".into(),
            Self::OneCategory(c) => {
                format!("every rating is {}, so chance agreement is 100 %", name(c))
            }
            Self::OneOnScale => "the scale has a single category, so all ratings agree".into(),
            Self::Unused(c) => format!("nobody used {} on an item with two ratings", name(c)),
            Self::NotTwoCategories(k) => {
                format!("positive and negative agreement need 2 categories; the scale has {k}")
            }
            Self::PairsOnly => "compares two people only; see the pairs".into(),
            Self::NotDrawn => "the bootstrap has not been run yet".into(),
            Self::FewDraws { defined, draws } => {
                format!(
                    "only {defined} of {draws} bootstrap draws give a number; there is too little disagreement yet"
                )
            }
            Self::NoSpread => {
                "all bootstrap draws give the same number, so the error is unknown".into()
            }
        }
    }
}

impl fmt::Display for Undefined {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.describe::<&str>(&[]))
    }
}

/// A 95 % percentile bootstrap interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// The 2.5 % quantile of the draws.
    pub low: f64,
    /// The 97.5 % quantile.
    pub high: f64,
    /// Standard deviation of the draws, which is the bootstrap standard error.
    pub standard_error: f64,
    /// Draws that gave a number.
    pub draws: u32,
}

impl Interval {
    /// The interval of `by` times the value.
    pub fn scaled(self, by: f64) -> Interval {
        Interval {
            low: by * self.low,
            high: by * self.high,
            standard_error: by * self.standard_error,
            ..self
        }
    }
}

/// A measure with its interval and the sample size that it still needs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    pub value: Result<f64, Undefined>,
    pub interval: Result<Interval, Undefined>,
    /// How many more items need two ratings until the interval is within ±0.1; 0 if it already is.
    pub more_doubles: Result<u64, Undefined>,
}

/// A contingency table of ratings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Table {
    /// The raters along the rows and the columns. `None` for the table of everybody, which is
    /// symmetric: each pair of ratings of an item is counted once as (a, b) and once as (b, a).
    pub raters: Option<(u16, u16)>,
    /// Number of rows, and of columns.
    pub categories: u8,
    /// Row by row.
    pub counts: Vec<u64>,
}

/// All measures of one pair of raters, or of everybody.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measures {
    /// Number of items: for a pair, items that both rated; for everybody, items that anybody rated.
    pub items: u64,
    /// Items with two ratings or more.
    pub doubles: u64,
    /// For a pair, items that both saw and at least one answered [`UNKNOWN`]. For everybody, the
    /// number of [`UNKNOWN`] ratings.
    pub unknown: u64,
    pub table: Table,
    /// Share of equal pairs of ratings, averaged over items so that each item counts alike.
    pub raw: Estimate,
    /// Cohen's kappa; pairs only.
    pub cohen_kappa: Estimate,
    /// Fleiss' kappa over [`Self::fleiss_items`].
    pub fleiss_kappa: Estimate,
    /// Krippendorff's alpha for nominal data.
    pub krippendorff_alpha: Estimate,
    pub gwet_ac1: Estimate,
    /// Specific agreement on the positive category of two.
    pub positive_agreement: Estimate,
    /// Specific agreement on the other category.
    pub negative_agreement: Estimate,
    /// Specific agreement on each category.
    pub by_category: Vec<Estimate>,
    /// The items that Fleiss' kappa covers; `None` if no item has two ratings.
    pub fleiss_items: Option<FleissItems>,
}

/// The items of Fleiss' kappa, which needs the same number of ratings on each item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FleissItems {
    /// Ratings per item: the most common number from 2 up, and the larger one of a tie.
    pub ratings: u8,
    /// Items with that number of ratings.
    pub items: u64,
    /// Rated items with another number, which are left out.
    pub left_out: u64,
}

/// Number of ratings of one rater.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RaterCounts {
    pub rater: u16,
    /// Ratings with a category.
    pub ratings: u64,
    /// [`UNKNOWN`] ratings.
    pub unknown: u64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PairMeasures {
    /// The rater with the lower number: rows of the table.
    pub a: u16,
    /// The other rater: columns.
    pub b: u16,
    pub measures: Measures,
}

/// Bootstrap settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bootstrap {
    /// Number of draws, 2 to 1,000,000.
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

/// Agreement within one round, filter, or group of items.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AgreementReport {
    pub scale: Scale,
    pub raters: Vec<RaterCounts>,
    pub all: Measures,
    /// Every two raters who share an item, in order of their numbers.
    pub pairs: Vec<PairMeasures>,
    /// The settings that intervals were drawn with; `None` without intervals.
    pub bootstrap: Option<Bootstrap>,
}
