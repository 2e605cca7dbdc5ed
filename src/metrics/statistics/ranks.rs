//! Rank ranges for models that the data cannot tell apart.

use super::paired::holm;
use benchtop_model::board::analysis::Rank;

/// The difference of two models on the units that both were scored on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Test {
    /// Number of units that only the first, and only the second, got right.
    pub discordant: (u64, u64),
    /// Two-sided p.
    pub p: f64,
}

/// All pairs of `n` indices, in order, with the smaller index first.
pub fn pairs(n: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..n).flat_map(move |a| (a + 1..n).map(move |b| (a, b)))
}

/// Rank ranges of `models` models in table order (best first). `test` compares two of them by
/// index, the smaller index first. It returns `None` if they share no units.
///
/// All pairs are tested, and their p values corrected together by Holm's method. A model is
/// significantly better than another if the corrected p is at most `alpha` (0.05). A pair without a
/// test counts as not different.
pub fn ranks(
    models: usize,
    alpha: f64,
    mut test: impl FnMut(usize, usize) -> Option<Test>,
) -> Vec<Rank> {
    let tests: Vec<((usize, usize), Test)> = pairs(models)
        .filter_map(|(a, b)| Some(((a, b), test(a, b)?)))
        .collect();
    let corrected = holm(&tests.iter().map(|(_, test)| test.p).collect::<Vec<_>>());
    let none = Rank {
        rank: 1,
        high: models,
        tied: false,
        discordant: None,
        p: None,
        corrected: None,
        tested: 0,
    };
    let mut found = vec![none; models];
    for (((a, b), test), corrected) in tests.into_iter().zip(corrected) {
        found[a].tested += 1;
        found[b].tested += 1;
        if b == a + 1 {
            found[a] = Rank {
                discordant: Some(test.discordant),
                p: Some(test.p),
                corrected: Some(corrected),
                ..found[a].clone()
            };
        }
        let (first, second) = test.discordant;
        if corrected <= alpha && first != second {
            let (better, worse) = if first > second { (a, b) } else { (b, a) };
            found[worse].rank += 1;
            found[better].high -= 1;
        }
    }
    found
        .iter_mut()
        .for_each(|rank| rank.tied = rank.high > rank.rank);
    found
}

#[cfg(test)]
mod tests {
    use super::super::mcnemar;
    use super::*;

    /// Two models by index, and the numbers of units that only the first and only the second got
    /// right.
    type Pair = ((usize, usize), (u64, u64));

    fn of(models: usize, tests: &[Pair]) -> Vec<String> {
        let test = |a, b| {
            let (_, discordant) = tests.iter().find(|(pair, _)| *pair == (a, b))?;
            Some(Test {
                discordant: *discordant,
                p: mcnemar(discordant.0, discordant.1),
            })
        };
        ranks(models, 0.05, test).iter().map(Rank::said).collect()
    }

    /// Neighbors in this chain do not differ, but its first and last model do.
    #[test]
    fn ranks_do_not_chain() {
        let mvp = [
            ((0, 1), (81, 63)),
            ((0, 2), (97, 67)),
            ((0, 3), (97, 60)),
            ((1, 2), (66, 54)),
            ((1, 3), (70, 51)),
            ((2, 3), (63, 56)),
        ];
        assert_eq!(of(4, &mvp), ["1-3", "1-4", "1-4", "2-4"]);
    }

    #[test]
    fn significant_steps_have_one_rank_and_untested_models_have_all() {
        let sure = (40, 5);
        assert_eq!(
            of(3, &[((0, 1), sure), ((0, 2), sure), ((1, 2), sure)]),
            ["1", "2", "3"]
        );
        assert_eq!(of(2, &[]), ["1-2", "1-2"]);
        assert_eq!(of(1, &[]), ["1"]);
        assert!(of(0, &[]).is_empty());
        // On the shared questions the second model is ahead, whatever their overall scores are.
        assert_eq!(of(2, &[((0, 1), (5, 40))]), ["2", "1"]);
    }

    #[test]
    fn many_pairs_need_a_smaller_p() {
        // p = 0.0225 on its own, 0.067 as one of three such pairs.
        let step = Test {
            discordant: (18, 6),
            p: mcnemar(18, 6),
        };
        assert!(ranks(2, 0.05, |_, _| Some(step)).iter().all(|r| !r.tied));
        let three = ranks(3, 0.05, |_, _| Some(step));
        assert!(
            three
                .iter()
                .all(|r| (r.rank, r.high, r.tested) == (1, 3, 2)),
            "{three:?}"
        );
        let (p, corrected) = (three[0].p.unwrap(), three[0].corrected.unwrap());
        assert!(p < 0.05 && (corrected - 3.0 * p).abs() < 1e-12);
        assert_eq!((three[2].p, three[2].discordant), (None, None));
    }
}
