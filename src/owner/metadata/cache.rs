//! The metadata that the owner holds, and how items use it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use parking_lot::{Condvar, Mutex};

use super::in_force::InForce;
use benchtop_compose::compiled_metadata::CompiledMetadata;
use benchtop_compose::engine::{MissingMetadata, choices_of, recipe, write};
use benchtop_model::cancel::Cancel;
use benchtop_model::usage::{MetadataHealth, MetadataState};
use benchtop_model::{Item, Result};
use benchtop_pipeline::stale_sources::Sources;
use benchtop_pipeline::usage::Usage;
use benchtop_store::Catalog;
use benchtop_store::catalog::CatalogVersion;

/// Codes of [`benchtop_model::usage::Freshness`] by item, with the usage that they were computed
/// from.
type FreshOf = (Arc<Usage>, Arc<Vec<u8>>);

/// The metadata at one moment.
pub struct MetadataSnapshot {
    /// The files on disk.
    pub state: MetadataState,
    /// Increases with every change.
    pub generation: u64,
    pub(super) stamp: u64,
    /// When this fingerprint was first seen, and when the files were last read with it.
    pub(super) seen: Instant,
    pub(super) read: Instant,
    /// The metadata in use, and why it differs from the files on disk.
    pub in_force: InForce,
    pub(super) fresh: Mutex<Option<FreshOf>>,
}

impl MetadataSnapshot {
    /// The metadata in use, compiled.
    pub fn compiled(&self) -> &Arc<CompiledMetadata> {
        self.in_force.compiled()
    }

    /// Errors and staleness, for people and scripts.
    pub fn health(&self) -> MetadataHealth {
        MetadataHealth {
            errors: self.in_force.errors.to_vec(),
            known: self.in_force.is_known(),
        }
    }

    /// A code of [`benchtop_model::usage::Freshness`] for each item.
    pub fn fresh(&self, usage: &Arc<Usage>) -> Arc<Vec<u8>> {
        let mut held = self.fresh.lock();
        match held.as_ref().filter(|(of, _)| Arc::ptr_eq(of, usage)) {
            Some((_, fresh)) => fresh.clone(),
            None => {
                let fresh = Arc::new(usage.freshness(self.compiled()));
                *held = Some((usage.clone(), fresh.clone()));
                fresh
            }
        }
    }

    /// What changed since an item was composed; `None` if nothing changed or the item was imported.
    pub fn changed(&self, item: &Item) -> Option<String> {
        if let Some(cause) = self
            .in_force
            .errors
            .first()
            .filter(|_| !self.in_force.is_known())
        {
            return Some(format!("unknown: metadata/{cause}"));
        }
        let grammar = self.compiled();
        let choices = match choices_of(grammar, item)? {
            Ok(choices) => choices,
            Err(gone) => return Some(format!("gone: {gone}")),
        };
        match write(grammar, &choices) {
            Ok(_) => {}
            Err(gone @ MissingMetadata::Slot(_)) => {
                return Some(format!(
                    "gone: {gone}; the item has no term for it, and recomposing can draw one"
                ));
            }
            Err(gone) => return Some(format!("gone: {gone}")),
        }
        let same = item
            .provenance
            .as_ref()
            .is_some_and(|p| p.recipe == recipe(grammar, &choices));
        (!same).then(|| {
            "stale: its templates or the wording of its style changed since it was composed".into()
        })
    }
}

/// The sources of derived items, and the rows of those whose source changed. Each with what it was
/// read from: the catalog, and the number of generated pictures.
#[derive(Default)]
pub(super) struct HeldSources {
    sources: Option<(CatalogVersion, Arc<Sources>)>,
    stale: Option<(CatalogVersion, usize, Arc<Vec<u32>>)>,
}

impl HeldSources {
    /// Rows of derived items whose source changed, in order. `made` is the number of generated
    /// pictures.
    ///
    /// # Errors
    /// [`benchtop_model::ErrorKind::Corrupt`] and [`benchtop_model::ErrorKind::Cancelled`].
    pub(super) fn stale(
        &mut self,
        (catalog, made): (&Catalog, usize),
        resolved: &dyn Fn(&str) -> Option<String>,
        cancel: Cancel<'_>,
    ) -> Result<Arc<Vec<u32>>> {
        let edition = catalog.edition();
        let held = self.stale.as_ref();
        if let Some((_, _, rows)) = held.filter(|(e, m, _)| (*e, *m) == (edition, made)) {
            return Ok(rows.clone());
        }
        let sources = match self.sources.as_ref().filter(|(e, _)| *e == edition) {
            Some((_, sources)) => sources.clone(),
            None => Arc::new(Sources::read(catalog, cancel)?),
        };
        self.sources = Some((edition, sources.clone()));
        let rows = Arc::new(sources.stale(catalog, resolved, cancel)?);
        self.stale = Some((edition, made, rows.clone()));
        Ok(rows)
    }
}

/// The metadata of a project, and how its items use it.
#[derive(Default)]
pub struct MetadataCache {
    pub(super) held: Mutex<Option<Arc<MetadataSnapshot>>>,
    /// With the number of item revisions when it was read.
    pub(super) usage: Mutex<Option<(usize, Arc<Usage>)>>,
    pub(super) sources: Mutex<HeldSources>,
    /// The last notice about errors.
    pub(super) notice: Mutex<Option<String>>,
    /// Whether there was a request since the last client left.
    pub(super) asked: Mutex<bool>,
    pub(super) wake: Condvar,
    pub(super) ended: AtomicBool,
}

impl MetadataCache {
    /// Stops the watching thread.
    pub fn end(&self) {
        // Set under the lock, or the thread could miss it on its way to sleep.
        let _asked = self.asked.lock();
        self.ended.store(true, Ordering::SeqCst);
        self.wake.notify_all();
    }
}
