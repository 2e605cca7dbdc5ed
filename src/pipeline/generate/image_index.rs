//! The pictures that items need and that were not imported with them.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

use serde::Deserialize;

use benchtop_model::cancel::Cancel;
use benchtop_model::generated_image::{PictureState, file_key, picture_key, prompt_key};
use benchtop_model::{Result, Side};
use benchtop_store::Catalog;
use benchtop_store::catalog::{CatalogVersion, parse_item};
use benchtop_store::pictures::Pictures;
use benchtop_store::present_pictures::Present;

/// Number of items between cancellation checks.
const STEP: usize = 4096;
/// No picture.
const NONE: u32 = u32::MAX;
/// Imported with its item.
const IMPORTED: u32 = u32::MAX - 1;
/// Imported with its item, but cannot be shown.
const UNREADABLE: u32 = u32::MAX - 2;

/// Which lines of the item's prompt belong to a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Words {
    /// The whole prompt.
    Whole,
    /// The first line: the first of two pictures side by side.
    First,
    /// The second line.
    Second,
    /// None: two pictures side by side.
    Both,
}

/// A picture to generate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// [`picture_key`].
    pub key: u64,
    /// [`prompt_key`] of the items that show it.
    pub prompt: u64,
    /// Row of the item with its prompt.
    pub row: u32,
    /// The part of the prompt.
    pub words: Words,
    /// For side-by-side pictures: the positions of both.
    pub sides: Option<[u32; 2]>,
    /// Start of its items in [`RequestedImages::rows`].
    first: u32,
    count: u32,
}

/// All pictures to generate for one catalog version. Items that name the same picture with
/// different prompts have separate pictures.
#[derive(Clone, Debug, Default)]
pub struct RequestedImages {
    pub edition: CatalogVersion,
    pictures: Vec<Picture>,
    rows: Vec<u32>,
    by_row: Vec<u32>,
    disagree: u64,
    files: Files,
}

/// The files of imported pictures.
#[derive(Clone, Debug, Default)]
struct Files {
    /// Number of the first picture's file ([`file_key`]) by row, or 0. Ends with the last row that
    /// has a file, so that a project without pictures holds nothing.
    first: Vec<u64>,
    /// Numbers of further pictures, for rows that have them.
    more: HashMap<u32, Vec<u64>>,
    /// Rows whose record says that it shows a draft.
    drafts: HashSet<u32>,
    /// Paths of pictures that were linked rather than copied.
    links: HashMap<u64, PathBuf>,
}

impl Files {
    fn item(&mut self, row: u32, item: &Lean<'_>) {
        let is_draft = |value: &serde_json::Value| {
            value.as_bool() == Some(true) || value.as_str() == Some("true")
        };
        if item.images.iter().any(|i| i.draft)
            || item.extra.as_ref().is_some_and(|e| is_draft(&e.draft))
        {
            self.drafts.insert(row);
        }
        let mut keys = item.images.iter().map(|image| {
            let key = image.hash.as_deref().and_then(file_key).unwrap_or_default();
            if let Some(link) = image.link.as_deref().filter(|_| key != 0) {
                self.links.entry(key).or_insert_with(|| PathBuf::from(link));
            }
            key
        });
        if let Some(first) = keys.next().filter(|key| *key != 0) {
            self.first.resize(row as usize, 0);
            self.first.push(first);
        }
        let more: Vec<u64> = keys.filter(|key| *key != 0).collect();
        if !more.is_empty() {
            self.more.insert(row, more);
        }
    }

    /// The numbers of the picture files of a row.
    fn of_row(&self, row: usize) -> impl Iterator<Item = u64> {
        let first = self.first.get(row).copied().filter(|key| *key != 0);
        first
            .into_iter()
            .chain(self.more.get(&(row as u32)).into_iter().flatten().copied())
    }

    /// Whether a picture file of the row is missing.
    fn is_gone(&self, row: usize, present: &Present) -> bool {
        self.of_row(row).any(|key| !present.has(key, &self.links))
    }
}

/// The parts of an item that determine its pictures.
#[derive(Deserialize)]
struct Lean<'l> {
    #[serde(borrow)]
    dataset: Cow<'l, str>,
    #[serde(borrow, default)]
    images: Vec<LeanImage<'l>>,
    #[serde(borrow, default)]
    prompt: Option<Cow<'l, str>>,
    #[serde(borrow, default)]
    negative_prompt: Option<Cow<'l, str>>,
    #[serde(default)]
    pair: Option<LeanPair>,
    #[serde(default)]
    extra: Option<LeanExtra>,
}

