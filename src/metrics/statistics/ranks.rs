//! Ranks that say where the data cannot tell two models apart.

use serde::{Deserialize, Serialize};

use super::paired::{holm, mcnemar};

/// A model's rank.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rank {
    /// From 1; models that share a rank are followed by the rank after all of them (1, 1, 3).
    pub rank: usize,
    /// Whether others share it.
    pub tied: bool,
    /// Units that it alone got right and that the next model alone got right; `None` for the last model and where the two have no
    /// units in common.
    pub discordant: Option<(u64, u64)>,
    /// Exact p of McNemar's test against the next model.
    pub p: Option<f64>,
    /// The same, Holm-corrected for all neighbours of the table.
    pub corrected: Option<f64>,
}

/// Ranks of `models` models, given in the order of the table (best first). `discordant` tells of a model and the next one how many
/// units only the first and only the second got right, or `None` where they have no units in common.
///
/// Every pair of neighbours is compared by the exact test of McNemar, and the p values are corrected together by Holm's method.
/// Neighbours whose corrected p is above `alpha` (0.05), or that cannot be compared, share a rank, and so does a whole run of
/// such neighbours. The first and the last of a run may differ all the same: a shared rank says that no step between them is
/// sure, not that they are equal.
pub fn ranks(models: usize, alpha: f64, mut discordant: impl FnMut(usize, usize) -> Option<(u64, u64)>) -> Vec<Rank> {
    let steps: Vec<Option<(u64, u64)>> = (1..models).map(|next| discordant(next - 1, next)).collect();
    let p: Vec<f64> = steps.iter().flatten().map(|(a, b)| mcnemar(*a, *b)).collect();
    let corrected = holm(&p);
    let mut tests = p.into_iter().zip(corrected);
    let tests: Vec<Option<(f64, f64)>> = steps.iter().map(|step| step.and_then(|_| tests.next())).collect();
    let apart = |at: usize| tests.get(at).copied().flatten().is_some_and(|(_, corrected)| corrected <= alpha);
    let mut found: Vec<Rank> = Vec::with_capacity(models);
    for at in 0..models {
        let with_last = at > 0 && !apart(at - 1);
        let with_next = at + 1 < models && !apart(at);
        let rank = if with_last { found.last().map_or(1, |last| last.rank) } else { at + 1 };
        let test = tests.get(at).copied().flatten();
        found.push(Rank {
            rank,
            tied: with_last || with_next,
            discordant: steps.get(at).copied().flatten(),
            p: test.map(|t| t.0),
            corrected: test.map(|t| t.1),
        });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(steps: &[Option<(u64, u64)>]) -> Vec<(usize, bool)> {
        ranks(steps.len() + 1, 0.05, |a, _| steps[a]).into_iter().map(|r| (r.rank, r.tied)).collect()
    }

    #[test]
    fn neighbours_that_do_not_differ_share_a_rank() {
        let (sure, unsure) = (Some((40, 5)), Some((12, 10)));
        assert_eq!(of(&[unsure, sure, sure]), [(1, true), (1, true), (3, false), (4, false)]);
        assert_eq!(of(&[sure, unsure, unsure]), [(1, false), (2, true), (2, true), (2, true)]);
        assert_eq!(of(&[None]), [(1, true), (1, true)]);
        assert_eq!(of(&[]), [(1, false)]);
        assert!(ranks(0, 0.05, |_, _| None).is_empty());
    }

    #[test]
    fn many_neighbours_need_a_smaller_p() {
        // p = 0.0225 alone; with three such neighbours the corrected p is 0.067.
        let step = Some((18, 6));
        assert_eq!(of(&[step]), [(1, false), (2, false)]);
        let three = ranks(4, 0.05, |_, _| step);
        assert!(three.iter().all(|r| r.rank == 1 && r.tied), "{three:?}");
        let (p, corrected) = (three[0].p.unwrap(), three[0].corrected.unwrap());
        assert!(p < 0.05 && (corrected - 3.0 * p).abs() < 1e-12);
        assert_eq!((three[3].p, three[3].discordant), (None, None));
    }
}
