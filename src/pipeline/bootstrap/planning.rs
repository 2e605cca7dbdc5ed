//! Which items get variants.

use std::collections::BTreeMap;

use benchtop_metrics::score::is_base;
use benchtop_metrics::vlb::Strategy;
use benchtop_model::bootstrap::{BootstrapPlan, StartedBootstrap};
use benchtop_model::{Item, Result};
use benchtop_store::jobs::StepSource;

use super::products::Products;

/// Finds an item of the project by its id.
pub type Find<'f> = dyn Fn(&str) -> Result<Option<Item>> + 'f;

/// A plan in the making. It sees the items in the order of their numbers.
pub struct Planner<'p> {
    plan: &'p BootstrapPlan,
    products: &'p Products,
    find: &'p Find<'p>,
    excluded: BTreeMap<String, u64>,
    sources: Vec<StepSource>,
    already: u64,
}

impl<'p> Planner<'p> {
    pub fn new(plan: &'p BootstrapPlan, products: &'p Products, find: &'p Find<'p>) -> Planner<'p> {
        Planner {
            plan,
            products,
            find,
            excluded: BTreeMap::new(),
            sources: Vec::new(),
            already: 0,
        }
    }

    /// Adds an item with its pictures located, or counts why not.
    ///
    /// # Errors
    /// Errors of reading an item that was derived before.
    pub fn see(&mut self, number: u32, item: &Item) -> Result<()> {
        if let Some(why) = self.excludes(item)? {
            *self.excluded.entry(why).or_default() += 1;
            return Ok(());
        }
        self.sources.push(StepSource {
            number,
            digest: item.digest(),
        });
        Ok(())
    }

    fn excludes(&mut self, item: &Item) -> Result<Option<String>> {
        let variant = item.variant.as_ref().map_or("", |variant| &variant.name);
        if item.derivation.is_some() || !is_base(variant) {
            return Ok(Some("variants of other items".into()));
        }
        if item.question.trim().is_empty() || item.answer.trim().is_empty() {
            return Ok(Some("no question or no answer".into()));
        }
        if item.images.is_empty() {
            return Ok(Some("no picture".into()));
        }
        if item.images.iter().any(|image| image.hash.is_none()) {
            return Ok(Some("their picture is not generated yet".into()));
        }
        let edits = self
            .products
            .compositions
            .iter()
            .any(|c| c.picture.is_some());
        if edits && item.images.len() > 1 {
            return Ok(Some("several pictures".into()));
        }
        let mut there = 0;
        for composition in &self.products.compositions {
            let dataset = BootstrapPlan::dataset(&item.dataset, &composition.name);
            let Some(found) = (self.find)(&format!("{dataset}/{}", item.key))? else {
                continue;
            };
            let Some(derivation) = found.derivation else {
                return Ok(Some(format!(
                    "data set {dataset} has other items with their keys"
                )));
            };
            if (&derivation.source.id, &derivation.source.digest) != (&item.id, &item.digest()) {
                return Ok(Some("derived before, and changed since".into()));
            }
            there += 1;
        }
        let all = self.products.compositions.len() as u64;
        self.already += there;
        Ok((there == all).then(|| "derived already".into()))
    }

    /// The sources and the counts, without the job.
    pub fn finish(self) -> (Vec<StepSource>, StartedBootstrap) {
        let sources = self.sources.len() as u64;
        let all = self.products.all.iter();
        let asked = all.filter(|product| product.applied.strategy != Strategy::V3);
        let asked = asked.count() as u64;
        let all = self.products.all.len() as u64;
        let compositions = self.products.compositions.len() as u64;
        let excluded: Vec<(String, u64)> = self.excluded.into_iter().collect();
        let gone = excluded.iter().find(|(why, _)| why == "derived already");
        let gone = gone.map_or(0, |(_, items)| items * compositions);
        let started = StartedBootstrap {
            sources,
            items: (sources * compositions).saturating_sub(self.already.saturating_sub(gone)),
            compositions: self.products.planned(),
            products: sources * all,
            // One request to the writer and one to the judge; at most, each try is repaired once.
            requests: (
                sources * (all + asked),
                sources * u64::from(self.plan.tries) * (all + 2 * asked),
            ),
            already: self.already,
            excluded,
            ..StartedBootstrap::default()
        };
        (self.sources, started)
    }
}
