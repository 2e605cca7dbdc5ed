//! benchtop's own format: one complete [`Item`] per line as compact JSON.

use std::io::Write;

use super::fields;
use super::records::Raw;
use super::write;
use benchtop_model::{Error, Item, Result};

pub(super) fn item(raw: Raw<'_>) -> Result<Item> {
    let item: Item = serde_json::from_slice(raw.bytes).map_err(|e| raw.problem(&e))?;
    fields::check(&item)?;
    Ok(item)
}

/// Writes one item and a line break.
pub fn write(item: &Item, out: &mut dyn Write) -> Result<()> {
    let line =
        serde_json::to_vec(item).map_err(|e| Error::input(format!("cannot write as JSON: {e}")))?;
    write::raw(out, &line)?;
    write::raw(out, b"\n")
}
