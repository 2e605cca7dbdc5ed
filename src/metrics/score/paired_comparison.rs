//! Compares two models on the questions that both are scored on.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use super::basis::Basis;
use super::bitmap_index::{Bitmap, and, each};
use super::cluster_bits::ClusterBits;
use super::column::BoardColumn;
use super::engine::BoardEngine;
use super::item_selection::ItemSelection;
use super::model_bitmaps::ByCluster;
use super::question_table::NEVER;
use crate::statistics::{Differences, EXACT, Test, flip_test, mcnemar, pairs};
use benchtop_model::QuestionKind;

/// Units that two models are both scored on, by which of them got it right.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Paired {
    /// Number of units that both got right.
    pub both: u64,
    /// The rows of each unit that only the first got right.
    pub first: Vec<Vec<u32>>,
    /// The rows of each unit that only the second got right.
    pub second: Vec<Vec<u32>>,
    /// Number of units that neither got right.
    pub neither: u64,
}

/// The test of two models, with the interval of their difference that matches it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tested {
    pub test: Test,
    /// Whether every cluster is one unit, so that p is that of McNemar's exact test.
    pub is_exact: bool,
    /// See [`Differences::interval`].
    pub interval: Option<(f64, f64)>,
}

/// The units of a column by cluster: which of them each model is scored on, and which it got right.
struct Units<'r> {
    cluster_bits: Cow<'r, ClusterBits>,
    scored: Vec<Bitmap>,
    right: Vec<Cow<'r, [u64]>>,
    /// Whether every cluster is one unit, for all models together.
    is_single: bool,
}

impl Units<'_> {
    /// Compares two of the models, by index. `None` if they share no unit.
    fn test(&self, (a, b): (usize, usize), with_interval: bool) -> Option<Tested> {
        let mask = and(&self.scored[a], &self.scored[b]);
        if mask.iter().all(|word| *word == 0) {
            return None;
        }
        let alone = |own: &[u64], other: &[u64]| -> Bitmap {
            own.iter()
                .zip(other)
                .zip(&mask)
                .map(|((own, other), is)| own & !other & is)
                .collect()
        };
        let (first, second) = (
            alone(&self.right[a], &self.right[b]),
            alone(&self.right[b], &self.right[a]),
        );
        let discordant = (ClusterBits::ones(&first), ClusterBits::ones(&second));
        let sum = discordant.0 as i64 - discordant.1 as i64;
        let of = &*self.cluster_bits;
        let products = |a: &Bitmap, b: &Bitmap| of.products(0, a, b);
        let squares = match self.is_single {
            true => discordant.0 + discordant.1,
            false => {
                products(&first, &first) + products(&second, &second)
                    - 2 * products(&first, &second)
            }
        };
        // Clusters may be single units for these two models only.
        let is_exact = self.is_single || of.clusters(0, &mask) == ClusterBits::ones(&mask);
        let p = match is_exact {
            true => mcnemar(discordant.0, discordant.1),
            false if squares <= EXACT => {
                flip_test(sum, squares, Some(&of.differences(&first, &second)))
            }
            false => flip_test(sum, squares, None),
        };
        let interval = with_interval.then(|| {
            let sums = Differences {
                d: sum as f64,
                dd: squares as f64,
                n: ClusterBits::ones(&mask) as f64,
                dn: products(&first, &mask) as f64 - products(&second, &mask) as f64,
                nn: products(&mask, &mask) as f64,
            };
            sums.interval(p)
        });
        Some(Tested {
            test: Test { discordant, p },
            is_exact,
            interval: interval.flatten(),
        })
    }
}

impl BoardEngine {
    /// Narrows a selection to the questions that both models were asked.
    pub fn both(&self, (a, b): (usize, usize), chosen: &ItemSelection) -> ItemSelection {
        self.narrowed(&[a, b], chosen).into_owned()
    }

