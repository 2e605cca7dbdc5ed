//! The pictures that items request, and the states of their files.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::requested::{PictureStates, Requested, States};
use crate::context::OwnerContext;
use benchtop_model::Result;
use benchtop_model::cancel::Cancel;
use benchtop_model::generated_image::PictureState;
use benchtop_pipeline::generate::image_index::RequestedImages;

impl Requested {
    /// The pictures that the items currently request.
    ///
    /// # Errors
    /// [`Corrupt`](benchtop_model::ErrorKind::Corrupt) if the texts are damaged;
    /// [`Cancelled`](benchtop_model::ErrorKind::Cancelled).
    pub fn images(
        &self,
        shared: &OwnerContext,
        cancel: Cancel<'_>,
    ) -> Result<Arc<RequestedImages>> {
        let mut held = self.named.lock();
        let catalog = shared.items.catalog();
        if let Some(named) = held.as_ref().filter(|n| n.edition == catalog.edition()) {
            return Ok(named.clone());
        }
        let named = Arc::new(RequestedImages::read(&catalog, cancel)?);
        *held = Some(named.clone());
        Ok(named)
    }

    /// Whether [`images`](Self::images) answers without reading all items.
    pub fn is_read(&self, shared: &OwnerContext) -> bool {
        let edition = shared.items.catalog().edition();
        let held = self.named.try_lock();
        held.is_some_and(|held| held.as_ref().is_some_and(|n| n.edition == edition))
    }

    /// The number of these rows whose picture is a draft.
    ///
    /// # Errors
    /// Same as [`states`](Self::states).
    pub fn drafts(
        &self,
        shared: &OwnerContext,
        rows: impl Iterator<Item = u32>,
        cancel: Cancel<'_>,
    ) -> Result<u64> {
        let (_, states) = self.states(shared, false, cancel)?;
        Ok(rows
            .filter(|row| states.get(*row as usize) == Some(&PictureState::Draft))
            .count() as u64)
    }

    /// The state of each item's picture. Recomputed when pictures were made or picture files added
    /// or removed. If `broken` is set, the files are checked against their hashes.
    ///
    /// # Errors
    /// Same as [`named`](Self::named), and I/O errors.
    pub fn states(
        &self,
        shared: &OwnerContext,
        broken: bool,
        cancel: Cancel<'_>,
    ) -> Result<PictureStates> {
        let named = self.images(shared, cancel)?;
        let damaged = match broken {
            true => self
                .damaged
                .lock()
                .find(&shared.project.images(), named.links(), cancel)?,
            false => HashSet::new(),
        };
        let mut present = self.present.lock();
        let edition = present.refresh(&shared.project.images(), named.links())?;
        let mut held = self.states.lock();
        let made = shared.items.pictures();
        let same = |(of, n, e, bad, _): &&States| {
            Arc::ptr_eq(of, &named) && *n == made.len() && *e == edition && *bad == damaged
        };
        if let Some((.., states)) = held.as_ref().filter(same) {
            return Ok(states.clone());
        }
        let number = self.found.fetch_add(1, Ordering::Relaxed) + 1;
        let states = (
            number,
            Arc::new(named.states(&made, Some(&present), &damaged)),
        );
        *held = Some((named, made.len(), edition, damaged, states.clone()));
        Ok(states)
    }

    /// Rows of items that have a picture whose file is missing.
    ///
    /// # Errors
    /// Same as [`states`](Self::states).
    pub fn missing_files(&self, shared: &OwnerContext, cancel: Cancel<'_>) -> Result<Vec<u32>> {
        let named = self.images(shared, cancel)?;
        let mut present = self.present.lock();
        present.refresh(&shared.project.images(), named.links())?;
        Ok(named.gone(&shared.items.pictures(), &present))
    }
}
