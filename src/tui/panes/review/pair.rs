//! Looking at the pictures of an item: which of several, which region, and the blink between two.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{Loaded, ReviewPane};
use crate::preview::worker::Source;
use crate::preview::{Part, Region, Show};
use benchtop_model::{Item, PictureSeen, Side};

/// How many items away in the files of MVP-Bench the question about the other picture of a pair is, at most.
pub const PARTNER_AWAY: u32 = 2;

/// How the picture on screen is looked at. It lasts until the next item.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Looking {
    /// What of several was chosen; what the room allows otherwise.
    pub show: Option<Show>,
    /// The region, of all.
    pub region: Region,
    /// It blinks: whether the second is shown now.
    pub blink: Option<bool>,
}

/// Why a picture cannot be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoPicture {
    /// What is recorded of it with a verdict.
    pub seen: PictureSeen,
    /// The reason as a person reads it.
    pub why: String,
}

/// The pictures of an item that has several, or that is about one of a pair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sides {
    /// What each is called.
    pub names: Vec<String>,
    /// Where each is, or why it cannot be shown. As many as there are names, and two at least.
    pub sources: Vec<Result<Source, NoPicture>>,
    /// The one that the question is about, where the other is another item's.
    pub asked: Option<Show>,
}

impl Sides {
    /// Whether the first two are one picture, so that there is nothing to compare.
    pub fn same(&self) -> bool {
        let name = |at: usize| {
            self.sources
                .get(at)
                .and_then(|s| s.as_ref().ok())
                .map(|(key, _)| key)
        };
        name(0).is_some() && name(0) == name(1)
    }

    /// Whether the first two can be shown, so that they can be compared.
    pub fn both(&self) -> bool {
        self.sources.iter().take(2).all(Result::is_ok)
    }

    /// Positions of the pictures that are shown.
    pub fn of(show: Show) -> Range<usize> {
        match show {
            Show::First => 0..1,
            Show::Second => 1..2,
            Show::Beside | Show::Difference => 0..2,
            Show::Other(at) => usize::from(at)..usize::from(at) + 1,
        }
    }

    /// What is asked for to show this, or why it cannot be had.
    ///
    /// # Errors
    /// Of the first picture of it that cannot be shown.
    pub fn wanted(&self, show: Show) -> Result<(Vec<Source>, Show), NoPicture> {
        let sources = Sides::of(show)
            .filter_map(|at| self.sources.get(at).cloned())
            .collect::<Result<_, _>>()?;
        let alone = matches!(show, Show::Second | Show::Other(_));
        Ok((sources, if alone { Show::First } else { show }))
    }

    /// What names the content of all files.
    pub fn content(&self) -> String {
        let keys = self
            .sources
            .iter()
            .map(|source| source.as_ref().map_or("-", |(key, _)| key));
        keys.collect::<Vec<_>>().join(" ")
    }

    /// The picture whose file this is turned out not to be one that can be shown.
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

    /// Where among the item's own pictures each of these is; none for those of another item.
    pub fn own(&self, at: usize) -> Option<usize> {
        match self.asked {
            None => Some(at),
            Some(asked) => Sides::of(asked).contains(&at).then_some(0),
        }
    }

    /// The words over what is shown: letters and names; the place among several, and which of them cannot be shown.
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

impl Looking {
    /// What is shown of several in a pane that has room for two or not.
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

    /// Turns to the next: two beside each other where there is room, then each alone.
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

    /// Shows the difference, or what was shown by itself.
    pub fn difference(&mut self) {
        self.show = if self.show == Some(Show::Difference) {
            None
        } else {
            Some(Show::Difference)
        };
    }

    /// What the pictures are asked for.
    pub fn part(&self, sides: Option<&Sides>, wide: bool) -> Part {
        let show = sides.map_or(Show::First, |s| self.shown(s, wide));
        Part {
            show,
            region: self.region,
        }
    }
}

impl ReviewPane {
    /// The pictures of an item that is here, where there are several: its own, or those of an MVP-Bench pair, one of which
    /// is another item's. `None` where there are not.
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

    /// The item about the other picture of a pair, among those that are here.
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
        // The same one each time, whatever order they came in.
        found.sort_by(|a, b| a.id.cmp(&b.id));
        found.into_iter().find(|other| !other.images.is_empty())
    }

    /// Numbers of the items that may be about the other picture of the pair on screen.
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

/// The last part of a picture's path.
fn file_name(name: &str) -> String {
    name.rsplit('/').next().unwrap_or(name).to_string()
}

/// The name and path of an item's first picture, or why it cannot be shown.
///
/// # Errors
/// The reason.
pub fn picture_of(item: &Item, root: &Path) -> Result<(String, PathBuf), NoPicture> {
    picture_at(item, root, 0)
}

/// The name and path of one of an item's pictures, or why it cannot be shown.
///
/// # Errors
/// The reason.
fn picture_at(item: &Item, root: &Path, at: usize) -> Result<(String, PathBuf), NoPicture> {
    let missing = |why: String| NoPicture {
        seen: PictureSeen::Missing,
        why,
    };
    let Some(image) = item.images.get(at) else {
        return Err(missing("this question has no picture".into()));
    };
    let gone = || {
        missing(match item.provenance {
            Some(_) => format!("{} is not made yet: 7 makes pictures", image.name),
            None => format!("{} was not there when this was imported", image.name),
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
