//! Viewing the pictures of an item: the choice among several, zoom, and the blink of two.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{Loaded, ReviewPane};
use crate::preview::worker::Source;
use crate::preview::{Part, Region, Show};
use benchtop_model::{Item, PictureSeen, Side};

/// The greatest distance in items between the two questions of an MVP-Bench pair.
pub const PARTNER_AWAY: u32 = 2;

/// How the current picture is viewed. It resets with the next item.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ViewState {
    /// The chosen pictures. `None` picks by the available width.
    pub show: Option<Show>,
    /// The visible region, for all pictures.
    pub region: Region,
    /// While blinking, whether the second picture is visible.
    pub blink: Option<bool>,
}

/// The reason why a picture cannot be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoPicture {
    /// The state to record with a verdict.
    pub seen: PictureSeen,
    /// The reason for the annotator.
    pub why: String,
}

/// The pictures of an item that has several, or of the pair it belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sides {
    pub names: Vec<String>,
    /// The file of each picture, or the reason why it cannot be shown. As many as names, and at
    /// least two.
    pub sources: Vec<Result<Source, NoPicture>>,
    /// The picture that the question is about, if the other one belongs to another item.
    pub asked: Option<Show>,
}

impl Sides {
    /// Whether the first two files are equal, so that there is nothing to compare.
    pub fn same(&self) -> bool {
        let name = |at: usize| {
            self.sources
                .get(at)
                .and_then(|s| s.as_ref().ok())
                .map(|(key, _)| key)
        };
        name(0).is_some() && name(0) == name(1)
    }

    /// Whether the first two can be shown.
    pub fn both(&self) -> bool {
        self.sources.iter().take(2).all(Result::is_ok)
    }

    /// The positions of the pictures that `show` covers.
    pub fn of(show: Show) -> Range<usize> {
        match show {
            Show::First => 0..1,
            Show::Second => 1..2,
            Show::Beside | Show::Difference => 0..2,
            Show::Other(at) => usize::from(at)..usize::from(at) + 1,
        }
    }

    /// The files to request for `show`. Fails with the first picture that cannot be shown.
    pub fn wanted(&self, show: Show) -> Result<(Vec<Source>, Show), NoPicture> {
        let sources = Sides::of(show)
            .filter_map(|at| self.sources.get(at).cloned())
            .collect::<Result<_, _>>()?;
        let alone = matches!(show, Show::Second | Show::Other(_));
        Ok((sources, if alone { Show::First } else { show }))
    }

    /// A name for the content of all files.
    pub fn content(&self) -> String {
        let keys = self
            .sources
            .iter()
            .map(|source| source.as_ref().map_or("-", |(key, _)| key));
        keys.collect::<Vec<_>>().join(" ")
    }

    /// Marks a picture as failed by its file.
    pub fn fails(&mut self, file: Option<&Path>, reason: &NoPicture) {
        let failed = |source: &&mut Result<Source, NoPicture>| {
            source
                .as_ref()
                .is_ok_and(|(_, path)| Some(path.as_path()) == file)
        };
        self.sources
            .iter_mut()
            .filter(failed)
            .for_each(|source| *source = Err(reason.clone()));
    }

    /// The position among the item's own pictures. `None` for a picture of another item.
    pub fn own(&self, at: usize) -> Option<usize> {
        match self.asked {
            None => Some(at),
            Some(asked) => Sides::of(asked).contains(&at).then_some(0),
        }
    }

    /// The captions: letter, name, position among several, and pictures that cannot be shown.
    pub fn caption(&self, show: Show) -> [Option<String>; 2] {
        let of = self.names.len();
        let one = |at: usize| {
            let letter = Item::letter(at);
            let asked = if self
                .asked
                .is_some_and(|asked| Sides::of(asked).contains(&at))
            {
                ", asked about"
            } else {
                ""
            };
            let place = if of > 2 {
                format!(" ({} of {of})", at + 1)
            } else {
                String::new()
            };
            format!(
                "{letter} {}{asked}{place}",
                self.names.get(at).map_or("", String::as_str)
            )
        };
        let fails = |(at, source): (usize, &Result<Source, NoPicture>)| {
            let problem = source
                .as_ref()
                .err()
                .filter(|_| !Sides::of(show).contains(&at))?;
            Some(format!("{} is {}", Item::letter(at), problem.seen.name()))
        };
        let failed: Vec<String> = self.sources.iter().enumerate().filter_map(fails).collect();
        let failed = if failed.is_empty() {
            String::new()
        } else {
            format!("; {}", failed.join(", "))
        };
        match show {
            Show::Beside => [Some(one(0)), Some(one(1) + &failed)],
            Show::Difference => [Some("A to B".into()), None],
            alone => [Some(one(Sides::of(alone).start) + &failed), None],
        }
    }
}

impl ViewState {
    /// The pictures to show, depending on the room for two.
    pub fn shown(&self, sides: &Sides, wide: bool) -> Show {
        let wide = wide && sides.both();
        let still = self.show.filter(|s| wide || *s != Show::Beside);
        let room = if wide {
            Show::Beside
        } else {
            sides.asked.unwrap_or(Show::First)
        };
        match self.blink {
            Some(true) => Show::Second,
            Some(false) => Show::First,
            None => still.unwrap_or(room),
        }
    }

