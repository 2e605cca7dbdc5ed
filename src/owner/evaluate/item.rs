//! Reads the item of a question.

use crate::context::OwnerContext;
use crate::queries;
use benchtop_model::{Error, Item, Result};

/// An item with its generated pictures.
pub(super) fn item(shared: &OwnerContext, number: u32) -> Result<Item> {
    let json = queries::line(shared, number.saturating_sub(1))?;
    serde_json::from_str(&json)
        .map_err(|e| Error::corrupt(format!("cannot read item #{number}: {e}")))
}
