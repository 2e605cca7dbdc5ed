//! Items that may be about the other picture of a pair.

use std::sync::Arc;

use super::ReviewPane;
use benchtop_model::{Item, Side};

/// The greatest distance in items between the two questions of an MVP-Bench pair.
pub const PARTNER_AWAY: u32 = 2;

impl ReviewPane {
    /// Items near the current one that may be about the other picture of its pair.
    pub(super) fn may_be_partners(&self) -> Vec<u32> {
        let alone = |item: &Item| {
            item.images.len() == 1 && item.pair.as_ref().is_some_and(|p| p.side != Side::Cross)
        };
        let Some(number) = self
            .number()
            .filter(|_| self.current().is_some_and(|l| alone(&l.item)))
        else {
            return Vec::new();
        };
        let range = number.saturating_sub(PARTNER_AWAY).max(1)
            ..=(number + PARTNER_AWAY).min(self.queue.items());
        range.filter(|n| *n != number).collect()
    }

    /// The loaded items that belong to a pair, or that the current item is a variant of.
    pub fn paired(&self) -> Vec<Arc<Item>> {
        let original = self.current().and_then(|l| l.original.as_ref());
        let original = original.map(|original| original.number);
        let items = self.items.values().filter_map(|l| l.as_ref().ok());
        let paired = items.filter(|l| l.item.pair.is_some() || Some(l.number) == original);
        paired.map(|l| l.item.clone()).collect()
    }
}

#[cfg(test)]
#[path = "pair_tests.rs"]
mod tests;
