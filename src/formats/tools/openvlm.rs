//! `OpenVLM.json`, the data of the Open VLM leaderboard: a description of each model, and its
//! published scores.

use std::path::Path;

use serde_json::Value;

use crate::cells;
use crate::input::open;
use crate::rows::object::Object;
use benchtop_model::Result;
use benchtop_model::card::ModelCard;

/// The models in the file at `path`, in order. `N/A` and empty values are left out.
///
/// # Errors
/// [`benchtop_model::ErrorKind::Input`] with the line, and I/O errors.
pub fn read(path: &Path) -> Result<Vec<ModelCard>> {
    let mut cards = Vec::new();
    let mut object = Object::new(open(path)?).map_err(|p| p.file(path))?;
    let place = |p: benchtop_model::Error| p.file(path);
    while let Some(name) = object.next_name().map_err(place)? {
        if name == "results" && object.enter(b'{').map_err(place)? {
            while let Some(model) = object.next_name().map_err(place)? {
                cards.push(card(model, &object.take().map_err(place)?));
            }
            break;
        }
        object.skip().map_err(place)?;
    }
    Ok(cards)
}

fn card(name: String, record: &Value) -> ModelCard {
    let meta = record.get("META").cloned().unwrap_or_default();
    let of = |field: &str| {
        meta.get(field)
            .and_then(cells::text)
            .filter(|text| !text.is_empty() && text != "N/A")
    };
    let url = meta
        .pointer("/Method/1")
        .and_then(cells::text)
        .filter(|url| url.starts_with("http"));
    ModelCard {
        name,
        url,
        parameters: of("Parameters"),
        language_model: of("Language Model"),
        vision_model: of("Vision Model"),
        org: of("Org"),
        time: of("Time"),
        open_source: of("OpenSource"),
        verified: of("Verified"),
    }
}
