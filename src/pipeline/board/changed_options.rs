//! Questions whose options changed after answers arrived, so that letters stand for other options.

use std::borrow::Cow;
use std::collections::HashMap;

use serde::Deserialize;

use super::cache::Places;
use benchtop_metrics::score::Place;
use benchtop_model::Result;
use benchtop_model::hash::of_texts;
use benchtop_store::{Catalog, catalog};

/// The part of an item's text to read.
#[derive(Deserialize)]
struct ItemText<'a> {
    #[serde(borrow, default)]
    options: Vec<Text<'a>>,
}

#[derive(Deserialize)]
struct Text<'a> {
    #[serde(borrow)]
    text: Cow<'a, str>,
}

impl ItemText<'_> {
    fn hash(&self) -> blake3::Hash {
        of_texts(self.options.iter().map(|option| &*option.text))
    }
}

/// The number of the import that a file belongs to.
fn import_number(file: &str) -> u64 {
    file.split('-')
        .next()
        .and_then(|n| n.parse().ok())
        .unwrap_or(0)
}

/// The earlier options of questions whose options changed.
#[derive(Default)]
pub(super) struct Changed {
    /// By row: import number and hash of the options, in order.
    rows: HashMap<u32, Vec<(u64, blake3::Hash)>>,
}

impl Changed {
    /// The changed questions of a project. Reads nothing if no item was revised after answers
    /// arrived.
    pub(super) fn of(catalog: &Catalog) -> Result<Changed> {
        let first = catalog
            .answers()
            .iter()
            .map(|answers| import_number(&answers.part.file))
            .min();
        let is_later = |file: &str| first.is_some_and(|first| import_number(file) > first);
        let mut found = Changed::default();
        if !catalog
            .revisions()
            .list
            .iter()
            .any(|revision| is_later(revision.file()))
        {
            return Ok(found);
        }
        catalog.each_text_of_revised(&mut |row, file, line| {
            let asked: ItemText = catalog::parse(line)?;
            let (texts, hash) = (found.rows.entry(row).or_default(), asked.hash());
            if texts.last().is_none_or(|(_, last)| *last != hash) {
                texts.push((import_number(file), hash));
            }
            Ok(())
        })?;
        found.rows.retain(|_, texts| texts.len() > 1);
        Ok(found)
    }

    /// The rows with an answer in these files that is older than the question's present options.
    pub(super) fn rows(&self, catalog: &Catalog, files: &[usize], places: &Places) -> Vec<u32> {
        if self.rows.is_empty() {
            return Vec::new();
        }
        let places = places.unpack();
        let is = |(row, texts): (&u32, &Vec<(u64, blake3::Hash)>)| {
            let place = places
                .get(*row as usize)
                .filter(|place| **place != Place::NONE)?;
            let at = import_number(
                &catalog
                    .answers()
                    .get(*files.get(usize::from(place.file))?)?
                    .part
                    .file,
            );
            let then = texts
                .iter()
                .rev()
                .find(|(import_number, _)| *import_number <= at)
                .or(texts.first())?;
            (then.1 != texts.last()?.1).then_some(*row)
        };
        self.rows.iter().filter_map(is).collect()
    }
}
