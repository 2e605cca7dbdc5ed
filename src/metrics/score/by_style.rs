//! The sums behind SC: answers by style, and within a style by the pictures that questions share.

use std::borrow::Cow;
use std::collections::HashSet;

use super::bitmap_index::{Bitmap, each};
use super::cluster_bits::ClusterBits;
use super::engine::BoardEngine;
use super::item_selection::ItemSelection;
use super::model_bitmaps::{Bitmaps, ByStyle};
use crate::dysca::{StyleSums, sc_estimate};
use benchtop_model::board::analysis::ScEstimate;

/// Questions that count. For each style: their number, the number of clusters, and the sum of the
/// squared cluster sizes.
#[derive(Clone)]
struct Questions {
    plane: Bitmap,
    n: Vec<[u64; 3]>,
}

impl BoardEngine {
    fn by_style(&self) -> &ByStyle {
        self.by_style.get_or_init(|| {
            let mut style = vec![None; self.sheet.len()];
            for at in 0..self.index.strata().len() {
                if let Some(own) = self.accuracy_columns.style_of(at) {
                    self.index
                        .rows(at, &self.all)
                        .for_each(|row| style[row] = Some(own as u32));
                }
            }
            let of = style.into_iter().enumerate().filter_map(|(row, style)| {
                let style = style? as usize;
                Some((row as u32, style, self.cluster(row)))
            });
            let cluster_bits = ClusterBits::new(self.accuracy_columns.styles(), of);
            let right = self.right_by(&cluster_bits);
            ByStyle {
                all: cluster_bits.plane(|_| true),
                cluster_bits,
                right,
            }
        })
    }

    /// SC of every model that has a row. The result for all questions is cached, because it never
    /// changes.
    pub(super) fn sc_estimates(&self, chosen: &ItemSelection) -> Cow<'_, [Option<ScEstimate>]> {
        let made = || {
            let models: Vec<usize> = (0..self.models().len()).collect();
            each(&self.style_sums(&models, chosen), |sums| sc_estimate(sums))
        };
        match chosen.is_all() {
            true => Cow::Borrowed(self.sc_of_all.get_or_init(made)),
            false => Cow::Owned(made()),
        }
    }

    /// For each of these models, the sums of every style on questions that it is scored on. Empty
    /// if there are fewer than two styles.
    pub(super) fn style_sums(
        &self,
        models: &[usize],
        chosen: &ItemSelection,
    ) -> Vec<Vec<StyleSums>> {
        if self.accuracy_columns.styles() < 2 {
            return vec![Vec::new(); models.len()];
        }
        let of = self.by_style();
        let shared = self.questions(of, chosen, None);
        let sums = |model: &usize| {
            let Bitmaps {
                asked,
                scored,
                scopes,
                ..
            } = &self.bitmaps[*model];
            let scored_on_all = (0..scored.len())
                .all(|at| scored[at] || self.accuracy_columns.style_of(at).is_none());
            let questions = match asked.is_none() && scored_on_all {
                true => Cow::Borrowed(&shared),
                false => {
                    let own = self.narrowed(&[*model], chosen);
                    Cow::Owned(self.questions(of, &own, Some(scopes)))
                }
            };
            let right: Bitmap = of.right[*model]
                .iter()
                .zip(&questions.plane)
                .map(|(right, is)| right & is)
                .collect();
            let style = |(at, [n, clusters, n_squared]): (usize, &[u64; 3])| StyleSums {
                right: of.cluster_bits.count(at, &right) as f64,
                n: *n as f64,
                clusters: *clusters as f64,
                right_squared: of.cluster_bits.squares(at, &right) as f64,
                right_n: of.cluster_bits.products(at, &right, &questions.plane) as f64,
                n_squared: *n_squared as f64,
            };
            questions.n.iter().enumerate().map(style).collect()
        };
        each(models, sums)
    }

    /// The selected questions, limited to these scopes if some are given.
    fn questions(
        &self,
        of: &ByStyle,
        chosen: &ItemSelection,
        scopes: Option<&HashSet<u32>>,
    ) -> Questions {
        let is_scored =
            |row: usize| scopes.is_none_or(|scopes| scopes.contains(&self.sheet.scope(row)));
        let plane = match chosen.is_all() && scopes.is_none() {
            true => of.all.clone(),
            false => of
                .cluster_bits
                .plane(|row| chosen.holds(row as usize) && is_scored(row as usize)),
        };
        let n = |at| {
            [
                of.cluster_bits.count(at, &plane),
                of.cluster_bits.clusters(at, &plane),
                of.cluster_bits.squares(at, &plane),
            ]
        };
        let n = (0..of.cluster_bits.segments()).map(n).collect();
        Questions { plane, n }
    }
}
