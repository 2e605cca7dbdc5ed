//! Derived items: items made from other items by a corruption, a print attack, an edit, or another
//! wording.
//!
//! Whoever derives an item does this:
//!
//! 1. Read the source with its pictures located, and describe the method with
//!    [`Derivation::of`]; add parameters, edit, context, tries, ruling, and transcript.
//! 2. Store the bytes of a new picture with [`keep_picture`]. It is on disk when the call returns.
//!    The questions of one picture share the result of one call.
//! 3. Make the item with [`NewItem::item`]. Its id depends on the source and the target only, so the
//!    same work repeated gives the same id.
//! 4. Make new items part of the project as `publish` does, and changed ones with [`revised`].

pub mod publish;

use benchtop_files::project::Project;
use benchtop_model::{Derivation, Error, ImageRef, Item, Key, Result, Variant};
use benchtop_store::Catalog;

use crate::generate::png;
use crate::revise::{Batch, Revised};

/// An item to derive.
#[derive(Clone, Debug)]
pub struct NewItem<'a> {
    /// The source, with its pictures located.
    pub source: &'a Item,
    /// Data set of the new item.
    pub dataset: &'a str,
    /// Name of the variant, which is also the column of the board.
    pub variant: &'a str,
    /// Tells several items apart that are derived from one source in this data set, such as
    /// `gaussian-noise-3`; empty for the only one.
    pub suffix: &'a str,
    /// The pictures of the new item in order; empty for those of the source.
    pub pictures: Vec<ImageRef>,
    /// Whether anything was changed. VLB keeps the original after five refused tries.
    pub modified: bool,
    pub derivation: Derivation,
}

impl NewItem<'_> {
    /// The new item: the source with another id, its pictures, the variant, and the derivation. It
    /// keeps the form of the source, so that exports in this form take both.
    ///
    /// # Errors
    ///
    /// [`Error::input`] for a derivation of another item or another text of it, with a wrong value,
    /// or for a picture that is not stored.
    pub fn item(self) -> Result<Item> {
        let NewItem {
            source,
            dataset,
            variant,
            suffix,
            pictures,
            modified,
            derivation,
        } = self;
        if (&derivation.source.id, &derivation.source.digest) != (&source.id, &source.digest()) {
            let what = format!("the derivation is not of `{}` as it is now", source.id);
            return Err(Error::input(what).field("derivation.source"));
        }
        if let Some(lost) = pictures.iter().find(|image| image.stored().is_none()) {
            let what = format!("the picture `{}` is not stored", lost.name);
            return Err(Error::input(what).field("images"));
        }
        let key = match suffix {
            "" => source.key.clone(),
            suffix => Key::Text(format!("{}~{suffix}", source.key)),
        };
        let id = format!("{dataset}/{key}");
        derivation.check(&id)?;
        let images = match pictures.is_empty() {
            true => source.images.clone(),
            false => pictures,
        };
        // Without a file, a generation job would make another picture for the new item.
        if let Some(lost) = images.iter().find(|image| image.hash.is_none()) {
            let what = format!("the picture `{}` of the source is missing", lost.name);
            return Err(Error::input(what).field("images"));
        }
        let of = source.original().unwrap_or(&source.id).to_string();
        Ok(Item {
            id,
            dataset: dataset.into(),
            key,
            images,
            variant: Some(Variant {
                name: variant.into(),
                of: Some(of),
                modified: Some(modified),
            }),
            provenance: None,
            derivation: Some(Box::new(derivation)),
            edited: None,
            ..source.clone()
        })
    }
}

/// Durably stores a picture that was made from `source`, as generated pictures are stored, and
/// returns its reference. It has the rights of the source: what was restricted stays restricted.
/// `folder` comes before its name, so that exports tell it from the source. `bytes` are a PNG.
///
/// # Errors
///
/// If a write fails. Then no part of the file is left.
pub fn keep_picture(
    project: &Project,
    source: &ImageRef,
    folder: &str,
    bytes: &[u8],
) -> Result<ImageRef> {
    let named = derived_name(source, folder);
    let (image, _) = png::keep(project, &named.name, false, bytes)?;
    Ok(ImageRef {
        hash: image.hash,
        ext: image.ext,
        ..named
    })
}

/// The reference of a picture that was made from `source`, without the hash of its file.
pub(crate) fn derived_name(source: &ImageRef, folder: &str) -> ImageRef {
    let stem = match source.name.rsplit_once('.') {
        Some((stem, ending)) if !ending.contains('/') => stem,
        _ => &source.name,
    };
    ImageRef {
        name: format!("{folder}/{stem}.png"),
        ext: Some("png".into()),
        draft: source.draft,
        rights: source.rights.clone(),
        ..ImageRef::default()
    }
}

/// Items derived again, as revisions of the rows that have their ids. An item that annotators see
/// unchanged, to the byte of its pictures, keeps its verdicts. An item that did not change at all is
/// left out.
///
/// # Errors
///
/// [`Error::not_found`] for an item that the project does not have, and failed reads and writes.
pub fn revised(project: &Project, catalog: &Catalog, items: &[Item]) -> Result<Revised> {
    let mut columns = catalog.columns().clone();
    let mut changed = Batch::new(project, "revised", false)?;
    let mut kept = Batch::new(project, "rewritten", false)?;
    for item in items {
        let row = catalog.row_of(&item.id)?;
        let unknown = || Error::not_found(format!("the project has no item `{}`", item.id));
        let row = row.ok_or_else(unknown)?;
        let before = catalog.item(row as usize)?;
        if before == *item {
            continue;
        }
        columns.replace(row as usize, item)?;
        match before.digest() == item.digest() {
            true => kept.push(row, item)?,
            false => changed.push(row, item)?,
        }
    }
    let rows = (changed.rows.clone(), kept.rows.clone());
    let mut fresh = Vec::new();
    for (batch, keeps) in [(changed, false), (kept, true)] {
        fresh.extend(batch.finish(keeps, "derived again")?);
    }
    Ok(Revised {
        columns,
        fresh,
        changed: rows.0,
        kept: rows.1,
        edit: None,
    })
}

#[cfg(test)]
mod tests;
