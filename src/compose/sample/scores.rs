//! The scores of the sample: made up for a scorer without a model and for a judge that does not
//! exist.

use super::{SEED, planted};
use benchtop_model::Item;
use benchtop_model::rng::{Stream, key};

/// Name of the made-up model behind the scores, which marks them.
pub const MODEL: &str = "sample (made up, no model)";
/// The judge whose answers are made up.
pub const JUDGE: &str = "answer-stands";
/// The logit scale of the made-up model.
pub const LOGIT: f32 = 100.0;

/// The cosine of the picture and the prompt of `item`. A few pictures match badly.
pub fn cosine(item: &Item) -> f32 {
    let text = item.prompt.as_deref().unwrap_or_default();
    let mut dice = Stream::new(key(SEED, &["cosine", text]));
    // The sum of three dice has a peak, as scores of real models do.
    let sum: usize = (0..3).map(|_| dice.below(31)).sum();
    let weak = if dice.below(9) == 0 { 70 } else { 0 };
    (240 + sum - weak) as f32 / 1000.0
}

/// What the judge says about the answer of `item`; `None` if its words cannot be read.
pub fn stands(item: &Item) -> Option<bool> {
    let mut dice = Stream::new(key(SEED, &["judge", &item.id]));
    let wrong = dice.below(100) < 7;
    match dice.below(100) < 4 {
        true => None,
        false => Some(planted(item).is_none() != wrong),
    }
}
