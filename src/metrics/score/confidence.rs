//! Confidence intervals for board cells and for differences of two models, from the [cluster
//! bootstrap](super::bootstrap).

use super::basis::Estimate;
use super::column::BoardColumn;
use super::engine::BoardEngine;
use super::item_selection::ItemSelection;
use benchtop_model::Result;
use benchtop_model::agreement::Bootstrap;
use benchtop_model::board::Cell;
use benchtop_model::cancel::Cancel;

impl BoardEngine {
    /// The value of a model's cell.
    pub(super) fn value(
        &self,
        model: usize,
        column: &BoardColumn,
        chosen: &ItemSelection,
    ) -> Option<f64> {
        let board = self.board(chosen);
        board
            .cell(board.rows.get(model)?, &column.head.name)
            .and_then(Cell::value)
    }

    /// A cell with its interval.
    ///
    /// # Errors
    /// [`benchtop_model::ErrorKind::Cancelled`].
    pub fn estimate(
        &self,
        model: usize,
        column: &BoardColumn,
        chosen: &ItemSelection,
        plan: Bootstrap,
        cancel: Cancel<'_>,
    ) -> Result<Estimate> {
        let value = || self.value(model, column, chosen);
        if let Some(own) = column.estimate(self, model, chosen) {
            return Ok(Estimate {
                value: value(),
                ..own
            });
        }
        let again = match self.bootstrap(column, &[(model, chosen)]) {
            Ok(again) => again,
            Err(why) => return Ok(Estimate::without_interval(value(), why)),
        };
        cancel.check()?;
        let value = again.values().first().copied().flatten();
        Ok(again.estimate(value, again.interval(plan)))
    }

    /// The first model's value minus the second's, on the questions that both are scored on. Both
    /// are resampled together, because they answer the same questions.
    ///
    /// # Errors
    /// [`benchtop_model::ErrorKind::Cancelled`].
    pub fn difference(
        &self,
        (a, b): (usize, usize),
        column: &BoardColumn,
        chosen: &ItemSelection,
        plan: Bootstrap,
        cancel: Cancel<'_>,
    ) -> Result<Estimate> {
        let chosen = &self.shared((a, b), chosen);
        let values = || {
            let [a, b] = [a, b].map(|model| self.value(model, column, chosen));
            a.zip(b).map(|(a, b)| a - b)
        };
        if [a, b]
            .iter()
            .any(|model| column.units(self, *model, chosen).is_empty())
        {
            return Ok(Estimate::without_interval(
                None,
                "the two models share no question",
            ));
        }
        if let Some(own) = column.difference(self, (a, b), chosen) {
            return Ok(Estimate {
                value: values(),
                ..own
            });
        }
        let again = match self.bootstrap(column, &[(a, chosen), (b, chosen)]) {
            Ok(again) => again,
            Err(why) => return Ok(Estimate::without_interval(values(), why)),
        };
        cancel.check()?;
        let value = again.difference((0, 1));
        if value.is_none() {
            return Ok(Estimate::without_interval(
                None,
                "the value is undefined on the questions that the two models share",
            ));
        }
        Ok(again.estimate(value, again.difference_interval(plan, (0, 1))))
    }
}
