//! Sensitivity to question types (SQ).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Piece, above_chance};
use crate::statistics::Number;
use crate::tally::Tally;
use benchtop_model::QuestionKind;

/// The chance levels that normalize accuracies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Norm {
    /// The paper's: 25 % for every multiple-choice and 50 % for every true-or-false question.
    Paper,
    /// Those of each question: 1/2 for gender, 1/3 for expression.
    Questions,
}

/// SQ and its parts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sq {
    /// Population variance of the two types' normalized scores, in squared points.
    pub value: Number,
    /// Mean normalized multiple-choice score over the subtasks, in percent.
    pub multiple_choice: Number,
    /// Mean normalized true-or-false score over the subtasks, in percent.
    pub true_false: Number,
    /// The contribution of each type: half of its squared distance from the mean of both. With two
    /// types, the contributions are equal.
    pub each_type: Number,
    /// The subtasks, by name.
    pub subtasks: Vec<SqPart>,
}

/// The contribution of one subtask to SQ.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SqPart {
    pub subtask: String,
    /// Normalized multiple-choice score, in percent.
    pub multiple_choice: Number,
    /// Normalized true-or-false score, in percent.
    pub true_false: Number,
    /// SQ of this subtask only.
    pub value: Number,
    /// Contribution to SQ. The contributions add up to SQ; one is negative if it pulls the two
    /// types together.
    pub contribution: Number,
}

/// SQ over the pieces of one scenario.
///
/// Source: equation 1, which equals ((TF - MC) / 2)^2. MC and TF are the scores normalized by
/// chance, (accuracy - chance) / (1 - chance) in percent, each averaged over its subtasks: MC 100
/// and TF 50 give (0 - 100)^2 / 4 = 2500. Table 3's values do not follow from Tables 5 to 8 under
/// any reading, so they cannot be reproduced.
///
/// With D the difference of the means, a subtask contributes D / 4 times its own share of D: TF_s /
/// S_TF - MC_s / S_MC, where S counts the subtasks of that type.
pub fn sq(pieces: &[&Piece], norm: Norm) -> Sq {
    let mut of: BTreeMap<&str, [(Tally, f64); 2]> = BTreeMap::new();
    for piece in pieces {
        let at = match piece.kind {
            QuestionKind::MultipleChoice => 0,
            QuestionKind::TrueFalse => 1,
            _ => continue,
        };
        let sum = &mut of.entry(&piece.subtask).or_default()[at];
        *sum = (sum.0 + piece.tally, sum.1 + piece.chance);
    }
    let normal = |at: usize, (tally, chance): (Tally, f64)| {
        let share = tally.points / tally.n as f64;
        let chance = if norm == Norm::Paper {
            CHANCE[at]
        } else {
            chance / tally.n as f64
        };
        (tally.n > 0).then(|| above_chance(share, chance)).flatten()
    };
    let of: Vec<(&str, [Option<f64>; 2])> = of
        .into_iter()
        .map(|(subtask, [mc, tf])| (subtask, [normal(0, mc), normal(1, tf)]))
        .collect();
    let column = |at: usize| {
        of.iter()
            .filter_map(|(_, both)| both[at])
            .collect::<Vec<_>>()
    };
    let (mc, tf) = (column(0), column(1));
    let mean = |of: &[f64]| crate::statistics::mean(of);
    let apart = mean(&mc).zip(mean(&tf)).map(|(mc, tf)| tf - mc);
    let number = |value: Option<f64>| Number::or(value, MISSING);
    let part = |(subtask, [own_mc, own_tf]): (&str, [Option<f64>; 2])| {
        let share = |own: Option<f64>, of: &[f64]| own.map_or(0.0, |own| own / of.len() as f64);
        let contribution = apart.map(|d| d / 4.0 * (share(own_tf, &tf) - share(own_mc, &mc)));
        let value = own_mc.zip(own_tf).map(|(mc, tf)| ((tf - mc) / 2.0).powi(2));
        SqPart {
            subtask: subtask.into(),
            multiple_choice: number(own_mc),
            true_false: number(own_tf),
            value: number(value),
            contribution: number(contribution),
        }
    };
    Sq {
        value: number(apart.map(|d| (d / 2.0).powi(2))),
        multiple_choice: number(mean(&mc)),
        true_false: number(mean(&tf)),
        each_type: number(apart.map(|d| (d / 2.0).powi(2) / 2.0)),
        subtasks: of.iter().copied().map(part).collect(),
    }
}

/// SQ with the paper's chance levels, from sums that may be resampled. For each subtask: points and
/// number of multiple-choice questions, then of true-or-false questions. Subtasks without questions
/// of a type do not count for it. `None` if a type has no questions.
pub fn sq_of_sums(sums: &[f64]) -> Option<f64> {
    let mut normal = [(0.0, 0u32); 2];
    for subtask in sums.chunks_exact(4) {
        for (at, sum) in normal.iter_mut().enumerate() {
            let (points, n) = (subtask[2 * at], subtask[2 * at + 1]);
            if n > 0.0 {
                *sum = (sum.0 + above_chance(points / n, CHANCE[at])?, sum.1 + 1);
            }
        }
    }
    let [(mc, mcs), (tf, tfs)] = normal;
    (mcs > 0 && tfs > 0).then(|| ((tf / f64::from(tfs) - mc / f64::from(mcs)) / 2.0).powi(2))
}

/// The paper's chance levels: multiple choice, true or false.
pub const CHANCE: [f64; 2] = [0.25, 0.5];

const MISSING: &str = "needs multiple-choice and true-or-false questions";