/// Some forms store it among the record's extra fields.
#[derive(Deserialize)]
struct LeanExtra {
    #[serde(default)]
    draft: serde_json::Value,
}

#[derive(Deserialize)]
struct LeanImage<'l> {
    #[serde(borrow)]
    name: Cow<'l, str>,
    #[serde(borrow, default)]
    hash: Option<Cow<'l, str>>,
    #[serde(borrow, default)]
    link: Option<Cow<'l, str>>,
    #[serde(default)]
    draft: bool,
    #[serde(default)]
    unreadable: Option<serde::de::IgnoredAny>,
}

#[derive(Deserialize)]
struct LeanPair {
    side: Side,
}

/// The names of the two pictures in the side-by-side picture `name`, with MVP-Bench's endings.
pub fn sides(name: &str) -> Option<[String; 2]> {
    let (stem, ext) = name.rsplit_once('.')?;
    let stem = stem.strip_suffix("_concat")?;
    Some([format!("{stem}_s.{ext}"), format!("{stem}_e.{ext}")])
}

/// The two lines of a prompt for two pictures.
pub fn lines(prompt: &str) -> Option<[&str; 2]> {
    let (first, second) = prompt.split_once('\n')?;
    (!second.contains('\n')).then_some([first, second])
}

#[derive(Default)]
struct Reading {
    pictures: Vec<Picture>,
    known: HashMap<(u64, u64), u32>,
    prompts: HashMap<u64, u64>,
    by_row: Vec<u32>,
    disagree: u64,
}

impl Reading {
    fn picture(
        &mut self,
        key: u64,
        prompt: u64,
        row: u32,
        words: Words,
        sides: Option<[u32; 2]>,
    ) -> u32 {
        let next = self.pictures.len() as u32;
        let at = *self.known.entry((key, prompt)).or_insert(next);
        if at == next {
            self.pictures.push(Picture {
                key,
                prompt,
                row,
                words,
                sides,
                first: 0,
                count: 0,
            });
        }
        at
    }

    fn item(&mut self, row: u32, item: &Lean<'_>) -> u32 {
        let Some(image) = item.images.first() else {
            return NONE;
        };
        if image.hash.is_some() {
            return if item.images.iter().any(|i| i.unreadable.is_some()) {
                UNREADABLE
            } else {
                IMPORTED
            };
        }
        let Some(text) = item.prompt.as_deref().filter(|p| !p.trim().is_empty()) else {
            return NONE;
        };
        let negative = item.negative_prompt.as_deref();
        let (key, prompt) = (
            picture_key(&item.dataset, &image.name),
            prompt_key(text, negative),
        );
        if *self.prompts.entry(key).or_insert(prompt) != prompt {
            self.disagree += 1;
        }
        let cross = item.pair.as_ref().is_some_and(|p| p.side == Side::Cross);
        let both = sides(&image.name).zip(lines(text)).filter(|_| cross);
        let Some((names, lines)) = both else {
            return self.picture(key, prompt, row, Words::Whole, None);
        };
        let mut side = |at: usize, words| {
            let key = picture_key(&item.dataset, &names[at]);
            self.picture(key, prompt_key(lines[at], negative), row, words, None)
        };
        let sides = [side(0, Words::First), side(1, Words::Second)];
        self.picture(key, prompt, row, Words::Both, Some(sides))
    }
}

