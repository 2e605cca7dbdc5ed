//! VLB's variants: requests and results.

use serde::{Deserialize, Serialize};

/// Most questions of the list of changed answers of a model.
pub const CHANGED_LIMIT: usize = 10_000;

/// A request for the results on VLB's variants.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Variants {
    /// Only this model.
    pub model: Option<String>,
    /// Whether to list the questions that were answered right before and wrong after.
    pub changed: bool,
}

/// Answers that are right, of all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Right {
    pub k: u64,
    pub n: u64,
}

impl Right {
    pub fn add(&mut self, is_right: bool) {
        self.k += u64::from(is_right);
        self.n += 1;
    }

    /// In percent.
    pub fn percent(self) -> Option<f64> {
        (self.n > 0).then(|| 100.0 * self.k as f64 / self.n as f64)
    }
}

/// A model's results on one variant: a cell of the grid.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct VariantCell {
    pub variant: String,
    /// Visual strategies, such as `V1+V3`; empty for none.
    pub visual: String,
    /// Language strategies; empty for none.
    pub language: String,
    /// `harder`, `easier`, or `mixed`: what the strategies are meant to do.
    pub difficulty: String,
    /// The originals of its questions.
    pub before: Right,
    /// Its questions.
    pub after: Right,
    /// `after` minus `before` in points, over all questions.
    pub delta: Option<f64>,
    /// The same over the questions that were really modified.
    pub delta_modified: Option<f64>,
    /// Number of questions that were really modified.
    pub modified: u64,
    /// Number of questions where the original stands in.
    pub unmodified: u64,
    /// Modified questions that were answered right before and wrong after.
    pub right_to_wrong: u64,
    /// Modified questions that were answered wrong before and right after.
    pub wrong_to_right: u64,
}

/// A model's results on all variants with so many strategies: a point of the curve.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CurvePoint {
    /// Number of strategies.
    pub strategies: u64,
    pub difficulty: String,
    /// Number of variants.
    pub variants: u64,
    /// The originals of their modified questions, with repetitions.
    pub before: Right,
    /// Their modified questions.
    pub after: Right,
    /// `after` minus `before` in points.
    pub delta: Option<f64>,
}

/// A modified question that was answered right before and wrong after.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangedAnswer {
    pub variant: String,
    /// Number of the item, from 1.
    pub item: u32,
    /// Number of the original.
    pub original: u32,
}

/// The results of a model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModelVariants {
    pub model: String,
    /// Single strategies in the paper's order, then compositions by name.
    pub variants: Vec<VariantCell>,
    /// By number of strategies, then by difficulty.
    pub curve: Vec<CurvePoint>,
    /// At most [`CHANGED_LIMIT`], in the order of the variants. Empty if they were not requested.
    pub changed: Vec<ChangedAnswer>,
}
