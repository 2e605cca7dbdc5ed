//! What taking items out does to scores.
//!
//! Source: Dysca, Table 9: 167 of 7.7 thousand pictures were taken out after they were looked at, and models scored with and
//! without them.

use serde::{Deserialize, Serialize};

use super::statistics::Number;
use super::tally::Tally;

/// A model before and after.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cleaned {
    /// On everything.
    pub before: Tally,
    /// On what was kept.
    pub after: Tally,
    /// On what was taken out.
    pub removed: Tally,
    /// After less before, in points.
    pub delta: Number,
    /// What was taken out less what was kept, in points: far from 0 where the items taken out were not like the others.
    pub contrast: Number,
}

/// A model's answers before and after: what each earned, and whether its item was kept.
pub fn cleaned(answers: impl IntoIterator<Item = (Tally, bool)>) -> Cleaned {
    let (mut after, mut removed) = (Tally::default(), Tally::default());
    for (tally, kept) in answers {
        *(if kept { &mut after } else { &mut removed }) += tally;
    }
    let before = after + removed;
    let less = |a: Tally, b: Tally| a.percent().with(&b.percent(), |a, b| a - b);
    Cleaned {
        before,
        after,
        removed,
        delta: less(after, before),
        contrast: less(removed, after),
    }
}

/// How many places up (positive) or down each model goes when all are cleaned: by share before and after, models of equal shares at
/// the same place. None for a model without answers on either side.
pub fn moves(models: &[Cleaned]) -> Vec<Option<i64>> {
    let shares = |of: fn(&Cleaned) -> Tally| {
        models
            .iter()
            .map(|m| of(m).value().value)
            .collect::<Vec<_>>()
    };
    let (before, after) = (shares(|m| m.before), shares(|m| m.after));
    let place = |of: &[Option<f64>], share: f64| {
        of.iter().flatten().filter(|other| **other > share).count() as i64
    };
    before
        .iter()
        .zip(&after)
        .map(|(b, a)| Some(place(&before, (*b)?) - place(&after, (*a)?)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model(kept: (u64, u64), removed: (u64, u64)) -> Cleaned {
        cleaned([
            (Tally::of(kept.0, kept.1), true),
            (Tally::of(removed.0, removed.1), false),
        ])
    }

    #[test]
    fn before_and_after() {
        let found = model((80, 90), (0, 10));
        assert_eq!(
            (found.before, found.after, found.removed),
            (Tally::of(80, 100), Tally::of(80, 90), Tally::of(0, 10))
        );
        assert!((found.delta.value.unwrap() - 100.0 * (80.0 / 90.0 - 0.8)).abs() < 1e-9);
        assert!((found.contrast.value.unwrap() + 100.0 * 80.0 / 90.0).abs() < 1e-9);
        let kept = model((8, 9), (0, 0));
        assert_eq!((kept.delta.value, kept.contrast.value), (Some(0.0), None));
        assert_eq!(cleaned([]).delta.value, None);
    }

    #[test]
    fn models_change_places() {
        // 80 against 82 of 100 before, 80 against 75 of 90 after.
        let models = [
            model((80, 90), (0, 10)),
            model((75, 90), (7, 10)),
            model((0, 0), (0, 0)),
        ];
        assert_eq!(moves(&models), [Some(1), Some(-1), None]);
        assert!(moves(&[]).is_empty());
    }
}
