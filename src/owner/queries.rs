//! Handlers of queries about items, metadata, jobs and the leaderboard. They run on blocking threads, beside the writer.

mod analysis;
mod board_data;
mod comparison;
mod history;
mod item_lines;
mod items;
mod jobs;
mod list;
mod metadata;
mod results;
mod verdicts;

pub use board_data::{counted_of, from_predictions, right_of, scored};
use item_lines::resolved;
pub use list::numbers;

use super::context::OwnerContext;
use super::visibility::AnnotatorView;
use benchtop_model::Result;

/// The line of an item, its pictures found.
///
/// # Errors
/// [`Corrupt`](benchtop_model::ErrorKind::Corrupt) when the texts are damaged.
pub fn line(shared: &OwnerContext, row: u32) -> Result<String> {
    Ok(resolved(shared, shared.items.catalog().line(row as usize)?))
}

/// The revision of an item as it is shown: of a veiled one that of its text, since the last would tell that somebody decided.
pub fn rev(sight: &AnnotatorView, row: u32) -> u64 {
    let ledger = sight.items.ledger();
    if sight.veils(row) {
        ledger.text_rev(row)
    } else {
        ledger.row_rev(row)
    }
}