    /// Narrows a selection to the questions that both models are scored on: both were asked, in
    /// data sets that both answer.
    pub fn shared(&self, (a, b): (usize, usize), chosen: &ItemSelection) -> ItemSelection {
        let mut shared = self.both((a, b), chosen);
        let (first, second) = (&self.bitmaps[a].scopes, &self.bitmaps[b].scopes);
        if first != second {
            let scored = |scope: u32| first.contains(&scope) && second.contains(&scope);
            let rows: Vec<bool> = (0..self.sheet.len())
                .map(|row| chosen.holds(row) && scored(self.sheet.scope(row)))
                .collect();
            let plane = self.index.plane(|row| rows[row]);
            shared.plane = and(&shared.plane, &plane);
            shared.rows = Some(Arc::new(rows));
        }
        shared
    }

    /// For each model, the units that it got right. Units are rows.
    pub(super) fn right_by(&self, cluster_bits: &ClusterBits) -> Vec<Bitmap> {
        let wanted = cluster_bits.by_bit(|row| self.sheet.wanted(row as usize), NEVER);
        each(self.models(), |model| match self.sheet.may_decline() {
            // A free-text refusal is right if the refusal option is.
            true => {
                cluster_bits.plane(|row| self.sheet.right(row as usize, model.mark(row as usize)))
            }
            false => cluster_bits.marked(&model.marks, &wanted),
        })
    }

    fn by_cluster(&self) -> &ByCluster {
        self.by_cluster.get_or_init(|| {
            let rows = (0..self.sheet.len()).filter(|row| self.index.holds(*row));
            let cluster_bits =
                ClusterBits::new(1, rows.map(|row| (row as u32, 0, self.cluster(row))));
            let right = self.right_by(&cluster_bits);
            ByCluster {
                cluster_bits,
                right,
            }
        })
    }

