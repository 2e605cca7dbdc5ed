//! What was changed in a derived item, in words. Where it comes from in full is a page of its own.

use serde_json::{Map, Value};

use crate::theme::Role;
use crate::widgets::text::{clean, plural};
use benchtop_metrics::vlb::Strategy;
use benchtop_model::derivation::{BOXES, EDITS, SIZE};
use benchtop_model::{Derivation, Item};

/// Parameters of an edit of a picture that its words do not repeat: the lineage has them.
const OF_EDITS: [&str; 15] = [
    "strategy",
    "object",
    BOXES,
    "ratio",
    "place",
    SIZE,
    "prompt",
    "negative-prompt",
    "grow",
    "feather",
    "repainted",
    "painter",
    "fingerprint",
    "notes",
    "draft",
];

/// A label, a text, and its role.
pub(super) type Field = (&'static str, String, Role);

/// How an item was derived.
pub(super) fn fields(item: &Item) -> Vec<Field> {
    let Some(derivation) = &item.derivation else {
        return Vec::new();
    };
    let mut fields = Vec::new();
    let edits = edits(derivation);
    let said: Vec<String> = match edits.is_empty() {
        true => derivation.edit.iter().cloned().collect(),
        false => edits.iter().map(|edit| in_words(edit)).collect(),
    };
    let labels = std::iter::once("edit").chain(std::iter::repeat(" "));
    for (label, edit) in labels.zip(said) {
        fields.push((label, clean(&edit), Role::Text));
    }
    let context = derivation.context.as_deref().unwrap_or_default();
    fields.push(("context", clean(context), Role::Text));
    let variant = item.variant.as_ref();
    let is_kept = variant.is_some_and(|variant| variant.modified == Some(false));
    if is_kept {
        let text = "not modified: the original stands in";
        fields.push(("variant", text.into(), Role::Warn));
    }
    let shown = derivation.parameters.iter().filter(|(name, _)| {
        edits.is_empty() || !(*name == EDITS || OF_EDITS.contains(&name.as_str()))
    });
    let mut made: Vec<String> = shown
        .map(|(name, value)| format!("{name} {}", plain(value)))
        .collect();
    let painter = edits.iter().rev().find_map(|edit| edit.get("painter"));
    if let Some(painter) = painter {
        made.push(format!("painted by {}", plain(painter)));
    }
    if derivation.tries > 0 {
        made.push(tries(derivation.tries));
    }
    let made = format!("{} {}", derivation.method, made.join(", "));
    fields.push(("derived", clean(&made), Role::Dim));
    if let Some(ruling) = &derivation.ruling {
        let said = match ruling.pass {
            Some(true) => "passed",
            Some(false) => "did not pass",
            None => "gave no answer",
        };
        let by = match ruling.model.is_empty() {
            true => String::new(),
            false => format!(", says {}", ruling.model),
        };
        let reason = match &ruling.reason {
            Some(reason) if !reason.is_empty() => format!(": {reason}"),
            _ => String::new(),
        };
        let ruling = format!("{said} {}{by}{reason}", ruling.judge);
        fields.push(("judge", clean(&ruling), Role::Dim));
    }
    fields.retain(|(_, text, _)| !text.is_empty());
    fields
}

fn tries(tries: u32) -> String {
    match tries {
        1 => "1 try".into(),
        n => format!("{n} tries"),
    }
}

/// The edits of the picture, one after another. Each names its strategy.
fn edits(derivation: &Derivation) -> Vec<&Map<String, Value>> {
    let parameters = &derivation.parameters;
    match parameters.get(EDITS).and_then(Value::as_array) {
        Some(list) => list
            .iter()
            .filter_map(Value::as_object)
            .filter(|edit| strategy(edit).is_some())
            .collect(),
        None if strategy(parameters).is_some() => vec![parameters],
        None => Vec::new(),
    }
}

fn strategy(edit: &Map<String, Value>) -> Option<Strategy> {
    Strategy::from_name(edit.get("strategy")?.as_str()?)
}

/// An edit as a sentence without a subject: `V1 adds a red ball at 20,30 to 80,100`.
fn in_words(edit: &Map<String, Value>) -> String {
    let text = |name: &str| edit.get(name).map_or(String::new(), plain);
    let mut words = match strategy(edit) {
        Some(Strategy::V1) => format!("V1 adds {}", text("object")),
        Some(Strategy::V2) => format!("V2 removes {}", text("object")),
        Some(Strategy::V3) => format!("V3 extends the picture to {} times its size", text("ratio")),
        Some(other) => other.name().into(),
        None => String::new(),
    };
    let boxes = edit.get(BOXES).and_then(Value::as_array);
    let boxes: Vec<String> = boxes.into_iter().flatten().filter_map(corners).collect();
    if !boxes.is_empty() {
        let boxes = match boxes.len() {
            0..=3 => boxes.join(" and "),
            many => plural(many as u64, "box"),
        };
        words.push_str(&format!(" at {boxes}"));
    } else if let Some([width, height]) = edit.get(SIZE).and_then(numbers) {
        words.push_str(&format!(", {width} by {height} pixels"));
    }
    if edit.get("draft") == Some(&Value::Bool(true)) {
        words.push_str(", a draft");
    }
    words
}

/// Opposite corners of a box in pixels: `20,30 to 80,100`.
fn corners(area: &Value) -> Option<String> {
    let [left, top, right, bottom] = numbers(area)?;
    Some(format!("{left},{top} to {right},{bottom}"))
}

fn numbers<const N: usize>(list: &Value) -> Option<[u64; N]> {
    let numbers: Option<Vec<u64>> = list.as_array()?.iter().map(Value::as_u64).collect();
    numbers?.try_into().ok()
}

/// A value as people read it: a text without quotes, anything else as JSON.
fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use benchtop_model::{JudgeRuling, Key, Variant};
    use serde_json::json;

    fn written(parameters: Value, modified: Option<bool>) -> String {
        let derivation = Derivation {
            method: "vlb".into(),
            parameters: parameters.as_object().unwrap().clone(),
            edit: Some("a ball; wider".into()),
            tries: 3,
            ruling: Some(JudgeRuling {
                judge: "vlb-v3-outpaint".into(),
                model: "owl".into(),
                pass: Some(true),
                reason: Some("fine\u{1b}[2J".into()),
            }),
            ..Derivation::default()
        };
        let item = Item {
            derivation: Some(Box::new(derivation)),
            variant: Some(Variant {
                modified,
                ..Variant::default()
            }),
            ..Item::blank("d", Key::Int(1))
        };
        let fields = fields(&item).into_iter();
        fields
            .map(|(label, text, _)| format!("{label:<9}{text}\n"))
            .collect()
    }

    #[test]
    fn a_chain_of_edits_is_told_in_words_and_without_json() {
        let text = written(
            json!({
                "composition": "V3(V1)+L4", "seed": 7,
                "edits": [
                    {"strategy": "V1", "object": "a red ball", "boxes": [[20, 30, 80, 100]],
                     "place": [0, 0], "size": [640, 480], "painter": "storyboard", "draft": true},
                    {"strategy": "V3", "ratio": 1.5, "place": [160, 120], "size": [960, 720],
                     "painter": "storyboard", "fingerprint": "0badcafe"},
                ],
            }),
            Some(true),
        );
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            lines,
            [
                "edit     V1 adds a red ball at 20,30 to 80,100, a draft",
                "         V3 extends the picture to 1.5 times its size, 960 by 720 pixels",
                "derived  vlb composition V3(V1)+L4, seed 7, painted by storyboard, 3 tries",
                "judge    passed vlb-v3-outpaint, says owl: fine·[2J",
            ]
        );
    }

    #[test]
    fn one_edit_and_an_unmodified_variant_are_told() {
        let text = written(
            json!({"strategy": "V2", "object": "a hat", "boxes": [[1, 2, 3, 4], [5, 6, 7, 8]],
                   "prompt": "empty background", "composition": "V2", "seed": 7}),
            Some(false),
        );
        assert!(text.contains("V2 removes a hat at 1,2 to 3,4 and 5,6 to 7,8"));
        assert!(text.contains("derived  vlb composition V2, seed 7, 3 tries\n"));
        assert!(text.contains("not modified: the original stands in"));
        assert!(
            !text.contains('{') && !text.contains("empty background"),
            "{text}"
        );
    }

    #[test]
    fn other_methods_keep_their_parameters_and_hostile_ones_do_not_break_the_line() {
        let text = written(json!({"kind": "blur", "severity": 3}), None);
        assert!(text.contains("edit     a ball; wider\n"), "{text}");
        assert!(text.contains("derived  vlb kind blur, severity 3, 3 tries\n"));
        let text = written(
            json!({"edits": [7, {"strategy": "V9"}, {"strategy": "V1", "boxes": [["a"], [1, 2]]}]}),
            None,
        );
        assert!(
            text.contains("edit     V1 adds \n") || text.contains("V1 adds"),
            "{text}"
        );
    }
}
