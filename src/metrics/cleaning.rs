//! The effect of removing items on scores.
//!
//! Source: Dysca, Table 9: after a review, 167 of 7.7 thousand pictures were removed, and models
//! were scored with and without them.

use serde::{Deserialize, Serialize};

use super::statistics::Number;
use super::tally::Tally;

/// A model's scores before and after items are removed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cleaned {
    /// All items.
    pub before: Tally,
    /// Kept items.
    pub after: Tally,
    /// Removed items.
    pub removed: Tally,
    /// After minus before, in points.
    pub delta: Number,
    /// Removed minus kept, in points. A value far from 0 means that the removed items were not
    /// typical.
    pub contrast: Number,
}

/// Computes the effect from a model's answers: the tally of each, and whether its item was kept.
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

/// The number of ranks that each model rises (positive) or falls when all are cleaned. Models with
/// equal shares have the same rank. `None` for a model without answers before or after.
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
    fn cleaned_compares_before_and_after() {
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
    fn moves_counts_rank_changes() {
        // Before: 80 against 82 of 100. After: 80 against 75 of 90.
        let models = [
            model((80, 90), (0, 10)),
            model((75, 90), (7, 10)),
            model((0, 0), (0, 0)),
        ];
        assert_eq!(moves(&models), [Some(1), Some(-1), None]);
        assert!(moves(&[]).is_empty());
    }
}
