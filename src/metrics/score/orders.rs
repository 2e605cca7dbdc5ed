//! Evaluations that showed the options in several orders.
//!
//! A model's answers to its shuffles or rotations share one board row. `CircularEval`, the columns
//! over orders, and MM-SAP's cover all orders; all other columns cover the first order only.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::model_answers::ModelAnswers;
use benchtop_model::evaluation;
use benchtop_model::sorting::{sort_by, sort_by_key};

/// Which models are orders of one another.
#[derive(Default)]
pub struct Orders {
    /// For each model with a row, the indices of its orders, its own first.
    families: Vec<Vec<usize>>,
}

impl Orders {
    /// Sorts the models: first those that have a row, by name, then their further option orders.
    pub fn new(models: &mut Vec<Arc<ModelAnswers>>) -> Orders {
        sort_by(models, |a, b| a.model.cmp(&b.model));
        let mut of: BTreeMap<(String, u16), Vec<Arc<ModelAnswers>>> = BTreeMap::new();
        for model in models.drain(..) {
            let orders = model.asked.as_ref().filter(|asked| asked.order > 0);
            // Run names are unique, so a file without an order is a family of its own.
            let key = orders.map_or((model.model.clone(), 0), |asked| (asked.base.clone(), 1));
            of.entry(key).or_default().push(model);
        }
        let mut families: Vec<Vec<Arc<ModelAnswers>>> = of.into_values().collect();
        for family in &mut families {
            sort_by_key(family, |model| {
                model.asked.as_ref().map_or(0, |asked| asked.order)
            });
        }
        sort_by(&mut families, |a, b| a[0].model.cmp(&b[0].model));
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
        Orders { families: places }
    }

    /// Number of models that have a row.
    pub fn rows(&self) -> usize {
        self.families.len()
    }

    /// The indices of a model's orders, its own first. `None` if there is only one.
    pub fn family(&self, model: usize) -> Option<&[usize]> {
        self.families
            .get(model)
            .map(Vec::as_slice)
            .filter(|family| family.len() > 1)
    }

    /// The indices of a model's orders, or only its own.
    pub fn all_of(&self, model: usize) -> Vec<usize> {
        self.family(model)
            .map_or_else(|| vec![model], <[usize]>::to_vec)
    }

    /// The models with several orders, each as the indices of its orders.
    pub fn several(&self) -> impl Iterator<Item = &[usize]> {
        (0..self.rows()).filter_map(|model| self.family(model))
    }
}

/// Whether an evaluation asked every rotation of the options.
pub fn is_circular(model: &ModelAnswers) -> bool {
    model
        .asked
        .as_ref()
        .is_some_and(|asked| asked.orders == evaluation::OptionOrders::Circular)
}
