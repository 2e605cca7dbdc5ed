//! Where an item comes from, as far as the annotator may see it.

use super::items::changed;
use super::line;
use crate::dispatch::{Query, Watch};
use crate::visibility::AnnotatorView;
use benchtop_model::lineage::Lineage;
use benchtop_model::{Error, Item, Result};
use benchtop_pipeline::lineage::{Seen, chain, steps};
use benchtop_protocol::wire::request;

/// An item of a lineage, and its line.
fn seen(view: &AnnotatorView, row: u32) -> Result<(Seen, String)> {
    let json = view.visible(row, line(view.shared(), row)?)?;
    let item: Item = serde_json::from_str(&json)
        .map_err(|e| Error::corrupt(format!("item #{} is damaged: {e}", row + 1)))?;
    // Seeds and prompts of its pictures could reveal the answer that is asked for.
    let shows_generation = !view.rounds.asks_answer(view.who(), row);
    let seen = Seen {
        item,
        shows_generation,
    };
    Ok((seen, json))
}

impl Query for request::Lineage {
    fn answer(self, view: &AnnotatorView, watch: &mut Watch<'_>) -> Result<Lineage> {
        let number = self.number;
        let unknown = || Error::not_found(format!("unknown item #{number}"));
        let row = number.checked_sub(1).ok_or_else(unknown)?;
        let shared = view.shared();
        let (first, json) = seen(view, row)?;
        let id = first.item.id.clone();
        let catalog = shared.items.catalog();
        let mut source = |id: &str| -> Result<Option<Seen>> {
            watch.cancel.check()?;
            let row = catalog.row_of(id)?;
            row.map(|row| Ok(seen(view, row)?.0)).transpose()
        };
        let chain = chain(first, &mut source)?;
        let steps = steps(&chain, &shared.items.pictures());
        Ok(Lineage {
            number,
            id,
            stale: changed(shared, &json),
            steps,
        })
    }
}
