//! Dysca's sensitivity to styles, with and without sampling noise.

use std::collections::HashSet;
use std::sync::Arc;

use crate::dysca::{self, StyleSums, sc_estimate, sc_interval};
use crate::score::bitmap_index::{Bitmap, and, each};
use crate::score::cluster_bits::ClusterBits;
use crate::score::column::{
    Basis, BoardEngine, BoardScores, Cell, Column, Columns, Data, Estimate, Head, ItemSelection,
    Metric, ModelScores, Scale,
};
use crate::score::tallies::tallies;
use crate::tally::Tally;
use benchtop_model::agreement::Interval;
use benchtop_model::board::analysis::ScEstimate;

pub const METRIC: Metric = Metric {
    reference: &[
        [
            "`SC`",
            "variance of the styles' accuracies, over the styles that exist (at least two), in squared points; mostly sampling noise if styles have few questions",
            "Dysca eq. 2",
        ],
        [
            "`SC.corrected`, `SC.noise`, `SC.p`",
            "SC without the sampling noise; the average SC if all styles were equal; the probability that equal styles would differ as much",
            "see [SC and sampling noise](#sc-and-sampling-noise)",
        ],
    ],
    columns,
};

const NO_NOISE: &str = "the sampling noise cannot be estimated; this needs two styles, one of them with two clusters, and both right and wrong answers";

/// A value of SC.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    /// SC as equation 2 is printed.
    Printed,
    /// SC without the sampling noise.
    Corrected,
    /// The SC that equal styles would show on average.
    Noise,
    /// The probability that equal styles show an SC at least this large.
    P,
}

struct Sc(Part);

/// The estimates of the models that have a row.
struct Estimates(Vec<Option<ScEstimate>>);

/// The estimates on a selection. Those on all questions never change, so the engine keeps them.
fn estimates(board: &BoardScores<'_>) -> Arc<Estimates> {
    let make = || {
        let models: Vec<usize> = (0..board.engine.models().len()).collect();
        let sums = style_sums(board.engine, &models, board.chosen);
        Estimates(each(&sums, |sums| sc_estimate(sums)))
    };
    match board.chosen.is_all() {
        true => board.engine.memo.get(make),
        false => board.memo.get(make),
    }
}

impl Column for Sc {
    fn prepare(&self, board: &BoardScores<'_>) {
        estimates(board);
    }

    fn cell(&self, of: &ModelScores<'_>) -> Option<Cell> {
        let tallies = tallies(of);
        let sc = || estimates(of.board).0.get(of.model).copied().flatten();
        let value = match self.0 {
            Part::Printed => {
                let percent = |(k, n): &(u64, u64)| Tally::of(*k, *n).percent();
                let names = of.engine.strata.styles.iter().cloned();
                let of: Vec<_> = names.zip(tallies.styles.iter().map(percent)).collect();
                dysca::sc(&of).value.value?
            }
            Part::Corrected => sc()?.corrected,
            Part::Noise => sc()?.noise,
            Part::P => sc()?.p,
        };
        let n = tallies.styled();
        Some(Cell::Number { value, n })
    }

    fn basis(&self, _: &BoardEngine) -> Basis {
        Basis::Neither("resampling would add sampling noise to the variance a second time")
    }

    fn rows(&self, engine: &BoardEngine, _: usize, asked: &ItemSelection) -> Vec<u32> {
        engine.rows_of(|stack| engine.strata.style_of(stack).is_some(), asked)
    }

    /// The interval is that of the true SC (the variance of the styles' true accuracies), also next
    /// to the printed SC.
    fn estimate(
        &self,
        engine: &BoardEngine,
        model: usize,
        chosen: &ItemSelection,
    ) -> Option<Estimate> {
        let sums = style_sums(engine, &[model], chosen).pop()?;
        let sc = sc_estimate(&sums);
        let interval = match self.0 {
            Part::Printed | Part::Corrected => sc_interval(&sums).ok_or(NO_NOISE),
            Part::Noise | Part::P => Err("the column describes chance, not the styles"),
        };
        let styled = |row: &usize| {
            engine.index.holds(*row)
                && engine
                    .strata
                    .style_of(engine.index.stratum_of(*row))
                    .is_some()
        };
        let first = (0..engine.sheet.len()).find(styled);
        Some(Estimate {
            value: None,
            interval,
            clusters: sc.map_or(0, |sc| sc.clusters),
            cluster: first.map_or("question", |row| engine.cluster(row).0),
            sc,
        })
    }

