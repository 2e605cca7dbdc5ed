//! How sure a cell is, and how sure the difference of two models is: what [`again`](super::bootstrap) draws, for a reader.

use super::accuracy_columns::Sc;
use super::{BoardEngine, ItemSelection};
use crate::dysca::{sc_estimate, sc_interval};
use benchtop_model::agreement::{Bootstrap, Interval};
use benchtop_model::board::Cell;
use benchtop_model::board::analysis::ScEstimate;
use benchtop_model::{Error, ErrorKind, Result};

/// A number that was drawn again.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimate {
    /// The number itself, in the unit of the column's cells; none where it is not defined.
    pub value: Option<f64>,
    /// Its 95 % interval, or in words why there is none.
    pub interval: std::result::Result<Interval, &'static str>,
    /// Clusters that were drawn from.
    pub clusters: u64,
    /// What a cluster is: `image pair`, `image` or `question`.
    pub cluster: &'static str,
    /// What of SC is not sampling noise, for the columns of SC.
    pub sc: Option<ScEstimate>,
}

const NO_NOISE: &str = "its sampling noise cannot be estimated: that needs two styles, two clusters in one, and right and wrong answers";

/// Who waits for it.
pub type Wanted<'a> = &'a dyn Fn() -> bool;

fn cancelled() -> Error {
    Error::new(ErrorKind::Cancelled, "nobody waits for it any more")
}

impl Estimate {
    /// A number that is not drawn again, and why.
    fn not(value: Option<f64>, why: &'static str) -> Estimate {
        Estimate {
            value,
            interval: Err(why),
            clusters: 0,
            cluster: "question",
            sc: None,
        }
    }
}

impl BoardEngine {
    /// The number of a column that is not drawn again: of those that follow from more than whether answers are right.
    fn undrawn(&self, model: usize, column: usize, chosen: &ItemSelection) -> Option<f64> {
        if self.of_sc(column).is_some() {
            let board = self.board(chosen);
            return board
                .rows
                .get(model)
                .and_then(|row| row.cells.get(column).copied().flatten()?.value());
        }
        let at = column.checked_sub(self.measures.len() + self.plain.columns.len())?;
        let own = self.own(&[model], chosen);
        let mut cells = self.special_cells(model, &own);
        cells.extend(self.order_cells(model, &own));
        cells.get(at).copied().flatten().and_then(Cell::value)
    }

    /// A cell with its interval.
    ///
    /// # Errors
    /// [`ErrorKind::Cancelled`] when nobody waits for it any more.
    pub fn sure(
        &self,
        model: usize,
        column: usize,
        chosen: &ItemSelection,
        plan: Bootstrap,
        wanted: Wanted<'_>,
    ) -> Result<Estimate> {
        if let Some(what) = self.of_sc(column) {
            return Ok(self.sure_of_sc((model, column, what), chosen));
        }
        let again = match self.again(column, &[(model, chosen)]) {
            Ok(again) => again,
            Err(why) => return Ok(Estimate::not(self.undrawn(model, column, chosen), why)),
        };
        if !wanted() {
            return Err(cancelled());
        }
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

    /// What of SC a column tells.
    fn of_sc(&self, column: usize) -> Option<Sc> {
        column
            .checked_sub(self.measures.len())
            .and_then(|plain| self.plain.of_sc(plain))
    }

    /// A cell of SC: its interval is that of the true SC, the variance of the styles' true accuracies, also beside the printed one.
    fn sure_of_sc(
        &self,
        (model, column, what): (usize, usize, Sc),
        chosen: &ItemSelection,
    ) -> Estimate {
        let sums = self.style_sums(&[model], chosen).pop().unwrap_or_default();
        let sc = sc_estimate(&sums);
        let interval = match what {
            Sc::Printed | Sc::Corrected => sc_interval(&sums).ok_or(NO_NOISE),
            Sc::Noise | Sc::P => {
                Err("it says what chance does, and nothing of the styles themselves")
            }
        };
        let row = |row: &usize| {
            self.cube.holds(*row) && self.plain.style_of(self.cube.stack_of(*row)).is_some()
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

    /// The difference of two models in SC with its interval: from the intervals of both, taken as independent (Zou and Donner, Statistics in
    /// Medicine 27 (2008)), which is too wide rather than too narrow since both answer the same questions.
    fn difference_of_sc(
        &self,
        (a, b): (usize, usize),
        column: usize,
        chosen: &ItemSelection,
    ) -> Estimate {
        let [a, b] = [a, b].map(|model| self.sure_of_sc((model, column, Sc::Printed), chosen));
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

    /// The first model's number less the second's on the questions that both are scored on, with the interval of the difference: both are
    /// drawn together, since they answer the same questions.
    ///
    /// # Errors
    /// [`ErrorKind::Cancelled`] when nobody waits for it any more.
    pub fn difference(
        &self,
        (a, b): (usize, usize),
        column: usize,
        chosen: &ItemSelection,
        plan: Bootstrap,
        wanted: Wanted<'_>,
    ) -> Result<Estimate> {
        let chosen = &self.shared((a, b), chosen);
        if self.behind(a, column, chosen).1.is_empty()
            || self.behind(b, column, chosen).1.is_empty()
        {
            return Ok(Estimate::not(
                None,
                "the two models have no question in common",
            ));
        }
        if matches!(self.of_sc(column), Some(Sc::Printed | Sc::Corrected)) {
            return Ok(self.difference_of_sc((a, b), column, chosen));
        }
        let again = match self.again(column, &[(a, chosen), (b, chosen)]) {
            Ok(again) => again,
            Err(why) => {
                let of = |model| self.undrawn(model, column, chosen);
                return Ok(Estimate::not(of(a).zip(of(b)).map(|(a, b)| a - b), why));
            }
        };
        if !wanted() {
            return Err(cancelled());
        }
        let value = again.apart((0, 1));
        if value.is_none() {
            return Ok(Estimate::not(
                None,
                "the questions that the two models have in common give no number",
            ));
        }
        let interval = again.apart_interval(plan, (0, 1));
        Ok(Estimate {
            value,
            interval,
            clusters: again.clusters(),
            cluster: again.cluster(),
            sc: None,
        })
    }
}
