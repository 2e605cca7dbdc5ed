//! Numbers the inputs of scorers. The same picture and text have the same number, so that they are
//! scored once, and again only when they change.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::kin::Kin;
use crate::generate::image_index::RequestedImages;
use benchtop_model::cancel::Cancel;
use benchtop_model::generated_image::file_key;
use benchtop_model::scoring::Scorer;
use benchtop_model::{Derivation, Result};
use benchtop_store::Catalog;
use benchtop_store::catalog::{CatalogVersion, parse_item};
use benchtop_store::columns::id_hash;
use benchtop_store::pictures::Pictures;

/// Number of items between cancellation checks.
const STEP: usize = 4096;

/// The texts of all items, and their imported pictures.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Texts {
    /// The catalog version.
    pub edition: CatalogVersion,
    /// The number of the item's imported picture, or 0.
    imported: Vec<u64>,
    /// The number of its other pictures, or 0.
    others: Vec<u64>,
    /// The number of its prompt, or 0.
    prompt: Vec<u64>,
    /// The number of question, options, and answer.
    question: Vec<u64>,
    /// Derived items and variants, by row.
    derived: Arc<HashMap<u32, Derived>>,
}

/// What a derived item or variant adds to the inputs of scorers.
#[derive(Clone, Debug, Default, PartialEq)]
struct Derived {
    /// The row of its original, if the project has it.
    original: Option<u32>,
    /// The number of the picture that its picture was made from, or 0.
    source: u64,
    /// The number of its edit and its context, or 0.
    texts: u64,
    /// The number of its attack word and where it was written, or 0.
    word: u64,
}

/// What a print attack wrote, with all parameters.
fn attack(derivation: &Derivation) -> Option<String> {
    derivation.attack_word()?;
    serde_json::to_string(&derivation.parameters).ok()
}

impl Derived {
    /// Those of an item in `row`; `None` if it adds nothing.
    fn of(line: &Lean<'_>, row: u32, catalog: &Catalog) -> Option<Derived> {
        let variant = line.variant.as_ref().and_then(|v| v.of.as_deref());
        let from = line.derivation.as_ref();
        let original = variant.or_else(|| Some(from?.source.id.as_str()))?;
        let number = |text: Option<&str>| text.map_or(0, |text| id_hash(text).max(1));
        let edit = number(from.and_then(|d| d.edit.as_deref()));
        let context = number(from.and_then(|d| d.context.as_deref()));
        let there = catalog.row_of_hash(id_hash(original));
        let derived = Derived {
            original: there.filter(|there| *there != row),
            source: from
                .and_then(|d| file_key(d.picture.as_deref()?))
                .unwrap_or_default(),
            texts: if edit == 0 && context == 0 {
                0
            } else {
                mix(edit, context)
            },
            word: number(from.and_then(attack).as_deref()),
        };
        (derived != Derived::default()).then_some(derived)
    }
}

#[derive(Deserialize)]
struct LeanVariant<'l> {
    #[serde(borrow, default)]
    of: Option<Cow<'l, str>>,
}

#[derive(Deserialize)]
struct Lean<'l> {
    #[serde(borrow, default)]
    images: Vec<LeanImage<'l>>,
    #[serde(borrow, default)]
    prompt: Option<Cow<'l, str>>,
    #[serde(borrow)]
    question: Cow<'l, str>,
    #[serde(borrow, default)]
    options: Option<&'l RawValue>,
    #[serde(borrow, default)]
    answer: Cow<'l, str>,
    #[serde(borrow, default)]
    variant: Option<LeanVariant<'l>>,
    #[serde(default)]
    derivation: Option<Derivation>,
}

#[derive(Deserialize)]
struct LeanImage<'l> {
    #[serde(borrow, default)]
    hash: Option<Cow<'l, str>>,
}

/// Combines two numbers. Never 0.
fn mix(a: u64, b: u64) -> u64 {
    let mut z = a.rotate_left(32) ^ b.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (z ^ (z >> 31)).max(1)
}

impl Texts {
    /// Reads all items.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Corrupt`] if texts are damaged, and [`ErrorKind::Cancelled`].
    pub fn read(catalog: &Catalog, cancel: Cancel<'_>) -> Result<Texts> {
        let mut texts = Texts {
            edition: catalog.edition(),
            ..Texts::default()
        };
        let mut derived = HashMap::new();
        catalog.each_line(0, &mut |row, line| {
            if row % STEP == 0 {
                cancel.check()?;
            }
            let item: Lean = parse_item(row, line)?;
            let file =
                |image: &LeanImage| image.hash.as_deref().and_then(file_key).unwrap_or_default();
            texts.imported.push(item.images.first().map_or(0, file));
            texts.others.push(
                item.images
                    .iter()
                    .skip(1)
                    .fold(0, |all, image| mix(all, file(image))),
            );
            let prompt = item.prompt.as_deref().filter(|p| !p.trim().is_empty());
            texts.prompt.push(prompt.map_or(0, |p| id_hash(p).max(1)));
            let options = item.options.map_or("", RawValue::get);
            texts.question.push(mix(
                mix(id_hash(&item.question), id_hash(options)),
                id_hash(&item.answer),
            ));
            let own = Derived::of(&item, row as u32, catalog);
            derived.extend(own.map(|own| (row as u32, own)));
            Ok(true)
        })?;
        texts.derived = Arc::new(derived);
        Ok(texts)
    }
}

