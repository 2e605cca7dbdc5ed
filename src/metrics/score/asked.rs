//! What evaluations asked models: orders of the options, and some of the questions.

use std::sync::Arc;

use super::engine::BoardEngine;
use super::item_selection::ItemSelection;
use super::model_answers::ModelAnswers;
use super::orders::is_circular;
use benchtop_model::evaluation;

impl BoardEngine {
    /// The models that have a row, then their further option orders, each with its own answers.
    pub fn all_models(&self) -> &[Arc<ModelAnswers>] {
        &self.models
    }

    /// Number of option orders in which an evaluation asked a model.
    pub fn orders_of(&self, model: usize) -> usize {
        self.orders.family(model).map_or(1, <[usize]>::len)
    }

    /// The name of a model's option order, such as `rotation 2`. `None` if it has only one order.
    pub fn order_name(&self, model: usize) -> Option<String> {
        let asked = self
            .models
            .get(model)?
            .asked
            .as_ref()
            .filter(|asked| asked.order > 0)?;
        let what = if is_circular(&self.models[model]) {
            "rotation"
        } else {
            "shuffle"
        };
        Some(format!("{what} {}", asked.order))
    }

    /// A model's shuffles, if it has several: the number and the answers of each.
    pub(super) fn shuffles(&self, model: usize) -> Option<Vec<(u32, &ModelAnswers)>> {
        let family = self.orders.family(model)?;
        let order = |at: &usize| {
            let model = &self.models[*at];
            let asked = model
                .asked
                .as_ref()
                .filter(|a| matches!(a.orders, evaluation::OptionOrders::Shuffles(_)))?;
            Some((u32::from(asked.order), &**model))
        };
        family.iter().map(order).collect()
    }

    /// How many of the selected questions in the model's data sets it was asked, and how many there
    /// are. `None` if it was asked all.
    pub fn asked_of(&self, model: usize, chosen: &ItemSelection) -> Option<(u64, u64)> {
        self.bitmaps.get(model)?.asked.as_ref()?;
        let scopes = &self.bitmaps[model].scopes;
        let of = |row: &usize| {
            (self.index.holds(*row) || self.sheet.graded(*row))
                && scopes.contains(&self.sheet.scope(*row))
        };
        let rows = (0..self.sheet.len())
            .filter(|row| chosen.holds(*row))
            .filter(of);
        let (mut asked, mut all) = (0, 0);
        rows.for_each(|row| {
            all += 1;
            asked += u64::from(self.models[model].was_asked(row));
        });
        (asked < all).then_some((asked, all))
    }
}
