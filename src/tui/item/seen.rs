//! A record of what was painted of an item: which of its pictures, and which are missing or broken.

use super::{NoPicture, Picture, Sides};
use crate::preview::Show;
use benchtop_model::{Error, ErrorKind, Item, PictureSeen};

/// The reason for a picture that failed to load, as recorded with a verdict.
pub fn failed(problem: &Error) -> NoPicture {
    let seen = if problem.kind == ErrorKind::NotFound {
        PictureSeen::Missing
    } else {
        PictureSeen::Broken
    };
    NoPicture {
        seen,
        why: problem.what.clone(),
    }
}

/// The state of each picture of `item` after a frame that draws `picture`, which shows `show` of
/// `sides`. With `bare`, the terminal draws true pixels in its place.
pub fn painted(
    item: &Item,
    sides: Option<&Sides>,
    show: Show,
    picture: &Picture,
    bare: bool,
) -> Vec<PictureSeen> {
    let recorded = |image: &benchtop_model::ImageRef| match (&image.hash, &image.unreadable) {
        (None, _) => PictureSeen::Missing,
        (_, Some(_)) => PictureSeen::Broken,
        _ => PictureSeen::NotPainted,
    };
    let mut states: Vec<PictureSeen> = item.images.iter().map(recorded).collect();
    let mut set = |at: usize, state: PictureSeen| {
        let own = sides.map_or(Some(at), |sides| sides.own(at));
        if let Some(slot) = own.and_then(|at| states.get_mut(at)) {
            *slot = state;
        }
    };
    for (at, source) in sides
        .iter()
        .flat_map(|sides| sides.sources.iter().enumerate())
    {
        if let Err(problem) = source {
            set(at, problem.seen);
        }
    }
    let shown = match (sides, show) {
        // The difference shows neither of the two pictures.
        (Some(_), Show::Difference) => 0..0,
        (Some(_), show) => Sides::of(show),
        (None, _) => Sides::of(Show::First),
    };
    match picture {
        Picture::Ready(ready) => match ready.as_ref() {
            Ok(picture) => {
                let (columns, rows) = picture.cells.size();
                if columns * rows > 0 || (bare && picture.pixels.is_some()) {
                    shown.for_each(|at| set(at, PictureSeen::Painted));
                }
            }
            // If both of two failed, `Sides::fails` records which one.
            Err(problem) if shown.len() == 1 => set(shown.start, failed(problem).seen),
            Err(_) => {}
        },
        Picture::None(_) if sides.is_none() => set(0, PictureSeen::Missing),
        Picture::Loading | Picture::None(_) => {}
    }
    states
}
