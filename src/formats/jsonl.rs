//! benchtop's own format: one complete [`Item`] per line as compact JSON.

use std::io::Write;

use super::fields;
use super::format::Format;
use super::python_json;
use super::records::Raw;
use benchtop_model::{Error, Item, Result};

/// benchtop's own format.
pub(super) static ITEMS: Format = Format {
    name: "benchtop-jsonl",
    title: "benchtop JSONL",
    recognized_by: "`dataset`, `key`, `form`, `kind`",
    named_in: "inside",
    names_datasets: true,
    detect: |head| head.has_fields(&["dataset", "key", "form", "kind"]).into(),
    items: Some(|raw, _, out| out.push_back(item(raw))),
    ..Format::QUESTIONS
};

fn item(raw: Raw<'_>) -> Result<Item> {
    let item: Item = serde_json::from_slice(raw.bytes).map_err(|e| raw.problem(&e))?;
    fields::check(&item)?;
    Ok(item)
}

/// Writes one item and a line break.
pub fn write(item: &Item, out: &mut dyn Write) -> Result<()> {
    let line =
        serde_json::to_vec(item).map_err(|e| Error::input(format!("cannot write as JSON: {e}")))?;
    python_json::raw(out, &line)?;
    python_json::raw(out, b"\n")
}
