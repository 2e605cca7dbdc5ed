//! A model's counts by stratum, and Dysca's scores from them.

use std::sync::Arc;

use super::column::ModelScores;
use crate::dysca::{self, Piece, ScenarioScore, TYPES};
use crate::tally::Tally;
use benchtop_model::QuestionKind;

/// A model's counts by stratum and by style.
pub struct Tallies {
    strata: Vec<Tally>,
    chances: Vec<f64>,
    /// Right answers and questions by style.
    pub styles: Vec<(u64, u64)>,
}

/// The counts of a model.
pub fn tallies(of: &ModelScores<'_>) -> Arc<Tallies> {
    of.memo.get(|| {
        let strata = &of.engine.strata;
        let mut found = Tallies {
            strata: vec![Tally::default(); strata.labels.len()],
            chances: vec![0.0; strata.labels.len()],
            styles: vec![(0, 0); strata.styles.len()],
        };
        for (stack, &stratum) in strata.of_stack.iter().enumerate() {
            let (at, n) = (stratum as usize, u64::from(of.n[stack]));
            let points = match (strata.labels[at].is_free_form(), &of.points) {
                (false, _) => f64::from(of.right[stack]),
                (true, Some(points)) => points[stack],
                (true, None) => continue,
            };
            found.strata[at] += Tally {
                n,
                points,
                ..Tally::default()
            };
            if n > 0 {
                found.chances[at] += of.chance[stack];
            }
            if let Some(style) = strata.style_of(stack) {
                let sum = &mut found.styles[style];
                *sum = (sum.0 + u64::from(of.right[stack]), sum.1 + n);
            }
        }
        found
    })
}

impl Tallies {
    /// The counts over these strata.
    pub fn sum(&self, strata: &[u32]) -> Tally {
        strata.iter().map(|at| self.strata[*at as usize]).sum()
    }

    /// Questions of all styles.
    pub fn styled(&self) -> u64 {
        self.styles.iter().map(|s| s.1).sum()
    }
}

/// A model's tallies in the form that Dysca's scores need.
pub struct Pieces(pub Vec<Piece>);

impl Pieces {
    /// The pieces of a model.
    pub fn of(of: &ModelScores<'_>) -> Arc<Pieces> {
        of.memo.get(|| {
            let (tallies, strata) = (tallies(of), &of.engine.strata);
            let typed =
                |at: &usize| TYPES.contains(&strata.labels[*at].kind) && tallies.strata[*at].n > 0;
            let piece = |at: usize| Piece {
                subtask: strata.subtask(&strata.labels[at]).into(),
                kind: strata.labels[at].kind,
                scenario: strata.scenario(&strata.labels[at]).into(),
                style: None,
                tally: tallies.strata[at],
                chance: tallies.chances[at],
            };
            Pieces((0..strata.labels.len()).filter(typed).map(piece).collect())
        })
    }

    /// Number of questions of these types in a scenario, of one subtask or of all.
    pub fn n(&self, scenario: &str, subtask: Option<&str>, types: &[QuestionKind]) -> u64 {
        let counts = |p: &&Piece| {
            p.scenario == scenario
                && subtask.is_none_or(|subtask| p.subtask == subtask)
                && types.contains(&p.kind)
        };
        self.0.iter().filter(counts).map(|p| p.tally.n).sum()
    }
}

/// A model's scores in every scenario.
pub struct ScenarioScores(pub Vec<ScenarioScore>);

impl ScenarioScores {
    /// The scores of a model.
    pub fn of(of: &ModelScores<'_>) -> Arc<ScenarioScores> {
        of.memo
            .get(|| ScenarioScores(dysca::scores(&Pieces::of(of).0)))
    }
}

/// The question types in a final score: all three, or without free form.
pub fn types(free: bool) -> &'static [QuestionKind] {
    if free { &TYPES } else { &TYPES[..2] }
}

/// The position of a question type among those of a final score.
pub fn type_of(kind: QuestionKind, free: bool) -> Option<usize> {
    types(free).iter().position(|t| *t == kind)
}
