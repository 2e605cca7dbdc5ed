//! Filters rows by text.

use serde::Deserialize;

use crate::Catalog;
use benchtop_model::filter::{Contains, TextField};
use benchtop_model::{Error, Result};
use benchtop_search::arena::{Arena, lower};
use benchtop_search::containing;

/// The texts of an item that a filter can search.
#[derive(Deserialize)]
struct Texts {
    id: String,
    #[serde(default)]
    prompt: Option<String>,
    question: String,
    #[serde(default)]
    options: Vec<OptionText>,
    #[serde(default)]
    answer: String,
}

#[derive(Deserialize)]
struct OptionText {
    text: String,
}

impl Texts {
    /// `needle` is in lower case, except for ids.
    fn contains(&self, field: TextField, needle: &str) -> bool {
        let has = |text: &str| lower(text).collect::<String>().contains(needle);
        match field {
            TextField::Id => self.id == needle,
            TextField::Question => has(&self.question),
            TextField::Prompt => self.prompt.as_deref().is_some_and(has),
            TextField::Option => self.options.iter().any(|option| has(&option.text)),
            TextField::Answer => has(&self.answer),
            TextField::Any => {
                let mut fields = TextField::words().filter(|field| *field != TextField::Id);
                has(&self.id) || fields.any(|field| self.contains(field, needle))
            }
        }
    }
}

/// Keeps the `rows` whose item contains one of the texts, ignoring case. `rows` must be in
/// ascending order.
///
/// # Errors
/// [`Error::corrupt`] if the texts are damaged.
pub fn retain(
    catalog: &Catalog,
    arena: &Arena,
    rows: &mut Vec<u32>,
    wanted: &Contains,
) -> Result<()> {
    let mut kept = Vec::new();
    for raw in &wanted.needles {
        let needle: String = lower(raw).collect();
        let found = containing(arena, &needle, rows);
        // The arena joins fields with spaces, so a text with a space can match across two fields.
        if wanted.field == TextField::Any && !needle.contains(' ') {
            kept.extend(found);
        } else {
            // An id must match as a whole, including case.
            let needle = if wanted.field == TextField::Id {
                raw
            } else {
                &needle
            };
            verify(catalog, &found, wanted.field, needle, &mut kept)?;
        }
    }
    kept.sort_unstable();
    kept.dedup();
    *rows = kept;
    Ok(())
}

/// Adds the `candidates` whose `field` really contains `needle`. They must be in ascending order.
fn verify(
    catalog: &Catalog,
    candidates: &[u32],
    field: TextField,
    needle: &str,
    kept: &mut Vec<u32>,
) -> Result<()> {
    catalog.each_of(candidates, &mut |row, line| {
        let corrupt = |e| Error::corrupt(format!("cannot parse item #{}: {e}", row + 1));
        let texts: Texts = serde_json::from_slice(line).map_err(corrupt)?;
        if texts.contains(field, needle) {
            kept.push(row);
        }
        Ok(())
    })
}

#[derive(Deserialize)]
struct ItemRotation {
    #[serde(default)]
    rotation: Option<benchtop_model::item::Rotation>,
}

/// Keeps the `rows` with one of these rotations: a position from 1, the name of a rotation set, or
/// `none`. `rows` must be in ascending order.
///
/// # Errors
/// [`Error::corrupt`] if the texts are damaged.
pub fn retain_rotations(catalog: &Catalog, rows: &mut Vec<u32>, wanted: &[String]) -> Result<()> {
    let mut kept = Vec::new();
    catalog.each_of(rows, &mut |row, line| {
        let corrupt = |e| Error::corrupt(format!("cannot parse item #{}: {e}", row + 1));
        let ItemRotation { rotation } = serde_json::from_slice(line).map_err(corrupt)?;
        let passes = |wanted: &String| match &rotation {
            None => wanted == "none",
            Some(rotation) => *wanted == rotation.set || wanted.parse() == Ok(rotation.index),
        };
        if wanted.iter().any(passes) {
            kept.push(row);
        }
        Ok(())
    })?;
    *rows = kept;
    Ok(())
}
