//! What was painted of an item: which of its pictures, and which are missing or broken.

use super::{NoPicture, Picture, Sides};
use crate::preview::Show;
use benchtop_model::{Error, ErrorKind, Item, Judgement, PictureSeen, Seen, Verdict};

/// An item as a frame painted it, and earlier frames before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Painted {
    /// Its number.
    pub number: u32,
    /// Its revision.
    pub rev: u64,
    /// No picture of it is being made ready.
    pub ready: bool,
    /// What became of each of its pictures.
    pub pictures: Vec<PictureSeen>,
}

impl Painted {
    /// The same with what an earlier frame painted of the same text.
    pub fn after(mut self, earlier: Option<&Painted>) -> Painted {
        let same = earlier.filter(|e| (e.number, e.rev) == (self.number, self.rev));
        for (state, before) in self
            .pictures
            .iter_mut()
            .zip(same.iter().flat_map(|e| &e.pictures))
        {
            if *before == PictureSeen::Painted || *state == PictureSeen::NotPainted {
                *state = *before;
            }
        }
        self
    }
}

/// An item that a person has had before them when they gave a verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Viewed {
    /// Its number.
    pub number: u32,
    /// The revision that was painted.
    pub rev: u64,
    /// How it was seen.
    pub seen: Seen,
    /// Milliseconds from painting to the key.
    pub ms: Option<u32>,
    /// What became of each of its pictures.
    pub pictures: Vec<PictureSeen>,
}

impl Viewed {
    /// A verdict on it and no more.
    pub fn judgement(&self, verdict: Verdict) -> Judgement {
        Judgement {
            ms: self.ms,
            pictures: self.pictures.clone(),
            ..Judgement::new(verdict, self.seen)
        }
    }

    /// Which of its pictures were not painted, as a person reads it.
    pub fn unseen(&self) -> Option<String> {
        PictureSeen::unseen(&self.pictures)
    }
}

/// Why a picture could not be made ready, as it is recorded with a verdict.
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

/// What a frame painted of the pictures of `item` that draws `picture`, which shows `show` of `sides`; `bare` where its
/// place is left for the terminal's own pixels.
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
        // Neither of the two is to be made out in it.
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
            // Of two it is told which of them by `Sides::fails`.
            Err(problem) if shown.len() == 1 => set(shown.start, failed(problem).seen),
            Err(_) => {}
        },
        Picture::None(_) if sides.is_none() => set(0, PictureSeen::Missing),
        Picture::Loading | Picture::None(_) => {}
    }
    states
}
