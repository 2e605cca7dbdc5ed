//! What a derivation records of an edit, as parameters by name.

use benchtop_model::derivation::{BOXES, EDITS, PLACE, SEED, SIZE};
use benchtop_model::generation::{Capabilities, Fingerprint};
use serde_json::{Value, json};

use super::edit::Edit;
use super::prepared::Prepared;
use crate::scenario::Parameters;

/// Most bytes of the painter's notes. They come from servers.
const NOTES_LIMIT: usize = 1 << 10;

/// The parameters of an edit. `print` is the fingerprint of the painter under the settings of this
/// edit; it does not name the picture that the painter got, so that is added.
pub(super) fn parameters(
    edit: &Edit,
    prepared: &Prepared,
    painter: &Capabilities,
    print: &Fingerprint,
    notes: &[String],
) -> Parameters {
    let (width, height) = prepared.size;
    let (grow, feather) = prepared.edge;
    let task = &prepared.task;
    let print = print.clone().with("start", prepared.start());
    let mut all = Parameters::new();
    let mut add = |name: &str, value: Value| drop(all.insert(name.into(), value));
    add("strategy", edit.strategy().name().into());
    if let Some(object) = edit.object() {
        add("object", object.into());
        add(BOXES, json!(edit.boxes()));
    }
    if let Edit::Extend { ratio } = edit {
        add("ratio", ratio.value().into());
    }
    add(PLACE, json!([prepared.at.0, prepared.at.1]));
    add(SIZE, json!([width, height]));
    add("prompt", task.prompt.as_str().into());
    if let Some(negative) = &task.negative_prompt {
        add("negative-prompt", negative.as_str().into());
    }
    add("grow", grow.into());
    add("feather", feather.into());
    add(
        "repainted",
        json!((prepared.repainted() * 1e4).round() / 1e4),
    );
    add("painter", painter.name.as_str().into());
    add("fingerprint", print.short().into());
    let mut room = NOTES_LIMIT;
    let notes = notes.iter().take_while(|note| {
        let fits = note.len() <= room;
        room = room.saturating_sub(note.len());
        fits
    });
    let notes: Vec<&String> = notes.collect();
    if !notes.is_empty() {
        add("notes", json!(notes));
    }
    add(SEED, task.seed.into());
    all
}

/// The parameters of several edits, one after another on the result of the one before, such as `V3(V1)`.
/// The seed is that of the last one.
pub fn chained(edits: &[Parameters]) -> Parameters {
    match edits {
        [] => Parameters::new(),
        [one] => one.clone(),
        [.., last] => {
            let mut all = Parameters::new();
            let list = edits.iter().cloned().map(Value::Object).collect();
            all.insert(EDITS.into(), Value::Array(list));
            if let Some(seed) = last.get(SEED) {
                all.insert(SEED.into(), seed.clone());
            }
            all
        }
    }
}