    /// The interval combines both intervals as if they were independent (Zou and Donner, Statistics
    /// in Medicine 27 (2008)). Both models answer the same questions, so it is too wide rather than
    /// too narrow.
    fn difference(
        &self,
        engine: &BoardEngine,
        (a, b): (usize, usize),
        chosen: &ItemSelection,
    ) -> Option<Estimate> {
        if !matches!(self.0, Part::Printed | Part::Corrected) {
            return None;
        }
        let (a, b) = (
            self.estimate(engine, a, chosen)?,
            self.estimate(engine, b, chosen)?,
        );
        let both = a.interval.and_then(|a| b.interval.map(|b| (a, b)));
        let interval = match (both, a.sc.zip(b.sc)) {
            (Ok((first, second)), Some((x, y))) => {
                let (x, y) = (
                    x.corrected.clamp(first.low, first.high),
                    y.corrected.clamp(second.low, second.high),
                );
                Ok(Interval {
                    low: x - y - (x - first.low).hypot(second.high - y),
                    high: x - y + (first.high - x).hypot(y - second.low),
                    standard_error: first.standard_error.hypot(second.standard_error),
                    draws: 0,
                })
            }
            (Err(why), _) => Err(why),
            _ => Err(NO_NOISE),
        };
        Some(Estimate {
            value: None,
            interval,
            clusters: a.clusters,
            cluster: a.cluster,
            sc: None,
        })
    }
}

fn columns(data: &Data<'_>, found: &mut Columns) {
    if data.strata.styles.len() < 2 {
        return;
    }
    let mut add = |name, scale, part, help| {
        let mut head = Head::new(name, "SC", help, scale);
        head.describes = part == Part::Noise;
        found.add(head, Sc(part));
    };
    let help = "sensitivity to styles: the variance of the accuracies over styles (Dysca, equation 2), including sampling noise";
    add("SC", Scale::Squared, Part::Printed, help);
    let help = "SC without sampling noise: an unbiased estimate of the variance of the true accuracies; shown as 0 if styles differ less than by noise alone";
    add("SC.corrected", Scale::Squared, Part::Corrected, help);
    let help =
        "the average SC if all styles were equal (style labels assigned to pictures at random)";
    add("SC.noise", Scale::Squared, Part::Noise, help);
    let help = "probability that equal styles differ at least this much (style labels assigned to pictures at random)";
    add("SC.p", Scale::P, Part::P, help);
}

/// The questions of styles by cluster, and which of them each model got right.
struct ByStyle {
    cluster_bits: ClusterBits,
    all: Bitmap,
    right: Vec<Bitmap>,
}

impl ByStyle {
    fn new(engine: &BoardEngine) -> ByStyle {
        let mut style = vec![None; engine.sheet.len()];
        for at in 0..engine.index.strata().len() {
            if let Some(own) = engine.strata.style_of(at) {
                let rows = engine.index.rows(at, &engine.all);
                rows.for_each(|row| style[row] = Some(own));
            }
        }
        let of = style.into_iter().enumerate();
        let of = of.filter_map(|(row, style)| Some((row as u32, style?, engine.cluster(row))));
        let cluster_bits = ClusterBits::new(engine.strata.styles.len(), of);
        ByStyle {
            all: cluster_bits.plane(|_| true),
            right: engine.right_by(&cluster_bits),
            cluster_bits,
        }
    }

    /// The selected questions, limited to these scopes if some are given.
    fn questions(
        &self,
        engine: &BoardEngine,
        chosen: &ItemSelection,
        scopes: Option<&HashSet<u32>>,
    ) -> Questions {
        let bits = &self.cluster_bits;
        let is_scored =
            |row: usize| scopes.is_none_or(|scopes| scopes.contains(&engine.sheet.scope(row)));
        let plane = match chosen.is_all() && scopes.is_none() {
            true => self.all.clone(),
            false => bits.plane(|row| chosen.holds(row as usize) && is_scored(row as usize)),
        };
        let n = |at| {
            [
                bits.count(at, &plane),
                bits.clusters(at, &plane),
                bits.squares(at, &plane),
            ]
        };
        let n = (0..bits.segments()).map(n).collect();
        Questions { plane, n }
    }
}

/// Questions that count. For each style: their number, the number of clusters, and the sum of the
/// squared cluster sizes.
struct Questions {
    plane: Bitmap,
    n: Vec<[u64; 3]>,
}

/// For each of these models, the sums of every style on questions that it is scored on.
fn style_sums(
    engine: &BoardEngine,
    models: &[usize],
    chosen: &ItemSelection,
) -> Vec<Vec<StyleSums>> {
    let of: &ByStyle = &engine.memo.get(|| ByStyle::new(engine));
    let shared = of.questions(engine, chosen, None);
    let sums = |model: &usize| {
        let planes = &engine.bitmaps[*model];
        let mut scored = planes.scored.iter().enumerate();
        let scored_on_all = scored.all(|(at, is)| *is || engine.strata.style_of(at).is_none());
        let own;
        let questions = match planes.asked.is_none() && scored_on_all {
            true => &shared,
            false => {
                let asked = engine.narrowed(&[*model], chosen);
                own = of.questions(engine, &asked, Some(&planes.scopes));
                &own
            }
        };
        let right = and(&of.right[*model], &questions.plane);
        let bits = &of.cluster_bits;
        let style = |(at, [n, clusters, n_squared]): (usize, &[u64; 3])| StyleSums {
            right: bits.count(at, &right) as f64,
            n: *n as f64,
            clusters: *clusters as f64,
            right_squared: bits.squares(at, &right) as f64,
            right_n: bits.products(at, &right, &questions.plane) as f64,
            n_squared: *n_squared as f64,
        };
        questions.n.iter().enumerate().map(style).collect()
    };
    each(models, sums)
}