    /// The units of a column; `None` if the column has no units that are right or wrong.
    fn units_by_cluster(
        &self,
        models: &[usize],
        column: &BoardColumn,
        chosen: &ItemSelection,
    ) -> Option<Units<'_>> {
        let units = match column.basis(self) {
            Basis::Sums(draw) => self.answers_by_cluster(models, &draw.stacks()?, chosen)?,
            Basis::Units => self.groups_by_cluster(models, column, chosen),
            Basis::Neither(_) => return None,
        };
        let any = units.scored.iter().fold(
            vec![0; units.scored.first().map_or(0, Vec::len)],
            |mut any, own| {
                any.iter_mut().zip(own).for_each(|(any, own)| *any |= own);
                any
            },
        );
        let is_single = units.cluster_bits.segments() == 0
            || units.cluster_bits.clusters(0, &any) == ClusterBits::ones(&any);
        Some(Units { is_single, ..units })
    }

    fn answers_by_cluster(
        &self,
        models: &[usize],
        stacks: &[u32],
        chosen: &ItemSelection,
    ) -> Option<Units<'_>> {
        if stacks
            .iter()
            .any(|at| self.index.strata()[*at as usize].kind == QuestionKind::FreeForm)
        {
            return None;
        }
        let of = self.by_cluster();
        let mut counted = vec![false; self.sheet.len()];
        for at in stacks {
            let rows = self.index.rows(*at as usize, &self.all);
            rows.filter(|row| chosen.holds(*row))
                .for_each(|row| counted[row] = true);
        }
        let all = of.cluster_bits.plane(|row| counted[row as usize]);
        let scored = each(models, |model| {
            let planes = &self.bitmaps[*model];
            let on_all = stacks.iter().all(|at| planes.scored[*at as usize]);
            match on_all && planes.asked.is_none() {
                true => all.clone(),
                false => of.cluster_bits.plane(|row| {
                    let row = row as usize;
                    counted[row]
                        && planes.scored[self.index.stratum_of(row)]
                        && self.models[*model].was_asked(row)
                }),
            }
        });
        let right = models
            .iter()
            .map(|model| Cow::Borrowed(&of.right[*model][..]))
            .collect();
        Some(Units {
            cluster_bits: Cow::Borrowed(&of.cluster_bits),
            scored,
            right,
            is_single: false,
        })
    }

    /// Groups of questions, and questions in every order, by the cluster of their first question.
    fn groups_by_cluster(
        &self,
        models: &[usize],
        column: &BoardColumn,
        chosen: &ItemSelection,
    ) -> Units<'_> {
        let of: Vec<Vec<(u32, bool)>> = each(models, |model| {
            let units = column.units(self, *model, chosen);
            units
                .into_iter()
                .filter_map(|(rows, right)| Some((*rows.first()?, right)))
                .collect()
        });
        let mut firsts: Vec<u32> = of.iter().flatten().map(|(row, _)| *row).collect();
        firsts.sort_unstable();
        firsts.dedup();
        let cluster_bits = ClusterBits::new(
            1,
            firsts
                .into_iter()
                .map(|row| (row, 0, self.cluster(row as usize))),
        );
        let plane = |own: &[(u32, bool)], is: &dyn Fn(bool) -> bool| {
            let mut rows = vec![false; self.sheet.len()];
            own.iter()
                .for_each(|(row, right)| rows[*row as usize] = is(*right));
            cluster_bits.plane(|row| rows[row as usize])
        };
        let scored = of.iter().map(|own| plane(own, &|_| true)).collect();
        let right = of
            .iter()
            .map(|own| Cow::Owned(plane(own, &|right| right)))
            .collect();
        Units {
            cluster_bits: Cow::Owned(cluster_bits),
            scored,
            right,
            is_single: false,
        }
    }

    /// The tests of all pairs of these models in a column, in order, with the smaller index first.
    /// Pairs without a shared unit are left out. Empty if the column has no units that are right or
    /// wrong.
    pub fn tests(
        &self,
        models: &[usize],
        column: &BoardColumn,
        chosen: &ItemSelection,
    ) -> Vec<((usize, usize), Test)> {
        let Some(units) = self.units_by_cluster(models, column, chosen) else {
            return Vec::new();
        };
        let pairs: Vec<(usize, usize)> = pairs(models.len()).collect();
        let tests = each(&pairs, |pair| units.test(*pair, false));
        pairs
            .into_iter()
            .zip(tests)
            .filter_map(|(pair, tested)| Some((pair, tested?.test)))
            .collect()
    }

    /// The test of two models in a column, with the interval of their difference. `None` if there
    /// is no such test, see [`tests`](Self::tests).
    pub fn tested(
        &self,
        (a, b): (usize, usize),
        column: &BoardColumn,
        chosen: &ItemSelection,
    ) -> Option<Tested> {
        self.units_by_cluster(&[a, b], column, chosen)?
            .test((0, 1), true)
    }

    /// The units behind a column by which of two models got them right. `None` if the column has no
    /// units that are right or wrong, or if the models share none.
    pub fn paired(
        &self,
        (a, b): (usize, usize),
        column: &BoardColumn,
        chosen: &ItemSelection,
    ) -> Option<Paired> {
        match column.basis(self) {
            Basis::Units => {}
            Basis::Sums(draw) if !draw.free_form => drop(draw.stacks()?),
            _ => return None,
        }
        let first = |rows: &[u32]| rows.first().copied();
        let other: HashMap<Option<u32>, bool> = column
            .units(self, b, chosen)
            .into_iter()
            .map(|(rows, right)| (first(&rows), right))
            .collect();
        let mut found = Paired::default();
        for (rows, right) in column.units(self, a, chosen) {
            match (right, other.get(&first(&rows))) {
                (_, None) => {}
                (true, Some(true)) => found.both += 1,
                (true, Some(false)) => found.first.push(rows),
                (false, Some(true)) => found.second.push(rows),
                (false, Some(false)) => found.neither += 1,
            }
        }
        let shared = found.both + found.neither + (found.first.len() + found.second.len()) as u64;
        (shared > 0).then_some(found)
    }
}