impl RequestedImages {
    /// Reads all items.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Corrupt`] if texts are damaged, and [`ErrorKind::Cancelled`].
    pub fn read(catalog: &Catalog, cancel: Cancel<'_>) -> Result<RequestedImages> {
        let mut files = Files::default();
        let mut reading = Reading {
            by_row: Vec::with_capacity(catalog.len()),
            ..Reading::default()
        };
        catalog.each_line(0, &mut |row, line| {
            if row % STEP == 0 {
                cancel.check()?;
            }
            let item: Lean<'_> = parse_item(row, line)?;
            let picture = reading.item(row as u32, &item);
            files.item(row as u32, &item);
            reading.by_row.push(picture);
            Ok(true)
        })?;
        let Reading {
            mut pictures,
            by_row,
            disagree,
            ..
        } = reading;
        for at in by_row.iter().filter(|at| **at < UNREADABLE) {
            pictures[*at as usize].count += 1;
        }
        let mut next = 0;
        for picture in &mut pictures {
            picture.first = next;
            next += std::mem::take(&mut picture.count);
        }
        let mut rows = vec![0; next as usize];
        for (row, at) in by_row
            .iter()
            .enumerate()
            .filter(|(_, at)| **at < UNREADABLE)
        {
            let picture = &mut pictures[*at as usize];
            rows[(picture.first + picture.count) as usize] = row as u32;
            picture.count += 1;
        }
        Ok(RequestedImages {
            edition: catalog.edition(),
            pictures,
            rows,
            by_row,
            disagree,
            files,
        })
    }

    /// The pictures, in the order of the items.
    pub fn pictures(&self) -> &[Picture] {
        &self.pictures
    }

    /// The rows of the items that show a picture.
    pub fn rows(&self, picture: &Picture) -> &[u32] {
        let first = picture.first as usize;
        self.rows
            .get(first..first + picture.count as usize)
            .unwrap_or_default()
    }

    /// The position of the picture of the item in `row`.
    pub fn of_row(&self, row: u32) -> Option<u32> {
        self.by_row
            .get(row as usize)
            .copied()
            .filter(|at| *at < UNREADABLE)
    }

    /// Whether the picture of the item in `row` was imported with it.
    pub fn is_imported(&self, row: u32) -> bool {
        matches!(self.by_row.get(row as usize), Some(&IMPORTED | &UNREADABLE))
    }

    pub fn len(&self) -> usize {
        self.by_row.len()
    }

    pub fn is_empty(&self) -> bool {
        self.by_row.is_empty()
    }

    /// Number of items whose prompt for a picture differs from that of the first item with the
    /// picture.
    pub fn disagree(&self) -> u64 {
        self.disagree
    }

    /// Pictures that were linked rather than copied, by file number.
    pub fn links(&self) -> &HashMap<u64, PathBuf> {
        &self.files.links
    }

    /// Rows of items with a missing picture file.
    pub fn gone(&self, made: &Pictures, present: &Present) -> Vec<u32> {
        let is_gone = |picture: &Picture| {
            made.current(picture.key, picture.prompt)
                .is_some_and(|e| !present.has(e.file(), &self.files.links))
        };
        let gone: Vec<bool> = self.pictures.iter().map(is_gone).collect();
        let of_row = |(row, at): (usize, &u32)| match *at {
            at if at < UNREADABLE => gone[at as usize],
            _ => self.files.is_gone(row, present),
        };
        let rows = self.by_row.iter().enumerate().filter(|row| of_row(*row));
        rows.map(|(row, _)| row as u32).collect()
    }

    /// The picture state of each item. Without `present`, all recorded files count as existing, and
    /// those not in `damaged` as intact.
    pub fn states(
        &self,
        made: &Pictures,
        present: Option<&Present>,
        damaged: &HashSet<u64>,
    ) -> Vec<PictureState> {
        let is_gone = |key: u64| present.is_some_and(|p| !p.has(key, &self.files.links));
        let of = |picture: &Picture| match made.current(picture.key, picture.prompt) {
            Some(entry) if is_gone(entry.file()) => PictureState::Missing,
            Some(entry) if damaged.contains(&entry.file()) => PictureState::Broken,
            Some(entry) if entry.draft => PictureState::Draft,
            Some(_) => PictureState::Yes,
            None => PictureState::Missing,
        };
        let states: Vec<PictureState> = self.pictures.iter().map(of).collect();
        let of_row = |(row, at): (usize, &u32)| match *at {
            NONE => PictureState::None,
            IMPORTED | UNREADABLE if present.is_some_and(|p| self.files.is_gone(row, p)) => {
                PictureState::Missing
            }
            IMPORTED if self.files.of_row(row).any(|key| damaged.contains(&key)) => {
                PictureState::Broken
            }
            IMPORTED if self.files.drafts.contains(&(row as u32)) => PictureState::Draft,
            IMPORTED => PictureState::Yes,
            UNREADABLE => PictureState::Unreadable,
            at => states[at as usize],
        };
        self.by_row.iter().enumerate().map(of_row).collect()
    }
}
