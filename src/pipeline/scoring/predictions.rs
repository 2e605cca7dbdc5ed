//! Scores that follow from predictions: model consensus (Dysca's step 3) and the blind prior.

use super::column::Column;
use crate::metrics::consensus::{BlindPrior, Tally};
use crate::model::config::FilterModels;
use crate::model::evaluation;
use crate::model::scoring::{ScoreState, Scorer};
use crate::pipeline::board::Scored;

/// The scores of `scorer` by row.
pub fn column(scorer: &Scorer, scored: &Scored, models: &FilterModels, rows: usize) -> Column {
    let is_blind = |model: &str| evaluation::is_blind(model) || models.blind.iter().any(|name| name == model);
    let counts = |model: &str| match scorer {
        Scorer::Blind => is_blind(model),
        _ => !is_blind(model) && (models.consensus.is_empty() || models.consensus.iter().any(|name| name == model)),
    };
    let mut values = vec![0.0; rows];
    // Free-form questions are graded by no rule here.
    let mut states = vec![ScoreState::NotApplicable.code(); rows];
    for (row, outcomes) in scored.outcomes(&counts).filter(|(row, _)| *row < rows) {
        let value = match scorer {
            Scorer::Blind => BlindPrior::new(outcomes).map(|prior| prior.share()),
            _ => {
                let tally = Tally::new(outcomes);
                let known = tally.right + tally.against;
                (known > 0).then(|| tally.against as f64 / known as f64)
            }
        };
        (states[row], values[row]) = match value {
            Some(value) => (ScoreState::Scored.code(), value as f32),
            None => (ScoreState::Missing.code(), 0.0),
        };
    }
    Column::new(values, states, 1.0, String::new())
}