    /// Switches to the next choice: side by side if there is room, then each alone.
    pub fn turn(&mut self, sides: &Sides, wide: bool) {
        let first = if wide && sides.both() {
            Show::Beside
        } else {
            Show::First
        };
        let next = match self.shown(sides, wide) {
            Show::Beside | Show::Difference => Some(Show::First),
            Show::First => Some(Show::Second),
            alone => {
                let next = Some(Sides::of(alone).end).filter(|at| *at < sides.names.len());
                next.and_then(|at| u8::try_from(at).ok()).map(Show::Other)
            }
        };
        self.show = Some(next.unwrap_or(first));
    }

    /// Shows the difference, or stops showing it.
    pub fn difference(&mut self) {
        self.show = if self.show == Some(Show::Difference) {
            None
        } else {
            Some(Show::Difference)
        };
    }

    /// The part of the pictures to request.
    pub fn part(&self, sides: Option<&Sides>, wide: bool) -> Part {
        let show = sides.map_or(Show::First, |s| self.shown(s, wide));
        Part {
            show,
            region: self.region,
        }
    }
}

impl ReviewPane {
    /// The pictures of a loaded item that has several, or that belongs to an MVP-Bench pair. `None`
    /// for a single picture.
    pub fn sides(&self, loaded: &Loaded, root: &Path) -> Option<Sides> {
        let item = loaded.item.as_ref();
        let source = |item: &Item, at: usize| {
            let (key, path) = picture_at(item, root, at)?;
            Ok((Arc::from(key), path))
        };
        if item.images.len() >= 2 {
            let names = item
                .images
                .iter()
                .map(|image| file_name(&image.name))
                .collect();
            let sources = (0..item.images.len()).map(|at| source(item, at)).collect();
            return Some(Sides {
                names,
                sources,
                asked: None,
            });
        }
        let side = item.pair.as_ref()?.side;
        let other = self.partner(item)?;
        let (first, second, asked) = match side {
            Side::Natural => (item, other, Show::First),
            Side::Manipulated => (other, item, Show::Second),
            Side::Cross => return None,
        };
        let names = [Side::Natural, Side::Manipulated]
            .map(|s| s.name().to_string())
            .to_vec();
        let sources = vec![source(first, 0), source(second, 0)];
        sources.iter().all(Result::is_ok).then_some(Sides {
            names,
            sources,
            asked: Some(asked),
        })
    }

    /// The loaded item about the other picture of a pair.
    fn partner(&self, item: &Item) -> Option<&Item> {
        let pair = item.pair.as_ref()?;
        let wanted = match pair.side {
            Side::Natural => Side::Manipulated,
            Side::Manipulated => Side::Natural,
            Side::Cross => return None,
        };
        let fits = |other: &&Item| {
            let own = other.pair.as_ref();
            other.dataset == item.dataset
                && own.is_some_and(|p| p.id == pair.id && p.side == wanted)
        };
        let mut found: Vec<&Item> = self
            .items
            .values()
            .filter_map(|l| l.as_ref().ok())
            .map(|l| l.item.as_ref())
            .filter(fits)
            .collect();
        // Sorted, so that the choice does not depend on arrival order.
        found.sort_by(|a, b| a.id.cmp(&b.id));
        found.into_iter().find(|other| !other.images.is_empty())
    }

    /// Items near the current one that may be about the other picture of its pair.
    pub(super) fn may_be_partners(&self) -> Vec<u32> {
        let alone = |item: &Item| {
            item.images.len() == 1 && item.pair.as_ref().is_some_and(|p| p.side != Side::Cross)
        };
        let Some(number) = self
            .number()
            .filter(|_| self.current().is_some_and(|l| alone(&l.item)))
        else {
            return Vec::new();
        };
        let range = number.saturating_sub(PARTNER_AWAY).max(1)
            ..=(number + PARTNER_AWAY).min(self.queue.items());
        range.filter(|n| *n != number).collect()
    }
}

/// The last component of a picture's path.
fn file_name(name: &str) -> String {
    name.rsplit('/').next().unwrap_or(name).to_string()
}

/// The name and path of an item's first picture, or why it cannot be shown.
pub fn picture_of(item: &Item, root: &Path) -> Result<(String, PathBuf), NoPicture> {
    picture_at(item, root, 0)
}

/// The name and path of an item's picture, or why it cannot be shown.
fn picture_at(item: &Item, root: &Path, at: usize) -> Result<(String, PathBuf), NoPicture> {
    let missing = |why: String| NoPicture {
        seen: PictureSeen::Missing,
        why,
    };
    let Some(image) = item.images.get(at) else {
        return Err(missing("this item has no picture".into()));
    };
    let gone = || {
        missing(match item.provenance {
            Some(_) => format!("{} is not generated yet: press 7", image.name),
            None => format!("{} was missing at import", image.name),
        })
    };
    let hash = image.hash.clone().ok_or_else(gone)?;
    match (&image.link, image.stored()) {
        (Some(link), _) => Ok((hash, link.clone())),
        (None, Some(stored)) => Ok((hash, root.join(stored))),
        (None, None) => Err(gone()),
    }
}

#[cfg(test)]
#[path = "pair_tests.rs"]
mod tests;
