//! A column of scores: one number per item, looked up by its inputs.

use std::sync::OnceLock;

use super::inputs::Inputs;
use benchtop_model::scoring::{ScoreState, Scorer};
use benchtop_store::scores::Scores;

/// The scores of one scorer by row.
#[derive(Clone, Debug, Default)]
pub struct Column {
    /// Stored values; 0 if there is none.
    pub values: Vec<f32>,
    /// Codes of [`ScoreState`].
    pub states: Vec<u8>,
    /// The model's logit scale.
    pub logit: f32,
    /// Short fingerprint of the scorer.
    pub version: String,
    sorted: OnceLock<Vec<f32>>,
}

impl Column {
    /// A column from values and states of the same length.
    pub fn new(values: Vec<f32>, states: Vec<u8>, logit: f32, version: String) -> Column {
        Column {
            values,
            states,
            logit,
            version,
            sorted: OnceLock::new(),
        }
    }

    /// Looks up the score of each item's inputs. An item without these inputs has nothing to score.
    pub fn look_up(scores: &Scores, inputs: &Inputs) -> Column {
        let scorer = &scores.about.scorer;
        let of = |row: usize| {
            inputs
                .key(scorer, row)
                .map_or((ScoreState::NotApplicable, 0.0), |key| scores.get(key))
        };
        let (states, values) = (0..inputs.len())
            .map(of)
            .map(|(state, value)| (state.code(), value))
            .unzip();
        Column::new(values, states, scores.about.logit, scores.about.short())
    }

    /// A column without any scores yet.
    pub fn missing(scorer: &Scorer, inputs: &Inputs) -> Column {
        let of = |row: usize| match inputs.key(scorer, row) {
            Some(_) => ScoreState::Missing.code(),
            None => ScoreState::NotApplicable.code(),
        };
        Column::new(
            vec![0.0; inputs.len()],
            (0..inputs.len()).map(of).collect(),
            1.0,
            String::new(),
        )
    }

    /// A column of items with nothing to score.
    pub fn without(rows: usize) -> Column {
        Column::new(
            vec![0.0; rows],
            vec![ScoreState::NotApplicable.code(); rows],
            1.0,
            String::new(),
        )
    }

    pub fn len(&self) -> usize {
        self.values.len()
    }

    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The stored value of a row, if any.
    pub fn value(&self, row: usize) -> Option<f32> {
        let scored = self.states.get(row) == Some(&ScoreState::Scored.code());
        scored.then(|| self.values.get(row).copied()).flatten()
    }

    /// The state of a row.
    pub fn state(&self, row: usize) -> ScoreState {
        ScoreState::from_code(self.states.get(row).copied().unwrap_or_default())
    }

    /// Number of items by state, in the order of [`ScoreState::ALL`].
    pub fn counts(&self) -> [u64; ScoreState::ALL.len()] {
        let mut counts = [0; ScoreState::ALL.len()];
        self.states
            .iter()
            .for_each(|s| counts[usize::from(*s).min(ScoreState::ALL.len() - 1)] += 1);
        counts
    }

    /// All values in ascending order, sorted on first use.
    pub fn sorted(&self) -> &[f32] {
        self.sorted.get_or_init(|| {
            let mut all: Vec<f32> = (0..self.len()).filter_map(|row| self.value(row)).collect();
            all.sort_unstable_by(f32::total_cmp);
            all
        })
    }

    /// Share of values below this one, in 0..=1. 0 if there are none.
    pub fn below(&self, value: f32) -> f32 {
        self.share(self.rank_below(value) as isize)
    }

    /// Share of values above this one, in 0..=1.
    pub fn above(&self, value: f32) -> f32 {
        self.share(self.rank_above(value) as isize)
    }

    /// Number of values below this one.
    pub fn rank_below(&self, value: f32) -> usize {
        self.sorted().partition_point(|v| *v < value)
    }

    /// Number of values above this one.
    pub fn rank_above(&self, value: f32) -> usize {
        self.sorted().len() - self.sorted().partition_point(|v| *v <= value)
    }

    /// A number of values as a share of all. 0 if there are none.
    pub fn share(&self, values: isize) -> f32 {
        if self.sorted().is_empty() {
            0.0
        } else {
            values as f32 / self.sorted().len() as f32
        }
    }
}
