//! The columns of evaluations that showed the options in several orders.
//!
//! A model's answers to its shuffles or rotations share one board row. The columns here and
//! MM-SAP's cover all orders; all other columns cover the first order only.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::model_answers::ModelAnswers;
use super::question_table::QuestionTable;
use benchtop_model::board::{Column, Scale};
use benchtop_model::evaluation;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    /// The mean accuracy over the orders.
    Mean,
    /// The standard deviation of the accuracy over the orders.
    Spread,
    /// Right in every rotation.
    Circular,
}

/// Which models are orders of one another, and their columns.
#[derive(Default)]
pub struct Orders {
    pub columns: Vec<Column>,
    pub(super) sources: Vec<Source>,
    /// For each model with a row, the indices of its orders, its own first.
    pub(super) families: Vec<Vec<usize>>,
    /// The accuracy column whose mean over orders is taken.
    pub(super) accuracy: Option<usize>,
}

impl Orders {
    /// Sorts the models: first those that have a row, by name, then their further option orders.
    pub fn new(models: &mut Vec<Arc<ModelAnswers>>) -> Orders {
        models.sort_by(|a, b| a.model.cmp(&b.model));
        let mut of: BTreeMap<(String, u16), Vec<Arc<ModelAnswers>>> = BTreeMap::new();
        for model in models.drain(..) {
            let orders = model.asked.as_ref().filter(|asked| asked.order > 0);
            // Run names are unique, so a file without an order is a family of its own.
            let key = orders.map_or((model.model.clone(), 0), |asked| (asked.base.clone(), 1));
            of.entry(key).or_default().push(model);
        }
        let mut families: Vec<Vec<Arc<ModelAnswers>>> = of.into_values().collect();
        for family in &mut families {
            family.sort_by_key(|model| model.asked.as_ref().map_or(0, |asked| asked.order));
        }
        families.sort_by(|a, b| a[0].model.cmp(&b[0].model));
        let mut places = Vec::with_capacity(families.len());
        let mut next = families.len();
        for (at, family) in families.iter().enumerate() {
            places.push(
                std::iter::once(at)
                    .chain(next..next + family.len() - 1)
                    .collect(),
            );
            next += family.len() - 1;
        }
        let further = families
            .iter()
            .flat_map(|family| &family[1..])
            .cloned()
            .collect::<Vec<_>>();
        models.extend(
            families
                .iter()
                .map(|family| family[0].clone())
                .chain(further),
        );
        Orders {
            families: places,
            ..Orders::default()
        }
    }

    /// Adds the columns for these models. `accuracy` is the column of overall accuracy.
    pub fn name_columns(&mut self, models: &[Arc<ModelAnswers>], accuracy: Option<usize>) {
        self.accuracy = accuracy;
        let several = || self.families.iter().filter(|family| family.len() > 1);
        let mut found = Vec::new();
        if several().any(|family| is_circular(&models[family[0]])) {
            let help = "CircularEval over the rotations that an evaluation asked: a question is right if all rotations are right";
            found.push((
                Source::Circular,
                Column::share("CircularEval", "Circular", help),
            ));
        }
        if accuracy.is_some() && several().next().is_some() {
            let help = "mean accuracy over the option orders of an evaluation, on questions asked in every order";
            found.push((
                Source::Mean,
                Column::share("Acc.orders", "over orders", help),
            ));
            let help =
                "population standard deviation of the accuracy over the option orders, in points";
            let spread = Column {
                scale: Scale::Spread,
                ..Column::share("Acc.orders.sd", "over orders", help)
            };
            found.push((Source::Spread, spread));
        }
        (self.sources, self.columns) = found.into_iter().unzip();
    }

    /// Number of models that have a row.
    pub fn rows(&self) -> usize {
        self.families.len()
    }

    /// The indices of a model's orders, its own first. `None` if there is only one.
    pub(super) fn family(&self, model: usize) -> Option<&[usize]> {
        self.families
            .get(model)
            .map(Vec::as_slice)
            .filter(|family| family.len() > 1)
    }
}

pub(super) fn is_circular(model: &ModelAnswers) -> bool {
    model
        .asked
        .as_ref()
        .is_some_and(|asked| asked.orders == evaluation::OptionOrders::Circular)
}

/// Number of rotations of a question's options; 0 without options.
pub(super) fn rotations(sheet: &QuestionTable, row: usize) -> usize {
    sheet.options.get(row).copied().map_or(0, usize::from)
}
