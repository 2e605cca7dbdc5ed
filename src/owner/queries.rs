//! Handlers of queries about items, metadata, jobs, and the board. They run on lookup threads.

mod analysis;
mod board_data;
mod comments;
mod comparison;
mod error_labels;
mod history;
mod home;
mod item_lines;
mod items;
mod jobs;
mod lineage;
mod list;
mod metadata;
mod results;
mod verdicts;

pub use board_data::{counted_of, from_predictions, right_of, scored};
use item_lines::resolved;
pub use list::numbers;

use super::context::OwnerContext;
use super::visibility::AnnotatorView;
use benchtop_model::{Error, Item, Result};

/// The JSON line of an item, with the files of generated pictures.
///
/// # Errors
/// [`Corrupt`](benchtop_model::ErrorKind::Corrupt) if the stored texts are damaged.
pub fn line(shared: &OwnerContext, row: u32) -> Result<String> {
    Ok(resolved(shared, shared.items.catalog().line(row as usize)?))
}

/// The item with this number, with its generated pictures.
///
/// # Errors
/// As for [`line`].
pub fn item(shared: &OwnerContext, number: u32) -> Result<Item> {
    let json = line(shared, number.saturating_sub(1))?;
    serde_json::from_str(&json)
        .map_err(|e| Error::corrupt(format!("cannot read item #{number}: {e}")))
}

/// The revision of an item as the annotator sees it. For a blind item, this is the revision of its
/// text, because the last revision would reveal that somebody judged it.
pub fn rev(view: &AnnotatorView, row: u32) -> u64 {
    let ledger = view.items.ledger();
    if view.hides(row) {
        ledger.text_rev(row)
    } else {
        ledger.row_rev(row)
    }
}