/// The present inputs of each item.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Inputs {
    /// The file number of its first picture, or 0.
    pub picture: Vec<u64>,
    others: Vec<u64>,
    prompt: Vec<u64>,
    question: Vec<u64>,
    derived: Arc<HashMap<u32, Derived>>,
}

impl Inputs {
    /// The inputs with the present pictures.
    pub fn new(texts: &Texts, named: &RequestedImages, made: &Pictures) -> Inputs {
        let of: Vec<u64> = named
            .pictures()
            .iter()
            .map(|p| {
                made.current(p.key, p.prompt)
                    .map_or(0, |entry| entry.file())
            })
            .collect();
        let picture = texts.imported.iter().enumerate().map(|(row, imported)| {
            match named.of_row(row as u32) {
                Some(at) if *imported == 0 => of.get(at as usize).copied().unwrap_or_default(),
                _ => *imported,
            }
        });
        Inputs {
            picture: picture.collect(),
            others: texts.others.clone(),
            prompt: texts.prompt.clone(),
            question: texts.question.clone(),
            derived: texts.derived.clone(),
        }
    }

    /// The row of the original of a derived item or variant.
    pub fn original(&self, row: u32) -> Option<u32> {
        self.derived.get(&row)?.original
    }

    /// The pictures that were derived from one another.
    pub fn kin(&self) -> Kin {
        let mut kin = Kin::default();
        let of = |row: u32| self.picture.get(row as usize).copied().unwrap_or_default();
        for (row, derived) in self.derived.iter() {
            kin.add(of(*row), derived.source);
            kin.add(of(*row), derived.original.map_or(0, of));
        }
        kin
    }

    /// The number of what a judge sees of the original and of the derivation.
    fn of_original(&self, row: usize) -> Option<u64> {
        let derived = self.derived.get(&u32::try_from(row).ok()?)?;
        let there = derived.original.map(|row| row as usize);
        let of = |list: &[u64]| there.and_then(|row| list.get(row)).copied();
        let number = |list: &[u64]| of(list).unwrap_or_default();
        let original = mix(number(&self.picture), number(&self.question));
        Some(mix(original, derived.texts))
    }

    pub fn len(&self) -> usize {
        self.picture.len()
    }

    pub fn is_empty(&self) -> bool {
        self.picture.is_empty()
    }

    /// The number of the inputs of `scorer` in this row. `None` if they are missing (no picture, no
    /// prompt).
    pub fn key(&self, scorer: &Scorer, row: usize) -> Option<u64> {
        let present = |list: &[u64]| list.get(row).copied().filter(|n| *n != 0);
        let picture = || present(&self.picture);
        let with = |a: Option<u64>, b: Option<u64>| Some(mix(a?, b?));
        match scorer {
            Scorer::Clip | Scorer::Siglip | Scorer::Alignment => {
                with(picture(), present(&self.prompt))
            }
            Scorer::Safety | Scorer::Duplicate | Scorer::Flatness => picture(),
            Scorer::Ocr => {
                let own = with(picture(), present(&self.question))?;
                let derived = u32::try_from(row).ok().and_then(|r| self.derived.get(&r));
                match derived.map_or(0, |derived| derived.word) {
                    0 => Some(own),
                    word => Some(mix(own, word)),
                }
            }
            Scorer::Judge(_) => {
                let pictures = mix(
                    picture()?,
                    self.others.get(row).copied().unwrap_or_default(),
                );
                let texts = mix(
                    present(&self.question)?,
                    self.prompt.get(row).copied().unwrap_or_default(),
                );
                let own = mix(pictures, texts);
                Some(self.of_original(row).map_or(own, |of| mix(own, of)))
            }
            Scorer::Contamination => {
                let own = with(picture(), present(&self.question))?;
                Some(mix(own, self.prompt.get(row).copied().unwrap_or_default()))
            }
            Scorer::Leakage => present(&self.question),
            // Computed from predictions, without jobs.
            Scorer::Consensus | Scorer::Blind => None,
        }
    }
}
