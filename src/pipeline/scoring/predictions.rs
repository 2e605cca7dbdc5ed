//! Scores computed from predictions: model consensus (Dysca's step 3) and the blind prior.
//!
//! Answers are read by [`RULE`], whatever rule the board uses. The released code of Dysca maps
//! unparsed output to the nearest option, so that a refusal or nonsense would count as a vote
//! against the item.

use super::column::Column;
use crate::board::BoardData;
use benchtop_metrics::consensus::{BlindPrior, Tally};
use benchtop_metrics::extract::Extractor;
use benchtop_model::config::FilterModels;
use benchtop_model::evaluation;
use benchtop_model::scoring::bench::Counted;
use benchtop_model::scoring::{ScoreState, Scorer};

/// The extraction rule for these scores.
pub const RULE: Extractor = Extractor::StrictJudge;

/// Whether the answers of `model` count.
fn counts(scorer: &Scorer, models: &FilterModels, model: &str) -> bool {
    let is_blind = evaluation::is_blind(model) || models.blind.iter().any(|name| name == model);
    match scorer {
        Scorer::Blind => is_blind,
        _ => {
            !is_blind
                && (models.consensus.is_empty()
                    || models.consensus.iter().any(|name| name == model))
        }
    }
}

/// The answers behind the score of the item in `row`. `None` if no model gave a parsed answer.
pub fn counted(
    scorer: &Scorer,
    scored: &BoardData,
    models: &FilterModels,
    row: usize,
) -> Option<(Counted, Tally)> {
    let tally = Tally::new(scored.outcome_of(row, &|model| counts(scorer, models, model))?);
    let k = if *scorer == Scorer::Blind {
        tally.right
    } else {
        tally.against
    };
    let n = tally.right + tally.against;
    Some((
        Counted {
            k: k as u64,
            n: n as u64,
            left_out: tally.unknown as u64,
        },
        tally,
    ))
}

/// The scores of `scorer` by row.
pub fn column(scorer: &Scorer, scored: &BoardData, models: &FilterModels, rows: usize) -> Column {
    let counts = |model: &str| counts(scorer, models, model);
    let mut values = vec![0.0; rows];
    // No rule grades free-form questions here.
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
