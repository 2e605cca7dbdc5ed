//! AutoBench-V's measures: accuracy by aspect and difficulty, the alignment rate of pictures, and
//! position bias.
//!
//! Source: Bao et al., "AutoBench-V: Can Large Vision-Language Models Benchmark Themselves?"
//! (2024), sections 3 and 4. The released `pipeline.py` drops failed answers, so models are scored
//! on different questions. Here failed answers are missing and count as wrong.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::statistics::Number;
use super::tally::Tally;
use benchtop_model::sorting::sort_by_key;

/// The difficulties, easiest first.
pub const DIFFICULTIES: [&str; 3] = ["easy", "medium", "hard"];

/// The rank of a level, easiest first: [`DIFFICULTIES`], and MVP-Bench's low before high. Other
/// names come last.
pub fn place(level: &str) -> usize {
    let is = |names: [&str; 2]| names.iter().any(|name| name.eq_ignore_ascii_case(level));
    [["easy", "low"], ["medium", "medium"], ["hard", "high"]]
        .into_iter()
        .position(is)
        .unwrap_or(3)
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Grid {
    /// The difficulties: those of [`DIFFICULTIES`] first, in that order.
    pub difficulties: Vec<String>,
    /// One row per aspect, sorted by name, with a tally per difficulty.
    pub aspects: Vec<(String, Vec<Tally>)>,
    /// All aspects together, by difficulty.
    pub all: Vec<Tally>,
    /// Whether accuracy never rises with difficulty, as expected. `None` with fewer than two
    /// difficulties.
    pub falls: Option<bool>,
}

/// Builds the grid from answers: aspect, difficulty, and tally.
pub fn grid<'a>(answers: impl IntoIterator<Item = (&'a str, &'a str, Tally)>) -> Grid {
    let mut of: BTreeMap<&str, BTreeMap<&str, Tally>> = BTreeMap::new();
    let mut all: BTreeMap<&str, Tally> = BTreeMap::new();
    for (aspect, difficulty, tally) in answers {
        *of.entry(aspect).or_default().entry(difficulty).or_default() += tally;
        *all.entry(difficulty).or_default() += tally;
    }
    let mut difficulties: Vec<&str> = all.keys().copied().collect();
    let known = |d: &str| DIFFICULTIES.iter().position(|known| *known == d);
    sort_by_key(&mut difficulties, |d| {
        known(d).unwrap_or(DIFFICULTIES.len())
    });
    let row = |of: &BTreeMap<&str, Tally>| {
        difficulties
            .iter()
            .map(|d| of.get(d).copied().unwrap_or_default())
            .collect()
    };
    let graded: Vec<f64> = difficulties
        .iter()
        .filter(|d| known(d).is_some())
        .filter_map(|d| all.get(d)?.value().value)
        .collect();
    Grid {
        aspects: of
            .iter()
            .map(|(aspect, of)| ((*aspect).to_string(), row(of)))
            .collect(),
        all: row(&all),
        falls: (graded.len() > 1).then(|| graded.windows(2).all(|pair| pair[0] >= pair[1])),
        difficulties: difficulties.into_iter().map(str::to_string).collect(),
    }
}

/// Aligned pictures as a percentage of the requested ones. The paper counts a picture that most of
/// five people (three) call aligned; its code divides by a fixed 240 and has the answers of one
/// person.
pub fn alignment_rate(aligned: u64, asked: u64) -> Number {
    Number::or(
        (asked > 0).then(|| 100.0 * aligned as f64 / asked as f64),
        "no pictures",
    )
}

/// Whether a majority of the votes is for aligned. `None` without votes.
pub fn majority(aligned: u32, votes: u32) -> Option<bool> {
    (votes > 0).then_some(2 * aligned > votes)
}

/// The change in score when every right answer is moved to one position.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PositionBias {
    /// The position: `A`, `B`, ...
    pub position: String,
    /// Score minus the score with even positions, in points (the paper's R).
    pub absolute: Number,
    /// The change relative to the score with even positions, in percent (`position_bias.py`).
    pub relative: Number,
}

/// R for each position. `positions` holds each position's name and tally; `even` is the tally with
/// even positions.
pub fn position_bias(positions: &[(String, Tally)], even: Tally) -> Vec<PositionBias> {
    let base = even.percent();
    let told = |(position, tally): &(String, Tally)| {
        let absolute = tally.percent().with(&base, |x, even| x - even);
        let relative = match base.value {
            Some(0.0) => Number::none("the score with even positions is 0"),
            _ => absolute.with(&base, |d, even| 100.0 * d / even),
        };
        PositionBias {
            position: position.clone(),
            absolute,
            relative,
        }
    };
    positions.iter().map(told).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grid_has_every_aspect_and_difficulty() {
        let found = grid([
            ("spatial", "hard", Tally::of(1, 4)),
            ("spatial", "easy", Tally::of(3, 4)),
            ("basic", "easy", Tally::of(4, 4)),
            ("basic", "hard", Tally::of(2, 4)),
            ("basic", "odd", Tally::of(1, 1)),
        ]);
        assert_eq!(found.difficulties, ["easy", "hard", "odd"]);
        assert_eq!(
            found.aspects[1],
            (
                "spatial".into(),
                vec![Tally::of(3, 4), Tally::of(1, 4), Tally::default()]
            )
        );
        assert_eq!((found.all[0], found.falls), (Tally::of(7, 8), Some(true)));
        assert_eq!(
            grid([
                ("a", "easy", Tally::of(1, 2)),
                ("a", "medium", Tally::of(2, 2))
            ])
            .falls,
            Some(false)
        );
        assert_eq!((grid([]).falls, grid([])), (None, Grid::default()));
    }

    #[test]
    fn rates_and_deviations() {
        assert_eq!(
            (alignment_rate(222, 240).value, alignment_rate(0, 0).value),
            (Some(92.5), None)
        );
        assert_eq!(
            (
                majority(3, 5),
                majority(2, 5),
                majority(2, 4),
                majority(0, 0)
            ),
            (Some(true), Some(false), Some(false), None)
        );
        let found = position_bias(
            &[
                ("A".into(), Tally::of(9, 10)),
                ("B".into(), Tally::default()),
            ],
            Tally::of(3, 4),
        );
        assert!(
            (found[0].absolute.value.unwrap() - 15.0).abs() < 1e-9
                && (found[0].relative.value.unwrap() - 20.0).abs() < 1e-9
        );
        assert_eq!(found[1].absolute, Number::none("no questions"));
        let zero = position_bias(&[("A".into(), Tally::of(1, 2))], Tally::of(0, 2));
        assert_eq!(
            (zero[0].absolute.value, zero[0].relative.value),
            (Some(50.0), None)
        );
    }
}
