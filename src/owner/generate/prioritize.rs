//! Requests about single pictures.

use std::sync::Arc;

use super::GenerationJob;
use crate::context::OwnerContext;
use crate::engine::Live;
use benchtop_model::Result;
use benchtop_model::cancel::Cancel;
use benchtop_model::generated_image::GeneratedImage;
use benchtop_pipeline::generate::build;
use benchtop_pipeline::generate::remaining::Target;

/// Requests that the picture of an item is made next. Returns the job that will make it, if there
/// is one.
///
/// # Errors
/// [`Error::not_found`] for an unknown item; [`Error::corrupt`] and [`Error::cancelled`]
/// while reading items.
pub fn request_picture(
    shared: &Arc<OwnerContext>,
    number: u32,
    cancel: Cancel<'_>,
) -> Result<Option<u32>> {
    let row = shared.items.catalog().row(number)?;
    let is_active =
        |live: &mut Live, _: &mut GenerationJob| live.header.standing.is_active().then_some(());
    if shared.jobs.find(is_active).is_none() {
        return Ok(None);
    }
    let named = shared.requested.images(shared, cancel)?;
    let Some(at) = named.of_row(row) else {
        return Ok(None);
    };
    let target = Target {
        picture: at,
        sample: 1,
    };
    let found = shared
        .jobs
        .find(|live: &mut Live, job: &mut GenerationJob| {
            let scope = job.scope(build::drafts(&job.spec.wishes));
            let makes = live.header.standing.is_active()
                && scope.covers(&named, at)
                && !scope.is_made(&named, &shared.items.pictures(), target);
            makes.then(|| {
                job.prioritize(row);
                live.header.id
            })
        });
    shared.jobs.look_again();
    Ok(found)
}

/// All pictures made for an item, newest first.
///
/// # Errors
/// [`Error::not_found`] for an unknown item; [`Error::corrupt`].
pub fn pictures_of_item(shared: &OwnerContext, number: u32) -> Result<Vec<GeneratedImage>> {
    let catalog = shared.items.catalog();
    let item = catalog.item(catalog.row(number)? as usize)?;
    let Some(image) = item.images.first() else {
        return Ok(Vec::new());
    };
    let key = benchtop_model::generated_image::picture_key(&item.dataset, &image.name);
    let pictures = shared.items.pictures();
    pictures
        .samples(key)
        .map(|entry| pictures.line(entry))
        .collect()
}
