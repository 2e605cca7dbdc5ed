//! Dysca's measures: accuracy by subtask, question type, and scenario, the final score, and
//! accuracy above chance. The sensitivities to question types ([`sq`]) and to styles ([`sc`]) use
//! the same tallies.
//!
//! Source: Zhang et al., "Dysca: A Dynamic and Scalable Benchmark for Evaluating Perception Ability
//! of LVLMs" (2024), sections 3.5 and 4.1, Tables 3 and 5 to 10. The released `Dysca_compute.py`
//! averages over 21 hard-coded subtasks. It leaves out every subtask whose score is exactly 0, and
//! `expression`, which its list misspells. Here every subtask with questions counts.

mod sensitivity;
mod style_variance;
mod styles;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::statistics::Number;
use super::tally::Tally;
use benchtop_model::QuestionKind;
use benchtop_model::sorting::sort_by_key;

pub use self::sensitivity::{CHANCE, Norm, Sq, SqPart, sq, sq_of_sums};
pub use self::style_variance::{StyleSums, sc_estimate, sc_interval};
pub use self::styles::{Sc, ScPart, sc, style_scores};

/// The scenario that the others are compared with.
pub const CLEAN: &str = "clean";

/// The three types of the final score, in the paper's order.
pub const TYPES: [QuestionKind; 3] = [
    QuestionKind::MultipleChoice,
    QuestionKind::TrueFalse,
    QuestionKind::FreeForm,
];

/// The answers to the questions of one subtask and type in one scenario. If styles are compared,
/// also of one style.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Piece {
    /// Subtask, such as `animal`.
    pub subtask: String,
    pub kind: QuestionKind,
    /// Scenario: `clean`, `corruption`, `print-attack`, `adversarial`, or `blind` for answers
    /// without the image.
    pub scenario: String,
    /// Style of the images; `None` if styles are not distinguished.
    pub style: Option<String>,
    pub tally: Tally,
    /// The sum of the questions' chance levels: the points of a blind guess. 0 for free form.
    pub chance: f64,
}

/// The score of one question type over a set of pieces.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TypeScore {
    pub kind: QuestionKind,
    /// Mean of the subtasks' percentages (the macro mean of the paper and the code).
    pub score: Number,
    /// Percentage over all questions.
    pub pooled: Number,
    /// Mean of the subtasks' chance levels, in percent; undefined for free form.
    pub chance: Number,
    /// The pooled percentage on a scale from chance (0) to all right (100); negative below chance.
    pub above_chance: Number,
    /// The subtasks, by name.
    pub subtasks: Vec<SubtaskScore>,
    /// All questions together.
    pub tally: Tally,
}

/// The score of one subtask.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SubtaskScore {
    pub subtask: String,
    /// Percentage of points.
    pub score: Number,
    /// Chance level, in percent; undefined for free form. The paper assumes 25 for every
    /// multiple-choice question, although gender has two options and expression three.
    pub chance: Number,
    /// See [`TypeScore::above_chance`].
    pub above_chance: Number,
    pub tally: Tally,
}

/// A model's scores in one scenario.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScenarioScore {
    pub scenario: String,
    /// The types that have questions, in the order of [`TYPES`].
    pub types: Vec<TypeScore>,
    /// The final score: the mean of the three types' scores, in percent (section 4.1; Table 3).
    /// Undefined if a type has no questions.
    pub three_types: Number,
    /// Mean of multiple choice and true or false only. Table 10's "blind" is this number; Table 3's
    /// is not.
    pub two_types: Number,
    /// `three_types` minus that of [`CLEAN`], in points.
    pub three_types_to_clean: Number,
    /// `two_types` minus that of [`CLEAN`], in points.
    pub two_types_to_clean: Number,
}

