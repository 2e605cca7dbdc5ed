//! The quality of one annotator's verdicts, measured on gold items, on repeated items, after other
//! verdicts were revealed, and in an audit.

use super::counts::on_scale;
use super::measures::cohen_kappa;
use crate::statistics::{Z95, wilson};
use benchtop_model::agreement::{Scale, UNKNOWN};
use benchtop_model::annotator::{ProbeQuality, Rate, RepeatQuality};
use benchtop_model::error::{Error, Result};

/// `count` of `of` with Wilson's 95 % interval.
///
/// # Errors
/// If `count` exceeds `of`.
pub fn rate(count: u64, of: u64) -> Result<Rate> {
    if count > of {
        return Err(Error::input(format!("invalid rate: {count} of {of}")).field("count"));
    }
    Ok(share(count, of))
}

/// Quality on gold items: whether each is good, and whether it was accepted (`None` if skipped or
/// unknown).
pub fn probes(pairs: impl IntoIterator<Item = (bool, Option<bool>)>) -> ProbeQuality {
    let (mut missed, mut bad, mut refused, mut good, mut unknown) = (0, 0, 0, 0, 0);
    for (is_good, accepted) in pairs {
        match (is_good, accepted) {
            (_, None) => unknown += 1,
            (true, Some(accepted)) => (good, refused) = (good + 1, refused + u64::from(!accepted)),
            (false, Some(accepted)) => (bad, missed) = (bad + 1, missed + u64::from(accepted)),
        }
    }
    ProbeQuality {
        misses: share(missed, bad),
        false_rejects: share(refused, good),
        unknown,
    }
}

/// Consistency on repeated items: the first and the second category of each, including [`UNKNOWN`].
///
/// # Errors
/// If a category is not on the scale.
pub fn repeats(scale: Scale, pairs: impl IntoIterator<Item = (u8, u8)>) -> Result<RepeatQuality> {
    let k = usize::from(scale.categories);
    let mut table = vec![0; k * k];
    let mut unknown = 0;
    for (first, second) in pairs {
        on_scale(scale, first)?;
        on_scale(scale, second)?;
        if first == UNKNOWN || second == UNKNOWN {
            unknown += 1;
        } else {
            table[usize::from(first) * k + usize::from(second)] += 1;
        }
    }
    let same = (0..k).map(|c| table[c * k + c]).sum();
    Ok(RepeatQuality {
        same: share(same, table.iter().sum()),
        cohen_kappa: cohen_kappa(&table, k),
        unknown,
    })
}

/// Share of verdicts that changed after the verdicts of others or of a machine were shown: (before,
/// after).
pub fn revisions<V: PartialEq>(pairs: impl IntoIterator<Item = (V, V)>) -> Rate {
    audit(pairs.into_iter().map(|(before, after)| before != after))
}

/// Share of audited items whose status was wrong, from a flag for each item.
pub fn audit(wrong: impl IntoIterator<Item = bool>) -> Rate {
    let (errors, all) = wrong
        .into_iter()
        .fold((0, 0), |(c, n), wrong| (c + u64::from(wrong), n + 1));
    share(errors, all)
}

/// A rate that is known to be valid.
pub(super) fn share(count: u64, of: u64) -> Rate {
    Rate {
        count,
        of,
        interval: wilson(count, of, Z95),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use benchtop_model::agreement::Undefined;

    #[test]
    fn misses_and_false_rejects_are_separate() {
        let pairs = [
            (true, Some(true)),
            (true, Some(false)),
            (true, Some(true)),
            (false, Some(false)),
            (false, Some(true)),
            (false, None),
            (true, None),
        ];
        let found = probes(pairs);
        assert_eq!((found.misses.count, found.misses.of), (1, 2));
        assert_eq!((found.false_rejects.count, found.false_rejects.of), (1, 3));
        assert_eq!(found.unknown, 2);
        assert_eq!(found.misses.interval, wilson(1, 2, Z95));
        let none = probes([]);
        assert_eq!(
            (
                none.misses.share(),
                none.misses.interval,
                none.false_rejects.share()
            ),
            (None, None, None)
        );
    }

    #[test]
    fn zero_errors_in_ten_still_have_an_interval() {
        let found = audit([false; 10]);
        let (low, high) = found.interval.unwrap();
        assert!(
            found.share() == Some(0.) && low == 0. && (high - 0.2775).abs() < 1e-4,
            "{high}"
        );
        let found = audit([true, false, false, true]);
        assert_eq!((found.count, found.of), (2, 4));
    }

    #[test]
    fn repeats_have_share_and_kappa() {
        let scale = Scale::new(2, 0).unwrap();
        let pairs = [
            (0, 0),
            (0, 0),
            (0, 1),
            (1, 1),
            (1, 1),
            (1, UNKNOWN),
            (UNKNOWN, UNKNOWN),
        ];
        let found = repeats(scale, pairs).unwrap();
        assert_eq!((found.same.count, found.same.of, found.unknown), (4, 5, 2));
        // Shares of the first category 3/5 and 2/5: chance 0.6 0.4 + 0.4 0.6 = 0.48, kappa 0.32 /
        // 0.52.
        assert!((found.cohen_kappa.unwrap() - 0.32 / 0.52).abs() < 1e-12);
        assert_eq!(
            repeats(scale, [(0, 0), (0, 0)]).unwrap().cohen_kappa,
            Err(Undefined::OneCategory(0))
        );
        assert_eq!(
            repeats(scale, []).unwrap().cohen_kappa,
            Err(Undefined::NoDoubles)
        );
        assert_eq!(repeats(scale, [(UNKNOWN, 1)]).unwrap().same.share(), None);
        assert!(
            repeats(scale, [(0, 2)])
                .unwrap_err()
                .to_string()
                .contains("category 2 is not on a scale of 2")
        );
    }

    #[test]
    fn revisions_count_changed_verdicts() {
        let found = revisions([("a", "a"), ("a", "b"), ("b", "b"), ("b", "a")]);
        assert_eq!((found.count, found.of), (2, 4));
        assert!(rate(3, 2).is_err());
        assert_eq!(rate(2, 4).unwrap(), found);
    }
}
