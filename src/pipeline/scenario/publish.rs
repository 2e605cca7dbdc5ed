//! The items of a scenario: those whose pictures are made become a part of the project.

use std::collections::BTreeMap;

use super::kind::Scenario;
use super::making;
use crate::derive::NewItem;
use crate::derive::publish::{DerivedItems, Published};
use benchtop_files::project::Project;
use benchtop_model::cancel::Cancel;
use benchtop_model::scenario::ScenarioPlan;
use benchtop_model::{Derivation, Field, ImageRef, Item, Result};
use benchtop_store::Catalog;
use benchtop_store::index::Index;
use benchtop_store::jobs::{MadePicture, PlannedPicture};

/// What a job has made.
pub struct MadePictures<'m> {
    pub plan: &'m ScenarioPlan,
    pub scenario: &'static dyn Scenario,
    pub planned: &'m [PlannedPicture],
    pub made: &'m BTreeMap<usize, MadePicture>,
}

impl MadePictures<'_> {
    /// The items with their positions in the plan, by data set and in the order of their sources.
    fn by_dataset(&self, catalog: &Catalog) -> BTreeMap<String, Vec<(u32, usize)>> {
        let mut all: BTreeMap<String, Vec<(u32, usize)>> = BTreeMap::new();
        for n in self.made.keys() {
            for (number, _) in self
                .planned
                .get(*n)
                .map_or(&[][..], |planned| &planned.items)
            {
                let row = number.saturating_sub(1) as usize;
                if row < catalog.len() {
                    let dataset = catalog.columns().value(Field::Dataset, row).to_string();
                    all.entry(dataset).or_default().push((*number, *n));
                }
            }
        }
        all.values_mut().for_each(|list| list.sort_unstable());
        all
    }

    /// The derived item; `None` if its source changed.
    fn item(&self, source: &Item, n: usize, number: u32) -> Result<Option<Item>> {
        let (Some(planned), Some(made)) = (self.planned.get(n), self.made.get(&n)) else {
            return Ok(None);
        };
        let digest = source.digest();
        let is_same = planned.items.contains(&(number, digest));
        let Some(image) = source.images.first().filter(|_| is_same) else {
            return Ok(None);
        };
        let mut derivation = Derivation::of(source, self.scenario.name(), &self.scenario.version());
        derivation.parameters = planned.parameters.clone();
        derivation.parameters.extend(made.found.clone());
        let folder = making::folder(self.scenario, planned, source);
        let picture = ImageRef {
            hash: Some(made.hash.clone()),
            ..crate::derive::derived_name(image, &folder)
        };
        let new = NewItem {
            source,
            dataset: &self.plan.dataset(&source.dataset),
            variant: self.scenario.name(),
            suffix: &planned.suffix,
            pictures: vec![picture],
            modified: true,
            derivation,
        };
        new.item().map(Some)
    }
}

/// Makes the items part of the project. Those that exist are left as they are. `read` reads an item
/// with its pictures located.
///
/// # Errors
/// Canceled, or a failed read or write. Then the project is unchanged.
pub fn publish(
    project: &Project,
    index: &Index,
    catalog: &Catalog,
    pictures: &MadePictures<'_>,
    (at, cancel): (&str, Cancel<'_>),
    read: &dyn Fn(u32) -> Result<Item>,
) -> Result<Published> {
    let mut items = DerivedItems::new(project, catalog)?;
    for list in pictures.by_dataset(catalog).into_values() {
        for (number, n) in list {
            cancel.check()?;
            match pictures.item(&read(number)?, n, number)? {
                Some(item) => items.push(&item)?,
                None => items.leave_out(n),
            }
        }
        items.end_segments()?;
    }
    items.finish(index, at)
}