/// A model's scores in every scenario with answers: `clean` first, the others by name.
pub fn scores(pieces: &[Piece]) -> Vec<ScenarioScore> {
    let mut of: BTreeMap<&str, Vec<&Piece>> = BTreeMap::new();
    pieces
        .iter()
        .for_each(|p| of.entry(&p.scenario).or_default().push(p));
    let mut found: Vec<ScenarioScore> = of
        .into_iter()
        .map(|(scenario, pieces)| scenario_score(scenario, &pieces))
        .collect();
    sort_by_key(&mut found, |s| s.scenario != CLEAN);
    let clean = found
        .first()
        .filter(|s| s.scenario == CLEAN)
        .map(|s| (s.three_types.clone(), s.two_types.clone()));
    let none = || Number::none("no answers in the clean scenario");
    let (three, two) = clean.unwrap_or_else(|| (none(), none()));
    for score in &mut found {
        score.three_types_to_clean = delta(&score.three_types, &three);
        score.two_types_to_clean = delta(&score.two_types, &two);
    }
    found
}

/// A score minus that of the clean scenario, in points.
pub fn delta(score: &Number, clean: &Number) -> Number {
    score.with(clean, |score, clean| score - clean)
}

/// `accuracy` on a scale from `chance` (0) to 1 (100), in percent. `None` if chance is 1.
pub fn above_chance(accuracy: f64, chance: f64) -> Option<f64> {
    (chance < 1.0).then(|| 100.0 * (accuracy - chance) / (1.0 - chance))
}

fn scenario_score(scenario: &str, pieces: &[&Piece]) -> ScenarioScore {
    let types: Vec<TypeScore> = TYPES
        .into_iter()
        .filter_map(|kind| type_score(kind, pieces))
        .collect();
    let mean = |of: &[QuestionKind]| {
        let scores = of.iter().map(|kind| types.iter().find(|t| t.kind == *kind));
        let sum = scores.map(|t| {
            t.map_or_else(
                || Number::none("a question type has no questions"),
                |t| t.score.clone(),
            )
        });
        sum.reduce(|a, b| a.with(&b, |a, b| a + b))
            .unwrap_or_default()
            .map(|sum| sum / of.len() as f64)
    };
    ScenarioScore {
        scenario: scenario.into(),
        three_types: mean(&TYPES),
        two_types: mean(&TYPES[..2]),
        types,
        three_types_to_clean: Number::default(),
        two_types_to_clean: Number::default(),
    }
}

/// The score of one type; `None` without questions.
pub fn type_score(kind: QuestionKind, pieces: &[&Piece]) -> Option<TypeScore> {
    let mut of: BTreeMap<&str, (Tally, f64)> = BTreeMap::new();
    for piece in pieces.iter().filter(|p| p.kind == kind && p.tally.n > 0) {
        let sum = of.entry(&piece.subtask).or_default();
        *sum = (sum.0 + piece.tally, sum.1 + piece.chance);
    }
    if of.is_empty() {
        return None;
    }
    let told = |tally: Tally, chance: f64| {
        let chance = match kind {
            QuestionKind::FreeForm => Number::none("free-form answers have no chance level"),
            _ => Number::of(100.0 * chance / tally.n as f64),
        };
        let score = tally.percent();
        let above = match (score.value, chance.value) {
            (Some(score), Some(chance)) => Number::or(
                above_chance(score / 100.0, chance / 100.0),
                "the chance level is 100 %",
            ),
            _ => chance.clone(),
        };
        (score, chance, above)
    };
    let (all, all_chance) = of
        .values()
        .fold((Tally::default(), 0.0), |a, b| (a.0 + b.0, a.1 + b.1));
    let subtasks: Vec<SubtaskScore> = of
        .into_iter()
        .map(|(subtask, (tally, chance))| {
            let (score, chance, above_chance) = told(tally, chance);
            SubtaskScore {
                subtask: subtask.into(),
                score,
                chance,
                above_chance,
                tally,
            }
        })
        .collect();
    let mean = |of: &dyn Fn(&SubtaskScore) -> &Number| {
        let sum = subtasks
            .iter()
            .map(|s| of(s).clone())
            .reduce(|a, b| a.with(&b, |a, b| a + b))
            .unwrap_or_default();
        sum.map(|sum| sum / subtasks.len() as f64)
    };
    let (pooled, _, above_chance) = told(all, all_chance);
    let (score, chance) = (mean(&|s| &s.score), mean(&|s| &s.chance));
    Some(TypeScore {
        kind,
        score,
        pooled,
        chance,
        above_chance,
        subtasks,
        tally: all,
    })
}
