//! Looking at the picture of an item: which of two, which region, and the blink between them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{Loaded, ReviewPane};
use crate::model::{Item, Side};
use crate::tui::preview::worker::Source;
use crate::tui::preview::{Part, Region, Show};

/// How many items away in the files of MVP-Bench the question about the other picture of a pair is, at most.
pub const PARTNER_AWAY: u32 = 2;

/// How the picture on screen is looked at. It lasts until the next item.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Looking {
    /// What of two was chosen; what the room allows otherwise.
    pub show: Option<Show>,
    /// The region, of both.
    pub region: Region,
    /// It blinks: whether the second is shown now.
    pub blink: Option<bool>,
}

/// The two pictures of an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sides {
    /// What each is called, the first and the second.
    pub names: [String; 2],
    /// Where each is.
    pub sources: [Source; 2],
    /// The one that the question is about, where it is about one.
    pub asked: Option<Show>,
}

impl Sides {
    /// Whether both are one picture, so that there is nothing to compare.
    pub fn same(&self) -> bool {
        self.sources[0].0 == self.sources[1].0
    }

    /// The words over what is shown: letters and names.
    pub fn caption(&self, show: Show) -> [Option<String>; 2] {
        let one = |at: usize| {
            let letter = if at == 0 { "A" } else { "B" };
            let own = if at == 0 { Show::First } else { Show::Second };
            let asked = if self.asked == Some(own) { ", asked about" } else { "" };
            Some(format!("{letter} {}{asked}", self.names.get(at).map_or("", String::as_str)))
        };
        match show {
            Show::First => [one(0), None],
            Show::Second => [one(1), None],
            Show::Beside => [one(0), one(1)],
            Show::Difference => [Some("A to B".into()), None],
        }
    }
}

impl Looking {
    /// What is shown of two in a pane that has room for both or not.
    pub fn shown(&self, sides: &Sides, wide: bool) -> Show {
        let still = self.show.filter(|s| wide || *s != Show::Beside);
        let room = if wide { Show::Beside } else { sides.asked.unwrap_or(Show::First) };
        match self.blink {
            Some(true) => Show::Second,
            Some(false) => Show::First,
            None => still.unwrap_or(room),
        }
    }

    /// Turns to the next of both, the first, the second; or between the two where there is room for one.
    pub fn turn(&mut self, sides: &Sides, wide: bool) {
        self.show = Some(match self.shown(sides, wide) {
            Show::Beside | Show::Difference => Show::First,
            Show::First => Show::Second,
            Show::Second if wide => Show::Beside,
            Show::Second => Show::First,
        });
    }

    /// Shows the difference, or what was shown by itself.
    pub fn difference(&mut self) {
        self.show = if self.show == Some(Show::Difference) { None } else { Some(Show::Difference) };
    }

    /// What the pictures are asked for.
    pub fn part(&self, sides: Option<&Sides>, wide: bool) -> Part {
        let show = sides.map_or(Show::First, |s| self.shown(s, wide));
        Part { show, region: self.region }
    }
}

impl ReviewPane {
    /// The two pictures of an item that is here: its own first two, or those of an MVP-Bench pair, one of which is another
    /// item's. `None` where there are no two, or one is not there.
    pub fn sides(&self, loaded: &Loaded, root: &Path) -> Option<Sides> {
        let item = loaded.item.as_ref();
        let source = |item: &Item, at: usize| {
            let (key, path) = picture_at(item, root, at).ok()?;
            Some((Arc::from(key), path))
        };
        if item.images.len() >= 2 {
            let name = |at: usize| item.images.get(at).map_or(String::new(), |i| file_name(&i.name));
            let sources = [source(item, 0)?, source(item, 1)?];
            return Some(Sides { names: [name(0), name(1)], sources, asked: None });
        }
        let side = item.pair.as_ref()?.side;
        let other = self.partner(item)?;
        let (first, second, asked) = match side {
            Side::Natural => (item, other, Show::First),
            Side::Manipulated => (other, item, Show::Second),
            Side::Cross => return None,
        };
        let names = [Side::Natural, Side::Manipulated].map(|s| s.name().to_string());
        Some(Sides { names, sources: [source(first, 0)?, source(second, 0)?], asked: Some(asked) })
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
            other.dataset == item.dataset && own.is_some_and(|p| p.id == pair.id && p.side == wanted)
        };
        let mut found: Vec<&Item> =
            self.items.values().filter_map(|l| l.as_ref().ok()).map(|l| l.item.as_ref()).filter(fits).collect();
        // The same one each time, whatever order they came in.
        found.sort_by(|a, b| a.id.cmp(&b.id));
        found.into_iter().find(|other| !other.images.is_empty())
    }

    /// Numbers of the items that may be about the other picture of the pair on screen.
    pub(super) fn may_be_partners(&self) -> Vec<u32> {
        let alone = |item: &Item| item.images.len() == 1 && item.pair.as_ref().is_some_and(|p| p.side != Side::Cross);
        let Some(number) = self.number().filter(|_| self.current().is_some_and(|l| alone(&l.item))) else {
            return Vec::new();
        };
        let range = number.saturating_sub(PARTNER_AWAY).max(1)..=(number + PARTNER_AWAY).min(self.queue.items());
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
/// The reason as a person reads it.
pub fn picture_of(item: &Item, root: &Path) -> std::result::Result<(String, PathBuf), String> {
    picture_at(item, root, 0)
}

/// The name and path of one of an item's pictures, or why it cannot be shown.
///
/// # Errors
/// The reason as a person reads it.
fn picture_at(item: &Item, root: &Path, at: usize) -> std::result::Result<(String, PathBuf), String> {
    let Some(image) = item.images.get(at) else { return Err("this question has no picture".into()) };
    let missing = || match item.provenance {
        Some(_) => format!("{} is not made yet: 7 makes pictures", image.name),
        None => format!("{} was not there when this was imported", image.name),
    };
    let hash = image.hash.clone().ok_or_else(missing)?;
    match (&image.link, image.stored()) {
        (Some(link), _) => Ok((hash, link.clone())),
        (None, Some(stored)) => Ok((hash, root.join(stored))),
        (None, None) => Err(missing()),
    }
}

#[cfg(test)]
#[path = "pair_tests.rs"]
mod tests;
