//! Confidence intervals for board cells and for differences of two models, from the [cluster
//! bootstrap](super::bootstrap).

use super::accuracy_columns::Sc;
use super::engine::BoardEngine;
use super::item_selection::ItemSelection;
use crate::dysca::{sc_estimate, sc_interval};
use benchtop_model::Result;
use benchtop_model::agreement::{Bootstrap, Interval};
use benchtop_model::board::Cell;
use benchtop_model::board::analysis::ScEstimate;
use benchtop_model::cancel::Cancel;

/// An estimate with its confidence interval.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimate {
    /// The value in the unit of the column's cells. `None` if it is undefined.
    pub value: Option<f64>,
    /// The 95 % interval, or the reason why there is none.
    pub interval: std::result::Result<Interval, &'static str>,
    /// Number of resampled clusters.
    pub clusters: u64,
    /// The kind of cluster: `image pair`, `image`, or `question`.
    pub cluster: &'static str,
    /// SC without sampling noise, for the SC columns.
    pub sc: Option<ScEstimate>,
}

const NO_NOISE: &str = "the sampling noise cannot be estimated; this needs two styles, one of them with two clusters, and both right and wrong answers";

impl Estimate {
    /// An estimate without an interval, with the reason.
    fn without_interval(value: Option<f64>, reason: &'static str) -> Estimate {
        Estimate {
            value,
            interval: Err(reason),
            clusters: 0,
            cluster: "question",
            sc: None,
        }
    }
}

impl BoardEngine {
    /// The value of a column that cannot be resampled, because it is computed from more than right
    /// and wrong answers.
    fn value_without_interval(
        &self,
        model: usize,
        column: usize,
        chosen: &ItemSelection,
    ) -> Option<f64> {
        if self.sc_value(column).is_some() {
            let board = self.board(chosen);
            return board
                .rows
                .get(model)
                .and_then(|row| row.cells.get(column).copied().flatten()?.value());
        }
        let at = column.checked_sub(self.measures.len() + self.accuracy_columns.columns.len())?;
        let own = self.narrowed(&[model], chosen);
        let mut cells = self.special_cells(model, &own);
        cells.extend(self.order_cells(model, &own));
        cells.get(at).copied().flatten().and_then(Cell::value)
    }

    /// A cell with its interval.
    ///
    /// # Errors
    /// [`benchtop_model::ErrorKind::Cancelled`].
    pub fn estimate(
        &self,
        model: usize,
        column: usize,
        chosen: &ItemSelection,
        plan: Bootstrap,
        cancel: Cancel<'_>,
    ) -> Result<Estimate> {
        if let Some(what) = self.sc_value(column) {
            return Ok(self.sc_estimate_of_cell((model, column, what), chosen));
        }
        let again = match self.bootstrap(column, &[(model, chosen)]) {
            Ok(again) => again,
            Err(why) => {
                return Ok(Estimate::without_interval(
                    self.value_without_interval(model, column, chosen),
                    why,
                ));
            }
        };
        cancel.check()?;
        let interval = again.interval(plan);
        let value = again.values().first().copied().flatten();
        Ok(Estimate {
            value,
            interval,
            clusters: again.clusters(),
            cluster: again.cluster(),
            sc: None,
        })
    }

    /// Which SC value a column shows.
    fn sc_value(&self, column: usize) -> Option<Sc> {
        column
            .checked_sub(self.measures.len())
            .and_then(|plain| self.accuracy_columns.sc_value(plain))
    }

    /// An SC cell. Its interval is that of the true SC (the variance of the styles' true
    /// accuracies), also next to the printed SC.
    fn sc_estimate_of_cell(
        &self,
        (model, column, what): (usize, usize, Sc),
        chosen: &ItemSelection,
    ) -> Estimate {
        let sums = self.style_sums(&[model], chosen).pop().unwrap_or_default();
        let sc = sc_estimate(&sums);
        let interval = match what {
            Sc::Printed | Sc::Corrected => sc_interval(&sums).ok_or(NO_NOISE),
            Sc::Noise | Sc::P => Err("the column describes chance, not the styles"),
        };
        let row = |row: &usize| {
            self.index.holds(*row)
                && self
                    .accuracy_columns
                    .style_of(self.index.stratum_of(*row))
                    .is_some()
        };
        let cluster = (0..self.sheet.len())
            .find(row)
            .map_or("question", |row| self.cluster(row).0);
        let value = self
            .board(chosen)
            .rows
            .get(model)
            .and_then(|row| row.cells.get(column).copied().flatten()?.value());
        Estimate {
            value,
            interval,
            clusters: sc.map_or(0, |sc| sc.clusters),
            cluster,
            sc,
        }
    }

    /// The difference in SC of two models. The interval combines both intervals as if they were
    /// independent (Zou and Donner, Statistics in Medicine 27 (2008)). Both models answer the same
    /// questions, so it is too wide rather than too narrow.
    fn difference_of_sc(
        &self,
        (a, b): (usize, usize),
        column: usize,
        chosen: &ItemSelection,
    ) -> Estimate {
        let [a, b] =
            [a, b].map(|model| self.sc_estimate_of_cell((model, column, Sc::Printed), chosen));
        let value = a.value.zip(b.value).map(|(a, b)| a - b);
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
        Estimate {
            value,
            interval,
            clusters: a.clusters,
            cluster: a.cluster,
            sc: None,
        }
    }

    /// The first model's value minus the second's, on the questions that both are scored on. Both
    /// are resampled together, because they answer the same questions.
    ///
    /// # Errors
    /// [`benchtop_model::ErrorKind::Cancelled`].
    pub fn difference(
        &self,
        (a, b): (usize, usize),
        column: usize,
        chosen: &ItemSelection,
        plan: Bootstrap,
        cancel: Cancel<'_>,
    ) -> Result<Estimate> {
        let chosen = &self.shared((a, b), chosen);
        if self.units_behind(a, column, chosen).1.is_empty()
            || self.units_behind(b, column, chosen).1.is_empty()
        {
            return Ok(Estimate::without_interval(
                None,
                "the two models share no question",
            ));
        }
        if matches!(self.sc_value(column), Some(Sc::Printed | Sc::Corrected)) {
            return Ok(self.difference_of_sc((a, b), column, chosen));
        }
        let again = match self.bootstrap(column, &[(a, chosen), (b, chosen)]) {
            Ok(again) => again,
            Err(why) => {
                let of = |model| self.value_without_interval(model, column, chosen);
                return Ok(Estimate::without_interval(
                    of(a).zip(of(b)).map(|(a, b)| a - b),
                    why,
                ));
            }
        };
        cancel.check()?;
        let value = again.difference((0, 1));
        if value.is_none() {
            return Ok(Estimate::without_interval(
                None,
                "the value is undefined on the questions that the two models share",
            ));
        }
        let interval = again.difference_interval(plan, (0, 1));
        Ok(Estimate {
            value,
            interval,
            clusters: again.clusters(),
            cluster: again.cluster(),
            sc: None,
        })
    }
}
