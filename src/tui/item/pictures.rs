//! The pictures of an item: one, several, or those of a pair.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Loaded;
use crate::preview::worker::Source;
use crate::preview::{Ready, Show};
use benchtop_model::sorting::sort_by;
use benchtop_model::{ImageRef, Item, PictureSeen, Side};

/// The picture of an item.
#[derive(Clone, Debug, Default)]
pub enum Picture {
    /// There is no picture to show, with the reason.
    None(String),
    #[default]
    Loading,
    /// Loaded, or failed to load.
    Ready(Arc<Ready>),
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

/// The pictures of a loaded item that has several, or that is a variant of an item among `known`, or
/// that belongs to an MVP-Bench pair with one. `None` for a single picture.
pub fn sides(loaded: &Loaded, known: &[Arc<Item>], root: &Path) -> Option<Sides> {
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
    if let Some(sides) = with_original(item, known, source) {
        return Some(sides);
    }
    let side = item.pair.as_ref()?.side;
    let other = partner(item, known)?;
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

/// The picture of the item that this one is a variant of, and its own. `None` if they are equal.
fn with_original(
    item: &Item,
    known: &[Arc<Item>],
    source: impl Fn(&Item, usize) -> Result<Source, NoPicture>,
) -> Option<Sides> {
    let id = item.original()?;
    let original = known.iter().find(|known| known.id == id)?;
    let variant = item.variant.as_ref().map(|variant| variant.name.clone());
    let sides = Sides {
        names: vec![
            "original".into(),
            variant.unwrap_or_else(|| "derived".into()),
        ],
        sources: vec![source(original, 0), source(item, 0)],
        asked: Some(Show::Second),
    };
    (sides.both() && !sides.same()).then_some(sides)
}

/// The item about the other picture of a pair.
fn partner<'a>(item: &Item, known: &'a [Arc<Item>]) -> Option<&'a Item> {
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
    let mut found: Vec<&Item> = known.iter().map(Arc::as_ref).filter(fits).collect();
    // Sorted, so that the choice does not depend on arrival order.
    sort_by(&mut found, |a, b| a.id.cmp(&b.id));
    found.into_iter().find(|other| !other.images.is_empty())
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
            Some(_) => format!(
                "{} is not generated yet; the Jobs pane starts that",
                image.name
            ),
            None => format!("{} was missing at import", image.name),
        })
    };
    stored_picture(image, root).ok_or_else(gone)
}

/// The name and path of the file of a picture. `None` if there is none.
pub fn stored_picture(image: &ImageRef, root: &Path) -> Option<(String, PathBuf)> {
    let hash = image.hash.clone()?;
    let path = match &image.link {
        Some(link) => link.clone(),
        None => root.join(image.stored()?),
    };
    Some((hash, path))
}
