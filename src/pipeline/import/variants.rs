//! Imports scenario sets that were made elsewhere: questions joined by key with those of a data set
//! of the project.

use super::Import;
use benchtop_model::import::ImportRequest;
use benchtop_model::{Error, Field, Item, Result, Variant};
use benchtop_store::columns::Columns;

/// The request with the data set of its variants, if it does not name one itself. `None` if it asks
/// for no variants.
///
/// # Errors
///
/// [`benchtop_model::ErrorKind::Usage`] for an invalid name.
pub(super) fn named(ask: &ImportRequest) -> Result<Option<ImportRequest>> {
    let Some(variant_of) = &ask.variant_of else {
        return Ok(None);
    };
    variant_of.check()?;
    let dataset = ask.dataset.clone();
    Ok(Some(ImportRequest {
        dataset: dataset.or_else(|| Some(variant_of.own_dataset())),
        ..ask.clone()
    }))
}

impl Import<'_> {
    /// Checks that the project has the data set of the originals.
    ///
    /// # Errors
    ///
    /// [`benchtop_model::ErrorKind::NotFound`] with the data sets that it has.
    pub(super) fn check_originals(&self) -> Result<()> {
        let Some(variant_of) = &self.ask.variant_of else {
            return Ok(());
        };
        let known = self.datasets();
        if known.contains(&variant_of.dataset) {
            return Ok(());
        }
        let known: Vec<String> = known.into_iter().collect();
        let what = format!("the project has no data set `{}`", variant_of.dataset);
        Err(Error::not_found(what)
            .field("of")
            .help(format!("it has: {}", known.join(", "))))
    }

    /// The item as a variant of the one with its key, if variants are imported.
    ///
    /// # Errors
    ///
    /// [`benchtop_model::ErrorKind::Input`] if the data set has no such item, or if the record says
    /// that it is another variant.
    pub(super) fn joined_with_original(&self, mut item: Item) -> Result<Item> {
        let Some(variant_of) = &self.ask.variant_of else {
            return Ok(item);
        };
        let id = format!("{}/{}", variant_of.dataset, item.key);
        if self.catalog.row_of(&id)?.is_none() {
            let what = format!("the project has no item `{id}` for this record to be a variant of");
            return Err(Error::input(what).field("id"));
        }
        let stated = item.variant.take().unwrap_or_default();
        let is_other = |stated: &str, wanted: &str| !stated.is_empty() && stated != wanted;
        let of = stated.of.as_deref().unwrap_or_default();
        if is_other(&stated.name, &variant_of.variant) || is_other(of, &id) {
            let what = format!("the record says that it is the variant `{}`", stated.name);
            return Err(Error::input(what).field("variant"));
        }
        item.variant = Some(Variant {
            name: variant_of.variant.clone(),
            of: Some(id),
            modified: stated.modified,
        });
        Ok(item)
    }

    /// How many originals got no variant, if any.
    pub(super) fn note_on_originals(&self) -> Option<String> {
        let variant_of = self.ask.variant_of.as_ref()?;
        let columns = self.catalog.columns();
        let at = Columns::named(Field::Dataset)?;
        let code = columns.names[at].code(&variant_of.dataset)?;
        let originals = columns.codes[at].iter().filter(|c| **c == code).count() as u64;
        let without = originals.saturating_sub(self.report.items + self.report.already);
        (without > 0).then(|| {
            format!(
                "{without} of {originals} items of {} have no variant here",
                variant_of.dataset
            )
        })
    }
}
